// SPDX-License-Identifier: Apache-2.0
/**
 * The connection of a WebSocket: its exchange is the last of the session, and frames take the place
 * of requests. What is sent comes through the answer's stream.
 */
#include "core/exec/activity.h"
#include "core/exec/runner.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "lib/net/loop.h"
#include "protocol/http/session_internal.h"

static struct fil_http_exchange *exchange_of(const struct fil_websocket *socket)
{
    return FIL_CONTAINER_OF(socket->request, struct fil_http_exchange, request);
}

static bool is_over(const struct fil_websocket *socket)
{
    return fil_websocket_state(socket) == FIL_WEBSOCKET_IS_CLOSED;
}

/** Nothing more is received; what waits to be sent is sent, then the connection ends. */
static void end(struct fil_http_session *session, int code, struct fil_bytes reason,
                enum fil_close_reason why) FIL_RUNS_ON(io)
{
    struct fil_connection *connection = session->connection;
    fil_websocket_end(session->socket, code, reason);
    if (fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN)) {
        fil_connection_finish(connection, why);
    }
}

/** We end it, and say why. */
static void refuse(struct fil_http_session *session, int code, const char *reason,
                   enum fil_close_reason why) FIL_RUNS_ON(io)
{
    fil_websocket_say_close(session->socket, code, fil_bytes_of(reason));
    end(session, code, fil_bytes_of(reason), why);
}

void fil_http__open_socket(struct fil_http_exchange *exchange)
{
    struct fil_http_session *session = exchange->session;
    struct fil_connection *connection = session->connection;
    struct fil_websocket *socket = exchange->request.socket;
    session->upgrading = NULL;
    session->socket = socket;
    if (is_over(socket)) {
        return; // lost before it began
    }
    socket->heard_ns = connection->loop->now_ns;
    fil_connection_rearm(connection);
    fil_websocket_open(socket);
    if (!fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN)) {
        fil_http__leave_socket(session);
    }
}

void fil_http__leave_socket(struct fil_http_session *session)
{
    struct fil_websocket *socket = session->socket;
    if (socket == NULL || is_over(socket)) {
        return;
    }
    if (session->connection->is_peer_done) {
        end(session, FIL_WEBSOCKET_LOST, fil_bytes_make(NULL, 0), FIL_CLOSE_PEER);
    } else {
        refuse(session, FIL_WEBSOCKET_GOING_AWAY, "", FIL_CLOSE_STOPPING);
    }
}

void fil_http__write_frame(struct fil_http_exchange *exchange, const struct fil_piece *piece)
{
    struct fil_websocket *socket = exchange->request.socket;
    if (socket->is_close_written) {
        return; // somebody has sent while another closed
    }
    socket->is_close_written = (piece->data[0] & 0x0fU) == FIL_WEBSOCKET_OP_CLOSE;
    fil_connection_write(exchange->session->connection, fil_bytes_make(piece->data, piece->size));
}

uint32_t fil_http__socket_pending(const struct fil_http_session *session)
{
    const struct fil_websocket *socket = session->socket;
    if (is_over(socket)) {
        return fil_piece_queue_size(&socket->stream->pieces) > 0;
    }
    return fil_reply_stream_is_full(socket->stream) ? FIL_CONNECTION_PENDING_MAX
                                                    : session->waiting_count;
}

static int add_content(struct fil_websocket *socket, const struct fil_websocket_event *event)
    FIL_RUNS_ON(io)
{
    struct fil_http_exchange *exchange = exchange_of(socket);
    size_t before = exchange->body_size;
    int error = fil_http__add_body(exchange, event->content);
    if (error == FIL_OK) {
        fil_websocket_unmask(&socket->decoder, exchange->body + before, event->content.size,
                             event->mask_at);
    }
    return error;
}

/** Under the route's name, so that one who holds the loop can be named. */
static void tell_message(struct fil_websocket *socket, enum fil_websocket_op op) FIL_RUNS_ON(io)
{
    struct fil_http_exchange *exchange = exchange_of(socket);
    struct fil_runner *runner = fil_http__runner(&exchange->request);
    struct fil_websocket_message message = {
        .kind = op == FIL_WEBSOCKET_OP_TEXT ? FIL_WEBSOCKET_KIND_TEXT : FIL_WEBSOCKET_KIND_BINARY,
        .data = exchange->body,
        .size = exchange->body_size,
    };
    const char *outer = NULL;
    if (runner != NULL) {
        outer = fil_activity_begin(runner, exchange->request.route->pattern);
    }
    if (socket->options.on_message != NULL) {
        socket->options.on_message(socket, socket->options.context, &message);
    }
    if (runner != NULL) {
        fil_activity_end(runner, outer);
    }
    fil_http__free_body(exchange);
}

static void end_message(struct fil_http_session *session, enum fil_websocket_op op) FIL_RUNS_ON(io)
{
    struct fil_http_exchange *exchange = exchange_of(session->socket);
    struct fil_bytes text = fil_bytes_make(exchange->body, exchange->body_size);
    fil_connection_count_request(session->connection);
    if (op == FIL_WEBSOCKET_OP_TEXT && !fil_utf8_is_valid(text)) {
        refuse(session, FIL_WEBSOCKET_NO_TEXT, "a text is not UTF-8", FIL_CLOSE_MALFORMED);
        return;
    }
    tell_message(session->socket, op);
}

static void run_out_of_memory(struct fil_http_session *session) FIL_RUNS_ON(io)
{
    refuse(session, FIL_WEBSOCKET_INTERNAL, "out of memory", FIL_CLOSE_MEMORY);
}

/** The peer says goodbye, or answers ours. */
static void hear_close(struct fil_http_session *session, const struct fil_websocket_event *event)
    FIL_RUNS_ON(io)
{
    int code = event->code == FIL_WEBSOCKET_NONE_SENT ? FIL_WEBSOCKET_NORMAL : event->code;
    fil_websocket_say_close(session->socket, code, fil_bytes_make(NULL, 0));
    end(session, event->code, event->content, FIL_CLOSE_PEER);
}

static void answer_ping(struct fil_http_session *session, struct fil_bytes content) FIL_RUNS_ON(io)
{
    if (fil_websocket_control(session->socket, FIL_WEBSOCKET_OP_PONG, content) == FIL_E_NOMEM) {
        run_out_of_memory(session);
    }
}

static void handle_event(struct fil_http_session *session, const struct fil_websocket_event *event)
    FIL_RUNS_ON(io)
{
    bool is_open = fil_websocket_state(session->socket) == FIL_WEBSOCKET_IS_OPEN;
    if (event->kind == FIL_WEBSOCKET_CLOSE) {
        hear_close(session, event);
    } else if (!is_open) {
        return; // we have said goodbye: nothing but the answer counts
    } else if (event->kind == FIL_WEBSOCKET_CONTENT) {
        if (add_content(session->socket, event) != FIL_OK) {
            run_out_of_memory(session);
        }
    } else if (event->kind == FIL_WEBSOCKET_MESSAGE) {
        end_message(session, event->op);
    } else if (event->kind == FIL_WEBSOCKET_PING) {
        answer_ping(session, event->content);
    }
}

/** Something came. A peer that talks on after our goodbye has the time of a ping for its own. */
static bool is_heard(struct fil_http_session *session) FIL_RUNS_ON(io)
{
    struct fil_websocket *socket = session->socket;
    uint64_t now_ns = session->connection->loop->now_ns;
    socket->heard_ns = now_ns;
    socket->pinged_ns = 0;
    if (fil_websocket_state(socket) != FIL_WEBSOCKET_IS_CLOSING) {
        return true;
    }
    socket->closing_ns = socket->closing_ns == 0 ? now_ns : socket->closing_ns;
    return now_ns - socket->closing_ns < socket->ping_ns;
}

static bool goes_on(const struct fil_http_session *session, enum fil_websocket_event_kind last)
    FIL_RUNS_ON(io)
{
    struct fil_connection *connection = session->connection;
    if (!fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN)) {
        return false;
    }
    // The end of a message may need no bytes: it is told before anything waits.
    return last == FIL_WEBSOCKET_CONTENT || !fil_connection_is_congested(connection);
}

void fil_http__receive_frames(struct fil_http_session *session, struct fil_bytes bytes,
                              size_t *out_consumed)
{
    struct fil_websocket *socket = session->socket;
    struct fil_websocket_event event = {.kind = FIL_WEBSOCKET_MESSAGE}; // nothing is half told
    *out_consumed = 0;
    if (!is_heard(session)) {
        end(session, FIL_WEBSOCKET_LOST, fil_bytes_make(NULL, 0), FIL_CLOSE_STALLED);
        return;
    }
    while (goes_on(session, event.kind)) {
        size_t left = bytes.size - *out_consumed;
        size_t size = 0;
        struct fil_bytes rest = fil_bytes_make(left == 0 ? NULL : bytes.data + *out_consumed, left);
        int error = fil_websocket_decode(&socket->decoder, rest, &event, &size);
        *out_consumed += size;
        if (error == FIL_E_AGAIN) {
            return;
        }
        if (error != FIL_OK) {
            refuse(session, socket->decoder.code, socket->decoder.reason,
                   error == FIL_E_LIMIT ? FIL_CLOSE_TOO_MUCH : FIL_CLOSE_MALFORMED);
            return;
        }
        handle_event(session, &event);
    }
}

uint64_t fil_http__socket_deadline(const struct fil_connection *connection)
{
    fil_role_assert_io();
    const struct fil_http_session *session = connection->session;
    const struct fil_websocket *socket = session->socket;
    if (socket == NULL || is_over(socket)) {
        return UINT64_MAX;
    }
    // One that is not read, because it does not read, lives while it takes something.
    uint64_t heard_ns = connection->is_paused ? connection->active_ns : socket->heard_ns;
    return (heard_ns > socket->pinged_ns ? heard_ns : socket->pinged_ns) + socket->ping_ns;
}

bool fil_http__ping_socket(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_http_session *session = connection->session;
    struct fil_websocket *socket = session->socket;
    if (socket == NULL || socket->pinged_ns != 0 ||
        fil_websocket_state(socket) != FIL_WEBSOCKET_IS_OPEN) {
        return false;
    }
    socket->pinged_ns = connection->loop->now_ns;
    return fil_websocket_control(socket, FIL_WEBSOCKET_OP_PING, fil_bytes_make(NULL, 0)) == FIL_OK;
}
