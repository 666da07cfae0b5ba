// SPDX-License-Identifier: Apache-2.0
/**
 * Units, one test a promise: sizes, durations and counts mean what people mean by them; what is not
 * understood is refused with a reason and its place, and the value stays as it was; the shortest
 * exact form parses back to the very same value; the human form is rounded rightly.
 */
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/prng.h"
#include "lib/base/units.h"
#include "tests/unit/harness.h"

typedef int (*parse_fn)(struct fil_bytes text, uint64_t *out_value,
                        struct fil_units_fault *out_fault);
typedef const char *(*format_fn)(uint64_t value, char text[FIL_UNITS_TEXT_MAX]);

struct meaning {
    const char *text;
    uint64_t value;
};

struct refusal {
    const char *text;
    int error;
    size_t position;
    const char *reason; // begins so
};

static void check_meanings(parse_fn parse, const struct meaning *meanings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        assert_int_equal(parse(fil_bytes_of(meanings[i].text), &value, NULL), FIL_OK);
        assert_true(value == meanings[i].value);
    }
}

static void check_refusals(parse_fn parse, const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 77;
        struct fil_units_fault fault = {0};
        struct fil_bytes text = fil_bytes_of(refusals[i].text);
        assert_int_equal(parse(text, &value, &fault), refusals[i].error);
        assert_int_equal(parse(text, &value, NULL), refusals[i].error);
        assert_int_equal(value, 77);
        assert_int_equal(fault.position, refusals[i].position);
        assert_memory_equal(fault.text, refusals[i].reason, strlen(refusals[i].reason));
    }
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SECOND       UINT64_C(1000000000)

static void test_sizes_mean_what_people_mean(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {"0", 0},
        {"1048576", 1048576},
        {"17B", 17},
        {"64KiB", 65536},
        {"64kib", 65536},
        {"64KIB", 65536},
        {"1KB", 1000},
        {"500MB", 500000000},
        {"1GiB", UINT64_C(1) << 30},
        {"2TiB", UINT64_C(2) << 40},
        {"3PB", UINT64_C(3000000000000000)},
        {"15EiB", UINT64_C(15) << 60},
        {"1.5GiB", UINT64_C(3) << 29},
        {"0.5KB", 500},
        {"1.000KB", 1000},
        {"0.000000000000000001EB", 1},
        {"18 GiB", UINT64_C(18) << 30},
        {"18 \tGiB", UINT64_C(18) << 30},
        {"18446744073709551615", UINT64_MAX},
        {"max", UINT64_MAX},
        {"MAX", UINT64_MAX},
    };
    check_meanings(fil_units_parse_size, meanings, COUNT(meanings));
}

static void test_wrong_sizes_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct refusal refusals[] = {
        {"", FIL_E_MALFORMED, 0, "a number is expected"},
        {"GiB", FIL_E_MALFORMED, 0, "a number is expected"},
        {"-1", FIL_E_MALFORMED, 0, "a number is expected"},
        {" 1", FIL_E_MALFORMED, 0, "a number is expected"},
        {".5GiB", FIL_E_MALFORMED, 0, "a number is expected"},
        {"1.GiB", FIL_E_MALFORMED, 2, "digits are expected"},
        {"1.5.5GiB", FIL_E_MALFORMED, 3, "unknown unit"},
        {"64K", FIL_E_MALFORMED, 2, "unknown unit"},
        {"64 K", FIL_E_MALFORMED, 3, "unknown unit"},
        {"64KiBs", FIL_E_MALFORMED, 2, "unknown unit"},
        {"64KiB ", FIL_E_MALFORMED, 2, "unknown unit"},
        {"1e3", FIL_E_MALFORMED, 1, "unknown unit"},
        {"1.5", FIL_E_MALFORMED, 0, "not a whole number of bytes"},
        {"1.0001KB", FIL_E_MALFORMED, 0, "not a whole number of bytes"},
        {"0.1KiB", FIL_E_MALFORMED, 0, "not a whole number of bytes"},
        {"0.0000000000000000001EB", FIL_E_MALFORMED, 2, "too many digits"},
        {"18446744073709551616", FIL_E_LIMIT, 0, "the number is too large"},
        {"16EiB", FIL_E_LIMIT, 0, "the value is too large"},
        {"18.5EB", FIL_E_LIMIT, 0, "the value is too large"},
    };
    check_refusals(fil_units_parse_size, refusals, COUNT(refusals));
}

static void test_durations_mean_what_people_mean(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {"0", 0},
        {"0.0", 0},
        {"10ns", 10},
        {"100us", 100000},
        {"250ms", 250000000},
        {"10s", 10 * SECOND},
        {"0.25s", SECOND / 4},
        {"5m", 300 * SECOND},
        {"1.5h", 5400 * SECOND},
        {"2d", 172800 * SECOND},
        {"max", INT64_MAX},
        {"9223372036854775807ns", INT64_MAX},
    };
    check_meanings(fil_units_parse_duration, meanings, COUNT(meanings));
}

static void test_wrong_durations_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct refusal refusals[] = {
        {"", FIL_E_MALFORMED, 0, "a number is expected"},
        {"10", FIL_E_MALFORMED, 2, "a duration needs a unit"},
        {"10S", FIL_E_MALFORMED, 2, "a duration needs a unit"},
        {"10M", FIL_E_MALFORMED, 2, "a duration needs a unit"},
        {"1h30m", FIL_E_MALFORMED, 1, "a duration needs a unit"},
        {"0.5ns", FIL_E_MALFORMED, 0, "not a whole number of nanoseconds"},
        {"9223372036854775808ns", FIL_E_LIMIT, 0, "the value is too large"},
        {"106752d", FIL_E_LIMIT, 0, "the value is too large"},
    };
    check_refusals(fil_units_parse_duration, refusals, COUNT(refusals));
}

static void test_counts_are_in_thousands(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {"0", 0},       {"1000", 1000},      {"10k", 10000},
        {"10K", 10000}, {"5M", 5000000},     {"2G", UINT64_C(2) * SECOND},
        {"1.5k", 1500}, {"max", UINT64_MAX},
    };
    static const struct refusal refusals[] = {
        {"10x", FIL_E_MALFORMED, 2, "unknown unit"},
        {"1.5", FIL_E_MALFORMED, 0, "not a whole number"},
        {"18446744074G", FIL_E_LIMIT, 0, "the value is too large"},
    };
    check_meanings(fil_units_parse_count, meanings, COUNT(meanings));
    check_refusals(fil_units_parse_count, refusals, COUNT(refusals));
}

static void check_format(format_fn format, const struct meaning *meanings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[FIL_UNITS_TEXT_MAX];
        assert_string_equal(format(meanings[i].value, text), meanings[i].text);
        assert_ptr_equal(format(meanings[i].value, text), text);
    }
}

static void test_exact_form_is_the_shortest(void **state)
{
    (void)state;
    static const struct meaning sizes[] = {
        {"0", 0},
        {"1", 1},
        {"1KB", 1000},
        {"1KiB", 1024},
        {"1025", 1025},
        {"64KiB", 65536},
        {"500MB", 500000000},
        {"1GiB", UINT64_C(1) << 30},
        {"1MiB", 1048576},
        {"1024KB", 1024000},
        {"max", UINT64_MAX},
        {"18446744073709551614", UINT64_MAX - 1},
    };
    static const struct meaning durations[] = {
        {"0", 0},
        {"1ns", 1},
        {"1500us", 1500000},
        {"250ms", 250000000},
        {"90s", 90 * SECOND},
        {"2m", 120 * SECOND},
        {"1h", 3600 * SECOND},
        {"1d", 86400 * SECOND},
        {"max", INT64_MAX},
        {"18446744073709551615ns", UINT64_MAX},
    };
    static const struct meaning counts[] = {
        {"0", 0}, {"999", 999}, {"1k", 1000}, {"1500", 1500}, {"2M", 2000000}, {"max", UINT64_MAX},
    };
    check_format(fil_units_format_size, sizes, COUNT(sizes));
    check_format(fil_units_format_duration, durations, COUNT(durations));
    check_format(fil_units_format_count, counts, COUNT(counts));
}

static void check_round_trip(parse_fn parse, format_fn format, uint64_t value)
{
    char text[FIL_UNITS_TEXT_MAX];
    uint64_t again = value + 1;
    assert_int_equal(parse(fil_bytes_of(format(value, text)), &again, NULL), FIL_OK);
    assert_true(again == value);
}

static void test_exact_form_parses_to_the_same_value(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 1);
    for (int i = 0; i < 20000; i++) {
        uint64_t value = fil_prng_next(&prng) >> fil_prng_below(&prng, 64);
        // Round values are the interesting ones.
        value -= value % (UINT64_C(1) << fil_prng_below(&prng, 40));
        check_round_trip(fil_units_parse_size, fil_units_format_size, value);
        check_round_trip(fil_units_parse_count, fil_units_format_count, value);
        check_round_trip(fil_units_parse_duration, fil_units_format_duration, value / 2);
        uint64_t seconds = fil_prng_below(&prng, 1000000);
        check_round_trip(fil_units_parse_duration, fil_units_format_duration, seconds * SECOND);
    }
}

static void test_human_form_is_rounded_to_a_tenth(void **state)
{
    (void)state;
    static const struct meaning sizes[] = {
        {"0 B", 0},
        {"1023 B", 1023},
        {"1.0 KiB", 1024},
        {"1.5 KiB", 1536},
        {"1.0 MiB", 1048575},
        {"1023.9 KiB", 1048474},
        {"18.4 GiB", UINT64_C(19756849561)},
        {"16.0 EiB", UINT64_MAX},
    };
    static const struct meaning durations[] = {
        {"0 ns", 0},
        {"999 ns", 999},
        {"1.2 us", 1234},
        {"12.3 ms", 12345678},
        {"1.0 s", 999999999},
        {"59.9 s", 59940000000},
        {"1.0 m", 59990000000},
        {"1.5 h", 5400 * SECOND},
        {"2.0 d", 172800 * SECOND},
        {"213504.0 d", UINT64_MAX},
    };
    static const struct meaning counts[] = {
        {"0", 0},
        {"999", 999},
        {"1.0 k", 1000},
        {"3.5 M", 3456789},
        {"18446744073.7 G", UINT64_MAX},
    };
    check_format(fil_units_human_size, sizes, COUNT(sizes));
    check_format(fil_units_human_duration, durations, COUNT(durations));
    check_format(fil_units_human_count, counts, COUNT(counts));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_mean_what_people_mean),
        cmocka_unit_test(test_wrong_sizes_are_refused_with_a_reason),
        cmocka_unit_test(test_durations_mean_what_people_mean),
        cmocka_unit_test(test_wrong_durations_are_refused_with_a_reason),
        cmocka_unit_test(test_counts_are_in_thousands),
        cmocka_unit_test(test_exact_form_is_the_shortest),
        cmocka_unit_test(test_exact_form_parses_to_the_same_value),
        cmocka_unit_test(test_human_form_is_rounded_to_a_tenth),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
