// SPDX-License-Identifier: Apache-2.0
/**
 * Collections beside the entries of a map: a key has an entry or a collection, never both.
 *
 * Whoever adds a collection sees to it that the key has no entry; an entry that comes to a key
 * takes the place of its collection. Watches, locks and expiry are the same for both. Entries of
 * maps without collections cost nothing for it.
 */
#pragma once

#include "core/shelf/bundle.h"
#include "core/shelf/shelf.h"
#include "core/store/record.h"
#include "grid/map/map.h"

/** Whether the partition has any: a cheap first look. */
FIL_INSIDE_PARTITION bool fil_map_has_collections_here(const struct fil_map *map,
                                                       fil_partition_id partition_id);

/**
 * Whether the key may get a collection, or one that it has may grow, within the map's limits. Where
 * entries are evicted they make room; collections never go by themselves. FIL_E_ENTRIES_MAX,
 * FIL_E_BYTES_MAX, FIL_E_NOMEM for a share of memory. The functions below that make a collection
 * ask by themselves; who adds to one that is there asks here.
 */
FIL_INSIDE_PARTITION int fil_map_admit_here(struct fil_map *map, const struct fil_map_key *key,
                                            bool is_new, uint64_t now_ms) FIL_NODISCARD;

/** Hints for a group of keys, as fil_map_prefetch_shard and those behind it: for the shelves. */
FIL_ANY_THREAD FIL_PREFETCHES_INLINE void fil_map_prefetch_shelf(const struct fil_map *map,
                                                                 fil_partition_id partition_id)
{
    FIL_PREFETCH(&map->shards[partition_id].shelf);
}

/** Asks for the shelf's bucket. */
FIL_INSIDE_PARTITION FIL_PREFETCHES_INLINE void
fil_map_prefetch_collection_here(const struct fil_map *map, const struct fil_map_key *key)
{
    const struct fil_shelf *shelf = map->shards[key->partition_id].shelf;
    if (shelf != NULL) {
        fil_store_prefetch(&shelf->store, key->hash);
    }
}

/** A number for the next two passes. */
FIL_INSIDE_PARTITION FIL_PREFETCHES_INLINE uint32_t
fil_map_guess_collection_here(const struct fil_map *map, const struct fil_map_key *key)
{
    struct fil_shelf *shelf = map->shards[key->partition_id].shelf;
    return shelf == NULL ? FIL_SLAB_NONE : fil_store_guess(&shelf->store, key->hash);
}

FIL_INSIDE_PARTITION FIL_PREFETCHES_INLINE void
fil_map_prefetch_collection_guess_here(const struct fil_map *map, const struct fil_map_key *key,
                                       uint32_t guess)
{
    const struct fil_shelf *shelf = map->shards[key->partition_id].shelf;
    if (guess != FIL_SLAB_NONE) {
        fil_store_prefetch_guess(&shelf->store, guess);
    }
}

/** The collection of the guessed record, which is asked for; NULL: it has none. */
FIL_INSIDE_PARTITION FIL_PREFETCHES_INLINE const struct fil_collection *
fil_map_guessed_collection_here(const struct fil_map *map, const struct fil_map_key *key,
                                uint32_t guess)
{
    const struct fil_shelf *shelf = map->shards[key->partition_id].shelf;
    if (guess == FIL_SLAB_NONE) {
        return NULL;
    }
    const uint8_t *record = fil_slab_at(&shelf->store.slab, guess);
    const struct fil_collection *collection = fil_value_large(fil_record_value(record));
    FIL_PREFETCH(collection);
    return collection;
}

/** What the key has on the shelf; good until somebody else changes something there. */
FIL_INSIDE_PARTITION void fil_map_open_bundle_here(struct fil_map *map,
                                                   const struct fil_map_key *key, uint64_t now_ms,
                                                   struct fil_bundle *out_bundle);

/** The same for who wants to put something; when the key has nothing its kind is to be set.
 * FIL_E_NOMEM, and what admit says. */
FIL_INSIDE_PARTITION int fil_map_need_bundle_here(struct fil_map *map,
                                                  const struct fil_map_key *key, uint64_t now_ms,
                                                  struct fil_bundle *out_bundle) FIL_NODISCARD;

/** The list under the key; NULL when it has none. */
FIL_INSIDE_PARTITION struct fil_collection *
fil_map_find_list_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms);

/** An empty list under a key that has none; the caller fills it, and removes the key's entry.
 * FIL_E_NOMEM, FIL_E_LIMIT, and what admit says. */
FIL_INSIDE_PARTITION int fil_map_add_list_here(struct fil_map *map, const struct fil_map_key *key,
                                               uint64_t now_ms, struct fil_collection **out_new)
    FIL_NODISCARD;

/** The same for a stream. */
FIL_INSIDE_PARTITION int fil_map_add_stream_here(struct fil_map *map, const struct fil_map_key *key,
                                                 uint64_t now_ms, struct fil_collection **out_new)
    FIL_NODISCARD;

/** Gives the key what another key has, as fil_shelf_receive; its own entry goes. */
FIL_INSIDE_PARTITION int fil_map_receive_collection_here(struct fil_map *map,
                                                         const struct fil_map_key *key,
                                                         const struct fil_store_write *how,
                                                         struct fil_bytes value, bool is_move)
    FIL_NODISCARD;

/** After a change of what is in it: an empty one goes, and watchers are told. */
FIL_INSIDE_PARTITION void fil_map_touch_collection_here(struct fil_map *map,
                                                        const struct fil_map_key *key,
                                                        bool is_empty, uint64_t now_ms);

/**
 * Operations that wait until there is something under a key: they count themselves while they are
 * parked under the wait key, and are let go in arrival order when something comes. Whoever adds
 * items says so; that another key was renamed to this one is known here.
 */
FIL_ANY_THREAD uint64_t fil_map_await_key(const struct fil_map *map, const struct fil_map_key *key);
FIL_INSIDE_PARTITION void fil_map_await_here(struct fil_map *map, const struct fil_map_key *key,
                                             bool is_waiting);
FIL_INSIDE_PARTITION bool fil_map_is_awaited_here(const struct fil_map *map,
                                                  const struct fil_map_key *key);

/** So many items have come: lets go as many of those that wait for the key. */
FIL_INSIDE_PARTITION void fil_map_serve_here(struct fil_map *map, const struct fil_map_key *key,
                                             uint64_t count);

/** Whether the key had one. */
FIL_INSIDE_PARTITION bool
fil_map_remove_collection_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms);

/** As fil_shelf_inspect. */
FIL_INSIDE_PARTITION bool fil_map_inspect_collection_here(struct fil_map *map,
                                                          const struct fil_map_key *key,
                                                          uint64_t now_ms,
                                                          struct fil_store_view *out_view);

/** Changes when the collection expires. FIL_E_NOT_FOUND, FIL_E_NOMEM. */
FIL_INSIDE_PARTITION int fil_map_expire_collection_here(struct fil_map *map,
                                                        const struct fil_map_key *key,
                                                        const struct fil_store_write *how)
    FIL_NODISCARD;

/** As fil_map_scan_here and fil_map_pick_here, over the keys that have collections. */
FIL_INSIDE_PARTITION uint64_t fil_map_scan_collections_here(struct fil_map *map,
                                                            fil_partition_id partition_id,
                                                            struct fil_map_slice slice,
                                                            fil_store_visit_fn visit,
                                                            void *context);
FIL_INSIDE_PARTITION bool fil_map_pick_collection_here(struct fil_map *map,
                                                       fil_partition_id partition_id,
                                                       uint64_t now_ms,
                                                       struct fil_store_view *out_view);

/** Removes about `budget` collections of one partition; true while there are more. */
FIL_INSIDE_PARTITION bool fil_map_clear_collections_here(struct fil_map *map,
                                                         fil_partition_id partition_id,
                                                         uint32_t budget, uint64_t now_ms);

/** Keys with collections, of all partitions; a figure that may be a moment old. */
FIL_ANY_THREAD uint64_t fil_map_collection_count(const struct fil_map *map);
