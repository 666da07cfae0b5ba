// SPDX-License-Identifier: Apache-2.0
/**
 * The response head's contract:
 * good heads decode to what they say, with the framing that status, request method and headers
 * give together; bad ones are refused; no prefix is taken for a whole head; the verdict does not
 * depend on the pieces.
 */
#include "lib/http/response.h"

#include "tests/unit/lib/http/feed.h"

struct good_case {
    const char *text;
    enum fil_http_method method;
    int status;
    const char *phrase;
    enum fil_http_body_kind kind;
    uint64_t length;
    bool is_keep_alive;
};

#define OK "HTTP/1.1 200 OK\r\n"

// clang-format off
static const struct good_case good_cases[] = {
    {OK "\r\n", FIL_HTTP_GET, 200, "OK", FIL_HTTP_BODY_UNTIL_CLOSE, 0, false},
    {OK "Content-Length: 5\r\n\r\n", FIL_HTTP_GET, 200, "OK", FIL_HTTP_BODY_LENGTH, 5, true},
    {OK "Content-Length: 0\r\n\r\n", FIL_HTTP_GET, 200, "OK", FIL_HTTP_BODY_LENGTH, 0, true},
    {OK "Content-Length: 5\r\nConnection: close\r\n\r\n", FIL_HTTP_GET, 200, "OK", FIL_HTTP_BODY_LENGTH, 5, false},
    {OK "Transfer-Encoding: chunked\r\n\r\n", FIL_HTTP_GET, 200, "OK", FIL_HTTP_BODY_CHUNKED, 0, true},
    {OK "Content-Length: 5\r\n\r\n", FIL_HTTP_HEAD, 200, "OK", FIL_HTTP_BODY_NONE, 0, true},
    {OK "Content-Length: 99999999999\r\n\r\n", FIL_HTTP_HEAD, 200, "OK", FIL_HTTP_BODY_NONE, 0, true},
    {OK "Transfer-Encoding: chunked\r\n\r\n", FIL_HTTP_HEAD, 200, "OK", FIL_HTTP_BODY_NONE, 0, true},
    {OK "\r\n", FIL_HTTP_HEAD, 200, "OK", FIL_HTTP_BODY_NONE, 0, true},
    {"HTTP/1.1 204 No Content\r\n\r\n", FIL_HTTP_PUT, 204, "No Content", FIL_HTTP_BODY_NONE, 0, true},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", FIL_HTTP_GET, 304, "Not Modified",
     FIL_HTTP_BODY_NONE, 0, true},
    {"HTTP/1.1 100 Continue\r\n\r\n", FIL_HTTP_PUT, 100, "Continue", FIL_HTTP_BODY_NONE, 0, true},
    {"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", FIL_HTTP_GET, 101,
     "Switching Protocols", FIL_HTTP_BODY_NONE, 0, true},
    {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n", FIL_HTTP_GET, 200, "OK", FIL_HTTP_BODY_LENGTH, 1, false},
    {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n", FIL_HTTP_GET, 200, "OK",
     FIL_HTTP_BODY_LENGTH, 1, true},
    {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n", FIL_HTTP_GET, 200, "OK", FIL_HTTP_BODY_UNTIL_CLOSE, 0,
     false},
    {"HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", FIL_HTTP_GET, 404, "", FIL_HTTP_BODY_LENGTH, 0, true},
    {"HTTP/1.1 599 a  b\t\xe9\r\nContent-Length: 0\r\n\r\n", FIL_HTTP_GET, 599, "a  b\t\xe9", FIL_HTTP_BODY_LENGTH, 0,
     true},
};

struct bad_case {
    struct fil_bytes text;
    int code;
    uint64_t offset;
    const char *reason;
};

static const struct bad_case bad_cases[] = {
    {BYTES("\r\n" OK "\r\n"), FIL_E_MALFORMED, 0, "status line is not"},
    {BYTES("HTTP/1.1 200\r\n\r\n"), FIL_E_MALFORMED, 0, "status line is not"},
    {BYTES("HTTP/1.1  200 OK\r\n\r\n"), FIL_E_MALFORMED, 0, "status line is not"},
    {BYTES("HTTP/1.1\t200 OK\r\n\r\n"), FIL_E_MALFORMED, 0, "status line is not"},
    {BYTES("HTTP/1.1 2000 OK\r\n\r\n"), FIL_E_MALFORMED, 0, "status line is not"},
    {BYTES("HTTP/1.1 20 OK\r\n\r\n"), FIL_E_MALFORMED, 0, "status line is not"},
    {BYTES("HTTP/1.1 2x0 OK\r\n\r\n"), FIL_E_MALFORMED, 9, "100 to 599"},
    {BYTES("HTTP/1.1 +20 OK\r\n\r\n"), FIL_E_MALFORMED, 9, "100 to 599"},
    {BYTES("HTTP/1.1 099 OK\r\n\r\n"), FIL_E_MALFORMED, 9, "100 to 599"},
    {BYTES("HTTP/1.1 600 OK\r\n\r\n"), FIL_E_MALFORMED, 9, "100 to 599"},
    {BYTES("HTTP/2.0 200 OK\r\n\r\n"), FIL_E_UNSUPPORTED, 0, "neither 1.0 nor 1.1"},
    {BYTES("http/1.1 200 OK\r\n\r\n"), FIL_E_MALFORMED, 0, "form HTTP/1.1"},
    {BYTES("HTTP/1.1 200 O\0K\r\n\r\n"), FIL_E_MALFORMED, 14, "NUL"},
    {BYTES("HTTP/1.1 200 OK\n\r\n"), FIL_E_MALFORMED, 15, "LF instead"},
    {BYTES(OK "A : b\r\n\r\n"), FIL_E_MALFORMED, 18, "before a header's colon"},
    {BYTES(OK "A: b\r\n c\r\n\r\n"), FIL_E_MALFORMED, 23, "begins with a blank"},
    {BYTES(OK "Content-Length: 1\r\nContent-Length: 1\r\n\r\n"), FIL_E_MALFORMED, 36, "sent twice"},
    {BYTES(OK "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), FIL_E_MALFORMED, 36, "come together"},
    {BYTES(OK "Transfer-Encoding: gzip\r\n\r\n"), FIL_E_UNSUPPORTED, 17, "not just chunked"},
    {BYTES("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), FIL_E_MALFORMED, 17, "HTTP/1.0 has no"},
    {BYTES(OK "Content-Length: 1 1\r\n\r\n"), FIL_E_MALFORMED, 34, "made of digits"},
    {BYTES(OK "Content-Length: 16777217\r\n\r\n"), FIL_E_LIMIT, 33, "larger than its limit"},
};
// clang-format on

static int decode_pieces(struct fil_bytes text, size_t piece_size, enum fil_http_method method,
                         struct fil_http_decoder *decoder, struct fil_http_response *out_response,
                         size_t *out_consumed)
{
    int result = FIL_E_AGAIN;
    fil_http_decoder_init(decoder, &fil_http_limits_default);
    for (size_t size = 0; result == FIL_E_AGAIN && size < text.size;) {
        size = size + piece_size < text.size ? size + piece_size : text.size;
        result = fil_http_response_decode(decoder, fil_bytes_make(text.data, size), method,
                                          out_response, out_consumed);
    }
    return result;
}

static void test_good_heads_decode_to_what_they_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(good_cases); i++) {
        const struct good_case *expected = &good_cases[i];
        struct fil_bytes text = feed_copy(fil_bytes_of(expected->text));
        for (size_t piece_size = 1; piece_size <= text.size; piece_size++) {
            struct fil_http_decoder decoder;
            struct fil_http_response response;
            size_t consumed = 0;
            assert_int_equal(
                decode_pieces(text, piece_size, expected->method, &decoder, &response, &consumed),
                FIL_OK);
            assert_int_equal(consumed, text.size);
            assert_int_equal(response.status, expected->status);
            assert_bytes_text(response.phrase, expected->phrase);
            assert_int_equal(response.framing.kind, expected->kind);
            assert_int_equal(response.framing.length, expected->length);
            assert_int_equal(response.is_keep_alive, expected->is_keep_alive);
        }
        feed_free(text);
    }
}

static void test_bad_heads_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(bad_cases); i++) {
        const struct bad_case *expected = &bad_cases[i];
        for (size_t piece_size = 1; piece_size <= expected->text.size; piece_size++) {
            struct fil_http_decoder decoder;
            struct fil_http_response response;
            size_t consumed = 1;
            assert_int_equal(decode_pieces(expected->text, piece_size, FIL_HTTP_GET, &decoder,
                                           &response, &consumed),
                             expected->code);
            assert_int_equal(consumed, 0);
            assert_int_equal(decoder.failure.status, 502);
            assert_int_equal(decoder.failure.offset, expected->offset);
            assert_non_null(strstr(decoder.failure.reason, expected->reason));
        }
    }
}

static void test_every_prefix_asks_for_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(good_cases); i++) {
        struct fil_bytes text = fil_bytes_of(good_cases[i].text);
        for (size_t size = 0; size < text.size; size++) {
            struct fil_http_decoder decoder;
            struct fil_http_response response;
            size_t consumed = 0;
            struct fil_bytes prefix = feed_copy(fil_bytes_make(text.data, size));
            assert_int_equal(decode_pieces(prefix, SIZE_MAX / 2, good_cases[i].method, &decoder,
                                           &response, &consumed),
                             FIL_E_AGAIN);
            feed_free(prefix);
        }
    }
}

static void test_endless_status_line_is_cut_at_the_head_limit(void **state)
{
    (void)state;
    struct fil_http_limits limits = fil_http_limits_default;
    struct fil_http_decoder decoder;
    struct fil_http_response response;
    size_t consumed = 0;
    struct fil_bytes text = BYTES("HTTP/1.1 200 OKOKOKOKOK");
    limits.head_size_max = 20;
    fil_http_decoder_init(&decoder, &limits);
    assert_int_equal(fil_http_response_decode(&decoder, fil_bytes_make(text.data, 19), FIL_HTTP_GET,
                                              &response, &consumed),
                     FIL_E_AGAIN);
    assert_int_equal(fil_http_response_decode(&decoder, fil_bytes_make(text.data, 20), FIL_HTTP_GET,
                                              &response, &consumed),
                     FIL_E_LIMIT);
    assert_int_equal(decoder.failure.offset, 20);
}

static void test_an_interim_head_is_followed_by_the_final_one(void **state)
{
    (void)state;
    struct fil_http_decoder decoder;
    struct fil_http_response response;
    size_t consumed = 0;
    struct fil_bytes text = BYTES("HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 2\r\n\r\nhi");
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    assert_int_equal(fil_http_response_decode(&decoder, text, FIL_HTTP_PUT, &response, &consumed),
                     FIL_OK);
    assert_int_equal(response.status, 100);
    assert_int_equal(consumed, 25);
    text = fil_bytes_make(text.data + consumed, text.size - consumed);
    assert_int_equal(fil_http_response_decode(&decoder, text, FIL_HTTP_PUT, &response, &consumed),
                     FIL_OK);
    assert_int_equal(response.status, 200);
    assert_int_equal(consumed, text.size - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_heads_decode_to_what_they_say),
        cmocka_unit_test(test_bad_heads_are_refused),
        cmocka_unit_test(test_every_prefix_asks_for_more),
        cmocka_unit_test(test_endless_status_line_is_cut_at_the_head_limit),
        cmocka_unit_test(test_an_interim_head_is_followed_by_the_final_one),
    };
    return cmocka_run_group_tests_name("http response", tests, NULL, NULL);
}
