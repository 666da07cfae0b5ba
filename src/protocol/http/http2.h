// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP/2 in front of the same service as HTTP/1.1 (server.h), in clear text, for clients that begin
 * with its preface: they know beforehand. Frames, header compression and the rules of streams are
 * nghttp2's; here its session is tied to a connection, and its streams to requests.
 *
 * Journey: as in server.h. A stream is an exchange of its own: answers leave in the order in which
 * they are there.
 *
 * Back-pressure: a body that is read while it comes opens its stream's window, and the
 * connection's, only by what was read. Answers wait in their streams for the peer's windows and for
 * room in the output.
 *
 * Memory:  what a session of nghttp2 needs is drawn from the budget, up to FIL_HTTP2_MEMORY_MAX.
 * Threads: the session belongs to whoever holds the connection's writer flag.
 */
#pragma once

#include <stdint.h>

#include "lib/conc/counter.h"
#include "lib/net/protocol.h"
#include "protocol/http/server.h"

#define FIL_HTTP2_STREAMS_MAX       100U // at a time; below FIL_CONNECTION_PENDING_MAX
#define FIL_HTTP2_STREAM_WINDOW     (256 << 10)
#define FIL_HTTP2_CONNECTION_WINDOW (2 << 20)
#define FIL_HTTP2_MEMORY_MAX        ((size_t)1 << 20)

// What costs us work without asking for anything (resets, pings, settings, priorities, empty
// frames): so many at once and so many a second, and one for each answer.
#define FIL_HTTP2_IDLE_FRAMES_MAX        500U
#define FIL_HTTP2_IDLE_FRAMES_PER_SECOND 50U

// clang-format off
#define FIL_HTTP2_REFUSALS(X) \
    X(STREAMS,  "streams")  /* a request beyond those that may be under way */ \
    X(HEAD,     "head")     /* headers beyond their limit */ \
    X(FLOOD,    "flood")    /* too many frames that ask for nothing; ends the connection */ \
    X(MALFORMED, "malformed") /* against the rules of the protocol; ends the connection */ \
    X(MEMORY,   "memory")   /* no memory for it; ends the connection */ \
    X(STALLED,  "stalled")  /* a stream stood still: its body, or its reader */
// clang-format on

enum fil_http2_refusal {
#define FIL_HTTP2_REFUSAL(name, text) FIL_HTTP2_REFUSED_##name,
    FIL_HTTP2_REFUSALS(FIL_HTTP2_REFUSAL)
#undef FIL_HTTP2_REFUSAL
    FIL_HTTP2_REFUSAL_COUNT
};

const char *fil_http2_refusal_text(enum fil_http2_refusal refusal);

struct fil_http2_stats {
    struct fil_counter connections;
    struct fil_counter requests;
    struct fil_counter cancelled; // by their clients, with a reset
    struct fil_counter refused[FIL_HTTP2_REFUSAL_COUNT];
};

/** A protocol's context is its struct fil_http2_server. */
struct fil_http2_server {
    // Read-only while loops run.
    const struct fil_http_server *http;

    // Shared.
    struct fil_http2_stats stats;
};

extern const struct fil_protocol_ops fil_http2_protocol;
