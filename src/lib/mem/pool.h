// SPDX-License-Identifier: Apache-2.0
/**
 * Pool of equal blocks that belongs to one thread.
 *
 * The owner takes and gives without atomics. A block that another thread has finished with goes
 * home through a stack and is found there by the owner's next take: memory is freed by the
 * thread that allocated it. Up to a set number of free blocks is kept, the rest goes back to the
 * heap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/mem/budget.h"

struct fil_pool {
    // Written by init, then read-only.
    size_t block_size;
    uint32_t kept_max;

    // Shared: blocks on their way home.
    struct fil_stack returned;

    // The owner's own.
    struct fil_account account;
    const void *owner; // token of the owning thread
    struct fil_link *free_blocks;
    uint32_t free_count;
    uint32_t lent_count;
};

/** The calling thread is the owner until another one adopts the pool. */
void fil_pool_init(struct fil_pool *pool, struct fil_budget *budget, size_t block_size,
                   uint32_t kept_max);

/** Owner. Every block must be back. */
void fil_pool_fini(struct fil_pool *pool);

/** Makes the calling thread the owner; nobody else may be using the pool. */
void fil_pool_adopt(struct fil_pool *pool);

/** Owner. A block of block_size bytes, not cleared; NULL when memory or the budget is out. */
void *fil_pool_take(struct fil_pool *pool) FIL_NODISCARD;

/** Gives a block back; on a thread that is not the owner it travels home. */
FIL_ANY_THREAD void fil_pool_give(struct fil_pool *pool, void *block);
