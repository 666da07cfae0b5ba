// SPDX-License-Identifier: Apache-2.0
/**
 * Checked arithmetic, one test a promise: results that fit are exact up to the last one, the first
 * one beyond is refused, in every type and direction; roundings to powers of two and alignments
 * are the nearest above; an alignment that cannot be held stops the process.
 */
#include "lib/base/checked.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/base/assertion.h"

static void test_sizes_fit_to_the_last_and_no_further(void **state)
{
    (void)state;
    size_t out = 0;
    assert_true(fil_checked_add_size(SIZE_MAX - 1, 1, &out));
    assert_true(out == SIZE_MAX);
    assert_false(fil_checked_add_size(SIZE_MAX, 1, &out));
    assert_true(fil_checked_sub_size(5, 5, &out));
    assert_int_equal(out, 0);
    assert_false(fil_checked_sub_size(5, 6, &out));
    assert_true(fil_checked_mul_size(SIZE_MAX / 2, 2, &out));
    assert_true(out == SIZE_MAX - 1);
    assert_false(fil_checked_mul_size(SIZE_MAX / 2 + 1, 2, &out));
}

static void test_u32_fits_to_the_last_and_no_further(void **state)
{
    (void)state;
    uint32_t out = 0;
    assert_true(fil_checked_add_u32(UINT32_MAX - 1, 1, &out));
    assert_int_equal(out, UINT32_MAX);
    assert_false(fil_checked_add_u32(UINT32_MAX, 1, &out));
    assert_true(fil_checked_sub_u32(1, 1, &out));
    assert_false(fil_checked_sub_u32(0, 1, &out));
    assert_true(fil_checked_mul_u32(0xffff, 0x10001, &out));
    assert_int_equal(out, UINT32_MAX);
    assert_false(fil_checked_mul_u32(0x10000, 0x10000, &out));
}

static void test_u64_fits_to_the_last_and_no_further(void **state)
{
    (void)state;
    uint64_t out = 0;
    assert_true(fil_checked_add_u64(UINT64_MAX - 1, 1, &out));
    assert_true(out == UINT64_MAX);
    assert_false(fil_checked_add_u64(UINT64_MAX, 1, &out));
    assert_true(fil_checked_sub_u64(1, 1, &out));
    assert_false(fil_checked_sub_u64(0, 1, &out));
    assert_true(fil_checked_mul_u64(UINT64_MAX / 3, 3, &out));
    assert_true(out == UINT64_MAX);
    assert_false(fil_checked_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &out));
}

static void test_i64_fits_at_both_ends_and_no_further(void **state)
{
    (void)state;
    int64_t out = 0;
    assert_true(fil_checked_add_i64(INT64_MAX, -1, &out));
    assert_true(out == INT64_MAX - 1);
    assert_false(fil_checked_add_i64(INT64_MAX, 1, &out));
    assert_false(fil_checked_add_i64(INT64_MIN, -1, &out));
    assert_true(fil_checked_sub_i64(-1, INT64_MAX, &out));
    assert_true(out == INT64_MIN);
    assert_false(fil_checked_sub_i64(-2, INT64_MAX, &out));
    assert_false(fil_checked_sub_i64(0, INT64_MIN, &out));
    assert_true(fil_checked_mul_i64(INT64_MIN, 1, &out));
    assert_false(fil_checked_mul_i64(INT64_MIN, -1, &out));
}

static void test_powers_of_two_are_known_and_rounded_up_to(void **state)
{
    (void)state;
    assert_false(fil_is_power_of_two(0));
    assert_true(fil_is_power_of_two(1));
    assert_false(fil_is_power_of_two(UINT64_MAX));
    assert_int_equal(fil_round_up_power_of_two(0), 1);
    assert_int_equal(fil_round_up_power_of_two(1), 1);
    for (unsigned bit = 1; bit < 64; bit++) {
        uint64_t power = UINT64_C(1) << bit;
        assert_true(fil_is_power_of_two(power));
        assert_int_equal(fil_is_power_of_two(power + 1), false);
        assert_true(fil_round_up_power_of_two(power) == power);
        assert_true(fil_round_up_power_of_two(power / 2 + 1) == power);
    }
}

static void test_alignment_is_the_nearest_multiple_above(void **state)
{
    (void)state;
    size_t aligned = 0;
    assert_int_equal(fil_align_up(0, 64), 0);
    assert_int_equal(fil_align_up(1, 64), 64);
    assert_int_equal(fil_align_up(64, 64), 64);
    assert_int_equal(fil_align_up(65, 64), 128);
    assert_int_equal(fil_align_up(13, 1), 13);
    assert_true(fil_checked_align_up(SIZE_MAX - 63, 64, &aligned));
    assert_true(aligned == SIZE_MAX - 63);
    assert_false(fil_checked_align_up(SIZE_MAX - 62, 64, &aligned));
}

static void align_too_much(void *context)
{
    *(size_t *)context = fil_align_up(SIZE_MAX, 64);
}

static void align_oddly(void *context)
{
    *(size_t *)context = fil_align_up(1, 48);
}

static void round_too_much(void *context)
{
    *(size_t *)context = (size_t)fil_round_up_power_of_two((UINT64_C(1) << 63) + 1);
}

static void test_what_cannot_be_rounded_stops_the_process(void **state)
{
    (void)state;
    size_t out = 0;
    assert_true(assertion_stops(align_too_much, &out));
    assert_true(assertion_stops(align_oddly, &out));
    assert_true(assertion_stops(round_too_much, &out));
}

static void test_min_and_max_choose_rightly(void **state)
{
    (void)state;
    assert_int_equal(fil_min_size(1, 2), 1);
    assert_int_equal(fil_max_size(1, 2), 2);
    assert_int_equal(fil_min_u64(UINT64_MAX, 2), 2);
    assert_true(fil_max_u64(UINT64_MAX, 2) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_fit_to_the_last_and_no_further),
        cmocka_unit_test(test_u32_fits_to_the_last_and_no_further),
        cmocka_unit_test(test_u64_fits_to_the_last_and_no_further),
        cmocka_unit_test(test_i64_fits_at_both_ends_and_no_further),
        cmocka_unit_test(test_powers_of_two_are_known_and_rounded_up_to),
        cmocka_unit_test(test_alignment_is_the_nearest_multiple_above),
        cmocka_unit_test(test_what_cannot_be_rounded_stops_the_process),
        cmocka_unit_test(test_min_and_max_choose_rightly),
    };
    return cmocka_run_group_tests_name("checked", tests, NULL, NULL);
}
