// SPDX-License-Identifier: Apache-2.0
/**
 * Snapshots of jobs as entries of a map of the member: they outlive jobs and their engine.
 *
 * A snapshot is cut into pieces, each an entry NAME/GENERATION/NUMBER; the entry NAME tells which
 * generation counts, and how large it is. A write puts the pieces of a new generation, then that
 * entry, from which moment on it counts, and removes the old pieces. All snapshots share one map:
 * a map lives as long as its member, names of jobs come and go.
 *
 * Memory:  the member's, as any map's; a limit or an eviction rule of the map holds for it, too.
 * Threads: as every store's, one at a time; waits for the partitions.
 */
#pragma once

#include <stdatomic.h>

#include "core/exec/exec.h"
#include "core/stream/snapshot_store.h"
#include "grid/map/maps.h"

#define FIL_SNAPSHOT_MAP_NAME "__filbert.snapshots"

struct fil_snapshot_map {
    struct fil_snapshot_store base;
    struct fil_exec *exec;
    struct fil_maps *maps;
    struct fil_map *map;       // NULL until it is used
    struct fil_runner *runner; // of the thread that calls; NULL until it is used
};

/** Both are borrowed, and run until fini. */
void fil_snapshot_map_init(struct fil_snapshot_map *store, struct fil_exec *exec,
                           struct fil_maps *maps);
void fil_snapshot_map_fini(struct fil_snapshot_map *store);
