// SPDX-License-Identifier: Apache-2.0
/** Heads of requests, header by header, and what is wrong with them. On the connection's loop. */
#include <string.h>

#include "filbert/error.h"
#include "lib/http/status.h"
#include "lib/net/loop.h"
#include "protocol/http/http2_internal.h"

#define HEADER_OVERHEAD 32U // of each, in the size that the settings limit (RFC 9113, 6.5.2)

static void begin_head(struct fil_http2_session *session)
{
    session->header_count = 0;
    session->head_size = 0;
    session->method = fil_bytes_make(NULL, 0);
    session->target = fil_bytes_make(NULL, 0);
    session->authority = fil_bytes_make(NULL, 0);
}

static int on_begin_headers(nghttp2_session *engine, const nghttp2_frame *frame, void *context)
{
    struct fil_http2_session *session = context;
    fil_role_assert_io();
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) {
        return 0; // trailers, which are checked and not given out
    }
    // Closed ones that somebody still works for: their client cannot have more of them by resets.
    bool is_too_many = session->stream_count >= 2 * FIL_HTTP2_STREAMS_MAX;
    struct fil_http2_stream *stream =
        is_too_many ? NULL : fil_http2__take_stream(session, frame->hd.stream_id);
    begin_head(session);
    if (stream == NULL) {
        int error = nghttp2_submit_rst_stream(engine, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                              NGHTTP2_REFUSED_STREAM);
        return error == 0 ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    stream->moved_ns = session->base.connection->loop->now_ns;
    stream->exchange.request.arrived_ns = stream->moved_ns;
    fil_http2__watch(session);
    return nghttp2_session_set_stream_user_data(engine, stream->id, stream);
}

/** Where a pseudo header is kept; NULL for the others. */
static struct fil_bytes *pseudo_of(struct fil_http2_session *session, struct fil_bytes name)
{
    if (fil_bytes_equal_text(name, ":method")) {
        return &session->method;
    }
    if (fil_bytes_equal_text(name, ":path")) {
        return &session->target;
    }
    return fil_bytes_equal_text(name, ":authority") ? &session->authority : NULL;
}

/** Keeps a copy of the header; FIL_E_NOMEM. */
static int keep_header(struct fil_http2_session *session, struct fil_arena *arena,
                       struct fil_bytes name, struct fil_bytes value)
{
    struct fil_http_header own = {0};
    if (fil_arena_copy(arena, value, &own.value) != FIL_OK) {
        return FIL_E_NOMEM;
    }
    if (name.size > 0 && name.data[0] == ':') {
        struct fil_bytes *pseudo = pseudo_of(session, name);
        if (pseudo != NULL) {
            *pseudo = own.value;
        }
        return FIL_OK;
    }
    if (fil_arena_copy(arena, name, &own.name) != FIL_OK) {
        return FIL_E_NOMEM;
    }
    session->headers[session->header_count] = own;
    session->header_count++;
    return FIL_OK;
}

static struct fil_bytes bytes_of(nghttp2_rcbuf *buffer)
{
    nghttp2_vec part = nghttp2_rcbuf_get_buf(buffer);
    return fil_bytes_make(part.base, part.len);
}

static int on_header(nghttp2_session *engine, const nghttp2_frame *frame, nghttp2_rcbuf *name,
                     nghttp2_rcbuf *value, uint8_t flags, void *context)
{
    (void)flags;
    struct fil_http2_session *session = context;
    const struct fil_http_limits *limits = &session->base.limits;
    struct fil_http2_stream *stream =
        nghttp2_session_get_stream_user_data(engine, frame->hd.stream_id);
    if (stream == NULL || frame->headers.cat != NGHTTP2_HCAT_REQUEST) {
        return 0;
    }
    struct fil_bytes name_bytes = bytes_of(name);
    struct fil_bytes value_bytes = bytes_of(value);
    session->head_size += (uint32_t)(name_bytes.size + value_bytes.size + HEADER_OVERHEAD);
    stream->is_head_refused |= session->head_size > limits->head_size_max ||
                               session->header_count >= limits->header_count_max;
    if (stream->is_head_refused) {
        return 0; // the rest is read over, for what it does to the compression
    }
    int error = keep_header(session, &stream->exchange.request.arena, name_bytes, value_bytes);
    return error == FIL_OK ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

/** What nghttp2 would read over is refused: others may read it differently. */
static int on_invalid_header(nghttp2_session *engine, const nghttp2_frame *frame,
                             nghttp2_rcbuf *name, nghttp2_rcbuf *value, uint8_t flags,
                             void *context)
{
    (void)engine, (void)frame, (void)name, (void)value, (void)flags, (void)context;
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

/** All cookies as one header, as HTTP/1.1 has them (RFC 9113, 8.2.3). */
static int join_cookies(struct fil_http2_session *session, struct fil_arena *arena)
{
    struct fil_http_header *first = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < session->header_count; i++) {
        struct fil_http_header *header = &session->headers[i];
        bool is_cookie = fil_bytes_equal_text(header->name, "cookie");
        if (!is_cookie || first == NULL) {
            session->headers[kept] = *header;
            first = is_cookie ? &session->headers[kept] : first;
            kept++;
            continue;
        }
        size_t size = first->value.size + 2 + header->value.size;
        uint8_t *room = fil_arena_alloc(arena, size, 1);
        if (room == NULL) {
            return FIL_E_NOMEM;
        }
        memcpy(room, first->value.data, first->value.size);
        memcpy(room + first->value.size, "; ", 2);
        memcpy(room + first->value.size + 2, header->value.data, header->value.size);
        first->value = fil_bytes_make(room, size);
    }
    session->header_count = kept;
    return FIL_OK;
}

static const struct fil_http_header *find(const struct fil_http2_session *session, const char *name)
{
    for (uint32_t i = 0; i < session->header_count; i++) {
        if (fil_bytes_equal_text(session->headers[i].name, name)) {
            return &session->headers[i];
        }
    }
    return NULL;
}

/** The authority is the Host header; false when there is another one. */
static bool add_host(struct fil_http2_session *session)
{
    const struct fil_http_header *host = find(session, "host");
    if (host == NULL && session->authority.data != NULL &&
        session->header_count < FIL_HTTP_HEADERS_MAX) {
        session->headers[session->header_count] =
            (struct fil_http_header){.name = fil_bytes_of("host"), .value = session->authority};
        session->header_count++;
    }
    if (host != NULL && session->authority.data == NULL) {
        session->authority = host->value;
    }
    return host == NULL || fil_bytes_equal_nocase(host->value, session->authority);
}

/** What is against the rules, as status and sentence; 0: nothing. */
static int judge(struct fil_http2_stream *stream, struct fil_http_request *decoded,
                 const char **out_text)
{
    struct fil_http2_session *session = stream->session;
    if (stream->is_head_refused) {
        fil_http2__count_refusal(session, FIL_HTTP2_REFUSED_HEAD);
        *out_text = "the headers are larger than their limit";
        return FIL_HTTP_STATUS_HEADERS_TOO_LARGE;
    }
    if (!add_host(session)) {
        *out_text = "the authority and the Host header differ";
        return FIL_HTTP_STATUS_BAD_REQUEST;
    }
    decoded->method_text = session->method;
    // A CONNECT has none.
    decoded->target = session->target.data == NULL ? fil_bytes_of("") : session->target;
    decoded->host = session->authority;
    fil_http_decoder_init(&session->decoder, &session->base.limits);
    if (fil_http_request_check(&session->decoder, decoded) != FIL_OK) {
        *out_text = session->decoder.failure.reason;
        return session->decoder.failure.status;
    }
    struct fil_http_guard *guard = session->base.server->guard;
    decoded->headers.count = session->header_count;
    memcpy(decoded->headers.items, session->headers,
           session->header_count * sizeof(session->headers[0]));
    *out_text = guard == NULL ? NULL : fil_http_guard_check(guard, decoded);
    return *out_text == NULL ? 0 : FIL_HTTP_STATUS_FORBIDDEN;
}

/** What the client says about a body that follows. */
static void read_body_headers(struct fil_http2_stream *stream)
{
    const struct fil_http_header *length = find(stream->session, "content-length");
    const struct fil_http_header *expect = find(stream->session, "expect");
    if (length != NULL && !fil_bytes_to_u64(length->value, &stream->length)) {
        stream->length = UINT64_MAX; // nghttp2 has refused it
    }
    stream->expects_continue =
        expect != NULL && fil_bytes_equal_nocase(expect->value, fil_bytes_of("100-continue"));
}

int fil_http2__judge_head(struct fil_http2_stream *stream, struct fil_http_request *decoded,
                          const char **out_text)
{
    if (join_cookies(stream->session, &stream->exchange.request.arena) != FIL_OK) {
        *out_text = "out of memory";
        return FIL_HTTP_STATUS_SERVICE_UNAVAILABLE;
    }
    int status = judge(stream, decoded, out_text);
    if (status == 0) {
        read_body_headers(stream);
    }
    return status;
}

void fil_http2__set_head_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback2(callbacks, on_header);
    nghttp2_session_callbacks_set_on_invalid_header_callback2(callbacks, on_invalid_header);
}
