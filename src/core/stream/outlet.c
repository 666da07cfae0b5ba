// SPDX-License-Identifier: Apache-2.0
#include "core/stream/outlet.h"

#include <stddef.h>
#include <string.h>

#include "core/stream/scatter.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define HASHES_AT_ONCE 256U

// Fewer records than this are not worth the look at all targets.
#define SURE_ROOM_MIN 8U

int fil_outlet_init(struct fil_outlet *outlet, const struct fil_edge *edge, uint32_t target_count)
{
    fil_assert(target_count >= 1);
    *outlet = (struct fil_outlet){.edge = edge, .target_count = target_count};
    outlet->targets = fil_alloc_zero(target_count, sizeof(struct fil_ring *));
    outlet->open = fil_alloc_zero(target_count, sizeof(struct fil_batch *));
    return outlet->targets == NULL || outlet->open == NULL ? FIL_E_NOMEM : FIL_OK;
}

static void drop(struct fil_batch **batch)
{
    if (*batch != NULL) {
        fil_batch_unref(*batch);
        *batch = NULL;
    }
}

void fil_outlet_fini(struct fil_outlet *outlet)
{
    for (uint32_t i = 0; outlet->open != NULL && i < outlet->target_count; i++) {
        drop(&outlet->open[i]);
    }
    drop(&outlet->staging);
    drop(&outlet->mark);
    outlet->fill = NULL;
    fil_free(outlet->open);
    fil_free(outlet->targets);
    outlet->open = NULL;
    outlet->targets = NULL;
}

static bool push(struct fil_outlet *outlet, uint32_t target, struct fil_batch *batch)
{
    bool is_pushed = fil_ring_push(outlet->targets[target], batch);
    outlet->is_refused |= !is_pushed;
    return is_pushed;
}

/** To the next target that has room. */
static bool deal_unicast(struct fil_outlet *outlet)
{
    for (uint32_t i = 0; i < outlet->target_count; i++) {
        uint32_t target = outlet->next_target;
        outlet->next_target = target + 1 == outlet->target_count ? 0 : target + 1;
        if (push(outlet, target, outlet->staging)) {
            outlet->staging = NULL;
            return true;
        }
    }
    return false;
}

/** To every target, one after the other; the references make the copies. */
static bool deal_broadcast(struct fil_outlet *outlet)
{
    while (outlet->dealt < outlet->target_count) {
        fil_batch_ref(outlet->staging);
        if (!push(outlet, outlet->dealt, outlet->staging)) {
            fil_batch_unref(outlet->staging);
            return false;
        }
        outlet->dealt++;
    }
    drop(&outlet->staging);
    return true;
}

/** Room for the record in the target's batch; FIL_E_FULL or FIL_E_NOMEM. */
static int renew_open(struct fil_outlet *outlet, struct fil_batch_pools *pools, uint32_t target,
                      uint32_t size)
{
    struct fil_batch **open = &outlet->open[target];
    if (*open != NULL) {
        if (!push(outlet, target, *open)) {
            return FIL_E_FULL;
        }
        *open = NULL;
    }
    *open = fil_batch_new(pools, &outlet->edge->layout, size);
    return *open == NULL ? FIL_E_NOMEM : FIL_OK;
}

/** The target's batch with room for a record; NULL with an error otherwise. */
static struct fil_batch *open_for(struct fil_outlet *outlet, struct fil_batch_pools *pools,
                                  uint32_t target, uint32_t size, int *out_error)
{
    struct fil_batch *open = outlet->open[target];
    if (FIL_LIKELY(open != NULL && fil_batch_room(open, size) != NULL)) {
        return open;
    }
    *out_error = renew_open(outlet, pools, target, size);
    return *out_error == FIL_OK ? outlet->open[target] : NULL;
}

static int deal_record(struct fil_outlet *outlet, struct fil_batch_pools *pools, uint32_t index,
                       uint64_t hash)
{
    struct fil_batch *from = outlet->staging;
    uint32_t size = fil_batch_record_size(from, index);
    int error = FIL_OK;
    struct fil_batch *open =
        open_for(outlet, pools, fil_key_part(hash, outlet->target_count), size, &error);
    if (FIL_UNLIKELY(open == NULL)) {
        return error;
    }
    void *room = fil_batch_room(open, size);
    fil_assert(room != NULL);
    memcpy(room, fil_batch_record(from, index), size);
    fil_batch_commit(open, size, fil_batch_time(from, index), hash);
    return FIL_OK;
}

/** Keys of one word or two, at the same place of each row. */
static inline void hash_rows(const uint8_t *key, uint32_t stride, uint32_t word_count,
                             uint32_t count, uint64_t *out_hashes)
{
    for (uint32_t i = 0; i < count; i++, key += stride) {
        uint64_t words[2] = {0};
        memcpy(words, key, word_count * sizeof(words[0]));
        out_hashes[i] =
            word_count == 1 ? fil_key_mix(words[0]) : fil_key_mix_pair(words[0], words[1]);
    }
}

static void hash_some(const struct fil_outlet *outlet, uint32_t begin, uint32_t count,
                      uint64_t *out_hashes)
{
    struct fil_batch *from = outlet->staging;
    const struct fil_key *key = &outlet->edge->key;
    if (from->stride != 0 && key->extract == NULL) {
        const uint8_t *place = (const uint8_t *)fil_batch_record(from, begin) + key->offset;
        if (key->size == sizeof(uint64_t)) {
            hash_rows(place, from->stride, 1, count, out_hashes);
            return;
        }
        if (key->size == 2 * sizeof(uint64_t)) {
            hash_rows(place, from->stride, 2, count, out_hashes);
            return;
        }
    }
    bool has_key = fil_key_is_set(key);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = begin + i;
        out_hashes[i] = has_key ? fil_key_hash(key, fil_batch_record(from, index),
                                               fil_batch_record_size(from, index))
                                : fil_batch_hash(from, index);
    }
}

/** Records that can be dealt without looking for room: as many as the fullest batch still takes. */
static uint32_t sure_room(const struct fil_outlet *outlet)
{
    const struct fil_batch *from = outlet->staging;
    const struct fil_layout *layout = &outlet->edge->layout;
    if (outlet->target_count > FIL_SCATTER_TARGETS_MAX || layout->stride == 0 ||
        layout->has_hashes || (from->times_at != 0) != layout->has_times) {
        return 0;
    }
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < outlet->target_count; i++) {
        const struct fil_batch *open = outlet->open[i];
        uint32_t room = open == NULL ? 0 : open->capacity - open->count;
        least = room < least ? room : least;
    }
    return least;
}

/** Deals records for which there is room, whatever their targets. */
static void deal_surely(struct fil_outlet *outlet, uint32_t begin, const uint64_t *hashes,
                        uint32_t count)
{
    struct fil_batch *from = outlet->staging;
    fil_assert(outlet->target_count > 0 && outlet->target_count <= FIL_SCATTER_TARGETS_MAX);
    struct fil_scatter scatter = {.target_count = outlet->target_count,
                                  .from_rows = fil_batch_record(from, begin),
                                  .hashes = hashes,
                                  .count = count};
    scatter.from_times = from->times_at == 0 ? NULL : fil_batch_times(from) + begin;
    for (uint32_t i = 0; i < outlet->target_count; i++) {
        struct fil_batch *open = outlet->open[i];
        scatter.rows[i] = fil_batch_at(open, open->records_at) + (size_t)open->count * open->stride;
        scatter.times[i] = open->times_at == 0 ? NULL : fil_batch_times(open) + open->count;
    }
    fil_scatter(&scatter, from->stride);
    for (uint32_t i = 0; i < outlet->target_count; i++) {
        outlet->open[i]->count += scatter.counts[i];
        fil_debug_assert(outlet->open[i]->count <= outlet->open[i]->capacity);
    }
}

/** Deals hashed records, as many as go without a check, then one by one. */
static int deal_hashed(struct fil_outlet *outlet, struct fil_batch_pools *pools,
                       const uint64_t *hashes, uint32_t count)
{
    uint32_t begin = outlet->dealt;
    uint32_t done = 0;
    while (done < count) {
        uint32_t sure = sure_room(outlet);
        uint32_t some = sure < count - done ? sure : count - done;
        if (some >= SURE_ROOM_MIN) {
            deal_surely(outlet, begin + done, hashes + done, some);
            done += some;
        } else {
            int error = deal_record(outlet, pools, begin + done, hashes[done]);
            if (error != FIL_OK) {
                outlet->dealt = begin + done;
                return error;
            }
            done++;
        }
    }
    outlet->dealt = begin + count;
    return FIL_OK;
}

static int deal_partitioned(struct fil_outlet *outlet, struct fil_batch_pools *pools)
{
    uint64_t hashes[HASHES_AT_ONCE];
    while (outlet->dealt < outlet->staging->count) {
        uint32_t left = outlet->staging->count - outlet->dealt;
        uint32_t count = left < HASHES_AT_ONCE ? left : HASHES_AT_ONCE;
        hash_some(outlet, outlet->dealt, count, hashes);
        int error = deal_hashed(outlet, pools, hashes, count);
        if (error != FIL_OK) {
            return error;
        }
    }
    drop(&outlet->staging);
    return FIL_OK;
}

/** Whether records are dealt one by one. */
static bool is_scattered(const struct fil_outlet *outlet)
{
    // With one target there is nothing to choose, but the hashes may be wanted behind the edge.
    return outlet->edge->kind == FIL_EDGE_PARTITIONED &&
           (outlet->target_count > 1 || outlet->edge->layout.has_hashes);
}

static int deal_kind(struct fil_outlet *outlet, struct fil_batch_pools *pools)
{
    if (outlet->edge->kind == FIL_EDGE_BROADCAST) {
        return deal_broadcast(outlet) ? FIL_OK : FIL_E_FULL;
    }
    if (is_scattered(outlet)) {
        return deal_partitioned(outlet, pools);
    }
    return deal_unicast(outlet) ? FIL_OK : FIL_E_FULL;
}

/** Deals the staging batch; afterwards there is none. */
static int deal(struct fil_outlet *outlet, struct fil_batch_pools *pools)
{
    outlet->fill = NULL;
    if (outlet->staging == NULL) {
        return FIL_OK;
    }
    if (outlet->staging->count == 0) {
        drop(&outlet->staging);
        return FIL_OK;
    }
    return deal_kind(outlet, pools);
}

static bool push_open(struct fil_outlet *outlet)
{
    bool is_empty = true;
    for (uint32_t i = 0; i < outlet->target_count; i++) {
        if (outlet->open[i] == NULL) {
            continue;
        }
        if (push(outlet, i, outlet->open[i])) {
            outlet->open[i] = NULL;
        } else {
            is_empty = false;
        }
    }
    return is_empty;
}

static bool push_mark(struct fil_outlet *outlet)
{
    while (outlet->mark != NULL && outlet->mark_dealt < outlet->target_count) {
        fil_batch_ref(outlet->mark);
        if (!push(outlet, outlet->mark_dealt, outlet->mark)) {
            fil_batch_unref(outlet->mark);
            return false;
        }
        outlet->mark_dealt++;
    }
    drop(&outlet->mark);
    return true;
}

int fil_outlet_flush(struct fil_outlet *outlet, struct fil_batch_pools *pools)
{
    int error = FIL_OK;
    bool is_empty = true;
    do {
        error = deal(outlet, pools);
        if (error == FIL_E_NOMEM) {
            return error;
        }
        // Also when records are left: those of other targets can go.
        is_empty = push_open(outlet);
        // When what stood in the way has found room after all, nobody waits for a ring any more:
        // saying so now would be to wait for a wake that does not come.
    } while (is_scattered(outlet) && error == FIL_E_FULL && is_empty);
    if (error != FIL_OK || !is_empty) {
        return FIL_E_FULL;
    }
    return push_mark(outlet) ? FIL_OK : FIL_E_FULL;
}

int fil_outlet_make_way(struct fil_outlet *outlet, struct fil_batch_pools *pools)
{
    return outlet->mark != NULL ? fil_outlet_flush(outlet, pools) : deal(outlet, pools);
}

int fil_outlet_open(struct fil_outlet *outlet, struct fil_batch_pools *pools, uint32_t size)
{
    int error = fil_outlet_make_way(outlet, pools);
    if (error != FIL_OK) {
        return error;
    }
    fil_assert(outlet->staging == NULL);
    outlet->staging = fil_batch_new(pools, &outlet->edge->layout, size);
    outlet->dealt = 0;
    outlet->fill = outlet->staging;
    return outlet->staging == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_outlet_set_mark(struct fil_outlet *outlet, struct fil_batch *mark)
{
    fil_assert(outlet->mark == NULL);
    fil_assert(mark->kind != FIL_BATCH_DATA);
    outlet->mark = mark;
    outlet->mark_dealt = 0;
    outlet->fill = NULL;
}

int fil_outlet_forward(struct fil_outlet *outlet, struct fil_batch_pools *pools,
                       struct fil_batch *batch)
{
    fil_assert(batch->kind == FIL_BATCH_DATA && batch->stride == outlet->edge->layout.stride);
    int error = fil_outlet_make_way(outlet, pools);
    if (error != FIL_OK) {
        return error;
    }
    fil_batch_ref(batch);
    outlet->staging = batch;
    outlet->dealt = 0;
    // What finds no room now is the outlet's to deliver.
    error = deal(outlet, pools);
    return error == FIL_E_FULL ? FIL_OK : error;
}

bool fil_outlet_is_empty(const struct fil_outlet *outlet)
{
    for (uint32_t i = 0; i < outlet->target_count; i++) {
        if (outlet->open[i] != NULL) {
            return false;
        }
    }
    return outlet->staging == NULL && outlet->mark == NULL;
}
