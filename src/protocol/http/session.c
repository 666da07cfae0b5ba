// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"
#include "lib/net/loop.h"
#include "protocol/http/session_internal.h"

/**
 * Methods by which a request is told from an inline RESP command; a target follows. PRI is how a
 * client begins that takes HTTP/2 for granted: it hears that the version is not spoken here. A host
 * before the path is what proxies are asked with; a key like that is not asked for inline.
 */
static const char *const method_starts[] = {
    "GET /",        "HEAD /",      "POST /",         "PUT /",         "DELETE /",    "PATCH /",
    "OPTIONS ",     "TRACE /",     "CONNECT ",       "PRI * HTTP/",   "GET http://", "HEAD http://",
    "POST http://", "PUT http://", "DELETE http://", "PATCH http://",
};

/** The decoder lets one empty line pass, and tells whoever sends more or other ones. */
static enum fil_match match(struct fil_bytes first)
{
    enum fil_match best = FIL_MATCH_NO;
    first = fil_protocol_skip_empty_lines(first);
    for (size_t i = 0; i < FIL_COUNT_OF(method_starts); i++) {
        size_t size = strlen(method_starts[i]);
        size_t common = first.size < size ? first.size : size;
        if (memcmp(first.data, method_starts[i], common) == 0) {
            if (common == size) {
                return FIL_MATCH_YES;
            }
            best = FIL_MATCH_MAYBE;
        }
    }
    return best;
}

static int open_session(struct fil_connection *connection, const struct fil_protocol *protocol)
{
    struct fil_http_session *session = fil_alloc_zero(1, sizeof(*session));
    if (session == NULL) {
        return FIL_E_NOMEM;
    }
    session->server = protocol->context;
    session->connection = connection;
    session->limits =
        session->server->limits == NULL ? fil_http_limits_default : *session->server->limits;
    session->head_limits = session->limits;
    session->head_limits.body_size_max = UINT64_MAX; // the route has its own
    fil_http_decoder_init(&session->decoder, &session->head_limits);
    connection->session = session;
    return FIL_OK;
}

static void close_session(struct fil_connection *connection)
{
    struct fil_http_session *session = connection->session;
    // All of them have ended, for they held the connection.
    while (session->first != NULL) {
        struct fil_http_exchange *exchange = session->first;
        session->first = exchange->next;
        fil_http__free_exchange(exchange);
    }
    if (!fil_http__has_body_stream(session->receiving)) { // which is one of those
        fil_http__free_exchange(session->receiving);
    }
    fil_http__free_exchange(session->spare);
    fil_free(session);
    connection->session = NULL;
}

static void abandon(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_http_session *session = connection->session;
    fil_http__fail_body_stream(session, FIL_E_CLOSED);
    for (struct fil_http_exchange *exchange = session->first; exchange != NULL;
         exchange = exchange->next) {
        // A hint to whoever works for it; sequentially consistent because of streams.
        atomic_store_explicit(&exchange->request.is_cancelled, true, memory_order_seq_cst);
        fil_http__cancel_stream(exchange);
    }
}

/** Takes the first one, which is answered, out of the line. */
static void retire(struct fil_http_session *session, struct fil_http_exchange *exchange)
{
    session->first = exchange->next;
    session->last = session->first == NULL ? NULL : session->last;
    session->waiting_count--;
    session->upgrading = session->upgrading == exchange ? NULL : session->upgrading;
    if (FIL_UNLIKELY(session->socket != NULL && session->socket == exchange->request.socket)) {
        session->socket = NULL; // this is the loop: see write_end of reply_stream.c
    }
    fil_http__give_exchange(exchange);
}

/** Whether the first one is answered, to its end. */
static bool write_first(struct fil_http_exchange *exchange)
{
    // A1 pairs with R1; before the stream is looked at, so that nothing comes behind its end.
    bool is_over = atomic_load_explicit(&exchange->is_done, memory_order_acquire);
    if (is_over && !fil_http__leave_body_stream(exchange)) {
        return false;
    }
    // A2 pairs with R2.
    if (FIL_UNLIKELY(atomic_load_explicit(&exchange->is_streaming, memory_order_acquire))) {
        return fil_http__write_stream(exchange, is_over) && is_over;
    }
    if (is_over) {
        fil_http__write_answer(exchange);
    }
    return is_over;
}

static bool collect(struct fil_connection *connection)
{
    struct fil_http_session *session = connection->session;
    // Those who gather events are told on the loop: it comes by after each piece.
    if (FIL_UNLIKELY(session->is_ending) && fil_role_is(&fil_role_io)) {
        fil_http__end_events(session);
    }
    while (session->first != NULL && write_first(session->first)) {
        retire(session, session->first);
    }
    if (FIL_UNLIKELY(fil_http__has_body_stream(session->receiving))) {
        fil_http__call_for_body(session);
    }
    return session->first != NULL && fil_http__is_stream_full(session);
}

/** The peer sends no more, or the member stops: what has an end of its own goes on. */
static void end_events(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_http_session *session = connection->session;
    session->is_ending = true;
    fil_http__end_events(session);
    // Of one that only is known to send no more soon, some of the body is still to be read.
    if (fil_fsm_is(&connection->state, FIL_CONNECTION_FINISHING)) {
        fil_http__fail_body_stream(session, FIL_E_CLOSED);
        fil_http__leave_socket(session);
    }
}

static uint32_t pending(struct fil_connection *connection)
{
    const struct fil_http_session *session = connection->session;
    if (FIL_UNLIKELY(session->socket != NULL)) {
        return fil_http__socket_pending(session);
    }
    bool is_full = session->waiting_count >= FIL_HTTP_IN_FLIGHT_MAX || session->upgrading != NULL ||
                   fil_http__is_body_full(session);
    return is_full ? FIL_CONNECTION_PENDING_MAX : session->waiting_count;
}

/** The answer is there: it is written, or waits for those before it. The flag is held. */
static void file_answer(struct fil_http_exchange *exchange)
{
    struct fil_http_session *session = exchange->session;
    if (session->first == NULL) {
        fil_http__write_answer(exchange);
        fil_http__give_exchange(exchange);
        return;
    }
    // Relaxed: its reader has the flag, as we have.
    atomic_store_explicit(&exchange->is_done, true, memory_order_relaxed);
    fil_http__enqueue(exchange);
}

/** The request is complete: it is answered, or will be. */
static void serve(struct fil_http_exchange *exchange) FIL_RUNS_ON(io)
{
    struct fil_connection *connection = exchange->session->connection;
    bool is_last = !exchange->is_keep_alive;
    bool is_answered = true;
    exchange->request.times.complete_ns = connection->loop->now_ns;
    if (exchange->request.route == NULL) {
        fil_service_refuse_unknown(&exchange->request);
    } else {
        is_answered = fil_service_dispatch(&exchange->request);
    }
    if (is_answered) {
        file_answer(exchange);
    } else if (FIL_UNLIKELY(exchange->request.can_upgrade)) {
        exchange->session->upgrading = exchange;
    }
    if (is_last) {
        fil_connection_finish(connection, FIL_CLOSE_REQUEST);
    }
}

/** Answers without the body; the connection lives on when reading over the body is cheap. */
static void refuse_body(struct fil_http_exchange *exchange, const struct fil_http_request *decoded)
    FIL_RUNS_ON(io)
{
    struct fil_http_session *session = exchange->session;
    struct fil_request *request = &exchange->request;
    bool is_cheap = decoded->framing.kind == FIL_HTTP_BODY_LENGTH &&
                    decoded->framing.length <= FIL_HTTP_DISCARD_BYTES_MAX &&
                    !decoded->expects_continue;
    exchange->is_keep_alive &= is_cheap;
    session->is_discarding = exchange->is_keep_alive;
    if (request->route == NULL) {
        serve(exchange);
        return;
    }
    fil_request_settle(request, fil_reply_text(request, FIL_HTTP_STATUS_CONTENT_TOO_LARGE,
                                               "this route takes bodies of at most %zu bytes\n",
                                               request->route->options.body_bytes_max));
    file_answer(exchange);
    if (!session->is_discarding) {
        fil_connection_finish(session->connection, FIL_CLOSE_TOO_MUCH);
    }
}

static bool is_too_large(const struct fil_http_exchange *exchange,
                         const struct fil_http_request *decoded)
{
    return decoded->framing.kind == FIL_HTTP_BODY_LENGTH &&
           decoded->framing.length > exchange->request.route->options.body_bytes_max;
}

/** A body follows: reads it, or over it. */
static int begin_body(struct fil_http_exchange *exchange, const struct fil_http_request *decoded)
    FIL_RUNS_ON(io)
{
    struct fil_http_session *session = exchange->session;
    bool is_refused = exchange->request.route == NULL || is_too_large(exchange, decoded);
    session->limits.body_size_max =
        is_refused ? FIL_HTTP_DISCARD_BYTES_MAX : exchange->request.route->options.body_bytes_max;
    if (is_refused) {
        struct fil_http_framing framing = decoded->framing;
        refuse_body(exchange, decoded);
        return session->is_discarding
                   ? fil_http_body_init(&session->body, framing, &session->limits)
                   : FIL_OK;
    }
    int error = fil_http_body_init(&session->body, decoded->framing, &session->limits);
    fil_assert(error == FIL_OK); // its length was looked at
    if (exchange->request.route->options.streams_body) {
        return fil_http__begin_body_stream(exchange, decoded->expects_continue);
    }
    error = fil_http__own_head(exchange);
    if (error != FIL_OK) {
        fil_http__give_exchange(exchange);
        return error;
    }
    session->receiving = exchange;
    return FIL_OK;
}

/** Answers whoever may not ask. Nothing more of it is read, a body neither. */
static void refuse_stranger(struct fil_http_exchange *exchange, const char *reason) FIL_RUNS_ON(io)
{
    struct fil_request *request = &exchange->request;
    exchange->is_keep_alive = false;
    request->route = NULL;
    fil_request_settle(request, fil_reply_text(request, FIL_HTTP_STATUS_FORBIDDEN, "%s\n", reason));
    file_answer(exchange);
    fil_connection_finish(exchange->session->connection, FIL_CLOSE_REQUEST);
}

/** What the decoded head begins; the decoded request is the thread's, for the call. */
static int begin_request(struct fil_http_session *session, const struct fil_http_request *decoded,
                         struct fil_bytes head) FIL_RUNS_ON(io)
{
    struct fil_http_exchange *exchange = fil_http__take_exchange(session);
    if (exchange == NULL) {
        return FIL_E_NOMEM;
    }
    fil_connection_count_request(session->connection);
    fil_http__fill_exchange(exchange, decoded, head);
    struct fil_http_guard *guard = session->server->guard;
    const char *refusal = guard == NULL ? NULL : fil_http_guard_check(guard, decoded);
    if (FIL_UNLIKELY(refusal != NULL)) {
        refuse_stranger(exchange, refusal);
        return FIL_OK;
    }
    bool is_found = fil_service_find(session->server->service, &exchange->request);
    if (is_found && session->server->has_pages_only && !exchange->request.route->is_page) {
        exchange->request.route = NULL;
    }
    bool is_whole = decoded->framing.kind == FIL_HTTP_BODY_NONE;
    const struct fil_route *route = exchange->request.route;
    if (is_whole && (route == NULL || !route->options.streams_body)) {
        serve(exchange);
        return FIL_OK;
    }
    return begin_body(exchange, decoded);
}

/** The body of a request is complete, or of one that nobody wanted. */
static void end_body(struct fil_http_session *session) FIL_RUNS_ON(io)
{
    struct fil_http_exchange *exchange = session->receiving;
    session->is_discarding = false;
    if (fil_http__has_body_stream(exchange)) {
        fil_http__end_body_stream(session);
        return;
    }
    session->receiving = NULL;
    if (exchange != NULL) {
        serve(exchange);
    }
}

/** Handles the head at the front; FIL_E_AGAIN when it is not complete, or must wait. */
static int handle_head(struct fil_http_session *session, struct fil_bytes bytes, size_t *out_size)
    FIL_RUNS_ON(io)
{
    // The thread's own: it means something only until the bytes are given back.
    static _Thread_local struct fil_http_request decoded;
    int error = fil_http_request_decode(&session->decoder, bytes, &decoded, out_size);
    if (error == FIL_E_AGAIN) {
        return error;
    }
    if (error != FIL_OK) {
        fil_http__write_failure(session, &session->decoder.failure);
        return error;
    }
    error = begin_request(session, &decoded, fil_bytes_make(bytes.data, *out_size));
    bool has_body = session->receiving != NULL || session->is_discarding;
    if (error == FIL_OK && has_body && fil_http_body_is_done(&session->body)) {
        end_body(session); // its length is 0
    } else if (error == FIL_OK && session->receiving != NULL && decoded.expects_continue &&
               bytes.size == *out_size && session->first == NULL) { // one whose body is read whole
        fil_http__write_continue(session);
    }
    return error;
}

/** What was received of the body goes to the request, whole or to its reader. */
static int keep_content(struct fil_http_exchange *exchange, struct fil_bytes content)
    FIL_RUNS_ON(io)
{
    return fil_http__has_body_stream(exchange) ? fil_http__feed_body_stream(exchange, content)
                                               : fil_http__add_body(exchange, content);
}

/** The body is none: whoever reads it answers for that, else we do. */
static void refuse_content(struct fil_http_session *session, int error) FIL_RUNS_ON(io)
{
    if (fil_http__has_body_stream(session->receiving)) {
        fil_http__fail_body_stream(session, error);
    } else {
        fil_http__write_failure(session, &session->body.failure);
    }
}

/** Takes what there is of a body; FIL_E_AGAIN when it goes on. */
static int handle_body(struct fil_http_session *session, struct fil_bytes bytes, size_t *out_size)
    FIL_RUNS_ON(io)
{
    struct fil_bytes content;
    int error = fil_http_body_decode(&session->body, bytes, &content, out_size);
    if (error == FIL_OK && session->receiving != NULL) {
        error = keep_content(session->receiving, content);
        if (error != FIL_OK) {
            fil_http__fail_body_stream(session, error);
            return error;
        }
    }
    if (error != FIL_OK && error != FIL_E_AGAIN) {
        refuse_content(session, error);
        return error;
    }
    if (fil_http_body_is_done(&session->body)) {
        end_body(session);
        return FIL_OK;
    }
    return error;
}

static int receive(struct fil_connection *connection, struct fil_bytes bytes, size_t *out_consumed)
{
    fil_role_assert_io();
    struct fil_http_session *session = connection->session;
    if (FIL_UNLIKELY(session->socket != NULL)) {
        fil_http__receive_frames(session, bytes, out_consumed);
        return FIL_OK;
    }
    size_t done = 0;
    int error = FIL_OK;
    while (error == FIL_OK && done < bytes.size &&
           fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN) &&
           !fil_connection_is_congested(connection)) {
        size_t size = 0;
        struct fil_bytes rest = fil_bytes_make(bytes.data + done, bytes.size - done);
        bool is_body = session->receiving != NULL || session->is_discarding;
        error = is_body ? handle_body(session, rest, &size) : handle_head(session, rest, &size);
        done += error == FIL_OK || (is_body && error == FIL_E_AGAIN) ? size : 0;
    }
    if (error == FIL_E_LIMIT) {
        fil_connection_finish(connection, FIL_CLOSE_TOO_MUCH); // of a head's limits, or a route's
    }
    *out_consumed = done;
    return error == FIL_E_AGAIN ? FIL_OK : error;
}

const struct fil_protocol_ops fil_http_protocol = {
    .name = "http",
    .match = match,
    .open = open_session,
    .receive = receive,
    .collect = collect,
    .pending = pending,
    .rest = fil_http__rest_of_body,
    .abandon = abandon,
    .end = end_events,
    .stop = end_events,
    .deadline = fil_http__socket_deadline,
    .expire = fil_http__ping_socket,
    .close = close_session,
};
