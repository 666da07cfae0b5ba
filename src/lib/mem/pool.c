// SPDX-License-Identifier: Apache-2.0
#include "lib/mem/pool.h"

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

// Its address tells threads apart.
static _Thread_local char thread_token;

void fil_pool_init(struct fil_pool *pool, struct fil_budget *budget, size_t block_size,
                   uint32_t kept_max)
{
    fil_assert(block_size >= sizeof(struct fil_link));
    pool->block_size = block_size;
    pool->kept_max = kept_max;
    fil_stack_init(&pool->returned);
    fil_account_init(&pool->account, budget);
    pool->owner = &thread_token;
    pool->free_blocks = NULL;
    pool->free_count = 0;
    pool->lent_count = 0;
}

void fil_pool_adopt(struct fil_pool *pool)
{
    pool->owner = &thread_token;
}

static void free_block(struct fil_pool *pool, void *block)
{
    fil_free(block);
    fil_account_give(&pool->account, pool->block_size);
}

/** A block that came back: kept for the next take, or freed when enough are kept. */
static void keep_or_free(struct fil_pool *pool, struct fil_link *block)
{
    fil_assert(pool->lent_count > 0);
    pool->lent_count--;
    if (pool->free_count >= pool->kept_max) {
        free_block(pool, block);
        return;
    }
    block->next = pool->free_blocks;
    pool->free_blocks = block;
    pool->free_count++;
}

static void adopt_returned(struct fil_pool *pool)
{
    struct fil_link *block = fil_stack_take_all(&pool->returned);
    while (block != NULL) {
        struct fil_link *next = block->next;
        keep_or_free(pool, block);
        block = next;
    }
}

void fil_pool_fini(struct fil_pool *pool)
{
    adopt_returned(pool);
    fil_assert(pool->lent_count == 0);
    while (pool->free_blocks != NULL) {
        struct fil_link *block = pool->free_blocks;
        pool->free_blocks = block->next;
        free_block(pool, block);
    }
    pool->free_count = 0;
    fil_account_fini(&pool->account);
}

static struct fil_link *take_free(struct fil_pool *pool)
{
    struct fil_link *block = pool->free_blocks;
    if (block != NULL) {
        pool->free_blocks = block->next;
        pool->free_count--;
    }
    return block;
}

static void *allocate_block(struct fil_pool *pool)
{
    if (!fil_account_take(&pool->account, pool->block_size)) {
        return NULL;
    }
    void *block = fil_alloc(pool->block_size);
    if (block == NULL) {
        fil_account_give(&pool->account, pool->block_size);
    }
    return block;
}

void *fil_pool_take(struct fil_pool *pool)
{
    fil_debug_assert(pool->owner == &thread_token);
    if (pool->free_blocks == NULL && !fil_stack_is_empty(&pool->returned)) {
        adopt_returned(pool);
    }
    void *block = take_free(pool);
    if (block == NULL) {
        block = allocate_block(pool);
    }
    pool->lent_count += block != NULL;
    return block;
}

void fil_pool_give(struct fil_pool *pool, void *block)
{
    fil_assert(block != NULL);
    struct fil_link *link = block;
    if (pool->owner == &thread_token) {
        keep_or_free(pool, link);
    } else {
        (void)fil_stack_push(&pool->returned, link);
    }
}
