// SPDX-License-Identifier: Apache-2.0
/**
 * Whom events are for: registration, publishing, and the end of both.
 *
 * Who publishes holds a reference, so a listener may be closed while events flow: publishing to it
 * is answered with FIL_E_CLOSED from then on, and when the close is complete the listener is never
 * called again.
 *
 * Threads: a listener with one lane is called by one thread at a time; one with several lanes may
 *          be called for different lanes side by side. Control (close, isolate, share) comes from
 *          one thread at a time; publish, ref, unref and read from any.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/exec/event.h"
#include "core/exec/lobby.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"

#define FIL_LISTENER_NAME_MAX  32U
#define FIL_LISTENER_LANES_MAX 256U
#define FIL_LISTENER_RESERVE   16U // events for which each lane always has room

struct fil_listener;

struct fil_listener_ops {
    /** Takes the event. Must not block: the thread serves other listeners too. */
    void (*deliver)(void *context, struct fil_event *event);

    /** Takes an event that was queued when the listener was closed. */
    void (*discard)(void *context, struct fil_event *event);
};

/** The listener is never called again. Runs on an event thread or in close itself. */
typedef void (*fil_listener_closed_fn)(void *context);

struct fil_listener_options {
    const char *name; // for people; cut to FIL_LISTENER_NAME_MAX
    const struct fil_listener_ops *ops;
    void *context;
    uint32_t lane_count;   // 0: one for each thread; 1: everything in order
    uint32_t lane_reserve; // events; 0: FIL_LISTENER_RESERVE
    uint32_t lane_max;     // events; 0: half of the stage's capacity, divided among the lanes
};

/** What happens to an event for which there is no room. */
enum fil_publish {
    FIL_PUBLISH_WAIT, // waits for a while if this thread may block, then it is dropped
    FIL_PUBLISH_DROP, // is dropped at once
    FIL_PUBLISH_TRY,  // stays with the caller, who tries again later: no drop, no gap
};

struct fil_listener_stats {
    uint64_t queue_length;
    uint64_t delivered_count;
    uint64_t dropped_count;   // for want of room
    uint64_t discarded_count; // queued when the listener was closed
    uint64_t slowest_ns;      // the longest time for one event, taken as a turn's average
};

/**
 * Registers a listener; the caller has a reference. FIL_E_INVALID, FIL_E_NOMEM, or FIL_E_LIMIT
 * when the stage has no places left for the lanes' reserves.
 */
FIL_ANY_THREAD int fil_listener_open(struct fil_events *events,
                                     const struct fil_listener_options *options,
                                     struct fil_listener **out_listener) FIL_NODISCARD;

/** Memory that a listener with so many lanes takes, for whoever accounts for it. */
size_t fil_listener_bytes(uint32_t lane_count);

/**
 * Ends the listener: what is queued is discarded, then closed is called (NULL: nobody is told).
 * Until then a turn that has begun goes on to deliver. May be called by the listener itself. Once;
 * the reference stays the caller's.
 */
FIL_ANY_THREAD void fil_listener_close(struct fil_listener *listener, fil_listener_closed_fn closed,
                                       void *context);

/** As close, and returns when it is complete. FIL_E_WOULD_BLOCK where that is not allowed. */
int fil_listener_close_wait(struct fil_listener *listener) FIL_NODISCARD;

FIL_ANY_THREAD void fil_listener_ref(struct fil_listener *listener);

/** The last one after the end frees the listener. */
FIL_ANY_THREAD void fil_listener_unref(struct fil_listener *listener);

/**
 * Takes the event. FIL_E_FULL when there is no room: the event still is the caller's, and unless
 * the caller said TRY it counts as dropped. FIL_E_CLOSED: likewise the caller's, and counts as
 * never published.
 */
FIL_ANY_THREAD int fil_listener_publish(struct fil_listener *listener, uint32_t order_key,
                                        struct fil_event *event, enum fil_publish how)
    FIL_NODISCARD;

/** A place for one event. */
enum fil_event_place {
    FIL_EVENT_PLACE_NONE,
    FIL_EVENT_PLACE_TAKEN,
    FIL_EVENT_PLACE_FIRST, // in a lane that was idle
};

/**
 * Takes a place for one event, for publishers who want all of several listeners to get it or none:
 * then each place is filled, or given up. Soon: whoever serves the lane waits for it. FIL_E_FULL,
 * FIL_E_CLOSED: there is none, and nothing is counted.
 */
FIL_ANY_THREAD int fil_listener_reserve(struct fil_listener *listener, uint32_t order_key,
                                        enum fil_event_place *out_place) FIL_NODISCARD;
FIL_ANY_THREAD void fil_listener_fill(struct fil_listener *listener, uint32_t order_key,
                                      enum fil_event_place place, struct fil_event *event);
FIL_ANY_THREAD void fil_listener_give_up(struct fil_listener *listener, uint32_t order_key,
                                         enum fil_event_place place);

/**
 * How many events would find room right now; UINT32_MAX when it is closed. For publishers on
 * threads that must not wait: without room they come again later, and when their time is over they
 * publish and lose it. Others may take the room meanwhile. Listeners share the stage's places: what
 * this one would need of them is taken from credit, which begins as fil_events_credit.
 */
FIL_ANY_THREAD uint32_t fil_listener_room(const struct fil_listener *listener, uint32_t order_key,
                                          uint64_t *credit);

/**
 * Whether there is room for so many at once, or as much as there can be: also when the lane is
 * empty. Without it something is queued, so that there is more when the lane has been served.
 */
FIL_ANY_THREAD bool fil_listener_has_room(const struct fil_listener *listener, uint32_t order_key,
                                          uint32_t count, uint64_t *credit) FIL_NODISCARD;

/**
 * Where somebody without a thread waits for room in the lane. After entering it looks once more
 * whether the lane is full, of which the credit is no part: it has no places for so many, and some
 * are free when it is served next. The guest has a reference to the listener.
 */
FIL_ANY_THREAD struct fil_lobby *fil_listener_lobby(struct fil_listener *listener,
                                                    uint32_t order_key);
FIL_ANY_THREAD bool fil_listener_is_full(const struct fil_listener *listener, uint32_t order_key,
                                         uint32_t count);

/**
 * Counts under the listener's name what it did not get although the stage had room: for want of
 * memory, or because its reader was too slow. What the stage drops is counted by publish.
 */
FIL_ANY_THREAD void fil_listener_lose(struct fil_listener *listener, uint64_t count);

/**
 * Gives the listener a thread of its own; its events are neither lost nor reordered. FIL_E_LIMIT
 * when all such threads are taken, FIL_E_CLOSED, or why no thread could be started. May start a
 * thread, so not for threads that must not block; nor while the stage is being stopped.
 */
int fil_listener_isolate(struct fil_listener *listener) FIL_NODISCARD;

/** Moves it back to the shared threads; harmless when it is there. */
void fil_listener_share(struct fil_listener *listener);

FIL_ANY_THREAD void fil_listener_read(const struct fil_listener *listener,
                                      struct fil_listener_stats *out_stats);

const char *fil_listener_name(const struct fil_listener *listener);
