// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/proxy_message.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/http/encoder.h"
#include "lib/http/status.h"

#define HEAD_BYTES 512U // the request line without its target, and what we add
#define NS_PER_MS  UINT64_C(1000000)

/** Of one connection only, or written by whoever writes the message. */
static const char *const own_headers[] = {
    "Connection",
    "Content-Length",
    "Expect",
    "Host",
    "Keep-Alive",
    "Proxy-Authenticate",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "Filbert-Timeout-Ms",
    "X-Forwarded-For",
};

/** Of an answer: we have our own. */
static const char *const own_answer_headers[] = {"Content-Type", "Date"};

static bool is_among(struct fil_bytes name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fil_bytes_equal_nocase(name, fil_bytes_of(names[i]))) {
            return true;
        }
    }
    return false;
}

/** Whether one of the Connection headers names it. */
static bool is_listed(const struct fil_http_header *headers, uint32_t count, struct fil_bytes name)
{
    for (uint32_t i = 0; i < count; i++) {
        struct fil_bytes list = headers[i].value;
        if (!fil_bytes_equal_nocase(headers[i].name, fil_bytes_of("Connection"))) {
            continue;
        }
        for (size_t start = 0; start < list.size;) {
            struct fil_bytes rest = fil_bytes_make(list.data + start, list.size - start);
            size_t size = fil_bytes_find(rest, ',');
            if (fil_bytes_equal_nocase(fil_bytes_trim(fil_bytes_make(rest.data, size)), name)) {
                return true;
            }
            start += size + 1;
        }
    }
    return false;
}

static bool is_passed_on(const struct fil_http_header *headers, uint32_t count, uint32_t index)
{
    struct fil_bytes name = headers[index].name;
    return !is_among(name, own_headers, FIL_COUNT_OF(own_headers)) &&
           !is_listed(headers, count, name);
}

static size_t head_size(const struct fil_request *request)
{
    size_t size = HEAD_BYTES + request->method_text.size + request->path.size + request->query.size;
    for (uint32_t i = 0; i < request->header_count; i++) {
        size += request->headers[i].name.size + request->headers[i].value.size + 4;
    }
    return size;
}

/** The path with its query, as it was sent. */
static int make_target(struct fil_request *request, struct fil_bytes *out_target)
{
    size_t size = request->path.size + 1 + request->query.size;
    uint8_t *room = fil_arena_alloc(&request->arena, size, 1);
    if (room == NULL) {
        return FIL_E_NOMEM;
    }
    struct fil_writer writer;
    fil_writer_init(&writer, room, size);
    (void)fil_writer_bytes(&writer, request->path);
    if (request->query.size > 0) {
        (void)fil_writer_text(&writer, "?");
        (void)fil_writer_bytes(&writer, request->query);
    }
    *out_target = fil_writer_written(&writer);
    return FIL_OK;
}

static struct fil_http_framing framing_of(const struct fil_request *request)
{
    bool has_body = request->body.size > 0 || request->method == FIL_HTTP_POST ||
                    request->method == FIL_HTTP_PUT || request->method == FIL_HTTP_PATCH;
    return (struct fil_http_framing){.kind = has_body ? FIL_HTTP_BODY_LENGTH : FIL_HTTP_BODY_NONE,
                                     .length = request->body.size};
}

/** Adds for whom the request is, behind those who have passed it on before. */
static void add_forwarded(struct fil_request *request, const struct fil_address *peer,
                          struct fil_http_encoder *encoder)
{
    char text[FIL_ADDRESS_TEXT_MAX];
    const struct fil_http_header *before = fil_request_find_header(request, "X-Forwarded-For");
    (void)fil_address_format(peer, text);
    // Without the port, and an IPv6 address without its brackets.
    bool is_bracketed = text[0] == '[';
    const char *host = text + (is_bracketed ? 1 : 0);
    int host_size = (int)(strrchr(text, is_bracketed ? ']' : ':') - host);
    int before_size = before == NULL ? 0 : (int)before->value.size;
    size_t size = (size_t)before_size + FIL_ADDRESS_TEXT_MAX;
    char *value = fil_arena_alloc(&request->arena, size, 1);
    if (value == NULL) {
        return; // the request is still right without it
    }
    int written = snprintf(value, size, "%.*s%s%.*s", before_size,
                           before == NULL ? "" : (const char *)before->value.data,
                           before == NULL ? "" : ", ", host_size, host);
    fil_assert(written > 0 && (size_t)written < size);
    fil_http_encoder_add_text(encoder, "X-Forwarded-For", value);
}

static int encode(struct fil_request *request, const struct fil_address *peer,
                  struct fil_bytes target, struct fil_writer *writer)
{
    struct fil_http_encoder encoder;
    const struct fil_http_header *host = fil_request_find_header(request, "Host");
    fil_http_encoder_begin_request(
        &encoder, writer,
        &(struct fil_http_request_options){.method = request->method_text,
                                           .target = target,
                                           .host = host == NULL ? fil_bytes_of("") : host->value,
                                           .framing = framing_of(request),
                                           .is_keep_alive = true});
    for (uint32_t i = 0; i < request->header_count; i++) {
        if (is_passed_on(request->headers, request->header_count, i)) {
            fil_http_encoder_add_header(&encoder, request->headers[i].name,
                                        request->headers[i].value);
        }
    }
    uint64_t left_ms = fil_request_remaining_ms(request);
    if (left_ms != UINT64_MAX) {
        fil_http_encoder_add_number(&encoder, "Filbert-Timeout-Ms", left_ms);
    }
    add_forwarded(request, peer, &encoder);
    fil_http_encoder_add_text(&encoder, "Via", "1.1 filbert");
    return fil_http_encoder_finish(&encoder);
}

int fil_proxy_message_head(struct fil_request *request, const struct fil_address *peer,
                           struct fil_bytes *out_head)
{
    struct fil_bytes target = {0};
    size_t size = head_size(request);
    uint8_t *room = fil_arena_alloc(&request->arena, size, 1);
    if (room == NULL || make_target(request, &target) != FIL_OK) {
        return FIL_E_NOMEM;
    }
    struct fil_writer writer;
    fil_writer_init(&writer, room, size);
    int error = encode(request, peer, target, &writer);
    *out_head = fil_writer_written(&writer);
    return error;
}

static const char *header_text(struct fil_request *request, struct fil_bytes bytes)
{
    return fil_arena_text(&request->arena, bytes);
}

/** Adds a header of the answer; without memory or room for it the answer is still right. */
static void pass_header(struct fil_request *request, const struct fil_http_header *header)
{
    const char *name = header_text(request, header->name);
    const char *value = header_text(request, header->value);
    if (name != NULL && value != NULL) {
        (void)fil_reply_header(request, name, value);
    }
}

struct fil_reply fil_proxy_message_reply(struct fil_request *request,
                                         const struct fil_http_call *call)
{
    const char *type = NULL;
    fil_assert(call->error == FIL_OK && call->status >= FIL_HTTP_STATUS_OK);
    for (uint32_t i = 0; i < call->header_count; i++) {
        const struct fil_http_header *header = &call->headers[i];
        if (fil_bytes_equal_nocase(header->name, fil_bytes_of("Content-Type"))) {
            type = header_text(request, header->value);
        } else if (is_passed_on(call->headers, call->header_count, i) &&
                   !is_among(header->name, own_answer_headers, FIL_COUNT_OF(own_answer_headers))) {
            pass_header(request, header);
        }
    }
    return (struct fil_reply){.status = call->status, .type = type};
}
