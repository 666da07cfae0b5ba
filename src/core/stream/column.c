// SPDX-License-Identifier: Apache-2.0
#include "core/stream/column.h"

#include <stddef.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/mem/region.h"
#include "lib/os/memory.h"

#define CHUNK_BYTES_MAX (UINT64_C(4) << 20)

// A chunk is at most this part of all there are, so that little lies idle.
#define CHUNK_PART 4U

/** In front of the segments of a chunk. */
struct fil_segments_chunk {
    struct fil_segments_chunk *next;
    struct fil_region region; // that it lies in
    uint64_t unused[4];       // segments begin at a cache line's distance
};

_Static_assert(sizeof(struct fil_segments_chunk) == FIL_REGION_ALIGNMENT, "one cache line");

void fil_segments_init(struct fil_segments *segments, struct fil_budget *budget, uint32_t item_size,
                       uint32_t shift)
{
    fil_assert(item_size % 8 == 0 && item_size > 0);
    *segments = (struct fil_segments){.item_size = item_size, .shift = shift};
    fil_account_init_data(&segments->account, budget);
}

static size_t segment_bytes(const struct fil_segments *segments)
{
    return (size_t)segments->item_size << segments->shift;
}

void fil_segments_fini(struct fil_segments *segments)
{
    if (segments->item_size == 0) {
        return;
    }
    while (segments->chunks != NULL) {
        struct fil_segments_chunk *chunk = segments->chunks;
        struct fil_region region = chunk->region; // the chunk goes with it
        segments->chunks = chunk->next;
        fil_account_give(&segments->account, region.size);
        fil_region_fini(&region);
    }
    segments->free_first = NULL;
    segments->next = NULL;
    segments->end = NULL;
    fil_account_fini(&segments->account);
}

/** A chunk of this many segments is the one to cut from; false when memory is out. */
static bool add_chunk(struct fil_segments *segments, uint64_t count)
{
    uint64_t used = sizeof(struct fil_segments_chunk) + count * segment_bytes(segments);
    uint64_t size = fil_region_bytes(used);
    struct fil_region region;
    if (!fil_account_take(&segments->account, size)) {
        return false;
    }
    if (fil_region_init(&region, used) != FIL_OK) {
        fil_account_give(&segments->account, size);
        return false;
    }
    struct fil_segments_chunk *chunk = (void *)region.memory;
    *chunk = (struct fil_segments_chunk){.next = segments->chunks, .region = region};
    segments->chunks = chunk;
    segments->chunk_bytes += size;
    segments->next = region.memory + sizeof(*chunk);
    segments->end = region.memory + used;
    return true;
}

static bool grow(struct fil_segments *segments)
{
    uint64_t wanted = segments->chunk_bytes / CHUNK_PART;
    wanted = wanted < CHUNK_BYTES_MAX ? wanted : CHUNK_BYTES_MAX;
    if (wanted >= FIL_MEMORY_LARGE_PAGE) {
        // Large pages, and its head in them.
        wanted -= wanted % FIL_MEMORY_LARGE_PAGE + sizeof(struct fil_segments_chunk);
    }
    uint64_t count = wanted / segment_bytes(segments);
    // When there is no room for many, one may still fit.
    return (count > 1 && add_chunk(segments, count)) || add_chunk(segments, 1);
}

static void *take_segment(struct fil_segments *segments)
{
    void *segment = segments->free_first;
    if (segment != NULL) {
        memcpy(&segments->free_first, segment, sizeof(void *));
        memset(segment, 0, segment_bytes(segments));
        return segment;
    }
    if (segments->next == segments->end && !grow(segments)) {
        return NULL;
    }
    segment = segments->next;
    segments->next += segment_bytes(segments);
    fil_assert(segments->next <= segments->end);
    return segment;
}

void fil_column_init(struct fil_column *column, struct fil_segments *segments)
{
    *column = (struct fil_column){.segments = segments};
}

void fil_column_clear(struct fil_column *column)
{
    struct fil_segments *segments = column->segments;
    for (uint32_t i = 0; i < column->count; i++) {
        void *segment = column->items[i];
        if (segment == NULL) {
            continue;
        }
        memcpy(segment, &segments->free_first, sizeof(void *));
        segments->free_first = segment;
    }
    fil_free(column->items);
    column->items = NULL;
    column->count = 0;
}

/** Places for the segment and all before it. */
static bool widen(struct fil_column *column, uint32_t segment)
{
    uint32_t count = column->count == 0 ? 4 : column->count;
    while (count <= segment) {
        count *= 2;
    }
    if (count == column->count) {
        return true;
    }
    uint8_t **items = fil_realloc(column->items, count * sizeof(*items));
    if (items == NULL) {
        return false;
    }
    memset(items + column->count, 0, (count - column->count) * sizeof(*items));
    column->items = items;
    column->count = count;
    return true;
}

void *fil_column_make(struct fil_column *column, uint32_t index)
{
    uint32_t segment = index >> column->segments->shift;
    if (!widen(column, segment)) {
        return NULL;
    }
    column->items[segment] = take_segment(column->segments);
    return column->items[segment] == NULL ? NULL : fil_column_find(column, index);
}
