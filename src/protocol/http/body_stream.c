// SPDX-License-Identifier: Apache-2.0
/**
 * Bodies that their handlers read while they come. The request is dispatched with its head and is
 * one of those that wait for an answer, while the session goes on receiving its body.
 */
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/http/session_internal.h"

bool fil_http__has_body_stream(const struct fil_http_exchange *exchange)
{
    return exchange != NULL && exchange->request.body_stream != NULL;
}

bool fil_http__is_body_full(const struct fil_http_session *session)
{
    const struct fil_http_exchange *exchange = session->receiving;
    return fil_http__has_body_stream(exchange) &&
           fil_body_stream_is_full(exchange->request.body_stream);
}

enum fil_rest fil_http__rest_of_body(const struct fil_connection *connection)
{
    const struct fil_http_session *session = connection->session;
    const struct fil_http_exchange *exchange = session->receiving;
    if (exchange == NULL) {
        return session->is_discarding ? FIL_REST_AWAITED : FIL_REST_NONE;
    }
    // Its sender waits until it is told to go on, or until its reader has made room.
    bool is_held = fil_http__has_body_stream(exchange) &&
                   (exchange->expects_continue || fil_http__is_body_full(session));
    return is_held ? FIL_REST_HELD : FIL_REST_AWAITED;
}

int fil_http__begin_body_stream(struct fil_http_exchange *exchange, bool expects_continue)
{
    struct fil_http_session *session = exchange->session;
    struct fil_request *request = &exchange->request;
    int error = fil_body_stream_open(request);
    if (error == FIL_OK) {
        error = request->home->detach(request);
    }
    if (error != FIL_OK) {
        fil_http__give_exchange(exchange);
        return error;
    }
    exchange->expects_continue = expects_continue;
    session->receiving = exchange;
    request->times.complete_ns = session->connection->loop->now_ns;
    if (fil_service_dispatch(request)) {
        request->home->done(request);
    }
    return FIL_OK;
}

/** Whoever has answered does not read any more. */
static bool is_read(struct fil_http_exchange *exchange)
{
    // Relaxed: a hint, unless it was answered on this thread.
    return !atomic_load_explicit(&exchange->is_done, memory_order_relaxed);
}

int fil_http__feed_body_stream(struct fil_http_exchange *exchange, struct fil_bytes content)
{
    exchange->expects_continue &= content.size == 0; // it has not waited for it
    return is_read(exchange) ? fil_body_stream_add(exchange->request.body_stream, content) : FIL_OK;
}

/** No more comes, for whatever reason. */
static void end(struct fil_http_session *session, int error) FIL_RUNS_ON(io)
{
    struct fil_http_exchange *exchange = session->receiving;
    session->receiving = NULL;
    if (is_read(exchange)) {
        fil_body_stream_end(exchange->request.body_stream, error);
    }
}

void fil_http__end_body_stream(struct fil_http_session *session)
{
    bool is_last = !session->receiving->is_keep_alive;
    end(session, FIL_OK);
    if (is_last) {
        fil_connection_finish(session->connection, FIL_CLOSE_REQUEST);
    }
}

void fil_http__fail_body_stream(struct fil_http_session *session, int error)
{
    if (fil_http__has_body_stream(session->receiving)) {
        session->receiving->is_keep_alive = false;
        end(session, error);
    }
}

/** Whether reading over the rest costs less than another connection. */
static bool is_rest_cheap(const struct fil_http_exchange *exchange)
{
    const struct fil_http_body *body = &exchange->session->body;
    return exchange->is_keep_alive && !exchange->expects_continue &&
           body->kind == FIL_HTTP_BODY_LENGTH && body->left <= FIL_HTTP_DISCARD_BYTES_MAX;
}

bool fil_http__leave_body_stream(struct fil_http_exchange *exchange)
{
    struct fil_http_session *session = exchange->session;
    if (session->receiving != exchange) {
        return true;
    }
    bool is_cheap = is_rest_cheap(exchange);
    if (!is_cheap && !fil_http__finish(session->connection)) {
        return false;
    }
    exchange->is_keep_alive &= is_cheap;
    session->is_discarding = is_cheap;
    session->receiving = NULL;
    return true;
}

void fil_http__call_for_body(struct fil_http_session *session)
{
    struct fil_http_exchange *exchange = session->receiving;
    if (exchange == session->first && exchange->expects_continue && !exchange->has_stream_head &&
        fil_body_stream_is_wanted(exchange->request.body_stream)) {
        exchange->expects_continue = false;
        fil_http__write_continue(session);
    }
}
