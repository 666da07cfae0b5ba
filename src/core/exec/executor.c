// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "core/exec/activity.h"
#include "core/exec/executor_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define TASKS_PER_CYCLE 8U

static _Thread_local struct fil_runner *current_runner;

struct fil_runner *fil_executor_runner(void)
{
    return current_runner;
}

#define STOPPING    FIL_EXECUTOR_STOPPING
#define DRAINING    FIL_EXECUTOR_DRAINING
#define RUNNING_ONE FIL_EXECUTOR_RUNNING_ONE

static bool is_idle(uint64_t word)
{
    return (word & ~(STOPPING | DRAINING)) == 0;
}

static void wake_one(struct fil_executor *executor)
{
    (void)fil_crew_wake_any(&executor->crew, 0, executor->crew.options.member_count);
}

void fil_executor__push(struct fil_executor *executor, struct fil_task *task)
{
    fil_counter_add_shared(&executor->submitted_count, 1);
    fil_job_line_push(&executor->line, task);
    wake_one(executor);
}

static void target_submit(struct fil_target *target, struct fil_task *task)
{
    struct fil_executor *executor = FIL_CONTAINER_OF(target, struct fil_executor, target);
    atomic_fetch_add_explicit(&executor->word, 1, memory_order_seq_cst);
    fil_executor__push(executor, task);
}

static bool target_is_current(struct fil_target *target)
{
    return fil_crew_is_current(&FIL_CONTAINER_OF(target, struct fil_executor, target)->crew);
}

static const struct fil_target_ops target_ops = {
    .name = "executor", .submit = target_submit, .is_current = target_is_current};

static uint32_t cycle(void *context, uint32_t index)
{
    fil_role_assert_executor();
    return fil_executor_cycle(context, index);
}

static bool has_work(void *context, uint32_t index)
{
    (void)index;
    struct fil_executor *executor = context;
    // The word, not the queue: it counts a job from its admission on, so that no thread ends while
    // a submitter stands between the two.
    return fil_executor__queued_of(atomic_load_explicit(&executor->word, memory_order_seq_cst)) > 0;
}

static const struct fil_crew_ops crew_ops = {.cycle = cycle, .has_work = has_work};

static bool is_valid(const struct fil_executor_options *options)
{
    return options->thread_count >= 1 && options->thread_count <= FIL_CREW_MEMBERS_MAX &&
           options->capacity >= 1 && options->capacity <= FIL_EXECUTOR_JOBS_MAX &&
           options->wait_timeout_ns <= INT64_MAX;
}

int fil_executor_init(struct fil_executor *executor, const struct fil_executor_options *options)
{
    if (!is_valid(options)) {
        return FIL_E_INVALID;
    }
    *executor = (struct fil_executor){.target.ops = &target_ops, .options = *options};
    (void)snprintf(executor->name, sizeof(executor->name), "%s", options->name); // may cut
    executor->options.name = executor->name;
    fil_room_init(&executor->room);
    fil_room_init(&executor->drained);
    fil_lobby_init(&executor->lobby);
    fil_job_line_init(&executor->line, options->env);
    int error = fil_crew_init(&executor->crew,
                              &(struct fil_crew_options){.name = executor->name,
                                                         .role = &fil_role_executor,
                                                         .ops = &crew_ops,
                                                         .context = executor,
                                                         .member_count = options->thread_count,
                                                         .idle = options->idle,
                                                         .cpus = options->cpus,
                                                         .hooks = options->hooks,
                                                         .runners = options->runners});
    if (error != FIL_OK) {
        fil_lobby_fini(&executor->lobby);
        fil_job_line_fini(&executor->line);
    }
    return error;
}

void fil_executor_fini(struct fil_executor *executor)
{
    fil_assert(fil_executor_is_idle(executor));
    fil_crew_fini(&executor->crew);
    fil_lobby_fini(&executor->lobby);
    fil_job_line_fini(&executor->line);
}

int fil_executor_start(struct fil_executor *executor)
{
    return fil_crew_start(&executor->crew, executor->crew.options.member_count);
}

/** What was taken out of the queue makes room there and counts as running; the word before. */
static uint64_t leave_queue(struct fil_executor *executor)
{
    // W2 pairs with W1.
    uint64_t word =
        atomic_fetch_add_explicit(&executor->word, RUNNING_ONE - 1, memory_order_seq_cst);
    fil_assert(fil_executor__queued_of(word) > 0);
    fil_executor__made_room(executor);
    return word;
}

/** What left the queue is over. */
static void note_over(struct fil_executor *executor)
{
    uint64_t word = atomic_fetch_sub_explicit(&executor->word, RUNNING_ONE, memory_order_seq_cst);
    fil_assert(fil_executor__running_of(word) > 0);
    if (executor->options.in_flight_max > 0) {
        fil_executor__made_room(executor);
    }
    if (is_idle(word - RUNNING_ONE)) {
        fil_room_made(&executor->drained);
    }
}

/** Takes the job away from those that wait outside, or in the queue; then it counts as running. */
static bool take_back(struct fil_executor *executor, struct fil_job *job)
{
    // First outside: from there it goes to the queue in one step.
    if (FIL_UNLIKELY(!fil_lobby_is_empty(&executor->lobby))) {
        // Counted before: a stop waits for who tells a job of its end.
        atomic_fetch_add_explicit(&executor->word, RUNNING_ONE, memory_order_seq_cst);
        if (fil_lobby_leave(&executor->lobby, &job->guest)) {
            return true;
        }
        note_over(executor);
    }
    if (!fil_job_line_remove(&executor->line, job)) {
        return false;
    }
    (void)leave_queue(executor);
    return true;
}

/** Takes the job back and ends it in this way; false: it does not wait (any more). */
static bool end_early(struct fil_job *job, bool is_late)
{
    // J2 pairs with J1.
    struct fil_executor *executor = atomic_load_explicit(&job->executor, memory_order_acquire);
    if (executor == NULL || !take_back(executor, job)) {
        return false;
    }
    fil_counter_add_shared(is_late ? &executor->expired_count : &executor->cancelled_count, 1);
    fil_job_fn end = is_late ? job->ops->expire : job->ops->cancel;
    end(job); // it may be freed by that
    note_over(executor);
    return true;
}

bool fil_executor_cancel(struct fil_job *job)
{
    return end_early(job, false);
}

bool fil_executor_expire(struct fil_job *job)
{
    fil_assert(job->ops->expire != NULL);
    return end_early(job, true);
}

/** Decides how a job that a thread has taken ends, and ends it so; it may be freed by that. */
static void end_job(struct fil_executor *executor, struct fil_job *job, uint64_t now_ns,
                    bool is_stopping) FIL_RUNS_ON(executor)
{
    const struct fil_job_ops *ops = job->ops;
    if (is_stopping) {
        fil_counter_add_shared(&executor->cancelled_count, 1);
        ops->cancel(job);
    } else if (job->deadline_ns <= now_ns) {
        fil_counter_add_shared(&executor->expired_count, 1);
        ops->expire(job);
    } else {
        fil_counter_add_shared(&executor->run_count, 1);
        ops->run(job);
    }
}

/** Runs one task or ends one job that has been taken from the queue. */
static void run_one(struct fil_executor *executor, struct fil_task *task, uint64_t now_ns)
    FIL_RUNS_ON(executor)
{
    uint64_t word = leave_queue(executor);
    struct fil_job *job = fil_job_of(task);
    if (job != NULL) {
        end_job(executor, job, now_ns, (word & STOPPING) != 0);
    } else {
        fil_counter_add_shared(&executor->run_count, 1);
        task->run(task);
    }
    note_over(executor);
}

/** As run_one; a runner shows that the thread is at it, under the executor's name. */
static void run_watched(struct fil_executor *executor, struct fil_task *task,
                        struct fil_runner *runner, uint64_t now_ns) FIL_RUNS_ON(executor)
{
    if (runner == NULL) {
        run_one(executor, task, now_ns);
        return;
    }
    runner->now_ns = now_ns;
    const char *outer = fil_activity_begin(runner, executor->name);
    struct fil_runner *outer_runner = current_runner;
    current_runner = runner;
    run_one(executor, task, now_ns);
    current_runner = outer_runner;
    fil_activity_end(runner, outer);
    fil_counter_add(&runner->stats.runs, 1);
}

static void note_wait(struct fil_executor *executor, const struct fil_task *task,
                      struct fil_meter *meter, uint64_t now_ns) FIL_RUNS_ON(executor)
{
    if (fil_probe_is_marked(&executor->line.probe, task)) {
        fil_probe_record(&executor->line.probe, meter, now_ns);
    }
}

/** Runs the task and as many behind it as a cycle may, each with its own time. */
static uint32_t run_batch(struct fil_executor *executor, struct fil_task *task, uint32_t index)
    FIL_RUNS_ON(executor)
{
    struct fil_meter *meter = fil_crew_meter(&executor->crew, index);
    struct fil_runner *runner = fil_crew_runner(&executor->crew, index);
    struct fil_env *env = executor->options.env;
    uint64_t start_ns = fil_env_now_ns(env);
    uint64_t now_ns = start_ns;
    uint32_t moved = 0;
    do {
        note_wait(executor, task, meter, now_ns);
        run_watched(executor, task, runner, now_ns);
        uint64_t end_ns = fil_env_now_ns(env);
        fil_histogram_record(&meter->service_ns, end_ns - now_ns);
        now_ns = end_ns;
        moved++;
    } while (moved < TASKS_PER_CYCLE && (task = fil_job_line_take(&executor->line)) != NULL);
    fil_meter_cycle(meter, moved, now_ns - start_ns);
    return moved;
}

uint32_t fil_executor_cycle(struct fil_executor *executor, uint32_t index)
{
    fil_debug_assert(fil_role_is(&fil_role_executor));
    fil_assert(index < executor->crew.options.member_count);
    struct fil_task *task = fil_job_line_take(&executor->line);
    if (task == NULL) {
        return 0;
    }
    // The one that was taken still counts.
    if (fil_executor__queued_of(atomic_load_explicit(&executor->word, memory_order_seq_cst)) > 1) {
        wake_one(executor); // more than one thread should take at a time
    }
    const struct fil_crew *outer = fil_crew_enter(&executor->crew);
    uint32_t moved = run_batch(executor, task, index);
    fil_stage_hooks_settle(executor->options.hooks, fil_crew_runner(&executor->crew, index));
    fil_crew_leave(outer);
    fil_probe_arm(&executor->line.probe);
    return moved;
}

bool fil_executor_is_idle(struct fil_executor *executor)
{
    return is_idle(atomic_load_explicit(&executor->word, memory_order_seq_cst));
}

static int is_drained(void *context)
{
    return fil_executor_is_idle(context) ? FIL_OK : FIL_E_FULL;
}

int fil_executor_drain_wait(struct fil_executor *executor, uint64_t timeout_ns)
{
    if (!fil_room_may_wait() || fil_crew_is_current(&executor->crew)) {
        return FIL_E_WOULD_BLOCK;
    }
    fil_executor_drain(executor);
    int error =
        fil_room_await(&executor->drained, executor->options.env, timeout_ns, is_drained, executor);
    return error == FIL_E_FULL ? FIL_E_TIMEOUT : error;
}

void fil_executor_stop(struct fil_executor *executor)
{
    // In this order: who comes in from outside does so while the threads are there.
    fil_executor_drain(executor);
    atomic_fetch_or_explicit(&executor->word, STOPPING, memory_order_seq_cst);
    fil_crew_stop(&executor->crew);
    if (!fil_executor_is_idle(executor)) {
        // Somebody who has cancelled a job is just telling it.
        int error = fil_room_await(&executor->drained, executor->options.env, INT64_MAX, is_drained,
                                   executor);
        fil_assert(error == FIL_OK);
    }
}

void fil_executor_read(struct fil_executor *executor, struct fil_executor_stats *out_stats)
{
    // Relaxed: figures.
    uint64_t word = atomic_load_explicit(&executor->word, memory_order_relaxed);
    out_stats->queue_length = fil_executor__queued_of(word);
    out_stats->running_count = fil_executor__running_of(word);
    out_stats->submitted_count = fil_counter_read(&executor->submitted_count);
    out_stats->run_count = fil_counter_read(&executor->run_count);
    out_stats->cancelled_count = fil_counter_read(&executor->cancelled_count);
    out_stats->expired_count = fil_counter_read(&executor->expired_count);
    out_stats->rejected_count = fil_counter_read(&executor->rejected_count);
    out_stats->refused_count = fil_counter_read(&executor->refused_count);
    out_stats->waited_count = fil_counter_read(&executor->waited_count);
    fil_crew_read(&executor->crew, &out_stats->crew);
}

uint32_t fil_executor_queue_length(const struct fil_executor *executor)
{
    return fil_executor__queued_of(
        atomic_load_explicit(&executor->word, memory_order_relaxed)); // a figure
}

const char *fil_executor_name(const struct fil_executor *executor)
{
    return executor->name;
}
