// SPDX-License-Identifier: Apache-2.0
/**
 * Redis's patterns, one test a promise: a star takes any text and gives back; a question mark takes
 * one byte; sets, ranges and their opposites; a backslash makes the next byte mean itself; patterns
 * that are not finished harm nobody; many stars do not take forever; a match in pieces ends as the
 * whole does, and each piece when its steps are used up.
 */
#include <string.h>

#include "lib/base/prng.h"
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

/** The same, as it is written in books. */
static bool matches_plainly(const char *pattern, const char *text)
{
    if (*pattern == '*') {
        return matches_plainly(pattern + 1, text) ||
               (*text != '\0' && matches_plainly(pattern, text + 1));
    }
    if (*pattern == '\0' || *text == '\0') {
        return *pattern == *text;
    }
    return (*pattern == '?' || *pattern == *text) && matches_plainly(pattern + 1, text + 1);
}

static void fill(struct fil_prng *prng, const char *letters, char *out_text, size_t size_max)
{
    size_t size = fil_prng_next(prng) % size_max;
    for (size_t i = 0; i < size; i++) {
        out_text[i] = letters[fil_prng_next(prng) % strlen(letters)];
    }
    out_text[size] = '\0';
}

/** As many pieces as there are steps. */
static bool matches_in_pieces(const char *pattern, const char *text)
{
    struct fil_resp_glob glob = {0};
    enum fil_resp_verdict verdict = FIL_RESP_GLOB_MORE;
    while (verdict == FIL_RESP_GLOB_MORE) {
        size_t steps = 1;
        verdict = fil_resp_glob_go_on(&glob, fil_bytes_of(pattern), fil_bytes_of(text), &steps);
    }
    return verdict == FIL_RESP_GLOB_YES;
}

static void test_pieces_say_what_the_whole_says(void **state)
{
    (void)state;
    struct fil_prng prng;
    uint32_t yes_count = 0;
    fil_prng_init(&prng, 7);
    for (uint32_t i = 0; i < 20000; i++) {
        char pattern[10];
        char text[12];
        fill(&prng, "ab?**", pattern, sizeof(pattern));
        fill(&prng, "ab", text, sizeof(text));
        bool is_odd = text[0] == '\0' && strlen(pattern) > 1; // in Redis nothing matches several
        bool is_match = !is_odd && matches_plainly(pattern, text);
        assert_int_equal(matches(pattern, text), is_match);
        assert_int_equal(matches_in_pieces(pattern, text), is_match);
        yes_count += is_match;
    }
    assert_true(yes_count > 1000 && yes_count < 19000);
}

static void test_a_piece_ends_after_its_steps(void **state)
{
    (void)state;
    static char text[1000001];
    memset(text, 'a', sizeof(text) - 1);
    struct fil_resp_glob glob = {0};
    struct fil_bytes pattern = fil_bytes_of("*ab");
    uint32_t piece_count = 0;
    size_t steps = 100;
    // What is looked for is not there: the text is gone through in windows.
    while (fil_resp_glob_go_on(&glob, pattern, fil_bytes_of(text), &steps) == FIL_RESP_GLOB_MORE) {
        piece_count++;
        steps = 100;
    }
    assert_true(piece_count > 10);
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
        cmocka_unit_test(test_pieces_say_what_the_whole_says),
        cmocka_unit_test(test_a_piece_ends_after_its_steps),
    };
    return cmocka_run_group_tests_name("glob", tests, NULL, NULL);
}
