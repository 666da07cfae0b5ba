// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of a thread's state: one that sleeps is told with its system call and whether a
 * signal would end that; one that computes runs; one that has ended is not found.
 */
#include "lib/os/thread_state.h"

#include <stdatomic.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/os/futex.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

static struct fil_thread thread;
static _Atomic uint32_t thread_id;
static _Atomic uint32_t is_over;

static void run_sleeper(void *context)
{
    (void)context;
    atomic_store(&thread_id, fil_thread_id());
    while (atomic_load(&is_over) == 0) {
        (void)!fil_futex_wait(&is_over, 0, FIL_WAIT_FOREVER);
    }
}

static void run_spinner(void *context)
{
    (void)context;
    atomic_store(&thread_id, fil_thread_id());
    while (atomic_load(&is_over) == 0) {
    }
}

static uint32_t start(fil_thread_fn entry)
{
    atomic_store(&thread_id, 0);
    atomic_store(&is_over, 0);
    assert_int_equal(fil_thread_start(&thread, "observed", entry, NULL), FIL_OK);
    while (atomic_load(&thread_id) == 0) {
        fil_thread_yield();
    }
    return atomic_load(&thread_id);
}

static void end(void)
{
    atomic_store(&is_over, 1);
    fil_futex_wake(&is_over, 1);
    fil_thread_join(&thread);
}

static void test_a_sleeper_is_told_with_its_system_call(void **state)
{
    (void)state;
    uint32_t id = start(run_sleeper);
    struct fil_thread_state found = {.is_running = true};
    // It says who it is before it sleeps.
    while (found.is_running) {
        assert_int_equal(fil_thread_state_read(id, &found), FIL_OK);
        fil_thread_yield();
    }
    if (found.call[0] != '\0') { // some systems do not tell
        assert_string_equal(found.call, "futex");
        assert_true(found.is_restarted);
    }
    end();
}

static void test_one_that_computes_runs(void **state)
{
    (void)state;
    uint32_t id = start(run_spinner);
    struct fil_thread_state found = {.is_running = false};
    assert_int_equal(fil_thread_state_read(id, &found), FIL_OK);
    assert_true(found.is_running);
    assert_string_equal(found.call, "");
    end();
}

static void test_one_that_has_ended_is_not_found(void **state)
{
    (void)state;
    uint32_t id = start(run_sleeper);
    end();
    struct fil_thread_state found;
    assert_int_equal(fil_thread_state_read(id, &found), FIL_E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sleeper_is_told_with_its_system_call),
        cmocka_unit_test(test_one_that_computes_runs),
        cmocka_unit_test(test_one_that_has_ended_is_not_found),
    };
    return cmocka_run_group_tests_name("thread_state", tests, NULL, NULL);
}
