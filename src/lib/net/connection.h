// SPDX-License-Identifier: Apache-2.0
/**
 * One accepted connection: input, output, protocol, limits.
 *
 * A connection belongs to one I/O loop, which reads it and lets its protocol handle the requests;
 * it may move to another loop between two turns (move.c).
 * The loop holds the output's writer flag meanwhile, so that the replies of a turn leave in one
 * write. Another thread that has a reply calls fil_connection_notify: it writes itself when the
 * flag is free, or leaves a note for the holder.
 *
 *   sniffing --protocol known--> open --error, request, stop--> finishing --> closed
 *       |                          |          (output leaves,                   ^
 *       +-- unknown, timeout ------+--reset--  then a half close) --------------+
 *
 * Memory: an idle connection holds no buffers; input is kept only while a request is incomplete,
 * output only until it is sent. The struct lives until its last hold is given up.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/bytes.h"
#include "lib/base/fsm.h"
#include "lib/base/list.h"
#include "lib/base/wheel.h"
#include "lib/conc/role.h"
#include "lib/mem/parcel.h"
#include "lib/net/load.h"
#include "lib/net/loop.h"
#include "lib/net/message.h"
#include "lib/net/output.h"
#include "lib/net/protocol.h"
#include "lib/net/stats.h"
#include "lib/os/address.h"

struct fil_loop;

/** Requests of one connection that may wait for their replies before it takes
 * no more. */
#define FIL_CONNECTION_PENDING_MAX 128U

enum fil_connection_state {
    FIL_CONNECTION_SNIFFING,
    FIL_CONNECTION_OPEN,
    FIL_CONNECTION_FINISHING,
    FIL_CONNECTION_CLOSED,
};

struct fil_connection {
    // Set when the connection is made, then read-only.
    uint64_t id;
    int fd;
    struct fil_address peer;
    uint64_t opened_ns;
    bool is_dialed; // by us (dial.h)

    // Changed by a move, whose maker has the writer flag and the message: to be read on the loop,
    // by the flag's holder, by whoever has claimed the message, and by the one that gives up the
    // last hold.
    struct fil_loop *loop;

    // Shared.
    _Atomic uint32_t hold_count;
    _Atomic bool is_message_sent; // the message is in the loop's inbox
    _Atomic bool is_muted;        // the loop waits until whoever writes has let go; the loop's
    struct fil_message message;   // whoever sent it, until the loop takes it
    struct fil_output output;     // its flag says whose

    // The writer flag's holder's.
    bool wants_loop; // the loop waits until fewer requests are without a reply

    // Set once by the loop, before any other thread hears of the connection.
    const struct fil_protocol *protocol;
    void *session;

    // The owning loop's.
    struct fil_fsm state FIL_OWNED_BY(io);
    enum fil_close_reason reason FIL_OWNED_BY(io);
    struct fil_list link FIL_OWNED_BY(io);        // all connections of the loop
    struct fil_list turn_link FIL_OWNED_BY(io);   // linked: flag held, flushed at the turn's end
    struct fil_list resume_link FIL_OWNED_BY(io); // linked: goes on with its input next turn
    struct fil_timer timer FIL_OWNED_BY(io);
    uint8_t *input FIL_OWNED_BY(io); // an incomplete request, or NULL
    size_t input_size FIL_OWNED_BY(io);
    size_t input_capacity FIL_OWNED_BY(io);
    size_t input_expected FIL_OWNED_BY(io); // hint: size of the request being received
    uint32_t interest FIL_OWNED_BY(io);     // what the poller watches
    bool is_watched FIL_OWNED_BY(io);       // the poller has the descriptor
    bool is_shut FIL_OWNED_BY(io);          // our half is closed
    bool is_peer_done FIL_OWNED_BY(io);     // the peer's half is closed
    bool is_end_known FIL_OWNED_BY(io);     // it will be, after what waits unread
    bool is_yielding FIL_OWNED_BY(io);      // goes on next turn
    bool is_input_taken FIL_OWNED_BY(io);   // by the request that is being handled
    bool is_paused FIL_OWNED_BY(io);        // requests wait until the reader has taken output
    bool is_pause_counted FIL_OWNED_BY(io); // the pause is in the figures as the reader's
    uint32_t drain_count FIL_OWNED_BY(io);  // receives since the member stops
    uint64_t active_ns FIL_OWNED_BY(io);    // last movement: bytes in or out
    size_t trickled_bytes FIL_OWNED_BY(io); // of input, since it last counted as one
    enum fil_rest rest FIL_OWNED_BY(io);    // of a request, when its protocol was last asked
    uint64_t request_count FIL_OWNED_BY(io);
    uint64_t counted_requests FIL_OWNED_BY(io); // which are in the load
    struct fil_load load FIL_OWNED_BY(io);
    bool is_pinned FIL_OWNED_BY(io);   // stays on its loop
    bool is_resuming FIL_OWNED_BY(io); // travels between loops and has requests left to handle
};

/** Output of the protocol's functions; valid while they run, which hold the writer flag. */
FIL_HOLDS_WRITER static inline uint8_t *fil_connection_reserve(struct fil_connection *connection,
                                                               size_t size)
{
    return fil_output_reserve(&connection->output, size);
}

FIL_HOLDS_WRITER static inline void fil_connection_commit(struct fil_connection *connection,
                                                          size_t size)
{
    fil_output_commit(&connection->output, size);
}

FIL_HOLDS_WRITER static inline void fil_connection_write(struct fil_connection *connection,
                                                         struct fil_bytes bytes)
{
    fil_output_append(&connection->output, bytes);
}

/** Ends the connection after its output; input from now on is ignored. */
void fil_connection_finish(struct fil_connection *connection, enum fil_close_reason reason)
    FIL_RUNS_ON(io);

/** Whether as much output waits as may. */
FIL_HOLDS_WRITER static inline bool
fil_connection_is_output_full(const struct fil_connection *connection)
{
    return connection->output.queue.size_bytes >= connection->loop->limits.output_bytes_max;
}

/** Whether so much output or so many replies are waited for that further requests should wait
 * too. */
bool fil_connection_is_congested(struct fil_connection *connection) FIL_RUNS_ON(io);

/** Tells how many bytes the incomplete request at the front needs in all, as far as known. */
void fil_connection_expect(struct fil_connection *connection, size_t size) FIL_RUNS_ON(io);

/** The protocol leaves the rest of what was received for the next turn: others wait. */
void fil_connection_yield(struct fil_connection *connection) FIL_RUNS_ON(io);

/**
 * In receive: takes over the memory in which the request that ends here was received, so that it
 * need not be copied. What is behind it comes again in the next turn, in memory of its own: receive
 * returns then, and what it says of consumed bytes is not looked at. Only of a request that is too
 * large for the loop's own memory. False: there is no memory for what is behind; nothing was done.
 */
bool fil_connection_take_input(struct fil_connection *connection, const uint8_t *end,
                               struct fil_parcel *out_parcel) FIL_RUNS_ON(io) FIL_NODISCARD;

/** In receive: whether that was done; nothing of what was received may be touched any more. */
static inline bool fil_connection_is_input_taken(const struct fil_connection *connection)
    FIL_RUNS_ON(io)
{
    return connection->is_input_taken;
}

/**
 * Whether what is being received stays where it is until the loop's deferred work has run
 * (lib/net/loop.h); else it goes when receive returns.
 */
static inline bool fil_connection_can_defer(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    return connection->input == NULL;
}

/** Counts a handled request. */
static inline void fil_connection_count_request(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    connection->request_count++;
    fil_counter_add(&connection->loop->stats.requests, 1);
}

/** The protocol's deadline is nearer than it was. */
void fil_connection_rearm(struct fil_connection *connection) FIL_RUNS_ON(io);

/** The connection stays on its loop, however busy that is. */
void fil_connection_pin(struct fil_connection *connection) FIL_RUNS_ON(io);

/** Whether it may go to another loop: it speaks a protocol, is not ending and not pinned. */
bool fil_connection_is_movable(const struct fil_connection *connection) FIL_RUNS_ON(io);

/**
 * Asks for a move to another loop at the end of the cycle; a request that is still open is
 * forgotten. Nothing is lost or overtaken: what has been received, what waits to be sent and what
 * other threads finish meanwhile goes with the connection.
 */
void fil_connection_move(struct fil_connection *connection, struct fil_loop *target)
    FIL_RUNS_ON(io);

/** Keeps the struct from being freed. Only by someone who has a hold, or on its loop. */
FIL_ANY_THREAD void fil_connection_hold(struct fil_connection *connection);
FIL_ANY_THREAD void fil_connection_release(struct fil_connection *connection);

/**
 * Another thread has made output ready for the protocol's collect: sends it, with the calling
 * thread's chunk pool, or leaves it to whoever is writing. The caller has a hold.
 */
FIL_ANY_THREAD void fil_connection_notify(struct fil_connection *connection, struct fil_pool *pool);

/** As notify, but leaves the writing to the connection's loop. */
FIL_ANY_THREAD void fil_connection_attend(struct fil_connection *connection);
