// SPDX-License-Identifier: Apache-2.0
/**
 * Ranges and entity tags, one test a promise: one range gives its part, cut to what is there; what
 * is not there is told; what nobody understands, and several ranges, mean all of it; tags are
 * compared as a whole, weak ones only where that is enough.
 */
#include "lib/http/condition.h"
#include "tests/unit/harness.h"

static void check_part(const char *header, uint64_t offset, uint64_t size)
{
    struct fil_http_range range = {0};
    assert_int_equal(fil_http_range_read(fil_bytes_of(header), 1000, &range), FIL_HTTP_RANGE_PART);
    assert_int_equal(range.offset, offset);
    assert_int_equal(range.size, size);
}

static void test_range_gives_its_part(void **state)
{
    (void)state;
    check_part("bytes=0-0", 0, 1);
    check_part("bytes=0-499", 0, 500);
    check_part("bytes=500-", 500, 500);
    check_part("bytes=999-999", 999, 1);
    check_part("bytes=-1", 999, 1);
    check_part("Bytes= 1-2 ", 1, 2);
}

static void test_part_is_cut_to_what_is_there(void **state)
{
    (void)state;
    check_part("bytes=990-2000", 990, 10);
    check_part("bytes=0-18446744073709551615", 0, 1000);
    check_part("bytes=-5000", 0, 1000);
}

static void test_what_is_not_there_is_told(void **state)
{
    (void)state;
    static const char *const beyond[] = {"bytes=1000-", "bytes=1000-1001", "bytes=-0"};
    struct fil_http_range range;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fil_http_range_read(fil_bytes_of(beyond[i]), 1000, &range),
                         FIL_HTTP_RANGE_BEYOND);
    }
    assert_int_equal(fil_http_range_read(fil_bytes_of("bytes=0-"), 0, &range),
                     FIL_HTTP_RANGE_BEYOND);
    assert_int_equal(fil_http_range_read(fil_bytes_of("bytes=-1"), 0, &range),
                     FIL_HTTP_RANGE_BEYOND);
}

static void test_what_nobody_understands_means_all(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",           "bytes",         "bytes=",
        "bytes=-",    "bytes=1",       "bytes=a-b",
        "bytes=2-1",  "items=0-1",     "bytes=0-1,",
        "bytes=+1-2", "bytes=0-1,3-4", "bytes=1 -2",
        "bytes=--1",  "bytes=0x1-2",   "bytes=99999999999999999999-"};
    struct fil_http_range range;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(fil_http_range_read(fil_bytes_of(others[i]), 1000, &range),
                         FIL_HTTP_RANGE_WHOLE);
    }
}

static bool match(const char *list, bool is_strong)
{
    return fil_http_etags_match(fil_bytes_of(list), fil_bytes_of("\"ab\""), is_strong);
}

static void test_tags_are_compared_as_a_whole(void **state)
{
    (void)state;
    assert_true(match("*", true));
    assert_true(match("\"ab\"", true));
    assert_true(match("\"x\", \"ab\"", true));
    assert_true(match(" ,\"x,\" ,\"ab\"", false));
    assert_true(match("W/\"ab\"", false));
    assert_false(match("W/\"ab\"", true));
    static const char *const others[] = {"",   "ab", "\"a\"",  "\"ab",      "\"abc\"",
                                         "\"", "W/", "\"AB\"", "x, \"ab\"", "'ab'"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(match(others[i], false));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_range_gives_its_part),
        cmocka_unit_test(test_part_is_cut_to_what_is_there),
        cmocka_unit_test(test_what_is_not_there_is_told),
        cmocka_unit_test(test_what_nobody_understands_means_all),
        cmocka_unit_test(test_tags_are_compared_as_a_whole),
    };
    return cmocka_run_group_tests_name("condition", tests, NULL, NULL);
}
