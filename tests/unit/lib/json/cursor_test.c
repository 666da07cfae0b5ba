// SPDX-License-Identifier: Apache-2.0
/**
 * Steps over JSON, one test a promise: whole values are stepped over, what is cut off is not,
 * strings give their characters whatever their escapes, and names are compared by them.
 */
#include "lib/json/cursor.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static size_t skipped(const char *text)
{
    struct fil_json_cursor cursor = {.text = fil_bytes_of(text)};
    return fil_json_skip_value(&cursor) ? cursor.at : 0;
}

static void test_whole_values_are_stepped_over(void **state)
{
    (void)state;
    assert_int_equal(skipped(" null,"), 5);
    assert_int_equal(skipped("true"), 4);
    assert_int_equal(skipped("false]"), 5);
    assert_int_equal(skipped("-1.5e+3 "), 7);
    assert_int_equal(skipped("\"a\\\"b\"x"), 6);
    assert_int_equal(skipped("{\"a\":[1,{\"}\":2}]}, "), 17);
    assert_int_equal(skipped("[]"), 2);
}

static void test_what_is_cut_off_or_wrong_is_not(void **state)
{
    (void)state;
    static const char *const bad[] = {"",  "{",  "[1,", "\"a", "\"\\",    "\"\\u12\"", "nul",
                                      "-", "1.", "1e",  "x",   "\"\\x\"", "{\"a}",     "\"\n\""};
    for (size_t i = 0; i < FIL_COUNT_OF(bad); i++) {
        size_t size = strlen(bad[i]);
        uint8_t *copy = fil_alloc(size + 1);
        assert_non_null(copy);
        memcpy(copy + 1, bad[i], size); // what stands behind the text is noticed
        struct fil_json_cursor cursor = {.text = fil_bytes_make(copy + 1, size)};
        assert_false(fil_json_skip_value(&cursor));
        assert_true(cursor.at <= size);
        fil_free(copy);
    }
}

static void test_strings_give_their_characters(void **state)
{
    (void)state;
    struct fil_bytes quoted = fil_bytes_of("\"a\\n\\u00fc\\ud83d\\ude00\\/\"");
    assert_true(fil_json_string_equals(quoted, fil_bytes_of("a\n\xc3\xbc\xf0\x9f\x98\x80/")));
    assert_false(fil_json_string_equals(quoted, fil_bytes_of("a\n")));
    assert_false(fil_json_string_equals(fil_bytes_of("\"a\""), fil_bytes_of("ab")));
    assert_true(fil_json_string_equals(fil_bytes_of("\"\""), fil_bytes_make(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_values_are_stepped_over),
        cmocka_unit_test(test_what_is_cut_off_or_wrong_is_not),
        cmocka_unit_test(test_strings_give_their_characters),
    };
    return cmocka_run_group_tests_name("cursor", tests, NULL, NULL);
}
