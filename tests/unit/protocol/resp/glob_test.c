// SPDX-License-Identifier: Apache-2.0
/**
 * Redis's patterns, one test a promise: a star takes any text and gives back; a question mark takes
 * one byte; sets, ranges and their opposites; a backslash makes the next byte mean itself; patterns
 * that are not finished harm nobody; many stars do not take forever.
 */
#include <string.h>

#include "protocol/resp/glob.h"
#include "tests/unit/harness.h"

static bool matches(const char *pattern, const char *text)
{
    return fil_resp_glob_matches(fil_bytes_of(pattern), fil_bytes_of(text));
}

static void test_star_takes_any_text_and_gives_back(void **state)
{
    (void)state;
    assert_true(matches("*", "anything"));
    assert_true(matches("*", ""));
    assert_true(matches("n*s", "news"));
    assert_true(matches("*ab", "aab"));
    assert_true(matches("a*b*c", "axbybzc"));
    assert_true(matches("news**", "news"));
    assert_true(matches("*aab*?", "aaaabaabx"));
    assert_true(matches("*ab?d*", "abcabxd"));
    assert_false(matches("*aab?", "aaaab"));
    assert_false(matches("n*s", "newsy"));
    assert_false(matches("a*b*c", "axbyb"));
}

static void test_question_mark_takes_one_byte(void **state)
{
    (void)state;
    assert_true(matches("n?ws", "news"));
    assert_false(matches("n?ws", "nws"));
    assert_false(matches("?", ""));
}

static void test_sets_and_ranges(void **state)
{
    (void)state;
    assert_true(matches("n[aeo]ws", "nows"));
    assert_false(matches("n[aeo]ws", "nuws"));
    assert_true(matches("n[a-f]ws", "news"));
    assert_true(matches("n[f-a]ws", "news"));
    assert_false(matches("n[a-f]ws", "nzws"));
    assert_true(matches("n[^e]ws", "nows"));
    assert_false(matches("n[^e]ws", "news"));
    assert_true(matches("[\\]]", "]"));
}

static void test_backslash_makes_a_byte_mean_itself(void **state)
{
    (void)state;
    assert_true(matches("n\\?ws", "n?ws"));
    assert_false(matches("n\\?ws", "news"));
    assert_true(matches("\\*", "*"));
    assert_true(matches("\\", "\\"));
}

static void test_unfinished_patterns_harm_nobody(void **state)
{
    (void)state;
    assert_false(matches("[", ""));
    assert_false(matches("[", "["));
    assert_true(matches("n[a", "na"));
    assert_false(matches("n[^", ""));
    assert_true(matches("[a-", "-"));
    assert_false(matches("", "x"));
    assert_true(matches("", ""));
}

static void test_many_stars_do_not_take_forever(void **state)
{
    (void)state;
    char pattern[129];
    char text[1025];
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    for (size_t i = 0; i < 128; i += 2) {
        pattern[i] = '*';
        pattern[i + 1] = 'a';
    }
    pattern[128] = '\0';
    assert_true(matches(pattern, text));
    pattern[127] = 'b';
    assert_false(matches(pattern, text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_star_takes_any_text_and_gives_back),
        cmocka_unit_test(test_question_mark_takes_one_byte),
        cmocka_unit_test(test_sets_and_ranges),
        cmocka_unit_test(test_backslash_makes_a_byte_mean_itself),
        cmocka_unit_test(test_unfinished_patterns_harm_nobody),
        cmocka_unit_test(test_many_stars_do_not_take_forever),
    };
    return cmocka_run_group_tests_name("glob", tests, NULL, NULL);
}
