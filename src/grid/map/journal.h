// SPDX-License-Identifier: Apache-2.0
/**
 * The event journal: a ring of the last changes of each partition, numbered from 0 on, that readers
 * follow at their own pace. What was overwritten before it was read, or found no memory, is told as
 * lost.
 *
 * Order:   the changes of a partition, each key's included, as they were made.
 * Memory:  drawn from the member's budget; a change that finds none takes a number and is lost.
 * Threads: whoever is inside the partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/map/event.h"
#include "grid/map/map.h"

/** A change as it is read; borrowed for the call. A clear or an eviction of all has no key. */
struct fil_map_journal_entry {
    uint64_t seq;
    enum fil_map_event_kind kind;
    struct fil_bytes key;
    struct fil_bytes old_value; // data is NULL when there is none
    struct fil_bytes value;     // likewise
};

/** Must not change the map. */
typedef void (*fil_map_journal_fn)(void *context, const struct fil_map_journal_entry *entry);

/** The numbers that are there: from oldest to before next. FIL_E_UNSUPPORTED without a journal. */
FIL_INSIDE_PARTITION int fil_map_journal_bounds_here(struct fil_map *map,
                                                     fil_partition_id partition_id,
                                                     uint64_t *out_oldest, uint64_t *out_next)
    FIL_NODISCARD;

/** How many changes of a partition are kept; 0: there is no journal. */
FIL_ANY_THREAD uint32_t fil_map_journal_capacity(const struct fil_map *map);

/** What to read. */
struct fil_map_journal_read {
    fil_partition_id partition_id;
    uint64_t seq; // the first; one that is not there yet reads nothing
    uint32_t limit;
    fil_map_journal_fn visit;
    void *context;
};

/**
 * Visits changes and returns the number to go on with. out_lost says how many were skipped because
 * they are gone.
 */
FIL_INSIDE_PARTITION uint64_t fil_map_journal_read_here(struct fil_map *map,
                                                        const struct fil_map_journal_read *read,
                                                        uint64_t *out_lost);

/**
 * Whether fewer than so many changes are there from seq on; the operation then parks under
 * *out_wait_key and is woken by the next change.
 */
FIL_INSIDE_PARTITION bool fil_map_journal_must_wait_here(struct fil_map *map,
                                                         fil_partition_id partition_id,
                                                         uint64_t seq, uint32_t count,
                                                         uint64_t *out_wait_key);
