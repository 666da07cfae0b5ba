// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of threads' usage: every thread of the process is listed, each one's processor
 * time is its own, sleeping is counted, and a thread that has ended is not found.
 */
#include "lib/os/thread_usage.h"

#include <stdatomic.h>

#include "filbert/error.h"
#include "lib/os/futex.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define WORK_NS UINT64_C(20000000)

struct worker {
    struct fil_thread thread;
    _Atomic uint32_t id; // 0 until it runs
    _Atomic uint32_t is_over;
    bool works;
};

static uint64_t cpu_ns(uint32_t id)
{
    struct fil_thread_usage usage;
    assert_int_equal(fil_thread_usage_read(id, &usage), FIL_OK);
    return usage.cpu_ns;
}

static void run_worker(void *context)
{
    struct worker *worker = context;
    uint32_t id = fil_thread_id();
    // Processor time, not time: a busy machine changes nothing.
    while (worker->works && cpu_ns(id) < WORK_NS) {
    }
    atomic_store(&worker->id, id);
    fil_futex_wake(&worker->id, 1);
    while (atomic_load(&worker->is_over) == 0) {
        (void)!fil_futex_wait(&worker->is_over, 0, FIL_WAIT_FOREVER);
    }
}

static void start(struct worker *worker, bool works)
{
    worker->works = works;
    atomic_init(&worker->id, 0);
    atomic_init(&worker->is_over, 0);
    assert_int_equal(fil_thread_start(&worker->thread, "worker", run_worker, worker), FIL_OK);
    while (atomic_load(&worker->id) == 0) {
        (void)!fil_futex_wait(&worker->id, 0, FIL_WAIT_FOREVER);
    }
}

static void end(struct worker *worker)
{
    atomic_store(&worker->is_over, 1);
    fil_futex_wake(&worker->is_over, 1);
    fil_thread_join(&worker->thread);
}

static bool is_listed(uint32_t id)
{
    uint32_t ids[64];
    uint32_t count = fil_thread_usage_list(ids, FIL_COUNT_OF(ids));
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] == id) {
            return true;
        }
    }
    return false;
}

static void test_every_thread_is_listed(void **state)
{
    (void)state;
    struct worker worker;
    start(&worker, false);
    assert_true(is_listed(fil_thread_id()));
    assert_true(is_listed(atomic_load(&worker.id)));
    uint32_t only = 0;
    assert_int_equal(fil_thread_usage_list(&only, 1), 1);
    end(&worker);
}

static void test_processor_time_is_each_threads_own(void **state)
{
    (void)state;
    struct worker busy;
    struct worker lazy;
    uint64_t before_ns = cpu_ns(fil_thread_id());
    start(&busy, true);
    start(&lazy, false);
    assert_true(cpu_ns(atomic_load(&busy.id)) >= WORK_NS);
    assert_true(cpu_ns(atomic_load(&lazy.id)) < WORK_NS);
    assert_true(cpu_ns(fil_thread_id()) >= before_ns);
    end(&busy);
    end(&lazy);
}

static void test_sleeping_is_counted(void **state)
{
    (void)state;
    struct worker worker;
    struct fil_thread_usage usage = {0};
    start(&worker, false);
    // It is on its way to sleep; until it is there the count stays.
    while (usage.sleep_count == 0) {
        fil_thread_yield();
        assert_int_equal(fil_thread_usage_read(atomic_load(&worker.id), &usage), FIL_OK);
    }
    end(&worker);
}

static void test_ended_thread_is_not_found(void **state)
{
    (void)state;
    struct worker worker;
    struct fil_thread_usage usage;
    start(&worker, false);
    end(&worker);
    // The kernel may need a moment after the join to forget it.
    while (is_listed(atomic_load(&worker.id))) {
        fil_thread_yield();
    }
    assert_int_equal(fil_thread_usage_read(atomic_load(&worker.id), &usage), FIL_E_NOT_FOUND);
    assert_int_equal(fil_thread_usage_read(1U << 30, &usage), FIL_E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_thread_is_listed),
        cmocka_unit_test(test_processor_time_is_each_threads_own),
        cmocka_unit_test(test_sleeping_is_counted),
        cmocka_unit_test(test_ended_thread_is_not_found),
    };
    return cmocka_run_group_tests_name("thread_usage", tests, NULL, NULL);
}
