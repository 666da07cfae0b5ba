// SPDX-License-Identifier: Apache-2.0
/**
 * Fuzzes the HTTP codec with a stream of requests, and with the same bytes as responses.
 *
 * What must hold for any bytes: a stream decoded at once, byte by byte, or in pieces of random size
 * at moving addresses gives the same messages, the same content and the same failure at the same
 * place; every slice lies inside the input; a request that was accepted and is encoded again
 * decodes to the same; no target that was accepted holds a broken escape.
 *
 * The limits are small, so that a small input can reach each of them.
 */
#include <stdint.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/body.h"
#include "lib/http/encoder.h"
#include "lib/http/request.h"
#include "lib/http/response.h"
#include "lib/http/target.h"

#define MESSAGES_MAX 64U
#define SCRATCH_SIZE 4096U

static const struct fil_http_limits limits = {
    .target_size_max = 200,
    .head_size_max = 1000,
    .header_count_max = 12,
    .body_size_max = 300,
    .chunk_extension_size_max = 20,
    .trailer_size_max = 40,
};

/** What decoding a stream came to, as one number a reader can compare. */
struct outcome {
    uint64_t digest;
    uint32_t message_count;
    int result;
    size_t consumed;
    struct fil_http_failure failure;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void digest_byte(struct outcome *outcome, uint8_t byte)
{
    outcome->digest = (outcome->digest ^ byte) * UINT64_C(0x100000001b3);
}

static void digest_bytes(struct outcome *outcome, struct fil_bytes bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        digest_byte(outcome, bytes.data[i]);
    }
}

static void digest_number(struct outcome *outcome, uint64_t number)
{
    digest_bytes(outcome, fil_bytes_make(&number, sizeof(number)));
}

/** A slice: inside the input, and part of the digest with its size. */
static void digest_slice(struct outcome *outcome, struct fil_bytes input, struct fil_bytes slice)
{
    if (slice.size > 0) {
        fil_assert(slice.data >= input.data);
        fil_assert(slice.data + slice.size <= input.data + input.size);
    }
    digest_number(outcome, slice.size);
    digest_bytes(outcome, slice);
}

static void digest_headers(struct outcome *outcome, struct fil_bytes input,
                           const struct fil_http_headers *headers)
{
    fil_assert(headers->count <= limits.header_count_max);
    for (uint32_t i = 0; i < headers->count; i++) {
        fil_assert(headers->items[i].name.size > 0);
        digest_slice(outcome, input, headers->items[i].name);
        digest_slice(outcome, input, headers->items[i].value);
    }
}

static void digest_request(struct outcome *outcome, struct fil_bytes input,
                           const struct fil_http_request *request)
{
    fil_assert(request->target.size <= limits.target_size_max);
    fil_assert(request->framing.kind != FIL_HTTP_BODY_UNTIL_CLOSE);
    digest_slice(outcome, input, request->method_text);
    digest_slice(outcome, input, request->target);
    digest_slice(outcome, input, request->path);
    digest_slice(outcome, input, request->query);
    digest_slice(outcome, input, request->host);
    digest_number(outcome, (uint64_t)request->version);
    digest_number(outcome, (uint64_t)request->framing.kind);
    digest_number(outcome, request->framing.length);
    digest_number(outcome, request->is_keep_alive);
    digest_number(outcome, request->expects_continue);
    digest_number(outcome, request->wants_upgrade);
    digest_headers(outcome, input, &request->headers);
}

/** Every part of an accepted target can be decoded. */
static void check_target(const struct fil_http_request *request)
{
    uint8_t scratch[SCRATCH_SIZE];
    struct fil_writer writer;
    struct fil_bytes part;
    struct fil_bytes decoded;
    struct fil_bytes path = request->path;
    fil_writer_init(&writer, scratch, sizeof(scratch));
    while (fil_http_target_next_segment(&path, &part)) {
        fil_assert(fil_http_target_decode(part, &writer, &decoded) == FIL_OK);
        fil_assert(decoded.size <= part.size);
    }
    struct fil_bytes query = request->query;
    struct fil_http_parameter parameter;
    while (fil_http_target_next_parameter(&query, &parameter)) {
        fil_assert(fil_http_target_decode_query(parameter.name, &writer, &decoded) == FIL_OK);
        fil_assert(fil_http_target_decode_query(parameter.value, &writer, &decoded) == FIL_OK);
    }
    int result = fil_http_target_find_parameter(request->query, "a", &writer, &decoded);
    fil_assert(result == FIL_OK || result == FIL_E_NOT_FOUND);
}

static bool is_written_by_encoder(struct fil_bytes name)
{
    static const char *const names[] = {"host", "content-length", "transfer-encoding"};
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        if (fil_bytes_equal_nocase(name, fil_bytes_of(names[i]))) {
            return true;
        }
    }
    return false;
}

/** An accepted request, encoded again, decodes to the same. */
static void check_round_trip(const struct fil_http_request *request)
{
    uint8_t scratch[SCRATCH_SIZE];
    struct fil_writer writer;
    struct fil_http_encoder encoder;
    struct fil_http_decoder decoder;
    struct fil_http_request again;
    size_t consumed = 0;
    fil_writer_init(&writer, scratch, sizeof(scratch));
    fil_http_encoder_begin_request(
        &encoder, &writer,
        &(struct fil_http_request_options){.method = request->method_text,
                                           .target = request->target,
                                           .host = request->host,
                                           .framing = request->framing,
                                           .is_keep_alive = true});
    for (uint32_t i = 0; i < request->headers.count; i++) {
        const struct fil_http_header *header = &request->headers.items[i];
        if (!is_written_by_encoder(header->name)) {
            fil_http_encoder_add_header(&encoder, header->name, header->value);
        }
    }
    fil_assert(fil_http_encoder_finish(&encoder) == FIL_OK);
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    fil_assert(fil_http_request_decode(&decoder, fil_writer_written(&writer), &again, &consumed) ==
               FIL_OK);
    fil_assert(consumed == writer.size);
    fil_assert(fil_bytes_equal(again.target, request->target));
    fil_assert(fil_bytes_equal(again.host, request->host));
    fil_assert(again.method == request->method);
    fil_assert(again.framing.kind == request->framing.kind);
    fil_assert(again.framing.length == request->framing.length);
    if (request->version == FIL_HTTP_1_1) {
        fil_assert(again.is_keep_alive == request->is_keep_alive);
        fil_assert(again.wants_upgrade == request->wants_upgrade);
        fil_assert(again.expects_continue == request->expects_continue);
    }
}

/** A reader of one stream: bytes arrive, heads and bodies take turns. */
struct stream {
    bool is_response;
    bool is_in_body;
    struct fil_http_decoder decoder;
    struct fil_http_body body;
    struct outcome outcome;
};

static void stream_init(struct stream *stream, bool is_response)
{
    *stream = (struct stream){.is_response = is_response};
    fil_http_decoder_init(&stream->decoder, &limits);
    stream->outcome.result = FIL_E_AGAIN;
}

static int begin_body(struct stream *stream, struct fil_http_framing framing)
{
    int result = fil_http_body_init(&stream->body, framing, &limits);
    // The head refuses lengths beyond the limit itself.
    fil_assert(result == FIL_OK);
    stream->is_in_body = true;
    stream->outcome.message_count++;
    return result;
}

static int take_request_head(struct stream *stream, struct fil_bytes bytes, size_t *out_consumed)
{
    struct fil_http_request request;
    int result = fil_http_request_decode(&stream->decoder, bytes, &request, out_consumed);
    if (result != FIL_OK) {
        fil_assert(*out_consumed == 0);
        return result;
    }
    digest_request(&stream->outcome, bytes, &request);
    check_target(&request);
    check_round_trip(&request);
    return begin_body(stream, request.framing);
}

static int take_response_head(struct stream *stream, struct fil_bytes bytes, size_t *out_consumed)
{
    struct fil_http_response response;
    enum fil_http_method method =
        stream->outcome.message_count % 2 == 0 ? FIL_HTTP_GET : FIL_HTTP_HEAD;
    int result = fil_http_response_decode(&stream->decoder, bytes, method, &response, out_consumed);
    if (result != FIL_OK) {
        fil_assert(*out_consumed == 0);
        return result;
    }
    digest_number(&stream->outcome, (uint64_t)response.status);
    digest_slice(&stream->outcome, bytes, response.phrase);
    digest_number(&stream->outcome, (uint64_t)response.framing.kind);
    digest_number(&stream->outcome, response.framing.length);
    digest_number(&stream->outcome, response.is_keep_alive);
    digest_headers(&stream->outcome, bytes, &response.headers);
    return begin_body(stream, response.framing);
}

static int take_body(struct stream *stream, struct fil_bytes bytes, size_t *out_consumed)
{
    struct fil_bytes content;
    int result = fil_http_body_decode(&stream->body, bytes, &content, out_consumed);
    fil_assert(*out_consumed <= bytes.size);
    fil_assert(stream->body.content_size <= limits.body_size_max);
    if (result == FIL_E_AGAIN) {
        fil_assert(*out_consumed == bytes.size);
    }
    if (content.size > 0) {
        fil_assert(result == FIL_OK);
        fil_assert(content.data >= bytes.data);
        fil_assert(content.data + content.size <= bytes.data + bytes.size);
    }
    digest_bytes(&stream->outcome, content);
    if (fil_http_body_is_done(&stream->body)) {
        fil_assert(result == FIL_OK);
        stream->is_in_body = false;
        digest_number(&stream->outcome, stream->body.offset);
    }
    return result;
}

static int take_step(struct stream *stream, struct fil_bytes bytes, size_t *out_consumed)
{
    if (stream->is_in_body) {
        return take_body(stream, bytes, out_consumed);
    }
    return stream->is_response ? take_response_head(stream, bytes, out_consumed)
                               : take_request_head(stream, bytes, out_consumed);
}

/** Decodes as far as the bytes go; returns how many were consumed. */
static size_t stream_feed(struct stream *stream, struct fil_bytes bytes)
{
    size_t at = 0;
    struct outcome *outcome = &stream->outcome;
    do {
        size_t consumed = 0;
        struct fil_bytes rest =
            bytes.size == 0 ? bytes : fil_bytes_make(bytes.data + at, bytes.size - at);
        outcome->result = take_step(stream, rest, &consumed);
        at += consumed;
    } while (outcome->result == FIL_OK && outcome->message_count < MESSAGES_MAX);
    outcome->consumed += at;
    if (outcome->result != FIL_OK && outcome->result != FIL_E_AGAIN) {
        outcome->failure = stream->is_in_body ? stream->body.failure : stream->decoder.failure;
        fil_assert(outcome->failure.code == outcome->result);
        fil_assert(outcome->failure.status >= 400);
    }
    return at;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/** The seed gives the sizes of the pieces; 0 makes them one byte each. */
static struct outcome decode_pieces(struct fil_bytes input, bool is_response, uint64_t seed)
{
    struct stream stream;
    size_t received = 0;
    bool is_by_byte = seed == 0;
    stream_init(&stream, is_response);
    while (stream.outcome.result == FIL_E_AGAIN && received < input.size) {
        size_t piece = is_by_byte ? 1 : 1 + next_random(&seed) % 40;
        received = input.size - received < piece ? input.size : received + piece;
        // A block of its own for what is not consumed yet: slices that point elsewhere are seen.
        size_t size = received - stream.outcome.consumed;
        uint8_t *block = fil_alloc(size > 0 ? size : 1);
        fil_assert(block != NULL);
        memcpy(block, input.data + stream.outcome.consumed, size);
        (void)stream_feed(&stream, fil_bytes_make(block, size));
        fil_free(block);
    }
    return stream.outcome;
}

static struct outcome decode_at_once(struct fil_bytes input, bool is_response)
{
    struct stream stream;
    stream_init(&stream, is_response);
    (void)stream_feed(&stream, input);
    return stream.outcome;
}

static void check_same(const struct outcome *actual, const struct outcome *expected)
{
    fil_assert(actual->result == expected->result);
    fil_assert(actual->message_count == expected->message_count);
    fil_assert(actual->consumed == expected->consumed);
    fil_assert(actual->digest == expected->digest);
    fil_assert(actual->failure.code == expected->failure.code);
    fil_assert(actual->failure.status == expected->failure.status);
    fil_assert(actual->failure.line == expected->failure.line);
    fil_assert(actual->failure.offset == expected->failure.offset);
    fil_assert(actual->failure.reason == expected->failure.reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fil_bytes input = fil_bytes_make(data, size);
    for (int i = 0; i < 2; i++) {
        bool is_response = i == 1;
        struct outcome whole = decode_at_once(input, is_response);
        struct outcome by_byte = decode_pieces(input, is_response, 0);
        // Seeds drawn from the content: the same input always gives the same pieces.
        struct outcome by_piece = decode_pieces(input, is_response, whole.digest + size + 1);
        check_same(&by_byte, &whole);
        check_same(&by_piece, &whole);
    }
    return 0;
}
