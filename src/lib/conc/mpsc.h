// SPDX-License-Identifier: Apache-2.0
/**
 * Bounded queue of pointers: many producers, one consumer.
 *
 * This is the doorway of a stage. Any thread pushes operations in; the one thread that owns the
 * stage takes them out in batches. The queue never allocates after init and never blocks: a full
 * queue refuses the push, and what to do then (retry, shed, suspend the connection) is the
 * caller's call.
 *
 * Order:    first in, first out for each producer; no order between producers.
 * Progress: push is lock-free, take is wait-free.
 * Memory:   the queue borrows the items; it never dereferences or frees them.
 * Parking:  push and is_empty are sequentially consistent, so that "push, then look whether the
 *           consumer is parked" and "park, then look whether the queue is empty" cannot both miss.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "lib/conc/slots.h"

#define FIL_MPSC_CAPACITY_MAX FIL_SLOTS_MAX

struct fil_mpsc {
    // Written by init, then read-only for everybody.
    struct fil_slot *slots;
    uint32_t mask;

    // Shared by the producers.
    alignas(FIL_CACHE_LINE) _Atomic uint32_t tail;

    // The consumer's own.
    alignas(FIL_CACHE_LINE) uint32_t head;
};

/** Capacity is a power of two, at least 2. Returns FIL_OK or FIL_E_NOMEM. */
int fil_mpsc_init(struct fil_mpsc *queue, uint32_t capacity) FIL_NODISCARD;

/** The queue must be empty and its producers gone. */
void fil_mpsc_fini(struct fil_mpsc *queue);

/** Returns false when the queue is full. The item must not be NULL. */
FIL_ANY_THREAD bool fil_mpsc_push(struct fil_mpsc *queue, void *item) FIL_NODISCARD;

/** Consumer only. Moves up to limit items to out_items; returns how many. */
uint32_t fil_mpsc_take(struct fil_mpsc *queue, void **out_items, uint32_t limit);

/** Consumer only. False as soon as a producer has begun to push. */
bool fil_mpsc_is_empty(struct fil_mpsc *queue);

/** Consumer only. Items in the queue, those included whose push has only begun. */
uint32_t fil_mpsc_count(struct fil_mpsc *queue);
