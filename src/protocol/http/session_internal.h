// SPDX-License-Identifier: Apache-2.0
/** A connection's HTTP side and its requests, for the files of this folder. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/service/request.h"
#include "core/service/websocket.h"
#include "lib/base/cursor.h"
#include "lib/http/body.h"
#include "lib/http/request.h"
#include "lib/net/connection.h"
#include "protocol/http/server.h"

/** Of a body that nobody wants, to keep the connection. */
#define FIL_HTTP_DISCARD_BYTES_MAX UINT64_C(65536)

struct fil_http_session;

/** One request with its answer. */
struct fil_http_exchange {
    struct fil_request request;
    struct fil_http_session *session;
    struct fil_http_exchange *next; // in the order of the requests
    struct fil_bytes head;          // what the request's slices point into
    bool has_own_head;              // in the arena
    enum fil_http_version version;
    bool is_keep_alive;
    _Atomic bool is_done;      // the answer is there, all of it
    _Atomic bool is_streaming; // its stream is there
    bool has_stream_head;      // is written; whoever holds the writer flag
    bool expects_continue;     // its client waits to be called on for the body; the same

    // The body as it comes, drawn from the server's budget.
    uint8_t *body;
    size_t body_size;
    size_t body_capacity;
};

struct fil_http_session {
    // Set when the session is made, then read-only.
    const struct fil_http_server *server;
    struct fil_connection *connection;
    struct fil_http_limits head_limits;

    // The loop's own.
    struct fil_http_decoder decoder;
    struct fil_http_limits limits; // of the body that is received

    // Whoever holds the connection's writer flag, as the loop does when it receives.
    struct fil_http_body body;
    struct fil_http_exchange *receiving; // its body is on its way; NULL: a head is
    bool is_discarding;                  // a body that nobody wants is on its way
    struct fil_http_exchange *upgrading; // may make the connection a WebSocket's: no more requests
    struct fil_websocket *socket;        // it has: frames follow; NULL: requests do
    struct fil_http_exchange *first;     // without an answer, or behind one
    struct fil_http_exchange *last;
    uint32_t waiting_count;
    struct fil_http_exchange *spare; // for the next request
    bool is_ending;                  // events are not wanted any more
};

// exchange.c: requests.

/** The runner of the loop that has the request's connection now. */
struct fil_runner *fil_http__runner(struct fil_request *request) FIL_RUNS_ON(io);

/** NULL when memory is out. */
struct fil_http_exchange *fil_http__take_exchange(struct fil_http_session *session);
void fil_http__give_exchange(struct fil_http_exchange *exchange);
void fil_http__free_exchange(struct fil_http_exchange *exchange);

/** Fills in what the head says. */
void fil_http__fill_exchange(struct fil_http_exchange *exchange,
                             const struct fil_http_request *decoded, struct fil_bytes head);

/** Copies the head to the request's arena. FIL_OK or FIL_E_NOMEM. */
int fil_http__own_head(struct fil_http_exchange *exchange) FIL_NODISCARD;

/** Adds to the body. FIL_OK or FIL_E_NOMEM. */
int fil_http__add_body(struct fil_http_exchange *exchange, struct fil_bytes content) FIL_NODISCARD;
void fil_http__free_body(struct fil_http_exchange *exchange);

/** Puts the exchange behind the others that wait; the writer flag is held. */
void fil_http__enqueue(struct fil_http_exchange *exchange);

extern const struct fil_request_home fil_http__home;

// body_stream.c: bodies that are read while they come.

FIL_HOLDS_WRITER bool fil_http__has_body_stream(const struct fil_http_exchange *exchange);

/** Dispatches the request, whose body follows. FIL_OK, or FIL_E_NOMEM; the exchange is gone then.
 */
int fil_http__begin_body_stream(struct fil_http_exchange *exchange, bool expects_continue)
    FIL_RUNS_ON(io) FIL_NODISCARD;
int fil_http__feed_body_stream(struct fil_http_exchange *exchange, struct fil_bytes content)
    FIL_RUNS_ON(io) FIL_NODISCARD;

/** The body that is received is complete; or, if one is received, no more of it will come. */
void fil_http__end_body_stream(struct fil_http_session *session) FIL_RUNS_ON(io);
void fil_http__fail_body_stream(struct fil_http_session *session, int error) FIL_RUNS_ON(io);

/** Whether the connection should not be read, because the body's reader has enough. */
FIL_HOLDS_WRITER bool fil_http__is_body_full(const struct fil_http_session *session);

/** Whether the rest of a body is waited for, also of one that is read over. */
FIL_HOLDS_WRITER enum fil_rest fil_http__rest_of_body(const struct fil_connection *connection);

/**
 * The exchange is answered: what is missing of its body is read over, or ends the connection. False
 * when that is left to the loop.
 */
FIL_HOLDS_WRITER bool fil_http__leave_body_stream(struct fil_http_exchange *exchange);

/** Calls on the client that waits to be asked for the body that is received. */
FIL_HOLDS_WRITER void fil_http__call_for_body(struct fil_http_session *session);

/** Ends the connection after its output; false when that was left to its loop. */
FIL_HOLDS_WRITER bool fil_http__finish(struct fil_connection *connection);

// websocket.c: connections that have become WebSockets'.

/** The answer to the handshake is written: frames follow. */
void fil_http__open_socket(struct fil_http_exchange *exchange) FIL_RUNS_ON(io);

/** The connection ends, because its peer has stopped or we do: ends the WebSocket, if it is one's.
 */
void fil_http__leave_socket(struct fil_http_session *session) FIL_RUNS_ON(io);

/** Handles what there is of frames; the connection may end. */
void fil_http__receive_frames(struct fil_http_session *session, struct fil_bytes bytes,
                              size_t *out_consumed) FIL_RUNS_ON(io);

FIL_HOLDS_WRITER void fil_http__write_frame(struct fil_http_exchange *exchange,
                                            const struct fil_piece *piece);
FIL_HOLDS_WRITER uint32_t fil_http__socket_pending(const struct fil_http_session *session);

/** When a peer has been silent for too long; and what is done then: true when it gets a ping. */
uint64_t fil_http__socket_deadline(const struct fil_connection *connection);
bool fil_http__ping_socket(struct fil_connection *connection);

// answer.c: answers.

/** Writes the answer to the output; a HEAD request gets the head alone. */
FIL_HOLDS_WRITER void fil_http__write_answer(struct fil_http_exchange *exchange);

// stream.c: answers that come piece by piece.

/**
 * Writes what the stream has, as far as the output has room: true when nothing is left. A stream
 * that is over gets its end with it.
 */
FIL_HOLDS_WRITER bool fil_http__write_stream(struct fil_http_exchange *exchange, bool is_over);

/** Whether a stream that was not written to its end goes on when the output has left. */
FIL_HOLDS_WRITER bool fil_http__is_stream_full(const struct fil_http_session *session);

/** Ends the streams of events that are there; on the loop. */
FIL_HOLDS_WRITER void fil_http__end_events(struct fil_http_session *session);

/** Frees whoever works for a stream of a connection that is gone. */
FIL_HOLDS_WRITER void fil_http__cancel_stream(struct fil_http_exchange *exchange);

// answer.c, for reply_stream.c and http2_answer.c.

/** The Date header's text, for as long as the thread makes no other. */
const char *fil_http__date(const struct fil_http_exchange *exchange);
const char *fil_http__content_type(const struct fil_request *request);
size_t fil_http__head_size(const struct fil_request *request);
int fil_http__encode_head(const struct fil_http_exchange *exchange, struct fil_writer *writer)
    FIL_NODISCARD;
struct fil_http_framing fil_http__framing_of(const struct fil_http_exchange *exchange);

/** The answer cannot be sent: the connection ends without half of one. */
FIL_HOLDS_WRITER void fil_http__give_up(struct fil_http_exchange *exchange);

/** Writes the interim answer that a client waits for before it sends a body. */
FIL_HOLDS_WRITER void fil_http__write_continue(struct fil_http_session *session);

/** Answers bytes that are no request; the connection ends. */
FIL_HOLDS_WRITER void fil_http__write_failure(struct fil_http_session *session,
                                              const struct fil_http_failure *failure);
