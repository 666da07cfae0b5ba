// SPDX-License-Identifier: Apache-2.0
/**
 * Watches: optimistic transactions want to know whether a key has been changed since.
 *
 * The flag is set by any change of the key (put, remove, edit, another expiry, expiring, eviction,
 * clear) until it is unwatched. A key that has expired and is still unnoticed is told by the next
 * who looks: peek before you trust an untouched watch of a key that was there.
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
    _Atomic bool is_touched;
};

/** Starts to watch; the flag is cleared. */
FIL_INSIDE_PARTITION void fil_map_watch_here(struct fil_map *map, struct fil_map_watch *watch);

/** Harmless when it does not watch. */
FIL_INSIDE_PARTITION void fil_map_unwatch_here(struct fil_map *map, struct fil_map_watch *watch);
