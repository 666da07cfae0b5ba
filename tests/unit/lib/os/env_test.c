// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of clocks and randomness: monotonic time never goes back and does go on, the
 * time of day is that of the system, random bytes fill exactly what was asked for.
 */
#include "lib/os/env.h"

#include <string.h>
#include <time.h>

#include "tests/unit/harness.h"

#define NS_PER_S UINT64_C(1000000000)

static void test_monotonic_time_goes_on_and_never_back(void **state)
{
    (void)state;
    struct fil_env *env = fil_env_real();
    uint64_t start_ns = fil_env_now_ns(env);
    uint64_t last_ns = start_ns;
    while (last_ns == start_ns) {
        uint64_t now_ns = fil_env_now_ns(env);
        assert_true(now_ns >= last_ns);
        last_ns = now_ns;
    }
    assert_true(last_ns > start_ns);
}

static void test_time_of_day_is_the_systems(void **state)
{
    (void)state;
    struct timespec before;
    struct timespec after;
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &before), 0);
    uint64_t wall_ns = fil_env_wall_ns(fil_env_real());
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &after), 0);
    // Whole seconds around: the clock may be set while the test runs, but not by much.
    assert_in_range(wall_ns / NS_PER_S, (uint64_t)before.tv_sec - 1, (uint64_t)after.tv_sec + 1);
}

static void test_random_fills_exactly_what_was_asked_for(void **state)
{
    (void)state;
    struct fil_env *env = fil_env_real();
    uint8_t bytes[1024] = {0};
    uint8_t zeros[16] = {0};
    env->ops->random(env, bytes + 16, sizeof(bytes) - 32);
    assert_memory_equal(bytes, zeros, 16);
    assert_memory_equal(bytes + sizeof(bytes) - 16, zeros, 16);
    for (size_t at = 16; at < sizeof(bytes) - 16; at += 16) {
        assert_memory_not_equal(bytes + at, zeros, 16); // once in 2^122 runs
    }
    env->ops->random(env, bytes, 0);
    assert_memory_equal(bytes, zeros, 16);
}

static void test_there_is_one_environment(void **state)
{
    (void)state;
    assert_ptr_equal(fil_env_real(), fil_env_real());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_monotonic_time_goes_on_and_never_back),
        cmocka_unit_test(test_time_of_day_is_the_systems),
        cmocka_unit_test(test_random_fills_exactly_what_was_asked_for),
        cmocka_unit_test(test_there_is_one_environment),
    };
    return cmocka_run_group_tests_name("env", tests, NULL, NULL);
}
