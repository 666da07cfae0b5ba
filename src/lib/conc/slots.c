// SPDX-License-Identifier: Apache-2.0
#include "lib/conc/slots.h"

#include <stddef.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

struct fil_slot *fil_slots_new(uint32_t capacity)
{
    // With a single slot "filled" and "empty again" would be the same turn.
    fil_assert(capacity >= 2);
    fil_assert(capacity <= FIL_SLOTS_MAX);
    fil_assert(fil_is_power_of_two(capacity));
    struct fil_slot *slots = fil_alloc_aligned(FIL_CACHE_LINE, capacity * sizeof(*slots));
    for (uint32_t i = 0; slots != NULL && i < capacity; i++) {
        atomic_init(&slots[i].turn, i);
    }
    return slots;
}

void fil_slots_free(struct fil_slot *slots)
{
    fil_free(slots);
}

struct fil_slot *fil_slots_claim(struct fil_slot *slots, uint32_t mask, _Atomic uint32_t *cursor,
                                 uint32_t ahead, uint32_t *out_position)
{
    fil_debug_assert(ahead <= 1);
    // Relaxed: a stale position is found out by the slot's turn or by the claim below.
    uint32_t position = atomic_load_explicit(cursor, memory_order_relaxed);
    for (;;) {
        struct fil_slot *slot = &slots[position & mask];
        // A1 pairs with R2, A2 with R1: the other side is done with the slot before we touch it.
        uint32_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
        int32_t lead = (int32_t)(turn - (position + ahead));
        if (lead < 0) {
            return NULL;
        }
        if (lead > 0) {
            position = atomic_load_explicit(cursor, memory_order_relaxed);
            continue;
        }
        // S1 pairs with S2: sequentially consistent, for the look at a parker that follows a push.
        // It publishes no item, R1 does. A failed claim only brings a newer position: relaxed.
        if (atomic_compare_exchange_weak_explicit(cursor, &position, position + 1,
                                                  memory_order_seq_cst, memory_order_relaxed)) {
            *out_position = position;
            return slot;
        }
    }
}

bool fil_slots_push(struct fil_slot *slots, uint32_t mask, _Atomic uint32_t *tail, void *item)
{
    fil_assert(item != NULL);
    uint32_t position = 0;
    struct fil_slot *slot = fil_slots_claim(slots, mask, tail, 0, &position);
    if (slot == NULL) {
        return false;
    }
    slot->item = item;
    // R1 pairs with A2: the item, and all it points to, is written before it is seen.
    atomic_store_explicit(&slot->turn, position + 1, memory_order_release);
    return true;
}
