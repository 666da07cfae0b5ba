// SPDX-License-Identifier: Apache-2.0
/**
 * Regular expressions, one test a promise: the whole text is matched, each construct means what it
 * says, characters are those of UTF-8, expressions that would take others ages take no time, what
 * is not known or no expression is refused, and sizes are bounded.
 */
#include "protocol/client/query/regex.h"

#include <string.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"

static struct fil_arena arena;

static int set_up(void **state)
{
    (void)state;
    fil_arena_init(&arena, 4096, 1U << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_arena_fini(&arena);
    return 0;
}

static int compile(const char *pattern, const struct fil_query_regex **out_regex)
{
    fil_arena_reset(&arena);
    return fil_query_regex_compile(fil_bytes_of(pattern), &arena, out_regex);
}

static bool matches(const char *pattern, const char *text)
{
    const struct fil_query_regex *regex = NULL;
    assert_int_equal(compile(pattern, &regex), FIL_OK);
    return fil_query_regex_matches(regex, fil_bytes_of(text));
}

static int refusal(const char *pattern)
{
    const struct fil_query_regex *regex = NULL;
    return compile(pattern, &regex);
}

static void test_the_whole_text_is_matched(void **state)
{
    (void)state;
    assert_true(matches("abc", "abc"));
    assert_false(matches("abc", "abcd"));
    assert_false(matches("abc", "xabc"));
    assert_true(matches("", ""));
    assert_false(matches("", "a"));
    assert_true(matches("^abc$", "abc"));
    assert_false(matches("a^b", "ab"));
}

static void test_repetitions(void **state)
{
    (void)state;
    assert_true(matches("a*", ""));
    assert_true(matches("a*", "aaaa"));
    assert_false(matches("a+", ""));
    assert_true(matches("ab?c", "ac"));
    assert_true(matches("a{2}", "aa"));
    assert_false(matches("a{2}", "aaa"));
    assert_true(matches("(ab){1,3}", "ababab"));
    assert_false(matches("(ab){1,3}", "abababab"));
    assert_true(matches("a{0,2}b", "aab"));
    assert_false(matches("a{0,2}b", "aaab"));
    assert_true(matches("a{2,}", "aaaaa"));
    assert_false(matches("a{2,}", "a"));
    assert_true(matches("a{0}b", "b"));
    assert_true(matches("a*?b++", "aabb"));
    assert_true(matches("(a|b{2}){2}", "bba"));
}

static void test_choices_and_groups(void **state)
{
    (void)state;
    assert_true(matches("cat|dog|bird", "dog"));
    assert_true(matches("(cat|dog)s", "cats"));
    assert_false(matches("(?:cat|dog)s", "birds"));
    assert_true(matches("a(b(c|d))*e", "abcbde"));
    assert_true(matches("(a|)b", "b"));
}

static void test_classes(void **state)
{
    (void)state;
    assert_true(matches("[a-c]+[^0-9]", "abcx"));
    assert_false(matches("[a-c]+[^0-9]", "abc1"));
    assert_true(matches("\\d+\\.\\d", "12.5"));
    assert_true(matches("[\\w-]+\\s\\S\\D\\W", "a-b_ xx!"));
    assert_true(matches("[a\\]]+", "a]"));
    assert_true(matches("[a-]+", "a-"));
    assert_true(matches("a.c", "abc"));
    assert_false(matches("a.c", "a\nc"));
    assert_true(matches("\\(\\t\\)", "(\t)"));
}

static void test_characters_are_those_of_utf8(void **state)
{
    (void)state;
    assert_true(matches(".", "\xc3\xbc"));
    assert_true(matches("[\xc3\xa4-\xc3\xbc]{2}", "\xc3\xb6\xc3\xbc"));
    assert_false(matches("..", "\xe2\x82\xac"));
    assert_true(matches("\xf0\x9f\x98\x80?x", "x"));
}

static void test_no_expression_takes_ages(void **state)
{
    (void)state;
    char text[5001];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_false(matches("(a*)*b", text));
    assert_false(matches("(a|a)*(a|aa)*c", text));
    assert_true(matches("(a?){100}a{100}.*", text));
}

static void test_what_is_no_expression_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"(",  ")",   "a)",  "[a",     "*",    "a**b(",
                                      "+a", "{2}", "a{2", "a{3,2}", "a{x}", "[b-a]",
                                      "\\", "[\\", "a|*", "\xff"};
    for (size_t i = 0; i < FIL_COUNT_OF(bad); i++) {
        assert_int_equal(refusal(bad[i]), FIL_E_MALFORMED);
    }
}

static void test_what_is_not_known_is_refused(void **state)
{
    (void)state;
    static const char *const unknown[] = {"(a)\\1", "(?=a)",  "(?i)a", "\\bword",
                                          "[[a]]",  "\\p{L}", "[a&&b]"};
    for (size_t i = 0; i < FIL_COUNT_OF(unknown); i++) {
        assert_int_equal(refusal(unknown[i]), FIL_E_UNSUPPORTED);
    }
}

static void test_sizes_are_bounded(void **state)
{
    (void)state;
    char deep[201];
    memset(deep, '(', 100);
    memset(deep + 100, ')', 100);
    deep[200] = '\0';
    assert_int_equal(refusal(deep), FIL_E_LIMIT);
    assert_int_equal(refusal("(a{200}){200}"), FIL_E_LIMIT);
    assert_int_equal(refusal("a{256}"), FIL_E_LIMIT);
    assert_true(matches("a{255}|b", "b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_whole_text_is_matched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repetitions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_choices_and_groups, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_classes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_characters_are_those_of_utf8, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_expression_takes_ages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_no_expression_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_not_known_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sizes_are_bounded, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("regex", tests, NULL, NULL);
}
