// SPDX-License-Identifier: Apache-2.0
/**
 * Work on all entries of a map: an operation that goes from partition to partition, does a bounded
 * slice at a time and lets everything else that waits there run in between.
 *
 *     struct fil_map_walk walk;
 *     fil_map_walk_clear(&walk, map);
 *     fil_map_walk_start(&walk, finished, context, runner);   // finished(&walk, runner), later
 *
 * Order:    partitions one after the other; no moment of all of them together.
 * Memory:   the walk is the caller's and belongs to the kernel from start to finished.
 * Threads:  start and stop by any thread; slices by partition threads, never by a caller.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "grid/map/map.h"
#include "lib/conc/role.h"

struct fil_map_search;
struct fil_map_walk;

/**
 * Inside walk->op.partition_id: a slice from walk->cursor (0 at first). Returns the next cursor,
 * FIL_STORE_SCAN_END to go on with the next partition. Sets is_over to end the walk, and error.
 */
typedef uint64_t (*fil_map_slice_fn)(struct fil_map_walk *walk, struct fil_partition *partition);

/** walk->error says how it ended, walk->count what it found. Runs where the last slice ran. */
typedef void (*fil_map_finished_fn)(struct fil_map_walk *walk, struct fil_runner *runner);

/** Whether an entry is meant. Must not change the map. */
typedef bool (*fil_map_test_fn)(void *context, const struct fil_store_view *view);

struct fil_map_walk {
    struct fil_op op;
    struct fil_map *map;
    const char *name; // for the watchdog
    fil_map_slice_fn slice;
    fil_map_finished_fn finished;
    void *context;                 // of finished
    struct fil_map_search *search; // where it looks, if not at all entries; set after init

    // The partitions it goes to, in order, each once; none: all. Set after init.
    const fil_partition_id *only;
    uint32_t only_count;

    // While it is under way.
    uint32_t only_index;
    uint64_t cursor; // may be set after init, for the first partition
    uint64_t now_ms; // of the slice
    bool is_over;
    _Atomic bool is_stopped;

    // The result.
    int error;
    uint64_t count;

    // What the walks below are about.
    union {
        struct fil_bytes value; // borrowed
        uint64_t member;
        struct {
            fil_store_visit_fn visit;
            void *visitor;
        };
        struct {
            fil_map_test_fn is_meant;
            void *tester;
        };
        void *work; // for walks of other files
    };
};

void fil_map_walk_init(struct fil_map_walk *walk, struct fil_map *map, const char *name,
                       fil_map_slice_fn slice);

FIL_ANY_THREAD void fil_map_walk_start(struct fil_map_walk *walk, fil_map_finished_fn finished,
                                       void *context, struct fil_runner *runner);

/** Lets it end with FIL_E_CANCELLED at its next slice. Before it has finished. */
FIL_ANY_THREAD void fil_map_walk_stop(struct fil_map_walk *walk);

/** What a slice of the walk may scan now. */
static inline struct fil_map_slice fil_map_walk_slice(const struct fil_map_walk *walk,
                                                      uint32_t budget)
{
    return (struct fil_map_slice){.cursor = walk->cursor, .now_ms = walk->now_ms, .budget = budget};
}

/** Visits a slice of the entries that the walk looks at, all or those of its search; the cursor. */
uint64_t fil_map_walk_scan(struct fil_map_walk *walk, fil_partition_id partition_id,
                           uint32_t budget, fil_store_visit_fn visit, void *context);

/** Removes all entries whose keys are not locked; count says how many. Listeners get one event. */
void fil_map_walk_clear(struct fil_map_walk *walk, struct fil_map *map);

/** As clear, of locked keys too. */
void fil_map_walk_empty(struct fil_map_walk *walk, struct fil_map *map);

/** Removes all entries whose keys are not locked, as evicted. Listeners get one event. */
void fil_map_walk_evict_all(struct fil_map_walk *walk, struct fil_map *map);

/** Removes the entries that are meant, whether or not their keys are locked; count: how many. */
void fil_map_walk_remove_if(struct fil_map_walk *walk, struct fil_map *map,
                            fil_map_test_fn is_meant, void *tester);

/** Looks for an entry with that value; count is 1 if there is one. */
void fil_map_walk_contains_value(struct fil_map_walk *walk, struct fil_map *map,
                                 struct fil_bytes value);

/** The client is gone: unlocks all that it has locked. */
void fil_map_walk_unlock_all(struct fil_map_walk *walk, struct fil_map *map, uint64_t member);

/** Visits all entries, as fil_store_scan does. The visitor may set is_over of the walk. */
void fil_map_walk_visit(struct fil_map_walk *walk, struct fil_map *map, fil_store_visit_fn visit,
                        void *visitor);
