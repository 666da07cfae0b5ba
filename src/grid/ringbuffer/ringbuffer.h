// SPDX-License-Identifier: Apache-2.0
/**
 * A ring buffer: the last items that were added, each under its sequence number, read by any number
 * of readers without being taken away.
 *
 *     head                    tail
 *      | item | item | ... | item |          numbers count from 0; empty: tail is head - 1
 *
 * A full one overwrites its oldest item. Items may have a time to live; a writer may then wish to
 * be refused instead, as in Hazelcast. Who reads at the number behind the tail may wait for it.
 *
 * Memory:  FIL_E_NOMEM leaves it as it was.
 * Threads: whoever is inside its partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "core/container/waiting.h"
#include "core/items/items.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"

#define FIL_RINGBUFFER_CAPACITY     10000U
#define FIL_RINGBUFFER_CAPACITY_MAX (UINT64_C(1) << 31)

struct fil_ringbuffer_config {
    uint64_t capacity; // items
    uint64_t ttl_ms;   // 0: they do not expire
};

struct fil_ringbuffer {
    struct fil_container container;
    struct fil_ringbuffer_config config;

    // Whoever is inside.
    struct fil_items items; // with a time to live each begins with the time when it was added
    uint64_t head;          // number of the first one
    struct fil_waiting readers;
};

/** Its config is a struct fil_ringbuffer_config. */
extern const struct fil_container_type fil_ringbuffer_type;

static inline struct fil_ringbuffer *fil_ringbuffer_of(struct fil_container *container)
{
    return FIL_CONTAINER_OF(container, struct fil_ringbuffer, container);
}

/** What a full one does. */
enum fil_ringbuffer_overflow {
    FIL_RINGBUFFER_OVERWRITE,
    FIL_RINGBUFFER_FAIL, // if its items have a time to live
};

/** How it stands; expired items are gone first. */
struct fil_ringbuffer_state {
    uint64_t size;
    uint64_t capacity;
    uint64_t room; // the capacity when items do not expire: then everything can be overwritten
    int64_t head;
    int64_t tail;
};

FIL_INSIDE_PARTITION struct fil_ringbuffer_state
fil_ringbuffer_state_here(struct fil_ringbuffer *ring, uint64_t now_ms);

/**
 * Adds all items or none; out_seq is the number of the last one. FIL_E_FULL when there is no room
 * (of fil_ringbuffer_state) and the writer wants to fail, FIL_E_NOMEM, FIL_E_LIMIT for an item that
 * is too large, FIL_E_INVALID for none.
 */
FIL_INSIDE_PARTITION int fil_ringbuffer_add_here(struct fil_ringbuffer *ring,
                                                 enum fil_ringbuffer_overflow overflow,
                                                 const struct fil_bytes *items, uint64_t count,
                                                 uint64_t now_ms, int64_t *out_seq) FIL_NODISCARD;

/**
 * The item of that number. FIL_E_AGAIN for the one behind the tail: the waiter may wait.
 * FIL_E_NOT_FOUND: it is gone. FIL_E_INVALID for numbers beyond.
 */
FIL_INSIDE_PARTITION int fil_ringbuffer_read_here(struct fil_ringbuffer *ring,
                                                  struct fil_waiter *waiter, int64_t seq,
                                                  uint64_t now_ms, struct fil_bytes *out_item)
    FIL_NODISCARD;

/** Whether a reader wants the item. */
typedef bool (*fil_ringbuffer_filter_fn)(void *context, struct fil_bytes item);

/** Gets an item. */
typedef void (*fil_ringbuffer_visit_fn)(void *context, int64_t seq, struct fil_bytes item);

/** A look at many items. */
struct fil_ringbuffer_look {
    int64_t from;   // moved to the nearest that there is, also while it waits
    uint64_t least; // waits until there are so many; 0: never
    uint64_t most;
    fil_ringbuffer_filter_fn filter; // NULL: all
    fil_ringbuffer_visit_fn visit;
    void *context; // of both

    // The result.
    uint64_t read_count; // items looked at, those that the filter left out included
    uint64_t found_count;
    int64_t next; // where to go on
};

/**
 * Visits items; nothing is visited before there are enough. FIL_E_AGAIN: there are not, the waiter
 * may wait. FIL_E_INVALID when least is more than most or than the capacity.
 */
FIL_INSIDE_PARTITION int fil_ringbuffer_look_here(struct fil_ringbuffer *ring,
                                                  struct fil_waiter *waiter,
                                                  struct fil_ringbuffer_look *look, uint64_t now_ms)
    FIL_NODISCARD;
