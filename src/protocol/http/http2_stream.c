// SPDX-License-Identifier: Apache-2.0
/** Streams: their memory, and how other threads tell that there is something to do for one. */
#include <stddef.h>
#include <string.h>

#include "core/service/service_pool.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/http/http2_internal.h"

#define SPARES_MAX 8U

static struct fil_http2_stream *stream_of(struct fil_request *request)
{
    struct fil_http_exchange *exchange =
        FIL_CONTAINER_OF(request, struct fil_http_exchange, request);
    return FIL_CONTAINER_OF(exchange, struct fil_http2_stream, exchange);
}

// Memory.

static struct fil_http2_stream *take_spare(struct fil_http2_session *session)
{
    if (session->spare_count > 0) {
        session->spare_count--;
        return FIL_CONTAINER_OF(fil_list_take_front(&session->spares), struct fil_http2_stream,
                                link);
    }
    struct fil_http2_stream *stream = fil_alloc_zero(1, sizeof(*stream));
    if (stream != NULL) {
        fil_request_init(&stream->exchange.request);
    }
    return stream;
}

struct fil_http2_stream *fil_http2__take_stream(struct fil_http2_session *session, int32_t id)
{
    struct fil_http2_stream *stream = take_spare(session);
    if (stream == NULL) {
        return NULL;
    }
    stream->session = session;
    stream->id = id;
    stream->length = UINT64_MAX;
    stream->exchange.session = &session->base;
    stream->exchange.version = FIL_HTTP_1_1; // what answers of its kind look like
    stream->exchange.is_keep_alive = true;
    fil_list_init(&stream->link);
    fil_list_push_back(&session->streams, &stream->link);
    session->stream_count++;
    session->open_count++;
    session->has_asked = true;
    return stream;
}

static void give_piece(struct fil_http2_stream *stream)
{
    if (stream->piece != NULL) {
        fil_reply_stream_give(stream->exchange.request.stream, stream->piece);
        stream->piece = NULL;
    }
}

void fil_http2__free_stream(struct fil_http2_stream *stream)
{
    give_piece(stream);
    fil_list_remove(&stream->link);
    fil_http__free_body(&stream->exchange);
    fil_request_fini(&stream->exchange.request);
    fil_free(stream);
}

/** Keeps the request's memory for the next one. */
static void spare(struct fil_http2_stream *stream)
{
    struct fil_http2_session *session = stream->session;
    fil_list_remove(&stream->link);
    fil_http__free_body(&stream->exchange);
    fil_request_reset(&stream->exchange.request);
    // Relaxed: nobody else knows of it.
    atomic_store_explicit(&stream->exchange.is_done, false, memory_order_relaxed);
    atomic_store_explicit(&stream->exchange.is_streaming, false, memory_order_relaxed);
    size_t kept = offsetof(struct fil_http2_stream, session); // all but the exchange begins anew
    memset((uint8_t *)stream + kept, 0, sizeof(*stream) - kept);
    fil_list_init(&stream->link);
    fil_list_push_front(&session->spares, &stream->link);
    session->spare_count++;
}

void fil_http2__let_go(struct fil_http2_stream *stream)
{
    struct fil_http2_session *session = stream->session;
    bool is_wanted = stream->exchange.request.is_detached && !stream->is_home;
    if (!stream->is_closed || is_wanted) {
        return;
    }
    session->stream_count--;
    give_piece(stream);
    if (session->spare_count < SPARES_MAX) {
        spare(stream);
    } else {
        fil_http2__free_stream(stream);
    }
}

// Its end before its time.

void fil_http2__cancel(struct fil_http2_stream *stream)
{
    // A hint to whoever works for it; sequentially consistent because of streams.
    atomic_store_explicit(&stream->exchange.request.is_cancelled, true, memory_order_seq_cst);
    fil_http__cancel_stream(&stream->exchange);
}

/** Whoever has answered does not read any more. */
static bool is_read(struct fil_http2_stream *stream)
{
    // Relaxed: a hint, unless it was answered on this thread.
    return stream->exchange.request.body_stream != NULL &&
           !atomic_load_explicit(&stream->exchange.is_done, memory_order_relaxed);
}

void fil_http2__end_body(struct fil_http2_stream *stream, int error)
{
    if (stream->has_whole_body) {
        return;
    }
    if (!fil_role_is(&fil_role_io)) {
        stream->session->has_lost = true;
        fil_connection_attend(stream->session->base.connection);
        return;
    }
    fil_role_assert_io();
    stream->has_whole_body = true;
    if (is_read(stream)) {
        fil_body_stream_end(stream->exchange.request.body_stream, error);
    }
}

void fil_http2__consume(struct fil_http2_stream *stream)
{
    const struct fil_body_stream *body = stream->exchange.request.body_stream;
    uint64_t waiting =
        body == NULL || stream->is_body_unwanted ? 0 : fil_piece_queue_size(&body->pieces);
    // What was fed, without what is read over, is at least what waits.
    uint64_t consumed = stream->received > waiting ? stream->received - waiting : 0;
    if (consumed <= stream->consumed) {
        return;
    }
    size_t size = (size_t)(consumed - stream->consumed);
    stream->consumed = consumed;
    // A stream that is closed has no window any more: nghttp2 lets it be. Without memory for the
    // frame the connection ends by itself.
    (void)(stream->is_closed ? nghttp2_session_consume_connection(stream->session->engine, size)
                             : nghttp2_session_consume(stream->session->engine, stream->id, size));
}

// What the service asks of us.

/** On the loop. Everything is the request's own already. */
static int detach(struct fil_request *request)
{
    if (!request->is_detached) {
        request->is_detached = true;
        request->pool = NULL;
        fil_connection_hold(stream_of(request)->session->base.connection);
    }
    return FIL_OK;
}

/** Puts it where the holder of the writer flag looks, once. */
static void tell_moved(struct fil_http2_stream *stream)
{
    // R1 pairs with A1: what was made ready is seen by whoever finds the stream told of.
    if (!atomic_exchange_explicit(&stream->is_moved, true, memory_order_acq_rel)) {
        (void)fil_stack_push(&stream->session->moved, &stream->moved_link);
    }
}

static void done(struct fil_request *request)
{
    struct fil_http2_stream *stream = stream_of(request);
    struct fil_connection *connection = stream->session->base.connection;
    atomic_store_explicit(&stream->exchange.is_done, true, memory_order_relaxed);
    // The stack's order makes the answer visible. From here on the stream may be gone.
    (void)fil_stack_push(&stream->session->done, &stream->done_link);
    struct fil_runner *runner = fil_service_pool_runner();
    if (runner != NULL) {
        fil_runner_notify(runner, connection); // takes over the hold
        return;
    }
    fil_connection_attend(connection);
    fil_connection_release(connection);
}

/** The loop writes it: whoever writes piece by piece has better things to do. */
static void attend_stream(struct fil_request *request)
{
    struct fil_http2_stream *stream = stream_of(request);
    // Status and headers are there. Relaxed: only this thread's own are seen.
    if (!atomic_load_explicit(&stream->exchange.is_streaming, memory_order_relaxed)) {
        atomic_store_explicit(&stream->exchange.is_streaming, true, memory_order_seq_cst);
    }
    tell_moved(stream);
    fil_connection_attend(stream->session->base.connection);
}

/** The window opens, or the client is asked for the body. */
static void attend_body(struct fil_request *request)
{
    struct fil_http2_stream *stream = stream_of(request);
    tell_moved(stream);
    fil_connection_attend(stream->session->base.connection);
}

const struct fil_request_home fil_http2__home = {
    .detach = detach,
    .done = done,
    .body = attend_body,
    .stream = attend_stream,
    .has_window = true,
};
