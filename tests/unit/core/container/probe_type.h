// SPDX-License-Identifier: Apache-2.0
/** A type whose containers do nothing but count: a pool of tokens that errands wait for. */
#pragma once

#include "tests/unit/core/container/container_fixture.h"

struct pool {
    struct fil_container container;
    struct fil_waiting waiting;
    uint64_t tokens;
    uint64_t upkeep_count;
};

static struct pool *pool_of(struct fil_container *container)
{
    return FIL_CONTAINER_OF(container, struct pool, container);
}

static inline void hand_out(struct pool *pool)
{
    (void)fil_waiting_wake_here(&pool->waiting, pool->tokens - pool->waiting.promised);
}

static inline void token_returned(struct fil_waiting *waiting)
{
    hand_out(FIL_CONTAINER_OF(waiting, struct pool, waiting));
}

static inline int open_pool(struct fil_container *container, const void *config)
{
    pool_of(container)->tokens = *(const uint64_t *)config;
    fil_waiting_init(&pool_of(container)->waiting, container, 1, token_returned);
    return FIL_OK;
}

static inline void close_pool(struct fil_container *container)
{
    pool_of(container)->tokens = 0;
}

static inline uint64_t keep_pool(struct fil_container *container, uint64_t now)
{
    pool_of(container)->upkeep_count++;
    return pool_of(container)->upkeep_count < 2 ? now + 10 : FIL_CONTAINER_NEVER;
}

static const uint64_t no_tokens = 0;

static const struct fil_container_type pool_type = {
    .name = "pool",
    .size = sizeof(struct pool),
    .config = &no_tokens,
    .open = open_pool,
    .close = close_pool,
    .upkeep = keep_pool,
};

/** Takes a token, or waits for one. */
static inline int token_work(struct errand *errand)
{
    struct pool *pool = errand->target;
    if (fil_waiter_is_promised_here(&errand->waiter, &pool->waiting)) {
        fil_waiter_claim_here(&errand->waiter);
    } else if (pool->tokens == pool->waiting.promised) {
        return fil_waiter_wait_here(&errand->waiter, &pool->waiting);
    }
    pool->tokens--;
    return FIL_OK;
}

static inline void send_token(struct errand *errand, struct pool *pool, uint64_t timeout_ms)
{
    errand->work = token_work;
    errand->target = pool;
    send_errand(errand, &pool->container, timeout_ms);
}

static inline void add_tokens(struct pool *pool, uint64_t count)
{
    struct fil_partition *partition = go_in(&pool->container);
    pool->tokens += count;
    hand_out(pool);
    fil_partition_leave(partition);
}
