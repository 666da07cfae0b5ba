// SPDX-License-Identifier: Apache-2.0
/**
 * The unit that moves between processors: a pooled, counted block of records, or a mark.
 *
 * A data batch holds up to a set number of records, either all of one size (stride) or of their
 * own sizes (offsets and a heap), and on demand their event times and key hashes as columns. All
 * places inside the block are offsets from its beginning, so the same bytes can go over a network.
 * A mark (watermark, barrier, end) is a batch without records: it travels in order with the data.
 *
 * Memory:  a block comes from the pools of the worker that fills it and goes home when its last
 *          holder lets go, on whatever thread. Nothing is allocated for a record.
 * Threads: one thread fills a batch; once it has been handed over it is read-only and shared.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/mem/pool.h"

/** Records of a batch unless the layout says otherwise. */
#define FIL_BATCH_RECORDS 256U

/** A record of its own size that is larger than this is refused. */
#define FIL_BATCH_RECORD_BYTES_MAX (512U << 10)

/** Bytes a heap record of a layout is expected to have, where the layout does not tell. */
#define FIL_BATCH_HEAP_RECORD_BYTES 32U

#define FIL_BATCH_CLASS_COUNT 10U

/** Event time of records that have none, and the watermark before the first. */
#define FIL_TIME_NONE INT64_MIN

enum fil_batch_kind {
    FIL_BATCH_DATA,
    FIL_BATCH_WATERMARK, // value: no record before this time follows
    FIL_BATCH_IDLE,      // the producer has nothing for now and holds nobody back
    FIL_BATCH_BARRIER,   // value: number of the snapshot
    FIL_BATCH_END,       // nothing follows
};

/** What the records of an edge look like. */
struct fil_layout {
    uint32_t stride;       // bytes of a record; 0: each has its own size
    uint32_t record_count; // of a batch; 0: FIL_BATCH_RECORDS
    bool has_times;
    bool has_hashes;
};

struct fil_batch {
    struct fil_pool *home;
    _Atomic uint32_t references;
    enum fil_batch_kind kind;
    int64_t value;       // of a mark
    uint32_t size_bytes; // of the whole block
    uint32_t count;
    uint32_t capacity;
    uint32_t stride;
    uint32_t heap_used;
    uint32_t heap_size;
    uint32_t times_at; // places of the columns; 0: not there
    uint32_t hashes_at;
    uint32_t offsets_at; // ends of the records in the heap
    uint32_t records_at;
};

/** Blocks of every size for one worker. */
struct fil_batch_pools {
    struct fil_pool classes[FIL_BATCH_CLASS_COUNT];
};

/** The calling thread is the owner until another one adopts the pools. */
void fil_batch_pools_init(struct fil_batch_pools *pools, struct fil_budget *budget);

/** Owner. All batches must be home. */
void fil_batch_pools_fini(struct fil_batch_pools *pools);

/** Makes the calling thread the owner; nobody else may be using the pools. */
void fil_batch_pools_adopt(struct fil_batch_pools *pools);

/** Whether batches of this layout can exist. */
bool fil_layout_is_valid(const struct fil_layout *layout);

/**
 * Owner of the pools. An empty data batch with one reference; of a layout without stride, with room
 * for a record of record_bytes at least. NULL when memory or the budget is out.
 */
struct fil_batch *fil_batch_new(struct fil_batch_pools *pools, const struct fil_layout *layout,
                                uint32_t record_bytes) FIL_NODISCARD;

/** Owner of the pools. A mark with one reference, or NULL. */
struct fil_batch *fil_batch_new_mark(struct fil_batch_pools *pools, enum fil_batch_kind kind,
                                     int64_t value) FIL_NODISCARD;

/** One more holder. */
FIL_ANY_THREAD void fil_batch_ref(struct fil_batch *batch);

/** A holder less; the last one sends the block home. */
FIL_ANY_THREAD void fil_batch_unref(struct fil_batch *batch);

/** Whether the caller, who holds it, is the only holder: then it may change it. */
static inline bool fil_batch_is_own(const struct fil_batch *batch)
{
    // A2 pairs with R1 in batch.c: what other holders did with the records is over.
    return atomic_load_explicit(&batch->references, memory_order_acquire) == 1;
}

static inline uint8_t *fil_batch_at(struct fil_batch *batch, uint32_t place)
{
    return (uint8_t *)batch + place;
}

/** Event times of the records, or NULL. */
static inline int64_t *fil_batch_times(struct fil_batch *batch)
{
    return batch->times_at == 0 ? NULL : (int64_t *)(void *)fil_batch_at(batch, batch->times_at);
}

/** Key hashes of the records, or NULL. */
static inline uint64_t *fil_batch_hashes(struct fil_batch *batch)
{
    return batch->hashes_at == 0 ? NULL : (uint64_t *)(void *)fil_batch_at(batch, batch->hashes_at);
}

static inline uint32_t *fil_batch_ends(struct fil_batch *batch)
{
    return (uint32_t *)(void *)fil_batch_at(batch, batch->offsets_at);
}

static inline uint32_t fil_batch_begin_of(struct fil_batch *batch, uint32_t index)
{
    // Records of their own sizes begin at multiples of 8, so that structs can lie there.
    return index == 0 ? 0 : (fil_batch_ends(batch)[index - 1] + 7U) & ~7U;
}

static inline const void *fil_batch_record(struct fil_batch *batch, uint32_t index)
{
    fil_debug_assert(index < batch->count);
    uint32_t begin = batch->stride != 0 ? index * batch->stride : fil_batch_begin_of(batch, index);
    return fil_batch_at(batch, batch->records_at) + begin;
}

static inline uint32_t fil_batch_record_size(struct fil_batch *batch, uint32_t index)
{
    fil_debug_assert(index < batch->count);
    return batch->stride != 0 ? batch->stride
                              : fil_batch_ends(batch)[index] - fil_batch_begin_of(batch, index);
}

static inline int64_t fil_batch_time(struct fil_batch *batch, uint32_t index)
{
    return batch->times_at == 0 ? FIL_TIME_NONE : fil_batch_times(batch)[index];
}

static inline uint64_t fil_batch_hash(struct fil_batch *batch, uint32_t index)
{
    return batch->hashes_at == 0 ? 0 : fil_batch_hashes(batch)[index];
}

/** The one that fills it: place of the next record, or NULL when the batch has no room for it. */
static inline void *fil_batch_room(struct fil_batch *batch, uint32_t size)
{
    if (FIL_UNLIKELY(batch->count == batch->capacity)) {
        return NULL;
    }
    if (FIL_LIKELY(batch->stride != 0)) {
        return fil_batch_at(batch, batch->records_at) + (size_t)batch->count * batch->stride;
    }
    uint32_t begin = fil_batch_begin_of(batch, batch->count);
    bool fits = begin <= batch->heap_size && size <= batch->heap_size - begin;
    return fits ? fil_batch_at(batch, batch->records_at) + begin : NULL;
}

/** The record has been written to its room. */
static inline void fil_batch_commit(struct fil_batch *batch, uint32_t size, int64_t time,
                                    uint64_t hash)
{
    fil_debug_assert(batch->count < batch->capacity);
    uint32_t index = batch->count;
    if (batch->times_at != 0) {
        fil_batch_times(batch)[index] = time;
    }
    if (batch->hashes_at != 0) {
        fil_batch_hashes(batch)[index] = hash;
    }
    if (batch->stride == 0) {
        uint32_t end = fil_batch_begin_of(batch, index) + size;
        fil_batch_ends(batch)[index] = end;
        batch->heap_used = end;
    }
    batch->count = index + 1;
}

/** Copies a record with its columns; false when there is no room. */
static inline bool fil_batch_copy(struct fil_batch *to, struct fil_batch *from, uint32_t index,
                                  uint64_t hash)
{
    uint32_t size = fil_batch_record_size(from, index);
    void *room = fil_batch_room(to, size);
    if (room == NULL) {
        return false;
    }
    memcpy(room, fil_batch_record(from, index), size);
    fil_batch_commit(to, size, fil_batch_time(from, index), hash);
    return true;
}
