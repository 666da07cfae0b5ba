// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the keys: all lie below the limit; the same seed draws the same; in sequence
 * each comes once a round; uniform is even; zipf makes the first keys hot, as often as its formula
 * says, and reaches the last ones.
 */
#include "apps/filbert/load/keys.h"

#include "tests/unit/harness.h"

#define DRAWS 200000U
#define KEYS  1000U

static void draw(enum load_distribution distribution, uint32_t counts[KEYS])
{
    struct load_keys keys;
    load_keys_init(&keys, distribution, KEYS, 5);
    for (uint32_t i = 0; i < DRAWS; i++) {
        uint64_t number = load_keys_next(&keys);
        assert_true(number < KEYS);
        counts[number]++;
    }
}

static void test_sequence_takes_each_once_a_round(void **state)
{
    (void)state;
    uint32_t counts[KEYS] = {0};
    draw(LOAD_SEQUENTIAL, counts);
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_int_equal(counts[i], DRAWS / KEYS);
    }
}

static void test_uniform_is_even(void **state)
{
    (void)state;
    uint32_t counts[KEYS] = {0};
    draw(LOAD_UNIFORM, counts);
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_in_range(counts[i], 120, 280); // 200 on average, with a deviation of 14
    }
}

static void test_zipf_has_hot_keys_and_a_tail(void **state)
{
    (void)state;
    uint32_t counts[KEYS] = {0};
    draw(LOAD_ZIPF, counts);
    // The sum of i^-0.99 up to 1000 is 7.73, so the first key has 12.9 % and the second 6.5 %.
    assert_in_range(counts[0], DRAWS * 125 / 1000, DRAWS * 134 / 1000);
    assert_in_range(counts[1], DRAWS * 61 / 1000, DRAWS * 69 / 1000);
    uint32_t tail = 0;
    for (uint32_t i = KEYS / 2; i < KEYS; i++) {
        tail += counts[i];
    }
    assert_in_range(tail, DRAWS * 7 / 100, DRAWS * 12 / 100);
}

static void test_few_keys_are_no_trouble(void **state)
{
    (void)state;
    for (uint64_t count = 1; count < 5; count++) {
        struct load_keys keys;
        load_keys_init(&keys, LOAD_ZIPF, count, 1);
        for (uint32_t i = 0; i < 1000; i++) {
            assert_true(load_keys_next(&keys) < count);
        }
    }
}

static void test_seed_decides(void **state)
{
    (void)state;
    struct load_keys one;
    struct load_keys same;
    struct load_keys other;
    load_keys_init(&one, LOAD_UNIFORM, UINT64_C(1) << 40, 1);
    load_keys_init(&same, LOAD_UNIFORM, UINT64_C(1) << 40, 1);
    load_keys_init(&other, LOAD_UNIFORM, UINT64_C(1) << 40, 2);
    uint64_t first = load_keys_next(&one);
    assert_int_equal(first, load_keys_next(&same));
    assert_int_not_equal(first, load_keys_next(&other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequence_takes_each_once_a_round),
        cmocka_unit_test(test_uniform_is_even),
        cmocka_unit_test(test_zipf_has_hot_keys_and_a_tail),
        cmocka_unit_test(test_few_keys_are_no_trouble),
        cmocka_unit_test(test_seed_decides),
    };
    return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
