// SPDX-License-Identifier: Apache-2.0
/**
 * The date's contract: known moments come out as they should, every day from 1970 to the end of the
 * range agrees with the C library, fractions of a second are dropped; what was written is read
 * back, and what is no date is not.
 */
#include "lib/http/date.h"

#include <time.h>

#include "lib/base/attr.h"
#include "tests/unit/harness.h"

#define NS_PER_SECOND UINT64_C(1000000000)

static void test_known_moments(void **state)
{
    (void)state;
    static const struct {
        uint64_t seconds;
        const char *text;
    } cases[] = {
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"},
        {951782399, "Mon, 28 Feb 2000 23:59:59 GMT"},
        {951782400, "Tue, 29 Feb 2000 00:00:00 GMT"},
        {951868800, "Wed, 01 Mar 2000 00:00:00 GMT"},
        {1735689599, "Tue, 31 Dec 2024 23:59:59 GMT"},
        {1735689600, "Wed, 01 Jan 2025 00:00:00 GMT"},
        {4107542400, "Mon, 01 Mar 2100 00:00:00 GMT"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        char text[FIL_HTTP_DATE_TEXT_MAX];
        assert_string_equal(fil_http_date_format(cases[i].seconds * NS_PER_SECOND, text),
                            cases[i].text);
    }
}

static void test_every_day_agrees_with_the_c_library(void **state)
{
    (void)state;
    const uint64_t last_day = UINT64_MAX / NS_PER_SECOND / 86400;
    for (uint64_t day = 0; day < last_day; day++) {
        char text[FIL_HTTP_DATE_TEXT_MAX];
        char expected[FIL_HTTP_DATE_TEXT_MAX];
        uint64_t seconds = day * 86400 + day * 7919 % 86400;
        time_t moment = (time_t)seconds;
        struct tm parts;
        assert_non_null(gmtime_r(&moment, &parts));
        assert_int_equal(strftime(expected, sizeof(expected), "%a, %d %b %Y %H:%M:%S GMT", &parts),
                         29);
        assert_string_equal(fil_http_date_format(seconds * NS_PER_SECOND, text), expected);
        uint64_t read = 0;
        assert_true(fil_http_date_read(fil_bytes_of(expected), &read));
        assert_int_equal(read, seconds);
    }
}

static void test_what_is_no_date_is_not_read(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "Sun, 06 Nov 1994 08:49:37 GM",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Tue, 29 Feb 2001 00:00:00 GMT",
        "Sun, 06 Nov 1969 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT",
    };
    uint64_t seconds = 0;
    for (size_t i = 0; i < FIL_COUNT_OF(others); i++) {
        assert_false(fil_http_date_read(fil_bytes_of(others[i]), &seconds));
    }
}

static void test_fractions_of_a_second_are_dropped(void **state)
{
    (void)state;
    char text[FIL_HTTP_DATE_TEXT_MAX];
    assert_string_equal(fil_http_date_format(NS_PER_SECOND - 1, text),
                        "Thu, 01 Jan 1970 00:00:00 GMT");
    assert_string_equal(fil_http_date_format(UINT64_MAX, text), "Sun, 21 Jul 2554 23:34:33 GMT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_moments),
        cmocka_unit_test(test_every_day_agrees_with_the_c_library),
        cmocka_unit_test(test_what_is_no_date_is_not_read),
        cmocka_unit_test(test_fractions_of_a_second_are_dropped),
    };
    return cmocka_run_group_tests_name("http date", tests, NULL, NULL);
}
