// SPDX-License-Identifier: Apache-2.0
/**
 * What a store does besides, a little with every change: it fits the table to the count, moves
 * records out of sparse runs and winds up snapshots that were ended early.
 */
#include "core/store/store_internal.h"
#include "lib/base/assert.h"

#define PAUSE_MIN     1024U // changes between two looks at how sparse the runs are
#define PAUSE_PRESSED 32U   // while memory fills up
#define HASTE         256U  // changes that an idle moment counts for
#define SQUEEZE_STEPS 256U  // for a change that finds no memory

void fil_store__moved(struct fil_store *store, uint64_t hash, uint32_t from, uint32_t to)
{
    const uint8_t *record = fil_store__record(store, to);
    fil_table_replace(&store->table, &store->slab, hash, from, to);
    fil_index__moved(store, hash, from, to);
    if (fil_record_has(record, FIL_RECORD_TIMER)) {
        fil_expiry__moved(store, to);
    }
    if (fil_record_has(record, FIL_RECORD_LINKS)) {
        fil_sieve__moved(store, from, to);
    }
    if (store->options->moved != NULL) {
        store->options->moved(store->options->context, store, from, to);
    }
}

/** Copies a record to another run; false without memory. */
static bool move_record(struct fil_store *store, uint32_t from)
{
    uint64_t bytes = fil_record_bytes(fil_store__record(store, from));
    uint32_t to = fil_slab_alloc(&store->slab, &store->account, bytes);
    if (to == FIL_SLAB_NONE) {
        return false;
    }
    memcpy(fil_store__record(store, to), fil_store__record(store, from), bytes);
    fil_store__moved(store, fil_store__hash(store, to), from, to);
    fil_store__release(store, from);
    return true;
}

static void pause_draining(struct fil_store *store)
{
    fil_slab_stop_draining(&store->slab);
    store->drain_position = 0;
    uint32_t pause = store->table.count / 8;
    store->drain_pause = pause < PAUSE_MIN ? PAUSE_MIN : pause;
}

/** Moves what lies in one group of buckets. */
static void drain_group(struct fil_store *store)
{
    uint32_t batch[FIL_STORE_BATCH];
    uint64_t next = 0;
    fil_table_settle(&store->table, &store->slab, &store->account, store->drain_position);
    uint32_t count =
        fil_table_group(&store->table, &store->slab, store->drain_position,
                        (struct fil_table_page){.limit = FIL_STORE_BATCH}, batch, &next);
    for (uint32_t i = 0; i < count; i++) {
        if (fil_slab_is_draining(&store->slab, batch[i]) && !move_record(store, batch[i])) {
            next = FIL_TABLE_END;
            break;
        }
    }
    if (next >= FIL_TABLE_END || store->slab.draining == 0) {
        pause_draining(store);
    } else {
        store->drain_position = (uint32_t)next;
    }
}

/** A group of buckets, and more for what came while memory fills up. */
static void drain_some(struct fil_store *store)
{
    uint32_t more = store->drain_groups;
    store->drain_groups = 0;
    drain_group(store);
    for (uint32_t i = 0; i < more && store->slab.draining > 0; i++) {
        drain_group(store);
    }
}

static bool drain(struct fil_store *store)
{
    if (store->slab.draining > 0) {
        drain_some(store);
        return true;
    }
    if (store->drain_pause > 0) {
        bool is_long = store->is_pressed && store->drain_pause > PAUSE_PRESSED;
        store->drain_pause = is_long ? PAUSE_PRESSED : store->drain_pause - 1;
        return false;
    }
    if (store->snapshot != NULL || !fil_slab_is_sparse(&store->slab, store->is_pressed)) {
        return false;
    }
    store->is_dense = fil_slab_start_draining(&store->slab, store->is_pressed) == 0;
    if (store->is_dense) {
        pause_draining(store);
        return false;
    }
    store->drain_position = 0;
    return true;
}

bool fil_store__upkeep(struct fil_store *store)
{
    bool is_due =
        fil_table_adapt(&store->table, &store->slab, &store->account, fil_store__hash_of, store);
    if (FIL_UNLIKELY(store->snapshot != NULL)) {
        is_due |= fil_snapshot__wind_up(store);
    }
    if (FIL_UNLIKELY(store->slab.retired != 0)) {
        is_due |= fil_slab_reclaim(&store->slab, &store->account);
    }
    return drain(store) || is_due;
}

bool fil_store__squeeze(struct fil_store *store)
{
    uint64_t before = store->slab.run_bytes;
    if (store->slab.draining == 0 && store->snapshot == NULL) {
        store->drain_position = 0;
        (void)fil_slab_start_draining(&store->slab, true); // also for little
    }
    store->is_pressed = true;
    for (uint32_t i = 0; i < SQUEEZE_STEPS && store->slab.run_bytes == before; i++) {
        if (!fil_store__upkeep(store)) {
            break;
        }
    }
    return store->slab.run_bytes < before;
}

/** In idle moments the next look at sparse runs comes sooner, unless the last one was in vain. */
static bool hasten_draining(struct fil_store *store)
{
    if (store->drain_pause == 0 || store->is_dense || store->snapshot != NULL ||
        !fil_slab_is_sparse(&store->slab, store->is_pressed)) {
        return false;
    }
    store->drain_pause -= store->drain_pause < HASTE ? store->drain_pause : HASTE;
    return true;
}

static bool is_empty(const struct fil_store *store)
{
    return store->table.count == 0 && store->slab.used_bytes == 0 && store->slab.retired == 0 &&
           store->snapshot == NULL && store->index_count == 0;
}

/** An empty store owns nothing, as before its first entry. */
static void give_all_back(struct fil_store *store)
{
    fil_expiry__fini(store);
    fil_table_fini(&store->table, &store->account);
    fil_slab_fini(&store->slab, &store->account);
    fil_account_settle(&store->account);
    store->drain_position = 0;
}

bool fil_store__give_back_if_empty(struct fil_store *store)
{
    bool is_over = is_empty(store);
    if (is_over) {
        give_all_back(store);
    }
    return is_over;
}

bool fil_store_maintain(struct fil_store *store, uint64_t now_ms, uint32_t budget)
{
    if (fil_store__give_back_if_empty(store)) {
        return false;
    }
    bool is_due = true;
    // Where entries are evicted that decides by itself.
    if (store->is_pressed && store->options->eviction == FIL_EVICTION_NONE) {
        store->is_pressed = fil_budget_is_lending(store->account.budget);
    }
    for (uint32_t i = 0; i < budget && is_due; i++) {
        is_due = fil_store__upkeep(store);
    }
    is_due |= hasten_draining(store);
    (void)fil_store_expire(store, now_ms, budget);
    return is_due || is_empty(store) || fil_store_next_expiry_ms(store) <= now_ms;
}
