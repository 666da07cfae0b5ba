// SPDX-License-Identifier: Apache-2.0
/**
 * Generic pool and executors, step by step: every order of a few threads, up to a number of
 * interruptions. Promises: whoever pushes while workers go to sleep, each task is run once and
 * nobody sleeps while there is work; two tasks that need each other get two workers; priority work
 * reaches the reserved thread or a worker; tasks that did not fit the queue are run too. A job that
 * is submitted, cancelled and taken at the same time ends once, as its canceller was told; one that
 * races with stop is refused or ends; a submitter that waits for room is woken when there is some;
 * who waits for the end of a drain is told.
 */
#include "core/exec/executor.h"
#include "core/exec/generic.h"
#include "filbert/error.h"
#include "tests/unit/core/exec/hand_clock.h"
#include "tests/unit/core/exec/orders.h"
#include "tests/unit/harness.h"

#define TASKS 4U

static struct hand_clock hand_clock;

static void check_outcome(const struct orders_case *explored)
{
    struct orders_outcome outcome = orders_play(explored);
    print_message("%u orders\n", outcome.order_count);
    assert_false(outcome.is_stuck);
    assert_false(outcome.is_wrong);
    assert_true(outcome.order_count > 500);
}

// The generic pool.

struct counted_task {
    struct fil_task task;
    uint32_t run_count;
};

static struct fil_generic generic;
static struct counted_task tasks[TASKS];
static uint32_t ran_count;
static uint32_t wanted_count;
static uint32_t met_count;

static void run_task(struct fil_task *task)
{
    orders_step();
    FIL_CONTAINER_OF(task, struct counted_task, task)->run_count++;
    ran_count++;
}

static bool have_all_met(void)
{
    return met_count == wanted_count;
}

static void meet(struct fil_task *task)
{
    met_count++;
    orders_wait_until(have_all_met);
    run_task(task);
}

static bool has_all_run(void)
{
    return ran_count == wanted_count;
}

static void stop_pool(void *context)
{
    (void)context;
    orders_wait_until(has_all_run);
    fil_generic_stop(&generic);
}

static void submit_first(void *context)
{
    (void)context;
    fil_generic_submit(&generic, &tasks[0].task);
    fil_generic_submit(&generic, &tasks[1].task);
}

static void submit_second(void *context)
{
    (void)context;
    fil_generic_submit(&generic, &tasks[2].task);
}

static void submit_urgent(void *context)
{
    (void)context;
    fil_generic_submit_priority(&generic, &tasks[3].task);
}

static void submit_three(void *context)
{
    submit_first(context);
    submit_second(context);
}

static void start_pool(uint32_t task_count)
{
    ran_count = 0;
    met_count = 0;
    wanted_count = task_count;
    for (uint32_t i = 0; i < TASKS; i++) {
        tasks[i] = (struct counted_task){.task.run = run_task};
    }
    assert_int_equal(fil_generic_start(&generic), FIL_OK);
    orders_add(stop_pool, NULL);
}

static bool tear_down_pool(void)
{
    uint32_t once_count = 0;
    for (uint32_t i = 0; i < TASKS; i++) {
        once_count += tasks[i].run_count == 1;
    }
    return once_count == wanted_count && ran_count == wanted_count;
}

/** One pool for all orders: it is empty and stopped after each. */
static void check_pool(uint32_t worker_count, void (*set_up)(void))
{
    hand_clock_init(&hand_clock);
    struct fil_generic_options options = {.env = &hand_clock.env,
                                          .worker_count = worker_count,
                                          .capacity = 2,
                                          .priority_capacity = 2,
                                          .idle = FIL_IDLE_KIND_BLOCK};
    assert_int_equal(fil_generic_init(&generic, &options), FIL_OK);
    check_outcome(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up, .tear_down = tear_down_pool});
    fil_generic_fini(&generic);
}

static void set_up_two_producers(void)
{
    start_pool(3);
    orders_add(submit_first, NULL);
    orders_add(submit_second, NULL);
}

static void test_no_task_is_forgotten(void **state)
{
    (void)state;
    check_pool(1, set_up_two_producers);
}

static void set_up_two_tasks(void)
{
    start_pool(2);
    orders_add(submit_first, NULL);
}

static void set_up_meeting(void)
{
    set_up_two_tasks();
    tasks[0].task.run = meet;
    tasks[1].task.run = meet;
}

static void test_tasks_that_need_each_other_get_two_workers(void **state)
{
    (void)state;
    check_pool(2, set_up_meeting);
}

static void set_up_priority(void)
{
    start_pool(2);
    orders_add(submit_second, NULL);
    orders_add(submit_urgent, NULL);
}

static void test_priority_work_is_not_forgotten(void **state)
{
    (void)state;
    check_pool(1, set_up_priority);
}

static bool has_urgent_run(void)
{
    return tasks[3].run_count == 1;
}

static void wait_for_urgent(struct fil_task *task)
{
    orders_wait_until(has_urgent_run);
    run_task(task);
}

static void set_up_busy_worker(void)
{
    set_up_priority();
    // While the only worker waits here, nobody but the reserved thread can help it.
    tasks[2].task.run = wait_for_urgent;
}

static void test_priority_work_passes_busy_workers(void **state)
{
    (void)state;
    check_pool(1, set_up_busy_worker);
}

static void set_up_overflow(void)
{
    start_pool(3);
    orders_add(submit_three, NULL);
}

static void test_tasks_that_did_not_fit_are_run_too(void **state)
{
    (void)state;
    check_pool(2, set_up_overflow);
}

// An executor.

struct counted_job {
    struct fil_job job;
    uint32_t run_count;
    uint32_t cancel_count;
    int error; // of submit
    bool is_cancelled;
};

static struct fil_executor executor;
static struct counted_job jobs[TASKS];
static uint32_t submitter_count; // that have not ended
static int drain_error;

static void run_job(struct fil_job *job)
{
    orders_step();
    FIL_CONTAINER_OF(job, struct counted_job, job)->run_count++;
    ran_count++;
}

static void cancel_job(struct fil_job *job)
{
    orders_step();
    FIL_CONTAINER_OF(job, struct counted_job, job)->cancel_count++;
    ran_count++;
}

static const struct fil_job_ops job_ops = {.run = run_job, .cancel = cancel_job};

static void start_executor(uint32_t thread_count, uint32_t capacity)
{
    hand_clock_init(&hand_clock);
    ran_count = 0;
    submitter_count = 0;
    drain_error = FIL_OK;
    for (uint32_t i = 0; i < TASKS; i++) {
        jobs[i] = (struct counted_job){.error = FIL_E_FULL};
        fil_job_init(&jobs[i].job, &job_ops);
    }
    struct fil_executor_options options = {.env = &hand_clock.env,
                                           .name = "test",
                                           .thread_count = thread_count,
                                           .capacity = capacity,
                                           .policy = FIL_EXECUTOR_WAIT,
                                           .wait_timeout_ns = 1000,
                                           .idle = FIL_IDLE_KIND_BLOCK};
    assert_int_equal(fil_executor_init(&executor, &options), FIL_OK);
    assert_int_equal(fil_executor_start(&executor), FIL_OK);
}

/** Every job ended as often as it was taken; and a cancel that was granted is what happened. */
static bool tear_down_executor(void)
{
    bool is_right = !orders_has_time_passed();
    for (uint32_t i = 0; i < TASKS; i++) {
        const struct counted_job *job = &jobs[i];
        is_right = is_right && job->run_count + job->cancel_count == (job->error == FIL_OK);
        is_right = is_right && (!job->is_cancelled || job->cancel_count == 1);
    }
    fil_executor_fini(&executor);
    return is_right && drain_error == FIL_OK;
}

static void submit_job(struct counted_job *job)
{
    job->error = fil_executor_submit(&executor, &job->job);
}

static void submit_two_jobs(void *context)
{
    (void)context;
    submit_job(&jobs[0]);
    submit_job(&jobs[1]);
    submitter_count--;
}

static void submit_another_job(void *context)
{
    (void)context;
    submit_job(&jobs[2]);
    submitter_count--;
}

static void cancel_jobs(void *context)
{
    (void)context;
    jobs[0].is_cancelled = fil_executor_cancel(&jobs[0].job);
    jobs[1].is_cancelled = fil_executor_cancel(&jobs[1].job);
}

static bool have_submitters_ended(void)
{
    return submitter_count == 0;
}

static bool have_all_jobs_ended(void)
{
    uint32_t taken_count = 0;
    for (uint32_t i = 0; i < TASKS; i++) {
        taken_count += jobs[i].error == FIL_OK;
    }
    return have_submitters_ended() && ran_count == taken_count;
}

/** When all is done: so that a lost wake-up is not made good by the stop. */
static void stop_executor_late(void *context)
{
    (void)context;
    orders_wait_until(have_all_jobs_ended);
    fil_executor_stop(&executor);
}

static void stop_executor_now(void *context)
{
    (void)context;
    fil_executor_stop(&executor);
    orders_wait_until(have_submitters_ended);
}

static void drain_and_stop_executor(void *context)
{
    (void)context;
    drain_error = fil_executor_drain_wait(&executor, 1000);
    if (!fil_executor_is_idle(&executor)) {
        drain_error = FIL_E_BROKEN;
    }
    orders_wait_until(have_submitters_ended);
    fil_executor_stop(&executor);
}

static void set_up_cancel(void)
{
    start_executor(1, 4);
    submitter_count = 1;
    orders_add(submit_two_jobs, NULL);
    orders_add(cancel_jobs, NULL);
    orders_add(stop_executor_late, NULL);
}

static void test_cancelled_job_ends_once_and_as_told(void **state)
{
    (void)state;
    check_outcome(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_cancel, .tear_down = tear_down_executor});
}

static void set_up_stop(void)
{
    start_executor(1, 4);
    submitter_count = 2;
    orders_add(submit_two_jobs, NULL);
    orders_add(submit_another_job, NULL);
    orders_add(stop_executor_now, NULL);
}

static void test_job_that_races_with_stop_is_refused_or_ends(void **state)
{
    (void)state;
    check_outcome(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_stop, .tear_down = tear_down_executor});
}

static void set_up_room(void)
{
    start_executor(1, 1);
    submitter_count = 2;
    orders_add(submit_two_jobs, NULL);
    orders_add(submit_another_job, NULL);
    orders_add(stop_executor_late, NULL);
}

/** A waiter that is not woken goes on by its time at the end, and that is seen. */
static void test_submitter_that_waits_is_woken(void **state)
{
    (void)state;
    check_outcome(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_room, .tear_down = tear_down_executor});
}

static void set_up_drain(void)
{
    start_executor(2, 4);
    submitter_count = 1;
    orders_add(submit_two_jobs, NULL);
    orders_add(drain_and_stop_executor, NULL);
}

static void test_end_of_a_drain_is_told(void **state)
{
    (void)state;
    check_outcome(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_drain, .tear_down = tear_down_executor});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_task_is_forgotten),
        cmocka_unit_test(test_tasks_that_need_each_other_get_two_workers),
        cmocka_unit_test(test_priority_work_is_not_forgotten),
        cmocka_unit_test(test_priority_work_passes_busy_workers),
        cmocka_unit_test(test_tasks_that_did_not_fit_are_run_too),
        cmocka_unit_test(test_cancelled_job_ends_once_and_as_told),
        cmocka_unit_test(test_job_that_races_with_stop_is_refused_or_ends),
        cmocka_unit_test(test_submitter_that_waits_is_woken),
        cmocka_unit_test(test_end_of_a_drain_is_told),
    };
    return cmocka_run_group_tests_name("pool_interleave", tests, NULL, NULL);
}
