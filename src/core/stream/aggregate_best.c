// SPDX-License-Identifier: Apache-2.0
// The first records of an order, as they are.
#include <stddef.h>
#include <string.h>

#include "core/stream/aggregate.h"
#include "lib/base/assert.h"

struct best {
    uint64_t count;
    uint64_t used;
    uint8_t rows[]; // in their order
};

static uint8_t *row_at(struct best *best, uint32_t stride, uint64_t index)
{
    return best->rows + index * stride;
}

/** Where a record belongs among the rows that are there. */
static uint64_t place_of(const struct fil_order *order, struct best *best, const void *record)
{
    uint32_t stride = fil_aggregate_best_stride(order);
    uint64_t first = 0;
    uint64_t last = best->used;
    while (first < last) {
        uint64_t middle = first + (last - first) / 2;
        if (fil_order_compare(order, row_at(best, stride, middle), record) <= 0) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}

static void insert(const struct fil_aggregate *aggregate, struct best *best, const void *record)
{
    const struct fil_order *order = aggregate->order;
    uint32_t stride = fil_aggregate_best_stride(order);
    if (best->used == aggregate->limit &&
        fil_order_compare(order, row_at(best, stride, best->used - 1), record) <= 0) {
        return;
    }
    uint64_t place = place_of(order, best, record);
    best->used += best->used < aggregate->limit;
    memmove(row_at(best, stride, place) + stride, row_at(best, stride, place),
            (best->used - 1 - place) * stride);
    memcpy(row_at(best, stride, place), record, order->record_size);
}

static void best_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                            const void *const *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct best *best = states[i];
        best->count++;
        insert(aggregate, best, records[i]);
    }
}

static void best_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    uint32_t stride = fil_aggregate_best_stride(aggregate->order);
    struct best *best = into;
    const struct best *other = from;
    best->count += other->count;
    for (uint64_t i = 0; i < other->used; i++) {
        insert(aggregate, best, other->rows + i * stride);
    }
}

static void best_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    memcpy(out, (const uint8_t *)state + offsetof(struct best, used), aggregate->result_size);
}

static const struct fil_aggregate_ops best_ops = {.name = "best",
                                                  .accumulate = best_accumulate,
                                                  .combine = best_combine,
                                                  .export_result = best_export};

struct fil_aggregate fil_aggregate_best(const struct fil_order *order, uint32_t limit)
{
    fil_assert(limit > 0 && order->record_size > 0);
    uint32_t rows = limit * fil_aggregate_best_stride(order);
    return (struct fil_aggregate){.ops = &best_ops,
                                  .state_size = (uint32_t)sizeof(struct best) + rows,
                                  .result_size = (uint32_t)sizeof(uint64_t) + rows,
                                  .limit = limit,
                                  .order = order};
}
