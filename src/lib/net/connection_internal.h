// SPDX-License-Identifier: Apache-2.0
/** What loop and acceptor need of a connection. */
#pragma once

#include "lib/base/fsm.h"
#include "lib/net/connection.h"

/** What the end of a connection is called where slow work is named. */
#define FIL_CONNECTION_END_WORK "connection-end"

static inline bool fil_connection__is(const struct fil_connection *connection,
                                      enum fil_connection_state state) FIL_RUNS_ON(io)
{
    return fil_fsm_is(&connection->state, state);
}

/** A connection for an accepted descriptor, not yet on a loop. NULL when memory is out. */
struct fil_connection *fil_connection__new(int fd, const struct fil_address *peer, uint64_t id,
                                           struct fil_loop *loop);

/** Tells whoever the loop's hooks say. */
void fil_connection__tell(struct fil_connection *connection, enum fil_connection_news news)
    FIL_RUNS_ON(io);

/** Frees one that never reached its loop, with its descriptor. */
void fil_connection__drop(struct fil_connection *connection);

/** Begins to serve it; on failure it is closed. */
void fil_connection__open(struct fil_connection *connection) FIL_RUNS_ON(io);

/** The poller reports FIL_POLL_* readiness. */
void fil_connection__on_ready(struct fil_connection *connection, uint32_t ready) FIL_RUNS_ON(io);

void fil_connection__on_timer(struct fil_connection *connection) FIL_RUNS_ON(io);

/** End of the turn: sends what there is and lets go of the writer flag. */
void fil_connection__flush(struct fil_connection *connection) FIL_RUNS_ON(io);

/** Closes at once; output is lost. */
void fil_connection__abort(struct fil_connection *connection, enum fil_close_reason reason)
    FIL_RUNS_ON(io);

/** Takes the writer flag for this turn; false while another thread writes. */
bool fil_connection__join(struct fil_connection *connection) FIL_RUNS_ON(io) FIL_NODISCARD;

/** Gives the descriptor to the poller; closes the connection when that has no memory. Flag held. */
void fil_connection__watch(struct fil_connection *connection) FIL_RUNS_ON(io);

// connection_input.c

/** Receives once and handles it; false when there was nothing to receive. */
bool fil_connection__receive(struct fil_connection *connection) FIL_RUNS_ON(io);

/** The peer sends no more than what waits unread: what waits for something should not. */
void fil_connection__hear_end(struct fil_connection *connection) FIL_RUNS_ON(io);

/** Reads and forgets what a peer sends although the connection is ending. */
void fil_connection__discard(struct fil_connection *connection) FIL_RUNS_ON(io);

/**
 * Handles what had been received when the stop began; false when nothing of it is left. A peer that
 * sends without end is not followed: what the system can have held for us is bounded.
 */
bool fil_connection__drain_input(struct fil_connection *connection) FIL_RUNS_ON(io);

void fil_connection__free_input(struct fil_connection *connection) FIL_RUNS_ON(io);

/** Why a connection ends that has met this error. */
enum fil_close_reason fil_connection__reason_of(int error);

/** Goes on with requests that waited for the reader. */
void fil_connection__resume(struct fil_connection *connection) FIL_RUNS_ON(io);

/** Counts what it cost its loop (lib/net/load.h). */
void fil_connection__count_load(struct fil_connection *connection, uint64_t bytes, uint32_t calls)
    FIL_RUNS_ON(io);

/** Counts how long its part of a measured turn took. */
void fil_connection__count_time(struct fil_connection *connection, uint64_t part_ns)
    FIL_RUNS_ON(io);

// connection_output.c

/** Requests that wait for their replies; the flag is held. */
uint32_t fil_connection__count_pending(struct fil_connection *connection);

// connection_time.c

/** Whether part of a request has come and the rest has not, whoever is to blame. */
bool fil_connection__is_half(const struct fil_connection *connection) FIL_RUNS_ON(io);

/** Asks the protocol what it waits for; a wait that begins has all of its time. The flag is held.
 */
void fil_connection__look_at_rest(struct fil_connection *connection) FIL_RUNS_ON(io);

/** Arms the timer for the connection's next time limit. */
void fil_connection__rearm_timer(struct fil_connection *connection) FIL_RUNS_ON(io);

/**
 * Between two turns: sends it to the target loop, if nobody is busy with it right now; else it is
 * tried again after the next turn. The connection may be gone afterwards. In move.c.
 */
void fil_connection__depart(struct fil_connection *connection, struct fil_loop *target)
    FIL_RUNS_ON(io);

/** Ends it because the loop stops; false while another thread writes: try again. */
bool fil_connection__end(struct fil_connection *connection, bool is_at_once) FIL_RUNS_ON(io);
