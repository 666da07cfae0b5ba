// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners of a container: told of its changes through the event stage.
 *
 * Order:   the changes of a container as they were made; one lane a listener.
 * Limits:  the event stage's; what it has no room for, or what found no memory, is not delivered:
 *          the numbers have a gap then, or lost_count has grown. Nobody waits for a listener.
 * Memory:  a listener is drawn from the member's budget, and so is an event: one block for all of
 *          them; what is delivered is borrowed for the call.
 * Threads: listen, unlisten and tell by whoever is inside the container's partition; deliver on
 *          event threads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"

#define FIL_CONTAINER_LISTENERS_MAX 1024U

/** As bits, with the numbers of Hazelcast's protocol. */
enum fil_container_event_kind {
    FIL_CONTAINER_ADDED = 1,
    FIL_CONTAINER_REMOVED = 2,
    FIL_CONTAINER_UPDATED = 4,
    FIL_CONTAINER_EVICTED = 8,
    FIL_CONTAINER_EXPIRED = 16,
    FIL_CONTAINER_CLEARED = 64,
    FIL_CONTAINER_MESSAGE = 1024, // ours: a message of a topic
};

struct fil_container_event {
    enum fil_container_event_kind kind;
    struct fil_bytes key;      // data is NULL for structures without keys
    struct fil_bytes item;     // data is NULL when there is none or it is not wanted
    struct fil_bytes old_item; // likewise
    uint64_t count;            // of a change of all
    uint64_t time_ms;          // when it was told
    uint64_t source;           // who did it, as told by the protocol

    // Set for deliver.
    uint64_t seq;        // counts from 1; a gap is what had no room
    uint64_t lost_count; // events of this listener that found no memory so far
};

struct fil_container_listener;

struct fil_container_listener_options {
    const char *name;     // for people
    uint32_t kinds;       // FIL_CONTAINER_ADDED | ...
    bool has_items;       // items and old items are wanted
    struct fil_bytes key; // only this key; data is NULL: all. Copied
    uint32_t lane_max;    // events that may wait for it; 0: the stage's limit
    void (*deliver)(void *context, const struct fil_container_event *event); // must not block
    void (*closed)(void *context); // it is never called again; may be NULL
    void *context;
};

/** FIL_E_NOMEM, FIL_E_LIMIT, FIL_E_UNSUPPORTED without an event stage. */
FIL_INSIDE_PARTITION int
fil_container_listen_here(struct fil_container *container,
                          const struct fil_container_listener_options *options,
                          struct fil_container_listener **out_listener) FIL_NODISCARD;

/** No event from here on reaches it; closed is called when none that is under way does either. */
FIL_INSIDE_PARTITION void fil_container_unlisten_here(struct fil_container_listener *listener);

/** Tells the listeners; without any it costs a look at a word. */
FIL_INSIDE_PARTITION void fil_container_tell_here(struct fil_container *container,
                                                  const struct fil_container_event *event);

/** How many events all who listen have room for; see fil_listener_room. */
FIL_INSIDE_PARTITION uint32_t fil_container_room_here(const struct fil_container *container);

/** After the threads have ended: closes all that are left; nobody is told. */
void fil_container_unlisten_all(struct fil_container *container);
