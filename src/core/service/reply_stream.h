// SPDX-License-Identifier: Apache-2.0
/**
 * An answer that comes piece by piece: the pieces wait here until the connection takes them.
 *
 *     handler: open --write, write ...--> end          any thread, one at a time
 *                        |
 *     connection:        +--take, as far as its output has room--> the socket
 *
 * Back-pressure: so many bytes may wait (FIL_REPLY_STREAM_BYTES_MAX); a write beyond that is
 * refused, and one that may block can wait for room. What a slow reader does not take stays in the
 * socket, then in the connection's output, then here, and then with whoever writes.
 *
 * Memory:  each piece is drawn from the service's budget until the connection has it.
 * Threads: write, wait and end by whoever has the request; take and fini by the connection's side;
 *          cancel by any.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/service/piece_queue.h"
#include "filbert/service.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"

#define FIL_REPLY_STREAM_BYTES_MAX   ((uint64_t)256 << 10)
#define FIL_REPLY_STREAM_EVENTS_TYPE "text/event-stream"

/** Nobody reads any more. */
typedef void (*fil_reply_stream_gone_fn)(void *context);

struct fil_reply_stream {
    // Set by open, then read-only.
    struct fil_request *request;
    bool is_sized;   // the pieces have a size together, told before them
    bool is_endless; // events: over when the peer stops sending, or the member

    // Set by watch, before its state says so.
    fil_reply_stream_gone_fn gone;
    void *gone_context;

    // Shared.
    struct fil_piece_queue pieces; // that the connection has not taken
    _Atomic uint32_t take_count;   // who waits for room waits for it to change
    _Atomic uint32_t waiter_count;
    _Atomic uint32_t watch; // whether there is somebody to tell, and whether he was told

    // The connection's side.
    uint64_t size_left; // of a sized one: set by open, before anybody takes
};

/** A server-sent event. */
struct fil_reply_stream_message {
    uint64_t id;           // 0: none
    const char *name;      // NULL: none
    struct fil_bytes data; // text without carriage returns
};

/** As fil_reply_stream_event; the name has no line ends. FIL_E_INVALID for data with carriage
 * returns. */
FIL_ANY_THREAD int fil_reply_stream_tell(struct fil_reply_stream *stream,
                                         const struct fil_reply_stream_message *message)
    FIL_NODISCARD;

/**
 * Once, by whoever has opened the stream: gone is called, once, when nobody reads any more: perhaps
 * before this returns, else by whoever cancels.
 */
void fil_reply_stream_watch(struct fil_reply_stream *stream, fil_reply_stream_gone_fn gone,
                            void *context);

/** Nobody reads any more: whoever waits for room, or watches, hears of it. */
FIL_ANY_THREAD void fil_reply_stream_cancel(struct fil_reply_stream *stream);

/** As fil_reply_stream_open, when the size of all pieces is known; fewer cut the connection. */
struct fil_reply_stream *fil_reply_stream_open_sized(struct fil_request *request, int status,
                                                     const char *type, uint64_t size);

/** Begins the answer of a WebSocket, whose frames are the pieces; as fil_reply_stream_open. */
struct fil_reply_stream *fil_reply_stream_open_socket(struct fil_request *request);

/** Whether a write would be refused for now. */
FIL_ANY_THREAD bool fil_reply_stream_is_full(const struct fil_reply_stream *stream);

/** As write, of two parts as one piece, however full it is. FIL_E_CLOSED, FIL_E_NOMEM. */
FIL_ANY_THREAD int fil_reply_stream_push(struct fil_reply_stream *stream, struct fil_bytes first,
                                         struct fil_bytes second) FIL_NODISCARD;

/** Whoever waits for room looks again. */
FIL_ANY_THREAD void fil_reply_stream_wake(struct fil_reply_stream *stream);

/** The next piece, or NULL; the caller gives it back with fil_reply_stream_give. */
struct fil_piece *fil_reply_stream_take(struct fil_reply_stream *stream);
void fil_reply_stream_give(struct fil_reply_stream *stream, struct fil_piece *piece);

/** Nobody writes any more: frees what was not taken. */
void fil_reply_stream_fini(struct fil_reply_stream *stream);
