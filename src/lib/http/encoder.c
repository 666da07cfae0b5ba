// SPDX-License-Identifier: Apache-2.0
#include "lib/http/encoder.h"

#include "lib/base/assert.h"
#include "lib/http/character_internal.h"
#include "lib/http/date.h"
#include "lib/http/status.h"

static void begin(struct fil_http_encoder *encoder, struct fil_writer *writer)
{
    *encoder = (struct fil_http_encoder){.writer = writer, .before = *writer};
}

static void refuse(struct fil_http_encoder *encoder)
{
    encoder->error = FIL_E_INVALID;
}

static void put_text(struct fil_http_encoder *encoder, const char *text)
{
    (void)fil_writer_text(encoder->writer, text); // a full writer stays full: finish looks
}

static void put_bytes(struct fil_http_encoder *encoder, struct fil_bytes bytes)
{
    (void)fil_writer_bytes(encoder->writer, bytes); // as above
}

static void put_number(struct fil_http_encoder *encoder, uint64_t number)
{
    (void)fil_writer_decimal_u64(encoder->writer, number); // as above
}

/** For names and values that are known to be good. */
static void put_header(struct fil_http_encoder *encoder, const char *name, const char *value)
{
    put_text(encoder, name);
    put_text(encoder, ": ");
    put_text(encoder, value);
    put_text(encoder, "\r\n");
}

static bool is_all(struct fil_bytes bytes, enum fil_http_character character)
{
    return fil_http_character__span(bytes, character) == bytes.size;
}

static void put_framing(struct fil_http_encoder *encoder, struct fil_http_framing framing)
{
    if (framing.kind == FIL_HTTP_BODY_LENGTH) {
        put_text(encoder, "Content-Length: ");
        put_number(encoder, framing.length);
        put_text(encoder, "\r\n");
    } else if (framing.kind == FIL_HTTP_BODY_CHUNKED) {
        put_header(encoder, "Transfer-Encoding", "chunked");
    }
}

static bool may_frame(const struct fil_http_response_options *options)
{
    switch (options->framing.kind) {
    case FIL_HTTP_BODY_CHUNKED:
        return options->version == FIL_HTTP_1_1 && fil_http_status_has_body(options->status);
    case FIL_HTTP_BODY_LENGTH:
        // A 304 may tell the length that a 200 would have had.
        return fil_http_status_has_body(options->status) ||
               options->status == FIL_HTTP_STATUS_NOT_MODIFIED;
    case FIL_HTTP_BODY_UNTIL_CLOSE:
        return fil_http_status_has_body(options->status);
    case FIL_HTTP_BODY_NONE:
    default:
        return true;
    }
}

static void put_response_connection(struct fil_http_encoder *encoder,
                                    const struct fil_http_response_options *options)
{
    bool is_kept = options->is_keep_alive && options->framing.kind != FIL_HTTP_BODY_UNTIL_CLOSE;
    if (options->status < 200) {
        return; // interim: the final answer tells
    }
    if (!is_kept) {
        put_header(encoder, "Connection", "close");
    } else if (options->version == FIL_HTTP_1_0) {
        put_header(encoder, "Connection", "keep-alive");
    }
}

void fil_http_encoder_begin_response(struct fil_http_encoder *encoder, struct fil_writer *writer,
                                     const struct fil_http_response_options *options)
{
    fil_assert(options->status >= FIL_HTTP_STATUS_MIN);
    fil_assert(options->status <= FIL_HTTP_STATUS_MAX);
    begin(encoder, writer);
    if (!may_frame(options)) {
        refuse(encoder);
        return;
    }
    put_text(encoder, "HTTP/1.1 ");
    put_number(encoder, (uint64_t)options->status);
    put_text(encoder, " ");
    put_text(encoder, fil_http_status_phrase(options->status));
    put_text(encoder, "\r\n");
    if (options->wall_ns > 0) {
        char date[FIL_HTTP_DATE_TEXT_MAX];
        put_header(encoder, "Date", fil_http_date_format(options->wall_ns, date));
    }
    put_response_connection(encoder, options);
    struct fil_http_framing framing = options->framing;
    if (framing.kind == FIL_HTTP_BODY_NONE && fil_http_status_has_body(options->status)) {
        framing = (struct fil_http_framing){.kind = FIL_HTTP_BODY_LENGTH};
    }
    put_framing(encoder, framing);
}

static bool is_request_good(const struct fil_http_request_options *options)
{
    return options->method.size > 0 && options->method.size <= FIL_HTTP_METHOD_SIZE_MAX &&
           is_all(options->method, FIL_HTTP_CHARACTER_TOKEN) && options->target.size > 0 &&
           is_all(options->target, FIL_HTTP_CHARACTER_TARGET) &&
           is_all(options->host, FIL_HTTP_CHARACTER_HOST) &&
           options->framing.kind != FIL_HTTP_BODY_UNTIL_CLOSE;
}

void fil_http_encoder_begin_request(struct fil_http_encoder *encoder, struct fil_writer *writer,
                                    const struct fil_http_request_options *options)
{
    begin(encoder, writer);
    if (!is_request_good(options)) {
        refuse(encoder);
        return;
    }
    put_bytes(encoder, options->method);
    put_text(encoder, " ");
    put_bytes(encoder, options->target);
    put_text(encoder, " HTTP/1.1\r\nHost: ");
    put_bytes(encoder, options->host);
    put_text(encoder, "\r\n");
    if (!options->is_keep_alive) {
        put_header(encoder, "Connection", "close");
    }
    put_framing(encoder, options->framing);
}

static bool is_framing_name(struct fil_bytes name)
{
    return fil_bytes_equal_nocase(name, fil_bytes_of("content-length")) ||
           fil_bytes_equal_nocase(name, fil_bytes_of("transfer-encoding"));
}

void fil_http_encoder_add_header(struct fil_http_encoder *encoder, struct fil_bytes name,
                                 struct fil_bytes value)
{
    if (name.size == 0 || !is_all(name, FIL_HTTP_CHARACTER_TOKEN) || is_framing_name(name) ||
        !is_all(value, FIL_HTTP_CHARACTER_TEXT)) {
        refuse(encoder);
        return;
    }
    put_bytes(encoder, name);
    put_text(encoder, ": ");
    put_bytes(encoder, value);
    put_text(encoder, "\r\n");
}

void fil_http_encoder_add_text(struct fil_http_encoder *encoder, const char *name,
                               const char *value)
{
    fil_http_encoder_add_header(encoder, fil_bytes_of(name), fil_bytes_of(value));
}

void fil_http_encoder_add_number(struct fil_http_encoder *encoder, const char *name, uint64_t value)
{
    char digits[21];
    struct fil_writer text;
    fil_writer_init(&text, digits, sizeof(digits));
    (void)fil_writer_decimal_u64(&text, value); // 20 digits are the most
    fil_http_encoder_add_header(encoder, fil_bytes_of(name), fil_writer_written(&text));
}

int fil_http_encoder_finish(struct fil_http_encoder *encoder)
{
    fil_assert(encoder->writer != NULL);
    put_text(encoder, "\r\n");
    int result = encoder->error;
    if (result == FIL_OK && encoder->writer->is_full) {
        result = FIL_E_FULL;
    }
    if (result != FIL_OK) {
        *encoder->writer = encoder->before;
    }
    encoder->writer = NULL;
    return result;
}
