// SPDX-License-Identifier: Apache-2.0
/**
 * A consistent cut of a store while it is written to.
 *
 * The walk goes by position, as cursors do, so whether a record has been visited is told by its
 * hash alone. A record that leaves or changes before its visit is taken out of the table but kept;
 * one that is written meanwhile ahead of the walk is marked as fresh and passed over.
 */
#include "core/store/store_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define KEPT_MIN      64U
#define WIND_UP_BATCH 16U

struct fil_snapshot {
    uint64_t position; // the walk's: all before it are visited
    uint64_t cut_ms;
    uint32_t *kept; // records of the cut that left the table
    uint32_t kept_count;
    uint32_t kept_capacity;
    int error;
    bool is_ended; // before it was done
};

int fil_store_snapshot_begin(struct fil_store *store, uint64_t now_ms)
{
    if (store->snapshot != NULL) {
        return FIL_E_AGAIN;
    }
    if (!fil_account_take(&store->account, sizeof(*store->snapshot))) {
        return FIL_E_NOMEM;
    }
    store->snapshot = fil_alloc_zero(1, sizeof(*store->snapshot));
    if (store->snapshot == NULL) {
        fil_account_give(&store->account, sizeof(*store->snapshot));
        return FIL_E_NOMEM;
    }
    // Kept records have no place in the table, so they could not follow a move.
    fil_slab_stop_draining(&store->slab);
    store->snapshot->cut_ms = now_ms;
    return FIL_OK;
}

static bool is_ahead(const struct fil_snapshot *snapshot, uint64_t hash)
{
    return snapshot != NULL && !snapshot->is_ended &&
           fil_table_position(hash) >= snapshot->position;
}

bool fil_snapshot__holds(const struct fil_store *store, uint64_t hash, const uint8_t *record)
{
    return FIL_UNLIKELY(store->snapshot != NULL) && is_ahead(store->snapshot, hash) &&
           !fil_record_has(record, FIL_RECORD_FRESH);
}

void fil_snapshot__mark(const struct fil_store *store, uint64_t hash, uint8_t *record)
{
    if (FIL_UNLIKELY(is_ahead(store->snapshot, hash))) {
        record[0] |= FIL_RECORD_FRESH;
    }
}

static bool has_room(struct fil_store *store, struct fil_snapshot *snapshot)
{
    if (snapshot->kept_count < snapshot->kept_capacity) {
        return true;
    }
    uint32_t capacity = snapshot->kept_capacity == 0 ? KEPT_MIN : snapshot->kept_capacity * 2;
    uint64_t more = (uint64_t)(capacity - snapshot->kept_capacity) * sizeof(*snapshot->kept);
    if (!fil_account_take(&store->account, more)) {
        return false;
    }
    uint32_t *kept = fil_realloc(snapshot->kept, capacity * sizeof(*kept));
    if (kept == NULL) {
        fil_account_give(&store->account, more);
        return false;
    }
    snapshot->kept = kept;
    snapshot->kept_capacity = capacity;
    return true;
}

bool fil_snapshot__keep(struct fil_store *store, uint64_t hash, uint32_t reference)
{
    struct fil_snapshot *snapshot = store->snapshot;
    if (FIL_LIKELY(snapshot == NULL) ||
        !fil_snapshot__holds(store, hash, fil_store__record(store, reference))) {
        return false;
    }
    if (snapshot->error != FIL_OK || !has_room(store, snapshot)) {
        snapshot->error = FIL_E_NOMEM;
        return false;
    }
    snapshot->kept[snapshot->kept_count] = reference;
    snapshot->kept_count++;
    return true;
}

struct cut {
    fil_store_visit_fn visit;
    void *context;
    uint32_t seen;
};

static void visit(const struct fil_store *store, uint32_t reference, struct cut *cut)
{
    if (!fil_store__is_expired(fil_store__record(store, reference), store->snapshot->cut_ms)) {
        struct fil_store_view view = fil_store__view(store, reference, store->snapshot->cut_ms);
        cut->visit(cut->context, &view);
    }
    cut->seen++;
}

static void visit_kept(struct fil_store *store, struct cut *cut, uint32_t budget)
{
    struct fil_snapshot *snapshot = store->snapshot;
    while (snapshot->kept_count > 0 && cut->seen < budget) {
        uint32_t reference = snapshot->kept[snapshot->kept_count - 1];
        visit(store, reference, cut);
        snapshot->kept_count--;
        fil_store__release(store, reference);
    }
}

/** Visits the records of the cut in the group ahead, or only takes their marks without a cut. */
static void pass_group(struct fil_store *store, struct cut *cut)
{
    struct fil_snapshot *snapshot = store->snapshot;
    uint32_t batch[FIL_STORE_BATCH];
    uint32_t seen = 0;
    uint32_t count = FIL_STORE_BATCH;
    uint64_t next = 0;
    while (count == FIL_STORE_BATCH) {
        struct fil_table_page page = {.skip = seen, .limit = FIL_STORE_BATCH};
        count =
            fil_table_group(&store->table, &store->slab, snapshot->position, page, batch, &next);
        for (uint32_t i = 0; i < count; i++) {
            uint8_t *record = fil_store__record(store, batch[i]);
            bool is_due =
                fil_table_position(fil_store__hash(store, batch[i])) >= snapshot->position;
            if (is_due && cut != NULL && !fil_record_has(record, FIL_RECORD_FRESH)) {
                visit(store, batch[i], cut);
            }
            record[0] &= (uint8_t)~FIL_RECORD_FRESH;
        }
        seen += count;
    }
    snapshot->position = next;
}

int fil_store_snapshot_next(struct fil_store *store, uint32_t budget, fil_store_visit_fn visit_fn,
                            void *context, bool *out_is_done)
{
    struct fil_snapshot *snapshot = store->snapshot;
    fil_assert(snapshot != NULL);
    fil_assert(!snapshot->is_ended);
    *out_is_done = false;
    if (snapshot->error != FIL_OK) {
        return snapshot->error;
    }
    struct cut cut = {.visit = visit_fn, .context = context};
    visit_kept(store, &cut, budget);
    while (cut.seen < budget && snapshot->position < FIL_TABLE_END) {
        pass_group(store, &cut);
        cut.seen++; // an empty group is work too
    }
    *out_is_done = snapshot->position >= FIL_TABLE_END && snapshot->kept_count == 0;
    return FIL_OK;
}

static void discard(struct fil_store *store)
{
    struct fil_snapshot *snapshot = store->snapshot;
    fil_account_give(&store->account, snapshot->kept_capacity * sizeof(*snapshot->kept));
    fil_account_give(&store->account, sizeof(*snapshot));
    if (snapshot->kept != NULL) {
        fil_free(snapshot->kept);
    }
    fil_free(snapshot);
    store->snapshot = NULL;
}

bool fil_snapshot__wind_up(struct fil_store *store)
{
    struct fil_snapshot *snapshot = store->snapshot;
    if (FIL_LIKELY(snapshot == NULL) || !snapshot->is_ended) {
        return false;
    }
    for (uint32_t i = 0; i < WIND_UP_BATCH && snapshot->kept_count > 0; i++) {
        snapshot->kept_count--;
        fil_store__release(store, snapshot->kept[snapshot->kept_count]);
    }
    if (snapshot->position < FIL_TABLE_END) {
        pass_group(store, NULL);
    }
    if (snapshot->position >= FIL_TABLE_END && snapshot->kept_count == 0) {
        discard(store);
        return false;
    }
    return true;
}

void fil_store_snapshot_end(struct fil_store *store)
{
    fil_assert(store->snapshot != NULL);
    store->snapshot->is_ended = true;
    (void)fil_snapshot__wind_up(store);
}

void fil_snapshot__fini(struct fil_store *store)
{
    if (store->snapshot != NULL) {
        discard(store);
    }
}
