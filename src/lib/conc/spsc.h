// SPDX-License-Identifier: Apache-2.0
/**
 * Bounded queue of pointers: one producer, one consumer.
 *
 * The edge between two stages that know each other. Each side keeps a copy of the other's index
 * and looks at the real one only when the copy says "full" or "empty", so that in a steady flow
 * the line of the other side is fetched once a batch. The queue never allocates after init and
 * never blocks: a full queue takes fewer items than it was offered.
 *
 * Order:    first in, first out.
 * Progress: all wait-free.
 * Memory:   the queue borrows the items; it never dereferences or frees them.
 * Parking:  push and is_empty are sequentially consistent, and so are take and is_full: neither
 *           side can announce its sleep and miss what the other does at that moment (parker.h).
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"

#define FIL_SPSC_CAPACITY_MAX (1U << 24)

struct fil_spsc {
    // Written by init, then read-only for both.
    void **items;
    uint32_t mask;

    // Written by the producer alone; the consumer reads tail.
    alignas(FIL_CACHE_LINE) _Atomic uint32_t tail;
    uint32_t head_seen;

    // Written by the consumer alone; the producer reads head.
    alignas(FIL_CACHE_LINE) _Atomic uint32_t head;
    uint32_t tail_seen;
};

/** Capacity is a power of two. Returns FIL_OK or FIL_E_NOMEM. */
int fil_spsc_init(struct fil_spsc *queue, uint32_t capacity) FIL_NODISCARD;

/** The queue must be empty and both sides gone. */
void fil_spsc_fini(struct fil_spsc *queue);

/** Producer only. Returns false when the queue is full. The item must not be NULL. */
bool fil_spsc_push(struct fil_spsc *queue, void *item) FIL_NODISCARD;

/** Producer only. Pushes the first items of the batch, as many as fit; returns how many. */
uint32_t fil_spsc_push_many(struct fil_spsc *queue, void *const *items, uint32_t count)
    FIL_NODISCARD;

/** Producer only. Whether the next push would be refused. */
bool fil_spsc_is_full(struct fil_spsc *queue);

/** Consumer only. Moves up to limit items to out_items; returns how many. */
uint32_t fil_spsc_take(struct fil_spsc *queue, void **out_items, uint32_t limit);

/** Consumer only. Whether the next take would find nothing. */
bool fil_spsc_is_empty(struct fil_spsc *queue);

/** Consumer only. Items in the queue. */
uint32_t fil_spsc_count(struct fil_spsc *queue);
