// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the counting of replies: each kind counts once, wherever the bytes are cut;
 * line ends and markers inside a bulk string do not count; errors are counted apart.
 */
#include "apps/filbert/lab/replies.h"

#include "tests/unit/harness.h"

// Eight replies, one of them an error.
static const char stream[] = "+OK\r\n"
                             "$3\r\nabc\r\n"
                             "$-1\r\n"
                             "$0\r\n\r\n"
                             ":42\r\n"
                             "-ERR no\r\n"
                             "$12\r\n+OK\r\n$-1\r\n\r\n\r\n"
                             "_\r\n";
#define REPLIES 8

static void test_each_kind_counts_once(void **state)
{
    (void)state;
    struct lab_replies replies = {0};
    assert_int_equal(lab_replies_feed(&replies, fil_bytes_of(stream)), REPLIES);
    assert_int_equal(replies.error_count, 1);
}

static void test_bytes_may_be_cut_anywhere(void **state)
{
    (void)state;
    size_t size = sizeof(stream) - 1;
    for (size_t cut = 0; cut <= size; cut++) {
        struct lab_replies replies = {0};
        uint32_t count = lab_replies_feed(&replies, fil_bytes_make(stream, cut));
        count += lab_replies_feed(&replies, fil_bytes_make(stream + cut, size - cut));
        assert_int_equal(count, REPLIES);
        assert_int_equal(replies.error_count, 1);
    }
}

static void test_byte_by_byte(void **state)
{
    (void)state;
    struct lab_replies replies = {0};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof(stream) - 1; i++) {
        count += lab_replies_feed(&replies, fil_bytes_make(stream + i, 1));
    }
    assert_int_equal(count, REPLIES);
}

static void test_incomplete_reply_does_not_count(void **state)
{
    (void)state;
    struct lab_replies replies = {0};
    assert_int_equal(lab_replies_feed(&replies, fil_bytes_of("$5\r\nhello\r")), 0);
    assert_int_equal(lab_replies_feed(&replies, fil_bytes_of("\n+O")), 1);
    assert_int_equal(lab_replies_feed(&replies, fil_bytes_of("K\r\n")), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_counts_once),
        cmocka_unit_test(test_bytes_may_be_cut_anywhere),
        cmocka_unit_test(test_byte_by_byte),
        cmocka_unit_test(test_incomplete_reply_does_not_count),
    };
    return cmocka_run_group_tests_name("replies", tests, NULL, NULL);
}
