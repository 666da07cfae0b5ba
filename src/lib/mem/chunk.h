// SPDX-License-Identifier: Apache-2.0
/**
 * Message buffers: a queue of chunks that grows at its end and is consumed from its front.
 *
 * Most chunks have the size of their thread's pool; what does not fit gets a chunk of its own. A
 * queue that is empty holds no memory, so an idle connection costs none.
 *
 * Errors: an append that finds no memory marks the queue; later appends do nothing. Whoever
 * sends the queue looks at the mark once instead of every writer at every call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/stack.h"
#include "lib/mem/pool.h"

#define FIL_CHUNK_POOL_BYTES 16384U

struct fil_chunk {
    struct fil_link link;
    struct fil_pool *home;     // whose block it is
    struct fil_budget *lender; // of a chunk from the heap; NULL: it is the pool's block
    size_t begin;
    size_t end;
    size_t capacity;
    uint8_t data[];
};

struct fil_chunk_queue {
    struct fil_chunk *first;
    struct fil_chunk *last;
    size_t size_bytes;
    bool is_out_of_memory;
};

/** A pool for chunks of the usual size. */
void fil_chunk_pool_init(struct fil_pool *pool, struct fil_budget *budget, uint32_t kept_max);

void fil_chunk_queue_init(struct fil_chunk_queue *queue);

/** Frees all chunks, also on a thread that is not their home. */
void fil_chunk_queue_clear(struct fil_chunk_queue *queue);

/** Slow path of reserve: adds a chunk with room for size bytes. NULL when memory is out. */
uint8_t *fil_chunk_queue_grow(struct fil_chunk_queue *queue, struct fil_pool *pool, size_t size);

/** Room for size contiguous bytes at the end; NULL when memory is out (the queue is marked). */
static inline uint8_t *fil_chunk_queue_reserve(struct fil_chunk_queue *queue, struct fil_pool *pool,
                                               size_t size)
{
    struct fil_chunk *last = queue->last;
    if (FIL_LIKELY(last != NULL && last->capacity - last->end >= size &&
                   !queue->is_out_of_memory)) {
        return last->data + last->end;
    }
    return fil_chunk_queue_grow(queue, pool, size);
}

/**
 * After a reserve that was refused: the room from another budget instead, and the mark goes. NULL
 * when that one is out as well.
 */
uint8_t *fil_chunk_queue_borrow(struct fil_chunk_queue *queue, struct fil_pool *pool,
                                struct fil_budget *lender, size_t size);

/** Takes the first size bytes of the reserved room as written. */
static inline void fil_chunk_queue_commit(struct fil_chunk_queue *queue, size_t size)
{
    fil_debug_assert(queue->last->capacity - queue->last->end >= size);
    queue->last->end += size;
    queue->size_bytes += size;
}

void fil_chunk_queue_append(struct fil_chunk_queue *queue, struct fil_pool *pool,
                            struct fil_bytes bytes);

/** The first slices of the queue, at most limit; returns how many. */
uint32_t fil_chunk_queue_slices(const struct fil_chunk_queue *queue, struct fil_bytes *out_slices,
                                uint32_t limit);

/** Drops size bytes from the front. */
void fil_chunk_queue_consume(struct fil_chunk_queue *queue, size_t size);

/** Moves all of `from` to the end of `to`; `from` is empty afterwards. */
void fil_chunk_queue_move(struct fil_chunk_queue *to, struct fil_chunk_queue *from);
