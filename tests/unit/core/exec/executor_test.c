// SPDX-License-Identifier: Apache-2.0
/**
 * Named executors, one test a promise.
 *
 * Driven from one thread: jobs run in order; a full queue refuses, exactly at its capacity; a
 * cancelled job is told so instead of run, by its canceller, and cancelled once; it gives its place
 * back at once and leaves the order of the others as it is; a job whose deadline passed expires; a
 * job may be submitted again by its own end; a draining executor refuses jobs and runs what it has;
 * a stopped one cancels it; tasks sent to the target are always run; who must not block is told so;
 * times and counts are exact; nothing is allocated after init; options out of range and a failing
 * heap are errors.
 *
 * With threads: a submitter waits for room and gets it; it waits no longer than it may; drain ends
 * its wait; drain_wait returns when all is done; one executor's slow jobs do not delay another's.
 */
#include "core/exec/executor.h"

#include <pthread.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/core/exec/hand_clock.h"
#include "tests/unit/harness.h"

#define CAPACITY 5U
#define JOBS     32U
#define LONG_NS  UINT64_C(3600000000000) // longer than any test may take

enum end {
    RAN = 1,
    CANCELLED,
    EXPIRED,
};

struct numbered_job {
    struct fil_job job;
    uint32_t number;
};

static struct hand_clock hand_clock;
static struct fil_executor executor;
static struct numbered_job jobs[JOBS];
static uint32_t ended_numbers[JOBS * 4];
static enum end ends[JOBS * 4];
static uint32_t end_count;

static void note_end(struct fil_job *job, enum end end)
{
    ended_numbers[end_count] = FIL_CONTAINER_OF(job, struct numbered_job, job)->number;
    ends[end_count] = end;
    end_count++;
}

static void note_run(struct fil_job *job)
{
    note_end(job, RAN);
}

static void note_cancel(struct fil_job *job)
{
    note_end(job, CANCELLED);
}

static void note_expire(struct fil_job *job)
{
    note_end(job, EXPIRED);
}

static const struct fil_job_ops note_ops = {
    .run = note_run, .cancel = note_cancel, .expire = note_expire};

static int init_with(struct fil_env *env, enum fil_executor_policy policy, uint64_t timeout_ns)
{
    return fil_executor_init(&executor,
                             &(struct fil_executor_options){.env = env,
                                                            .name = "reports",
                                                            .thread_count = 2,
                                                            .capacity = CAPACITY,
                                                            .policy = policy,
                                                            .wait_timeout_ns = timeout_ns,
                                                            .idle = FIL_IDLE_KIND_BLOCK});
}

static int set_up(void **state)
{
    (void)state;
    hand_clock_init(&hand_clock);
    fil_role_enter(&fil_role_executor);
    end_count = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        jobs[i].number = i;
        fil_job_init(&jobs[i].job, &note_ops);
    }
    return init_with(&hand_clock.env, FIL_EXECUTOR_REJECT, 0);
}

static int tear_down(void **state)
{
    (void)state;
    fil_executor_fini(&executor);
    fil_role_leave_all();
    return 0;
}

static void submit(uint32_t number)
{
    assert_int_equal(fil_executor_submit(&executor, &jobs[number].job), FIL_OK);
}

static void run_all(void) FIL_RUNS_ON(executor)
{
    while (fil_executor_cycle(&executor, 0) > 0) {
    }
}

static void check_end(uint32_t place, uint32_t number, enum end end)
{
    assert_true(place < end_count);
    assert_int_equal(ended_numbers[place], number);
    assert_int_equal(ends[place], end);
}

static uint32_t task_count;
static bool was_current;

static void count_task(struct fil_task *task)
{
    (void)task;
    task_count++;
    was_current = executor.target.ops->is_current(&executor.target);
}

static void test_jobs_run_in_order(void **state)
{
    (void)state;
    fil_role_assert_executor();
    assert_string_equal(fil_executor_name(&executor), "reports");
    for (uint32_t i = 0; i < CAPACITY; i++) {
        submit(i);
    }
    assert_false(fil_executor_is_idle(&executor));
    run_all();
    assert_int_equal(end_count, CAPACITY);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        check_end(i, i, RAN);
    }
    assert_true(fil_executor_is_idle(&executor));
}

static void test_full_queue_refuses_at_its_capacity(void **state)
{
    (void)state;
    static struct fil_executor_stats stats;
    fil_role_assert_executor();
    for (uint32_t i = 0; i < CAPACITY; i++) {
        submit(i);
    }
    assert_int_equal(fil_executor_submit(&executor, &jobs[10].job), FIL_E_FULL);
    fil_executor_read(&executor, &stats);
    assert_int_equal(stats.queue_length, CAPACITY);
    assert_int_equal(stats.rejected_count, 1);
    assert_int_equal(stats.submitted_count, CAPACITY);
    run_all();
    submit(10);
    run_all();
    check_end(CAPACITY, 10, RAN);
}

static void test_cancelled_job_is_told_instead_of_run(void **state)
{
    (void)state;
    static struct fil_executor_stats stats;
    fil_role_assert_executor();
    assert_false(fil_executor_cancel(&jobs[1].job)); // was never submitted
    submit(0);
    submit(1);
    submit(2);
    assert_true(fil_executor_cancel(&jobs[1].job));
    check_end(0, 1, CANCELLED); // by the canceller
    assert_false(fil_executor_cancel(&jobs[1].job));
    run_all();
    check_end(1, 0, RAN);
    check_end(2, 2, RAN);
    assert_int_equal(end_count, 3);
    assert_false(fil_executor_cancel(&jobs[0].job)); // has run
    fil_executor_read(&executor, &stats);
    assert_int_equal(stats.cancelled_count, 1);
    assert_int_equal(stats.run_count, 2);
    assert_int_equal(stats.queue_length, 0);
}

/** Nobody has taken anything meanwhile: the threads may be busy. */
static void test_one_that_is_taken_back_makes_room_at_once(void **state)
{
    (void)state;
    static struct fil_executor_stats stats;
    fil_role_assert_executor();
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < CAPACITY; i++) {
            submit(i);
        }
        assert_int_equal(fil_executor_submit(&executor, &jobs[10].job), FIL_E_FULL);
        for (uint32_t i = 0; i < CAPACITY; i++) {
            uint32_t number = (i + round) % CAPACITY; // the first, the last, one between
            assert_true(i % 2 == 0 ? fil_executor_cancel(&jobs[number].job)
                                   : fil_executor_expire(&jobs[number].job));
            fil_executor_read(&executor, &stats);
            assert_int_equal(stats.queue_length, CAPACITY - i - 1);
        }
        assert_true(fil_executor_is_idle(&executor));
        end_count = 0;
    }
    assert_int_equal(fil_executor_cycle(&executor, 0), 0); // nothing was left behind
    assert_int_equal(stats.cancelled_count, 300);
    assert_int_equal(stats.expired_count, 200);
    assert_int_equal(stats.rejected_count, 100);
    assert_int_equal(stats.submitted_count, 500);
    assert_int_equal(stats.run_count, 0);
    assert_int_equal(stats.running_count, 0);
}

static void test_the_others_keep_their_order(void **state)
{
    (void)state;
    fil_role_assert_executor();
    task_count = 0;
    struct fil_task task = {.run = count_task};
    submit(0);
    submit(1);
    fil_target_submit(&executor.target, &task);
    submit(2);
    submit(3);
    assert_true(fil_executor_cancel(&jobs[2].job)); // behind a task
    assert_true(fil_executor_cancel(&jobs[1].job)); // before it
    submit(4);
    submit(1);
    assert_true(fil_executor_cancel(&jobs[0].job)); // the first
    assert_true(fil_executor_cancel(&jobs[1].job)); // the last
    submit(5);
    end_count = 0;
    run_all();
    assert_int_equal(task_count, 1);
    assert_int_equal(end_count, 3);
    check_end(0, 3, RAN);
    check_end(1, 4, RAN);
    check_end(2, 5, RAN);
}

static void test_job_expires_after_its_deadline(void **state)
{
    (void)state;
    static struct fil_executor_stats stats;
    fil_role_assert_executor();
    jobs[0].job.deadline_ns = hand_clock.now_ns + 10;
    jobs[1].job.deadline_ns = hand_clock.now_ns + 11;
    jobs[2].job.deadline_ns = hand_clock.now_ns + 10;
    submit(0);
    submit(1);
    submit(2);
    assert_true(fil_executor_cancel(&jobs[2].job));
    hand_clock.now_ns += 10;
    run_all();
    check_end(0, 2, CANCELLED); // it was so before its time was over
    check_end(1, 0, EXPIRED);
    check_end(2, 1, RAN);
    fil_executor_read(&executor, &stats);
    assert_int_equal(stats.expired_count, 1);
    assert_int_equal(stats.run_count, 1);
}

static uint32_t rounds_left;

static void run_again(struct fil_job *job)
{
    note_end(job, RAN);
    assert_false(fil_executor_cancel(job)); // it has begun
    if (rounds_left > 0) {
        rounds_left--;
        assert_int_equal(fil_executor_submit(&executor, job), FIL_OK);
    }
}

static void cancel_again(struct fil_job *job)
{
    note_end(job, CANCELLED);
    assert_int_equal(fil_executor_submit(&executor, job), FIL_OK);
}

static void test_job_may_be_submitted_again_by_its_end(void **state)
{
    (void)state;
    static const struct fil_job_ops ops = {.run = run_again, .cancel = cancel_again};
    fil_role_assert_executor();
    fil_job_init(&jobs[0].job, &ops);
    rounds_left = 3;
    submit(0);
    assert_true(fil_executor_cancel(&jobs[0].job));
    run_all();
    check_end(0, 0, CANCELLED);
    for (uint32_t i = 1; i <= 4; i++) {
        check_end(i, 0, RAN);
    }
    assert_int_equal(end_count, 5);
}

static void test_draining_executor_refuses_and_finishes(void **state)
{
    (void)state;
    static struct fil_executor_stats stats;
    fil_role_assert_executor();
    submit(0);
    submit(1);
    fil_executor_drain(&executor);
    assert_int_equal(fil_executor_submit(&executor, &jobs[2].job), FIL_E_STOPPING);
    assert_false(fil_executor_is_idle(&executor));
    run_all();
    assert_true(fil_executor_is_idle(&executor));
    assert_int_equal(end_count, 2);
    check_end(1, 1, RAN);
    fil_executor_read(&executor, &stats);
    assert_int_equal(stats.refused_count, 1);
    fil_executor_stop(&executor);
}

static void test_stopped_executor_cancels_what_is_queued(void **state)
{
    (void)state;
    submit(0);
    submit(1);
    fil_executor_stop(&executor);
    assert_int_equal(end_count, 2);
    check_end(0, 0, CANCELLED);
    check_end(1, 1, CANCELLED);
    assert_int_equal(fil_executor_submit(&executor, &jobs[2].job), FIL_E_STOPPING);
    assert_true(fil_executor_is_idle(&executor));
}

static void test_tasks_are_always_taken_and_run(void **state)
{
    (void)state;
    static struct fil_executor_stats stats;
    fil_role_assert_executor();
    task_count = 0;
    struct fil_task tasks[20];
    for (uint32_t i = 0; i < 20; i++) {
        tasks[i] = (struct fil_task){.run = count_task};
        fil_target_submit(&executor.target, &tasks[i]);
    }
    // They count: new work is refused.
    assert_int_equal(fil_executor_submit(&executor, &jobs[0].job), FIL_E_FULL);
    run_all();
    assert_int_equal(task_count, 20);
    assert_true(was_current);
    assert_false(executor.target.ops->is_current(&executor.target));
    // Also by one that stops.
    fil_target_submit(&executor.target, &tasks[0]);
    fil_executor_stop(&executor);
    assert_int_equal(task_count, 21);
    fil_executor_read(&executor, &stats);
    assert_int_equal(stats.run_count, 21);
    assert_int_equal(stats.cancelled_count, 0);
}

static void submit_from_inside(struct fil_job *job)
{
    note_end(job, RAN);
    for (uint32_t i = 1; i <= CAPACITY; i++) {
        assert_int_equal(fil_executor_submit(&executor, &jobs[i].job), FIL_OK);
    }
    // All its threads might wait here, and nobody would make room.
    assert_int_equal(fil_executor_submit(&executor, &jobs[10].job), FIL_E_WOULD_BLOCK);
    assert_int_equal(fil_executor_drain_wait(&executor, 1), FIL_E_WOULD_BLOCK);
}

static void test_who_must_not_block_is_told_so(void **state)
{
    (void)state;
    static const struct fil_job_ops ops = {.run = submit_from_inside, .cancel = note_cancel};
    static const struct fil_role *const roles[] = {&fil_role_io, &fil_role_partition,
                                                   &fil_role_acceptor, &fil_role_event};
    fil_executor_fini(&executor);
    assert_int_equal(init_with(&hand_clock.env, FIL_EXECUTOR_WAIT, LONG_NS), FIL_OK);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        submit(i);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(roles); i++) {
        fil_role_leave_all();
        fil_role_enter(roles[i]);
        assert_int_equal(fil_executor_submit(&executor, &jobs[10].job), FIL_E_WOULD_BLOCK);
        assert_int_equal(fil_executor_drain_wait(&executor, 1), FIL_E_WOULD_BLOCK);
    }
    fil_role_leave_all();
    fil_role_enter(&fil_role_executor);
    fil_role_assert_executor();
    run_all();
    fil_job_init(&jobs[0].job, &ops);
    submit(0);
    run_all();
    assert_int_equal(end_count, 2 * CAPACITY + 1);
}

static void take_time(struct fil_job *job)
{
    hand_clock.now_ns += 70;
    note_end(job, RAN);
}

static void test_times_and_counts_are_exact(void **state)
{
    (void)state;
    static const struct fil_job_ops ops = {.run = take_time, .cancel = note_cancel};
    static struct fil_executor_stats stats;
    fil_role_assert_executor();
    for (uint32_t i = 0; i < 3; i++) {
        fil_job_init(&jobs[i].job, &ops);
        submit(i);
    }
    hand_clock.now_ns += 20;
    run_all();
    fil_executor_read(&executor, &stats);
    struct fil_meter *meter = &stats.crew.meter;
    assert_int_equal(fil_histogram_count(&meter->service_ns), 3);
    assert_int_equal(fil_histogram_sum(&meter->service_ns), 210);
    assert_int_equal(fil_histogram_count(&meter->wait_ns), 1);
    assert_int_equal(fil_histogram_sum(&meter->wait_ns), 20);
    assert_int_equal(fil_counter_read(&meter->busy_ns), 210);
    assert_int_equal(fil_counter_read(&meter->item_count), 3);
    assert_int_equal(stats.submitted_count, 3);
    assert_int_equal(stats.run_count, 3);
    assert_int_equal(stats.running_count, 0);
}

static void test_nothing_is_allocated_after_init(void **state)
{
    (void)state;
    fil_role_assert_executor();
    uint64_t before = fil_alloc_count();
    for (uint32_t round = 0; round < 100; round++) {
        end_count = 0;
        for (uint32_t i = 0; i < CAPACITY; i++) {
            submit(i);
        }
        run_all();
        assert_int_equal(end_count, CAPACITY);
    }
    assert_int_equal(fil_alloc_count(), before);
}

static void test_bad_options_and_failing_heap_are_errors(void **state)
{
    (void)state;
    struct fil_executor other;
    struct fil_executor_options good = {.env = fil_env_real(),
                                        .name =
                                            "a name that is much longer than what is kept of it",
                                        .thread_count = 1,
                                        .capacity = 1};
    struct fil_executor_options bad = good;
    bad.thread_count = 0;
    assert_int_equal(fil_executor_init(&other, &bad), FIL_E_INVALID);
    bad.thread_count = FIL_CREW_MEMBERS_MAX + 1;
    assert_int_equal(fil_executor_init(&other, &bad), FIL_E_INVALID);
    bad = good;
    bad.capacity = 0;
    assert_int_equal(fil_executor_init(&other, &bad), FIL_E_INVALID);
    int error = FIL_E_NOMEM;
    int64_t fault = 0;
    for (; error == FIL_E_NOMEM; fault++) {
        fil_alloc_fail_after(fault);
        error = fil_executor_init(&other, &good);
        fil_alloc_fail_after(-1);
    }
    assert_int_equal(error, FIL_OK);
    assert_int_equal(fault, 2);
    assert_int_equal(strlen(fil_executor_name(&other)), FIL_EXECUTOR_NAME_MAX - 1);
    fil_executor_fini(&other);
}

// With threads.

static _Atomic uint32_t done_count;
static _Atomic uint32_t gate_count; // jobs that have come to the gate
static _Atomic uint32_t is_gate_open;

static void wait_for(_Atomic uint32_t *count, uint32_t wanted)
{
    while (atomic_load_explicit(count, memory_order_acquire) < wanted) {
        fil_thread_yield();
    }
}

static void count_done(struct fil_job *job)
{
    (void)job;
    atomic_fetch_add_explicit(&done_count, 1, memory_order_acq_rel);
}

static void wait_at_gate(struct fil_job *job)
{
    atomic_fetch_add_explicit(&gate_count, 1, memory_order_acq_rel);
    wait_for(&is_gate_open, 1);
    count_done(job);
}

static const struct fil_job_ops gate_ops = {.run = wait_at_gate, .cancel = count_done};

static int start_waiting(uint64_t timeout_ns)
{
    atomic_store_explicit(&done_count, 0, memory_order_relaxed);
    atomic_store_explicit(&gate_count, 0, memory_order_relaxed);
    atomic_store_explicit(&is_gate_open, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < JOBS; i++) {
        fil_job_init(&jobs[i].job, &gate_ops);
    }
    return init_with(fil_env_real(), FIL_EXECUTOR_WAIT, timeout_ns) != FIL_OK ||
           fil_executor_start(&executor) != FIL_OK;
}

static int set_up_threads(void **state)
{
    (void)state;
    return start_waiting(LONG_NS);
}

static int set_up_impatient_threads(void **state)
{
    (void)state;
    return start_waiting(1000000);
}

static int tear_down_threads(void **state)
{
    (void)state;
    fil_executor_stop(&executor);
    fil_executor_fini(&executor);
    return 0;
}

/** Two jobs at the gate, and as many queued as there may be. */
static void fill(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        submit(i);
    }
    wait_for(&gate_count, 2);
    for (uint32_t i = 2; i < 2 + CAPACITY; i++) {
        submit(i);
    }
}

static void *submit_one(void *context)
{
    int *error = context;
    *error = fil_executor_submit(&executor, &jobs[JOBS - 1].job);
    return NULL;
}

static pthread_t start_submitter(int *error)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, submit_one, error), 0);
    while (atomic_load_explicit(&executor.room.waiter_count, memory_order_acquire) == 0) {
        fil_thread_yield();
    }
    return thread;
}

static void open_gate(void)
{
    atomic_store_explicit(&is_gate_open, 1, memory_order_release);
}

static void test_submitter_waits_for_room(void **state)
{
    (void)state;
    int error = 1;
    fill();
    pthread_t thread = start_submitter(&error);
    open_gate();
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(error, FIL_OK);
    wait_for(&done_count, 2 + CAPACITY + 1);
    assert_int_equal(fil_counter_read(&executor.waited_count), 1);
}

static void test_submitter_waits_no_longer_than_it_may(void **state)
{
    (void)state;
    fill();
    assert_int_equal(fil_executor_submit(&executor, &jobs[JOBS - 1].job), FIL_E_FULL);
    assert_int_equal(fil_counter_read(&executor.rejected_count), 1);
    open_gate();
    wait_for(&done_count, 2 + CAPACITY);
}

static void test_drain_ends_the_wait_of_a_submitter(void **state)
{
    (void)state;
    int error = 1;
    fill();
    pthread_t thread = start_submitter(&error);
    fil_executor_drain(&executor);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(error, FIL_E_STOPPING);
    open_gate();
    wait_for(&done_count, 2 + CAPACITY);
}

static void test_drain_wait_returns_when_all_is_done(void **state)
{
    (void)state;
    fill();
    assert_int_equal(fil_executor_drain_wait(&executor, 1000), FIL_E_TIMEOUT);
    open_gate();
    assert_int_equal(fil_executor_drain_wait(&executor, LONG_NS), FIL_OK);
    assert_int_equal(atomic_load_explicit(&done_count, memory_order_acquire), 2 + CAPACITY);
}

static void test_executors_do_not_delay_each_other(void **state)
{
    (void)state;
    static const struct fil_job_ops ops = {.run = count_done, .cancel = count_done};
    struct fil_executor other;
    struct fil_executor_options options = {
        .env = fil_env_real(), .name = "other", .thread_count = 1, .capacity = 1};
    assert_int_equal(fil_executor_init(&other, &options), FIL_OK);
    assert_int_equal(fil_executor_start(&other), FIL_OK);
    fill();
    struct fil_job job;
    fil_job_init(&job, &ops);
    for (uint32_t round = 1; round <= 100; round++) {
        assert_int_equal(fil_executor_submit(&other, &job), FIL_OK);
        wait_for(&done_count, round);
    }
    open_gate();
    fil_executor_stop(&other);
    fil_executor_fini(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_jobs_run_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_queue_refuses_at_its_capacity, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cancelled_job_is_told_instead_of_run, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_one_that_is_taken_back_makes_room_at_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_the_others_keep_their_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_job_expires_after_its_deadline, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_job_may_be_submitted_again_by_its_end, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_draining_executor_refuses_and_finishes, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_stopped_executor_cancels_what_is_queued, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_tasks_are_always_taken_and_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_must_not_block_is_told_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_times_and_counts_are_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_is_allocated_after_init, set_up, tear_down),
        cmocka_unit_test(test_bad_options_and_failing_heap_are_errors),
        cmocka_unit_test_setup_teardown(test_submitter_waits_for_room, set_up_threads,
                                        tear_down_threads),
        cmocka_unit_test_setup_teardown(test_submitter_waits_no_longer_than_it_may,
                                        set_up_impatient_threads, tear_down_threads),
        cmocka_unit_test_setup_teardown(test_drain_ends_the_wait_of_a_submitter, set_up_threads,
                                        tear_down_threads),
        cmocka_unit_test_setup_teardown(test_drain_wait_returns_when_all_is_done, set_up_threads,
                                        tear_down_threads),
        cmocka_unit_test_setup_teardown(test_executors_do_not_delay_each_other, set_up_threads,
                                        tear_down_threads),
    };
    return cmocka_run_group_tests_name("executor", tests, NULL, NULL);
}
