// SPDX-License-Identifier: Apache-2.0
/** A connection's HTTP/2 side and its streams, for the http2 files of this folder. */
#pragma once

#include <nghttp2/nghttp2.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/list.h"
#include "lib/conc/stack.h"
#include "protocol/http/http2.h"
#include "protocol/http/http2_memory.h"
#include "protocol/http/session_internal.h"

struct fil_http2_session;

/**
 * One request with its answer. It goes when nghttp2 has closed the stream and, if it was detached,
 * its answer has come home.
 */
struct fil_http2_stream {
    struct fil_http_exchange exchange; // its session is the base of ours
    struct fil_http2_session *session;
    int32_t id;

    // Shared: how other threads tell that there is something to do.
    struct fil_link moved_link; // more of its answer is there, or room for more of its body
    struct fil_link done_link;  // its answer is there; the last that the answering thread touches
    _Atomic bool is_moved;      // the first link is in use

    // Whoever holds the connection's writer flag.
    struct fil_list link;    // all streams of the session, and the spare ones
    bool is_closed;          // nghttp2 has let go of it
    bool is_home;            // the answer is there, all of it
    bool is_answering;       // the head of the answer is given to nghttp2
    bool is_deferred;        // the answer goes on when more of it is there
    bool has_whole_body;     // nothing more of it will come
    bool is_body_unwanted;   // what comes of it is read over
    bool expects_continue;   // as in the exchange, for HTTP/2
    bool is_head_refused;    // its headers are beyond their limit
    uint64_t length;         // that was announced; UINT64_MAX: none was
    uint64_t received;       // of the body
    uint64_t consumed;       // of which the windows know
    uint64_t moved_ns;       // when something of it last came, or was seen to have gone
    uint64_t moved_mark;     // what had come then
    bool has_moved;          // something of the answer has gone since then
    uint64_t answer_sent;    // of an answer that is whole
    struct fil_piece *piece; // of one in pieces, sent up to here
    size_t piece_sent;
};

struct fil_http2_session {
    struct fil_http_session base; // server, connection; the rest is HTTP/1.1's
    struct fil_http2_server *server;
    struct fil_http_decoder decoder; // for the judgement of heads

    // Shared.
    struct fil_stack moved;
    struct fil_stack done;
    _Atomic uint64_t check_ns; // when streams are looked at for those that stand still

    // Whoever holds the connection's writer flag.
    nghttp2_session *engine;
    struct fil_http2_memory memory;
    struct fil_list streams;
    struct fil_list spares;
    uint32_t stream_count; // closed ones too, whose answers have not come home
    uint32_t open_count;
    uint32_t spare_count;
    bool is_failed;     // ends, and nobody waits for its streams any more
    bool is_draining;   // no new streams
    bool has_greeted;   // the client's settings have come
    bool has_lost;      // a stream was closed on another thread while its body was read
    uint32_t idle_left; // frames that ask for nothing
    uint64_t idle_ns;   // when some were last granted

    // The loop's own.
    bool has_asked; // a stream has been opened

    // The head that comes; one at a time.
    struct fil_http_header headers[FIL_HTTP_HEADERS_MAX];
    uint32_t header_count;
    uint32_t head_size;
    struct fil_bytes method;
    struct fil_bytes target;
    struct fil_bytes authority;
};

// http2_stream.c: streams, and how other threads tell of them.

extern const struct fil_request_home fil_http2__home;

FIL_HOLDS_WRITER struct fil_http2_stream *fil_http2__take_stream(struct fil_http2_session *session,
                                                                 int32_t id);
FIL_HOLDS_WRITER void fil_http2__free_stream(struct fil_http2_stream *stream);

/** Frees it, or keeps it for the next, when nobody has it any more. */
FIL_HOLDS_WRITER void fil_http2__let_go(struct fil_http2_stream *stream);

/** Whoever works for it hears that nobody waits. */
FIL_HOLDS_WRITER void fil_http2__cancel(struct fil_http2_stream *stream);

/** Its body's reader hears that no more comes; left to the loop when another thread finds out. */
FIL_HOLDS_WRITER void fil_http2__end_body(struct fil_http2_stream *stream, int error);

/** Opens the windows by what was read of a body. */
FIL_HOLDS_WRITER void fil_http2__consume(struct fil_http2_stream *stream);

// http2_head.c: heads of requests.

void fil_http2__set_head_callbacks(nghttp2_session_callbacks *callbacks);

/** Reads the head that is complete: 0, or the status and the sentence to refuse it with. */
FIL_HOLDS_WRITER int fil_http2__judge_head(struct fil_http2_stream *stream,
                                           struct fil_http_request *decoded, const char **out_text);

// http2_request.c: from frames to requests.

void fil_http2__set_request_callbacks(nghttp2_session_callbacks *callbacks);

// http2_answer.c: from answers to frames.

void fil_http2__set_answer_callbacks(nghttp2_session_callbacks *callbacks);

/** Gives nghttp2 what there is of the answer. */
FIL_HOLDS_WRITER void fil_http2__answer(struct fil_http2_stream *stream);

/** The interim answer that a client waits for before it sends a body. */
FIL_HOLDS_WRITER void fil_http2__call_for_body(struct fil_http2_stream *stream);

// http2_session.c.

FIL_ANY_THREAD void fil_http2__count_refusal(struct fil_http2_session *session,
                                             enum fil_http2_refusal refusal);

/** Says why the connection ends; what is under way is given up. */
FIL_HOLDS_WRITER void fil_http2__fail(struct fil_http2_session *session, uint32_t code,
                                      enum fil_http2_refusal refusal);

// http2_time.c.

/** A frame that asks for nothing; when there were too many, the connection ends. */
void fil_http2__spend(struct fil_http2_session *session) FIL_RUNS_ON(io);
FIL_HOLDS_WRITER void fil_http2__earn(struct fil_http2_session *session);

/** Looks at the streams for those that stand still, from this time on. */
void fil_http2__watch(struct fil_http2_session *session) FIL_RUNS_ON(io);
uint64_t fil_http2__deadline(const struct fil_connection *connection);
bool fil_http2__expire(struct fil_connection *connection);
