// SPDX-License-Identifier: Apache-2.0
/**
 * Words as numbers and times: whole numbers only as Redis spells them, to both ends of their range;
 * numbers with a fraction and back; times that do not fit are refused.
 */
#include "protocol/resp/word.h"

#include <math.h>

#include "tests/unit/harness.h"

static bool is_integer(const char *text, int64_t wanted)
{
    int64_t value = 0;
    return fil_resp_word_to_integer(fil_bytes_of(text), &value) && value == wanted;
}

static void test_whole_numbers_are_spelt_one_way(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",    "-",   "+1",  " 1",
                                        "1 ",  "01",  "-0",  "1.0",
                                        "0x1", "1a",  "--1", "9223372036854775808",
                                        "-01", "1e3", "-",   "-9223372036854775809"};
    assert_true(is_integer("0", 0));
    assert_true(is_integer("-1", -1));
    assert_true(is_integer("999999999", 999999999));
    assert_true(is_integer("1000000000", 1000000000));
    assert_true(is_integer("4294967296", INT64_C(4294967296)));
    assert_true(is_integer("9223372036854775807", INT64_MAX));
    assert_true(is_integer("-9223372036854775808", INT64_MIN));
    for (size_t i = 0; i < FIL_COUNT_OF(wrong); i++) {
        int64_t value = 7;
        assert_false(fil_resp_word_to_integer(fil_bytes_of(wrong[i]), &value));
        assert_int_equal(value, 7);
    }
}

static void test_whole_numbers_come_back(void **state)
{
    (void)state;
    static const int64_t values[] = {0, 1, -1, 10, 1234567890123, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < FIL_COUNT_OF(values); i++) {
        char text[FIL_RESP_NUMBER_TEXT_MAX];
        int64_t value = 0;
        size_t size = fil_resp_word_of_integer(values[i], text);
        assert_true(fil_resp_word_to_integer(fil_bytes_make(text, size), &value));
        assert_int_equal(value, values[i]);
    }
}

static bool is_double(const char *text, double wanted)
{
    double value = 0;
    return fil_resp_word_to_double(fil_bytes_of(text), &value) && value == wanted;
}

static void test_scores_are_read_however_they_are_spelt(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "-", " 1", "1 ", "1a", "nan", "1e400", "--1"};
    assert_true(is_double("7", 7));
    assert_true(is_double("0000000000000123", 123));
    assert_true(is_double("-0012", -12));
    assert_true(is_double("9007199254740992", 9007199254740992.0));
    assert_true(is_double("9007199254740993", 9007199254740992.0));
    assert_true(is_double("999999999999999999", 1e18));
    assert_true(is_double("123456789012345678901", 123456789012345678901.0));
    assert_true(is_double("+1.5e1", 15));
    assert_true(is_double("-inf", -HUGE_VAL));
    double zero = 1;
    assert_true(fil_resp_word_to_double(fil_bytes_of("-0"), &zero));
    assert_true(zero == 0 && signbit(zero));
    for (size_t i = 0; i < FIL_COUNT_OF(wrong); i++) {
        assert_false(fil_resp_word_to_double(fil_bytes_of(wrong[i]), &zero));
    }
}

static void check_float(const char *word, const char *wanted)
{
    static char text[FIL_RESP_FLOAT_BYTES_MAX];
    long double value = 0;
    assert_true(fil_resp_word_to_float(fil_bytes_of(word), &value));
    size_t size = fil_resp_word_of_float(value, text);
    assert_true(fil_bytes_equal(fil_bytes_make(text, size), fil_bytes_of(wanted)));
}

static void test_fractions_lose_their_zeros(void **state)
{
    (void)state;
    check_float("1.50", "1.5");
    check_float("5.0e3", "5000");
    check_float("-0.0", "0");
    check_float("100", "100");
    check_float("-2.25", "-2.25");
    long double value = 0;
    assert_false(fil_resp_word_to_float(fil_bytes_of(""), &value));
    assert_false(fil_resp_word_to_float(fil_bytes_of(" 1"), &value));
    assert_false(fil_resp_word_to_float(fil_bytes_of("1x"), &value));
    assert_false(fil_resp_word_to_float(fil_bytes_of("nan"), &value));
}

static void test_times_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    int64_t at = 0;
    assert_true(fil_resp_word_to_time(10, FIL_RESP_SECONDS, 5, &at));
    assert_int_equal(at, 10005);
    assert_true(fil_resp_word_to_time(10, FIL_RESP_MILLISECONDS_AT, 5, &at));
    assert_int_equal(at, 10);
    assert_false(fil_resp_word_to_time(INT64_MAX / 1000 + 1, FIL_RESP_SECONDS_AT, 5, &at));
    assert_false(fil_resp_word_to_time(INT64_MAX - 4, FIL_RESP_MILLISECONDS, 5, &at));
    assert_false(fil_resp_word_to_time(INT64_MAX, FIL_RESP_MILLISECONDS_AT, 5, &at));
    int64_t last = (INT64_C(1) << 48) - 2;
    assert_true(fil_resp_word_to_time(last, FIL_RESP_MILLISECONDS_AT, 5, &at));
    assert_false(fil_resp_word_to_time(last + 1, FIL_RESP_MILLISECONDS_AT, 5, &at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers_are_spelt_one_way),
        cmocka_unit_test(test_whole_numbers_come_back),
        cmocka_unit_test(test_scores_are_read_however_they_are_spelt),
        cmocka_unit_test(test_fractions_lose_their_zeros),
        cmocka_unit_test(test_times_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests_name("word", tests, NULL, NULL);
}
