// SPDX-License-Identifier: Apache-2.0
/**
 * Locks on keys: re-entrant for their owner (a client and one of its threads), with a lease if one
 * is asked for. The key need not be there, and stays locked when its entry goes.
 *
 * Who must wait parks under the wait key (fil_partition_park) and looks again when it runs: all
 * that wait for a key are woken in the order of their arrival when the key is let go, and the first
 * that takes the lock makes those behind it wait again, in the same order. A lease that runs out is
 * noticed by the partition's upkeep up to 64 ms later; until then whoever comes next gets the key.
 *
 * Locks bind writers that ask fil_map_must_wait_here; the map itself does not look. Locked keys are
 * not evicted; they do expire.
 *
 * Memory:  a lock is drawn from the member's budget; FIL_E_NOMEM leaves everything as it was.
 * Threads: whoever is inside the key's partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/map/map.h"
#include "lib/base/attr.h"

/** How to lock. */
struct fil_map_lock_wish {
    struct fil_map_owner owner;
    uint64_t reference; // the caller's number of the call, so that a retry does nothing; 0: none
    uint64_t lease_ms;  // 0: until it is unlocked
    uint64_t now_ms;
};

/**
 * Locks, or locks once more. FIL_E_AGAIN: another has the lock, park under *out_wait_key.
 * FIL_E_NOMEM; FIL_E_LIMIT after 2^32 - 1 times.
 */
FIL_INSIDE_PARTITION int fil_map_lock_here(struct fil_map *map, const struct fil_map_key *key,
                                           const struct fil_map_lock_wish *wish,
                                           uint64_t *out_wait_key) FIL_NODISCARD;

/** Unlocks once. FIL_E_DENIED: not the owner's lock. */
FIL_INSIDE_PARTITION int fil_map_unlock_here(struct fil_map *map, const struct fil_map_key *key,
                                             const struct fil_map_lock_wish *wish) FIL_NODISCARD;

/** Takes the lock away, whoever has it; false when nobody has. */
FIL_INSIDE_PARTITION bool fil_map_force_unlock_here(struct fil_map *map,
                                                    const struct fil_map_key *key, uint64_t now_ms);

struct fil_map_lock_view {
    struct fil_map_owner owner;
    uint32_t count;      // how often it was locked by its owner
    uint64_t expires_ms; // end of the lease; FIL_STORE_NEVER
};

/** Whether the key is locked, and by whom; out_view may be NULL. */
FIL_INSIDE_PARTITION bool fil_map_is_locked_here(struct fil_map *map, const struct fil_map_key *key,
                                                 uint64_t now_ms,
                                                 struct fil_map_lock_view *out_view);

/**
 * The client is gone: unlocks what it has locked in this partition, on any of its threads, about
 * `budget` locks from a cursor on (0 to FIL_STORE_SCAN_END). Returns the next cursor; the same one
 * again when memory was out.
 */
FIL_INSIDE_PARTITION uint64_t fil_map_unlock_all_here(struct fil_map *map,
                                                      fil_partition_id partition_id,
                                                      uint64_t member, uint64_t cursor,
                                                      uint32_t budget, uint64_t now_ms);
