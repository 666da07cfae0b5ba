// SPDX-License-Identifier: Apache-2.0
/**
 * The suggestion's contract, one test a promise:
 * the distance counts edits, the nearest word wins, a word that is too far is none, long words are
 * left alone.
 */
#include "lib/conf/suggest.h"

#include <string.h>

#include "tests/unit/harness.h"

static size_t distance(const char *a, const char *b)
{
    size_t there = fil_suggest_distance(fil_bytes_of(a), fil_bytes_of(b));
    assert_int_equal(there, fil_suggest_distance(fil_bytes_of(b), fil_bytes_of(a)));
    return there;
}

static void test_distance_counts_edits(void **state)
{
    (void)state;
    assert_int_equal(distance("", ""), 0);
    assert_int_equal(distance("", "abc"), 3);
    assert_int_equal(distance("listen", "listen"), 0);
    assert_int_equal(distance("listen", "LISTEN"), 0);
    assert_int_equal(distance("listen", "listn"), 1);   // left out
    assert_int_equal(distance("listen", "lissten"), 1); // inserted
    assert_int_equal(distance("listen", "lisden"), 1);  // replaced
    assert_int_equal(distance("listen", "lisetn"), 1);  // swapped
    assert_int_equal(distance("abcd", "badc"), 2);      // swapped twice
    assert_int_equal(distance("kitten", "sitting"), 3);
    assert_int_equal(distance("abc", "xyz"), 3);
}

static const char *best_of(const char *wanted, const char *const *words)
{
    struct fil_suggest suggest;
    fil_suggest_init(&suggest, fil_bytes_of(wanted));
    for (; *words != NULL; words++) {
        fil_suggest_offer(&suggest, *words);
    }
    return suggest.best;
}

static void test_nearest_word_wins(void **state)
{
    (void)state;
    static const char *const words[] = {"format", "form", "forms", NULL};
    assert_string_equal(best_of("fromat", words), "format");
    assert_string_equal(best_of("formz", words), "form"); // equally near: the first
    assert_string_equal(best_of("forms", words), "forms");
}

static void test_far_word_is_no_suggestion(void **state)
{
    (void)state;
    static const char *const words[] = {"level", "timeout", NULL};
    assert_null(best_of("colour", words));
    assert_null(best_of("", words));
    assert_null(best_of("lvl", words)); // two edits of five letters
    assert_string_equal(best_of("levl", words), "level");
    assert_string_equal(best_of("timeou", words), "timeout");
}

static void test_long_words_are_left_alone(void **state)
{
    (void)state;
    char longest[FIL_SUGGEST_SIZE_MAX + 1];
    char too_long[FIL_SUGGEST_SIZE_MAX + 2];
    memset(longest, 'x', sizeof(longest) - 1);
    memset(too_long, 'x', sizeof(too_long) - 1);
    longest[sizeof(longest) - 1] = '\0';
    too_long[sizeof(too_long) - 1] = '\0';
    const char *const both[] = {too_long, longest, NULL};
    const char *const one[] = {longest, NULL};
    assert_ptr_equal(best_of(longest, both), longest);
    assert_null(best_of(too_long, one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_counts_edits),
        cmocka_unit_test(test_nearest_word_wins),
        cmocka_unit_test(test_far_word_is_no_suggestion),
        cmocka_unit_test(test_long_words_are_left_alone),
    };
    return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
