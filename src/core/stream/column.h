// SPDX-License-Identifier: Apache-2.0
/**
 * Dense state: items of one size in segments that are made on first use and never move.
 *
 * A column grows without copying, so no step pays for growth. Segments are cut from chunks, which
 * get larger with what is in use, so that much state costs few page faults; those that a column
 * gives back are kept for the next one. New items are all zero.
 *
 * Memory:  drawn from a budget; refused memory is an error, never a crash.
 * Threads: whoever owns it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/mem/budget.h"

struct fil_segments_chunk;

/** Segments of one kind, for all columns of an owner. */
struct fil_segments {
    struct fil_account account;
    uint32_t item_size;
    uint32_t shift; // log2 of the items of a segment
    void *free_first;
    struct fil_segments_chunk *chunks; // all, the last one first
    uint64_t chunk_bytes;              // of all chunks
    uint8_t *next;                     // segment of the last chunk
    uint8_t *end;
};

struct fil_column {
    struct fil_segments *segments;
    uint8_t **items; // by segment; NULL: all of them zero
    uint32_t count;  // of places in items
};

void fil_segments_init(struct fil_segments *segments, struct fil_budget *budget, uint32_t item_size,
                       uint32_t shift);

/** All columns are cleared. Gives the memory back. */
void fil_segments_fini(struct fil_segments *segments);

void fil_column_init(struct fil_column *column, struct fil_segments *segments);

/** Gives all segments back. */
void fil_column_clear(struct fil_column *column);

/** Slow path of get. */
void *fil_column_make(struct fil_column *column, uint32_t index);

/** The item, or NULL when nobody has made its segment: it is zero. */
static inline void *fil_column_find(const struct fil_column *column, uint32_t index)
{
    uint32_t shift = column->segments->shift;
    uint32_t segment = index >> shift;
    if (FIL_UNLIKELY(segment >= column->count || column->items[segment] == NULL)) {
        return NULL;
    }
    return column->items[segment] +
           (size_t)(index & ((1U << shift) - 1)) * column->segments->item_size;
}

/** An item that is there: it has been got before. */
static inline void *fil_column_at(const struct fil_column *column, uint32_t index)
{
    void *item = fil_column_find(column, index);
    fil_assert(item != NULL);
    return item;
}

/** The item, to be written; NULL when memory is out. */
static inline void *fil_column_get(struct fil_column *column, uint32_t index)
{
    void *item = fil_column_find(column, index);
    return FIL_LIKELY(item != NULL) ? item : fil_column_make(column, index);
}
