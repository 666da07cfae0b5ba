// SPDX-License-Identifier: Apache-2.0
#include "grid/map/map.h"

#include <string.h>

#include "core/exec/exec.h"
#include "core/shelf/shelf.h"
#include "filbert/error.h"
#include "grid/map/map_internal.h"
#include "grid/map/shelf.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

#define EXPIRE_BUDGET   128U // entries that one slice of upkeep removes
#define MAINTAIN_BUDGET 16U
#define PAUSE_MS        1U    // between two slices
#define TIDY_DELAY_MS   2000U // from a removal to the look at what it left behind
#define VICTIMS         16U   // entries that make room for a change of a collection

struct fil_partition *fil_map__partition(const struct fil_map_shard *shard)
{
    struct fil_exec *exec = shard->map->exec;
    return exec == NULL ? NULL : fil_exec_partition(exec, fil_map__id(shard));
}

/** The store's count as a counter that others may read; single writer: whoever is inside. */
static void publish_count(struct fil_map_shard *shard)
{
    if (FIL_UNLIKELY(shard->is_counted)) {
        uint64_t before = fil_counter_read(&shard->counters.entries);
        // Relaxed: it only counts. What is less wraps round, and back again in the sum.
        (void)atomic_fetch_add_explicit(&shard->map->entry_count,
                                        fil_store_count(&shard->store) - before,
                                        memory_order_relaxed);
    }
    // Relaxed: a count publishes nothing but itself.
    atomic_store_explicit(&shard->counters.entries.value, fil_store_count(&shard->store),
                          memory_order_relaxed);
}

void fil_map__ask_upkeep(struct fil_map_shard *shard, uint64_t at_ms)
{
    const struct fil_map *map = shard->map;
    struct fil_partition *partition = fil_map__partition(shard);
    if (partition == NULL || at_ms >= UINT64_MAX / 1000000U) {
        return;
    }
    uint64_t at_ns = at_ms * 1000000U;
    // Never 0, which would be before every clock.
    at_ns = at_ns > map->wall_offset_ns ? at_ns - map->wall_offset_ns : 1;
    fil_partition_ask_upkeep(partition, &shard->upkeep, at_ns);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/** A slice of what the shard has to do by itself. */
static uint64_t run_upkeep(struct fil_upkeep *upkeep, struct fil_partition *partition)
{
    struct fil_map_shard *shard = FIL_CONTAINER_OF(upkeep, struct fil_map_shard, upkeep);
    const struct fil_map *map = shard->map;
    uint64_t now_ms = fil_map_now_ms(map, partition->runner->now_ns);
    fil_assert(&map->shards[partition->id] == shard);
    (void)fil_store_expire(&shard->store, now_ms, EXPIRE_BUDGET);
    bool has_more = fil_store_maintain(&shard->store, now_ms, MAINTAIN_BUDGET);
    publish_count(shard);
    uint64_t next_ms = has_more ? now_ms : fil_store_next_expiry_ms(&shard->store);
    next_ms = min_u64(next_ms, fil_map__upkeep_locks(shard, now_ms, EXPIRE_BUDGET));
    next_ms = min_u64(next_ms, fil_map__upkeep_shelf(shard, now_ms, EXPIRE_BUDGET));
    next_ms = next_ms > now_ms + PAUSE_MS ? next_ms : now_ms + PAUSE_MS;
    if (next_ms >= UINT64_MAX / 1000000U) {
        return FIL_OP_NO_DEADLINE;
    }
    return next_ms * 1000000U - map->wall_offset_ns;
}

void fil_map__tell(struct fil_map_shard *shard, const struct fil_map__change *change)
{
    if (shard->interests & FIL_MAP__WATCHED) {
        (change->kind == FIL_MAP_EXPIRED ? fil_map__touch_expired
                                         : fil_map__touch)(shard, change->hash, change->key);
    }
    if (shard->interests & FIL_MAP__JOURNALED) {
        fil_map__record(shard, change);
    }
    if (shard->interests & FIL_MAP__LISTENED) {
        fil_map__publish(shard, change);
    }
}

void fil_map__tell_gone(struct fil_map *map, struct fil_bytes key, bool is_expired)
{
    // A11 pairs with R11.
    const struct fil_map_observer *observer =
        atomic_load_explicit(&map->observer, memory_order_acquire);
    if (observer != NULL) {
        observer->gone(observer->context, map, key, is_expired);
    }
}

/** The store's callback: an entry has left without being asked to. */
static void entry_gone(void *context, struct fil_store *store, enum fil_store_reason reason,
                       struct fil_bytes key, struct fil_bytes value)
{
    struct fil_map *map = context;
    struct fil_map_shard *shard = FIL_CONTAINER_OF(store, struct fil_map_shard, store);
    bool is_expired = reason == FIL_STORE_EXPIRED;
    fil_counter_add(is_expired ? &shard->counters.expired : &shard->counters.evicted, 1);
    fil_map__tell_gone(map, key, is_expired);
    if (shard->interests != 0) {
        fil_map__tell(shard, &(struct fil_map__change){
                                 .kind = is_expired ? FIL_MAP_EXPIRED : FIL_MAP_EVICTED,
                                 .hash = fil_hash(key, map->seed),
                                 .key = key,
                                 .has_old = true,
                                 .old_value = value,
                             });
    }
}

/** The store's callback: locked keys are not evicted. */
static bool can_evict(void *context, struct fil_store *store, struct fil_bytes key)
{
    const struct fil_map *map = context;
    struct fil_map_shard *shard = FIL_CONTAINER_OF(store, struct fil_map_shard, store);
    // A lease that has run out still protects its key until it is removed; that is soon.
    return FIL_LIKELY(shard->lock_count == 0) ||
           fil_map__is_free(shard, fil_hash(key, map->seed), key, 0);
}

static void init_shard(struct fil_map *map, struct fil_map_shard *shard)
{
    shard->map = map;
    shard->is_counted = map->has_hard_limits && map->config.entry_count_max != 0;
    fil_store_init(&shard->store, map->budget, &map->store_options);
    fil_list_init(&shard->watches);
    fil_upkeep_init(&shard->upkeep, run_upkeep);
}

static void fini_shard(struct fil_map_shard *shard)
{
    fil_upkeep_forget(&shard->upkeep);
    fil_map__free_locks(shard->locks);
    fil_map__free_journal(shard->journal);
    fil_assert(shard->draft_old == NULL);
    fil_shelf_free(shard->shelf);
    fil_store_fini(&shard->store);
}

static void configure(struct fil_map *map, const struct fil_map_setup *setup)
{
    map->exec = setup->exec;
    map->events = setup->events;
    map->budget = setup->budget;
    map->seed = setup->seed;
    map->wall_offset_ns = setup->wall_offset_ns;
    // Keys of different maps wait under different numbers, most of the time.
    map->wait_salt = (setup->id + 1) * UINT64_C(0x9E3779B97F4A7C15);
    map->partition_count = setup->partition_count;
    map->config = setup->config;
    memcpy(map->name, setup->name.data == NULL ? (const uint8_t *)"" : setup->name.data,
           setup->name.size);
    map->name_size = setup->name.size;
    map->home_id = (fil_partition_id)fil_murmur3_partition(fil_murmur3_text(fil_map_name(map)),
                                                           setup->partition_count);
    map->store_options = fil_map_config_store(&setup->config, setup->partition_count);
    map->store_options.hash_seed = setup->seed;
    map->has_hard_limits =
        setup->config.eviction == FIL_EVICTION_NONE &&
        (setup->config.entry_count_max != 0 || map->store_options.entry_count_max != 0 ||
         map->store_options.byte_count_max != 0 || map->store_options.memory_percent_max != 0);
    map->store_options.gone = entry_gone;
    map->store_options.can_evict = can_evict;
    map->store_options.context = map;
    map->lock_options = (struct fil_store_options){
        .hash_seed = setup->seed, .gone = fil_map__lock_gone, .context = map};
    if (setup->exec != NULL) {
        uint64_t now_ns = fil_env_now_ns(fil_exec_options(setup->exec)->env);
        map->created_ms = fil_map_now_ms(map, now_ns);
    }
}

int fil_map_new(struct fil_map **out_map, const struct fil_map_setup *setup)
{
    fil_assert(setup->partition_count > 0);
    if (setup->name.size > FIL_MAP_NAME_MAX) {
        return FIL_E_LIMIT;
    }
    size_t bytes = sizeof(struct fil_map) + setup->partition_count * sizeof(struct fil_map_shard);
    if (!fil_budget_draw(setup->budget, bytes)) {
        return FIL_E_NOMEM;
    }
    struct fil_map *map = fil_alloc_aligned(FIL_CACHE_LINE, bytes);
    if (map == NULL) {
        fil_budget_return(setup->budget, bytes);
        return FIL_E_NOMEM;
    }
    map->drawn_bytes = bytes;
    configure(map, setup);
    for (uint32_t i = 0; i < map->partition_count; i++) {
        init_shard(map, &map->shards[i]);
    }
    int error = fil_map__new_hub(map);
    if (error == FIL_OK) {
        error = fil_map__new_indexes(map);
    }
    if (error == FIL_OK) {
        error = fil_map__open_journals(map);
    }
    if (error != FIL_OK) {
        fil_map_free(map);
        return error;
    }
    *out_map = map;
    return FIL_OK;
}

void fil_map_free(struct fil_map *map)
{
    if (map == NULL) {
        return;
    }
    fil_map__free_hub(map);
    for (uint32_t i = 0; i < map->partition_count; i++) {
        fini_shard(&map->shards[i]);
    }
    fil_map__free_indexes(map);
    fil_budget_return(map->budget, map->drawn_bytes);
    fil_free(map);
}

void fil_map_prefetch_record_here(struct fil_map *map, const struct fil_map_key *key)
{
    fil_store_prefetch_record(&map->shards[key->partition_id].store, key->hash);
}

bool fil_map_peek_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                       struct fil_bytes *out_value)
{
    const struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    return fil_store_peek(&shard->store, key->hash, key->bytes, now_ms, out_value);
}

bool fil_map_inspect_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                          struct fil_store_view *out_view)
{
    const struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    return fil_store_inspect(&shard->store, key->hash, key->bytes, now_ms, out_view);
}

/** After a write: the count, and when the upkeep has to look for what expires. */
static void after_write(struct fil_map_shard *shard)
{
    publish_count(shard);
    if (FIL_UNLIKELY(shard->store.expiry != NULL)) {
        fil_map__ask_upkeep(shard, fil_store_next_expiry_ms(&shard->store));
    }
}

/** Whether entries and collections together use what they may. */
static bool is_full_of_bytes(const struct fil_map_shard *shard)
{
    uint64_t limit = shard->map->store_options.byte_count_max;
    uint64_t shelved = shard->shelf == NULL ? 0 : fil_shelf_bytes(shard->shelf);
    return limit != 0 && fil_store_bytes(&shard->store) + shelved >= limit;
}

/** Whether the partition has as many entries and collections as it may. */
static bool is_full_of_keys(const struct fil_map_shard *shard)
{
    uint64_t limit = shard->map->store_options.entry_count_max;
    uint64_t shelved = shard->shelf == NULL ? 0 : fil_shelf_count(shard->shelf);
    return limit != 0 && fil_store_count(&shard->store) + shelved >= limit;
}

/** In a map that evicts: entries make room for collections, which stay. */
static int make_room(struct fil_map_shard *shard, uint64_t now_ms)
{
    if (!is_full_of_bytes(shard) && !fil_store_is_short(&shard->store)) {
        return FIL_OK;
    }
    (void)fil_store_evict(&shard->store, now_ms, VICTIMS); // as many as there are
    publish_count(shard);
    bool has_none = fil_store_count(&shard->store) == 0;
    return has_none && is_full_of_bytes(shard) ? FIL_E_BYTES_MAX : FIL_OK;
}

/** As put, for a shard whose changes somebody wants to know. */
static int put_and_tell(struct fil_map_shard *shard, const struct fil_map_key *key,
                        struct fil_bytes value, const struct fil_store_write *how,
                        struct fil_store_outcome *out_outcome)
{
    struct fil_store_write with_old = *how;
    struct fil_store_outcome outcome = {0};
    if (shard->interests & FIL_MAP__SHELVED &&
        shard->store.options->eviction != FIL_EVICTION_NONE) {
        int full = make_room(shard, how->now_ms);
        if (full != FIL_OK) {
            return full;
        }
    }
    with_old.wants_old = how->wants_old || shard->interests != FIL_MAP__SHELVED;
    int error = fil_store_put(&shard->store, key->hash, key->bytes, value, &with_old, &outcome);
    if (error == FIL_OK && outcome.is_written) {
        if (shard->interests & FIL_MAP__SHELVED && !outcome.was_there) {
            fil_map__unshelve(shard, key, how->now_ms);
        }
        fil_map__tell(shard, &(struct fil_map__change){
                                 .kind = outcome.was_there ? FIL_MAP_UPDATED : FIL_MAP_ADDED,
                                 .hash = key->hash,
                                 .key = key->bytes,
                                 .has_old = outcome.was_there,
                                 .old_value = outcome.old_value,
                                 .has_value = true,
                                 .value = value,
                             });
    }
    if (out_outcome != NULL) {
        *out_outcome = outcome;
    }
    return error;
}

/** Whether bytes may come to a shard of a map that evicts nothing. */
static int check_bytes(const struct fil_map_shard *shard)
{
    const struct fil_store_options *limits = &shard->map->store_options;
    struct fil_budget *budget = shard->map->budget;
    if (is_full_of_bytes(shard)) {
        return FIL_E_BYTES_MAX;
    }
    bool is_full =
        limits->memory_percent_max != 0 &&
        fil_budget_drawn(budget) >= budget->limit_bytes / 100 * limits->memory_percent_max;
    return is_full ? FIL_E_NOMEM : FIL_OK;
}

/** Counts an entry that is to come, so that no other partition takes its place. */
static bool reserve_entry(struct fil_map *map)
{
    // Relaxed: it only counts.
    uint64_t count = atomic_fetch_add_explicit(&map->entry_count, 1, memory_order_relaxed);
    if (count < map->config.entry_count_max) {
        return true;
    }
    (void)atomic_fetch_sub_explicit(&map->entry_count, 1, memory_order_relaxed);
    return false;
}

/** The shard is full: removes what has ended in it; whether there was anything. */
static bool expire_for_room(struct fil_map_shard *shard, uint64_t now_ms)
{
    bool has_room = fil_store_expire_now(&shard->store, now_ms, EXPIRE_BUDGET) > 0;
    publish_count(shard);
    return has_room;
}

static int try_entry(struct fil_map_shard *shard, bool *out_is_reserved)
{
    struct fil_map *map = shard->map;
    if (is_full_of_keys(shard)) {
        return FIL_E_ENTRIES_MAX;
    }
    int error = check_bytes(shard);
    if (error == FIL_OK && map->config.entry_count_max != 0) {
        *out_is_reserved = reserve_entry(map);
        error = *out_is_reserved ? FIL_OK : FIL_E_ENTRIES_MAX;
    }
    return error;
}

/** For a key that is not there. */
static int check_entry(struct fil_map_shard *shard, uint64_t now_ms, bool *out_is_reserved)
{
    int error = try_entry(shard, out_is_reserved);
    bool is_worth_it = FIL_UNLIKELY(error != FIL_OK) && expire_for_room(shard, now_ms);
    return is_worth_it ? try_entry(shard, out_is_reserved) : error;
}

/** Whether the map or the partition has as many keys as it may. */
static bool is_full_for_key(const struct fil_map_shard *shard)
{
    const struct fil_map *map = shard->map;
    uint64_t limit = map->config.entry_count_max;
    // Relaxed: it only counts.
    bool is_full =
        limit != 0 && atomic_load_explicit(&map->entry_count, memory_order_relaxed) >= limit;
    return is_full || is_full_of_keys(shard);
}

int fil_map_admit_here(struct fil_map *map, const struct fil_map_key *key, bool is_new,
                       uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    if (map->config.eviction != FIL_EVICTION_NONE) {
        return make_room(shard, now_ms);
    }
    if (FIL_LIKELY(!map->has_hard_limits)) {
        return FIL_OK;
    }
    if (is_new && is_full_for_key(shard) &&
        (!expire_for_room(shard, now_ms) || is_full_for_key(shard))) {
        return FIL_E_ENTRIES_MAX;
    }
    return check_bytes(shard);
}

/** Whether a write keeps within the limits of a map that evicts nothing. What is there may always
 * be written, but not grow. */
static int check_limits(struct fil_map_shard *shard, const struct fil_map_key *key, size_t size,
                        const struct fil_store_write *how, bool *out_is_reserved)
{
    struct fil_bytes old;
    bool is_there = fil_store_peek(&shard->store, key->hash, key->bytes, how->now_ms, &old);
    if (how->is_rename) {
        // The map will have as many entries as before, but not the partition.
        return !is_there && is_full_of_keys(shard) ? FIL_E_ENTRIES_MAX : FIL_OK;
    }
    if (is_there) {
        bool grows = how->condition != FIL_STORE_IF_ABSENT && size > old.size;
        return grows ? check_bytes(shard) : FIL_OK;
    }
    return how->condition == FIL_STORE_IF_PRESENT
               ? FIL_OK
               : check_entry(shard, how->now_ms, out_is_reserved);
}

static int put(struct fil_map_shard *shard, const struct fil_map_key *key, struct fil_bytes value,
               const struct fil_store_write *how, struct fil_store_outcome *out_outcome)
{
    return FIL_LIKELY(shard->interests == 0)
               ? fil_store_put(&shard->store, key->hash, key->bytes, value, how, out_outcome)
               : put_and_tell(shard, key, value, how, out_outcome);
}

/** As put, in a map that has limits and evicts nothing. */
static int put_limited(struct fil_map_shard *shard, const struct fil_map_key *key,
                       struct fil_bytes value, const struct fil_store_write *how,
                       struct fil_store_outcome *out_outcome)
{
    bool is_reserved = false;
    int error = check_limits(shard, key, value.size, how, &is_reserved);
    if (error == FIL_OK) {
        error = put(shard, key, value, how, out_outcome);
    }
    publish_count(shard);
    if (is_reserved) {
        // The entry itself is counted now, if it came.
        (void)atomic_fetch_sub_explicit(&shard->map->entry_count, 1, memory_order_relaxed);
    }
    return error;
}

int fil_map_put_here(struct fil_map *map, const struct fil_map_key *key, struct fil_bytes value,
                     const struct fil_store_write *how, struct fil_store_outcome *out_outcome)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    int error = FIL_LIKELY(!map->has_hard_limits)
                    ? put(shard, key, value, how, out_outcome)
                    : put_limited(shard, key, value, how, out_outcome);
    bool is_written = error == FIL_OK && (out_outcome == NULL || out_outcome->is_written);
    fil_counter_add(&shard->counters.puts, is_written);
    after_write(shard);
    return error;
}

/** As insert, when there is room for it. */
static int insert_and_tell(struct fil_map_shard *shard, const struct fil_map_key *key,
                           const struct fil_store_new_value *value, uint64_t now_ms)
{
    struct fil_store_write how = {.now_ms = now_ms};
    struct fil_bytes bytes = {0};
    int error = fil_store_insert(&shard->store, key->hash, key->bytes, value, &how);
    if (error == FIL_OK && FIL_UNLIKELY(shard->interests != 0) &&
        fil_store_peek(&shard->store, key->hash, key->bytes, now_ms, &bytes)) {
        if (shard->interests & FIL_MAP__SHELVED) {
            fil_map__unshelve(shard, key, now_ms);
        }
        fil_map__tell(shard, &(struct fil_map__change){.kind = FIL_MAP_ADDED,
                                                       .hash = key->hash,
                                                       .key = key->bytes,
                                                       .has_value = true,
                                                       .value = bytes});
    }
    return error;
}

int fil_map_insert_here(struct fil_map *map, const struct fil_map_key *key,
                        const struct fil_store_new_value *value, uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    int error = FIL_OK;
    bool is_reserved = false;
    if (map->config.eviction != FIL_EVICTION_NONE && shard->interests & FIL_MAP__SHELVED) {
        error = make_room(shard, now_ms);
    } else if (map->has_hard_limits) {
        error = check_entry(shard, now_ms, &is_reserved);
    }
    if (error == FIL_OK) {
        error = insert_and_tell(shard, key, value, now_ms);
    }
    fil_counter_add(&shard->counters.puts, error == FIL_OK);
    after_write(shard);
    if (is_reserved) {
        // The entry itself is counted now, if it came.
        (void)atomic_fetch_sub_explicit(&map->entry_count, 1, memory_order_relaxed);
    }
    return error;
}

/** After removals: lets the memory that they left be tidied when things are calm. */
static void after_removal(struct fil_map_shard *shard, uint64_t now_ms)
{
    publish_count(shard);
    fil_map__ask_upkeep(shard, now_ms + TIDY_DELAY_MS); // unless it comes sooner anyway
}

bool fil_map_remove_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                         struct fil_bytes *out_old)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    struct fil_bytes old = {0};
    bool wants_old = out_old != NULL || shard->interests != 0;
    bool is_found =
        fil_store_remove(&shard->store, key->hash, key->bytes, now_ms, wants_old ? &old : NULL);
    fil_counter_add(&shard->counters.removes, is_found);
    if (!is_found) {
        return false;
    }
    if (FIL_UNLIKELY(shard->interests != 0)) {
        fil_map__tell(shard, &(struct fil_map__change){.kind = FIL_MAP_REMOVED,
                                                       .hash = key->hash,
                                                       .key = key->bytes,
                                                       .has_old = true,
                                                       .old_value = old});
    }
    if (out_old != NULL) {
        *out_old = old;
    }
    after_removal(shard, now_ms);
    return true;
}

bool fil_map__take_out(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key,
                       uint64_t now_ms)
{
    bool was_there = fil_store_remove(&shard->store, hash, key, now_ms, NULL);
    after_removal(shard, now_ms);
    return was_there;
}

/** Keeps the value as it is before an edit. Without memory listeners get none. */
static void keep_old(struct fil_map_shard *shard, struct fil_bytes old)
{
    fil_assert(shard->draft_old == NULL);
    shard->draft_old = fil_budget_alloc(shard->map->budget, old.size + 1);
    if (shard->draft_old != NULL && old.size > 0) {
        memcpy(shard->draft_old, old.data, old.size);
    }
    shard->draft_old_size = old.size;
}

static void drop_old(struct fil_map_shard *shard)
{
    if (FIL_UNLIKELY(shard->draft_old != NULL)) {
        fil_budget_free(shard->map->budget, shard->draft_old, shard->draft_old_size + 1);
        shard->draft_old = NULL;
    }
}

/** Whether somebody wants the value that an edit of the key replaces. */
static bool is_old_wanted(const struct fil_map_shard *shard, struct fil_bytes key)
{
    return shard->interests & FIL_MAP__JOURNALED ||
           (shard->interests & FIL_MAP__LISTENED && fil_map__is_old_wanted(shard, key));
}

bool fil_map_rewrite_here(struct fil_map *map, const struct fil_map_key *key,
                          const struct fil_store_spot *spot, struct fil_bytes value)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    fil_assert(spot->hash == key->hash);
    // A collection of the key there is none, for the entry is there.
    bool is_wanted = (shard->interests & ~(uint32_t)FIL_MAP__SHELVED) != 0;
    if (FIL_UNLIKELY(is_wanted) || !fil_store_rewrite(&shard->store, spot, value)) {
        return false;
    }
    fil_counter_add(&shard->counters.puts, 1);
    return true;
}

int fil_map_edit_found_here(struct fil_map *map, const struct fil_map_key *key,
                            const struct fil_store_spot *spot, size_t size,
                            struct fil_store_edit *out_edit)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    fil_assert(spot->hash == key->hash);
    if (FIL_UNLIKELY(map->has_hard_limits) && size > spot->value.size) {
        int refusal = check_bytes(shard);
        if (refusal != FIL_OK) {
            return refusal;
        }
    }
    if (FIL_UNLIKELY(shard->interests != 0) && is_old_wanted(shard, key->bytes)) {
        keep_old(shard, spot->value);
    }
    int error = fil_store_edit_found(&shard->store, spot, size, out_edit);
    if (error != FIL_OK) {
        drop_old(shard);
    }
    return error;
}

int fil_map_edit_here(struct fil_map *map, const struct fil_map_key *key, size_t size,
                      uint64_t now_ms, struct fil_store_edit *out_edit)
{
    struct fil_store_spot spot;
    if (!fil_map_find_here(map, key, now_ms, &spot)) {
        return FIL_E_NOT_FOUND;
    }
    return fil_map_edit_found_here(map, key, &spot, size, out_edit);
}

int fil_map_commit_here(struct fil_map *map, const struct fil_map_key *key,
                        const struct fil_store_edit *edit)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    struct fil_bytes value = {0};
    int error = fil_store_commit(&shard->store, edit);
    fil_counter_add(&shard->counters.puts, error == FIL_OK);
    if (error == FIL_OK && FIL_UNLIKELY(shard->interests != 0) &&
        fil_store_peek(&shard->store, key->hash, key->bytes, edit->now_ms, &value)) {
        fil_map__tell(shard,
                      &(struct fil_map__change){
                          .kind = FIL_MAP_UPDATED,
                          .hash = key->hash,
                          .key = key->bytes,
                          .has_old = shard->draft_old != NULL,
                          .old_value = fil_bytes_make(shard->draft_old, shard->draft_old_size),
                          .has_value = true,
                          .value = value,
                      });
    }
    drop_old(shard);
    after_write(shard);
    return error;
}

int fil_map_set_expiry_here(struct fil_map *map, const struct fil_map_key *key,
                            const struct fil_store_write *how)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    int error = fil_store_set_expiry(&shard->store, key->hash, key->bytes, how);
    if (error == FIL_OK && FIL_UNLIKELY(shard->interests & FIL_MAP__WATCHED)) {
        fil_map__touch(shard, key->hash, key->bytes);
    }
    after_write(shard);
    return error;
}

uint64_t fil_map_scan_here(struct fil_map *map, fil_partition_id partition_id,
                           struct fil_map_slice slice, fil_store_visit_fn visit, void *context)
{
    const struct fil_map_shard *shard = fil_map__shard(map, partition_id);
    return fil_store_scan(&shard->store, slice.cursor, slice.now_ms, slice.budget, visit, context);
}

bool fil_map_pick_here(struct fil_map *map, fil_partition_id partition_id, uint64_t now_ms,
                       struct fil_store_view *out_view)
{
    return fil_store_pick(&fil_map__shard(map, partition_id)->store, now_ms, out_view);
}

void fil_map_tell_cleared_here(struct fil_map *map, fil_partition_id partition_id, uint64_t count)
{
    struct fil_map_shard *shard = fil_map__shard(map, partition_id);
    if (count > 0 && shard->interests & FIL_MAP__LISTENED) {
        fil_map__publish(shard, &(struct fil_map__change){.kind = FIL_MAP_CLEARED, .count = count});
    }
}

uint64_t fil_map_clear_here(struct fil_map *map, fil_partition_id partition_id, uint64_t cursor,
                            uint32_t budget, uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, partition_id);
    bool has_entries = fil_store_count(&shard->store) > 0;
    if (!has_entries && fil_store_bytes(&shard->store) == 0) {
        return FIL_STORE_SCAN_END;
    }
    if (shard->interests & FIL_MAP__WATCHED) {
        fil_map__touch_present(shard, now_ms);
    }
    if (shard->interests & FIL_MAP__JOURNALED && cursor == 0 && has_entries) {
        fil_map__record(shard, &(struct fil_map__change){.kind = FIL_MAP_CLEARED});
    }
    uint64_t next = fil_store_clear(&shard->store, cursor, budget);
    after_removal(shard, now_ms);
    return next;
}

uint64_t fil_map_size(const struct fil_map *map)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        size += fil_counter_read(&map->shards[i].counters.entries);
    }
    return size;
}

uint64_t fil_map_bytes(const struct fil_map *map)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        bytes += fil_store_bytes(&map->shards[i].store);
        bytes += fil_counter_read(&map->shards[i].counters.value_bytes);
        bytes += fil_counter_read(&map->shards[i].counters.lock_bytes);
        bytes += fil_map__journal_bytes(map->shards[i].journal);
    }
    return bytes;
}

void fil_map_read_stats(const struct fil_map *map, struct fil_map_stats *out_stats)
{
    struct fil_map_stats sum = {.bytes = fil_map_bytes(map), .created_ms = map->created_ms};
    for (uint32_t i = 0; i < map->partition_count; i++) {
        const struct fil_map_counters *counters = &map->shards[i].counters;
        sum.entries += fil_counter_read(&counters->entries);
        sum.gets += fil_counter_read(&counters->gets);
        sum.hits += fil_counter_read(&counters->hits);
        sum.puts += fil_counter_read(&counters->puts);
        sum.removes += fil_counter_read(&counters->removes);
        sum.expired += fil_counter_read(&counters->expired);
        sum.evicted += fil_counter_read(&counters->evicted);
        sum.locks += fil_counter_read(&counters->locks);
        sum.events += fil_counter_read(&counters->events);
        sum.events_lost += fil_counter_read(&counters->events_lost);
        sum.journal_lost += fil_counter_read(&counters->journal_lost);
    }
    *out_stats = sum;
}
