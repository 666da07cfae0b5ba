// SPDX-License-Identifier: Apache-2.0
/**
 * A multimap: a map whose keys have many values, each once (a set) or in the order in which they
 * came (a list), as its configuration says.
 *
 * It is a map all of whose keys have collections (shelf.h) and none has an entry. Locks, listeners,
 * walks over all partitions and the release of a client's locks are therefore the map's. A key
 * without values is not there.
 *
 * Events:  a value that comes is told as added, one that goes as removed with the old value; when
 *          all go, one event with their number.
 * Memory:  FIL_E_NOMEM leaves everything as it was. Values are borrowed until the next change.
 * Threads: the `_here` functions by whoever is inside the key's partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/store/store.h"
#include "grid/map/map.h"
#include "grid/map/walk.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/** Values of all keys; a figure that may be a moment old. */
FIL_ANY_THREAD uint64_t fil_multimap_size(const struct fil_map *map);

/**
 * Adds a value; says whether the key did not have it, which a list always says. FIL_E_FULL beyond
 * the limit of a key's values, FIL_E_NOMEM, FIL_E_LIMIT for what is too large.
 */
FIL_INSIDE_PARTITION int fil_multimap_put_here(struct fil_map *map, const struct fil_map_key *key,
                                               struct fil_bytes value, uint64_t now_ms,
                                               bool *out_is_new) FIL_NODISCARD;

/** One equal value goes; false when there is none. */
FIL_INSIDE_PARTITION bool fil_multimap_remove_value_here(struct fil_map *map,
                                                         const struct fil_map_key *key,
                                                         struct fil_bytes value, uint64_t now_ms);

/** All values of the key go; returns how many there were. */
FIL_INSIDE_PARTITION uint64_t fil_multimap_remove_here(struct fil_map *map,
                                                       const struct fil_map_key *key,
                                                       uint64_t now_ms);

FIL_INSIDE_PARTITION uint64_t fil_multimap_count_here(struct fil_map *map,
                                                      const struct fil_map_key *key,
                                                      uint64_t now_ms);
FIL_INSIDE_PARTITION bool fil_multimap_contains_here(struct fil_map *map,
                                                     const struct fil_map_key *key,
                                                     struct fil_bytes value, uint64_t now_ms);

/** Must not change the multimap; false ends the visit. */
typedef bool (*fil_multimap_visit_fn)(void *context, struct fil_bytes value);

/** Visits the values of a key. */
FIL_INSIDE_PARTITION void fil_multimap_visit_here(struct fil_map *map,
                                                  const struct fil_map_key *key, uint64_t now_ms,
                                                  fil_multimap_visit_fn visit, void *context);

/** Likewise those of a view that fil_map_scan_collections_here shows. */
FIL_INSIDE_PARTITION void fil_multimap_visit_view_here(const struct fil_store_view *view,
                                                       fil_multimap_visit_fn visit, void *context);

/** Removes all keys that are not locked; count says how many. Listeners get one event. */
void fil_multimap_walk_clear(struct fil_map_walk *walk, struct fil_map *map);

/** Likewise, the locked ones too: the multimap is destroyed. */
void fil_multimap_walk_empty(struct fil_map_walk *walk, struct fil_map *map);

/** Looks for a value under any key; count is 1 if there is one. */
void fil_multimap_walk_contains_value(struct fil_map_walk *walk, struct fil_map *map,
                                      struct fil_bytes value);
