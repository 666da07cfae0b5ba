// SPDX-License-Identifier: Apache-2.0
/**
 * Flake ids, one test a promise: numbers grow and never come twice, also when the clock stands or
 * goes back; they tell time and member; a flood gets numbers ahead of time, up to a limit, and is
 * told how long to wait; wrong counts and times are refused; threads never share a number.
 */
#include "grid/flake/flake.h"

#include <pthread.h>
#include <stdlib.h>

#include "tests/unit/core/container/container_fixture.h"

#define NOW_MS  (FIL_FLAKE_EPOCH_MS + 1000000)
#define THREADS 4U
#define BATCHES 500U

static struct fil_flake *flake;

static int set_up(void **state)
{
    (void)state;
    open_world(&fil_flake_type, NULL);
    flake = fil_flake_of(get_container(&fil_flake_type, "ids"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_world();
    return 0;
}

static uint64_t take(uint64_t at_ms, uint32_t count)
{
    uint64_t base = 0;
    uint64_t wait_ms = 0;
    assert_int_equal(fil_flake_take(flake, at_ms, 3, count, &base, &wait_ms), FIL_OK);
    return base;
}

static void test_numbers_never_come_twice(void **state)
{
    (void)state;
    uint64_t last = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t base = take(NOW_MS - (uint64_t)(i % 3), 10);
        assert_true(base > last);
        last = base + 9 * FIL_FLAKE_STEP;
    }
    assert_int_equal(fil_counter_read(&flake->container.counters.adds), 10000);
}

static void test_they_tell_time_and_member(void **state)
{
    (void)state;
    uint64_t base = take(NOW_MS, 1);
    assert_int_equal(base & 0xFFFF, 3);
    assert_int_equal(base >> 22, NOW_MS - FIL_FLAKE_EPOCH_MS);
}

static void test_flood_is_told_to_wait(void **state)
{
    (void)state;
    uint64_t base = 0;
    uint64_t wait_ms = 0;
    int error = FIL_OK;
    uint32_t batches = 0;
    for (; error == FIL_OK; batches++) {
        error = fil_flake_take(flake, NOW_MS, 3, 64000, &base, &wait_ms);
    }
    assert_int_equal(error, FIL_E_FULL);
    assert_int_equal(batches - 1, FIL_FLAKE_AHEAD_MS_MAX / 1000);
    assert_true(wait_ms > 0);
    assert_int_equal(fil_flake_take(flake, NOW_MS + wait_ms, 3, 64000, &base, &wait_ms), FIL_OK);
}

static void test_wrong_wishes_are_refused(void **state)
{
    (void)state;
    uint64_t base = 0;
    uint64_t wait_ms = 0;
    assert_int_equal(fil_flake_take(flake, NOW_MS, 3, 0, &base, &wait_ms), FIL_E_INVALID);
    assert_int_equal(fil_flake_take(flake, NOW_MS, 3, FIL_FLAKE_BATCH_MAX + 1, &base, &wait_ms),
                     FIL_E_INVALID);
    assert_int_equal(fil_flake_take(flake, 5, 3, 1, &base, &wait_ms), FIL_E_LIMIT);
    assert_int_equal(fil_flake_take(flake, UINT64_C(1) << 60, 3, 1, &base, &wait_ms), FIL_E_LIMIT);
}

static uint64_t taken[THREADS][BATCHES];

static void *take_many(void *argument)
{
    uint64_t *mine = argument;
    uint64_t wait_ms = 0;
    for (uint32_t i = 0; i < BATCHES; i++) {
        int error = fil_flake_take(flake, NOW_MS, 3, 5, &mine[i], &wait_ms);
        fil_assert(error == FIL_OK);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void test_threads_never_share_a_number(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, take_many, taken[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    uint64_t *all = &taken[0][0];
    qsort(all, (size_t)THREADS * BATCHES, sizeof(uint64_t), compare);
    for (uint32_t i = 1; i < THREADS * BATCHES; i++) {
        assert_int_equal(all[i] - all[i - 1], 5 * FIL_FLAKE_STEP);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers_never_come_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_they_tell_time_and_member, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flood_is_told_to_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_wishes_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads_never_share_a_number, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("flake", tests, NULL, NULL);
}
