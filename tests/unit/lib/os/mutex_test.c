// SPDX-License-Identifier: Apache-2.0
/**
 * The promises of mutex and condition: one holder at a time, try_lock does not wait, a waiter lets
 * the mutex go and has it again, no signal is lost, a broadcast reaches all, a wait can time out.
 */
#include "lib/os/mutex.h"

#include "filbert/error.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define THREADS    4U
#define INCREMENTS 20000U
#define ROUNDS     1000U

static struct fil_mutex mutex = FIL_MUTEX_INIT;
static struct fil_condition changed;
static uint32_t count FIL_GUARDED_BY(mutex);
static uint32_t waiting FIL_GUARDED_BY(mutex);

static int set_up(void **state)
{
    (void)state;
    fil_condition_init(&changed);
    fil_mutex_lock(&mutex);
    count = 0;
    waiting = 0;
    fil_mutex_unlock(&mutex);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_condition_fini(&changed);
    return 0;
}

static void increment(void *context)
{
    (void)context;
    for (uint32_t i = 0; i < INCREMENTS; i++) {
        fil_mutex_lock(&mutex);
        count++;
        fil_mutex_unlock(&mutex);
    }
}

static uint32_t read_count(void)
{
    fil_mutex_lock(&mutex);
    uint32_t value = count;
    fil_mutex_unlock(&mutex);
    return value;
}

static void test_one_holder_at_a_time(void **state)
{
    (void)state;
    struct fil_thread threads[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(fil_thread_start(&threads[i], "increment", increment, NULL), FIL_OK);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        fil_thread_join(&threads[i]);
    }
    assert_int_equal(read_count(), THREADS * INCREMENTS);
}

static void try_once(void *context)
{
    bool *got_it = context;
    if (fil_mutex_try_lock(&mutex)) {
        *got_it = true;
        fil_mutex_unlock(&mutex);
    }
}

static bool can_another_thread_lock(void)
{
    bool got_it = false;
    struct fil_thread thread;
    assert_int_equal(fil_thread_start(&thread, "try", try_once, &got_it), FIL_OK);
    fil_thread_join(&thread);
    return got_it;
}

static void test_try_lock_refuses_while_held(void **state)
{
    (void)state;
    fil_mutex_lock(&mutex);
    bool while_held = can_another_thread_lock();
    fil_mutex_unlock(&mutex);
    assert_false(while_held);
    assert_true(can_another_thread_lock());
}

static void test_init_makes_a_mutex_that_works(void **state)
{
    (void)state;
    struct fil_mutex local;
    fil_mutex_init(&local);
    bool is_taken = fil_mutex_try_lock(&local);
    if (is_taken) {
        fil_mutex_unlock(&local);
    }
    fil_mutex_fini(&local);
    assert_true(is_taken);
}

static void test_wait_times_out(void **state)
{
    (void)state;
    fil_mutex_lock(&mutex);
    int result = FIL_OK;
    while (result == FIL_OK) { // a wake-up for no reason is allowed
        result = fil_condition_wait(&changed, &mutex, 1000000);
    }
    fil_mutex_unlock(&mutex);
    assert_int_equal(result, FIL_E_TIMEOUT);
}

static void await_count(uint32_t wanted) FIL_TSA(requires_capability(mutex))
{
    while (count != wanted) {
        int result = fil_condition_wait(&changed, &mutex, FIL_WAIT_FOREVER);
        assert_int_equal(result, FIL_OK);
    }
}

static void answer_rounds(void *context)
{
    (void)context;
    fil_mutex_lock(&mutex);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        await_count(2 * i + 1);
        count++;
        fil_condition_signal(&changed);
    }
    fil_mutex_unlock(&mutex);
}

static void test_no_signal_is_lost(void **state)
{
    (void)state;
    struct fil_thread thread;
    assert_int_equal(fil_thread_start(&thread, "answer", answer_rounds, NULL), FIL_OK);
    fil_mutex_lock(&mutex);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        count++;
        fil_condition_signal(&changed);
        await_count(2 * i + 2);
    }
    fil_mutex_unlock(&mutex);
    fil_thread_join(&thread);
    assert_int_equal(read_count(), 2 * ROUNDS);
}

static void wait_for_start(void *context)
{
    (void)context;
    fil_mutex_lock(&mutex);
    waiting++;
    await_count(1);
    fil_mutex_unlock(&mutex);
}

static void test_broadcast_reaches_all(void **state)
{
    (void)state;
    struct fil_thread threads[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(fil_thread_start(&threads[i], "waiter", wait_for_start, NULL), FIL_OK);
    }
    // Who has counted itself holds the mutex until it sleeps: all of them sleep at the broadcast.
    for (bool are_waiting = false; !are_waiting;) {
        fil_thread_yield();
        fil_mutex_lock(&mutex);
        are_waiting = waiting == THREADS;
        count = are_waiting ? 1 : 0;
        fil_mutex_unlock(&mutex);
    }
    fil_condition_broadcast(&changed);
    for (uint32_t i = 0; i < THREADS; i++) {
        fil_thread_join(&threads[i]);
    }
    assert_int_equal(read_count(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_holder_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_try_lock_refuses_while_held, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_init_makes_a_mutex_that_works, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wait_times_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_signal_is_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_broadcast_reaches_all, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("mutex", tests, NULL, NULL);
}
