// SPDX-License-Identifier: Apache-2.0
/**
 * The encoder's contract:
 * heads come out byte for byte as promised; framing and connection follow from the options; what
 * could smuggle a header in is refused; a head that does not fit, or is refused, leaves the writer
 * as it was; what is encoded decodes to the same; chunks frame their content.
 */
#include "lib/http/encoder.h"

#include "lib/http/body.h"
#include "lib/http/chunk.h"
#include "lib/http/request.h"
#include "lib/http/response.h"
#include "tests/unit/lib/http/feed.h"

#define MEMORY_SIZE 512U

static uint8_t memory[MEMORY_SIZE];
static struct fil_writer writer;
static struct fil_http_encoder encoder;

static int set_up(void **state)
{
    (void)state;
    fil_writer_init(&writer, memory, sizeof(memory));
    return 0;
}

#define LENGTH(n) .framing = {.kind = FIL_HTTP_BODY_LENGTH, .length = (n)}

struct response_case {
    struct fil_http_response_options options;
    const char *text; // NULL: refused
};

// clang-format off
static const struct response_case response_cases[] = {
    {{.status = 200, .version = FIL_HTTP_1_1, LENGTH(5), .is_keep_alive = true},
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"},
    {{.status = 200, .version = FIL_HTTP_1_1, LENGTH(UINT64_MAX)},
     "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 18446744073709551615\r\n\r\n"},
    {{.status = 200, .version = FIL_HTTP_1_0, LENGTH(5), .is_keep_alive = true},
     "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n"},
    {{.status = 404, .version = FIL_HTTP_1_1, .is_keep_alive = true},
     "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"},
    {{.status = 200, .version = FIL_HTTP_1_1, .framing = {.kind = FIL_HTTP_BODY_CHUNKED}, .is_keep_alive = true},
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
    {{.status = 200, .version = FIL_HTTP_1_0, .framing = {.kind = FIL_HTTP_BODY_CHUNKED}}, NULL},
    {{.status = 200, .version = FIL_HTTP_1_1, .framing = {.kind = FIL_HTTP_BODY_UNTIL_CLOSE}, .is_keep_alive = true},
     "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"},
    {{.status = 204, .version = FIL_HTTP_1_1, .is_keep_alive = true}, "HTTP/1.1 204 No Content\r\n\r\n"},
    {{.status = 204, .version = FIL_HTTP_1_1, LENGTH(0)}, NULL},
    {{.status = 204, .version = FIL_HTTP_1_1, .framing = {.kind = FIL_HTTP_BODY_CHUNKED}}, NULL},
    {{.status = 204, .version = FIL_HTTP_1_1, .framing = {.kind = FIL_HTTP_BODY_UNTIL_CLOSE}}, NULL},
    {{.status = 304, .version = FIL_HTTP_1_1, LENGTH(9), .is_keep_alive = true},
     "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"},
    {{.status = 304, .version = FIL_HTTP_1_1, .is_keep_alive = true}, "HTTP/1.1 304 Not Modified\r\n\r\n"},
    {{.status = 304, .version = FIL_HTTP_1_1, .framing = {.kind = FIL_HTTP_BODY_CHUNKED}}, NULL},
    {{.status = 100, .version = FIL_HTTP_1_1}, "HTTP/1.1 100 Continue\r\n\r\n"},
    {{.status = 100, .version = FIL_HTTP_1_1, LENGTH(1)}, NULL},
    {{.status = 299, .version = FIL_HTTP_1_1, .is_keep_alive = true},
     "HTTP/1.1 299 Status\r\nContent-Length: 0\r\n\r\n"},
    {{.status = 503, .version = FIL_HTTP_1_1, .wall_ns = UINT64_C(784111777000000000)},
     "HTTP/1.1 503 Service Unavailable\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
     "Connection: close\r\nContent-Length: 0\r\n\r\n"},
};
// clang-format on

static void test_responses_are_written_as_promised(void **state)
{
    for (size_t i = 0; i < FIL_COUNT_OF(response_cases); i++) {
        (void)set_up(state);
        fil_http_encoder_begin_response(&encoder, &writer, &response_cases[i].options);
        int result = fil_http_encoder_finish(&encoder);
        bool is_refused = response_cases[i].text == NULL;
        assert_int_equal(result, is_refused ? FIL_E_INVALID : FIL_OK);
        assert_bytes_text(fil_writer_written(&writer), is_refused ? "" : response_cases[i].text);
    }
}

static void begin_ok(void)
{
    const struct fil_http_response_options options = {
        .status = 200, .version = FIL_HTTP_1_1, .is_keep_alive = true};
    fil_http_encoder_begin_response(&encoder, &writer, &options);
}

static void test_headers_follow_in_order(void **state)
{
    (void)state;
    begin_ok();
    fil_http_encoder_add_text(&encoder, "Content-Type", "text/plain; charset=utf-8");
    fil_http_encoder_add_number(&encoder, "X-Count", 12345);
    fil_http_encoder_add_number(&encoder, "X-Most", UINT64_MAX);
    fil_http_encoder_add_text(&encoder, "X-Empty", "");
    assert_int_equal(fil_http_encoder_finish(&encoder), FIL_OK);
    assert_bytes_text(fil_writer_written(&writer),
                      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
                      "Content-Type: text/plain; charset=utf-8\r\nX-Count: 12345\r\n"
                      "X-Most: 18446744073709551615\r\nX-Empty: \r\n\r\n");
}

static void test_what_could_smuggle_is_refused(void **state)
{
    static const struct fil_http_header cases[] = {
        {BYTES("X"), BYTES("a\r\nSet-Cookie: b")},
        {BYTES("X"), BYTES("a\rb")},
        {BYTES("X"), BYTES("a\nb")},
        {BYTES("X"), BYTES("a\0b")},
        {BYTES("X"), BYTES("\x1b[0m")},
        {BYTES("X"), BYTES("\x7f")},
        {BYTES(""), BYTES("a")},
        {BYTES("X "), BYTES("a")},
        {BYTES("X:"), BYTES("a")},
        {BYTES("X\r\nY"), BYTES("a")},
        {BYTES("X\0"), BYTES("a")},
        {BYTES("\xc3\xa9"), BYTES("a")},
        {BYTES("Content-Length"), BYTES("0")},
        {BYTES("content-length"), BYTES("7")},
        {BYTES("TRANSFER-ENCODING"), BYTES("chunked")},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        (void)set_up(state);
        begin_ok();
        fil_http_encoder_add_header(&encoder, cases[i].name, cases[i].value);
        fil_http_encoder_add_text(&encoder, "X-Good", "yes");
        assert_int_equal(fil_http_encoder_finish(&encoder), FIL_E_INVALID);
        assert_int_equal(writer.size, 0);
        assert_false(writer.is_full);
    }
}

static void test_a_head_that_does_not_fit_leaves_the_writer_as_it_was(void **state)
{
    (void)state;
    begin_ok();
    assert_int_equal(fil_http_encoder_finish(&encoder), FIL_OK);
    size_t head_size = writer.size;
    for (size_t capacity = 0; capacity <= head_size + 2; capacity++) {
        fil_writer_init(&writer, memory, capacity);
        bool has_prefix = fil_writer_text(&writer, "ab");
        begin_ok();
        int result = fil_http_encoder_finish(&encoder);
        assert_int_equal(result, capacity == head_size + 2 ? FIL_OK : FIL_E_FULL);
        if (result == FIL_E_FULL) {
            assert_int_equal(writer.size, has_prefix ? 2 : 0);
            assert_int_equal(writer.is_full, !has_prefix);
        }
    }
}

static void test_requests_are_written_as_promised(void **state)
{
    (void)state;
    struct fil_http_request_options options = {.method = BYTES("PUT"),
                                               .target = BYTES("/maps/a%20b?ttl=1s"),
                                               .host = BYTES("localhost:5701"),
                                               LENGTH(3),
                                               .is_keep_alive = true};
    fil_http_encoder_begin_request(&encoder, &writer, &options);
    fil_http_encoder_add_text(&encoder, "Accept", "*/*");
    assert_int_equal(fil_http_encoder_finish(&encoder), FIL_OK);
    assert_bytes_text(fil_writer_written(&writer),
                      "PUT /maps/a%20b?ttl=1s HTTP/1.1\r\nHost: localhost:5701\r\n"
                      "Content-Length: 3\r\nAccept: */*\r\n\r\n");

    (void)set_up(state);
    options.framing = (struct fil_http_framing){.kind = FIL_HTTP_BODY_NONE};
    options.is_keep_alive = false;
    fil_http_encoder_begin_request(&encoder, &writer, &options);
    assert_int_equal(fil_http_encoder_finish(&encoder), FIL_OK);
    assert_bytes_text(fil_writer_written(&writer),
                      "PUT /maps/a%20b?ttl=1s HTTP/1.1\r\nHost: localhost:5701\r\n"
                      "Connection: close\r\n\r\n");
}

static int encode_request(struct fil_bytes method, struct fil_bytes target, struct fil_bytes host,
                          enum fil_http_body_kind kind)
{
    const struct fil_http_request_options options = {
        .method = method, .target = target, .host = host, .framing = {.kind = kind}};
    fil_writer_init(&writer, memory, sizeof(memory));
    fil_http_encoder_begin_request(&encoder, &writer, &options);
    return fil_http_encoder_finish(&encoder);
}

static void test_bad_requests_are_refused(void **state)
{
    (void)state;
    struct fil_bytes get = BYTES("GET");
    struct fil_bytes root = BYTES("/");
    struct fil_bytes host = BYTES("h");
    struct fil_bytes empty = BYTES("");
    struct fil_bytes long_method = BYTES("ABCDEFGHIJKLMNOPQRSTUVWXY");
    struct fil_bytes split_method = BYTES("GET /x");
    struct fil_bytes split_target = BYTES("/ HTTP/1.1\r\nX: y");
    struct fil_bytes split_host = BYTES("h\r\nX: y");
    assert_int_equal(encode_request(get, root, host, FIL_HTTP_BODY_NONE), FIL_OK);
    assert_int_equal(encode_request(get, root, empty, FIL_HTTP_BODY_NONE), FIL_OK);
    assert_int_equal(encode_request(empty, root, host, FIL_HTTP_BODY_NONE), FIL_E_INVALID);
    assert_int_equal(encode_request(get, empty, host, FIL_HTTP_BODY_NONE), FIL_E_INVALID);
    assert_int_equal(encode_request(long_method, root, host, FIL_HTTP_BODY_NONE), FIL_E_INVALID);
    assert_int_equal(encode_request(split_method, root, host, FIL_HTTP_BODY_NONE), FIL_E_INVALID);
    assert_int_equal(encode_request(get, split_target, host, FIL_HTTP_BODY_NONE), FIL_E_INVALID);
    assert_int_equal(encode_request(get, root, split_host, FIL_HTTP_BODY_NONE), FIL_E_INVALID);
    assert_int_equal(encode_request(get, root, host, FIL_HTTP_BODY_UNTIL_CLOSE), FIL_E_INVALID);
}

static void test_encoded_responses_decode_to_the_same(void **state)
{
    for (size_t i = 0; i < FIL_COUNT_OF(response_cases); i++) {
        const struct fil_http_response_options *options = &response_cases[i].options;
        struct fil_http_limits limits = fil_http_limits_default;
        struct fil_http_decoder decoder;
        struct fil_http_response response;
        size_t consumed = 0;
        limits.body_size_max = UINT64_MAX;
        (void)set_up(state);
        fil_http_encoder_begin_response(&encoder, &writer, options);
        if (fil_http_encoder_finish(&encoder) != FIL_OK) {
            continue;
        }
        fil_http_decoder_init(&decoder, &limits);
        assert_int_equal(fil_http_response_decode(&decoder, fil_writer_written(&writer),
                                                  FIL_HTTP_GET, &response, &consumed),
                         FIL_OK);
        assert_int_equal(consumed, writer.size);
        assert_int_equal(response.status, options->status);
        if (options->framing.kind != FIL_HTTP_BODY_NONE && options->status != 304) {
            assert_int_equal(response.framing.kind, options->framing.kind);
            assert_int_equal(response.framing.length, options->framing.length);
        }
        if (options->framing.kind != FIL_HTTP_BODY_UNTIL_CLOSE && options->status >= 200) {
            assert_int_equal(response.is_keep_alive, options->is_keep_alive);
        }
    }
}

static void test_chunks_frame_their_content(void **state)
{
    (void)state;
    assert_true(fil_http_chunk_encode(&writer, fil_bytes_of("hello")));
    assert_true(fil_http_chunk_encode_begin(&writer, 26));
    assert_true(fil_writer_text(&writer, "abcdefghijklmnopqrstuvwxyz"));
    assert_true(fil_http_chunk_encode_end(&writer));
    assert_true(fil_http_chunk_encode_last(&writer));
    assert_bytes_text(fil_writer_written(&writer),
                      "5\r\nhello\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n");
    (void)set_up(state);
    assert_true(fil_http_chunk_encode_begin(&writer, UINT64_MAX));
    assert_bytes_text(fil_writer_written(&writer), "ffffffffffffffff\r\n");
    assert_true(writer.size + 2 <= FIL_HTTP_CHUNK_OVERHEAD_MAX);
    (void)set_up(state);
    assert_true(fil_http_chunk_encode_begin(&writer, 1));
    assert_bytes_text(fil_writer_written(&writer), "1\r\n");
}

static void test_a_chunk_that_does_not_fit_is_left_out_as_a_whole(void **state)
{
    (void)state;
    for (size_t capacity = 0; capacity < 10; capacity++) {
        fil_writer_init(&writer, memory, capacity);
        assert_false(fil_http_chunk_encode(&writer, fil_bytes_of("hello")));
        assert_int_equal(writer.size, 0);
        assert_true(writer.is_full);
    }
    fil_writer_init(&writer, memory, 10);
    assert_true(fil_http_chunk_encode(&writer, fil_bytes_of("hello")));
    assert_int_equal(writer.size, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_responses_are_written_as_promised, set_up),
        cmocka_unit_test_setup(test_headers_follow_in_order, set_up),
        cmocka_unit_test_setup(test_what_could_smuggle_is_refused, set_up),
        cmocka_unit_test_setup(test_a_head_that_does_not_fit_leaves_the_writer_as_it_was, set_up),
        cmocka_unit_test_setup(test_requests_are_written_as_promised, set_up),
        cmocka_unit_test_setup(test_bad_requests_are_refused, set_up),
        cmocka_unit_test_setup(test_encoded_responses_decode_to_the_same, set_up),
        cmocka_unit_test_setup(test_chunks_frame_their_content, set_up),
        cmocka_unit_test_setup(test_a_chunk_that_does_not_fit_is_left_out_as_a_whole, set_up),
    };
    return cmocka_run_group_tests_name("http encoder", tests, NULL, NULL);
}
