// SPDX-License-Identifier: Apache-2.0
/**
 * Generic pool and executors, in every order of their steps. Promises: whoever pushes while workers
 * go to sleep, each task is run once and nobody sleeps while there is work; two tasks that need
 * each other get two workers; priority work reaches the reserved thread or a worker; tasks that did
 * not fit the queue are run too. A job that is submitted, cancelled and taken at the same time ends
 * once, as its canceller was told; a cancel makes room although all threads are busy; one that
 * races with stop is refused or ends; a submitter that waits for room is woken when there is some;
 * who waits for the end of a drain is told. A job that waits outside comes in when there is room,
 * can be cancelled wherever it is, and is ended or refused by a stop.
 */
#include <string.h>

#include "core/exec/executor.h"
#include "core/exec/generic.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "tests/interleave/suite.h"

#define TASKS      4U
#define ACTORS_MAX 3U
#define WAIT_NS    1000U

struct pool_case {
    const char *name;
    uint32_t thread_count; // the reserved one not counted
    uint32_t capacity;
    uint32_t task_count; // that will run; generic pools only
    bool has_priority;   // the reserved thread takes part
    void (*arrange)(void);
    fil_explorer_fn actors[ACTORS_MAX];
    uint32_t interruptions_max;
};

struct counted_task {
    struct fil_task task;
    uint32_t run_count;
};

struct counted_job {
    struct fil_job job;
    uint32_t run_count;
    uint32_t cancel_count;
    int error; // of submit
    bool is_cancelled;
};

static struct world {
    const struct pool_case *now;
    struct fil_generic generic;
    struct fil_executor executor;
    struct counted_task tasks[TASKS];
    struct counted_job jobs[TASKS];
    uint32_t ended_count;
    uint32_t met_count;
    uint32_t submitter_count; // that have not ended
    bool has_begun;           // the long job
    int drain_error;
} world;

static uint64_t now_ns(struct fil_env *env)
{
    (void)env;
    return fil_explorer_now_ns();
}

static const struct fil_env_ops env_ops = {.now_ns = now_ns};
static struct fil_env env = {.ops = &env_ops};

static void must_be_ok(int error)
{
    fil_assert(error == FIL_OK);
}

static void ignore_counter(struct fil_counter *counter)
{
    fil_explorer_ignore(counter, sizeof(*counter));
}

static void ignore_queue_figures(struct fil_task_queue *queue)
{
    ignore_counter(&queue->refused_count);
    ignore_counter(&queue->overflow_count);
}

static void ignore_crew_figures(struct fil_crew *crew)
{
    for (uint32_t i = 0; i < crew->options.member_count; i++) {
        struct fil_crew_member *member = &crew->members[i];
        fil_explorer_ignore(&member->parker.wake_count, sizeof(member->parker.wake_count));
        ignore_counter(&member->park_count);
        fil_explorer_ignore(&member->meter, sizeof(member->meter));
    }
}

static void begin_world(const struct pool_case *now)
{
    memset(&world, 0, sizeof(world));
    fil_explorer_track(&world, sizeof(world));
    world.now = now;
}

static void add_actors(void)
{
    for (uint32_t i = 0; i < ACTORS_MAX && world.now->actors[i] != NULL; i++) {
        static const char *const names[ACTORS_MAX] = {"first", "second", "third"};
        (void)fil_explorer_add(names[i], world.now->actors[i], NULL);
    }
}

/** Sleeps end by a wake-up: one that ended by its time was forgotten. */
static void check_clock(void)
{
    if (fil_explorer_now_ns() != FIL_EXPLORER_START_NS) {
        fil_explorer_fail("somebody was not woken and went on by his time");
    }
}

// The generic pool.

static void run_task(struct fil_task *task)
{
    FIL_CONTAINER_OF(task, struct counted_task, task)->run_count++;
    world.ended_count++;
}

static bool have_all_met(void *context)
{
    (void)context;
    return world.met_count == world.now->task_count;
}

static void meet(struct fil_task *task)
{
    world.met_count++;
    fil_explorer_wait_until(have_all_met, NULL);
    run_task(task);
}

static bool has_urgent_run(void *context)
{
    (void)context;
    return world.tasks[3].run_count == 1;
}

static void wait_for_urgent(struct fil_task *task)
{
    fil_explorer_wait_until(has_urgent_run, NULL);
    run_task(task);
}

static bool has_all_run(void *context)
{
    (void)context;
    return world.ended_count == world.now->task_count;
}

/** When all is done: so that a lost wake-up is not made good by the stop. */
static void stop_pool(void *context)
{
    (void)context;
    fil_explorer_wait_until(has_all_run, NULL);
    fil_generic_stop(&world.generic);
}

static void submit_first(void *context)
{
    (void)context;
    fil_generic_submit(&world.generic, &world.tasks[0].task);
    fil_generic_submit(&world.generic, &world.tasks[1].task);
}

static void submit_second(void *context)
{
    (void)context;
    fil_generic_submit(&world.generic, &world.tasks[2].task);
}

static void submit_urgent(void *context)
{
    (void)context;
    fil_generic_submit_priority(&world.generic, &world.tasks[3].task);
}

static void submit_urgent_last(void *context)
{
    submit_second(context);
    submit_urgent(context);
}

static void submit_urgent_first(void *context)
{
    submit_urgent(context);
    submit_second(context);
}

static void submit_three(void *context)
{
    submit_first(context);
    submit_second(context);
}

static void arrange_meeting(void)
{
    world.tasks[0].task.run = meet;
    world.tasks[1].task.run = meet;
}

/** While the only worker waits here, nobody but the reserved thread can help it. */
static void arrange_busy_worker(void)
{
    world.tasks[2].task.run = wait_for_urgent;
}

static void set_up_pool(void *context)
{
    const struct pool_case *now = context;
    begin_world(now);
    for (uint32_t i = 0; i < TASKS; i++) {
        world.tasks[i].task.run = run_task;
    }
    must_be_ok(fil_generic_init(&world.generic,
                                &(struct fil_generic_options){.env = &env,
                                                              .worker_count = now->thread_count,
                                                              .capacity = now->capacity,
                                                              .priority_capacity = 2,
                                                              .idle = FIL_IDLE_KIND_BLOCK}));
    ignore_queue_figures(&world.generic.normal);
    ignore_queue_figures(&world.generic.priority);
    ignore_crew_figures(&world.generic.crew);
    if (now->arrange != NULL) {
        now->arrange();
    }
    for (uint32_t i = now->has_priority ? 0 : 1; i <= now->thread_count; i++) {
        must_be_ok(fil_crew_start_member(&world.generic.crew, i));
    }
    add_actors();
}

static void check_pool(void *context)
{
    (void)context;
    uint32_t once_count = 0;
    for (uint32_t i = 0; i < TASKS; i++) {
        once_count += world.tasks[i].run_count == 1;
    }
    if (once_count != world.now->task_count || world.ended_count != once_count) {
        fil_explorer_fail("%u tasks ran, %u of them once", world.ended_count, once_count);
    }
    fil_generic_fini(&world.generic);
}

// An executor.

static void run_job(struct fil_job *job)
{
    FIL_CONTAINER_OF(job, struct counted_job, job)->run_count++;
    world.ended_count++;
}

static void cancel_job(struct fil_job *job)
{
    FIL_CONTAINER_OF(job, struct counted_job, job)->cancel_count++;
    world.ended_count++;
}

static const struct fil_job_ops job_ops = {.run = run_job, .cancel = cancel_job};

static void submit_job(struct counted_job *job)
{
    job->error = fil_executor_submit(&world.executor, &job->job);
}

static void arrange_two_jobs(void)
{
    submit_job(&world.jobs[0]);
    submit_job(&world.jobs[1]);
}

static void submit_two_jobs(void *context)
{
    (void)context;
    arrange_two_jobs();
    world.submitter_count--;
}

static void submit_another_job(void *context)
{
    (void)context;
    submit_job(&world.jobs[2]);
    world.submitter_count--;
}

static void bring_job(struct counted_job *job)
{
    uint64_t wait_ns;
    job->error = fil_executor_bring(&world.executor, &job->job, &wait_ns);
}

static void bring_two_jobs(void *context)
{
    (void)context;
    bring_job(&world.jobs[0]);
    bring_job(&world.jobs[1]);
    world.submitter_count--;
}

static void bring_another_job(void *context)
{
    (void)context;
    bring_job(&world.jobs[2]);
    world.submitter_count--;
}

static void cancel_jobs(void *context)
{
    (void)context;
    world.jobs[0].is_cancelled = fil_executor_cancel(&world.jobs[0].job);
    world.jobs[1].is_cancelled = fil_executor_cancel(&world.jobs[1].job);
}

static bool has_begun(void *context)
{
    (void)context;
    return world.has_begun;
}

static bool is_second_queued(void *context)
{
    (void)context;
    return world.jobs[1].error == FIL_OK;
}

static bool is_third_queued(void *context)
{
    (void)context;
    return world.jobs[2].error == FIL_OK;
}

static bool is_third_cancelled(void *context)
{
    (void)context;
    return world.jobs[2].is_cancelled;
}

/** Holds the only thread until there was room for the third job. */
static void run_long_job(struct fil_job *job)
{
    world.has_begun = true;
    fil_explorer_wait_until(is_third_queued, NULL);
    run_job(job);
}

static void arrange_long_job(void)
{
    static const struct fil_job_ops ops = {.run = run_long_job, .cancel = cancel_job};
    fil_job_init(&world.jobs[0].job, &ops);
    submit_job(&world.jobs[0]);
}

/** The second job fills the queue. */
static void submit_behind_a_long_job(void *context)
{
    (void)context;
    fil_explorer_wait_until(has_begun, NULL);
    submit_job(&world.jobs[1]);
    submit_job(&world.jobs[2]);
    world.submitter_count--;
}

static void cancel_second_job(void *context)
{
    (void)context;
    fil_explorer_wait_until(is_second_queued, NULL);
    world.jobs[1].is_cancelled = fil_executor_cancel(&world.jobs[1].job);
}

/** Holds the only thread until the third job was cancelled. */
static void run_until_cancel(struct fil_job *job)
{
    world.has_begun = true;
    fil_explorer_wait_until(is_third_cancelled, NULL);
    run_job(job);
}

static void arrange_held_thread(void)
{
    static const struct fil_job_ops ops = {.run = run_until_cancel, .cancel = cancel_job};
    fil_job_init(&world.jobs[0].job, &ops);
    submit_job(&world.jobs[0]);
}

/** The second job fills the queue, the third waits outside or comes in when the second goes. */
static void cancel_outsider(void *context)
{
    (void)context;
    fil_explorer_wait_until(has_begun, NULL);
    bring_job(&world.jobs[1]);
    bring_job(&world.jobs[2]);
    world.jobs[2].is_cancelled = fil_executor_cancel(&world.jobs[2].job);
    world.submitter_count--;
}

static bool have_submitters_ended(void *context)
{
    (void)context;
    return world.submitter_count == 0;
}

static bool have_all_jobs_ended(void *context)
{
    uint32_t taken_count = 0;
    for (uint32_t i = 0; i < TASKS; i++) {
        taken_count += world.jobs[i].error == FIL_OK;
    }
    return have_submitters_ended(context) && world.ended_count == taken_count;
}

/** When all is done: so that a lost wake-up is not made good by the stop. */
static void stop_executor_late(void *context)
{
    fil_explorer_wait_until(have_all_jobs_ended, context);
    fil_executor_stop(&world.executor);
}

static void stop_executor_now(void *context)
{
    fil_executor_stop(&world.executor);
    if (!fil_executor_is_idle(&world.executor)) {
        fil_explorer_fail("the executor has stopped, and a job is just ending");
    }
    fil_explorer_wait_until(have_submitters_ended, context);
}

static void drain_and_stop_executor(void *context)
{
    world.drain_error = fil_executor_drain_wait(&world.executor, WAIT_NS);
    if (!fil_executor_is_idle(&world.executor)) {
        world.drain_error = FIL_E_BROKEN;
    }
    fil_explorer_wait_until(have_submitters_ended, context);
    fil_executor_stop(&world.executor);
}

static void ignore_executor_figures(struct fil_executor *executor)
{
    ignore_counter(&executor->submitted_count);
    ignore_counter(&executor->run_count);
    ignore_counter(&executor->cancelled_count);
    ignore_counter(&executor->rejected_count);
    ignore_counter(&executor->refused_count);
    ignore_counter(&executor->waited_count);
    ignore_crew_figures(&executor->crew);
}

static void count_submitters(const struct pool_case *now)
{
    for (uint32_t i = 0; i < ACTORS_MAX; i++) {
        world.submitter_count +=
            now->actors[i] == submit_two_jobs || now->actors[i] == submit_another_job ||
            now->actors[i] == bring_two_jobs || now->actors[i] == bring_another_job ||
            now->actors[i] == cancel_outsider || now->actors[i] == submit_behind_a_long_job;
    }
}

static void set_up_executor(void *context)
{
    const struct pool_case *now = context;
    begin_world(now);
    count_submitters(now);
    for (uint32_t i = 0; i < TASKS; i++) {
        world.jobs[i].error = FIL_E_FULL;
        fil_job_init(&world.jobs[i].job, &job_ops);
    }
    must_be_ok(fil_executor_init(&world.executor,
                                 &(struct fil_executor_options){.env = &env,
                                                                .name = "test",
                                                                .thread_count = now->thread_count,
                                                                .capacity = now->capacity,
                                                                .policy = FIL_EXECUTOR_WAIT,
                                                                .wait_timeout_ns = WAIT_NS,
                                                                .outside_max = TASKS,
                                                                .idle = FIL_IDLE_KIND_BLOCK}));
    ignore_executor_figures(&world.executor);
    if (now->arrange != NULL) {
        now->arrange();
    }
    must_be_ok(fil_executor_start(&world.executor));
    add_actors();
}

/** Every job ended as often as it was taken; and a cancel that was granted is what happened. */
static void check_executor(void *context)
{
    (void)context;
    for (uint32_t i = 0; i < TASKS; i++) {
        const struct counted_job *job = &world.jobs[i];
        if (job->run_count + job->cancel_count != (job->error == FIL_OK)) {
            fil_explorer_fail("job %u did not end as often as it was taken", i);
        }
        if (job->is_cancelled && job->cancel_count != 1) {
            fil_explorer_fail("job %u ran although its cancel was granted", i);
        }
    }
    if (world.drain_error != FIL_OK) {
        fil_explorer_fail("the drain ended with %d", world.drain_error);
    }
    check_clock();
    fil_executor_fini(&world.executor);
}

static const struct pool_case pools[] = {
    {.name = "pool_two_producers",
     .thread_count = 1,
     .capacity = 4,
     .task_count = 3,
     .actors = {submit_first, submit_second, stop_pool}},
    {.name = "pool_meeting",
     .thread_count = 2,
     .capacity = 2,
     .task_count = 2,
     .arrange = arrange_meeting,
     .actors = {submit_first, stop_pool}},
    {.name = "pool_priority",
     .thread_count = 1,
     .capacity = 2,
     .task_count = 2,
     .has_priority = true,
     .actors = {submit_urgent_first, stop_pool}},
    {.name = "pool_busy_worker",
     .thread_count = 1,
     .capacity = 2,
     .task_count = 2,
     .has_priority = true,
     .arrange = arrange_busy_worker,
     .actors = {submit_urgent_last, stop_pool}},
    {.name = "pool_overflow",
     .thread_count = 2,
     .capacity = 2,
     .task_count = 3,
     .actors = {submit_three, stop_pool},
     .interruptions_max = 3},
};

static const struct pool_case executors[] = {
    {.name = "executor_cancel",
     .thread_count = 1,
     .capacity = 4,
     .actors = {submit_two_jobs, cancel_jobs, stop_executor_late}},
    {.name = "executor_cancel_makes_room",
     .thread_count = 1,
     .capacity = 1,
     .arrange = arrange_long_job,
     .actors = {submit_behind_a_long_job, cancel_second_job, stop_executor_late}},
    {.name = "executor_cancel_against_stop",
     .thread_count = 1,
     .capacity = 4,
     .arrange = arrange_two_jobs,
     .actors = {cancel_jobs, stop_executor_now}},
    {.name = "executor_stop",
     .thread_count = 1,
     .capacity = 4,
     .actors = {submit_two_jobs, submit_another_job, stop_executor_now}},
    {.name = "executor_room",
     .thread_count = 1,
     .capacity = 1,
     .actors = {submit_two_jobs, submit_another_job, stop_executor_late}},
    {.name = "executor_outside",
     .thread_count = 1,
     .capacity = 1,
     .actors = {bring_two_jobs, bring_another_job, stop_executor_late}},
    {.name = "executor_outside_cancel",
     .thread_count = 1,
     .capacity = 1,
     .arrange = arrange_held_thread,
     .actors = {cancel_outsider, cancel_second_job, stop_executor_late}},
    {.name = "executor_outside_against_stop",
     .thread_count = 1,
     .capacity = 1,
     .actors = {bring_two_jobs, stop_executor_now}},
    {.name = "executor_drain",
     .thread_count = 2,
     .capacity = 4,
     .arrange = arrange_two_jobs,
     .actors = {drain_and_stop_executor}},
    {.name = "executor_drain_against_submit",
     .thread_count = 1,
     .capacity = 4,
     .actors = {submit_two_jobs, drain_and_stop_executor}},
};

const char fil_suite_name[] = "pool";

uint32_t fil_suite_case_count(void)
{
    return FIL_COUNT_OF(pools) + FIL_COUNT_OF(executors);
}

static const struct pool_case *case_at(uint32_t index)
{
    return index < FIL_COUNT_OF(pools) ? &pools[index] : &executors[index - FIL_COUNT_OF(pools)];
}

const char *fil_suite_case_name(uint32_t index)
{
    return case_at(index)->name;
}

struct fil_explorer_result fil_suite_case_run(uint32_t index)
{
    struct pool_case now = *case_at(index);
    bool is_pool = index < FIL_COUNT_OF(pools);
    struct fil_explorer_case explored = {
        .name = now.name,
        .set_up = is_pool ? set_up_pool : set_up_executor,
        .check = is_pool ? check_pool : check_executor,
        .context = &now,
        .interruptions_max = now.interruptions_max,
    };
    return fil_explorer_run(&explored);
}
