// SPDX-License-Identifier: Apache-2.0
/**
 * Indexes of a map: from an attribute of its entries to the entries, in every partition.
 *
 * What an attribute is and how its bytes are ordered is the business of whoever adds the index; the
 * map keeps it up with every change, whichever protocol makes it. An index that is added to a map
 * that has entries is filled by a walk and used when that has ended. Indexes stay as long as the
 * map. What an index finds may be more than what is meant: whoever searches tests.
 *
 * Memory:  a map's indexes are part of its stores and drawn from the member's budget.
 * Threads: adding and asking by any; the extractor runs inside partitions, several at a time.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/store/index.h"
#include "grid/map/map.h"
#include "grid/map/walk.h"
#include "lib/conc/counter.h"

#define FIL_MAP_INDEX_NAME_MAX 255U

/** How to make an index. The name says everything about it: two of one name are one. */
struct fil_map_index_setup {
    struct fil_bytes name;
    enum fil_index_kind kind;
    fil_index_extract_fn extract;
    void *context;
    void (*free_context)(void *context); // when the map ends, or the index is there already
};

struct fil_map_index {
    // Set when it is added, then read-only.
    struct fil_index_definition definition;
    void (*free_context)(void *context);
    char name[FIL_MAP_INDEX_NAME_MAX + 1];

    // Shared.
    _Atomic bool is_ready;       // all entries are in it
    struct fil_counter searches; // queries that have used it
};

/**
 * Adds the index, or finds the one of that name; the context is taken over in any case.
 * FIL_E_NOMEM, FIL_E_LIMIT for a name that is too long or beyond FIL_INDEXES_MAX.
 */
FIL_ANY_THREAD int fil_map_index_add(struct fil_map *map, const struct fil_map_index_setup *setup,
                                     struct fil_map_index **out_index) FIL_NODISCARD;

/** The same for a map that has no entries and that nobody else knows yet: it is ready at once. */
int fil_map_index_declare(struct fil_map *map, const struct fil_map_index_setup *setup)
    FIL_NODISCARD;

/** Indexes by number, in the order in which they were added. */
FIL_ANY_THREAD uint32_t fil_map_index_count(const struct fil_map *map);
FIL_ANY_THREAD struct fil_map_index *fil_map_index_at(const struct fil_map *map, uint32_t number);

/** Whether searches in it find every entry. */
FIL_ANY_THREAD bool fil_map_index_is_ready(const struct fil_map_index *index);

/** A walk that adds all entries to the index, which is ready then. Once more does no harm. */
void fil_map_walk_index(struct fil_map_walk *walk, struct fil_map *map,
                        struct fil_map_index *index);

/** Where a search looks: a range of one index. */
struct fil_map_search_part {
    struct fil_map_index *index;
    struct fil_store_range range;
};

/**
 * What a walk that looks for some entries may look at instead of all: those of the parts, each
 * once if it is there from the partition's first slice on. A partition that has too many of them is
 * scanned.
 */
struct fil_map_search {
    const struct fil_map_search_part *parts;
    uint32_t part_count;
    bool may_repeat; // parts have entries in common

    // While it is under way: the hashes of a partition's entries.
    struct fil_store_hashes hashes;
    bool is_scanning;
};

/** The parts are borrowed. */
void fil_map_search_init(struct fil_map_search *search, const struct fil_map_search_part *parts,
                         uint32_t part_count, bool may_repeat);
void fil_map_search_fini(struct fil_map_search *search);

/** A query of the map begins; search is NULL when it looks at all entries. */
FIL_ANY_THREAD void fil_map_count_query(struct fil_map *map, const struct fil_map_search *search);

/** How many have begun, and how many of them with an index. */
FIL_ANY_THREAD uint64_t fil_map_query_count(const struct fil_map *map);
FIL_ANY_THREAD uint64_t fil_map_indexed_query_count(const struct fil_map *map);
