// SPDX-License-Identifier: Apache-2.0
/**
 * When a loop rests a moment before it asks for events, so that more of them come at once.
 *
 * A client that has many calls under way over one connection, and writes each by itself, has its
 * next request there as soon as the reply to the last one is out: each turn serves one request, for
 * three system calls. A loop that rests for some microseconds then serves all that came meanwhile,
 * for the same three, and its replies reach the client together.
 *
 * Nobody else pays for it: a client that waits for its reply before it asks again never has a
 * request there at once, and with several busy connections a turn has several events anyway. A rest
 * that brought no more than a turn without it is the last one until the signs come again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIL_GATHER_STREAK     4U             // such turns in a row, before the first rest
#define FIL_GATHER_WAIT_NS    UINT64_C(4000) // an event was there at once, if it took no longer
#define FIL_GATHER_TURN_BYTES UINT64_C(1024) // with more the requests come together anyway

struct fil_gather {
    const void *source; // of the last turn's only event; NULL: there were several, or none
    uint64_t bytes;     // received in the last turn that had no rest before it
    uint32_t streak;
};

/** Whether the loop should rest before it waits. */
static inline bool fil_gather_is_due(const struct fil_gather *gather)
{
    return gather->streak >= FIL_GATHER_STREAK;
}

/** A turn without a rest: its only event's source or NULL, how long the wait took, what came in. */
static inline void fil_gather_note_turn(struct fil_gather *gather, const void *source,
                                        uint64_t waited_ns, uint64_t bytes)
{
    bool is_trickle = source != NULL && source == gather->source &&
                      waited_ns <= FIL_GATHER_WAIT_NS && bytes <= FIL_GATHER_TURN_BYTES;
    gather->streak = is_trickle ? gather->streak + 1 : 0;
    gather->source = source;
    gather->bytes = bytes;
}

/** A turn after a rest: whether it was worth it. */
static inline void fil_gather_note_rest(struct fil_gather *gather, uint64_t bytes)
{
    if (bytes < 2 * gather->bytes || bytes == 0) {
        *gather = (struct fil_gather){0};
    }
}
