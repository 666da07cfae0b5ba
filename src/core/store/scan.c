// SPDX-License-Identifier: Apache-2.0
/** Walks over a store by cursor: to look, to empty it, to pick one at random. */
#include "core/store/store_internal.h"
#include "lib/base/assert.h"

#define PICKS_MAX    16U
#define RECLAIM_PART 256U // entries removed for each run given back

struct walk {
    uint64_t now_ms;
    fil_store_visit_fn visit;
    void *context;
};

/** Visits the group at the cursor; returns how many entries it looked at. */
static uint32_t visit_group(const struct fil_store *store, uint64_t cursor, const struct walk *walk,
                            uint64_t *out_next)
{
    uint32_t seen = 0;
    uint32_t batch[FIL_STORE_BATCH];
    uint32_t count = FIL_STORE_BATCH;
    while (count == FIL_STORE_BATCH) {
        struct fil_table_page page = {.skip = seen, .limit = FIL_STORE_BATCH};
        count = fil_table_group(&store->table, &store->slab, cursor, page, batch, out_next);
        for (uint32_t i = 0; i < count; i++) {
            // Behind the cursor when the table has shrunk since: visited then.
            bool is_due = fil_table_position(fil_store__hash(store, batch[i])) >= cursor;
            if (is_due &&
                !fil_store__is_expired(fil_store__record(store, batch[i]), walk->now_ms)) {
                struct fil_store_view view = fil_store__view(store, batch[i], walk->now_ms);
                walk->visit(walk->context, &view);
            }
        }
        seen += count;
    }
    return seen;
}

uint64_t fil_store_scan(const struct fil_store *store, uint64_t cursor, uint64_t now_ms,
                        uint32_t budget, fil_store_visit_fn visit, void *context)
{
    struct walk walk = {.now_ms = now_ms, .visit = visit, .context = context};
    // An empty bucket is work too.
    for (uint64_t seen = 0; cursor < FIL_STORE_SCAN_END && seen < budget; seen++) {
        seen += visit_group(store, cursor, &walk, &cursor);
    }
    return cursor;
}

/** Takes out up to a batch of the group; returns how many. */
static uint32_t clear_group(struct fil_store *store, uint64_t cursor, uint64_t *out_next)
{
    uint32_t batch[FIL_STORE_BATCH];
    uint32_t taken = 0;
    struct fil_table_page page = {.limit = FIL_STORE_BATCH};
    uint32_t count = fil_table_group(&store->table, &store->slab, cursor, page, batch, out_next);
    for (uint32_t i = 0; i < count; i++) {
        FIL_PREFETCH(fil_store__record(store, batch[i]));
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash = fil_store__hash(store, batch[i]);
        if (fil_table_position(hash) >= cursor) {
            fil_store__take_out(store, hash, batch[i], false);
            taken++;
        }
    }
    if (count == FIL_STORE_BATCH && taken > 0) {
        *out_next = cursor; // there may be more
    }
    return taken;
}

uint64_t fil_store_clear(struct fil_store *store, uint64_t cursor, uint32_t budget)
{
    fil_store__begin_change(store);
    // Nothing is moved that is about to go.
    fil_slab_stop_draining(&store->slab);
    store->drain_pause += budget;
    for (uint64_t done = 0; cursor < FIL_STORE_SCAN_END && done < budget; done++) {
        uint32_t taken = clear_group(store, cursor, &cursor);
        done += taken;
        for (uint32_t i = 0; i < taken; i++) {
            (void)fil_table_adapt(&store->table, &store->slab, &store->account, fil_store__hash_of,
                                  store);
        }
    }
    for (uint32_t i = 0; i <= budget / RECLAIM_PART; i++) {
        (void)fil_slab_reclaim(&store->slab, &store->account);
    }
    if (cursor < FIL_STORE_SCAN_END || fil_store__give_back_if_empty(store)) {
        return cursor;
    }
    // Not over before the memory is back; the last position is as good as the end.
    return store->slab.retired != 0 ? FIL_STORE_SCAN_END - 1 : cursor;
}

bool fil_store_pick(struct fil_store *store, uint64_t now_ms, struct fil_store_view *out_view)
{
    for (uint32_t i = 0; i < PICKS_MAX && store->table.count > 0; i++) {
        uint32_t sample[FIL_BUCKET_SLOTS];
        uint64_t random = fil_store__random(store);
        uint32_t count = fil_table_sample(&store->table, &store->slab, random, sample);
        uint32_t reference = sample[fil_store__random(store) % count];
        if (!fil_store__is_expired(fil_store__record(store, reference), now_ms)) {
            *out_view = fil_store__view(store, reference, now_ms);
            return true;
        }
    }
    return false;
}
