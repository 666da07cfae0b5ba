// SPDX-License-Identifier: Apache-2.0
#include "lib/http/body.h"

#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "lib/http/character_internal.h"

/** Hex digits of UINT64_MAX: more could only be leading zeros or an overflow. */
#define SIZE_DIGITS_MAX 16U

FIL_COLD static int fail(struct fil_http_body *body, int status, const char *reason)
{
    body->failure = (struct fil_http_failure){
        .code = status == 400 ? FIL_E_MALFORMED : FIL_E_LIMIT,
        .status = status,
        .offset = body->offset,
        .reason = reason,
    };
    return body->failure.code;
}

static int fail_too_large(struct fil_http_body *body)
{
    return fail(body, 413, "the body is larger than its limit");
}

static void begin_size(struct fil_http_body *body)
{
    fil_assert(body->left == 0);
    body->state = FIL_HTTP_BODY_SIZE;
    body->digit_count = 0;
}

int fil_http_body_init(struct fil_http_body *body, struct fil_http_framing framing,
                       const struct fil_http_limits *limits)
{
    *body = (struct fil_http_body){.limits = limits, .kind = framing.kind};
    switch (framing.kind) {
    case FIL_HTTP_BODY_LENGTH:
        body->left = framing.length;
        body->state = framing.length == 0 ? FIL_HTTP_BODY_DONE : FIL_HTTP_BODY_CONTENT;
        return framing.length <= limits->body_size_max ? FIL_OK : fail_too_large(body);
    case FIL_HTTP_BODY_CHUNKED:
        begin_size(body);
        return FIL_OK;
    case FIL_HTTP_BODY_UNTIL_CLOSE:
        body->left = limits->body_size_max;
        body->state = FIL_HTTP_BODY_CONTENT;
        return FIL_OK;
    case FIL_HTTP_BODY_NONE:
    default:
        body->state = FIL_HTTP_BODY_DONE;
        return FIL_OK;
    }
}

/** The CR behind a chunk's size and extensions: the size is known now. */
static int end_size(struct fil_http_body *body)
{
    if (body->left > body->limits->body_size_max - body->content_size) {
        return fail_too_large(body);
    }
    body->state = FIL_HTTP_BODY_SIZE_LF;
    return FIL_OK;
}

/** Of all chunks together: one-byte chunks with long extensions would cost more than they carry. */
static int count_extension_byte(struct fil_http_body *body)
{
    if (body->extension_size == body->limits->chunk_extension_size_max) {
        return fail(body, 400, "the chunk extensions are larger than their limit");
    }
    body->extension_size++;
    return FIL_OK;
}

static int take_size_byte(struct fil_http_body *body, uint8_t byte)
{
    int digit = fil_http_character__hex(byte);
    if (digit >= 0) {
        if (body->digit_count == SIZE_DIGITS_MAX) {
            return fail(body, 400, "a chunk's size has more than 16 digits");
        }
        body->digit_count++;
        body->left = body->left << 4 | (uint64_t)digit;
        return FIL_OK;
    }
    if (body->digit_count == 0 || (byte != '\r' && byte != ';')) {
        return fail(body, 400, "a chunk's size is not made of hex digits");
    }
    if (byte == '\r') {
        return end_size(body);
    }
    body->state = FIL_HTTP_BODY_EXTENSION;
    return count_extension_byte(body);
}

static int take_extension_byte(struct fil_http_body *body, uint8_t byte)
{
    if (byte == '\r') {
        return end_size(body);
    }
    if (!fil_http_character__is(byte, FIL_HTTP_CHARACTER_TEXT)) {
        return fail(body, 400, "a chunk extension holds a control byte");
    }
    return count_extension_byte(body);
}

/** The line end that must follow; moves to the next state. */
static int take_exactly(struct fil_http_body *body, uint8_t byte, uint8_t expected,
                        enum fil_http_body_state next)
{
    if (byte != expected) {
        return fail(body, 400,
                    expected == '\n' ? "a CR is not followed by LF"
                                     : "a chunk is not followed by CR LF");
    }
    body->state = next;
    return FIL_OK;
}

static int take_size_lf(struct fil_http_body *body, uint8_t byte)
{
    bool is_last = body->left == 0;
    return take_exactly(body, byte, '\n',
                        is_last ? FIL_HTTP_BODY_TRAILER_START : FIL_HTTP_BODY_CONTENT);
}

static int take_content_lf(struct fil_http_body *body, uint8_t byte)
{
    int result = take_exactly(body, byte, '\n', FIL_HTTP_BODY_SIZE);
    if (result == FIL_OK) {
        begin_size(body);
    }
    return result;
}

/** Counts a byte of the trailer lines; their ends count too. */
static int count_trailer_byte(struct fil_http_body *body)
{
    if (body->trailer_size == body->limits->trailer_size_max) {
        return fail(body, 431, "the trailers are larger than their limit");
    }
    body->trailer_size++;
    return FIL_OK;
}

static int take_trailer_name_byte(struct fil_http_body *body, uint8_t byte)
{
    bool is_first = body->state == FIL_HTTP_BODY_TRAILER_START;
    if (is_first && byte == '\r') {
        body->state = FIL_HTTP_BODY_END_LF;
        return FIL_OK;
    }
    if (!is_first && byte == ':') {
        body->state = FIL_HTTP_BODY_TRAILER_VALUE;
        return count_trailer_byte(body);
    }
    if (!fil_http_character__is(byte, FIL_HTTP_CHARACTER_TOKEN)) {
        return fail(body, 400, "a trailer does not begin with a name and a colon");
    }
    body->state = FIL_HTTP_BODY_TRAILER_NAME;
    return count_trailer_byte(body);
}

static int take_trailer_value_byte(struct fil_http_body *body, uint8_t byte)
{
    if (byte == '\r') {
        body->state = FIL_HTTP_BODY_TRAILER_LF;
    } else if (!fil_http_character__is(byte, FIL_HTTP_CHARACTER_TEXT)) {
        return fail(body, 400, "a trailer holds a control byte");
    }
    return count_trailer_byte(body);
}

static int take_trailer_lf(struct fil_http_body *body, uint8_t byte)
{
    int result = take_exactly(body, byte, '\n', FIL_HTTP_BODY_TRAILER_START);
    return result == FIL_OK ? count_trailer_byte(body) : result;
}

static int take_frame_byte(struct fil_http_body *body, uint8_t byte)
{
    switch (body->state) {
    case FIL_HTTP_BODY_CONTENT_CR:
        return take_exactly(body, byte, '\r', FIL_HTTP_BODY_CONTENT_LF);
    case FIL_HTTP_BODY_CONTENT_LF:
        return take_content_lf(body, byte);
    case FIL_HTTP_BODY_SIZE:
        return take_size_byte(body, byte);
    case FIL_HTTP_BODY_EXTENSION:
        return take_extension_byte(body, byte);
    case FIL_HTTP_BODY_SIZE_LF:
        return take_size_lf(body, byte);
    case FIL_HTTP_BODY_TRAILER_START:
    case FIL_HTTP_BODY_TRAILER_NAME:
        return take_trailer_name_byte(body, byte);
    case FIL_HTTP_BODY_TRAILER_VALUE:
        return take_trailer_value_byte(body, byte);
    case FIL_HTTP_BODY_TRAILER_LF:
        return take_trailer_lf(body, byte);
    case FIL_HTTP_BODY_END_LF:
        return take_exactly(body, byte, '\n', FIL_HTTP_BODY_DONE);
    case FIL_HTTP_BODY_DONE:
    case FIL_HTTP_BODY_CONTENT:
    default:
        fil_assert(false);
        return FIL_E_MALFORMED;
    }
}

static int take_content(struct fil_http_body *body, struct fil_bytes bytes,
                        struct fil_bytes *out_content)
{
    fil_assert(bytes.size > 0);
    if (body->left == 0) {
        // Only a body that ends with the stream waits here: its limit is used up.
        fil_assert(body->kind == FIL_HTTP_BODY_UNTIL_CLOSE);
        return fail_too_large(body);
    }
    size_t size = (size_t)fil_min_u64(bytes.size, body->left);
    *out_content = fil_bytes_make(bytes.data, size);
    body->left -= size;
    body->content_size += size;
    body->offset += size;
    if (body->left == 0 && body->kind != FIL_HTTP_BODY_UNTIL_CLOSE) {
        body->state =
            body->kind == FIL_HTTP_BODY_LENGTH ? FIL_HTTP_BODY_DONE : FIL_HTTP_BODY_CONTENT_CR;
    }
    return FIL_OK;
}

int fil_http_body_decode(struct fil_http_body *body, struct fil_bytes bytes,
                         struct fil_bytes *out_content, size_t *out_consumed)
{
    *out_content = fil_bytes_make(NULL, 0);
    *out_consumed = 0;
    if (body->failure.code != FIL_OK) {
        return body->failure.code;
    }
    size_t at = 0;
    int result = FIL_OK;
    while (result == FIL_OK && !fil_http_body_is_done(body) && out_content->size == 0) {
        if (at == bytes.size) {
            result = FIL_E_AGAIN;
        } else if (body->state == FIL_HTTP_BODY_CONTENT) {
            struct fil_bytes rest = fil_bytes_make(bytes.data + at, bytes.size - at);
            result = take_content(body, rest, out_content);
            at += out_content->size;
        } else {
            result = take_frame_byte(body, bytes.data[at]);
            if (result == FIL_OK) {
                body->offset++;
                at++;
            }
        }
    }
    *out_consumed = at;
    return result;
}

int fil_http_body_finish(struct fil_http_body *body)
{
    if (body->failure.code != FIL_OK) {
        return body->failure.code;
    }
    if (body->kind == FIL_HTTP_BODY_UNTIL_CLOSE) {
        body->state = FIL_HTTP_BODY_DONE;
    }
    return fil_http_body_is_done(body) ? FIL_OK : FIL_E_CLOSED;
}
