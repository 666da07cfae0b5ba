// SPDX-License-Identifier: Apache-2.0
/**
 * Bounded queue of pointers: many producers, many consumers.
 *
 * For work that any of several threads may take: the generic pool's queue. One consumer is as good
 * as many.
 *
 * Order:    first in, first out over all producers, as the pushes claimed their slots.
 * Progress: push and take are lock-free but for one case: a slot that was claimed and not yet
 *           filled hides the ones behind it until its producer goes on.
 * Memory:   the queue borrows the items; it never dereferences or frees them.
 * Parking:  push and is_empty are sequentially consistent, see parker.h.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "lib/conc/slots.h"

#define FIL_MPMC_CAPACITY_MAX FIL_SLOTS_MAX

struct fil_mpmc {
    // Written by init, then read-only for everybody.
    struct fil_slot *slots;
    uint32_t mask;

    // Shared by the producers.
    alignas(FIL_CACHE_LINE) _Atomic uint32_t tail;

    // Shared by the consumers.
    alignas(FIL_CACHE_LINE) _Atomic uint32_t head;
};

/** Capacity is a power of two. Returns FIL_OK or FIL_E_NOMEM. */
int fil_mpmc_init(struct fil_mpmc *queue, uint32_t capacity) FIL_NODISCARD;

/** The queue must be empty and its users gone; harmless after a failed init. */
void fil_mpmc_fini(struct fil_mpmc *queue);

/** Returns false when the queue is full. The item must not be NULL. */
FIL_ANY_THREAD bool fil_mpmc_push(struct fil_mpmc *queue, void *item) FIL_NODISCARD;

/** The oldest item, or NULL when there is none. */
FIL_ANY_THREAD void *fil_mpmc_take(struct fil_mpmc *queue);

/** False as soon as a producer has begun to push. */
FIL_ANY_THREAD bool fil_mpmc_is_empty(struct fil_mpmc *queue);

/** How many items there are; a figure that may be old. */
FIL_ANY_THREAD uint32_t fil_mpmc_count(struct fil_mpmc *queue);
