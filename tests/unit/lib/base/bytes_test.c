// SPDX-License-Identifier: Apache-2.0
/**
 * Runs of bytes, one test a promise: equality looks at every byte and forgives only the case of
 * ASCII letters; trimming takes blanks and tabs off both ends and nothing else; numbers are read
 * whole, up to the ends of their range, or not at all.
 */
#include "lib/base/bytes.h"
#include "tests/unit/harness.h"

static const struct fil_bytes nothing = {0};

static void test_equality_sees_size_and_content(void **state)
{
    (void)state;
    assert_true(fil_bytes_equal(fil_bytes_of("abc"), fil_bytes_of("abc")));
    assert_false(fil_bytes_equal(fil_bytes_of("abc"), fil_bytes_of("abd")));
    assert_false(fil_bytes_equal(fil_bytes_of("abc"), fil_bytes_of("ab")));
    assert_true(fil_bytes_equal(nothing, fil_bytes_of("")));
    assert_true(fil_bytes_equal_text(fil_bytes_make("a\0b", 1), "a"));
    assert_false(fil_bytes_equal_text(fil_bytes_make("a\0b", 3), "a"));
}

static void test_case_is_forgiven_for_letters_only(void **state)
{
    (void)state;
    assert_true(fil_bytes_equal_nocase(fil_bytes_of("GeT AZ"), fil_bytes_of("gEt az")));
    assert_false(fil_bytes_equal_nocase(fil_bytes_of("get"), fil_bytes_of("gets")));
    assert_false(fil_bytes_equal_nocase(fil_bytes_of("get"), fil_bytes_of("gex")));
    // Neighbours of the letters in the table, and bytes beyond ASCII, differ by the same bit.
    assert_false(fil_bytes_equal_nocase(fil_bytes_of("@["), fil_bytes_of("`{")));
    assert_false(fil_bytes_equal_nocase(fil_bytes_of("\xc4"), fil_bytes_of("\xe4")));
    assert_true(fil_bytes_equal_nocase(nothing, nothing));
}

static void test_find_gives_the_first_place_or_the_size(void **state)
{
    (void)state;
    assert_int_equal(fil_bytes_find(fil_bytes_of("a:b:c"), ':'), 1);
    assert_int_equal(fil_bytes_find(fil_bytes_of("abc"), ':'), 3);
    assert_int_equal(fil_bytes_find(nothing, ':'), 0);
}

static void test_trim_takes_blanks_off_both_ends(void **state)
{
    (void)state;
    assert_true(fil_bytes_equal_text(fil_bytes_trim(fil_bytes_of(" \t a b\t ")), "a b"));
    assert_true(fil_bytes_equal_text(fil_bytes_trim(fil_bytes_of("a")), "a"));
    assert_true(fil_bytes_equal_text(fil_bytes_trim(fil_bytes_of("a \n")), "a \n"));
    assert_int_equal(fil_bytes_trim(fil_bytes_of(" \t ")).size, 0);
    assert_int_equal(fil_bytes_trim(nothing).size, 0);
}

static void test_unsigned_numbers_reach_their_ends(void **state)
{
    (void)state;
    uint64_t value = 7;
    assert_true(fil_bytes_to_u64(fil_bytes_of("0"), &value));
    assert_int_equal(value, 0);
    assert_true(fil_bytes_to_u64(fil_bytes_of("0042"), &value));
    assert_int_equal(value, 42);
    assert_true(fil_bytes_to_u64(fil_bytes_of("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
}

static void test_what_is_no_unsigned_number_is_refused_untouched(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "-",
        "+",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1a",
        "a1",
        "0x1",
        "1.0",
        ":",
        "18446744073709551616",
        "99999999999999999999",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        uint64_t value = 7;
        assert_false(fil_bytes_to_u64(fil_bytes_of(wrong[i]), &value));
        assert_int_equal(value, 7);
    }
    // The digits behind the end are not looked at.
    uint64_t value = 7;
    assert_true(fil_bytes_to_u64(fil_bytes_make("123", 2), &value));
    assert_int_equal(value, 12);
}

static void test_signed_numbers_reach_their_ends(void **state)
{
    (void)state;
    int64_t value = 7;
    assert_true(fil_bytes_to_i64(fil_bytes_of("-0"), &value));
    assert_int_equal(value, 0);
    assert_true(fil_bytes_to_i64(fil_bytes_of("9223372036854775807"), &value));
    assert_true(value == INT64_MAX);
    assert_true(fil_bytes_to_i64(fil_bytes_of("-9223372036854775808"), &value));
    assert_true(value == INT64_MIN);
}

static void test_what_is_no_signed_number_is_refused_untouched(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "", "-", "--1", "+1", "- 1", "1-", "9223372036854775808", "-9223372036854775809",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        int64_t value = 7;
        assert_false(fil_bytes_to_i64(fil_bytes_of(wrong[i]), &value));
        assert_int_equal(value, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equality_sees_size_and_content),
        cmocka_unit_test(test_case_is_forgiven_for_letters_only),
        cmocka_unit_test(test_find_gives_the_first_place_or_the_size),
        cmocka_unit_test(test_trim_takes_blanks_off_both_ends),
        cmocka_unit_test(test_unsigned_numbers_reach_their_ends),
        cmocka_unit_test(test_what_is_no_unsigned_number_is_refused_untouched),
        cmocka_unit_test(test_signed_numbers_reach_their_ends),
        cmocka_unit_test(test_what_is_no_signed_number_is_refused_untouched),
    };
    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
