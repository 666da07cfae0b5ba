// SPDX-License-Identifier: Apache-2.0
#include "core/exec/generic.h"

#include "core/exec/activity.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

#define TASKS_PER_CYCLE 16U

static _Thread_local struct fil_runner *current_runner;

struct fil_runner *fil_generic_runner(void)
{
    return current_runner;
}

struct fil_generic_options fil_generic_defaults(struct fil_env *env, uint32_t cpu_count)
{
    uint32_t half = cpu_count / 2;
    return (struct fil_generic_options){
        .env = env,
        .worker_count = (uint32_t)fil_min_u64(fil_max_u64(half, 2), FIL_GENERIC_WORKERS_MAX),
        .capacity = FIL_GENERIC_CAPACITY,
        .priority_capacity = FIL_GENERIC_PRIORITY_CAPACITY,
        .idle = FIL_IDLE_KIND_BLOCK,
    };
}

static void wake_for_normal(struct fil_generic *generic)
{
    (void)fil_crew_wake_any(&generic->crew, FIL_GENERIC_RESERVED + 1,
                            generic->crew.options.member_count);
}

/** The reserved thread is the lowest, so it is tried first. */
static void wake_for_priority(struct fil_generic *generic)
{
    (void)fil_crew_wake_any(&generic->crew, FIL_GENERIC_RESERVED,
                            generic->crew.options.member_count);
}

void fil_generic_submit(struct fil_generic *generic, struct fil_task *task)
{
    fil_task_queue_push(&generic->normal, task);
    wake_for_normal(generic);
}

void fil_generic_submit_priority(struct fil_generic *generic, struct fil_task *task)
{
    fil_task_queue_push(&generic->priority, task);
    wake_for_priority(generic);
}

int fil_generic_submit_try(struct fil_generic *generic, struct fil_task *task)
{
    if (!fil_task_queue_push_try(&generic->normal, task)) {
        return FIL_E_FULL;
    }
    wake_for_normal(generic);
    return FIL_OK;
}

int fil_generic_submit_priority_try(struct fil_generic *generic, struct fil_task *task)
{
    if (!fil_task_queue_push_try(&generic->priority, task)) {
        return FIL_E_FULL;
    }
    wake_for_priority(generic);
    return FIL_OK;
}

static void target_submit(struct fil_target *target, struct fil_task *task)
{
    fil_generic_submit(FIL_CONTAINER_OF(target, struct fil_generic, target), task);
}

static bool target_is_current(struct fil_target *target)
{
    return fil_crew_is_current(&FIL_CONTAINER_OF(target, struct fil_generic, target)->crew);
}

static void priority_target_submit(struct fil_target *target, struct fil_task *task)
{
    fil_generic_submit_priority(FIL_CONTAINER_OF(target, struct fil_generic, priority_target),
                                task);
}

static bool priority_target_is_current(struct fil_target *target)
{
    return fil_crew_is_current(
        &FIL_CONTAINER_OF(target, struct fil_generic, priority_target)->crew);
}

static const struct fil_target_ops target_ops = {
    .name = "generic", .submit = target_submit, .is_current = target_is_current};

static const struct fil_target_ops priority_target_ops = {.name = "generic/priority",
                                                          .submit = priority_target_submit,
                                                          .is_current = priority_target_is_current};

static bool has_work(void *context, uint32_t index)
{
    struct fil_generic *generic = context;
    return !fil_task_queue_is_empty(&generic->priority) ||
           (index != FIL_GENERIC_RESERVED && !fil_task_queue_is_empty(&generic->normal));
}

static uint32_t cycle(void *context, uint32_t index)
{
    fil_role_assert_generic();
    return fil_generic_cycle(context, index);
}

static const struct fil_crew_ops crew_ops = {.cycle = cycle, .has_work = has_work};

static bool is_valid(const struct fil_generic_options *options)
{
    return options->worker_count >= 1 && options->worker_count <= FIL_GENERIC_WORKERS_MAX &&
           options->capacity >= 1 && options->capacity <= FIL_MPMC_CAPACITY_MAX &&
           options->priority_capacity >= 1 && options->priority_capacity <= FIL_MPMC_CAPACITY_MAX;
}

static int init_queue(struct fil_task_queue *queue, struct fil_env *env, uint32_t capacity)
{
    return fil_task_queue_init(queue, env,
                               (uint32_t)fil_round_up_power_of_two(fil_max_u64(capacity, 2)));
}

int fil_generic_init(struct fil_generic *generic, const struct fil_generic_options *options)
{
    if (!is_valid(options)) {
        return FIL_E_INVALID;
    }
    generic->target = (struct fil_target){.ops = &target_ops};
    generic->priority_target = (struct fil_target){.ops = &priority_target_ops};
    generic->env = options->env;
    int error = init_queue(&generic->normal, options->env, options->capacity);
    if (error != FIL_OK) {
        return error;
    }
    error = init_queue(&generic->priority, options->env, options->priority_capacity);
    if (error != FIL_OK) {
        goto fail_normal;
    }
    error = fil_crew_init(&generic->crew,
                          &(struct fil_crew_options){.name = "generic",
                                                     .role = &fil_role_generic,
                                                     .ops = &crew_ops,
                                                     .context = generic,
                                                     .member_count = options->worker_count + 1,
                                                     .idle = options->idle,
                                                     .cpus = options->cpus,
                                                     .hooks = options->hooks,
                                                     .runners = options->runners});
    if (error != FIL_OK) {
        goto fail_priority;
    }
    return FIL_OK;

fail_priority:
    fil_task_queue_fini(&generic->priority);
fail_normal:
    fil_task_queue_fini(&generic->normal);
    return error;
}

void fil_generic_fini(struct fil_generic *generic)
{
    fil_crew_fini(&generic->crew);
    fil_task_queue_fini(&generic->priority);
    fil_task_queue_fini(&generic->normal);
}

int fil_generic_start(struct fil_generic *generic)
{
    return fil_crew_start(&generic->crew, generic->crew.options.member_count);
}

void fil_generic_stop(struct fil_generic *generic)
{
    fil_crew_stop(&generic->crew);
}

uint32_t fil_generic_thread_count(const struct fil_generic *generic)
{
    return generic->crew.options.member_count;
}

/** The next task for this worker and the queue it is from; NULL when there is none. */
static struct fil_task *take_next(struct fil_generic *generic, uint32_t index,
                                  struct fil_task_queue **out_queue) FIL_RUNS_ON(generic)
{
    *out_queue = &generic->priority;
    struct fil_task *task = fil_task_queue_take(&generic->priority);
    if (task == NULL && index != FIL_GENERIC_RESERVED) {
        *out_queue = &generic->normal;
        task = fil_task_queue_take(&generic->normal);
    }
    return task;
}

/** There is more than this worker takes at a time: somebody else should help. */
static void call_help(struct fil_generic *generic)
{
    if (!fil_task_queue_is_empty(&generic->priority)) {
        wake_for_priority(generic);
    }
    if (!fil_task_queue_is_empty(&generic->normal)) {
        wake_for_normal(generic);
    }
}

static void note_wait(struct fil_generic *generic, struct fil_task_queue *queue,
                      const struct fil_task *task, struct fil_meter *meter) FIL_RUNS_ON(generic)
{
    if (fil_probe_is_marked(&queue->probe, task)) {
        fil_probe_record(&queue->probe, meter, fil_env_now_ns(generic->env));
    }
}

/** Runs the task; a runner shows that the thread is at it. */
static void run_task(const struct fil_generic *generic, struct fil_task *task) FIL_RUNS_ON(generic)
{
    struct fil_runner *runner = current_runner;
    if (runner == NULL) {
        task->run(task);
        return;
    }
    runner->now_ns = fil_env_now_ns(generic->env);
    const char *outer = fil_activity_begin(runner, "generic");
    task->run(task);
    fil_activity_end(runner, outer);
    fil_counter_add(&runner->stats.runs, 1);
}

/** Runs the first task of a cycle, the one that is timed; returns when it was done. */
static uint64_t run_timed(struct fil_generic *generic, struct fil_task *task,
                          struct fil_meter *meter, uint64_t start_ns) FIL_RUNS_ON(generic)
{
    run_task(generic, task);
    uint64_t end_ns = fil_env_now_ns(generic->env);
    fil_histogram_record(&meter->service_ns, end_ns - start_ns);
    return end_ns;
}

/** Runs the task and as many behind it as a cycle may. */
static uint32_t run_batch(struct fil_generic *generic, uint32_t index, struct fil_task *task,
                          struct fil_task_queue *queue) FIL_RUNS_ON(generic)
{
    struct fil_meter *meter = fil_crew_meter(&generic->crew, index);
    uint64_t start_ns = fil_env_now_ns(generic->env);
    note_wait(generic, queue, task, meter);
    uint64_t end_ns = run_timed(generic, task, meter, start_ns);
    uint32_t moved = 1;
    while (moved < TASKS_PER_CYCLE && (task = take_next(generic, index, &queue)) != NULL) {
        note_wait(generic, queue, task, meter);
        run_task(generic, task);
        moved++;
    }
    if (moved > 1) {
        end_ns = fil_env_now_ns(generic->env);
    }
    fil_meter_cycle(meter, moved, end_ns - start_ns);
    return moved;
}

uint32_t fil_generic_cycle(struct fil_generic *generic, uint32_t index)
{
    fil_debug_assert(fil_role_is(&fil_role_generic));
    fil_assert(index < generic->crew.options.member_count);
    struct fil_task_queue *queue = NULL;
    struct fil_task *task = take_next(generic, index, &queue);
    if (task == NULL) {
        return 0;
    }
    call_help(generic);
    const struct fil_crew *outer = fil_crew_enter(&generic->crew);
    struct fil_runner *outer_runner = current_runner;
    current_runner = fil_crew_runner(&generic->crew, index);
    uint32_t moved = run_batch(generic, index, task, queue);
    fil_stage_hooks_settle(generic->crew.options.hooks, current_runner);
    current_runner = outer_runner;
    fil_crew_leave(outer);
    fil_probe_arm(&generic->priority.probe);
    fil_probe_arm(&generic->normal.probe);
    return moved;
}

void fil_generic_read(struct fil_generic *generic, struct fil_generic_stats *out_stats)
{
    out_stats->queue_length = fil_task_queue_count(&generic->normal);
    out_stats->priority_queue_length = fil_task_queue_count(&generic->priority);
    out_stats->refused_count = fil_counter_read(&generic->normal.refused_count);
    out_stats->priority_refused_count = fil_counter_read(&generic->priority.refused_count);
    out_stats->overflow_count = fil_counter_read(&generic->normal.overflow_count) +
                                fil_counter_read(&generic->priority.overflow_count);
    fil_crew_read(&generic->crew, &out_stats->crew);
}
