// SPDX-License-Identifier: Apache-2.0
/**
 * The generator, one test a promise: a seed gives the same sequence on every machine; limits and
 * ranges are kept and evenly filled, at their ends too; chances come true as often as they say; a
 * shuffle loses nothing and favours no order; filled memory is filled to the last byte.
 */
#include <string.h>

#include "lib/base/attr.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

static struct fil_prng prng;

static int set_up(void **state)
{
    (void)state;
    fil_prng_init(&prng, 12345);
    return 0;
}

static void test_seed_gives_the_known_sequence(void **state)
{
    (void)state;
    // xoshiro256** from the state {1, 2, 3, 4}, worked out by hand for the first two.
    struct fil_prng known = {.state = {1, 2, 3, 4}};
    assert_true(fil_prng_next(&known) == 11520);
    assert_true(fil_prng_next(&known) == 0);
    // splitmix64's first output for the seed 0.
    fil_prng_init(&known, 0);
    assert_true(known.state[0] == UINT64_C(0xe220a8397b1dcdaf));
}

static void test_same_seed_repeats_and_another_differs(void **state)
{
    (void)state;
    struct fil_prng again;
    struct fil_prng another;
    fil_prng_init(&again, 12345);
    fil_prng_init(&another, 12346);
    unsigned different = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t value = fil_prng_next(&prng);
        assert_true(value == fil_prng_next(&again));
        different += value != fil_prng_next(&another);
    }
    assert_int_equal(different, 1000);
}

/** Chi-squared over equally likely cells; the sequence is fixed, so the result is too. */
static double unevenness(const uint32_t *cells, size_t count, uint32_t drawn)
{
    double expected = (double)drawn / (double)count;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double off = (double)cells[i] - expected;
        sum += off * off / expected;
    }
    return sum;
}

static void test_below_is_even_and_keeps_the_limit(void **state)
{
    (void)state;
    uint32_t cells[7] = {0};
    for (int i = 0; i < 70000; i++) {
        uint64_t value = fil_prng_below(&prng, 7);
        assert_true(value < 7);
        cells[value]++;
    }
    assert_true(unevenness(cells, 7, 70000) < 22.5); // 1 in 1000 for six degrees of freedom
    assert_int_equal(fil_prng_below(&prng, 1), 0);
}

static void test_below_has_no_bias_with_a_limit_near_the_width(void **state)
{
    (void)state;
    // Plain remainders would make the lower half of these limits twice as likely as the upper.
    const uint64_t limits[] = {UINT64_C(3) << 30, UINT64_C(3) << 62, UINT64_C(3) << 40};
    for (size_t i = 0; i < FIL_COUNT_OF(limits); i++) {
        uint32_t cells[3] = {0};
        for (int draw = 0; draw < 30000; draw++) {
            uint64_t value = fil_prng_below(&prng, limits[i]);
            assert_true(value < limits[i]);
            cells[value / (limits[i] / 3)]++;
        }
        assert_true(unevenness(cells, 3, 30000) < 13.8); // 1 in 1000 for two degrees of freedom
    }
}

static void test_range_includes_both_ends(void **state)
{
    (void)state;
    unsigned seen = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t value = fil_prng_range(&prng, 10, 13);
        assert_true(value >= 10);
        assert_true(value <= 13);
        seen |= 1U << (value - 10);
    }
    assert_int_equal(seen, 15);
    assert_int_equal(fil_prng_range(&prng, 5, 5), 5);
    assert_true(fil_prng_range(&prng, UINT64_MAX, UINT64_MAX) == UINT64_MAX);
    uint64_t any = 0;
    for (int i = 0; i < 64; i++) {
        any |= fil_prng_range(&prng, 0, UINT64_MAX);
    }
    assert_true(any == UINT64_MAX);
}

static void test_reals_lie_in_the_unit_interval(void **state)
{
    (void)state;
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        double value = fil_prng_real(&prng);
        assert_true(value >= 0.0);
        assert_true(value < 1.0);
        sum += value;
    }
    assert_true(sum > 4900.0);
    assert_true(sum < 5100.0);
}

static void test_chances_come_true_as_often_as_they_say(void **state)
{
    (void)state;
    unsigned hits = 0;
    for (int i = 0; i < 10000; i++) {
        assert_false(fil_prng_chance(&prng, 0.0));
        assert_true(fil_prng_chance(&prng, 1.0));
        hits += fil_prng_chance(&prng, 0.25);
    }
    assert_true(hits > 2370);
    assert_true(hits < 2630);
}

static void test_shuffle_makes_every_order_as_likely(void **state)
{
    (void)state;
    uint32_t orders[6] = {0};
    for (int i = 0; i < 60000; i++) {
        uint16_t items[3] = {0, 1, 2};
        fil_prng_shuffle(&prng, items, 3, sizeof(items[0]));
        assert_int_equal(items[0] + items[1] + items[2], 3);
        assert_int_equal(1U << items[0] | 1U << items[1] | 1U << items[2], 7);
        orders[items[0] * 2 + (items[1] > items[2])]++;
    }
    assert_true(unevenness(orders, 6, 60000) < 20.5); // 1 in 1000 for five degrees of freedom
}

struct wide {
    uint8_t bytes[150]; // more than the swap moves at once
};

static void test_shuffle_moves_wide_items_whole(void **state)
{
    (void)state;
    static struct wide items[20];
    for (uint8_t i = 0; i < 20; i++) {
        memset(items[i].bytes, i, sizeof(items[i].bytes));
    }
    fil_prng_shuffle(&prng, items, 20, sizeof(items[0]));
    uint32_t seen = 0;
    for (size_t i = 0; i < 20; i++) {
        for (size_t j = 0; j < sizeof(items[i].bytes); j++) {
            assert_int_equal(items[i].bytes[j], items[i].bytes[0]);
        }
        seen |= 1U << items[i].bytes[0];
    }
    assert_int_equal(seen, (1U << 20) - 1);
    fil_prng_shuffle(&prng, items, 0, sizeof(items[0]));
    fil_prng_shuffle(&prng, items, 1, sizeof(items[0]));
}

static void test_fill_reaches_the_last_byte_and_no_further(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 20; size++) {
        uint8_t touched[21] = {0};
        for (int round = 0; round < 20; round++) {
            uint8_t bytes[21] = {0};
            fil_prng_fill(&prng, bytes, size);
            for (size_t i = 0; i < sizeof(bytes); i++) {
                touched[i] |= bytes[i];
            }
        }
        for (size_t i = 0; i < sizeof(touched); i++) {
            assert_int_equal(touched[i] != 0, i < size);
        }
    }
}

static void test_fill_gives_the_numbers_in_little_endian(void **state)
{
    (void)state;
    uint8_t bytes[8];
    struct fil_prng again = prng;
    fil_prng_fill(&prng, bytes, sizeof(bytes));
    uint64_t value = fil_prng_next(&again);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(bytes[i], (uint8_t)(value >> (8 * i)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_seed_gives_the_known_sequence, set_up),
        cmocka_unit_test_setup(test_same_seed_repeats_and_another_differs, set_up),
        cmocka_unit_test_setup(test_below_is_even_and_keeps_the_limit, set_up),
        cmocka_unit_test_setup(test_below_has_no_bias_with_a_limit_near_the_width, set_up),
        cmocka_unit_test_setup(test_range_includes_both_ends, set_up),
        cmocka_unit_test_setup(test_reals_lie_in_the_unit_interval, set_up),
        cmocka_unit_test_setup(test_chances_come_true_as_often_as_they_say, set_up),
        cmocka_unit_test_setup(test_shuffle_makes_every_order_as_likely, set_up),
        cmocka_unit_test_setup(test_shuffle_moves_wide_items_whole, set_up),
        cmocka_unit_test_setup(test_fill_reaches_the_last_byte_and_no_further, set_up),
        cmocka_unit_test_setup(test_fill_gives_the_numbers_in_little_endian, set_up),
    };
    return cmocka_run_group_tests_name("prng", tests, NULL, NULL);
}
