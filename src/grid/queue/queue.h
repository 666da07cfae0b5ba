// SPDX-License-Identifier: Apache-2.0
/**
 * A queue: items in arrival order, or in the order of a comparison, with or without a bound.
 *
 * Who finds it empty or full may wait; those that wait are served in arrival order. An item that
 * was promised to somebody who waits is not in the queue any more, but goes back to its front when
 * that one goes away before taking it.
 *
 * Two steps take an item: fil_queue_next_here shows it, so that an answer can be made of it, and
 * fil_queue_take_here takes it away. Nothing may happen in the partition in between.
 *
 * Memory:  FIL_E_NOMEM leaves the queue as it was.
 * Threads: whoever is inside the queue's partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "core/container/waiting.h"
#include "core/items/choice.h"
#include "core/items/items.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"

/** Which item is next. */
enum fil_queue_order {
    FIL_QUEUE_ARRIVAL,    // the oldest
    FIL_QUEUE_ASCENDING,  // the smallest of what is compared
    FIL_QUEUE_DESCENDING, // the largest
};

/** Their words, NULL behind the last. */
extern const char *const fil_queue_order_words[];

struct fil_queue_config {
    uint64_t size_max;            // items; 0: as many as memory holds
    int64_t empty_ttl_ms;         // an empty queue gives its memory back then; below 0: never
    fil_items_compare_fn compare; // NULL: arrival order; equal items stay in arrival order
    void *compare_context;
};

struct fil_queue {
    struct fil_container container;
    struct fil_queue_config config;

    // Whoever is inside. The first takers.promised items are promised.
    struct fil_items items;
    struct fil_waiting takers;   // wait for items
    struct fil_waiting offerers; // wait for room
    uint64_t empty_since_ms;     // when it became empty
};

/** Its config is a struct fil_queue_config. */
extern const struct fil_container_type fil_queue_type;

static inline struct fil_queue *fil_queue_of(struct fil_container *container)
{
    return FIL_CONTAINER_OF(container, struct fil_queue, container);
}

FIL_INSIDE_PARTITION uint64_t fil_queue_size_here(const struct fil_queue *queue);

/** Items for which there is room; UINT64_MAX without a bound. */
FIL_INSIDE_PARTITION uint64_t fil_queue_room_here(const struct fil_queue *queue);

/** FIL_E_AGAIN when it is full: the waiter may wait. FIL_E_NOMEM, FIL_E_LIMIT for a large item. */
FIL_INSIDE_PARTITION int fil_queue_offer_here(struct fil_queue *queue, struct fil_waiter *waiter,
                                              struct fil_bytes item, uint64_t now_ms) FIL_NODISCARD;

/** All of them or none: FIL_E_FULL when there is no room, FIL_E_NOMEM, FIL_E_LIMIT. */
FIL_INSIDE_PARTITION int fil_queue_add_all_here(struct fil_queue *queue,
                                                const struct fil_bytes *items, uint64_t count,
                                                uint64_t now_ms) FIL_NODISCARD;

/** The item that the waiter gets. FIL_E_AGAIN when there is none: it may wait. */
FIL_INSIDE_PARTITION int fil_queue_next_here(struct fil_queue *queue, struct fil_waiter *waiter,
                                             struct fil_bytes *out_item) FIL_NODISCARD;

/** Takes away what next has shown. */
FIL_INSIDE_PARTITION void fil_queue_take_here(struct fil_queue *queue, struct fil_waiter *waiter,
                                              uint64_t now_ms);

/** The first item; false when there is none. */
FIL_INSIDE_PARTITION bool fil_queue_peek_here(struct fil_queue *queue, uint64_t now_ms,
                                              struct fil_bytes *out_item);

/** Must not change the queue; false ends the visit. */
typedef bool (*fil_queue_visit_fn)(void *context, struct fil_bytes item);

/** Visits up to limit items from the first on. */
FIL_INSIDE_PARTITION void fil_queue_visit_here(struct fil_queue *queue, uint64_t limit,
                                               fil_queue_visit_fn visit, void *context);

/** Takes the first items away, up to that many; returns how many. */
FIL_INSIDE_PARTITION uint64_t fil_queue_drain_here(struct fil_queue *queue, uint64_t limit,
                                                   uint64_t now_ms);

/** Removes the first item that is equal; false when there is none. */
FIL_INSIDE_PARTITION bool fil_queue_remove_here(struct fil_queue *queue, struct fil_bytes item,
                                                uint64_t now_ms);

FIL_INSIDE_PARTITION bool fil_queue_contains_here(struct fil_queue *queue, struct fil_bytes item);

/** Whether each of them is in the queue. FIL_E_NOMEM. */
FIL_INSIDE_PARTITION int fil_queue_contains_all_here(struct fil_queue *queue,
                                                     const struct fil_bytes *items, uint64_t count,
                                                     bool *out_has_all) FIL_NODISCARD;

/** Removes all items that go; says whether there were any. FIL_E_NOMEM: nothing is removed. */
FIL_INSIDE_PARTITION int fil_queue_sift_here(struct fil_queue *queue, enum fil_sift which,
                                             const struct fil_bytes *items, uint64_t count,
                                             uint64_t now_ms, bool *out_has_changed) FIL_NODISCARD;
