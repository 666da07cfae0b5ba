// SPDX-License-Identifier: Apache-2.0
/**
 * The generic pool under load, with real threads: whichever way a task comes in, and however often
 * it sends itself again, each of its runs happens exactly once; the figures agree; threads that
 * sleep between the tasks lose none.
 */
#include <pthread.h>

#include "core/exec/generic.h"
#include "filbert/error.h"
#include "lib/base/prng.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define PRODUCERS          3U
#define TASKS_PER_PRODUCER 10000U
#define TASK_COUNT         (PRODUCERS * TASKS_PER_PRODUCER)

struct travelling_task {
    struct fil_task task;
    uint32_t runs_left; // plain: two threads on one task would be a race
    uint32_t run_count;
    bool is_urgent;
};

static struct fil_generic generic;
static struct travelling_task tasks[TASK_COUNT];
static _Atomic uint64_t done_count;
static _Atomic uint64_t refused_count;

static void send(struct travelling_task *travelling)
{
    if (travelling->is_urgent) {
        fil_generic_submit_priority(&generic, &travelling->task);
    } else {
        fil_generic_submit(&generic, &travelling->task);
    }
}

static void travel(struct fil_task *task)
{
    struct travelling_task *travelling = FIL_CONTAINER_OF(task, struct travelling_task, task);
    travelling->run_count++;
    travelling->runs_left--;
    if (travelling->runs_left > 0) {
        send(travelling);
        return;
    }
    atomic_fetch_add_explicit(&done_count, 1, memory_order_release);
}

static void send_new(struct travelling_task *travelling)
{
    for (;;) {
        int error = travelling->is_urgent
                        ? fil_generic_submit_priority_try(&generic, &travelling->task)
                        : fil_generic_submit_try(&generic, &travelling->task);
        if (error == FIL_OK) {
            return;
        }
        fil_assert(error == FIL_E_FULL);
        atomic_fetch_add_explicit(&refused_count, 1, memory_order_relaxed);
        fil_thread_yield();
    }
}

static void *produce(void *context)
{
    struct travelling_task *mine = context;
    struct fil_prng prng;
    fil_prng_init(&prng, (uint64_t)(mine - tasks));
    for (uint32_t i = 0; i < TASKS_PER_PRODUCER; i++) {
        mine[i].task.run = travel;
        mine[i].runs_left = 1 + (uint32_t)fil_prng_below(&prng, 3);
        mine[i].is_urgent = fil_prng_below(&prng, 8) == 0;
        if (fil_prng_below(&prng, 4) == 0) {
            send(&mine[i]);
        } else {
            send_new(&mine[i]);
        }
        if (fil_prng_below(&prng, 64) == 0) {
            fil_thread_yield(); // so that workers run out of work and park
        }
    }
    return NULL;
}

static void check_round(enum fil_idle_kind idle)
{
    static struct fil_generic_stats stats;
    pthread_t producers[PRODUCERS];
    atomic_store_explicit(&done_count, 0, memory_order_relaxed);
    atomic_store_explicit(&refused_count, 0, memory_order_relaxed);
    memset(tasks, 0, sizeof(tasks));
    struct fil_generic_options options = {.env = fil_env_real(),
                                          .worker_count = 3,
                                          .capacity = 64,
                                          .priority_capacity = 16,
                                          .idle = idle};
    assert_int_equal(fil_generic_init(&generic, &options), FIL_OK);
    assert_int_equal(fil_generic_start(&generic), FIL_OK);
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        assert_int_equal(
            pthread_create(&producers[i], NULL, produce, &tasks[i * TASKS_PER_PRODUCER]), 0);
    }
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_join(producers[i], NULL), 0);
    }
    // A wake-up that was lost would leave tasks behind until stop wakes everybody.
    while (atomic_load_explicit(&done_count, memory_order_acquire) < TASK_COUNT) {
        fil_thread_yield();
    }
    fil_generic_stop(&generic);
    uint64_t run_count = 0;
    for (uint32_t i = 0; i < TASK_COUNT; i++) {
        assert_int_equal(tasks[i].runs_left, 0);
        assert_in_range(tasks[i].run_count, 1, 3);
        run_count += tasks[i].run_count;
    }
    fil_generic_read(&generic, &stats);
    assert_int_equal(fil_counter_read(&stats.crew.meter.item_count), run_count);
    assert_int_equal(stats.refused_count + stats.priority_refused_count,
                     atomic_load_explicit(&refused_count, memory_order_relaxed));
    assert_int_equal(stats.queue_length + stats.priority_queue_length, 0);
    assert_true(fil_histogram_count(&stats.crew.meter.service_ns) > 0);
    assert_true(fil_histogram_count(&stats.crew.meter.wait_ns) > 0);
    fil_generic_fini(&generic);
}

static void test_every_run_happens_once_with_threads_that_park(void **state)
{
    (void)state;
    check_round(FIL_IDLE_KIND_BLOCK);
}

static void test_every_run_happens_once_with_threads_that_back_off(void **state)
{
    (void)state;
    check_round(FIL_IDLE_KIND_BACKOFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_run_happens_once_with_threads_that_park),
        cmocka_unit_test(test_every_run_happens_once_with_threads_that_back_off),
    };
    return cmocka_run_group_tests_name("generic_stress", tests, NULL, NULL);
}
