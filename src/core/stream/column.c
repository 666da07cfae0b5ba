// SPDX-License-Identifier: Apache-2.0
#include "core/stream/column.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define FREE_MAX 4096U

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

static void release(struct fil_segments *segments, void *segment)
{
    fil_account_give(&segments->account, segment_bytes(segments));
    fil_free(segment);
}

void fil_segments_fini(struct fil_segments *segments)
{
    if (segments->item_size == 0) {
        return;
    }
    while (segments->free_first != NULL) {
        void *segment = segments->free_first;
        memcpy(&segments->free_first, segment, sizeof(void *));
        release(segments, segment);
    }
    fil_account_fini(&segments->account);
}

static void *take_segment(struct fil_segments *segments)
{
    void *segment = segments->free_first;
    if (segment != NULL) {
        memcpy(&segments->free_first, segment, sizeof(void *));
        segments->free_count--;
        memset(segment, 0, segment_bytes(segments));
        return segment;
    }
    if (!fil_account_take(&segments->account, segment_bytes(segments))) {
        return NULL;
    }
    segment = fil_alloc_zero(1, segment_bytes(segments));
    if (segment == NULL) {
        fil_account_give(&segments->account, segment_bytes(segments));
    }
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
        if (segments->free_count == FREE_MAX) {
            release(segments, segment);
            continue;
        }
        memcpy(segment, &segments->free_first, sizeof(void *));
        segments->free_first = segment;
        segments->free_count++;
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
