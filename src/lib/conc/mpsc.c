// SPDX-License-Identifier: Apache-2.0
#include "lib/conc/mpsc.h"

#include <assert.h>
#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

/**
 * The turn says whose the slot is. With p the position that is pushed to it next:
 * turn == p: empty, the producers'; turn == p + 1: filled, the consumer's. Having taken the item
 * the consumer sets it to p + capacity, the position of the next round.
 */
struct fil_mpsc_slot {
    _Atomic uint32_t turn;
    void *item;
};

int fil_mpsc_init(struct fil_mpsc *queue, uint32_t capacity)
{
    // With a single slot "filled" and "empty again" would be the same turn.
    fil_assert(capacity >= 2);
    fil_assert(capacity <= FIL_MPSC_CAPACITY_MAX);
    fil_assert(fil_is_power_of_two(capacity));

    *queue = (struct fil_mpsc){.mask = capacity - 1};
    queue->slots = fil_alloc_aligned(FIL_CACHE_LINE, capacity * sizeof(*queue->slots));
    if (queue->slots == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < capacity; i++) {
        atomic_init(&queue->slots[i].turn, i);
    }
    return FIL_OK;
}

void fil_mpsc_fini(struct fil_mpsc *queue)
{
    // A queue whose init failed has no slots, and nothing in it either.
    fil_assert(fil_mpsc_count(queue) == 0);
    fil_free(queue->slots);
    queue->slots = NULL;
}

bool fil_mpsc_push(struct fil_mpsc *queue, void *item)
{
    fil_assert(item != NULL);

    struct fil_mpsc_slot *slot = NULL;
    // Relaxed: a stale position is found out by the slot's turn or by the claim below.
    uint32_t position = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    // Lock-free: when this thread goes round again, another producer has moved on.
    for (;;) {
        slot = &queue->slots[position & queue->mask];
        // A1 pairs with R2: the consumer is done with the slot before we fill it.
        uint32_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
        int32_t lead = (int32_t)(turn - position);
        if (lead < 0) {
            return false;
        }
        if (lead > 0) {
            position = atomic_load_explicit(&queue->tail, memory_order_relaxed);
            continue;
        }
        // S1 pairs with S2: sequentially consistent, for the look at the consumer's parker that
        // follows the push. It publishes no item, R1 does. A failed claim only brings a newer
        // position: relaxed.
        if (atomic_compare_exchange_weak_explicit(&queue->tail, &position, position + 1,
                                                  memory_order_seq_cst, memory_order_relaxed)) {
            break;
        }
    }

    slot->item = item;
    // R1 pairs with A2: the item, and all it points to, is written before it is seen.
    atomic_store_explicit(&slot->turn, position + 1, memory_order_release);
    return true;
}

uint32_t fil_mpsc_take(struct fil_mpsc *queue, void **out_items, uint32_t limit)
{
    uint32_t taken = 0;
    while (taken < limit) {
        struct fil_mpsc_slot *slot = &queue->slots[queue->head & queue->mask];
        // A2 pairs with R1: what the producer wrote before its push is seen with the item.
        uint32_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
        if (turn != queue->head + 1) {
            break; // empty, or the producer that claimed the slot has not filled it yet
        }
        out_items[taken] = slot->item;
        fil_debug_assert(out_items[taken] != NULL);
        // R2 pairs with A1: the item has been read before a producer may overwrite it.
        atomic_store_explicit(&slot->turn, queue->head + queue->mask + 1, memory_order_release);
        queue->head++;
        taken++;
    }
    return taken;
}

uint32_t fil_mpsc_count(struct fil_mpsc *queue)
{
    // S2 pairs with S1: sequentially consistent, for the parker announced before this look.
    uint32_t count = atomic_load_explicit(&queue->tail, memory_order_seq_cst) - queue->head;
    fil_assert(count <= queue->mask + 1);
    return count;
}

bool fil_mpsc_is_empty(struct fil_mpsc *queue)
{
    return fil_mpsc_count(queue) == 0;
}
