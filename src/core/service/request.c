// SPDX-License-Identifier: Apache-2.0
#include "core/service/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/service/service.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"
#include "lib/http/target.h"

#define FORMAT_BYTES_MAX 1024U
#define NS_PER_MS        UINT64_C(1000000)

void fil_request_init(struct fil_request *request)
{
    *request = (struct fil_request){.deadline_ns = FIL_ADMISSION_NO_DEADLINE};
    fil_arena_init(&request->arena, FIL_REQUEST_ARENA_CHUNK_BYTES, FIL_REQUEST_ARENA_BYTES_MAX);
    fil_chunk_queue_init(&request->content);
}

static void end_streams(struct fil_request *request)
{
    if (request->body_stream != NULL) {
        fil_body_stream_fini(request->body_stream);
        request->body_stream = NULL;
    }
    if (request->stream != NULL) {
        fil_reply_stream_fini(request->stream);
        request->stream = NULL;
    }
}

void fil_request_fini(struct fil_request *request)
{
    end_streams(request);
    fil_chunk_queue_clear(&request->content);
    fil_arena_fini(&request->arena);
}

void fil_request_reset(struct fil_request *request)
{
    end_streams(request);
    fil_chunk_queue_clear(&request->content);
    fil_arena_reset(&request->arena);
    // The rest is set for each request, before anybody looks at it.
    request->body = fil_bytes_make(NULL, 0);
    request->route = NULL;
    request->deadline_ns = FIL_ADMISSION_NO_DEADLINE;
    atomic_init(&request->is_cancelled, false);
    atomic_init(&request->is_answered, false);
    request->first_header = NULL;
    request->last_header = NULL;
    request->reply_header_count = 0;
    request->entered_count = 0;
    request->retries = NULL;
    request->tries_max = 0;
    request->socket = NULL;
    request->is_refused = false;
    request->is_detached = false;
    request->is_suspect = false;
    request->times = (struct fil_request_times){0};
    memset(request->params, 0, sizeof(request->params));
}

const struct fil_http_header *fil_request_find_header(const struct fil_request *request,
                                                      const char *name)
{
    struct fil_bytes wanted = fil_bytes_of(name);
    for (uint32_t i = 0; i < request->header_count; i++) {
        if (fil_bytes_equal_nocase(request->headers[i].name, wanted)) {
            return &request->headers[i];
        }
    }
    return NULL;
}

void *fil_request_alloc(struct fil_request *request, size_t size)
{
    return size == 0 ? NULL : fil_arena_alloc(&request->arena, size, sizeof(void *) * 2);
}

static const char *text_or(struct fil_request *request, struct fil_bytes bytes,
                           const char *fallback)
{
    char *text = fil_arena_text(&request->arena, bytes);
    return text == NULL ? fallback : text;
}

/** Percent-decoded as a text of the arena. */
static const char *decode(struct fil_request *request, struct fil_bytes encoded)
{
    char *room = fil_arena_alloc(&request->arena, encoded.size + 1, 1);
    if (room == NULL) {
        return "";
    }
    struct fil_writer writer;
    struct fil_bytes decoded;
    fil_writer_init(&writer, room, encoded.size);
    int error = fil_http_target_decode(encoded, &writer, &decoded);
    fil_assert(error == FIL_OK); // the codec has looked at every percent sign
    memmove(room, decoded.data, decoded.size);
    room[decoded.size] = '\0';
    return room;
}

const char *fil_param(struct fil_request *request, const char *name)
{
    int index = request->route == NULL ? -1 : fil_route_param_index(request->route, name);
    return index < 0 ? "" : decode(request, request->params[index]);
}

const char *fil_query(struct fil_request *request, const char *name, const char *fallback)
{
    if (request->query.size == 0) {
        return fallback;
    }
    size_t room_size = request->query.size + 1;
    char *room = fil_arena_alloc(&request->arena, room_size, 1);
    if (room == NULL) {
        return fallback;
    }
    struct fil_writer writer;
    struct fil_bytes value;
    fil_writer_init(&writer, room, room_size - 1);
    if (fil_http_target_find_parameter(request->query, name, &writer, &value) != FIL_OK) {
        return fallback;
    }
    memmove(room, value.data, value.size);
    room[value.size] = '\0';
    return room;
}

const char *fil_header(struct fil_request *request, const char *name, const char *fallback)
{
    const struct fil_http_header *header = fil_request_find_header(request, name);
    return header == NULL ? fallback : text_or(request, header->value, fallback);
}

const char *fil_request_method(struct fil_request *request)
{
    return text_or(request, request->method_text, "");
}

const char *fil_request_path(struct fil_request *request)
{
    return text_or(request, request->path, "");
}

const void *fil_body(struct fil_request *request, size_t *out_size)
{
    *out_size = request->body.size;
    return request->body.data;
}

void *fil_request_context(struct fil_request *request)
{
    return request->route == NULL ? NULL : request->route->options.context;
}

bool fil_request_is_cancelled(struct fil_request *request)
{
    // Relaxed: a hint; the handler answers in either case.
    return atomic_load_explicit(&request->is_cancelled, memory_order_relaxed);
}

uint64_t fil_request_remaining_ms(struct fil_request *request)
{
    if (request->deadline_ns == FIL_ADMISSION_NO_DEADLINE) {
        return UINT64_MAX;
    }
    uint64_t now_ns = fil_env_now_ns(request->service->options.env);
    return now_ns >= request->deadline_ns ? 0 : (request->deadline_ns - now_ns) / NS_PER_MS;
}

// Replies.

struct fil_reply fil_reply_text(struct fil_request *request, int status, const char *format, ...)
{
    char text[FORMAT_BYTES_MAX];
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fil_assert(written >= 0);
    size_t size = (size_t)written;
    char *kept = fil_request_alloc(request, size + 1);
    if (kept == NULL) {
        static const char sorry[] = "out of memory\n";
        return fil_reply_bytes(FIL_HTTP_STATUS_SERVICE_UNAVAILABLE, "text/plain; charset=utf-8",
                               sorry, sizeof(sorry) - 1);
    }
    if (size < sizeof(text)) {
        memcpy(kept, text, size + 1);
    } else {
        va_start(arguments, format);
        (void)vsnprintf(kept, size + 1, format, arguments); // as long as it was a moment ago
        va_end(arguments);
    }
    return (struct fil_reply){.status = status, .data = kept, .size = size};
}

struct fil_reply fil_reply_bytes(int status, const char *type, const void *data, size_t size)
{
    return (struct fil_reply){.status = status,
                              .type = type == NULL ? "application/octet-stream" : type,
                              .data = data,
                              .size = size};
}

static int status_of(int error)
{
    switch (error) {
    case FIL_E_INVALID:
    case FIL_E_MALFORMED:
        return FIL_HTTP_STATUS_BAD_REQUEST;
    case FIL_E_NOT_FOUND:
        return FIL_HTTP_STATUS_NOT_FOUND;
    case FIL_E_EXISTS:
        return FIL_HTTP_STATUS_CONFLICT;
    case FIL_E_DENIED:
        return FIL_HTTP_STATUS_FORBIDDEN;
    case FIL_E_LIMIT:
        return FIL_HTTP_STATUS_CONTENT_TOO_LARGE;
    case FIL_E_UNSUPPORTED:
        return FIL_HTTP_STATUS_NOT_IMPLEMENTED;
    case FIL_E_TIMEOUT:
        return FIL_HTTP_STATUS_GATEWAY_TIMEOUT;
    default:
        // What may pass is "try again"; the rest is our own fault.
        return fil_error_is_retryable(error) ? FIL_HTTP_STATUS_SERVICE_UNAVAILABLE
                                             : FIL_HTTP_STATUS_INTERNAL_SERVER_ERROR;
    }
}

struct fil_reply fil_reply_error(struct fil_request *request, int error)
{
    return fil_reply_text(request, status_of(error), "%s: %s\n", fil_error_name(error),
                          fil_error_text(error));
}

struct fil_reply fil_reply_content(int status, const char *type)
{
    return (struct fil_reply){.status = status, .type = type};
}

void fil_request_add(struct fil_request *request, struct fil_bytes bytes)
{
    fil_assert(request->pool != NULL);
    fil_chunk_queue_append(&request->content, request->pool, bytes);
}

void fil_request_format(struct fil_request *request, const char *format, ...)
{
    char text[FORMAT_BYTES_MAX];
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fil_assert(written >= 0);
    size_t size = (size_t)written < sizeof(text) ? (size_t)written : sizeof(text) - 1;
    fil_request_add(request, fil_bytes_make(text, size));
}

static int link_header(struct fil_request *request, struct fil_bytes name, struct fil_bytes value)
{
    if (request->reply_header_count == FIL_REQUEST_HEADERS_MAX) {
        return FIL_E_LIMIT;
    }
    struct fil_request_header *header = fil_request_alloc(request, sizeof(*header));
    if (header == NULL) {
        return FIL_E_NOMEM;
    }
    *header = (struct fil_request_header){.name = name, .value = value};
    if (request->last_header == NULL) {
        request->first_header = header;
    } else {
        request->last_header->next = header;
    }
    request->last_header = header;
    request->reply_header_count++;
    return FIL_OK;
}

void fil_request_add_header(struct fil_request *request, const char *name, const char *value)
{
    // Without memory for it the answer is still right, only less polite.
    (void)link_header(request, fil_bytes_of(name), fil_bytes_of(value));
}

static bool is_good_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) {
            return false;
        }
    }
    return true;
}

int fil_reply_header(struct fil_request *request, const char *name, const char *value)
{
    if (name[0] == '\0' || strpbrk(name, " :\t") != NULL || !is_good_text(name) ||
        !is_good_text(value)) {
        return FIL_E_INVALID;
    }
    struct fil_bytes own_name;
    struct fil_bytes own_value;
    if (fil_arena_copy(&request->arena, fil_bytes_of(name), &own_name) != FIL_OK ||
        fil_arena_copy(&request->arena, fil_bytes_of(value), &own_value) != FIL_OK) {
        return FIL_E_NOMEM;
    }
    return link_header(request, own_name, own_value);
}

struct fil_reply fil_reply_later(struct fil_request *request)
{
    int error = request->home->detach(request);
    if (error != FIL_OK) {
        return fil_reply_error(request, error);
    }
    return (struct fil_reply){.status = FIL_REPLY_LATER};
}

struct fil_reply fil_reply_next(void)
{
    return (struct fil_reply){.status = FIL_REPLY_NEXT};
}

struct fil_reply fil_request_refuse(struct fil_request *request, int status,
                                    const char *retry_after, const char *reason)
{
    static const char text[] =
        "too much to do: nothing was started, try again elsewhere or later\n";
    fil_assert(request->route != NULL);
    request->is_refused = true;
    fil_counter_add_shared(&request->route->stats.refused, 1);
    fil_request_add_header(request, "Retry-After", retry_after);
    fil_request_add_header(request, "Filbert-Nack", reason);
    return fil_reply_bytes(status, "text/plain", text, sizeof(text) - 1);
}

void fil_request_settle(struct fil_request *request, struct fil_reply reply)
{
    if (request->entered_count > 0) {
        reply = fil_filter_leave(request, reply);
    }
    bool is_socket = reply.status == FIL_HTTP_STATUS_SWITCHING_PROTOCOLS && request->socket != NULL;
    if (!is_socket && (reply.status < 200 || reply.status > FIL_HTTP_STATUS_MAX)) {
        reply = fil_reply_text(request, FIL_HTTP_STATUS_INTERNAL_SERVER_ERROR,
                               "the handler answered with the status %d\n", reply.status);
    }
    // Relaxed: whoever completes it twice is on a thread that has it, or is wrong anyway.
    fil_assert(!atomic_load_explicit(&request->is_answered, memory_order_relaxed));
    atomic_store_explicit(&request->is_answered, true, memory_order_relaxed);
    request->reply = reply;
    fil_service_count(request);
}

void fil_request_complete(struct fil_request *request, struct fil_reply reply)
{
    fil_assert(request->is_detached);
    fil_request_settle(request, reply);
    request->home->done(request);
}
