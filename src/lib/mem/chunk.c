// SPDX-License-Identifier: Apache-2.0
#include "lib/mem/chunk.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

/** What a block of the pool holds. */
static size_t usual_capacity(const struct fil_pool *pool)
{
    return pool->block_size - sizeof(struct fil_chunk);
}

void fil_chunk_pool_init(struct fil_pool *pool, struct fil_budget *budget, uint32_t kept_max)
{
    fil_pool_init(pool, budget, FIL_CHUNK_POOL_BYTES, kept_max);
}

void fil_chunk_queue_init(struct fil_chunk_queue *queue)
{
    *queue = (struct fil_chunk_queue){0};
}

static void free_chunk(struct fil_chunk *chunk)
{
    struct fil_budget *lender = chunk->lender;
    if (lender == NULL) {
        fil_pool_give(chunk->home, chunk);
        return;
    }
    fil_budget_return(lender, chunk->capacity);
    fil_free(chunk);
}

static struct fil_chunk *take_first(struct fil_chunk_queue *queue)
{
    struct fil_chunk *first = queue->first;
    if (first != NULL) {
        queue->first = (struct fil_chunk *)(void *)first->link.next;
        if (queue->first == NULL) {
            queue->last = NULL;
        }
    }
    return first;
}

void fil_chunk_queue_clear(struct fil_chunk_queue *queue)
{
    for (struct fil_chunk *chunk = take_first(queue); chunk != NULL; chunk = take_first(queue)) {
        free_chunk(chunk);
    }
    fil_chunk_queue_init(queue);
}

static struct fil_chunk *set_up(struct fil_chunk *chunk, struct fil_pool *pool,
                                struct fil_budget *lender, size_t capacity)
{
    if (chunk != NULL) {
        chunk->link.next = NULL;
        chunk->home = pool;
        chunk->lender = lender;
        chunk->begin = 0;
        chunk->end = 0;
        chunk->capacity = capacity;
    }
    return chunk;
}

/** A chunk of its own, from the heap. */
static struct fil_chunk *new_apart(struct fil_pool *pool, struct fil_budget *lender, size_t size)
{
    if (size > SIZE_MAX - sizeof(struct fil_chunk) || !fil_budget_draw(lender, size)) {
        return NULL;
    }
    struct fil_chunk *chunk = fil_alloc(sizeof(struct fil_chunk) + size);
    if (chunk == NULL) {
        fil_budget_return(lender, size);
    }
    return set_up(chunk, pool, lender, size);
}

static struct fil_chunk *new_chunk(struct fil_pool *pool, size_t size)
{
    if (size > usual_capacity(pool)) {
        return new_apart(pool, pool->account.budget, size);
    }
    return set_up(fil_pool_take(pool), pool, NULL, usual_capacity(pool));
}

static uint8_t *add_chunk(struct fil_chunk_queue *queue, struct fil_chunk *chunk)
{
    if (chunk == NULL) {
        queue->is_out_of_memory = true;
        return NULL;
    }
    if (queue->last == NULL) {
        queue->first = chunk;
    } else {
        queue->last->link.next = &chunk->link;
    }
    queue->last = chunk;
    return chunk->data;
}

uint8_t *fil_chunk_queue_grow(struct fil_chunk_queue *queue, struct fil_pool *pool, size_t size)
{
    return add_chunk(queue, queue->is_out_of_memory ? NULL : new_chunk(pool, size));
}

uint8_t *fil_chunk_queue_borrow(struct fil_chunk_queue *queue, struct fil_pool *pool,
                                struct fil_budget *lender, size_t size)
{
    fil_assert(queue->is_out_of_memory);
    queue->is_out_of_memory = false;
    return add_chunk(queue, new_apart(pool, lender, size));
}

void fil_chunk_queue_append(struct fil_chunk_queue *queue, struct fil_pool *pool,
                            struct fil_bytes bytes)
{
    if (bytes.size == 0) {
        return;
    }
    uint8_t *room = fil_chunk_queue_reserve(queue, pool, bytes.size);
    if (room != NULL) {
        memcpy(room, bytes.data, bytes.size);
        fil_chunk_queue_commit(queue, bytes.size);
    }
}

uint32_t fil_chunk_queue_slices(const struct fil_chunk_queue *queue, struct fil_bytes *out_slices,
                                uint32_t limit)
{
    uint32_t count = 0;
    for (const struct fil_chunk *chunk = queue->first; chunk != NULL && count < limit;
         chunk = (const struct fil_chunk *)(const void *)chunk->link.next) {
        if (chunk->end > chunk->begin) {
            out_slices[count] =
                fil_bytes_make(chunk->data + chunk->begin, chunk->end - chunk->begin);
            count++;
        }
    }
    return count;
}

void fil_chunk_queue_consume(struct fil_chunk_queue *queue, size_t size)
{
    fil_assert(size <= queue->size_bytes);
    queue->size_bytes -= size;
    while (queue->first != NULL) {
        struct fil_chunk *first = queue->first;
        size_t available = first->end - first->begin;
        if (size < available) {
            first->begin += size;
            return;
        }
        size -= available;
        free_chunk(take_first(queue));
    }
    fil_assert(size == 0);
}

void fil_chunk_queue_move(struct fil_chunk_queue *to, struct fil_chunk_queue *from)
{
    to->is_out_of_memory |= from->is_out_of_memory;
    if (from->first != NULL) {
        if (to->last == NULL) {
            to->first = from->first;
        } else {
            to->last->link.next = &from->first->link;
        }
        to->last = from->last;
        to->size_bytes += from->size_bytes;
    }
    fil_chunk_queue_init(from);
}
