// SPDX-License-Identifier: Apache-2.0
#include "lib/conc/spsc.h"

#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

// The indexes run freely and wrap; tail - head is the number of items. Each side reads its own
// index relaxed, because nobody else writes it.

int fil_spsc_init(struct fil_spsc *queue, uint32_t capacity)
{
    fil_assert(capacity <= FIL_SPSC_CAPACITY_MAX);
    fil_assert(fil_is_power_of_two(capacity));
    *queue = (struct fil_spsc){.mask = capacity - 1};
    queue->items = fil_alloc_aligned(FIL_CACHE_LINE, capacity * sizeof(*queue->items));
    return queue->items == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_spsc_fini(struct fil_spsc *queue)
{
    // A queue whose init failed has no items array, and nothing in it either.
    fil_assert(fil_spsc_is_empty(queue));
    fil_free(queue->items);
    queue->items = NULL;
}

static uint32_t room_seen(const struct fil_spsc *queue, uint32_t tail)
{
    uint32_t used = tail - queue->head_seen;
    fil_debug_assert(used <= queue->mask + 1);
    return queue->mask + 1 - used;
}

uint32_t fil_spsc_push_many(struct fil_spsc *queue, void *const *items, uint32_t count)
{
    uint32_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    if (room_seen(queue, tail) < count) {
        // A1 pairs with R2: the consumer has read the items before their places are used again.
        queue->head_seen = atomic_load_explicit(&queue->head, memory_order_acquire);
    }
    uint32_t room = room_seen(queue, tail);
    uint32_t pushed = count < room ? count : room;
    if (pushed == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < pushed; i++) {
        fil_debug_assert(items[i] != NULL);
        queue->items[(tail + i) & queue->mask] = items[i];
    }
    // R1 pairs with A2: the items, and all they point to, are written before they are seen. More
    // than a release (S1 pairs with S2), for the look at the consumer's parker that follows.
    atomic_store_explicit(&queue->tail, tail + pushed, memory_order_seq_cst);
    return pushed;
}

bool fil_spsc_push(struct fil_spsc *queue, void *item)
{
    fil_assert(item != NULL);
    return fil_spsc_push_many(queue, &item, 1) == 1;
}

bool fil_spsc_is_full(struct fil_spsc *queue)
{
    uint32_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    // S4 pairs with S3, as S2 does with S1; and, being an acquire, with R2 as A1 does.
    queue->head_seen = atomic_load_explicit(&queue->head, memory_order_seq_cst);
    return room_seen(queue, tail) == 0;
}

uint32_t fil_spsc_take(struct fil_spsc *queue, void **out_items, uint32_t limit)
{
    uint32_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    if (queue->tail_seen - head < limit) {
        // A2 pairs with R1: what the producer wrote before its push is seen with the items.
        queue->tail_seen = atomic_load_explicit(&queue->tail, memory_order_acquire);
    }
    uint32_t ready = queue->tail_seen - head;
    uint32_t taken = limit < ready ? limit : ready;
    if (taken == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < taken; i++) {
        out_items[i] = queue->items[(head + i) & queue->mask];
        fil_debug_assert(out_items[i] != NULL);
    }
    // R2 pairs with A1: the items have been read before the producer may overwrite them. More than
    // a release (S3 pairs with S4), for the look at the producer's parker that may follow.
    atomic_store_explicit(&queue->head, head + taken, memory_order_seq_cst);
    return taken;
}

uint32_t fil_spsc_count(struct fil_spsc *queue)
{
    uint32_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    // S2 pairs with S1: for the parker announced before this look; and, being an acquire, with R1
    // as A2 does.
    queue->tail_seen = atomic_load_explicit(&queue->tail, memory_order_seq_cst);
    uint32_t count = queue->tail_seen - head;
    fil_assert(count <= queue->mask + 1);
    return count;
}

bool fil_spsc_is_empty(struct fil_spsc *queue)
{
    return fil_spsc_count(queue) == 0;
}
