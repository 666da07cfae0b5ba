// SPDX-License-Identifier: Apache-2.0
#include "grid/map/shelf.h"

#include "filbert/error.h"
#include "grid/map/map_internal.h"
#include "grid/map/watch.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

/** After the number of collections, or what they use, may have changed. */
static void publish_count(struct fil_map_shard *shard)
{
    uint32_t count = fil_shelf_count(shard->shelf);
    if (FIL_UNLIKELY(shard->is_counted)) {
        uint64_t before = fil_counter_read(&shard->counters.collections);
        // Relaxed: it only counts. What is less wraps round, and back again in the sum.
        (void)atomic_fetch_add_explicit(&shard->map->entry_count, count - before,
                                        memory_order_relaxed);
    }
    // Relaxed: figures publish nothing but themselves.
    atomic_store_explicit(&shard->counters.collections.value, count, memory_order_relaxed);
    atomic_store_explicit(&shard->counters.value_bytes.value, fil_shelf_bytes(shard->shelf),
                          memory_order_relaxed);
    if (count > 0) {
        shard->interests |= FIL_MAP__SHELVED;
    } else {
        shard->interests &= ~(uint32_t)FIL_MAP__SHELVED;
    }
}

static void touch(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key)
{
    if (FIL_UNLIKELY(shard->interests & FIL_MAP__WATCHED)) {
        fil_map__touch(shard, hash, key);
    }
}

/** The shelf's callback: a key has expired. */
static void collection_gone(void *context, struct fil_bytes key)
{
    struct fil_map_shard *shard = context;
    fil_counter_add(&shard->counters.expired, 1);
    fil_map__tell_gone(shard->map, key, true);
    if (shard->interests & FIL_MAP__WATCHED) {
        fil_map__touch_expired(shard, fil_hash(key, shard->map->seed), key);
    }
}

/** The partition's shelf; NULL when there is nothing on it. */
static struct fil_shelf *shelf_of(const struct fil_map_shard *shard)
{
    return shard->interests & FIL_MAP__SHELVED ? shard->shelf : NULL;
}

static int open_shelf(struct fil_map_shard *shard)
{
    if (shard->shelf != NULL) {
        return FIL_OK;
    }
    int error = fil_shelf_new(&shard->shelf, shard->map->budget, shard->map->seed);
    if (error == FIL_OK) {
        fil_shelf_tell(shard->shelf, collection_gone, shard);
    }
    return error;
}

bool fil_map_has_collections_here(const struct fil_map *map, fil_partition_id partition_id)
{
    return (map->shards[partition_id].interests & FIL_MAP__SHELVED) != 0;
}

void fil_map_open_bundle_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                              struct fil_bundle *out_bundle)
{
    struct fil_shelf *shelf = shelf_of(fil_map__shard(map, key->partition_id));
    fil_bundle_open(out_bundle, shelf, key->hash, key->bytes, now_ms);
}

int fil_map_need_bundle_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                             struct fil_bundle *out_bundle)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    int error = open_shelf(shard);
    if (error != FIL_OK) {
        return error;
    }
    fil_bundle_open(out_bundle, shard->shelf, key->hash, key->bytes, now_ms);
    return fil_map_admit_here(map, key, !out_bundle->is_there, now_ms);
}

struct fil_collection *fil_map_find_list_here(struct fil_map *map, const struct fil_map_key *key,
                                              uint64_t now_ms)
{
    struct fil_bundle bundle;
    fil_map_open_bundle_here(map, key, now_ms, &bundle);
    return bundle.is_there && bundle.kind == FIL_COLLECTION_LIST ? bundle.large : NULL;
}

static int add_collection(struct fil_map *map, const struct fil_map_key *key,
                          enum fil_collection_kind kind, uint64_t now_ms,
                          struct fil_collection **out_new)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    int error = fil_map_admit_here(map, key, true, now_ms);
    if (error == FIL_OK) {
        error = open_shelf(shard);
    }
    if (error == FIL_OK) {
        error = fil_shelf_add(shard->shelf, key->hash, key->bytes, kind, now_ms, out_new);
        publish_count(shard);
    }
    return error;
}

int fil_map_add_list_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                          struct fil_collection **out_new)
{
    return add_collection(map, key, FIL_COLLECTION_LIST, now_ms, out_new);
}

int fil_map_add_stream_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                            struct fil_collection **out_new)
{
    return add_collection(map, key, FIL_COLLECTION_STREAM, now_ms, out_new);
}

#define AWAIT_MIX UINT64_C(0x9E3779B97F4A7C15)

uint64_t fil_map_await_key(const struct fil_map *map, const struct fil_map_key *key)
{
    // Those of one hash share a line, which is rare; who is woken in vain parks again.
    return (key->hash ^ (uint64_t)(uintptr_t)map) * AWAIT_MIX;
}

void fil_map_await_here(struct fil_map *map, const struct fil_map_key *key, bool is_waiting)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    fil_assert(is_waiting || shard->awaited > 0);
    shard->awaited = is_waiting ? shard->awaited + 1 : shard->awaited - 1;
}

bool fil_map_is_awaited_here(const struct fil_map *map, const struct fil_map_key *key)
{
    return map->shards[key->partition_id].awaited > 0;
}

void fil_map_serve_here(struct fil_map *map, const struct fil_map_key *key, uint64_t count)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    struct fil_partition *partition = fil_map__partition(shard);
    uint32_t limit = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    if (FIL_UNLIKELY(shard->awaited > 0) && partition != NULL && limit > 0) {
        (void)fil_partition_notify(partition, fil_map_await_key(map, key), limit);
    }
}

int fil_map_receive_collection_here(struct fil_map *map, const struct fil_map_key *key,
                                    const struct fil_store_write *how, struct fil_bytes value,
                                    bool is_move)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    uint64_t count = fil_value_count(value); // a move leaves nothing behind
    int error = is_move ? FIL_OK : fil_map_admit_here(map, key, true, how->now_ms);
    if (error == FIL_OK) {
        error = open_shelf(shard);
    }
    if (error == FIL_OK) {
        error = fil_shelf_receive(shard->shelf, key->hash, key->bytes, how, value, is_move);
        publish_count(shard);
    }
    if (error == FIL_OK) {
        (void)fil_map_remove_here(map, key, how->now_ms, NULL);
        touch(shard, key->hash, key->bytes);
        fil_map__ask_upkeep(shard, fil_store_next_expiry_ms(&shard->shelf->store));
        fil_map_serve_here(map, key, count);
    }
    return error;
}

void fil_map_touch_collection_here(struct fil_map *map, const struct fil_map_key *key,
                                   bool is_empty, uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    fil_assert(shard->shelf != NULL);
    if (is_empty) {
        (void)fil_shelf_remove(shard->shelf, key->hash, key->bytes, now_ms);
    }
    publish_count(shard);
    touch(shard, key->hash, key->bytes);
}

bool fil_map_remove_collection_here(struct fil_map *map, const struct fil_map_key *key,
                                    uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    struct fil_shelf *shelf = shelf_of(shard);
    if (shelf == NULL || !fil_shelf_remove(shelf, key->hash, key->bytes, now_ms)) {
        return false;
    }
    publish_count(shard);
    touch(shard, key->hash, key->bytes);
    return true;
}

void fil_map__unshelve(struct fil_map_shard *shard, const struct fil_map_key *key, uint64_t now_ms)
{
    fil_assert(shard->shelf != NULL);
    (void)fil_shelf_remove(shard->shelf, key->hash, key->bytes, now_ms);
    publish_count(shard);
}

bool fil_map_inspect_collection_here(struct fil_map *map, const struct fil_map_key *key,
                                     uint64_t now_ms, struct fil_store_view *out_view)
{
    struct fil_shelf *shelf = shelf_of(fil_map__shard(map, key->partition_id));
    return shelf != NULL && fil_shelf_inspect(shelf, key->hash, key->bytes, now_ms, out_view);
}

int fil_map_expire_collection_here(struct fil_map *map, const struct fil_map_key *key,
                                   const struct fil_store_write *how)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    struct fil_shelf *shelf = shelf_of(shard);
    if (shelf == NULL) {
        return FIL_E_NOT_FOUND;
    }
    int error = fil_shelf_set_expiry(shelf, key->hash, key->bytes, how);
    if (error == FIL_OK) {
        touch(shard, key->hash, key->bytes);
        fil_map__ask_upkeep(shard, fil_store_next_expiry_ms(&shelf->store));
    }
    return error;
}

uint64_t fil_map__upkeep_shelf(struct fil_map_shard *shard, uint64_t now_ms, uint32_t budget)
{
    if (shard->shelf == NULL) {
        return FIL_STORE_NEVER;
    }
    struct fil_store *store = &shard->shelf->store;
    (void)fil_store_expire(store, now_ms, budget);
    bool has_more = fil_store_maintain(store, now_ms, budget);
    publish_count(shard);
    return has_more ? now_ms : fil_store_next_expiry_ms(store);
}

uint64_t fil_map_scan_collections_here(struct fil_map *map, fil_partition_id partition_id,
                                       struct fil_map_slice slice, fil_store_visit_fn visit,
                                       void *context)
{
    struct fil_shelf *shelf = shelf_of(fil_map__shard(map, partition_id));
    if (shelf == NULL) {
        return FIL_STORE_SCAN_END;
    }
    return fil_store_scan(&shelf->store, slice.cursor, slice.now_ms, slice.budget, visit, context);
}

bool fil_map_pick_collection_here(struct fil_map *map, fil_partition_id partition_id,
                                  uint64_t now_ms, struct fil_store_view *out_view)
{
    struct fil_shelf *shelf = shelf_of(fil_map__shard(map, partition_id));
    return shelf != NULL && fil_store_pick(&shelf->store, now_ms, out_view);
}

/** Watched keys with collections will be gone. */
static void touch_all(struct fil_map_shard *shard, uint64_t now_ms)
{
    fil_list_foreach(link, &shard->watches) {
        struct fil_map_watch *watch = FIL_CONTAINER_OF(link, struct fil_map_watch, link);
        struct fil_store_view view;
        if (fil_shelf_inspect(shard->shelf, watch->key.hash, watch->key.bytes, now_ms, &view)) {
            fil_map__touch(shard, watch->key.hash, watch->key.bytes);
        }
    }
}

bool fil_map_clear_collections_here(struct fil_map *map, fil_partition_id partition_id,
                                    uint32_t budget, uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, partition_id);
    struct fil_shelf *shelf = shelf_of(shard);
    if (shelf == NULL) {
        return false;
    }
    touch_all(shard, now_ms);
    bool has_more = fil_shelf_clear(shelf, budget);
    publish_count(shard);
    return has_more;
}

uint64_t fil_map_collection_count(const struct fil_map *map)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        count += fil_counter_read(&map->shards[i].counters.collections);
    }
    return count;
}
