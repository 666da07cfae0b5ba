// SPDX-License-Identifier: Apache-2.0
/**
 * The generic pool, one test a promise.
 *
 * Driven from one thread: priority work goes first; the reserved thread takes nothing else; a full
 * queue refuses and the task stays the caller's; as a target the pool takes everything; a cycle is
 * bounded; a task knows that it runs on the pool; waits, service times and busy time are measured;
 * nothing is allocated after init; options out of range and a failing heap are errors.
 *
 * With threads: priority work is not stuck behind slow work; a push wakes one worker and only a
 * parked one; priority work wakes the reserved thread; as many tasks run side by side as there are
 * workers; stop runs what is queued and what that brings.
 */
#include "core/exec/generic.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/core/exec/hand_clock.h"
#include "tests/unit/harness.h"

#define WORKERS  3U
#define CAPACITY 8U
#define TASKS    64U

struct numbered_task {
    struct fil_task task;
    uint32_t number;
};

static struct hand_clock hand_clock;
static struct fil_generic generic;
static struct numbered_task tasks[TASKS];
static uint32_t ran[TASKS * 2];
static uint32_t ran_count;

static void note_run(struct fil_task *task)
{
    ran[ran_count] = FIL_CONTAINER_OF(task, struct numbered_task, task)->number;
    ran_count++;
}

static int init_with(struct fil_env *env)
{
    return fil_generic_init(&generic, &(struct fil_generic_options){.env = env,
                                                                    .worker_count = WORKERS,
                                                                    .capacity = CAPACITY,
                                                                    .priority_capacity = CAPACITY,
                                                                    .idle = FIL_IDLE_KIND_BLOCK});
}

static int set_up(void **state)
{
    (void)state;
    fil_role_enter(&fil_role_generic);
    hand_clock_init(&hand_clock);
    ran_count = 0;
    for (uint32_t i = 0; i < TASKS; i++) {
        tasks[i] = (struct numbered_task){.task.run = note_run, .number = i};
    }
    return init_with(&hand_clock.env);
}

static int tear_down(void **state)
{
    (void)state;
    fil_generic_fini(&generic);
    fil_role_leave_all();
    return 0;
}

static void test_priority_work_goes_first(void **state)
{
    (void)state;
    fil_role_assert_generic();
    assert_int_equal(fil_generic_submit_try(&generic, &tasks[0].task), FIL_OK);
    assert_int_equal(fil_generic_submit_try(&generic, &tasks[1].task), FIL_OK);
    assert_int_equal(fil_generic_submit_priority_try(&generic, &tasks[2].task), FIL_OK);
    assert_int_equal(fil_generic_submit_priority_try(&generic, &tasks[3].task), FIL_OK);
    assert_int_equal(fil_generic_cycle(&generic, 1), 4);
    const uint32_t expected[] = {2, 3, 0, 1};
    assert_memory_equal(ran, expected, sizeof(expected));
    assert_int_equal(fil_generic_cycle(&generic, 1), 0);
}

static void bring_priority_work(struct fil_task *task)
{
    note_run(task);
    fil_generic_submit_priority(&generic, &tasks[10].task);
}

static void test_priority_work_overtakes_within_a_cycle(void **state)
{
    (void)state;
    fil_role_assert_generic();
    tasks[0].task.run = bring_priority_work;
    fil_generic_submit(&generic, &tasks[0].task);
    fil_generic_submit(&generic, &tasks[1].task);
    assert_int_equal(fil_generic_cycle(&generic, 2), 3);
    const uint32_t expected[] = {0, 10, 1};
    assert_memory_equal(ran, expected, sizeof(expected));
}

static void test_reserved_thread_takes_priority_work_only(void **state)
{
    (void)state;
    fil_role_assert_generic();
    fil_generic_submit(&generic, &tasks[0].task);
    assert_int_equal(fil_generic_cycle(&generic, FIL_GENERIC_RESERVED), 0);
    fil_generic_submit_priority(&generic, &tasks[1].task);
    assert_int_equal(fil_generic_cycle(&generic, FIL_GENERIC_RESERVED), 1);
    assert_int_equal(ran[0], 1);
    assert_int_equal(fil_generic_cycle(&generic, 1), 1);
    assert_int_equal(ran[1], 0);
}

static void test_full_queue_refuses_and_counts(void **state)
{
    (void)state;
    static struct fil_generic_stats stats;
    fil_role_assert_generic();
    for (uint32_t i = 0; i < CAPACITY; i++) {
        assert_int_equal(fil_generic_submit_try(&generic, &tasks[i].task), FIL_OK);
        assert_int_equal(fil_generic_submit_priority_try(&generic, &tasks[CAPACITY + i].task),
                         FIL_OK);
    }
    assert_int_equal(fil_generic_submit_try(&generic, &tasks[60].task), FIL_E_FULL);
    assert_int_equal(fil_generic_submit_try(&generic, &tasks[60].task), FIL_E_FULL);
    assert_int_equal(fil_generic_submit_priority_try(&generic, &tasks[61].task), FIL_E_FULL);
    fil_generic_read(&generic, &stats);
    assert_int_equal(stats.queue_length, CAPACITY);
    assert_int_equal(stats.priority_queue_length, CAPACITY);
    assert_int_equal(stats.refused_count, 2);
    assert_int_equal(stats.priority_refused_count, 1);
    while (fil_generic_cycle(&generic, 1) > 0) {
    }
    assert_int_equal(ran_count, 2 * CAPACITY);
    assert_int_equal(fil_generic_submit_try(&generic, &tasks[60].task), FIL_OK);
    assert_int_equal(fil_generic_cycle(&generic, 1), 1);
    assert_int_equal(ran[2 * CAPACITY], 60);
}

static void test_target_takes_everything(void **state)
{
    (void)state;
    static struct fil_generic_stats stats;
    fil_role_assert_generic();
    for (uint32_t i = 0; i < TASKS; i++) {
        struct fil_target *target = i % 2 == 0 ? &generic.target : &generic.priority_target;
        fil_target_submit(target, &tasks[i].task);
    }
    fil_generic_read(&generic, &stats);
    assert_int_equal(stats.overflow_count, TASKS - 2 * CAPACITY);
    assert_int_equal(stats.queue_length + stats.priority_queue_length, TASKS);
    while (fil_generic_cycle(&generic, 1) > 0) {
    }
    assert_int_equal(ran_count, TASKS);
    for (uint32_t i = 0; i < TASKS / 2; i++) {
        assert_int_equal(ran[i], 2 * i + 1); // the odd ones had priority
        assert_int_equal(ran[TASKS / 2 + i], 2 * i);
    }
}

static void test_cycle_is_bounded(void **state)
{
    (void)state;
    fil_role_assert_generic();
    for (uint32_t i = 0; i < TASKS; i++) {
        fil_generic_submit(&generic, &tasks[i].task);
    }
    uint32_t moved = fil_generic_cycle(&generic, 1);
    assert_true(moved > 0);
    assert_true(moved < TASKS);
    assert_int_equal(ran_count, moved);
    while (fil_generic_cycle(&generic, 2) > 0) {
    }
    assert_int_equal(ran_count, TASKS);
}

static bool was_current;
static bool was_priority_current;

static void ask_target(struct fil_task *task)
{
    (void)task;
    was_current = generic.target.ops->is_current(&generic.target);
    was_priority_current = generic.priority_target.ops->is_current(&generic.priority_target);
}

static void test_task_knows_that_it_runs_on_the_pool(void **state)
{
    (void)state;
    fil_role_assert_generic();
    tasks[0].task.run = ask_target;
    fil_generic_submit(&generic, &tasks[0].task);
    assert_false(generic.target.ops->is_current(&generic.target));
    assert_int_equal(fil_generic_cycle(&generic, 1), 1);
    assert_true(was_current);
    assert_true(was_priority_current);
    assert_false(generic.target.ops->is_current(&generic.target));
}

static void take_time(struct fil_task *task)
{
    (void)task;
    hand_clock.now_ns += 50;
}

static void test_times_are_measured(void **state)
{
    (void)state;
    static struct fil_generic_stats stats;
    fil_role_assert_generic();
    for (uint32_t i = 0; i < 4; i++) {
        tasks[i].task.run = take_time;
        fil_generic_submit(&generic, &tasks[i].task);
    }
    hand_clock.now_ns += 40;
    assert_int_equal(fil_generic_cycle(&generic, 1), 4);
    fil_generic_read(&generic, &stats);
    struct fil_meter *meter = &stats.crew.meter;
    assert_int_equal(fil_counter_read(&meter->busy_ns), 200);
    assert_int_equal(fil_counter_read(&meter->item_count), 4);
    assert_int_equal(fil_counter_read(&meter->cycle_count), 1);
    // One task of a cycle is timed, one of a queue is followed on its way.
    assert_int_equal(fil_histogram_count(&meter->service_ns), 1);
    assert_int_equal(fil_histogram_sum(&meter->service_ns), 50);
    assert_int_equal(fil_histogram_count(&meter->wait_ns), 1);
    assert_int_equal(fil_histogram_sum(&meter->wait_ns), 40);
    // The next cycle's first push is followed again.
    fil_generic_submit(&generic, &tasks[0].task);
    hand_clock.now_ns += 5;
    assert_int_equal(fil_generic_cycle(&generic, 2), 1);
    fil_generic_read(&generic, &stats);
    assert_int_equal(fil_histogram_sum(&meter->wait_ns), 45);
    assert_int_equal(stats.crew.member_count, WORKERS + 1);
}

static void test_nothing_is_allocated_after_init(void **state)
{
    (void)state;
    fil_role_assert_generic();
    uint64_t before = fil_alloc_count();
    for (uint32_t round = 0; round < 100; round++) {
        ran_count = 0;
        for (uint32_t i = 0; i < TASKS; i++) {
            fil_generic_submit(&generic, &tasks[i].task);
        }
        while (fil_generic_cycle(&generic, 1) > 0) {
        }
        assert_int_equal(ran_count, TASKS);
    }
    assert_int_equal(fil_alloc_count(), before);
}

static void test_bad_options_are_errors(void **state)
{
    (void)state;
    struct fil_generic other;
    struct fil_generic_options good = fil_generic_defaults(fil_env_real(), 8);
    assert_int_equal(good.worker_count, 4);
    assert_int_equal(fil_generic_defaults(fil_env_real(), 1).worker_count, 2);
    struct fil_generic_options bad = good;
    bad.worker_count = 0;
    assert_int_equal(fil_generic_init(&other, &bad), FIL_E_INVALID);
    bad.worker_count = FIL_GENERIC_WORKERS_MAX + 1;
    assert_int_equal(fil_generic_init(&other, &bad), FIL_E_INVALID);
    bad = good;
    bad.capacity = 0;
    assert_int_equal(fil_generic_init(&other, &bad), FIL_E_INVALID);
    bad = good;
    bad.priority_capacity = FIL_MPMC_CAPACITY_MAX + 1;
    assert_int_equal(fil_generic_init(&other, &bad), FIL_E_INVALID);
    assert_int_equal(fil_generic_init(&other, &good), FIL_OK);
    fil_generic_fini(&other);
}

static void test_failing_heap_is_an_error(void **state)
{
    (void)state;
    struct fil_generic other;
    struct fil_generic_options options = fil_generic_defaults(fil_env_real(), 2);
    int error = FIL_E_NOMEM;
    int64_t fault = 0;
    for (; error == FIL_E_NOMEM; fault++) {
        fil_alloc_fail_after(fault);
        error = fil_generic_init(&other, &options);
        fil_alloc_fail_after(-1);
    }
    assert_int_equal(error, FIL_OK);
    assert_int_equal(fault, 4); // two queues and the crew
    fil_generic_fini(&other);
}

// With threads.

static _Atomic uint32_t done_count;
static _Atomic bool is_gate_open;

static int set_up_threads(void **state)
{
    (void)state;
    atomic_store_explicit(&done_count, 0, memory_order_relaxed);
    atomic_store_explicit(&is_gate_open, false, memory_order_relaxed);
    return init_with(fil_env_real()) != FIL_OK || fil_generic_start(&generic) != FIL_OK;
}

static int tear_down_threads(void **state)
{
    (void)state;
    fil_generic_stop(&generic);
    fil_generic_fini(&generic);
    return 0;
}

static void count_done(struct fil_task *task)
{
    (void)task;
    atomic_fetch_add_explicit(&done_count, 1, memory_order_acq_rel);
}

static void wait_at_gate(struct fil_task *task)
{
    while (!atomic_load_explicit(&is_gate_open, memory_order_acquire)) {
        fil_thread_yield();
    }
    count_done(task);
}

static void wait_until_done(uint32_t count)
{
    while (atomic_load_explicit(&done_count, memory_order_acquire) < count) {
        fil_thread_yield();
    }
}

static uint64_t wakes_of(uint32_t index)
{
    return atomic_load_explicit(&generic.crew.members[index].parker.wake_count,
                                memory_order_acquire);
}

/** Asleep, its last look at the queues included: it has parked once more than it was woken. */
static bool is_parked(uint32_t index)
{
    uint64_t wakes = wakes_of(index);
    return fil_counter_read(&generic.crew.members[index].park_count) == wakes + 1;
}

static void wait_until_parked(void)
{
    for (uint32_t i = 0; i <= WORKERS; i++) {
        while (!is_parked(i)) {
            fil_thread_yield();
        }
    }
}

static uint64_t all_wakes(void)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i <= WORKERS; i++) {
        count += wakes_of(i);
    }
    return count;
}

static void test_priority_work_is_not_stuck_behind_slow_work(void **state)
{
    (void)state;
    struct numbered_task slow[WORKERS + 2];
    for (uint32_t i = 0; i < WORKERS + 2; i++) {
        slow[i] = (struct numbered_task){.task.run = wait_at_gate};
        fil_generic_submit(&generic, &slow[i].task);
    }
    struct numbered_task urgent = {.task.run = count_done};
    for (uint32_t round = 1; round <= 20; round++) {
        fil_generic_submit_priority(&generic, &urgent.task);
        wait_until_done(round);
    }
    // Only the urgent ones were done so far: the slow ones stand at the gate.
    assert_int_equal(atomic_load_explicit(&done_count, memory_order_acquire), 20);
    atomic_store_explicit(&is_gate_open, true, memory_order_release);
    wait_until_done(20 + WORKERS + 2);
}

static void test_push_wakes_one_worker_and_only_a_parked_one(void **state)
{
    (void)state;
    struct numbered_task one = {.task.run = count_done};
    for (uint32_t round = 1; round <= 200; round++) {
        wait_until_parked();
        uint64_t before = all_wakes();
        fil_generic_submit(&generic, &one.task);
        wait_until_done(round);
        wait_until_parked();
        assert_int_equal(all_wakes(), before + 1);
        assert_int_equal(wakes_of(FIL_GENERIC_RESERVED), 0);
    }
    // All workers are busy: nobody is woken, the reserved thread least of all.
    struct numbered_task slow[WORKERS];
    for (uint32_t i = 0; i < WORKERS; i++) {
        slow[i] = (struct numbered_task){.task.run = wait_at_gate};
        fil_generic_submit(&generic, &slow[i].task);
    }
    while (fil_task_queue_count(&generic.normal) > 0) {
        fil_thread_yield();
    }
    uint64_t before = all_wakes();
    struct numbered_task more = {.task.run = count_done};
    fil_generic_submit(&generic, &one.task);
    fil_generic_submit(&generic, &more.task);
    assert_int_equal(all_wakes(), before);
    atomic_store_explicit(&is_gate_open, true, memory_order_release);
    wait_until_done(200 + WORKERS + 2);
}

static void test_priority_work_wakes_the_reserved_thread_first(void **state)
{
    (void)state;
    struct numbered_task one = {.task.run = count_done};
    for (uint32_t round = 1; round <= 200; round++) {
        wait_until_parked();
        fil_generic_submit_priority(&generic, &one.task);
        wait_until_done(round);
    }
    wait_until_parked();
    assert_int_equal(wakes_of(FIL_GENERIC_RESERVED), 200);
    assert_int_equal(all_wakes(), 200);
    // And any other when that one is busy.
    struct numbered_task slow = {.task.run = wait_at_gate};
    fil_generic_submit_priority(&generic, &slow.task);
    while (fil_task_queue_count(&generic.priority) > 0) {
        fil_thread_yield();
    }
    fil_generic_submit_priority(&generic, &one.task);
    wait_until_done(201);
    atomic_store_explicit(&is_gate_open, true, memory_order_release);
    wait_until_done(202);
}

static _Atomic uint32_t arrived_count;

/** Goes on when all workers are here. */
static void meet(struct fil_task *task)
{
    uint32_t here = atomic_fetch_add_explicit(&arrived_count, 1, memory_order_acq_rel);
    uint32_t wanted = (here / WORKERS + 1) * WORKERS;
    while (atomic_load_explicit(&arrived_count, memory_order_acquire) < wanted) {
        fil_thread_yield();
    }
    count_done(task);
}

/** A wake-up that is lost leaves the others waiting, and the test's time limit tells. */
static void test_as_many_tasks_run_side_by_side_as_there_are_workers(void **state)
{
    (void)state;
    struct numbered_task meeting[WORKERS];
    for (uint32_t round = 1; round <= 500; round++) {
        for (uint32_t i = 0; i < WORKERS; i++) {
            meeting[i] = (struct numbered_task){.task.run = meet};
            fil_generic_submit(&generic, &meeting[i].task);
        }
        wait_until_done(round * WORKERS);
    }
    assert_int_equal(atomic_load_explicit(&done_count, memory_order_acquire), 500 * WORKERS);
}

static void bring_another(struct fil_task *task)
{
    uint32_t number = FIL_CONTAINER_OF(task, struct numbered_task, task)->number;
    if (number > 0) {
        FIL_CONTAINER_OF(task, struct numbered_task, task)->number--;
        fil_generic_submit(&generic, task);
    }
    count_done(task);
}

static void test_stop_runs_what_is_queued_and_what_that_brings(void **state)
{
    (void)state;
    struct numbered_task chains[20];
    for (uint32_t i = 0; i < 20; i++) {
        chains[i] = (struct numbered_task){.task.run = bring_another, .number = 9};
        fil_generic_submit(&generic, &chains[i].task);
    }
    fil_generic_stop(&generic);
    assert_int_equal(atomic_load_explicit(&done_count, memory_order_acquire), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_priority_work_goes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_priority_work_overtakes_within_a_cycle, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_reserved_thread_takes_priority_work_only, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_full_queue_refuses_and_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_target_takes_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cycle_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_task_knows_that_it_runs_on_the_pool, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_times_are_measured, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_is_allocated_after_init, set_up, tear_down),
        cmocka_unit_test(test_bad_options_are_errors),
        cmocka_unit_test(test_failing_heap_is_an_error),
        cmocka_unit_test_setup_teardown(test_priority_work_is_not_stuck_behind_slow_work,
                                        set_up_threads, tear_down_threads),
        cmocka_unit_test_setup_teardown(test_push_wakes_one_worker_and_only_a_parked_one,
                                        set_up_threads, tear_down_threads),
        cmocka_unit_test_setup_teardown(test_priority_work_wakes_the_reserved_thread_first,
                                        set_up_threads, tear_down_threads),
        cmocka_unit_test_setup_teardown(test_as_many_tasks_run_side_by_side_as_there_are_workers,
                                        set_up_threads, tear_down_threads),
        cmocka_unit_test_setup_teardown(test_stop_runs_what_is_queued_and_what_that_brings,
                                        set_up_threads, tear_down_threads),
    };
    return cmocka_run_group_tests_name("generic", tests, NULL, NULL);
}
