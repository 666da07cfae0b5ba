// SPDX-License-Identifier: Apache-2.0
/**
 * A PN counter's contract, one test a promise: it adds and takes away, and wraps; replicas agree
 * whatever the order and however often news comes; one that is behind what a caller has seen does
 * not answer; there are so many replicas and no more; a million random changes and exchanges end in
 * the sum of all changes.
 */
#include "grid/counter/counter.h"

#include "lib/base/prng.h"
#include "tests/unit/core/container/container_fixture.h"

#define REPLICAS 3U
#define STEPS    1000000U

static struct fil_pn_counter *counters[REPLICAS];
static const struct fil_pn_seen nothing = {.clocks = NULL};

static int set_up(void **state)
{
    static const char *const names[REPLICAS] = {"a", "b", "c"};
    (void)state;
    open_world(&fil_pn_counter_type, NULL);
    for (uint32_t i = 0; i < REPLICAS; i++) {
        counters[i] = fil_pn_counter_of(get_container(&fil_pn_counter_type, names[i]));
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_world();
    return 0;
}

static int64_t add(uint32_t replica, int64_t delta)
{
    struct fil_pn_change change = {.self = {.high = 1, .low = replica}, .delta = delta};
    assert_int_equal(fil_pn_counter_add_here(counters[replica], nothing, &change, 5), FIL_OK);
    return change.after;
}

static int64_t get(uint32_t replica)
{
    int64_t value = 0;
    assert_int_equal(fil_pn_counter_get_here(counters[replica], nothing, 5, &value), FIL_OK);
    return value;
}

/** One replica tells another all it knows. */
static void exchange(uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < counters[from]->replica_count; i++) {
        assert_int_equal(fil_pn_counter_merge_here(counters[to], &counters[from]->replicas[i]),
                         FIL_OK);
    }
}

static void test_adds_takes_away_and_wraps(void **state)
{
    (void)state;
    assert_int_equal(add(0, 5), 5);
    assert_int_equal(add(0, -7), -2);
    assert_int_equal(get(0), -2);
    assert_int_equal(add(0, INT64_MIN), INT64_MAX - 1);
    assert_int_equal(fil_counter_read(&counters[0]->container.counters.removes), 2);
}

static void test_replicas_agree(void **state)
{
    (void)state;
    (void)add(0, 5);
    (void)add(1, 10);
    (void)add(2, -3);
    exchange(1, 0);
    exchange(1, 0);
    exchange(0, 2);
    exchange(2, 1);
    exchange(2, 0);
    assert_int_equal(get(0), 12);
    assert_int_equal(get(1), 12);
    assert_int_equal(get(2), 12);
}

static void test_one_that_is_behind_does_not_answer(void **state)
{
    (void)state;
    (void)add(0, 5);
    (void)add(0, 5);
    struct fil_pn_clock clock = counters[0]->replicas[0].clock;
    struct fil_pn_seen seen = {.clocks = &clock, .count = 1};
    int64_t value = 0;
    assert_int_equal(fil_pn_counter_get_here(counters[1], seen, 5, &value), FIL_E_NOT_READY);
    struct fil_pn_change change = {.self = {.high = 1, .low = 1}, .delta = 1};
    assert_int_equal(fil_pn_counter_add_here(counters[1], seen, &change, 5), FIL_E_NOT_READY);
    exchange(0, 1);
    assert_int_equal(fil_pn_counter_get_here(counters[1], seen, 5, &value), FIL_OK);
    assert_int_equal(value, 10);
}

static void test_so_many_replicas_and_no_more(void **state)
{
    (void)state;
    struct fil_pn_change change = {.delta = 1};
    for (uint32_t i = 0; i < FIL_PN_REPLICAS_MAX; i++) {
        change.self.low = i;
        assert_int_equal(fil_pn_counter_add_here(counters[0], nothing, &change, 5), FIL_OK);
    }
    change.self.low = FIL_PN_REPLICAS_MAX;
    assert_int_equal(fil_pn_counter_add_here(counters[0], nothing, &change, 5), FIL_E_LIMIT);
    fil_pn_counter_type.clear(&counters[0]->container, 5);
    assert_int_equal(get(0), 0);
}

static void test_random_changes_end_in_their_sum(void **state)
{
    (void)state;
    struct fil_prng prng;
    int64_t sum = 0;
    fil_prng_init(&prng, 11);
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t replica = (uint32_t)fil_prng_below(&prng, REPLICAS);
        if (fil_prng_below(&prng, 4) == 0) {
            exchange(replica, (uint32_t)fil_prng_below(&prng, REPLICAS));
            continue;
        }
        int64_t delta = (int64_t)fil_prng_below(&prng, 2001) - 1000;
        (void)add(replica, delta);
        sum += delta;
    }
    for (uint32_t i = 0; i < REPLICAS * REPLICAS; i++) {
        exchange(i % REPLICAS, (i + 1) % REPLICAS);
    }
    for (uint32_t i = 0; i < REPLICAS; i++) {
        assert_int_equal(get(i), sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_adds_takes_away_and_wraps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_replicas_agree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_that_is_behind_does_not_answer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_so_many_replicas_and_no_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_changes_end_in_their_sum, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("pn_counter", tests, NULL, NULL);
}
