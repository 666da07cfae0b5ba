// SPDX-License-Identifier: Apache-2.0
#include "core/stream/ring.h"

#include <stddef.h>

int fil_ring_init(struct fil_ring *ring, uint32_t batch_count, uint64_t limit_bytes)
{
    *ring = (struct fil_ring){.limit_bytes = limit_bytes};
    return fil_spsc_init(&ring->queue, batch_count);
}

void fil_ring_fini(struct fil_ring *ring)
{
    if (ring->queue.items == NULL) {
        return;
    }
    void *batch = NULL;
    while (fil_spsc_take(&ring->queue, &batch, 1) == 1) {
        fil_batch_unref(batch);
    }
    fil_spsc_fini(&ring->queue);
}

uint64_t fil_ring_bytes(struct fil_ring *ring)
{
    // The taken bytes first: they never pass the pushed ones. Sequentially consistent, because the
    // producer's second look after it left word (L1) must see what the consumer took before that.
    uint64_t taken = atomic_load_explicit(&ring->taken_bytes, memory_order_seq_cst);
    return atomic_load_explicit(&ring->pushed_bytes, memory_order_relaxed) - taken;
}

static bool try_push(struct fil_ring *ring, struct fil_batch *batch)
{
    uint64_t used = fil_ring_bytes(ring);
    bool has_room = used == 0 || used + batch->size_bytes <= ring->limit_bytes;
    if (!has_room || fil_spsc_is_full(&ring->queue)) {
        return false;
    }
    uint32_t count = batch->count;
    // Counted before the push, so that the consumer never takes more than was pushed, and after it
    // is certain, so that the consumer never takes room for used. Relaxed: one writer.
    uint64_t pushed = atomic_load_explicit(&ring->pushed_bytes, memory_order_relaxed);
    atomic_store_explicit(&ring->pushed_bytes, pushed + batch->size_bytes, memory_order_relaxed);
    bool is_pushed = fil_spsc_push(&ring->queue, batch);
    fil_assert(is_pushed);
    fil_counter_add(&ring->record_count, count);
    return true;
}

static struct fil_worker *home_of(struct fil_tasklet *tasklet)
{
    // Relaxed: the caller runs on that worker.
    return tasklet == NULL ? NULL : atomic_load_explicit(&tasklet->home, memory_order_relaxed);
}

bool fil_ring_push(struct fil_ring *ring, struct fil_batch *batch)
{
    if (!try_push(ring, batch)) {
        fil_counter_add(&ring->refusal_count, 1);
        // L1 pairs with L2: word is left before the second look; the consumer takes before it
        // looks for word. One of the two sees the other.
        atomic_store_explicit(&ring->producer_waits, true, memory_order_seq_cst);
        if (!try_push(ring, batch)) {
            return false;
        }
        // Relaxed: a needless wake is the worst that can come of it.
        atomic_store_explicit(&ring->producer_waits, false, memory_order_relaxed);
    }
    if (ring->consumer != NULL) {
        fil_tasklet_wake(ring->consumer, home_of(ring->producer));
    }
    return true;
}

static void wake_producer(struct fil_ring *ring)
{
    // L2 pairs with L1.
    if (FIL_LIKELY(!atomic_load_explicit(&ring->producer_waits, memory_order_seq_cst))) {
        return;
    }
    bool is_low = fil_spsc_count(&ring->queue) <= (ring->queue.mask + 1) / 2 &&
                  fil_ring_bytes(ring) <= ring->limit_bytes / 2;
    if (is_low && ring->producer != NULL) {
        atomic_store_explicit(&ring->producer_waits, false, memory_order_seq_cst);
        fil_tasklet_wake(ring->producer, home_of(ring->consumer));
    }
}

struct fil_batch *fil_ring_take(struct fil_ring *ring)
{
    void *item = NULL;
    // A take may miss a push that is under way; is_empty is the look that the wake relies on.
    while (fil_spsc_take(&ring->queue, &item, 1) == 0) {
        if (fil_spsc_is_empty(&ring->queue)) {
            return NULL;
        }
    }
    struct fil_batch *batch = item;
    // Relaxed: the consumer alone writes it.
    uint64_t taken = atomic_load_explicit(&ring->taken_bytes, memory_order_relaxed);
    atomic_store_explicit(&ring->taken_bytes, taken + batch->size_bytes, memory_order_seq_cst);
    wake_producer(ring);
    return batch;
}
