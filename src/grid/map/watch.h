// SPDX-License-Identifier: Apache-2.0
/**
 * Watches: optimistic transactions want to know whether a key has been changed since.
 *
 * The flag is set by any change of the key (put, remove, edit, another expiry, expiring, eviction,
 * clear) until it is unwatched. Expiring is a change only for who began to watch while the key was
 * there: one that had expired before, and is removed now, was gone all the time.
 *
 * Memory:  the watch and the bytes of its key are the watcher's, and stay while it is linked.
 * Threads: whoever is inside the key's partition; the flag is read by any thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "grid/map/map.h"
#include "lib/base/list.h"

struct fil_map_watch {
    struct fil_list link;
    struct fil_map_key key;
    bool was_there; // when the watch began
    _Atomic bool is_touched;
};

/** Starts to watch; the flag is cleared. */
FIL_INSIDE_PARTITION void fil_map_watch_here(struct fil_map *map, struct fil_map_watch *watch,
                                             uint64_t now_ms);

/** Whether the key was changed since, or has expired though nobody has removed it yet. */
FIL_INSIDE_PARTITION bool
fil_map_is_touched_here(struct fil_map *map, const struct fil_map_watch *watch, uint64_t now_ms);

/** Harmless when it does not watch. */
FIL_INSIDE_PARTITION void fil_map_unwatch_here(struct fil_map *map, struct fil_map_watch *watch);
