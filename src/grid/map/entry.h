// SPDX-License-Identifier: Apache-2.0
/**
 * What Hazelcast's clients ask of single entries, in their words: put returns the old value, set
 * does not, times to live of -1 are the map's. Keys and values are equal when their bytes are.
 *
 * None of these looks at locks: writers ask fil_map_must_wait_here first, evict apart.
 *
 * Memory:  old values are borrowed until the next change of the map in that partition; data is NULL
 *          when there was none.
 * Threads: whoever is inside the key's partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/map/map.h"
#include "lib/base/attr.h"

/** Times to live and to be idle, as clients send them, in milliseconds. */
#define FIL_MAP_TIME_DEFAULT INT64_C(-1) // the map's; so is every negative one
#define FIL_MAP_TIME_NEVER   INT64_C(0)  // no end

struct fil_map_times {
    uint64_t now_ms;
    int64_t ttl_ms;
    int64_t max_idle_ms;
};

/** Both times are the map's. */
static inline struct fil_map_times fil_map_times_default(uint64_t now_ms)
{
    return (struct fil_map_times){
        .now_ms = now_ms, .ttl_ms = FIL_MAP_TIME_DEFAULT, .max_idle_ms = FIL_MAP_TIME_DEFAULT};
}

/** The same for fil_map_put_here. */
struct fil_store_write fil_map_write_of(const struct fil_map_times *times);

/** Writes; out_old gets the old value. FIL_E_NOMEM, FIL_E_LIMIT, here and below. */
FIL_INSIDE_PARTITION int fil_map_replace_value_here(struct fil_map *map,
                                                    const struct fil_map_key *key,
                                                    struct fil_bytes value,
                                                    const struct fil_map_times *times,
                                                    struct fil_bytes *out_old) FIL_NODISCARD;

/** As the above without the old value; also putTransient, as there is no map store. */
FIL_INSIDE_PARTITION int fil_map_set_here(struct fil_map *map, const struct fil_map_key *key,
                                          struct fil_bytes value, const struct fil_map_times *times)
    FIL_NODISCARD;

/** Writes if the key is not there; out_old gets the value that is, and data is NULL if written. */
FIL_INSIDE_PARTITION int fil_map_put_if_absent_here(struct fil_map *map,
                                                    const struct fil_map_key *key,
                                                    struct fil_bytes value,
                                                    const struct fil_map_times *times,
                                                    struct fil_bytes *out_old) FIL_NODISCARD;

/** Writes if the key is there; out_old gets the old value, and data is NULL if not written. */
FIL_INSIDE_PARTITION int fil_map_replace_here(struct fil_map *map, const struct fil_map_key *key,
                                              struct fil_bytes value, uint64_t now_ms,
                                              struct fil_bytes *out_old) FIL_NODISCARD;

/** Writes if the value is the expected one. */
FIL_INSIDE_PARTITION int fil_map_replace_if_same_here(struct fil_map *map,
                                                      const struct fil_map_key *key,
                                                      struct fil_bytes expected,
                                                      struct fil_bytes value, uint64_t now_ms,
                                                      bool *out_is_replaced) FIL_NODISCARD;

/** Removes if the value is the expected one; whether it did. */
FIL_INSIDE_PARTITION bool fil_map_remove_if_same_here(struct fil_map *map,
                                                      const struct fil_map_key *key,
                                                      struct fil_bytes expected, uint64_t now_ms);

/** Removes and does not want the old value; whether the key was there. */
FIL_INSIDE_PARTITION bool fil_map_delete_here(struct fil_map *map, const struct fil_map_key *key,
                                              uint64_t now_ms);

/** Counts as a use of the entry. */
FIL_INSIDE_PARTITION bool fil_map_contains_key_here(struct fil_map *map,
                                                    const struct fil_map_key *key, uint64_t now_ms);

/** Removes the entry as evicted, unless its key is locked; whether it did. */
FIL_INSIDE_PARTITION bool fil_map_evict_here(struct fil_map *map, const struct fil_map_key *key,
                                             uint64_t now_ms);

/** Lets the entry expire so long from now on; FIL_E_NOT_FOUND, FIL_E_NOMEM. */
FIL_INSIDE_PARTITION int fil_map_set_ttl_here(struct fil_map *map, const struct fil_map_key *key,
                                              int64_t ttl_ms, uint64_t now_ms) FIL_NODISCARD;

/** Many gets of one partition, whose waits for memory overlap; how many were found. */
FIL_INSIDE_PARTITION uint32_t fil_map_get_all_here(struct fil_map *map,
                                                   fil_partition_id partition_id,
                                                   struct fil_store_lookup *lookups, uint32_t count,
                                                   uint64_t now_ms);

struct fil_map_pair {
    struct fil_bytes key;
    struct fil_bytes value;
};

/** Many sets of one partition; stops at the first error. out_count: how many were written. */
FIL_INSIDE_PARTITION int fil_map_set_all_here(struct fil_map *map, const struct fil_map_pair *pairs,
                                              uint32_t count, const struct fil_map_times *times,
                                              uint32_t *out_count) FIL_NODISCARD;

FIL_ANY_THREAD static inline bool fil_map_is_empty(const struct fil_map *map)
{
    return fil_map_size(map) == 0;
}

/** An entry as Hazelcast shows it; what the map does not keep is 0. */
struct fil_map_entry_view {
    struct fil_bytes key;
    struct fil_bytes value;
    uint64_t cost_bytes;
    uint64_t created_ms;
    uint64_t expires_ms; // INT64_MAX: never
    uint64_t hits;
    uint64_t accessed_ms;
    uint64_t stored_ms; // 0: there is no map store
    uint64_t updated_ms;
    uint64_t version;
    uint64_t ttl_ms;      // INT64_MAX: no end; what is left of it when creation times are not kept
    uint64_t max_idle_ms; // INT64_MAX: no end
};

/** Nobody notices. False when the key is not there. */
FIL_INSIDE_PARTITION bool fil_map_entry_view_here(struct fil_map *map,
                                                  const struct fil_map_key *key, uint64_t now_ms,
                                                  struct fil_map_entry_view *out_view);
