// SPDX-License-Identifier: Apache-2.0
/**
 * A lane: one listener's events of some order keys, from many publishers to one thread at a time.
 *
 * One word tells everything about it, and every change is one atomic step on it:
 *
 *     | closed | busy | granted (30 bits) | queued (32 bits) |
 *
 * queued:  events in the lane, those included whose push has only begun; never above granted.
 * granted: places the lane has drawn from the stage; never below its reserve while it is open.
 * busy:    the lane is in a thread's hands: in its arrivals, in its line, or being served. Whoever
 *          sets the bit puts the lane into the arrivals of its home; whoever serves the lane
 *          clears it when nothing is queued. Not busy means empty.
 * closed:  no further event comes in. Whoever finds the lane closed and empty with the busy bit in
 *          its hands ends it, exactly once; the bit is never cleared then.
 *
 * The events themselves hang in an intrusive list: a push exchanges the tail and then links, so a
 * thread may find that an event is queued but not linked yet; it comes back later.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/event.h"
#include "core/exec/listener.h"
#include "core/exec/lobby.h"
#include "core/exec/meter.h"
#include "core/exec/room.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"

#define FIL_LANE_CLOSED (UINT64_C(1) << 63)
#define FIL_LANE_BUSY   (UINT64_C(1) << 62)
#define FIL_LANE_STEP   64U // places drawn from the stage at a time

struct fil_lane {
    // Written by init, then read-only.
    struct fil_listener *listener;
    uint32_t index;
    uint32_t reserve;
    uint32_t max;

    // Shared by the publishers.
    alignas(FIL_CACHE_LINE) _Atomic uint64_t word;
    _Atomic(struct fil_event *) tail;
    struct fil_counter dropped_count;
    struct fil_probe probe;
    struct fil_room room;   // threads that wait
    struct fil_lobby lobby; // others that do
    _Atomic uint32_t home;  // index of the queue that serves the lane

    // Of the thread that has the lane in its hands; the counters are read by anyone.
    alignas(FIL_CACHE_LINE) struct fil_link link;
    struct fil_event *head FIL_OWNED_BY(event);
    uint64_t taken_count FIL_OWNED_BY(event);
    uint64_t lost_count FIL_OWNED_BY(event); // drops that the sequence numbers have skipped
    uint32_t quantum FIL_OWNED_BY(event);    // events in one turn
    uint32_t seen_count FIL_OWNED_BY(event); // queued events as the queue's length counts them
    struct fil_counter delivered_count;
    struct fil_counter discarded_count;
    struct fil_counter slowest_ns;
    struct fil_event sentinel;
};

struct fil_listener {
    // Written by open, then read-only.
    struct fil_events *events;
    const struct fil_listener_ops *ops;
    void *context;
    char name[FIL_LISTENER_NAME_MAX];
    uint32_t lane_count;
    uint32_t first_home; // of lane 0 when shared; the others follow

    // Shared.
    _Atomic uint32_t ref_count;
    _Atomic uint32_t open_lane_count;
    _Atomic uint32_t is_closed; // a futex: the close is complete
    _Atomic bool is_closing;
    _Atomic uint32_t isolated;           // index among the isolated threads and why, or UINT32_MAX
    _Atomic uint64_t flooded_ns;         // when a lane has last had more than a turn's events
    _Atomic(struct fil_counter *) drops; // in the stage's table; NULL until one is counted

    // Written by close before the lanes are closed, read when they have ended.
    fil_listener_closed_fn closed;
    void *closed_context;

    alignas(FIL_CACHE_LINE) struct fil_lane lanes[];
};

static inline uint32_t fil_lane__queued(uint64_t word)
{
    return (uint32_t)word;
}

static inline uint32_t fil_lane__granted(uint64_t word)
{
    return (uint32_t)(word >> 32) & ((1U << 30) - 1);
}

/** The lane has its reserve already; home is its first thread. */
void fil_lane__init(struct fil_lane *lane, struct fil_listener *listener, uint32_t index,
                    uint32_t home) FIL_BEFORE_SHARING;

/** Reserves a place; FIL_E_FULL, FIL_E_CLOSED. Who has set busy must schedule after the push. */
FIL_ANY_THREAD int fil_lane__reserve(struct fil_lane *lane, bool *out_must_schedule) FIL_NODISCARD;

/** Gives a reserved place back; it is seen to that the lane does not wait for the push. */
FIL_ANY_THREAD void fil_lane__unreserve(struct fil_lane *lane, bool must_schedule);

/** Pushes an event for which a place has been reserved. */
FIL_ANY_THREAD void fil_lane__push(struct fil_lane *lane, struct fil_event *event);

/** Sends a lane that is in the caller's hands to its home's thread. */
FIL_ANY_THREAD void fil_lane__schedule(struct fil_lane *lane);

/** Delivers or discards up to a turn's events, all that are linked; returns how many. */
uint32_t fil_lane__serve(struct fil_lane *lane, struct fil_meter *meter) FIL_RUNS_ON(event);

/** The turn is over: so many places are free again. False when the lane is out of our hands. */
bool fil_lane__release(struct fil_lane *lane, uint32_t moved, uint32_t *out_queued)
    FIL_RUNS_ON(event);

/** No further event comes in; ends the lane when it is empty. */
FIL_ANY_THREAD void fil_lane__close(struct fil_lane *lane);

/** One of the listener's lanes has ended. */
void fil_listener__lane_ended(struct fil_listener *listener);

/**
 * As isolate, also for an event thread that has one of the listener's lanes in its hands, so that
 * the listener cannot end meanwhile.
 */
int fil_listener__isolate(struct fil_listener *listener) FIL_NODISCARD;

/**
 * For an event thread that has a lane in its hands: a listener that was isolated by itself goes
 * back to the shared threads; whether it did.
 */
bool fil_listener__calm(struct fil_listener *listener);

/** What one listener may draw of so many places, so that some are left for the others; at least 1.
 */
FIL_ANY_THREAD uint64_t fil_events__share(const struct fil_events *events, uint64_t credit);

/** Takes up to `count` places from the stage; returns how many. */
FIL_ANY_THREAD uint32_t fil_events__draw(struct fil_events *events, uint32_t count);
FIL_ANY_THREAD void fil_events__give_back(struct fil_events *events, uint32_t count);
