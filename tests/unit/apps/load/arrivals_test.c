// SPDX-License-Identifier: Apache-2.0
/**
 * When requests are due: evenly, at exact times however long it goes on, and none behind the end;
 * at random, on average as often and with gaps as those of people who know nothing of each other;
 * what was not taken is counted.
 */
#include "apps/filbert/load/arrivals.h"

#include <math.h>

#include "tests/unit/harness.h"

#define BEGIN_NS  UINT64_C(5000)
#define LENGTH_NS UINT64_C(1000000000)
#define DRAWN     100000U

static void test_even_steps_do_not_drift(void **state)
{
    (void)state;
    struct load_arrivals arrivals;
    load_arrivals_init(&arrivals, BEGIN_NS, LENGTH_NS, 333.3);
    assert_int_equal(load_arrivals_count(&arrivals, BEGIN_NS), 1);
    assert_int_equal(load_arrivals_count(&arrivals, BEGIN_NS + 1000), 4);
    assert_int_equal(load_arrivals_take(&arrivals), BEGIN_NS);
    assert_int_equal(load_arrivals_count(&arrivals, BEGIN_NS + 300), 0);
    for (uint32_t i = 1; i < 1000000; i++) {
        (void)load_arrivals_take(&arrivals);
    }
    assert_int_equal(load_arrivals_next_ns(&arrivals), BEGIN_NS + 333300000);
}

static void test_nothing_is_due_behind_the_end(void **state)
{
    (void)state;
    struct load_arrivals arrivals;
    load_arrivals_init(&arrivals, BEGIN_NS, 1000, 100);
    assert_int_equal(load_arrivals_rest(&arrivals), 11); // at 0, 100 ... 1000
    for (uint32_t i = 0; i < 11; i++) {
        assert_true(load_arrivals_has_next(&arrivals));
        (void)load_arrivals_take(&arrivals);
    }
    assert_false(load_arrivals_has_next(&arrivals));
    assert_int_equal(load_arrivals_rest(&arrivals), 0);
}

static void test_without_an_end_there_is_always_another(void **state)
{
    (void)state;
    struct load_arrivals arrivals;
    load_arrivals_init(&arrivals, BEGIN_NS, 0, 1e9);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(load_arrivals_has_next(&arrivals));
        (void)load_arrivals_take(&arrivals);
    }
    assert_int_equal(load_arrivals_rest(&arrivals), 0);
}

/** Gaps are exponential: their deviation is as large as their mean. */
static void test_random_gaps_are_those_of_strangers(void **state)
{
    (void)state;
    struct load_arrivals arrivals;
    double sum = 0;
    double squares = 0;
    load_arrivals_init(&arrivals, BEGIN_NS, 0, 10000);
    load_arrivals_scatter(&arrivals, 7);
    uint64_t before = load_arrivals_take(&arrivals);
    for (uint32_t i = 0; i < DRAWN; i++) {
        assert_int_equal(load_arrivals_count(&arrivals, before + LENGTH_NS), 1);
        uint64_t now = load_arrivals_take(&arrivals);
        assert_true(now >= before);
        sum += (double)(now - before);
        squares += (double)(now - before) * (double)(now - before);
        before = now;
    }
    double mean = sum / DRAWN;
    double deviation = sqrt(squares / DRAWN - mean * mean);
    assert_true(mean > 9800 && mean < 10200);
    assert_true(deviation > 9700 && deviation < 10300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_steps_do_not_drift),
        cmocka_unit_test(test_nothing_is_due_behind_the_end),
        cmocka_unit_test(test_without_an_end_there_is_always_another),
        cmocka_unit_test(test_random_gaps_are_those_of_strangers),
    };
    return cmocka_run_group_tests_name("arrivals", tests, NULL, NULL);
}
