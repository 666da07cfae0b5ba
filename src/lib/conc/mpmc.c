// SPDX-License-Identifier: Apache-2.0
#include "lib/conc/mpmc.h"

#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

/**
 * A slot's turn says whose it is: equal to a position, the producer that claims that position may
 * fill it; one more, the consumer of that position may empty it.
 */
struct fil_mpmc_slot {
    _Atomic uint32_t turn;
    void *item;
};

int fil_mpmc_init(struct fil_mpmc *queue, uint32_t capacity)
{
    fil_assert(capacity > 1);
    fil_assert((capacity & (capacity - 1)) == 0);
    fil_assert(capacity <= FIL_MPMC_CAPACITY_MAX);
    queue->slots = fil_alloc_zero(capacity, sizeof(struct fil_mpmc_slot));
    if (queue->slots == NULL) {
        return FIL_E_NOMEM;
    }
    queue->mask = capacity - 1;
    for (uint32_t i = 0; i < capacity; i++) {
        atomic_init(&queue->slots[i].turn, i);
    }
    atomic_init(&queue->tail, 0);
    atomic_init(&queue->head, 0);
    return FIL_OK;
}

void fil_mpmc_fini(struct fil_mpmc *queue)
{
    fil_assert(queue->slots == NULL || fil_mpmc_is_empty(queue));
    fil_free(queue->slots);
    queue->slots = NULL;
}

bool fil_mpmc_push(struct fil_mpmc *queue, void *item)
{
    fil_assert(item != NULL);
    struct fil_mpmc_slot *slot = NULL;
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
        // Sequentially consistent for is_empty; the claim itself publishes nothing, R1 does.
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

void *fil_mpmc_take(struct fil_mpmc *queue)
{
    struct fil_mpmc_slot *slot = NULL;
    uint32_t position = atomic_load_explicit(&queue->head, memory_order_relaxed);
    // Lock-free: when this thread goes round again, another consumer has moved on.
    for (;;) {
        slot = &queue->slots[position & queue->mask];
        // A2 pairs with R1: what the producer wrote is seen.
        uint32_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
        int32_t lead = (int32_t)(turn - (position + 1));
        if (lead < 0) {
            return NULL;
        }
        if (lead > 0) {
            position = atomic_load_explicit(&queue->head, memory_order_relaxed);
            continue;
        }
        // Relaxed: the claim orders nothing, the slot's turn does.
        if (atomic_compare_exchange_weak_explicit(&queue->head, &position, position + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            break;
        }
    }
    void *item = slot->item;
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
