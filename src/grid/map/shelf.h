// SPDX-License-Identifier: Apache-2.0
/**
 * Collections beside the entries of a map: a key has an entry or a collection, never both.
 *
 * Whoever adds a collection sees to it that the key has no entry; an entry that comes to a key
 * takes the place of its collection. Watches, locks and expiry are the same for both. Entries of
 * maps without collections cost nothing for it.
 */
#pragma once

#include "core/shelf/shelf.h"
#include "grid/map/map.h"

/** Whether the partition has any: a cheap first look. */
FIL_INSIDE_PARTITION bool fil_map_has_collections_here(const struct fil_map *map,
                                                       fil_partition_id partition_id);

/** NULL when the key has none; counts as a use of it. */
FIL_INSIDE_PARTITION struct fil_collection *
fil_map_find_collection_here(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms);

/** An empty one under a key that has none; the caller fills it, and removes the key's entry.
 * FIL_E_NOMEM, FIL_E_LIMIT. */
FIL_INSIDE_PARTITION int fil_map_add_collection_here(struct fil_map *map,
                                                     const struct fil_map_key *key, uint64_t now_ms,
                                                     enum fil_collection_kind kind,
                                                     struct fil_collection **out_new) FIL_NODISCARD;

/** After a change of what is in it: one without items goes, and watchers are told. */
FIL_INSIDE_PARTITION void fil_map_touch_collection_here(struct fil_map *map,
                                                        const struct fil_map_key *key,
                                                        const struct fil_collection *collection,
                                                        uint64_t now_ms);

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
