// SPDX-License-Identifier: Apache-2.0
#include "grid/map/watch.h"

#include "grid/map/map_internal.h"
#include "grid/map/shelf.h"
#include "lib/base/assert.h"

static bool is_there(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms)
{
    struct fil_bytes value;
    struct fil_store_view view;
    return fil_map_peek_here(map, key, now_ms, &value) ||
           fil_map_inspect_collection_here(map, key, now_ms, &view);
}

void fil_map_watch_here(struct fil_map *map, struct fil_map_watch *watch, uint64_t now_ms)
{
    struct fil_map_shard *shard = fil_map__shard(map, watch->key.partition_id);
    fil_list_init(&watch->link);
    watch->was_there = is_there(map, &watch->key, now_ms);
    // Relaxed: whoever reads it has come through the partition since, or only wants a hint.
    atomic_store_explicit(&watch->is_touched, false, memory_order_relaxed);
    fil_list_push_back(&shard->watches, &watch->link);
    shard->interests |= FIL_MAP__WATCHED;
}

void fil_map_unwatch_here(struct fil_map *map, struct fil_map_watch *watch)
{
    struct fil_map_shard *shard = fil_map__shard(map, watch->key.partition_id);
    if (watch->link.next == NULL) {
        return; // was never linked
    }
    fil_list_remove(&watch->link);
    if (fil_list_is_empty(&shard->watches)) {
        shard->interests &= ~(uint32_t)FIL_MAP__WATCHED;
    }
}

bool fil_map_is_touched_here(struct fil_map *map, const struct fil_map_watch *watch,
                             uint64_t now_ms)
{
    // Relaxed: whoever is inside the partition sees what was done there.
    return atomic_load_explicit(&watch->is_touched, memory_order_relaxed) ||
           (watch->was_there && !is_there(map, &watch->key, now_ms));
}

static void touch(struct fil_map_watch *watch)
{
    // Relaxed, as above.
    atomic_store_explicit(&watch->is_touched, true, memory_order_relaxed);
}

static bool is_of(const struct fil_map_watch *watch, uint64_t hash, struct fil_bytes key)
{
    return watch->key.hash == hash && fil_bytes_equal(watch->key.bytes, key);
}

void fil_map__touch(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key)
{
    fil_list_foreach(link, &shard->watches) {
        struct fil_map_watch *watch = FIL_CONTAINER_OF(link, struct fil_map_watch, link);
        if (is_of(watch, hash, key)) {
            touch(watch);
        }
    }
}

void fil_map__touch_expired(struct fil_map_shard *shard, uint64_t hash, struct fil_bytes key)
{
    fil_list_foreach(link, &shard->watches) {
        struct fil_map_watch *watch = FIL_CONTAINER_OF(link, struct fil_map_watch, link);
        if (watch->was_there && is_of(watch, hash, key)) {
            touch(watch);
        }
    }
}

void fil_map__touch_present(struct fil_map_shard *shard, uint64_t now_ms)
{
    fil_list_foreach(link, &shard->watches) {
        struct fil_map_watch *watch = FIL_CONTAINER_OF(link, struct fil_map_watch, link);
        struct fil_bytes value;
        if (fil_store_peek(&shard->store, watch->key.hash, watch->key.bytes, now_ms, &value)) {
            touch(watch);
        }
    }
}
