// SPDX-License-Identifier: Apache-2.0
/**
 * The queue of tasks, one test a promise: a full queue refuses new work and counts it; work that
 * was admitted before is taken all the same, in order, and new work is refused until there is room
 * for all of it; a take moves a bounded number of tasks; the wait of a marked task is measured; a
 * refused one leaves no mark; workers side by side run every task exactly once whichever way it
 * came in; a failing heap is an error.
 */
#include "core/exec/task_queue.h"

#include <pthread.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/core/exec/hand_clock.h"
#include "tests/unit/harness.h"

#define CAPACITY 4U

static struct hand_clock hand_clock;
static struct fil_task_queue queue;

static void run_nothing(struct fil_task *task)
{
    (void)task;
}

static int set_up(void **state)
{
    (void)state;
    hand_clock_init(&hand_clock);
    return fil_task_queue_init(&queue, &hand_clock.env, CAPACITY);
}

static int tear_down(void **state)
{
    (void)state;
    fil_task_queue_fini(&queue);
    return 0;
}

static void make_tasks(struct fil_task *tasks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tasks[i] = (struct fil_task){.run = run_nothing};
    }
}

static void test_full_queue_refuses_new_work(void **state)
{
    (void)state;
    struct fil_task tasks[CAPACITY + 1];
    make_tasks(tasks, CAPACITY + 1);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        assert_true(fil_task_queue_push_try(&queue, &tasks[i]));
    }
    assert_false(fil_task_queue_push_try(&queue, &tasks[CAPACITY]));
    assert_int_equal(fil_counter_read(&queue.refused_count), 1);
    assert_int_equal(fil_task_queue_count(&queue), CAPACITY);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        assert_ptr_equal(fil_task_queue_take(&queue), &tasks[i]);
    }
    assert_null(fil_task_queue_take(&queue));
    assert_true(fil_task_queue_is_empty(&queue));
}

static void test_admitted_work_is_always_taken_in_order(void **state)
{
    (void)state;
    struct fil_task tasks[300];
    make_tasks(tasks, 300);
    for (uint32_t i = 0; i < 299; i++) {
        fil_task_queue_push(&queue, &tasks[i]);
    }
    assert_int_equal(fil_task_queue_count(&queue), 299);
    assert_int_equal(fil_counter_read(&queue.overflow_count), 299 - CAPACITY);
    // There is room in the ring after each take, but others wait for it.
    assert_ptr_equal(fil_task_queue_take(&queue), &tasks[0]);
    assert_false(fil_task_queue_push_try(&queue, &tasks[299]));
    fil_task_queue_push(&queue, &tasks[299]);
    for (uint32_t i = 1; i < 300; i++) {
        assert_false(fil_task_queue_is_empty(&queue));
        assert_ptr_equal(fil_task_queue_take(&queue), &tasks[i]);
    }
    assert_true(fil_task_queue_is_empty(&queue));
    assert_true(fil_task_queue_push_try(&queue, &tasks[0]));
    assert_ptr_equal(fil_task_queue_take(&queue), &tasks[0]);
}

static void test_take_moves_a_bounded_number(void **state)
{
    (void)state;
    static struct fil_task tasks[1000];
    struct fil_task_queue large;
    make_tasks(tasks, 1000);
    assert_int_equal(fil_task_queue_init(&large, &hand_clock.env, 512), FIL_OK);
    for (uint32_t i = 0; i < 1000; i++) {
        fil_task_queue_push(&large, &tasks[i]);
    }
    for (uint32_t i = 0; i < 512; i++) {
        assert_ptr_equal(fil_mpmc_take(&large.ring), &tasks[i]);
    }
    // The ring is empty now: one take may move some, not all that would fit.
    assert_ptr_equal(fil_task_queue_take(&large), &tasks[512]);
    assert_true(fil_mpmc_count(&large.ring) < 100);
    for (uint32_t i = 513; i < 1000; i++) {
        assert_ptr_equal(fil_task_queue_take(&large), &tasks[i]);
    }
    fil_task_queue_fini(&large);
}

static void test_wait_of_a_marked_task_is_measured(void **state)
{
    (void)state;
    static struct fil_meter meter;
    struct fil_task tasks[3];
    make_tasks(tasks, 3);
    fil_meter_init(&meter);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(fil_task_queue_push_try(&queue, &tasks[i]));
        hand_clock.now_ns += 1000;
    }
    // One mark at a time: the first task has it.
    assert_true(fil_probe_is_marked(&queue.probe, &tasks[0]));
    for (uint32_t i = 0; i < 3; i++) {
        struct fil_task *task = fil_task_queue_take(&queue);
        if (fil_probe_is_marked(&queue.probe, task)) {
            fil_probe_record(&queue.probe, &meter, hand_clock.now_ns);
        }
    }
    assert_int_equal(fil_histogram_count(&meter.wait_ns), 1);
    assert_int_equal(fil_histogram_sum(&meter.wait_ns), 3000);
    // Nothing is marked before the consumer asks for it.
    assert_true(fil_task_queue_push_try(&queue, &tasks[0]));
    assert_false(fil_probe_is_marked(&queue.probe, &tasks[0]));
    fil_probe_arm(&queue.probe);
    assert_true(fil_task_queue_push_try(&queue, &tasks[1]));
    assert_true(fil_probe_is_marked(&queue.probe, &tasks[1]));
    assert_non_null(fil_task_queue_take(&queue));
    assert_non_null(fil_task_queue_take(&queue));
}

static void test_refused_task_leaves_no_mark(void **state)
{
    (void)state;
    struct fil_task tasks[CAPACITY + 2];
    make_tasks(tasks, CAPACITY + 2);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        assert_true(fil_task_queue_push_try(&queue, &tasks[i]));
    }
    fil_probe_unmark(&queue.probe, &tasks[0]); // armed again
    assert_false(fil_task_queue_push_try(&queue, &tasks[CAPACITY]));
    assert_false(fil_probe_is_marked(&queue.probe, &tasks[CAPACITY]));
    assert_non_null(fil_task_queue_take(&queue));
    assert_true(fil_task_queue_push_try(&queue, &tasks[CAPACITY + 1]));
    assert_true(fil_probe_is_marked(&queue.probe, &tasks[CAPACITY + 1]));
    while (fil_task_queue_take(&queue) != NULL) {
    }
}

#define PRODUCERS          2U
#define WORKERS            3U
#define TASKS_PER_PRODUCER 20000U

struct counted {
    struct fil_task task;
    uint32_t run_count; // plain: two workers on one task would be a race
};

static struct counted counted[PRODUCERS][TASKS_PER_PRODUCER];
static _Atomic uint32_t done_count;

static void count_run(struct fil_task *task)
{
    FIL_CONTAINER_OF(task, struct counted, task)->run_count++;
    atomic_fetch_add_explicit(&done_count, 1, memory_order_relaxed);
}

static void *produce(void *context)
{
    struct counted *mine = context;
    for (uint32_t i = 0; i < TASKS_PER_PRODUCER; i++) {
        mine[i].task.run = count_run;
        if (i % 3 != 0) {
            fil_task_queue_push(&queue, &mine[i].task);
            continue;
        }
        while (!fil_task_queue_push_try(&queue, &mine[i].task)) {
            fil_thread_yield();
        }
    }
    return NULL;
}

static void *work(void *context)
{
    (void)context;
    while (atomic_load_explicit(&done_count, memory_order_relaxed) <
           PRODUCERS * TASKS_PER_PRODUCER) {
        struct fil_task *task = fil_task_queue_take(&queue);
        if (task != NULL) {
            task->run(task);
        } else {
            fil_thread_yield();
        }
    }
    return NULL;
}

static void test_workers_run_every_task_once(void **state)
{
    (void)state;
    pthread_t producers[PRODUCERS];
    pthread_t workers[WORKERS];
    for (uint32_t i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_create(&workers[i], NULL, work, NULL), 0);
    }
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_create(&producers[i], NULL, produce, counted[i]), 0);
    }
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_join(producers[i], NULL), 0);
    }
    for (uint32_t i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(workers[i], NULL), 0);
    }
    for (uint32_t i = 0; i < PRODUCERS * TASKS_PER_PRODUCER; i++) {
        assert_int_equal(counted[i / TASKS_PER_PRODUCER][i % TASKS_PER_PRODUCER].run_count, 1);
    }
    assert_true(fil_task_queue_is_empty(&queue));
    assert_true(fil_counter_read(&queue.overflow_count) > 0);
}

static void test_failing_heap_is_an_error(void **state)
{
    (void)state;
    struct fil_task_queue poor;
    hand_clock_init(&hand_clock);
    fil_alloc_fail_after(0);
    int error = fil_task_queue_init(&poor, &hand_clock.env, 4);
    fil_alloc_fail_after(-1);
    assert_int_equal(error, FIL_E_NOMEM);
    fil_task_queue_fini(&poor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_full_queue_refuses_new_work, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_admitted_work_is_always_taken_in_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_take_moves_a_bounded_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wait_of_a_marked_task_is_measured, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_task_leaves_no_mark, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_workers_run_every_task_once, set_up, tear_down),
        cmocka_unit_test(test_failing_heap_is_an_error),
    };
    return cmocka_run_group_tests_name("task_queue", tests, NULL, NULL);
}
