// SPDX-License-Identifier: Apache-2.0
/**
 * The named maps of a member: made on first use, as the rule for their name says.
 *
 * The memory of a map lives as long as the member, so whoever has a pointer may use it. A map that
 * is destroyed is emptied (fil_map_walk_empty), found no more, and not counted; who asks for its
 * name gets the same one again, as if it were new. Pointers that were kept lead there as well.
 *
 * Progress: find, and get of a map that is there, are wait-free but for the look along the table;
 *           making a map takes a mutex.
 * Threads:  any, but new and free.
 */
#pragma once

#include <stdint.h>

#include "grid/map/config.h"
#include "grid/map/map.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"

#define FIL_MAPS_MAX 65536U

/** Places of maps that were destroyed, for each map that there may be. */
#define FIL_MAPS_PLACES_PART 4U

struct fil_env;
struct fil_maps;

/** A map has been made, or destroyed; under the mutex. */
typedef void (*fil_maps_told_fn)(void *context, struct fil_map *map);

/** A map has been made that nobody knows yet; an error means that it cannot be had. */
typedef int (*fil_maps_prepare_fn)(void *context, struct fil_map *map);

struct fil_maps_options {
    struct fil_env *env;       // for the time of day; NULL: it is 0 plus the runner's clock
    struct fil_exec *exec;     // whose partitions; NULL: as many as partition_count, for tests
    struct fil_events *events; // for listeners; NULL: none
    struct fil_budget *budget;
    uint32_t partition_count; // without an exec
    uint64_t seed;
    uint32_t count_max; // maps, up to FIL_MAPS_MAX
    struct fil_map_config defaults;
    const struct fil_map_rule *rules; // copied
    uint32_t rule_count;
    fil_maps_prepare_fn prepare; // NULL: there is nothing to prepare
    fil_maps_told_fn made;       // NULL: nobody is told
    fil_maps_told_fn destroyed;  // NULL: nobody is told
    void *context;               // of all three
};

/** FIL_E_NOMEM, FIL_E_INVALID for counts out of range. */
int fil_maps_new(struct fil_maps **out_maps, const struct fil_maps_options *options) FIL_NODISCARD;

/** The threads that use them have ended. */
void fil_maps_free(struct fil_maps *maps);

/**
 * The map of that name, made if there is none. FIL_E_COUNT_MAX beyond the limit of maps,
 * FIL_E_LIMIT for a name that is too long, FIL_E_NOMEM.
 */
FIL_ANY_THREAD int fil_maps_get(struct fil_maps *maps, struct fil_bytes name,
                                struct fil_map **out_map) FIL_NODISCARD;

/**
 * The map is as if it had never been made, unless it is kept; whoever destroys it empties it as
 * well. Nothing happens to one that is destroyed.
 */
FIL_ANY_THREAD void fil_maps_destroy(struct fil_maps *maps, struct fil_map *map);

/** The map stays, for somebody who never asks for its name again: to destroy it is to empty it. */
FIL_ANY_THREAD void fil_maps_keep(struct fil_maps *maps, struct fil_map *map);

/** NULL when there is none of that name. */
FIL_ANY_THREAD struct fil_map *fil_maps_find(struct fil_maps *maps, struct fil_bytes name);

/** Those that are destroyed not included. */
FIL_ANY_THREAD uint32_t fil_maps_count(const struct fil_maps *maps);

/**
 * The next map from a position on, which starts with 0 and is moved; NULL when there are no more.
 * Every map that is there from the first call to the last is met once, in no order; and so are
 * those that are destroyed, which may still have locks and be used by who has a pointer.
 */
FIL_ANY_THREAD struct fil_map *fil_maps_next(struct fil_maps *maps, uint32_t *position);
