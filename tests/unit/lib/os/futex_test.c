// SPDX-License-Identifier: Apache-2.0
/**
 * The futex's promises: it does not sleep when the word differs, it ends at its timeout, no
 * hand-over between two threads is lost, and one wake reaches all sleepers.
 */
#include "lib/os/futex.h"

#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define ROUNDS   2000U
#define SLEEPERS 4U

static _Atomic uint32_t word;

static void test_wait_returns_at_once_when_the_word_differs(void **state)
{
    (void)state;
    atomic_store(&word, 7);
    assert_int_equal(fil_futex_wait(&word, 8, FIL_WAIT_FOREVER), FIL_E_AGAIN);
}

static void test_wait_ends_at_its_timeout(void **state)
{
    (void)state;
    atomic_store(&word, 7);
    int result = FIL_OK;
    while (result == FIL_OK) { // a wake-up for no reason is allowed
        result = fil_futex_wait(&word, 7, 1000000);
    }
    assert_int_equal(result, FIL_E_TIMEOUT);
    assert_int_equal(fil_futex_wait(&word, 7, 0), FIL_E_TIMEOUT);
}

static void await(uint32_t wanted)
{
    for (;;) {
        uint32_t seen = atomic_load(&word);
        if (seen == wanted) {
            return;
        }
        int result = fil_futex_wait(&word, seen, FIL_WAIT_FOREVER);
        assert_true(result == FIL_OK || result == FIL_E_AGAIN);
    }
}

static void hand_over(uint32_t value)
{
    atomic_store(&word, value);
    fil_futex_wake(&word, 1);
}

static void answer_rounds(void *context)
{
    uint32_t *sum = context;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        await(2 * i + 1);
        *sum += i;
        hand_over(2 * i + 2);
    }
}

static void test_two_threads_hand_over_in_turn(void **state)
{
    (void)state;
    uint32_t sum = 0;
    struct fil_thread thread;
    atomic_store(&word, 0);
    assert_int_equal(fil_thread_start(&thread, "answer", answer_rounds, &sum), FIL_OK);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        hand_over(2 * i + 1);
        await(2 * i + 2);
        expected += i;
        assert_int_equal(sum, expected); // ordered by the word, not by the join
    }
    fil_thread_join(&thread);
}

static void sleep_until_changed(void *context)
{
    _Atomic uint32_t *ready = context;
    atomic_fetch_add(ready, 1);
    fil_futex_wake(ready, 1);
    await(1);
}

static void test_one_wake_reaches_all_sleepers(void **state)
{
    (void)state;
    struct fil_thread threads[SLEEPERS];
    _Atomic uint32_t ready = 0;
    atomic_store(&word, 0);
    for (uint32_t i = 0; i < SLEEPERS; i++) {
        assert_int_equal(fil_thread_start(&threads[i], "sleeper", sleep_until_changed, &ready),
                         FIL_OK);
    }
    for (uint32_t seen = 0; seen < SLEEPERS; seen = atomic_load(&ready)) {
        int result = fil_futex_wait(&ready, seen, FIL_WAIT_FOREVER);
        assert_true(result == FIL_OK || result == FIL_E_AGAIN);
    }
    atomic_store(&word, 1);
    fil_futex_wake(&word, UINT32_MAX);
    for (uint32_t i = 0; i < SLEEPERS; i++) {
        fil_thread_join(&threads[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait_returns_at_once_when_the_word_differs),
        cmocka_unit_test(test_wait_ends_at_its_timeout),
        cmocka_unit_test(test_two_threads_hand_over_in_turn),
        cmocka_unit_test(test_one_wake_reaches_all_sleepers),
    };
    return cmocka_run_group_tests_name("futex", tests, NULL, NULL);
}
