// SPDX-License-Identifier: Apache-2.0
/**
 * The body decoder's contract:
 * content comes out whole and framing does not; bad framing is refused at its byte; content and
 * verdict do not depend on how the bytes are cut; what is behind the body is left alone; each limit
 * is hit at its exact byte; an end of the stream inside a body is noticed; a failure sticks.
 */
#include "lib/http/body.h"

#include "tests/unit/lib/http/feed.h"

#define CONTENT_MAX 256U

struct outcome {
    int result; // FIL_OK: done; FIL_E_AGAIN: more is needed
    size_t consumed;
    size_t size;
    uint8_t content[CONTENT_MAX];
    struct fil_http_failure failure;
};

static const struct fil_http_framing chunked = {.kind = FIL_HTTP_BODY_CHUNKED};

static void keep_content(struct outcome *outcome, struct fil_bytes content)
{
    assert_true(content.size <= CONTENT_MAX - outcome->size);
    if (content.size > 0) {
        memcpy(outcome->content + outcome->size, content.data, content.size);
        outcome->size += content.size;
    }
}

/** Decodes one piece until it is used up, the body is done, or it is bad. */
static void decode_piece(struct fil_http_body *body, struct fil_bytes piece,
                         struct outcome *outcome)
{
    size_t at = 0;
    do {
        struct fil_bytes content;
        size_t consumed = 0;
        struct fil_bytes rest = fil_bytes_make(piece.data + at, piece.size - at);
        outcome->result = fil_http_body_decode(body, rest, &content, &consumed);
        assert_true(consumed <= rest.size);
        if (outcome->result == FIL_OK && content.size == 0) {
            assert_true(fil_http_body_is_done(body));
        }
        at += consumed;
        keep_content(outcome, content);
    } while (outcome->result == FIL_OK && !fil_http_body_is_done(body));
    if (outcome->result == FIL_E_AGAIN) {
        assert_int_equal(at, piece.size);
    }
    outcome->consumed += at;
}

static struct outcome decode_all(struct fil_http_framing framing,
                                 const struct fil_http_limits *limits, struct fil_bytes text,
                                 size_t piece_size)
{
    struct fil_http_body body;
    struct outcome outcome = {.result = FIL_E_AGAIN};
    assert_int_equal(fil_http_body_init(&body, framing, limits), FIL_OK);
    if (fil_http_body_is_done(&body)) {
        outcome.result = FIL_OK;
    }
    for (size_t at = 0; outcome.result == FIL_E_AGAIN && at < text.size; at += piece_size) {
        size_t size = text.size - at < piece_size ? text.size - at : piece_size;
        struct fil_bytes copy = feed_copy(fil_bytes_make(text.data + at, size));
        decode_piece(&body, copy, &outcome);
        feed_free(copy);
    }
    outcome.failure = body.failure;
    return outcome;
}

static void assert_content(const struct outcome *outcome, const char *expected)
{
    assert_bytes_text(fil_bytes_make(outcome->content, outcome->size), expected);
}

struct good_case {
    const char *text;
    const char *content;
};

static const struct good_case good_cases[] = {
    {"0\r\n\r\n", ""},
    {"000\r\n\r\n", ""},
    {"5\r\nhello\r\n0\r\n\r\n", "hello"},
    {"0000000000000005\r\nhello\r\n0\r\n\r\n", "hello"},
    {"1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc"},
    {"a\r\n0123456789\r\n0\r\n\r\n", "0123456789"},
    {"A\r\n0123456789\r\n0\r\n\r\n", "0123456789"},
    {"10\r\n0123456789abcdef\r\n0\r\n\r\n", "0123456789abcdef"},
    {"4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"},
    {"7\r\n0\r\n\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n\r\n"},
    {"2;a\r\nhi\r\n0\r\n\r\n", "hi"},
    {"2;a=b;c=\"d e\"\t\r\nhi\r\n0;x\r\n\r\n", "hi"},
    {"2;\r\nhi\r\n0\r\n\r\n", "hi"},
    {"2\r\nhi\r\n0\r\nA: b\r\n\r\n", "hi"},
    {"0\r\nA:\r\nX-Sum: \xc3\xa9 1\r\nContent-Length: 99\r\n\r\n", ""},
};

static void test_chunked_content_comes_out_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(good_cases); i++) {
        struct fil_bytes text = fil_bytes_of(good_cases[i].text);
        for (size_t piece_size = 1; piece_size <= text.size; piece_size++) {
            struct outcome outcome =
                decode_all(chunked, &fil_http_limits_default, text, piece_size);
            assert_int_equal(outcome.result, FIL_OK);
            assert_int_equal(outcome.consumed, text.size);
            assert_content(&outcome, good_cases[i].content);
        }
    }
}

static void test_every_prefix_asks_for_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(good_cases); i++) {
        struct fil_bytes text = fil_bytes_of(good_cases[i].text);
        for (size_t size = 0; size < text.size; size++) {
            struct fil_bytes prefix = fil_bytes_make(text.data, size);
            struct outcome outcome =
                decode_all(chunked, &fil_http_limits_default, prefix, CONTENT_MAX);
            assert_int_equal(outcome.result, FIL_E_AGAIN);
            assert_int_equal(outcome.consumed, size);
        }
    }
}

struct bad_case {
    struct fil_bytes text;
    uint64_t offset;
    const char *reason;
};

static const struct bad_case bad_cases[] = {
    {BYTES("\r\n"), 0, "hex digits"},
    {BYTES(";a\r\n"), 0, "hex digits"},
    {BYTES(" 5\r\nhello"), 0, "hex digits"},
    {BYTES("\t5\r\nhello"), 0, "hex digits"},
    {BYTES("5 \r\nhello"), 1, "hex digits"},
    {BYTES("5 ;a\r\nhello"), 1, "hex digits"},
    {BYTES("+5\r\nhello"), 0, "hex digits"},
    {BYTES("-5\r\nhello"), 0, "hex digits"},
    {BYTES("0x5\r\nhello"), 1, "hex digits"},
    {BYTES("5h\r\nhello"), 1, "hex digits"},
    {BYTES("5_0\r\nhello"), 1, "hex digits"},
    {BYTES("5,5\r\nhello"), 1, "hex digits"},
    {BYTES("G\r\n"), 0, "hex digits"},
    {BYTES("`\r\n"), 0, "hex digits"},
    {BYTES("5\nhello\r\n"), 1, "hex digits"},
    {BYTES("5\0\r\nhello"), 1, "hex digits"},
    {BYTES("5\r\r\nhello"), 2, "CR is not followed"},
    {BYTES("5\rhello\r\n"), 2, "CR is not followed"},
    {BYTES("5\r\nhello0\r\n\r\n"), 8, "chunk is not followed"},
    {BYTES("5\r\nhello!\r\n"), 8, "chunk is not followed"},
    {BYTES("5\r\nhello\n0\r\n\r\n"), 8, "chunk is not followed"},
    {BYTES("5\r\nhello\r0\r\n\r\n"), 9, "CR is not followed"},
    {BYTES("5\r\nhello\r\n\r\n"), 10, "hex digits"},
    {BYTES("00000000000000005\r\nhello\r\n"), 16, "16 digits"},
    {BYTES("FFFFFFFFFFFFFFFFF\r\n"), 16, "16 digits"},
    {BYTES("10000000000000005\r\nhello\r\n"), 16, "16 digits"},
    {BYTES("5;a\nhello\r\n"), 3, "extension holds"},
    {BYTES("5;a\0\r\nhello\r\n"), 3, "extension holds"},
    {BYTES("5;\x7f\r\nhello\r\n"), 2, "extension holds"},
    {BYTES("5;a\rb\r\nhello\r\n"), 4, "CR is not followed"},
    {BYTES("0\r\n\n"), 3, "trailer does not begin"},
    {BYTES("0\r\n\rX"), 4, "CR is not followed"},
    {BYTES("0\r\nGET / HTTP/1.1\r\n\r\n"), 6, "trailer does not begin"},
    {BYTES("0\r\n: x\r\n\r\n"), 3, "trailer does not begin"},
    {BYTES("0\r\n A: x\r\n\r\n"), 3, "trailer does not begin"},
    {BYTES("0\r\nA : x\r\n\r\n"), 4, "trailer does not begin"},
    {BYTES("0\r\nA\r\n\r\n"), 4, "trailer does not begin"},
    {BYTES("0\r\nA: x\r\n folded\r\n\r\n"), 9, "trailer does not begin"},
    {BYTES("0\r\nA: x\n\r\n"), 7, "trailer holds"},
    {BYTES("0\r\nA: \0\r\n\r\n"), 6, "trailer holds"},
    {BYTES("0\r\nA: x\rB: y\r\n\r\n"), 8, "CR is not followed"},
};

static void test_bad_framing_is_refused_at_its_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(bad_cases); i++) {
        const struct bad_case *expected = &bad_cases[i];
        for (size_t piece_size = 1; piece_size <= expected->text.size; piece_size++) {
            struct outcome outcome =
                decode_all(chunked, &fil_http_limits_default, expected->text, piece_size);
            assert_int_equal(outcome.result, FIL_E_MALFORMED);
            assert_int_equal(outcome.failure.status, 400);
            assert_int_equal(outcome.failure.line, 0);
            assert_int_equal(outcome.failure.offset, expected->offset);
            assert_int_equal(outcome.consumed, expected->offset);
            assert_non_null(strstr(outcome.failure.reason, expected->reason));
        }
    }
}

static void test_a_known_length_is_taken_to_the_byte(void **state)
{
    (void)state;
    struct fil_http_framing framing = {.kind = FIL_HTTP_BODY_LENGTH, .length = 5};
    struct fil_bytes text = BYTES("helloGET / HTTP/1.1\r\n");
    for (size_t piece_size = 1; piece_size <= text.size; piece_size++) {
        struct outcome outcome = decode_all(framing, &fil_http_limits_default, text, piece_size);
        assert_int_equal(outcome.result, FIL_OK);
        assert_int_equal(outcome.consumed, 5);
        assert_content(&outcome, "hello");
    }
}

static void test_what_is_behind_a_chunked_body_is_left_alone(void **state)
{
    (void)state;
    struct fil_bytes text = BYTES("1\r\nx\r\n0\r\n\r\nGET / HTTP/1.1\r\n");
    struct outcome outcome = decode_all(chunked, &fil_http_limits_default, text, text.size);
    assert_int_equal(outcome.result, FIL_OK);
    assert_int_equal(outcome.consumed, 11);
}

static void test_no_body_is_done_at_once(void **state)
{
    (void)state;
    struct fil_http_framing none = {.kind = FIL_HTTP_BODY_NONE};
    struct fil_http_framing empty = {.kind = FIL_HTTP_BODY_LENGTH, .length = 0};
    struct fil_http_body body;
    struct fil_bytes content;
    struct fil_bytes next = BYTES("GET");
    size_t consumed = 1;
    assert_int_equal(fil_http_body_init(&body, none, &fil_http_limits_default), FIL_OK);
    assert_true(fil_http_body_is_done(&body));
    assert_int_equal(fil_http_body_init(&body, empty, &fil_http_limits_default), FIL_OK);
    assert_true(fil_http_body_is_done(&body));
    assert_int_equal(fil_http_body_decode(&body, next, &content, &consumed), FIL_OK);
    assert_int_equal(consumed, 0);
    assert_int_equal(content.size, 0);
}

static void test_body_limit_is_exact_for_a_known_length(void **state)
{
    (void)state;
    struct fil_http_limits limits = fil_http_limits_default;
    struct fil_http_framing framing = {.kind = FIL_HTTP_BODY_LENGTH, .length = 10};
    struct fil_http_body body;
    limits.body_size_max = 10;
    assert_int_equal(fil_http_body_init(&body, framing, &limits), FIL_OK);
    limits.body_size_max = 9;
    assert_int_equal(fil_http_body_init(&body, framing, &limits), FIL_E_LIMIT);
    assert_int_equal(body.failure.status, 413);
    struct fil_bytes content;
    size_t consumed = 0;
    assert_int_equal(fil_http_body_decode(&body, fil_bytes_of("x"), &content, &consumed),
                     FIL_E_LIMIT);
}

static void test_body_limit_is_exact_for_chunks(void **state)
{
    (void)state;
    struct fil_http_limits limits = fil_http_limits_default;
    struct fil_bytes text = BYTES("4\r\nabcd\r\n3\r\nefg\r\n0\r\n\r\n");
    for (size_t piece_size = 1; piece_size <= text.size; piece_size++) {
        limits.body_size_max = 7;
        assert_int_equal(decode_all(chunked, &limits, text, piece_size).result, FIL_OK);
        limits.body_size_max = 6;
        struct outcome outcome = decode_all(chunked, &limits, text, piece_size);
        assert_int_equal(outcome.result, FIL_E_LIMIT);
        assert_int_equal(outcome.failure.status, 413);
        assert_int_equal(outcome.failure.offset, 10); // the CR behind the second size
        assert_content(&outcome, "abcd");
    }
}

static void test_largest_chunk_size_does_not_overflow(void **state)
{
    (void)state;
    struct fil_http_limits limits = fil_http_limits_default;
    limits.body_size_max = UINT64_MAX;
    struct fil_bytes text = BYTES("1\r\na\r\nFFFFFFFFFFFFFFFF\r\n");
    struct outcome outcome = decode_all(chunked, &limits, text, text.size);
    assert_int_equal(outcome.result, FIL_E_LIMIT);
    struct fil_bytes fitting = BYTES("1\r\na\r\nFFFFFFFFFFFFFFFE\r\nbcd");
    outcome = decode_all(chunked, &limits, fitting, fitting.size);
    assert_int_equal(outcome.result, FIL_E_AGAIN);
    assert_content(&outcome, "abcd");
}

static void test_extension_limit_counts_all_chunks(void **state)
{
    (void)state;
    struct fil_http_limits limits = fil_http_limits_default;
    struct fil_bytes text = BYTES("1;ab\r\nx\r\n1;cd\r\ny\r\n0\r\n\r\n");
    for (size_t piece_size = 1; piece_size <= text.size; piece_size++) {
        limits.chunk_extension_size_max = 6;
        assert_int_equal(decode_all(chunked, &limits, text, piece_size).result, FIL_OK);
        limits.chunk_extension_size_max = 5;
        struct outcome outcome = decode_all(chunked, &limits, text, piece_size);
        assert_int_equal(outcome.result, FIL_E_MALFORMED);
        assert_int_equal(outcome.failure.offset, 12);
        limits.chunk_extension_size_max = 0;
        outcome = decode_all(chunked, &limits, text, piece_size);
        assert_int_equal(outcome.failure.offset, 1);
    }
}

static void test_trailer_limit_is_exact(void **state)
{
    (void)state;
    struct fil_http_limits limits = fil_http_limits_default;
    struct fil_bytes text = BYTES("0\r\nA: b\r\nC: d\r\n\r\n");
    limits.trailer_size_max = 12; // two lines with their ends
    assert_int_equal(decode_all(chunked, &limits, text, 3).result, FIL_OK);
    for (uint32_t limit = 0; limit < 12; limit++) {
        limits.trailer_size_max = limit;
        struct outcome outcome = decode_all(chunked, &limits, text, 3);
        assert_int_equal(outcome.result, FIL_E_LIMIT);
        assert_int_equal(outcome.failure.status, 431);
        assert_int_equal(outcome.failure.offset, 3 + limit);
    }
}

static void test_until_close_takes_all_up_to_its_limit(void **state)
{
    (void)state;
    struct fil_http_framing framing = {.kind = FIL_HTTP_BODY_UNTIL_CLOSE};
    struct fil_http_limits limits = fil_http_limits_default;
    struct fil_bytes text = BYTES("0\r\n\r\nabc");
    for (size_t piece_size = 1; piece_size <= text.size; piece_size++) {
        limits.body_size_max = 8;
        struct outcome outcome = decode_all(framing, &limits, text, piece_size);
        assert_int_equal(outcome.result, FIL_E_AGAIN);
        assert_content(&outcome, "0\r\n\r\nabc");
        limits.body_size_max = 7;
        outcome = decode_all(framing, &limits, text, piece_size);
        assert_int_equal(outcome.result, FIL_E_LIMIT);
        assert_int_equal(outcome.failure.status, 413);
        assert_int_equal(outcome.failure.offset, 7);
        assert_content(&outcome, "0\r\n\r\nab");
    }
}

static int finish_after(struct fil_http_framing framing, const char *text)
{
    struct fil_http_body body;
    struct outcome outcome = {0};
    assert_int_equal(fil_http_body_init(&body, framing, &fil_http_limits_default), FIL_OK);
    decode_piece(&body, fil_bytes_of(text), &outcome);
    return fil_http_body_finish(&body);
}

static void test_an_end_inside_a_body_is_noticed(void **state)
{
    (void)state;
    struct fil_http_framing length = {.kind = FIL_HTTP_BODY_LENGTH, .length = 3};
    struct fil_http_framing until_close = {.kind = FIL_HTTP_BODY_UNTIL_CLOSE};
    assert_int_equal(finish_after(length, "ab"), FIL_E_CLOSED);
    assert_int_equal(finish_after(length, "abc"), FIL_OK);
    assert_int_equal(finish_after(chunked, "1\r\na\r\n0\r\n\r"), FIL_E_CLOSED);
    assert_int_equal(finish_after(chunked, "1\r\na\r\n0\r\n\r\n"), FIL_OK);
    assert_int_equal(finish_after(chunked, "1\r\na\r\nx"), FIL_E_MALFORMED);
    assert_int_equal(finish_after(until_close, ""), FIL_OK);
    assert_int_equal(finish_after(until_close, "abc"), FIL_OK);
}

static void test_a_failure_sticks(void **state)
{
    (void)state;
    struct fil_http_body body;
    struct fil_bytes content;
    size_t consumed = 0;
    assert_int_equal(fil_http_body_init(&body, chunked, &fil_http_limits_default), FIL_OK);
    assert_int_equal(fil_http_body_decode(&body, fil_bytes_of("x"), &content, &consumed),
                     FIL_E_MALFORMED);
    assert_int_equal(fil_http_body_decode(&body, fil_bytes_of("0\r\n\r\n"), &content, &consumed),
                     FIL_E_MALFORMED);
    assert_int_equal(consumed, 0);
    assert_false(fil_http_body_is_done(&body));
}

/** A million pieces: work that depended on what came before would not end in time. */
static void test_a_million_one_byte_pieces_are_cheap(void **state)
{
    (void)state;
    static const char chunk[] = "1;e\r\nx\r\n";
    const size_t chunk_size = sizeof(chunk) - 1;
    struct fil_http_limits limits = fil_http_limits_default;
    limits.chunk_extension_size_max = 1U << 20;
    struct fil_http_body body;
    uint64_t content_size = 0;
    assert_int_equal(fil_http_body_init(&body, chunked, &limits), FIL_OK);
    for (size_t i = 0; i < 1000000; i++) {
        struct fil_bytes content;
        size_t consumed = 0;
        struct fil_bytes piece = fil_bytes_make(chunk + i % chunk_size, 1);
        int result = fil_http_body_decode(&body, piece, &content, &consumed);
        assert_int_equal(result, content.size > 0 ? FIL_OK : FIL_E_AGAIN);
        assert_int_equal(consumed, 1);
        content_size += content.size;
    }
    assert_int_equal(content_size, 1000000 / chunk_size);
    assert_int_equal(body.content_size, content_size);
    assert_int_equal(body.offset, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunked_content_comes_out_whole),
        cmocka_unit_test(test_every_prefix_asks_for_more),
        cmocka_unit_test(test_bad_framing_is_refused_at_its_byte),
        cmocka_unit_test(test_a_known_length_is_taken_to_the_byte),
        cmocka_unit_test(test_what_is_behind_a_chunked_body_is_left_alone),
        cmocka_unit_test(test_no_body_is_done_at_once),
        cmocka_unit_test(test_body_limit_is_exact_for_a_known_length),
        cmocka_unit_test(test_body_limit_is_exact_for_chunks),
        cmocka_unit_test(test_largest_chunk_size_does_not_overflow),
        cmocka_unit_test(test_extension_limit_counts_all_chunks),
        cmocka_unit_test(test_trailer_limit_is_exact),
        cmocka_unit_test(test_until_close_takes_all_up_to_its_limit),
        cmocka_unit_test(test_an_end_inside_a_body_is_noticed),
        cmocka_unit_test(test_a_failure_sticks),
        cmocka_unit_test(test_a_million_one_byte_pieces_are_cheap),
    };
    return cmocka_run_group_tests_name("http body", tests, NULL, NULL);
}
