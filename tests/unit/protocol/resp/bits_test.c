// SPDX-License-Identifier: Apache-2.0
/**
 * Rows of bits against a plain model that looks at each bit: counting, finding, numbers of every
 * width at any place, and what becomes of a number that does not fit.
 */
#include <string.h>

#include "lib/base/prng.h"
#include "protocol/resp/bits.h"
#include "tests/unit/harness.h"

#define ROW_BYTES 48U
#define ROUNDS    20000U

static uint8_t row[ROW_BYTES];
static struct fil_prng prng;

static uint64_t draw(uint64_t limit)
{
    return fil_prng_next(&prng) % limit;
}

static bool bit_of(const uint8_t *bytes, uint64_t bit)
{
    uint32_t byte = bytes[bit / 8];
    return (byte >> (7 - bit % 8) & 1U) != 0;
}

/** Runs of equal bytes, so that whole words are passed over. */
static void fill_row(void)
{
    memset(row, draw(2) == 0 ? 0 : 0xFF, sizeof(row));
    for (uint64_t i = draw(4); i > 0; i--) {
        row[draw(sizeof(row))] = (uint8_t)draw(256);
    }
}

static void test_bits_are_counted_and_found(void **state)
{
    (void)state;
    struct fil_bytes bytes = fil_bytes_make(row, sizeof(row));
    fil_prng_init(&prng, 11);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        fill_row();
        struct fil_resp_bit_range range = {.first = (int64_t)draw(ROW_BYTES * 8),
                                           .last = (int64_t)draw(ROW_BYTES * 8)};
        uint64_t count = 0;
        int64_t places[2] = {-1, -1};
        for (int64_t bit = range.last; bit >= range.first; bit--) {
            bool is_set = bit_of(row, (uint64_t)bit);
            count += is_set;
            places[is_set] = bit;
        }
        assert_int_equal(fil_resp_bits_count(bytes, range), count);
        assert_int_equal(fil_resp_bits_find(bytes, range, false), places[0]);
        assert_int_equal(fil_resp_bits_find(bytes, range, true), places[1]);
    }
}

static void test_numbers_are_read_as_they_were_written(void **state)
{
    (void)state;
    fil_prng_init(&prng, 12);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint8_t before[ROW_BYTES];
        struct fil_resp_bit_field field = {.is_signed = draw(2) == 0};
        field.width = 1 + (uint32_t)draw(field.is_signed ? 64 : 63);
        field.offset = draw(ROW_BYTES * 8 - field.width);
        fill_row();
        memcpy(before, row, sizeof(row));
        int64_t number = 0;
        (void)fil_resp_bits_fit(&field, (int64_t)fil_prng_next(&prng), FIL_RESP_BIT_WRAP, &number);
        fil_resp_bits_write(row, &field, number);
        assert_int_equal(fil_resp_bits_read(fil_bytes_make(row, sizeof(row)), &field), number);
        for (uint64_t bit = 0; bit < ROW_BYTES * 8; bit++) {
            bool is_inside = bit >= field.offset && bit < field.offset + field.width;
            assert_true(is_inside || bit_of(row, bit) == bit_of(before, bit));
        }
    }
}

static void test_behind_the_end_there_are_zeros(void **state)
{
    (void)state;
    struct fil_resp_bit_field field = {.offset = 4, .width = 8};
    const uint8_t byte = 0xFF;
    assert_int_equal(fil_resp_bits_read(fil_bytes_make(&byte, 1), &field), 0xF0);
    field.offset = 400;
    assert_int_equal(fil_resp_bits_read(fil_bytes_make(&byte, 1), &field), 0);
}

/** All sums of small fields, against whole numbers. */
static void test_what_does_not_fit_is_mended(void **state)
{
    (void)state;
    for (int width = 1; width <= 4; width++) {
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            struct fil_resp_bit_field field = {.width = (uint32_t)width,
                                               .is_signed = is_signed == 1};
            int high = is_signed ? (1 << (width - 1)) - 1 : (1 << width) - 1;
            int low = is_signed ? -high - 1 : 0;
            for (int number = low; number <= high; number++) {
                for (int more = -40; more <= 40; more++) {
                    int sum = number + more;
                    int64_t got = 0;
                    bool fits = sum >= low && sum <= high;
                    assert_int_equal(
                        fil_resp_bits_add(&field, number, more, FIL_RESP_BIT_FAIL, &got), fits);
                    assert_true(
                        fil_resp_bits_add(&field, number, more, FIL_RESP_BIT_SATURATE, &got));
                    assert_int_equal(got, sum > high ? high : sum < low ? low : sum);
                    assert_true(fil_resp_bits_add(&field, number, more, FIL_RESP_BIT_WRAP, &got));
                    assert_true(got >= low && got <= high &&
                                ((sum - got) & ((1 << width) - 1)) == 0);
                }
            }
        }
    }
}

static void test_the_largest_numbers(void **state)
{
    (void)state;
    struct fil_resp_bit_field wide = {.width = 64, .is_signed = true};
    struct fil_resp_bit_field plain = {.width = 63};
    int64_t got = 0;
    assert_false(fil_resp_bits_add(&wide, INT64_MAX, 1, FIL_RESP_BIT_FAIL, &got));
    assert_true(fil_resp_bits_add(&wide, INT64_MAX, 1, FIL_RESP_BIT_WRAP, &got));
    assert_true(got == INT64_MIN);
    assert_true(fil_resp_bits_add(&wide, INT64_MIN, -1, FIL_RESP_BIT_SATURATE, &got));
    assert_true(got == INT64_MIN);
    assert_true(fil_resp_bits_add(&plain, INT64_MAX, 1, FIL_RESP_BIT_WRAP, &got));
    assert_true(got == 0);
    assert_false(fil_resp_bits_fit(&plain, -1, FIL_RESP_BIT_FAIL, &got));
    assert_true(fil_resp_bits_fit(&plain, -1, FIL_RESP_BIT_SATURATE, &got));
    assert_true(got == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_are_counted_and_found),
        cmocka_unit_test(test_numbers_are_read_as_they_were_written),
        cmocka_unit_test(test_behind_the_end_there_are_zeros),
        cmocka_unit_test(test_what_does_not_fit_is_mended),
        cmocka_unit_test(test_the_largest_numbers),
    };
    return cmocka_run_group_tests_name("bits", tests, NULL, NULL);
}
