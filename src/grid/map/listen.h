// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners: told of the changes of a map through the event stage.
 *
 * Opening and closing visit all partitions: the listener hears of every change that is made after
 * it was opened, and of none after it was closed. Who does not listen pays nothing.
 *
 * Order:   the changes of a key as they were made. A change of all entries (cleared, all evicted)
 *          is told once, after the last partition, in the lane of the order key 0.
 * Limits:  the event stage's; what it has no room for, or what found no memory, is not delivered:
 *          the numbers of a lane have a gap then, or lost_count has grown.
 * Memory:  events are drawn from the member's budget; what is delivered is borrowed for the call.
 * Threads: open and close by any thread with a runner; deliver on event threads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/runner.h"
#include "grid/map/event.h"
#include "grid/map/map.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"

#define FIL_MAP_LISTENERS_MAX 1024U // of a map

struct fil_map_listener;

/** A change as a listener gets it. */
struct fil_map_event {
    enum fil_map_event_kind kind;
    fil_partition_id partition_id;
    struct fil_bytes key;       // data is NULL for a change of all entries
    struct fil_bytes value;     // data is NULL when there is none or it is not wanted
    struct fil_bytes old_value; // likewise
    uint64_t count;             // entries, of a change of all
    uint64_t sequence;          // see has_sequence; else 0
    uint64_t origin[2];         // who signed the change (fil_map_sign_here); 0 when nobody did
    uint64_t seq;               // counts from 1 in each lane; a gap is what had no room
    uint32_t lane;
    uint64_t lost_count; // events of this listener that found no memory so far
};

struct fil_map_listener_options {
    const char *name;     // for people
    uint32_t kinds;       // FIL_MAP_ADDED | ...
    bool has_values;      // values and old values are wanted
    bool has_sequence;    // changes are numbered in each partition (fil_map_sequence)
    struct fil_bytes key; // only this key; data is NULL: all. Copied
    uint32_t lane_count;  // 0: one for each event thread; 1: everything in order
    void (*deliver)(void *context, const struct fil_map_event *event); // must not block
    void (*nudged)(void *context); // for fil_map_listener_nudge; NULL: it is never called
    void *context;
};

/** Opened everywhere, or closed for good: FIL_OK or why not. The runner is NULL after a close. */
typedef void (*fil_map_listener_fn)(void *context, int error, struct fil_runner *runner);

/**
 * Opens a listener; opened is called when all partitions know it, perhaps before this returns.
 * FIL_E_NOMEM, FIL_E_LIMIT, FIL_E_UNSUPPORTED for a map without an event stage: then it is not.
 */
FIL_ANY_THREAD int fil_map_listener_open(struct fil_map *map,
                                         const struct fil_map_listener_options *options,
                                         struct fil_runner *runner, fil_map_listener_fn opened,
                                         struct fil_map_listener **out_listener) FIL_NODISCARD;

/**
 * Closes it, after opened; closed is called when it will never be called again, and the listener is
 * freed by then. Without memory it goes on trying.
 */
FIL_ANY_THREAD void fil_map_listener_close(struct fil_map_listener *listener,
                                           struct fil_runner *runner, fil_map_listener_fn closed);

/**
 * Has a listener with one lane call nudged, behind what is queued: for who delivers late and must
 * be told when. Between opened and close. False: there is no room now.
 */
FIL_ANY_THREAD bool fil_map_listener_nudge(struct fil_map_listener *listener) FIL_NODISCARD;

/**
 * The number of the last change of the partition that a listener with numbers was told of, so that
 * it can find out what it has missed. A change of all entries has a number of the map's home.
 */
FIL_ANY_THREAD uint64_t fil_map_sequence(const struct fil_map *map, fil_partition_id partition_id);
