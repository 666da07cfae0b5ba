// SPDX-License-Identifier: Apache-2.0
#include "lib/conc/mpmc.h"

#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/conc/slots.h"

int fil_mpmc_init(struct fil_mpmc *queue, uint32_t capacity)
{
    *queue = (struct fil_mpmc){.mask = capacity - 1};
    queue->slots = fil_slots_new(capacity);
    return queue->slots == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_mpmc_fini(struct fil_mpmc *queue)
{
    fil_assert(queue->slots == NULL || fil_mpmc_is_empty(queue));
    fil_slots_free(queue->slots);
    queue->slots = NULL;
}

bool fil_mpmc_push(struct fil_mpmc *queue, void *item)
{
    return fil_slots_push(queue->slots, queue->mask, &queue->tail, item);
}

void *fil_mpmc_take(struct fil_mpmc *queue)
{
    uint32_t position = 0;
    struct fil_slot *slot = fil_slots_claim(queue->slots, queue->mask, &queue->head, 1, &position);
    if (slot == NULL) {
        return NULL;
    }
    void *item = slot->item;
    fil_debug_assert(item != NULL);
    // R2 pairs with A1: we are done with the slot before a producer fills it again.
    atomic_store_explicit(&slot->turn, position + queue->mask + 1, memory_order_release);
    return item;
}

bool fil_mpmc_is_empty(struct fil_mpmc *queue)
{
    uint32_t tail = atomic_load_explicit(&queue->tail, memory_order_seq_cst);
    return tail == atomic_load_explicit(&queue->head, memory_order_seq_cst);
}

uint32_t fil_mpmc_count(struct fil_mpmc *queue)
{
    // Relaxed: a figure. A head that was read later than the tail may be beyond it.
    uint32_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    uint32_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    int32_t count = (int32_t)(tail - head);
    return count > 0 ? (uint32_t)count : 0;
}
