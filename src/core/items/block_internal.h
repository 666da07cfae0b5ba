// SPDX-License-Identifier: Apache-2.0
/**
 * One block of a sequence: items one behind the other, with free room before and behind them.
 *
 *     | free | size item size | size item size | ... | free |
 *            ^ start                                 ^ end
 *
 * The size stands on both sides of an item, so that a block can be walked both ways: seven bits a
 * byte, the highest bit says that there are more; the one behind the item is read backwards.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"
#include "lib/base/list.h"

#define FIL_BLOCK__BYTES_MAX 4032U // of items; with head and heap this is a page
#define FIL_BLOCK__HEAD      sizeof(struct fil_item_block)

struct fil_item_block {
    struct fil_list link;
    uint32_t capacity;
    uint32_t start;
    uint32_t end;
    uint32_t count;
    uint8_t bytes[];
};

static inline struct fil_item_block *fil_block__of(struct fil_list *link)
{
    return FIL_CONTAINER_OF(link, struct fil_item_block, link);
}

static inline uint32_t fil_block__used(const struct fil_item_block *block)
{
    return block->end - block->start;
}

/** Bytes that an item takes in a block. */
uint32_t fil_block__cost(size_t item_size);

/** The item that starts there; returns what it takes. */
uint32_t fil_block__read(const struct fil_item_block *block, uint32_t offset,
                         struct fil_bytes *out_item);

/** What the item takes that ends there. */
uint32_t fil_block__cost_before(const struct fil_item_block *block, uint32_t offset);

/** Writes an item there, where there is room; counts nothing. */
void fil_block__write(struct fil_item_block *block, uint32_t offset, struct fil_bytes item);

/** Moves all items, so that the first one starts there. */
void fil_block__slide(struct fil_item_block *block, uint32_t start);

/** Opens a gap of that size at the offset, where there is room in all; returns where it is. */
uint32_t fil_block__open(struct fil_item_block *block, uint32_t offset, uint32_t size);

/** Closes a gap; returns where what was behind it is now. */
uint32_t fil_block__close(struct fil_item_block *block, uint32_t offset, uint32_t size);
