// SPDX-License-Identifier: Apache-2.0
#include "grid/map/multi.h"

#include "filbert/error.h"
#include "grid/map/keys_internal.h"
#include "grid/map/map_internal.h"
#include "grid/map/shelf.h"
#include "lib/base/assert.h"

#define CLEAR_BUDGET 64U // keys of a slice; each may have many values
#define SCAN_BUDGET  256U

/** Single writer: whoever is inside. */
static void set(struct fil_counter *counter, uint64_t value)
{
    // Relaxed: a count publishes nothing but itself.
    atomic_store_explicit(&counter->value, value, memory_order_relaxed);
}

/** After a change: how many values there are, and what they use. */
static void publish(struct fil_map_shard *shard, int64_t change)
{
    uint64_t before = fil_counter_read(&shard->counters.values);
    bool has_any = shard->shelf != NULL && fil_shelf_count(shard->shelf) > 0;
    fil_assert(change >= 0 || before >= (uint64_t)-change);
    set(&shard->counters.values, has_any ? before + (uint64_t)change : 0);
    set(&shard->counters.value_bytes, shard->shelf == NULL ? 0 : fil_shelf_bytes(shard->shelf));
}

uint64_t fil_multimap_size(const struct fil_map *map)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        size += fil_counter_read(&map->shards[i].counters.values);
    }
    return size;
}

static void tell(struct fil_map_shard *shard, const struct fil_map_key *key,
                 enum fil_map_event_kind kind, struct fil_bytes value)
{
    if (FIL_LIKELY(!(shard->interests & FIL_MAP__LISTENED))) {
        return;
    }
    bool is_added = kind == FIL_MAP_ADDED;
    fil_map__publish(shard, &(struct fil_map__change){.kind = kind,
                                                      .hash = key->hash,
                                                      .key = key->bytes,
                                                      .has_value = is_added,
                                                      .has_old = !is_added,
                                                      .value = value,
                                                      .old_value = value});
}

/** Whether the key has it already, of which a set takes note. */
static bool is_there(const struct fil_map *map, const struct fil_collection *collection,
                     struct fil_bytes value)
{
    return map->config.values == FIL_MAP_VALUES_SET &&
           fil_items_find(&collection->items, value).block != NULL;
}

static int add_first(struct fil_map *map, const struct fil_map_key *key, struct fil_bytes value,
                     uint64_t now_ms)
{
    struct fil_collection *collection = NULL;
    int error = fil_map_add_list_here(map, key, now_ms, &collection);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_items_push_back(&collection->items, value);
    if (error != FIL_OK) {
        (void)fil_map_remove_collection_here(map, key, now_ms); // it was added just now
    }
    return error;
}

static int add_next(const struct fil_map *map, struct fil_collection *collection,
                    struct fil_bytes value)
{
    uint64_t count_max = map->config.value_count_max;
    fil_assert(collection->items.count > 0);
    return count_max != 0 && collection->items.count >= count_max
               ? FIL_E_FULL
               : fil_items_push_back(&collection->items, value);
}

int fil_multimap_put_here(struct fil_map *map, const struct fil_map_key *key,
                          struct fil_bytes value, uint64_t now_ms, bool *out_is_new)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    struct fil_collection *collection = fil_map_find_list_here(map, key, now_ms);
    *out_is_new = false;
    if (collection != NULL && is_there(map, collection, value)) {
        return FIL_OK;
    }
    int error =
        collection == NULL ? add_first(map, key, value, now_ms) : add_next(map, collection, value);
    if (error == FIL_OK) {
        *out_is_new = true;
        fil_counter_add(&shard->counters.puts, 1);
        publish(shard, 1);
        tell(shard, key, FIL_MAP_ADDED, value);
    }
    return error;
}

bool fil_multimap_remove_value_here(struct fil_map *map, const struct fil_map_key *key,
                                    struct fil_bytes value, uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    struct fil_collection *collection = fil_map_find_list_here(map, key, now_ms);
    if (collection == NULL) {
        return false;
    }
    struct fil_item_cursor cursor = fil_items_find(&collection->items, value);
    if (cursor.block == NULL) {
        return false;
    }
    fil_items_remove(&collection->items, &cursor);
    fil_map_touch_collection_here(map, key, collection->items.count == 0, now_ms);
    fil_counter_add(&shard->counters.removes, 1);
    publish(shard, -1);
    tell(shard, key, FIL_MAP_REMOVED, value);
    return true;
}

/** Tells that a value goes with all others of its key. */
struct farewell {
    struct fil_map_shard *shard;
    const struct fil_map_key *key;
};

static bool tell_removed(void *context, struct fil_bytes value)
{
    const struct farewell *farewell = context;
    tell(farewell->shard, farewell->key, FIL_MAP_REMOVED, value);
    return true;
}

static void visit(const struct fil_collection *collection, fil_multimap_visit_fn visit_value,
                  void *context)
{
    struct fil_item_cursor cursor = fil_items_first(&collection->items);
    struct fil_bytes value;
    while (fil_items_read(&cursor, &value) && visit_value(context, value)) {
        fil_items_next(&collection->items, &cursor);
    }
}

uint64_t fil_multimap_remove_here(struct fil_map *map, const struct fil_map_key *key,
                                  uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, key->partition_id);
    const struct fil_collection *collection = fil_map_find_list_here(map, key, now_ms);
    if (collection == NULL) {
        return 0;
    }
    uint64_t count = fil_collection_count(collection);
    fil_assert(count > 0);
    if (shard->interests & FIL_MAP__LISTENED) {
        visit(collection, tell_removed, &(struct farewell){.shard = shard, .key = key});
    }
    (void)fil_map_remove_collection_here(map, key, now_ms); // it is there
    fil_counter_add(&shard->counters.removes, count);
    publish(shard, -(int64_t)count);
    return count;
}

/** Found by a reader. */
static const struct fil_collection *find(struct fil_map *map, const struct fil_map_key *key,
                                         uint64_t now_ms)
{
    struct fil_map_counters *counters = &fil_map__shard(map, key->partition_id)->counters;
    const struct fil_collection *collection = fil_map_find_list_here(map, key, now_ms);
    fil_counter_add(&counters->gets, 1);
    fil_counter_add(&counters->hits, collection != NULL);
    return collection;
}

uint64_t fil_multimap_count_here(struct fil_map *map, const struct fil_map_key *key,
                                 uint64_t now_ms)
{
    const struct fil_collection *collection = find(map, key, now_ms);
    return collection == NULL ? 0 : fil_collection_count(collection);
}

bool fil_multimap_contains_here(struct fil_map *map, const struct fil_map_key *key,
                                struct fil_bytes value, uint64_t now_ms)
{
    const struct fil_collection *collection = find(map, key, now_ms);
    return collection != NULL && fil_items_find(&collection->items, value).block != NULL;
}

void fil_multimap_visit_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                             fil_multimap_visit_fn visit_value, void *context)
{
    const struct fil_collection *collection = find(map, key, now_ms);
    if (collection != NULL) {
        visit(collection, visit_value, context);
    }
}

void fil_multimap_visit_view_here(const struct fil_store_view *view,
                                  fil_multimap_visit_fn visit_value, void *context)
{
    visit(fil_value_large(view->value), visit_value, context);
}

// Walks.

static void collect(void *context, const struct fil_store_view *view)
{
    fil_map__keys_add(context, view->key);
}

/** Without telling listeners, who get one event for all. */
static void drop(struct fil_map_shard *shard, const struct fil_map_key *key, uint64_t now_ms)
{
    const struct fil_collection *collection = fil_map_find_list_here(shard->map, key, now_ms);
    uint64_t count = collection == NULL ? 0 : fil_collection_count(collection);
    if (fil_map_remove_collection_here(shard->map, key, now_ms)) {
        fil_counter_add(&shard->counters.removes, count);
        publish(shard, -(int64_t)count);
    }
}

/** When the last partition is done: one event for all listeners. */
static void tell_cleared(struct fil_map_walk *walk, struct fil_map_shard *shard, uint64_t next)
{
    bool is_last =
        next == FIL_STORE_SCAN_END && walk->op.partition_id + 1 == walk->map->partition_count;
    if (is_last && walk->count > 0 && shard->interests & FIL_MAP__LISTENED) {
        fil_map__publish(shard,
                         &(struct fil_map__change){.kind = FIL_MAP_CLEARED, .count = walk->count});
    }
}

static uint64_t drop_slice(struct fil_map_walk *walk, struct fil_partition *partition,
                           bool keeps_locked)
{
    struct fil_map_shard *shard = fil_map__shard(walk->map, partition->id);
    struct fil_map__keys keys;
    fil_map__keys_init(&keys, shard);
    uint64_t next = fil_map_scan_collections_here(
        walk->map, partition->id, fil_map_walk_slice(walk, CLEAR_BUDGET), collect, &keys);
    for (uint32_t i = 0; i < keys.count; i++) {
        struct fil_map_key key = fil_map__keys_place(&keys, i);
        if (!keeps_locked || fil_map__is_free(shard, key.hash, key.bytes, walk->now_ms)) {
            drop(shard, &key, walk->now_ms);
            walk->count++;
        }
    }
    if (keys.is_out_of_memory) {
        walk->error = FIL_E_NOMEM;
        walk->is_over = true;
    }
    fil_map__keys_fini(&keys);
    tell_cleared(walk, shard, next);
    return next;
}

static uint64_t clear_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return drop_slice(walk, partition, true);
}

static uint64_t empty_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return fil_map__walk_breaks_locks(walk, partition->id) ? walk->cursor
                                                           : drop_slice(walk, partition, false);
}

void fil_multimap_walk_empty(struct fil_map_walk *walk, struct fil_map *map)
{
    fil_map_walk_init(walk, map, "multimap-empty", empty_slice);
}

void fil_multimap_walk_clear(struct fil_map_walk *walk, struct fil_map *map)
{
    fil_map_walk_init(walk, map, "multimap-clear", clear_slice);
}

static bool is_other(void *context, struct fil_bytes value)
{
    struct fil_map_walk *walk = context;
    if (fil_bytes_equal(value, walk->value)) {
        walk->count = 1;
        walk->is_over = true;
    }
    return !walk->is_over;
}

static void look_into(void *context, const struct fil_store_view *view)
{
    const struct fil_map_walk *walk = context;
    if (!walk->is_over) {
        fil_multimap_visit_view_here(view, is_other, context);
    }
}

static uint64_t contains_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return fil_map_scan_collections_here(walk->map, partition->id,
                                         fil_map_walk_slice(walk, SCAN_BUDGET), look_into, walk);
}

void fil_multimap_walk_contains_value(struct fil_map_walk *walk, struct fil_map *map,
                                      struct fil_bytes value)
{
    fil_map_walk_init(walk, map, "multimap-contains-value", contains_slice);
    walk->value = value;
}
