// SPDX-License-Identifier: Apache-2.0
/**
 * Reading JSON, one test a promise: kinds and texts of values; members are found by characters and
 * the last one counts; strings come out without escapes; what is no JSON is refused; limits hold;
 * without memory it is an error.
 */
#include "lib/json/json.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static struct fil_json json;

static int tear_down(void **state)
{
    (void)state;
    fil_json_release(&json);
    return 0;
}

static int read_text(const char *text)
{
    fil_json_release(&json);
    return fil_json_read(&json, fil_bytes_of(text));
}

static const struct fil_json_node *member(const char *name)
{
    const struct fil_json_node *found = fil_json_member(&json, json.nodes, fil_bytes_of(name));
    assert_non_null(found);
    return found;
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum fil_json_kind kind;
    } cases[] = {
        {"{}", FIL_JSON_OBJECT},      {"[]", FIL_JSON_ARRAY},  {"\"\"", FIL_JSON_STRING},
        {"-0.5e+3", FIL_JSON_NUMBER}, {"true", FIL_JSON_TRUE}, {"false", FIL_JSON_FALSE},
        {" null ", FIL_JSON_NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(read_text(cases[i].text), FIL_OK);
        assert_int_equal(json.nodes[0].kind, cases[i].kind);
        assert_int_equal(json.count, 1);
    }
}

static void test_members(void **state)
{
    (void)state;
    assert_int_equal(read_text("{\"a\": [1, {\"b\": 2}], \"\\u0062\": 3, \"c\": 4, \"c\": 5 }"),
                     FIL_OK);
    assert_true(
        fil_bytes_equal(fil_json_text(&json, member("a")), fil_bytes_of("[1, {\"b\": 2}]")));
    assert_true(fil_bytes_equal(fil_json_text(&json, member("b")), fil_bytes_of("3")));
    assert_true(fil_bytes_equal(fil_json_text(&json, member("c")), fil_bytes_of("5")));
    assert_null(fil_json_member(&json, json.nodes, fil_bytes_of("")));
    assert_null(fil_json_member(&json, json.nodes, fil_bytes_of("bb")));
    assert_null(fil_json_member(&json, member("a"), fil_bytes_of("b")));
}

static void test_strings_without_escapes(void **state)
{
    (void)state;
    static const char text[] = "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u20ac\\ud83d\\ude00\xc3\xa9\"";
    static const char expected[] = "\"\\/\b\f\n\r\t\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9";
    uint8_t bytes[sizeof(text)];
    assert_int_equal(read_text(text), FIL_OK);
    size_t size = fil_json_string(&json, json.nodes, bytes);
    assert_int_equal(size, sizeof(expected) - 1);
    assert_memory_equal(bytes, expected, size);
}

static void test_broken_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"",       "{",        "[1,]",      "{\"a\"}", "{\"a\":}",
                                        "{a:1}",  "01",       "1.",        "1e",      "\"\\x\"",
                                        "\"\t\"", "nul",      "[1 2]",     "1 2",     "\"\\u12g4\"",
                                        "\"",     "\"\xff\"", "{\"a\":1,}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(read_text(texts[i]), FIL_E_MALFORMED);
    }
}

static void test_limits(void **state)
{
    (void)state;
    static char text[2 * FIL_JSON_VALUES_MAX + 3];
    memset(text, '[', FIL_JSON_DEPTH_MAX + 1);
    assert_int_equal(read_text(text), FIL_E_LIMIT);
    text[0] = '[';
    for (size_t i = 0; i < FIL_JSON_VALUES_MAX; i++) {
        memcpy(text + 1 + 2 * i, "1,", 2);
    }
    memcpy(text + 2 * FIL_JSON_VALUES_MAX, "]", 2);
    assert_int_equal(read_text(text), FIL_E_LIMIT);
    memcpy(text + 2 * FIL_JSON_VALUES_MAX - 2, "]", 2);
    assert_int_equal(read_text(text), FIL_OK);
    assert_int_equal(json.count, FIL_JSON_VALUES_MAX);
}

static void test_no_memory(void **state)
{
    (void)state;
    fil_alloc_fail_after(0);
    int error = read_text("[1]");
    fil_alloc_fail_after(-1);
    assert_int_equal(error, FIL_E_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_kinds, tear_down),
        cmocka_unit_test_teardown(test_members, tear_down),
        cmocka_unit_test_teardown(test_strings_without_escapes, tear_down),
        cmocka_unit_test_teardown(test_broken_texts, tear_down),
        cmocka_unit_test_teardown(test_limits, tear_down),
        cmocka_unit_test_teardown(test_no_memory, tear_down),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
