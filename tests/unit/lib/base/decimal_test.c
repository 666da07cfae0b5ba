// SPDX-License-Identifier: Apache-2.0
/**
 * Decimal digits, one test a promise: every number has the digits that printf gives it, at every
 * count of digits; signs too; nothing is written beyond them.
 */
#include "lib/base/decimal.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/harness.h"

#define MARK 0xA5

static void assert_digits(uint64_t value)
{
    char expected[32];
    uint8_t room[FIL_DECIMAL_DIGITS_MAX + 1];
    int size = snprintf(expected, sizeof(expected), "%" PRIu64, value);
    memset(room, MARK, sizeof(room));
    assert_int_equal(fil_decimal_size(value), size);
    assert_int_equal(fil_decimal_put(room, value), size);
    assert_memory_equal(room, expected, (size_t)size);
    assert_int_equal(room[size], MARK);
}

static void test_numbers_have_their_digits(void **state)
{
    (void)state;
    uint64_t power = 1;
    for (uint32_t digits = 1; digits <= FIL_DECIMAL_DIGITS_MAX; digits++) {
        assert_int_equal(fil_decimal_size(power), digits);
        assert_digits(power - 1);
        assert_digits(power);
        assert_digits(power + 1);
        assert_digits(power * 123 / 100);
        power *= 10; // the last one wraps, and is not used
    }
    assert_digits(UINT64_MAX);
}

static void test_small_numbers_have_their_digits(void **state)
{
    (void)state;
    for (uint64_t value = 0; value < 12000; value++) {
        assert_digits(value);
    }
    assert_int_equal(fil_decimal_pairs[200], '\0');
}

static void test_signs_come_first(void **state)
{
    (void)state;
    static const int64_t values[] = {0, 1, -1, -9, -10, 99, -100, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char expected[32];
        uint8_t room[FIL_DECIMAL_DIGITS_MAX + 1];
        int size = snprintf(expected, sizeof(expected), "%" PRId64, values[i]);
        assert_int_equal(fil_decimal_put_signed(room, values[i]), size);
        assert_memory_equal(room, expected, (size_t)size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_have_their_digits),
        cmocka_unit_test(test_small_numbers_have_their_digits),
        cmocka_unit_test(test_signs_come_first),
    };
    return cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
}
