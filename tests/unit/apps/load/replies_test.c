// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of telling replies apart: each kind is one reply, wherever the bytes are cut;
 * line ends and markers inside a bulk string do not count; nulls are misses, alone and in arrays;
 * an error keeps its words, and one in an array makes the array an error; an array is one reply and
 * knows its elements; nothing else is taken for a reply.
 */
#include "apps/filbert/load/replies.h"

#include <stdio.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"

// Each reply, as its kind, elements and misses, is in `wanted`.
static const char stream[] = "+OK\r\n"
                             "$3\r\nabc\r\n"
                             "$-1\r\n"
                             "$0\r\n\r\n"
                             ":-42\r\n"
                             "-ERR no\r\n"
                             "$12\r\n+OK\r\n$-1\r\n\r\n\r\n"
                             "_\r\n"
                             "*3\r\n$2\r\nhi\r\n$-1\r\n:7\r\n"
                             "*0\r\n"
                             "*2\r\n-ERR in here\r\n$1\r\nx\r\n";
static const char wanted[] = "+0,0 $0,0 $0,1 $0,0 :0,0 -0,0 $0,0 _0,1 *3,1 *0,0 -2,0 ";

/** Feeds pieces of at most so many bytes, the first one of its own size. */
static void check_pieces(size_t first, size_t piece)
{
    struct load_replies replies = {0};
    char found[256] = "";
    size_t found_size = 0;
    size_t size = first;
    for (size_t at = 0; at < sizeof(stream) - 1; at += size, size = piece) {
        size_t left = sizeof(stream) - 1 - at;
        struct fil_bytes bytes = fil_bytes_make(stream + at, size < left ? size : left);
        struct load_reply reply;
        int result = 0;
        while ((result = load_replies_next(&replies, &bytes, &reply)) == 1) {
            found_size +=
                (size_t)snprintf(found + found_size, sizeof(found) - found_size, "%c%u,%u ",
                                 reply.kind, reply.element_count, reply.miss_count);
        }
        assert_int_equal(result, 0);
        assert_int_equal(bytes.size, 0);
    }
    assert_string_equal(found, wanted);
}

static void test_each_kind_is_told_apart(void **state)
{
    (void)state;
    check_pieces(sizeof(stream), sizeof(stream));
}

static void test_bytes_may_be_cut_anywhere(void **state)
{
    (void)state;
    for (size_t cut = 1; cut < sizeof(stream); cut++) {
        check_pieces(cut, sizeof(stream));
        check_pieces(cut, 3);
    }
    check_pieces(1, 1);
}

static int next_of(struct load_replies *replies, const char *text)
{
    struct fil_bytes bytes = fil_bytes_of(text);
    struct load_reply reply;
    return load_replies_next(replies, &bytes, &reply);
}

static void test_incomplete_reply_does_not_count(void **state)
{
    (void)state;
    struct load_replies replies = {0};
    assert_int_equal(next_of(&replies, "$5\r\nhello\r"), 0);
    assert_int_equal(next_of(&replies, "\n+O"), 1);
    assert_int_equal(next_of(&replies, "+O"), 0);
    assert_int_equal(next_of(&replies, "K\r\n"), 1);
    assert_int_equal(next_of(&replies, "*2\r\n:1\r\n"), 0);
    assert_int_equal(next_of(&replies, ":2\r\n"), 1);
}

static void test_error_keeps_its_words(void **state)
{
    (void)state;
    struct load_replies replies = {0};
    assert_int_equal(next_of(&replies, "-ERR un"), 0);
    assert_int_equal(next_of(&replies, "known \x1b command\r\n"), 1);
    assert_string_equal(replies.error_text, "ERR unknown ? command");
    assert_int_equal(next_of(&replies, "-NO\r\n"), 1);
    assert_string_equal(replies.error_text, "NO");
}

static void test_long_error_is_cut(void **state)
{
    (void)state;
    struct load_replies replies = {0};
    char text[512];
    (void)snprintf(text, sizeof(text), "-%0400d\r\n", 1);
    assert_int_equal(next_of(&replies, text), 1);
    assert_int_equal(strlen(replies.error_text), LOAD_REPLY_TEXT_MAX - 1);
}

static void test_what_is_no_reply_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"HTTP/1.1 400\r\n", "*2\r\n*1\r\n", "*99999999999\r\n",
                                        "$9999999999999999\r\n", "\r\n"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct load_replies replies = {0};
        assert_int_equal(next_of(&replies, wrong[i]), FIL_E_MALFORMED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_is_told_apart),
        cmocka_unit_test(test_bytes_may_be_cut_anywhere),
        cmocka_unit_test(test_incomplete_reply_does_not_count),
        cmocka_unit_test(test_error_keeps_its_words),
        cmocka_unit_test(test_long_error_is_cut),
        cmocka_unit_test(test_what_is_no_reply_is_refused),
    };
    return cmocka_run_group_tests_name("replies", tests, NULL, NULL);
}
