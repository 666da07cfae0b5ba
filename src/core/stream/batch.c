// SPDX-License-Identifier: Apache-2.0
#include "core/stream/batch.h"

#include <stddef.h>

#define MARK_BYTES        128U
#define SMALLEST_SHIFT    12U
#define KEPT_MAX          256U
#define KEPT_LARGE_MAX    16U
#define LARGE_CLASS_BYTES (256U << 10)
#define BLOCK_BYTES_MAX   (1U << 20)

_Static_assert(sizeof(struct fil_batch) <= MARK_BYTES, "a mark is a batch without records");
_Static_assert(BLOCK_BYTES_MAX == 1U << (SMALLEST_SHIFT + FIL_BATCH_CLASS_COUNT - 2),
               "the last class is the largest block");

static uint32_t class_bytes(uint32_t index)
{
    return index == 0 ? MARK_BYTES : 1U << (SMALLEST_SHIFT + index - 1);
}

static uint32_t class_of(uint64_t bytes)
{
    fil_assert(bytes <= BLOCK_BYTES_MAX);
    uint32_t index = 0;
    while (class_bytes(index) < bytes) {
        index++;
    }
    return index;
}

void fil_batch_pools_init(struct fil_batch_pools *pools, struct fil_budget *budget)
{
    for (uint32_t i = 0; i < FIL_BATCH_CLASS_COUNT; i++) {
        uint32_t kept_max = class_bytes(i) < LARGE_CLASS_BYTES ? KEPT_MAX : KEPT_LARGE_MAX;
        fil_pool_init(&pools->classes[i], budget, class_bytes(i), kept_max);
    }
}

void fil_batch_pools_fini(struct fil_batch_pools *pools)
{
    for (uint32_t i = 0; i < FIL_BATCH_CLASS_COUNT; i++) {
        fil_pool_fini(&pools->classes[i]);
    }
}

void fil_batch_pools_adopt(struct fil_batch_pools *pools)
{
    for (uint32_t i = 0; i < FIL_BATCH_CLASS_COUNT; i++) {
        fil_pool_adopt(&pools->classes[i]);
    }
}

static uint32_t round_up(uint32_t bytes)
{
    return (bytes + 15U) & ~15U;
}

static uint32_t capacity_of(const struct fil_layout *layout)
{
    return layout->record_count == 0 ? FIL_BATCH_RECORDS : layout->record_count;
}

static uint64_t columns_bytes(const struct fil_layout *layout)
{
    uint64_t each = (layout->has_times ? sizeof(int64_t) : 0) +
                    (layout->has_hashes ? sizeof(uint64_t) : 0) +
                    (layout->stride == 0 ? sizeof(uint32_t) : 0);
    // Every column may begin up to 15 bytes behind the one before it.
    return sizeof(struct fil_batch) + capacity_of(layout) * each + 64;
}

/** Bytes that the records get, at least. */
static uint64_t records_bytes(const struct fil_layout *layout, uint32_t record_bytes)
{
    uint64_t count = capacity_of(layout);
    if (layout->stride != 0) {
        return count * layout->stride;
    }
    uint64_t usual = count * FIL_BATCH_HEAP_RECORD_BYTES;
    return record_bytes > usual ? record_bytes : usual;
}

bool fil_layout_is_valid(const struct fil_layout *layout)
{
    return capacity_of(layout) <= BLOCK_BYTES_MAX &&
           columns_bytes(layout) + records_bytes(layout, FIL_BATCH_RECORD_BYTES_MAX) <=
               BLOCK_BYTES_MAX;
}

/** Lays the columns out behind the header; returns where the records begin. */
static void lay_out(struct fil_batch *batch, const struct fil_layout *layout)
{
    uint32_t place = round_up(sizeof(*batch));
    if (layout->has_times) {
        batch->times_at = place;
        place = round_up(place + batch->capacity * (uint32_t)sizeof(int64_t));
    }
    if (layout->has_hashes) {
        batch->hashes_at = place;
        place = round_up(place + batch->capacity * (uint32_t)sizeof(uint64_t));
    }
    if (layout->stride == 0) {
        batch->offsets_at = place;
        place = round_up(place + batch->capacity * (uint32_t)sizeof(uint32_t));
    }
    batch->records_at = place;
    batch->heap_size = batch->size_bytes - place;
}

static struct fil_batch *take_block(struct fil_batch_pools *pools, uint64_t bytes)
{
    struct fil_pool *home = &pools->classes[class_of(bytes)];
    struct fil_batch *batch = fil_pool_take(home);
    if (batch != NULL) {
        *batch = (struct fil_batch){.home = home, .size_bytes = (uint32_t)home->block_size};
        atomic_init(&batch->references, 1);
    }
    return batch;
}

struct fil_batch *fil_batch_new(struct fil_batch_pools *pools, const struct fil_layout *layout,
                                uint32_t record_bytes)
{
    fil_assert(record_bytes <= FIL_BATCH_RECORD_BYTES_MAX);
    uint64_t bytes = columns_bytes(layout) + records_bytes(layout, record_bytes);
    struct fil_batch *batch = take_block(pools, bytes);
    if (batch == NULL) {
        return NULL;
    }
    batch->kind = FIL_BATCH_DATA;
    batch->capacity = capacity_of(layout);
    batch->stride = layout->stride;
    lay_out(batch, layout);
    fil_assert(batch->heap_size >= records_bytes(layout, record_bytes));
    return batch;
}

struct fil_batch *fil_batch_new_mark(struct fil_batch_pools *pools, enum fil_batch_kind kind,
                                     int64_t value)
{
    fil_assert(kind != FIL_BATCH_DATA);
    struct fil_batch *batch = take_block(pools, sizeof(*batch));
    if (batch != NULL) {
        batch->kind = kind;
        batch->value = value;
    }
    return batch;
}

void fil_batch_ref(struct fil_batch *batch)
{
    // Relaxed: who adds a holder is one, so the batch cannot go away meanwhile.
    uint32_t before = atomic_fetch_add_explicit(&batch->references, 1, memory_order_relaxed);
    fil_assert(before > 0);
}

void fil_batch_unref(struct fil_batch *batch)
{
    // R1 pairs with A1: each holder is done with the records before the last one gives them away.
    uint32_t before = atomic_fetch_sub_explicit(&batch->references, 1, memory_order_acq_rel);
    fil_assert(before > 0);
    // A1 is the same operation of the last holder.
    if (before == 1) {
        fil_pool_give(batch->home, batch);
    }
}
