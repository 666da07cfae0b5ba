// SPDX-License-Identifier: Apache-2.0
/** How long a connection may stand still, and how many frames it may send that ask for nothing. */
#include "lib/net/loop.h"
#include "protocol/http/http2_internal.h"

#define NS_PER_SECOND UINT64_C(1000000000)

void fil_http2__spend(struct fil_http2_session *session)
{
    uint64_t now_ns = session->base.connection->loop->now_ns;
    uint64_t granted =
        (now_ns - session->idle_ns) / (NS_PER_SECOND / FIL_HTTP2_IDLE_FRAMES_PER_SECOND);
    if (granted > 0) {
        uint64_t room = FIL_HTTP2_IDLE_FRAMES_MAX - session->idle_left;
        session->idle_left += (uint32_t)(granted < room ? granted : room);
        session->idle_ns = now_ns;
    }
    if (session->idle_left == 0) {
        fil_http2__fail(session, NGHTTP2_ENHANCE_YOUR_CALM, FIL_HTTP2_REFUSED_FLOOD);
        return;
    }
    session->idle_left--;
}

void fil_http2__earn(struct fil_http2_session *session)
{
    session->idle_left += session->idle_left < FIL_HTTP2_IDLE_FRAMES_MAX ? 1 : 0;
}

void fil_http2__watch(struct fil_http2_session *session)
{
    struct fil_connection *connection = session->base.connection;
    // Relaxed: only the loop writes and reads it.
    if (atomic_load_explicit(&session->check_ns, memory_order_relaxed) == UINT64_MAX) {
        uint64_t check_ns = connection->loop->now_ns + connection->loop->limits.stall_timeout_ns;
        atomic_store_explicit(&session->check_ns, check_ns, memory_order_relaxed);
        fil_connection_rearm(connection);
    }
}

uint64_t fil_http2__deadline(const struct fil_connection *connection)
{
    const struct fil_http2_session *session = connection->session;
    return atomic_load_explicit(&session->check_ns, memory_order_relaxed);
}

/** Whether the peer owes it something: the rest of the request, or a window for the answer. */
static bool is_owed(const struct fil_http2_stream *stream)
{
    const struct fil_body_stream *body = stream->exchange.request.body_stream;
    if (stream->is_answering) {
        return !stream->is_deferred;
    }
    return !stream->has_whole_body && (body == NULL || fil_piece_queue_size(&body->pieces) == 0);
}

/** Ends those that have stood still; returns when to look again. */
static uint64_t end_stalled(struct fil_http2_session *session, uint64_t now_ns, uint64_t limit_ns)
{
    uint64_t next_ns = UINT64_MAX;
    fil_list_foreach(link, &session->streams) {
        struct fil_http2_stream *stream = FIL_CONTAINER_OF(link, struct fil_http2_stream, link);
        if (stream->has_moved || !is_owed(stream)) {
            stream->moved_ns = now_ns;
            stream->has_moved = false;
        }
        uint64_t end_ns = stream->moved_ns + limit_ns;
        if (!stream->is_closed && end_ns <= now_ns) {
            fil_http2__count_refusal(session, FIL_HTTP2_REFUSED_STALLED);
            (void)nghttp2_submit_rst_stream(session->engine, NGHTTP2_FLAG_NONE, stream->id,
                                            NGHTTP2_CANCEL);
            end_ns = now_ns + limit_ns;
        }
        next_ns = end_ns < next_ns ? end_ns : next_ns;
    }
    return next_ns;
}

bool fil_http2__expire(struct fil_connection *connection)
{
    struct fil_http2_session *session = connection->session;
    fil_role_assert_io();
    uint64_t limit_ns = connection->loop->limits.stall_timeout_ns;
    if (!session->has_greeted) {
        return false;
    }
    uint64_t next_ns = end_stalled(session, connection->loop->now_ns, limit_ns);
    atomic_store_explicit(&session->check_ns, next_ns, memory_order_relaxed);
    return true;
}
