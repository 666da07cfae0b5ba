// SPDX-License-Identifier: Apache-2.0
/** From frames to requests: what nghttp2 tells of a connection that it reads. On its loop. */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"
#include "lib/net/loop.h"
#include "protocol/http/http2_internal.h"

static void settle_text(struct fil_http2_stream *stream, int status, const char *text)
{
    struct fil_request *request = &stream->exchange.request;
    request->route = NULL;
    fil_request_settle(request, fil_reply_text(request, status, "%s\n", text));
    stream->is_body_unwanted = true;
    fil_http2__answer(stream);
}

/** The request is complete: it is answered, or will be. */
static void serve(struct fil_http2_stream *stream) FIL_RUNS_ON(io)
{
    struct fil_request *request = &stream->exchange.request;
    bool is_answered = true;
    request->times.complete_ns = stream->session->base.connection->loop->now_ns;
    if (request->route == NULL) {
        fil_service_refuse_unknown(request);
    } else {
        is_answered = fil_service_dispatch(request); // when not, it may be gone
    }
    if (is_answered) {
        fil_http2__answer(stream);
    }
}

static void refuse_body(struct fil_http2_stream *stream)
{
    struct fil_request *request = &stream->exchange.request;
    fil_request_settle(request, fil_reply_text(request, FIL_HTTP_STATUS_CONTENT_TOO_LARGE,
                                               "this route takes bodies of at most %zu bytes\n",
                                               request->route->options.body_bytes_max));
    stream->is_body_unwanted = true;
    fil_http2__answer(stream);
}

static void begin_body_stream(struct fil_http2_stream *stream) FIL_RUNS_ON(io)
{
    struct fil_request *request = &stream->exchange.request;
    if (fil_body_stream_open(request) != FIL_OK || request->home->detach(request) != FIL_OK) {
        fil_request_settle(request, fil_reply_error(request, FIL_E_NOMEM));
        stream->is_body_unwanted = true;
        fil_http2__answer(stream);
        return;
    }
    request->times.complete_ns = stream->session->base.connection->loop->now_ns;
    if (fil_service_dispatch(request)) {
        request->home->done(request);
    }
}

/** A body follows: reads it, or over it. */
static void begin_body(struct fil_http2_stream *stream) FIL_RUNS_ON(io)
{
    const struct fil_route *route = stream->exchange.request.route;
    bool is_too_large = route != NULL && stream->length != UINT64_MAX &&
                        stream->length > route->options.body_bytes_max;
    if (route == NULL) {
        stream->is_body_unwanted = true;
        serve(stream);
    } else if (is_too_large) {
        refuse_body(stream);
    } else if (route->options.streams_body) {
        begin_body_stream(stream);
    } else if (stream->expects_continue) {
        fil_http2__call_for_body(stream);
    }
}

/** Gives the request what the head said. FIL_E_NOMEM. */
static int fill(struct fil_http2_stream *stream, const struct fil_http_request *decoded)
    FIL_RUNS_ON(io)
{
    struct fil_http2_session *session = stream->session;
    struct fil_request *request = &stream->exchange.request;
    size_t size = session->header_count * sizeof(session->headers[0]);
    struct fil_http_header *headers =
        fil_arena_alloc(&request->arena, size + sizeof(*headers), _Alignof(struct fil_http_header));
    if (headers == NULL) {
        return FIL_E_NOMEM;
    }
    memcpy(headers, session->headers, size);
    request->home = &fil_http2__home;
    request->service = session->base.server->service;
    request->method = decoded->method;
    request->method_text = decoded->method_text;
    request->path = decoded->path;
    request->query = decoded->query;
    request->headers = headers;
    request->header_count = session->header_count;
    request->pool = session->base.connection->output.pool;
    request->runner = fil_http__runner(request);
    request->can_upgrade = false; // WebSockets have HTTP/1.1
    return FIL_OK;
}

static void find_route(struct fil_http2_stream *stream)
{
    const struct fil_http_server *server = stream->session->base.server;
    struct fil_request *request = &stream->exchange.request;
    bool is_found = fil_service_find(server->service, request);
    if (is_found && server->has_pages_only && !request->route->is_page) {
        request->route = NULL;
    }
}

/** The head is complete. */
static int begin_request(struct fil_http2_stream *stream) FIL_RUNS_ON(io)
{
    // The thread's own: it means something only in this call.
    static _Thread_local struct fil_http_request decoded;
    struct fil_http2_session *session = stream->session;
    const char *text = NULL;
    fil_connection_count_request(session->base.connection);
    fil_counter_add_shared(&session->server->stats.requests, 1);
    decoded = (struct fil_http_request){.version = FIL_HTTP_1_1};
    int status = fil_http2__judge_head(stream, &decoded, &text);
    if (fill(stream, &decoded) != FIL_OK) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    if (status != 0) {
        settle_text(stream, status, text);
        return 0;
    }
    find_route(stream);
    const struct fil_route *route = stream->exchange.request.route;
    bool is_streamed = route != NULL && route->options.streams_body;
    if (stream->has_whole_body && !is_streamed) {
        serve(stream);
    } else {
        begin_body(stream);
    }
    return 0;
}

// Bodies.

/** Whoever has answered does not read any more. */
static bool is_read(struct fil_http2_stream *stream)
{
    // Relaxed: a hint, unless it was answered on this thread.
    return !stream->is_body_unwanted &&
           !atomic_load_explicit(&stream->exchange.is_done, memory_order_relaxed);
}

/** More than the route takes. */
static void exceed(struct fil_http2_stream *stream)
{
    if (stream->exchange.request.body_stream != NULL) {
        fil_http2__end_body(stream, FIL_E_LIMIT);
        stream->is_body_unwanted = true;
    } else {
        fil_http__free_body(&stream->exchange);
        refuse_body(stream);
    }
}

/** FIL_E_NOMEM. */
static int keep_content(struct fil_http2_stream *stream, struct fil_bytes content) FIL_RUNS_ON(io)
{
    struct fil_request *request = &stream->exchange.request;
    if (!is_read(stream)) {
        return FIL_OK;
    }
    if (stream->received > request->route->options.body_bytes_max) {
        exceed(stream);
        return FIL_OK;
    }
    stream->expects_continue = false; // it has not waited for it
    return request->body_stream != NULL ? fil_body_stream_add(request->body_stream, content)
                                        : fil_http__add_body(&stream->exchange, content);
}

static int on_data(nghttp2_session *engine, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t size, void *context)
{
    (void)flags;
    struct fil_http2_session *session = context;
    struct fil_http2_stream *stream = nghttp2_session_get_stream_user_data(engine, id);
    fil_role_assert_io();
    if (stream == NULL || stream->is_closed) {
        return nghttp2_session_consume_connection(engine, size) == 0 ? 0
                                                                     : NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    stream->received += size;
    if (stream->received - stream->moved_mark >= FIL_NET_MOVEMENT_BYTES) {
        stream->moved_ns = session->base.connection->loop->now_ns;
        stream->moved_mark = stream->received;
    }
    if (keep_content(stream, fil_bytes_make(data, size)) != FIL_OK) {
        fil_http2__count_refusal(session, FIL_HTTP2_REFUSED_MEMORY);
        fil_http2__end_body(stream, FIL_E_NOMEM);
        stream->is_body_unwanted = true;
        return nghttp2_submit_rst_stream(engine, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR);
    }
    fil_http2__consume(stream);
    return 0;
}

/** The last frame of the request has come. */
static void end_request(struct fil_http2_stream *stream) FIL_RUNS_ON(io)
{
    bool is_streamed = stream->exchange.request.body_stream != NULL;
    bool is_wanted = !stream->is_body_unwanted;
    if (is_streamed) {
        fil_http2__end_body(stream, FIL_OK);
    }
    stream->has_whole_body = true;
    if (!is_streamed && is_wanted) {
        serve(stream);
    }
}

static int on_headers(struct fil_http2_session *session, const nghttp2_frame *frame) FIL_RUNS_ON(io)
{
    struct fil_http2_stream *stream =
        nghttp2_session_get_stream_user_data(session->engine, frame->hd.stream_id);
    bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (stream == NULL) {
        return 0;
    }
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        stream->has_whole_body = is_last;
        int error = begin_request(stream);
        if (error == 0 && is_last && stream->exchange.request.body_stream != NULL) {
            stream->has_whole_body = false;
            fil_http2__end_body(stream, FIL_OK); // it has none
        }
        return error;
    }
    if (is_last) {
        end_request(stream); // by its trailers
    }
    return 0;
}

static int on_frame(nghttp2_session *engine, const nghttp2_frame *frame, void *context)
{
    struct fil_http2_session *session = context;
    struct fil_http2_stream *stream = NULL;
    fil_role_assert_io();
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
        return on_headers(session, frame);
    case NGHTTP2_DATA:
        stream = nghttp2_session_get_stream_user_data(engine, frame->hd.stream_id);
        if (stream != NULL && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
            end_request(stream);
        } else if (frame->hd.length == 0) {
            fil_http2__spend(session);
        }
        return 0;
    case NGHTTP2_SETTINGS:
        session->has_greeted = true;
        fil_http2__spend(session);
        return 0;
    case NGHTTP2_RST_STREAM:
        fil_counter_add_shared(&session->server->stats.cancelled, 1);
        fil_http2__spend(session);
        return 0;
    case NGHTTP2_PING:
    case NGHTTP2_PRIORITY:
        fil_http2__spend(session);
        return 0;
    default:
        return 0;
    }
}

void fil_http2__set_request_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
}
