// SPDX-License-Identifier: Apache-2.0
#include "core/exec/executor.h"

#include <stdio.h>

#include "core/exec/activity.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define TASKS_PER_CYCLE 8U

static _Thread_local struct fil_runner *current_runner;

struct fil_runner *fil_executor_runner(void)
{
    return current_runner;
}

// The executor's word: | stopping | draining | running (30 bits) | queued (32 bits) |
#define STOPPING    (UINT64_C(1) << 63)
#define DRAINING    (UINT64_C(1) << 62)
#define RUNNING_ONE (UINT64_C(1) << 32)

static uint32_t queued_of(uint64_t word)
{
    return (uint32_t)word;
}

static uint32_t running_of(uint64_t word)
{
    return (uint32_t)(word >> 32) & ((1U << 30) - 1);
}

static bool is_idle(uint64_t word)
{
    return (word & ~(STOPPING | DRAINING)) == 0;
}

static void wake_one(struct fil_executor *executor)
{
    (void)fil_crew_wake_any(&executor->crew, 0, executor->crew.options.member_count);
}

static void target_submit(struct fil_target *target, struct fil_task *task)
{
    struct fil_executor *executor = FIL_CONTAINER_OF(target, struct fil_executor, target);
    atomic_fetch_add_explicit(&executor->word, 1, memory_order_seq_cst);
    fil_counter_add_shared(&executor->submitted_count, 1);
    fil_job_line_push(&executor->line, task);
    wake_one(executor);
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
    return queued_of(atomic_load_explicit(&executor->word, memory_order_seq_cst)) > 0;
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
        fil_job_line_fini(&executor->line);
    }
    return error;
}

void fil_executor_fini(struct fil_executor *executor)
{
    fil_assert(fil_executor_is_idle(executor));
    fil_crew_fini(&executor->crew);
    fil_job_line_fini(&executor->line);
}

int fil_executor_start(struct fil_executor *executor)
{
    return fil_crew_start(&executor->crew, executor->crew.options.member_count);
}

/** Reserves a place in the queue: FIL_OK, FIL_E_FULL or FIL_E_STOPPING. */
static int reserve(void *context)
{
    struct fil_executor *executor = context;
    // W1 pairs with W2: sequentially consistent, for submitters that wait in the room.
    uint64_t word = atomic_load_explicit(&executor->word, memory_order_seq_cst);
    // Lock-free: when this thread goes round again, the word has been changed by another.
    do {
        if ((word & (STOPPING | DRAINING)) != 0) {
            return FIL_E_STOPPING;
        }
        if (queued_of(word) >= executor->options.capacity) {
            return FIL_E_FULL;
        }
    } while (!atomic_compare_exchange_weak_explicit(&executor->word, &word, word + 1,
                                                    memory_order_seq_cst, memory_order_seq_cst));
    return FIL_OK;
}

static int reserve_or_wait(struct fil_executor *executor)
{
    int error = reserve(executor);
    if (error != FIL_E_FULL || executor->options.policy == FIL_EXECUTOR_REJECT) {
        return error;
    }
    // Its own threads must not wait either: all of them might, and nobody would make room.
    if (!fil_room_may_wait() || fil_crew_is_current(&executor->crew)) {
        return FIL_E_WOULD_BLOCK;
    }
    fil_counter_add_shared(&executor->waited_count, 1);
    return fil_room_await(&executor->room, executor->options.env, executor->options.wait_timeout_ns,
                          reserve, executor);
}

/** Who would have to wait is not counted: it comes again, or gives up in its own way. */
static void count_refusal(struct fil_executor *executor, int error)
{
    if (error == FIL_E_STOPPING) {
        fil_counter_add_shared(&executor->refused_count, 1);
    } else if (error == FIL_E_FULL) {
        fil_counter_add_shared(&executor->rejected_count, 1);
    }
}

int fil_executor_submit(struct fil_executor *executor, struct fil_job *job)
{
    fil_assert(fil_job_of(&job->task) == job);
    fil_assert(job->deadline_ns == FIL_JOB_NO_DEADLINE || job->ops->expire != NULL);
    int error = reserve_or_wait(executor);
    if (error != FIL_OK) {
        count_refusal(executor, error);
        return error;
    }
    // J1 pairs with J2: who looks for the job here finds an executor that is ready for that.
    atomic_store_explicit(&job->executor, executor, memory_order_release);
    fil_counter_add_shared(&executor->submitted_count, 1);
    fil_job_line_push(&executor->line, &job->task);
    wake_one(executor);
    return FIL_OK;
}

/** What was taken out of the queue makes room there and counts as running; the word before. */
static uint64_t leave_queue(struct fil_executor *executor)
{
    // W2 pairs with W1.
    uint64_t word =
        atomic_fetch_add_explicit(&executor->word, RUNNING_ONE - 1, memory_order_seq_cst);
    fil_assert(queued_of(word) > 0);
    fil_room_made(&executor->room);
    return word;
}

/** What left the queue is over. */
static void note_over(struct fil_executor *executor)
{
    uint64_t word = atomic_fetch_sub_explicit(&executor->word, RUNNING_ONE, memory_order_seq_cst);
    fil_assert(running_of(word) > 0);
    if (is_idle(word - RUNNING_ONE)) {
        fil_room_made(&executor->drained);
    }
}

/** Takes the job out of the queue and ends it in this way; false: it is not there (any more). */
static bool end_early(struct fil_job *job, bool is_late)
{
    // J2 pairs with J1.
    struct fil_executor *executor = atomic_load_explicit(&job->executor, memory_order_acquire);
    if (executor == NULL || !fil_job_line_remove(&executor->line, job)) {
        return false;
    }
    (void)leave_queue(executor);
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
    if (queued_of(atomic_load_explicit(&executor->word, memory_order_seq_cst)) > 1) {
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

void fil_executor_drain(struct fil_executor *executor)
{
    atomic_fetch_or_explicit(&executor->word, DRAINING, memory_order_seq_cst);
    // Who waits for room waits in vain.
    fil_room_made(&executor->room);
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
    atomic_fetch_or_explicit(&executor->word, STOPPING | DRAINING, memory_order_seq_cst);
    fil_room_made(&executor->room);
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
    out_stats->queue_length = queued_of(word);
    out_stats->running_count = running_of(word);
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
    return queued_of(atomic_load_explicit(&executor->word, memory_order_relaxed)); // a figure
}

const char *fil_executor_name(const struct fil_executor *executor)
{
    return executor->name;
}
