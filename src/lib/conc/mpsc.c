// SPDX-License-Identifier: Apache-2.0
#include "lib/conc/mpsc.h"

#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/conc/slots.h"

int fil_mpsc_init(struct fil_mpsc *queue, uint32_t capacity)
{
    *queue = (struct fil_mpsc){.mask = capacity - 1};
    queue->slots = fil_slots_new(capacity);
    return queue->slots == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_mpsc_fini(struct fil_mpsc *queue)
{
    // A queue whose init failed has no slots, and nothing in it either.
    fil_assert(fil_mpsc_count(queue) == 0);
    fil_slots_free(queue->slots);
    queue->slots = NULL;
}

bool fil_mpsc_push(struct fil_mpsc *queue, void *item)
{
    return fil_slots_push(queue->slots, queue->mask, &queue->tail, item);
}

uint32_t fil_mpsc_take(struct fil_mpsc *queue, void **out_items, uint32_t limit)
{
    uint32_t taken = 0;
    while (taken < limit) {
        struct fil_slot *slot = &queue->slots[queue->head & queue->mask];
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
