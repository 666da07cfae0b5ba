// SPDX-License-Identifier: Apache-2.0
/** What an I/O loop counts. Written by the loop's thread only, read by anyone. */
#pragma once

#include "lib/conc/counter.h"

/** Why a connection ended; each reason has a counter. */
// clang-format off
#define FIL_CLOSE_REASONS(X) \
    X(PEER,       "peer")             /* the peer closed or reset it */ \
    X(REQUEST,    "request")          /* the protocol ended it as the peer asked */ \
    X(MALFORMED,  "malformed")        /* the bytes follow no rule of the protocol */ \
    X(UNKNOWN,    "unknown_protocol") /* the first bytes belong to no protocol */ \
    X(HANDSHAKE,  "handshake_timeout")/* half open for too long */ \
    X(STRANGER,   "handshake_limit")  /* too much before it was known who it is */ \
    X(FRAME,      "frame_limit")      /* a request larger than the limit */ \
    X(TOO_MUCH,   "protocol_limit")   /* beyond a limit of the protocol, which no option changes */ \
    X(HALF,       "half_request")     /* stood still in the middle of a request */ \
    X(STALLED,    "slow_reader")      /* took no output for too long */ \
    X(OVERRUN,    "output_limit")     /* more output came by itself than may wait for it */ \
    X(IDLE,       "idle")             /* silent for too long */ \
    X(MEMORY,     "memory")           /* no memory for its input or output */ \
    X(KILLED,     "killed")           /* somebody else asked for its end */ \
    X(STOPPING,   "stopping")         /* the member stops */
// clang-format on

enum fil_close_reason {
#define FIL_CLOSE_REASON(name, text) FIL_CLOSE_##name,
    FIL_CLOSE_REASONS(FIL_CLOSE_REASON)
#undef FIL_CLOSE_REASON
    FIL_CLOSE_REASON_COUNT
};

const char *fil_close_reason_text(enum fil_close_reason reason);

struct fil_loop_stats {
    struct fil_counter turns; // cycles that moved something
    struct fil_counter connections_opened;
    struct fil_counter closed[FIL_CLOSE_REASON_COUNT];
    struct fil_counter bytes_received;
    struct fil_counter bytes_sent;
    struct fil_counter receives; // system calls
    struct fil_counter sends;
    struct fil_counter requests;
    struct fil_counter output_pauses; // a connection's requests waited for its reader
    struct fil_counter moves;         // connections that came from another loop
    struct fil_counter rests;         // to gather requests, see gather.h
    struct fil_counter busy_ns;       // not waiting for something to do
    struct fil_counter measured_ns;   // busy with connections, in the turns that are measured
};
