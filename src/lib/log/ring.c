// SPDX-License-Identifier: Apache-2.0
#include "lib/log/ring.h"

#include <assert.h>
#include <stddef.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define BLOCK_ALIGNMENT 8U

/** Stands before each block. A filler takes up the end of the ring where a block did not fit. */
struct block_head {
    uint32_t span; // bytes up to the next head
    uint32_t is_filler;
};

static_assert(sizeof(struct block_head) == BLOCK_ALIGNMENT, "blocks stay aligned");

void fil_log_ring_free(struct fil_log_ring *ring)
{
    if (ring != NULL) {
        fil_free(ring->memory);
        fil_free(ring);
    }
}

struct fil_log_ring *fil_log_ring_new(uint32_t capacity)
{
    fil_assert(capacity >= FIL_LOG_RING_BYTES_MIN);
    fil_assert(capacity <= FIL_LOG_RING_BYTES_MAX);
    fil_assert((capacity & (capacity - 1)) == 0);

    struct fil_log_ring *ring = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*ring));
    if (ring == NULL) {
        return NULL;
    }
    ring->memory = fil_alloc_aligned(FIL_CACHE_LINE, capacity);
    if (ring->memory == NULL) {
        fil_free(ring);
        return NULL;
    }
    ring->capacity = capacity;
    return ring;
}

static struct block_head *head_at(struct fil_log_ring *ring, uint32_t position)
{
    fil_debug_assert(position % BLOCK_ALIGNMENT == 0);
    return (struct block_head *)(void *)&ring->memory[position & (ring->capacity - 1)];
}

/** Whether the producer may write up to the position; looks at the consumer only if it must. */
static bool has_room(struct fil_log_ring *ring, uint32_t end)
{
    if (end - ring->known_head <= ring->capacity) {
        return true;
    }
    // A1 pairs with R2: the consumer has read what stood there before we write over it.
    ring->known_head = atomic_load_explicit(&ring->head, memory_order_acquire);
    return end - ring->known_head <= ring->capacity;
}

void *fil_log_ring_reserve(struct fil_log_ring *ring, uint32_t size)
{
    fil_assert(size > 0);
    fil_assert(size <= ring->capacity / 4);

    uint32_t span = (uint32_t)sizeof(struct block_head) +
                    ((size + BLOCK_ALIGNMENT - 1) & ~(BLOCK_ALIGNMENT - 1));
    // Relaxed: the producer reads its own word.
    uint32_t start = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint32_t to_end = ring->capacity - (start & (ring->capacity - 1));
    uint32_t filler = span > to_end ? to_end : 0;
    if (!has_room(ring, start + filler + span)) {
        return NULL;
    }
    if (filler > 0) {
        *head_at(ring, start) = (struct block_head){.span = filler, .is_filler = 1};
    }
    struct block_head *head = head_at(ring, start + filler);
    *head = (struct block_head){.span = span, .is_filler = 0};
    ring->reserved_tail = start + filler + span;
    return head + 1;
}

void fil_log_ring_commit(struct fil_log_ring *ring)
{
    // R1 pairs with A2: block and filler are written before they are seen. Sequentially consistent
    // because the producer looks at the parker next.
    atomic_store_explicit(&ring->tail, ring->reserved_tail, memory_order_seq_cst);
}

static void pass(struct fil_log_ring *ring, uint32_t span)
{
    fil_assert(span > 0);
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    // R2 pairs with A1: the block has been read before its room is given back.
    atomic_store_explicit(&ring->head, head + span, memory_order_release);
}

const void *fil_log_ring_peek(struct fil_log_ring *ring)
{
    // Relaxed: the consumer reads its own word.
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head == ring->known_tail) {
        // A2 pairs with R1: what stands before the tail is complete.
        ring->known_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    }
    if (head == ring->known_tail) {
        return NULL;
    }
    struct block_head *block = head_at(ring, head);
    if (block->is_filler != 0) {
        head += block->span;
        pass(ring, block->span);
        // A filler is always committed together with the block behind it.
        block = head_at(ring, head);
    }
    fil_assert(block->is_filler == 0);
    return block + 1;
}

void fil_log_ring_release(struct fil_log_ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    fil_assert(head != ring->known_tail);
    pass(ring, head_at(ring, head)->span);
}

bool fil_log_ring_is_empty(struct fil_log_ring *ring)
{
    // The look of the parker's owner after it announced its sleep.
    uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_seq_cst);
    return tail == atomic_load_explicit(&ring->head, memory_order_relaxed);
}
