// SPDX-License-Identifier: Apache-2.0
/**
 * JSON merge patches, one test a promise: the cases of RFC 7396's appendix; names are compared by
 * their characters; the last of equal names counts; what is no JSON is refused, whichever of the
 * two it is; limits hold; without memory it is an error at any position.
 */
#include "grid/map/json_merge.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/json/json.h"
#include "tests/unit/harness.h"

static int merge(const char *target, const char *patch, struct fil_map_buffer *out)
{
    fil_map_buffer_init(out);
    return fil_json_merge(fil_bytes_of(target), fil_bytes_of(patch), out);
}

static void assert_merged(const char *target, const char *patch, const char *expected)
{
    struct fil_map_buffer out;
    assert_int_equal(merge(target, patch, &out), FIL_OK);
    fil_map_buffer_add(&out, fil_bytes_make("", 1));
    assert_string_equal((const char *)out.data, expected);
    fil_map_buffer_fini(&out);
}

static void test_cases_of_the_standard(void **state)
{
    (void)state;
    assert_merged("{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}");
    assert_merged("{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}");
    assert_merged("{\"a\":\"b\"}", "{\"a\":null}", "{}");
    assert_merged("{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}");
    assert_merged("{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}");
    assert_merged("{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}");
    assert_merged("{\"a\": {\"b\": \"c\"}}", "{\"a\": {\"b\": \"d\", \"c\": null}}",
                  "{\"a\":{\"b\":\"d\"}}");
    assert_merged("{\"a\": [ {\"b\":\"c\"} ]}", "{\"a\":[1]}", "{\"a\":[1]}");
    assert_merged("[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]");
    assert_merged("{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]");
    assert_merged("{\"a\":\"foo\"}", "null", "null");
    assert_merged("{\"a\":\"foo\"}", "\"bar\"", "\"bar\"");
    assert_merged("{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}");
    assert_merged("[1,2]", "{\"a\":\"b\", \"c\":null}", "{\"a\":\"b\"}");
    assert_merged("{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}");
    assert_merged("", "{\"a\":{\"b\":null,\"c\":[null]}}", "{\"a\":{\"c\":[null]}}");
}

static void test_names_are_compared_by_characters(void **state)
{
    (void)state;
    assert_merged("{\"a\\u0062\":1}", "{\"ab\":2}", "{\"a\\u0062\":2}");
    assert_merged("{\"\xc3\xa9\":1}", "{\"\\u00E9\":null}", "{}");
    assert_merged("{\"\xf0\x9f\x98\x80\":1}", "{\"\\ud83d\\uDE00\":null}", "{}");
    assert_merged("{\"\\n\\t\\\"\\/\":1}", "{\"\\u000a\\u0009\\u0022/\":null}", "{}");
    assert_merged("{\"\xe2\x82\xac\":1}", "{\"\\u20ac\":null}", "{}");
    assert_merged("{\"\\ud83d\":1}", "{\"x\":2}", "{\"\\ud83d\":1,\"x\":2}");
    assert_merged("{\"a\":1}", "{\"A\":2}", "{\"a\":1,\"A\":2}");
}

static void test_last_of_equal_names_counts(void **state)
{
    (void)state;
    assert_merged("{\"a\":1,\"b\":2,\"a\":3}", "{}", "{\"b\":2,\"a\":3}");
    assert_merged("{}", "{\"a\":1,\"a\":null}", "{}");
    assert_merged("{\"a\":0}", "{\"a\":null,\"a\":2}", "{\"a\":2}");
}

static void test_numbers_and_blanks(void **state)
{
    (void)state;
    assert_merged(" { \"a\" : -0.5e+3 , \"b\" : [ ] } ", "\t{\r\n}", "{\"a\":-0.5e+3,\"b\":[ ]}");
    assert_merged("0", "1E9", "1E9");
    assert_merged("{\"a\":{}}", "true", "true");
}

static void test_what_is_no_json_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        " ",       "{",           "}",      "{\"a\"}",  "{\"a\":}", "{\"a\":1,}",
        "{a:1}",   "[1,]",        "[1 2]",  "[",        "01",       "1.",
        "-",       ".5",          "1e",     "tru",      "nulll",    "\"a",
        "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "\"\x80\"", "{}{}",     "{\"a\":1 \"b\":2}",
        "\"\\\"",  "+1",          "{1:2}",
    };
    for (size_t i = 0; i < FIL_COUNT_OF(wrong); i++) {
        struct fil_map_buffer out;
        assert_int_equal(merge("{}", wrong[i], &out), FIL_E_MALFORMED);
        fil_map_buffer_fini(&out);
        assert_int_equal(merge(wrong[i], "{}", &out), FIL_E_MALFORMED);
        fil_map_buffer_fini(&out);
    }
    struct fil_map_buffer out;
    assert_int_equal(merge("{}", "", &out), FIL_E_MALFORMED);
    fil_map_buffer_fini(&out);
}

static void test_limits_hold(void **state)
{
    (void)state;
    static char text[4 * FIL_JSON_VALUES_MAX];
    struct fil_map_buffer out;
    memset(text, '[', FIL_JSON_DEPTH_MAX - 1);
    memset(text + FIL_JSON_DEPTH_MAX - 1, ']', FIL_JSON_DEPTH_MAX - 1);
    assert_int_equal(merge("", text, &out), FIL_OK);
    fil_map_buffer_fini(&out);
    memset(text, '[', sizeof(text) - 1);
    assert_int_equal(merge("", text, &out), FIL_E_LIMIT);
    fil_map_buffer_fini(&out);
    for (size_t i = 1; i + 1 < sizeof(text); i += 2) {
        text[i] = '0';
        text[i + 1] = ',';
    }
    assert_int_equal(merge("", text, &out), FIL_E_LIMIT);
    fil_map_buffer_fini(&out);
}

static void test_without_memory_it_is_an_error(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    int64_t position = 0;
    for (; error != FIL_OK; position++) {
        struct fil_map_buffer out;
        fil_alloc_fail_after(position);
        error = merge("{\"a\":1}", "{\"b\":{\"c\":2}}", &out);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        fil_map_buffer_fini(&out);
    }
    assert_true(position > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases_of_the_standard),
        cmocka_unit_test(test_names_are_compared_by_characters),
        cmocka_unit_test(test_last_of_equal_names_counts),
        cmocka_unit_test(test_numbers_and_blanks),
        cmocka_unit_test(test_what_is_no_json_is_refused),
        cmocka_unit_test(test_limits_hold),
        cmocka_unit_test(test_without_memory_it_is_an_error),
    };
    return cmocka_run_group_tests_name("json_merge", tests, NULL, NULL);
}
