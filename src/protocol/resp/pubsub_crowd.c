// SPDX-License-Identifier: Apache-2.0
/** Crowds: lists of subscribers that are not changed but replaced, at the cost of a block or two.
 */
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/resp/pubsub_internal.h"

#define BLOCK FIL_RESP_BLOCK_MEMBERS

static struct fil_resp_block *ref_block(struct fil_resp_block *block)
{
    // Relaxed: the caller has a crowd that has a reference.
    atomic_fetch_add_explicit(&block->ref_count, 1, memory_order_relaxed);
    return block;
}

static void unref_block(struct fil_resp_block *block)
{
    // Acquire and release: the last one frees after all others are done with it.
    if (block == NULL ||
        atomic_fetch_sub_explicit(&block->ref_count, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        fil_resp_subscriber__unref(block->members[i]);
    }
    fil_free(block);
}

/** A block of the first so many of another, which may be NULL, with room for one more. */
static struct fil_resp_block *copy_block(const struct fil_resp_block *from, uint32_t count)
{
    struct fil_resp_block *block =
        fil_alloc(sizeof(*block) + (count + 1) * sizeof(struct fil_resp_subscriber *));
    if (block == NULL) {
        return NULL;
    }
    atomic_init(&block->ref_count, 1);
    block->count = count;
    for (uint32_t i = 0; i < count; i++) {
        fil_resp_subscriber__ref(from->members[i]);
        block->members[i] = from->members[i];
    }
    return block;
}

static uint32_t block_count(uint32_t count)
{
    return (count + BLOCK - 1) / BLOCK;
}

/** A crowd of so many with the blocks of another, those of them that are full there; NULL else. */
static struct fil_resp_crowd *new_crowd(const struct fil_resp_crowd *from, uint32_t count)
{
    uint32_t blocks = block_count(count);
    struct fil_resp_crowd *crowd =
        fil_alloc(sizeof(*crowd) + blocks * sizeof(struct fil_resp_block *));
    if (crowd == NULL) {
        return NULL;
    }
    atomic_init(&crowd->ref_count, 1);
    crowd->count = count;
    for (uint32_t i = 0; i < blocks; i++) {
        bool is_shared = from != NULL && (i + 1) * BLOCK <= from->count && (i + 1) * BLOCK <= count;
        crowd->blocks[i] = is_shared ? ref_block(from->blocks[i]) : NULL;
    }
    return crowd;
}

struct fil_resp_crowd *fil_resp_crowd__ref(struct fil_resp_crowd *crowd)
{
    // Relaxed: under the shard's mutex.
    atomic_fetch_add_explicit(&crowd->ref_count, 1, memory_order_relaxed);
    return crowd;
}

void fil_resp_crowd__unref(struct fil_resp_crowd *crowd)
{
    // Acquire and release: as for a block.
    if (atomic_fetch_sub_explicit(&crowd->ref_count, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (uint32_t i = 0; i < block_count(crowd->count); i++) {
        unref_block(crowd->blocks[i]);
    }
    fil_free(crowd);
}

uint32_t fil_resp_crowd__find(const struct fil_resp_crowd *crowd,
                              const struct fil_resp_subscriber *subscriber)
{
    uint32_t i = 0;
    while (i < crowd->count && fil_resp_crowd__at(crowd, i) != subscriber) {
        i++;
    }
    return i;
}

struct fil_resp_crowd *fil_resp_crowd__with(const struct fil_resp_crowd *crowd,
                                            struct fil_resp_subscriber *subscriber)
{
    uint32_t count = crowd == NULL ? 0 : crowd->count;
    uint32_t last = count / BLOCK;
    struct fil_resp_crowd *more = new_crowd(crowd, count + 1);
    if (more == NULL) {
        return NULL;
    }
    struct fil_resp_block *block =
        copy_block(count % BLOCK == 0 ? NULL : crowd->blocks[last], count % BLOCK);
    if (block == NULL) {
        fil_resp_crowd__unref(more);
        return NULL;
    }
    fil_resp_subscriber__ref(subscriber);
    block->members[block->count] = subscriber;
    block->count++;
    more->blocks[last] = block;
    return more;
}

/** Replaces the member of a block that is not shared yet. */
static void replace(struct fil_resp_block *block, uint32_t index,
                    struct fil_resp_subscriber *subscriber)
{
    fil_resp_subscriber__ref(subscriber);
    fil_resp_subscriber__unref(block->members[index]);
    block->members[index] = subscriber;
}

/** A copy of the block in the place of it; false: out of memory. */
static bool own_block(struct fil_resp_crowd *crowd, const struct fil_resp_crowd *from,
                      uint32_t index, uint32_t count)
{
    struct fil_resp_block *block = copy_block(from->blocks[index], count);
    if (block == NULL) {
        return false;
    }
    unref_block(crowd->blocks[index]);
    crowd->blocks[index] = block;
    return true;
}

struct fil_resp_crowd *fil_resp_crowd__without(const struct fil_resp_crowd *crowd, uint32_t index)
{
    uint32_t count = crowd->count - 1;
    uint32_t place = index / BLOCK;
    fil_assert(index <= count && count > 0);
    struct fil_resp_crowd *less = new_crowd(crowd, count);
    // The last one takes the place of who goes, and its own block is one shorter.
    bool has_last = less != NULL &&
                    (count % BLOCK == 0 || own_block(less, crowd, count / BLOCK, count % BLOCK));
    bool is_last_block = place == count / BLOCK;
    if (!has_last || (!is_last_block && !own_block(less, crowd, place, BLOCK))) {
        if (less != NULL) {
            fil_resp_crowd__unref(less);
        }
        return NULL;
    }
    if (index < count) {
        replace(less->blocks[place], index % BLOCK, fil_resp_crowd__at(crowd, count));
    }
    return less;
}
