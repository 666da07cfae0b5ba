// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the pace: a culprit is told at once, then with what was left out and not
 * before its interval is over; another culprit is told beside it; ten lines a minute are all; of
 * more culprits than there is room for, the quietest is forgotten.
 */
#include "core/exec/slow_pace.h"

#include <stdio.h>

#include "tests/unit/harness.h"

#define SECOND UINT64_C(1000000000)

static void test_a_culprit_is_told_at_once_and_then_now_and_then(void **state)
{
    (void)state;
    struct fil_slow_pace pace = {.line_count = 0};
    uint64_t untold = 99;
    assert_true(fil_slow_pace_ask(&pace, "GET /a", SECOND, &untold));
    assert_int_equal(untold, 0);
    for (uint64_t i = 1; i <= 100; i++) {
        assert_false(fil_slow_pace_ask(&pace, "GET /a", SECOND + i, &untold));
    }
    uint64_t later_ns = SECOND + FIL_SLOW_PACE_INTERVAL_NS;
    assert_true(fil_slow_pace_ask(&pace, "GET /a", later_ns, &untold));
    assert_int_equal(untold, 100);
    assert_true(fil_slow_pace_ask(&pace, "GET /b", later_ns, &untold));
    assert_int_equal(untold, 0);
}

static void test_ten_lines_a_minute_are_all(void **state)
{
    (void)state;
    struct fil_slow_pace pace = {.line_count = 0};
    char names[20][16];
    uint64_t untold = 0;
    uint32_t told = 0;
    for (uint32_t i = 0; i < 20; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "op%u", i);
        told += fil_slow_pace_ask(&pace, names[i], SECOND, &untold);
    }
    assert_int_equal(told, FIL_SLOW_PACE_LINES);
    uint64_t next_ns = SECOND + FIL_SLOW_PACE_MINUTE_NS;
    assert_true(fil_slow_pace_ask(&pace, names[19], next_ns, &untold));
    assert_int_equal(untold, 1);
}

static void test_one_culprit_has_at_most_ten_lines_a_minute(void **state)
{
    (void)state;
    struct fil_slow_pace pace = {.line_count = 0};
    uint64_t untold = 0;
    uint32_t told = 0;
    for (uint64_t ms = 0; ms < 60000; ms += 50) {
        told += fil_slow_pace_ask(&pace, "GET /sleep", SECOND + ms * 1000000, &untold);
    }
    assert_in_range(told, 2, FIL_SLOW_PACE_LINES);
}

static void test_the_quietest_culprit_makes_room(void **state)
{
    (void)state;
    struct fil_slow_pace pace = {.line_count = 0};
    char names[FIL_SLOW_PACE_CULPRITS + 1][16];
    uint64_t untold = 0;
    for (uint32_t i = 0; i <= FIL_SLOW_PACE_CULPRITS; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "op%u", i);
        (void)fil_slow_pace_ask(&pace, names[i], SECOND + i, &untold);
    }
    // The first one is unknown again, and its minute is over: it is told without a count.
    assert_true(fil_slow_pace_ask(&pace, "op0", SECOND + FIL_SLOW_PACE_MINUTE_NS, &untold));
    assert_int_equal(untold, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_culprit_is_told_at_once_and_then_now_and_then),
        cmocka_unit_test(test_ten_lines_a_minute_are_all),
        cmocka_unit_test(test_one_culprit_has_at_most_ten_lines_a_minute),
        cmocka_unit_test(test_the_quietest_culprit_makes_room),
    };
    return cmocka_run_group_tests_name("slow_pace", tests, NULL, NULL);
}
