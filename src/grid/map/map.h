// SPDX-License-Identifier: Apache-2.0
/**
 * A map: byte strings to byte strings, spread over partitions by the hash of the key.
 *
 * Threads: any thread; a partition is touched by one thread at a time. Values are given to a
 * callback while the partition is held, so that nothing is copied in between.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"

struct fil_map;

typedef void (*fil_map_value_fn)(void *context, struct fil_bytes value);

/** The seed makes the placement of keys unpredictable from outside. */
int fil_map_new(struct fil_map **out_map, struct fil_budget *budget, uint32_t partition_count,
                uint64_t seed) FIL_NODISCARD;
void fil_map_free(struct fil_map *map);

/** Calls found with the value, borrowed for the call; false when the key is not there. */
FIL_ANY_THREAD bool fil_map_get(struct fil_map *map, struct fil_bytes key, fil_map_value_fn found,
                                void *context);

FIL_ANY_THREAD int fil_map_set(struct fil_map *map, struct fil_bytes key, struct fil_bytes value)
    FIL_NODISCARD;
FIL_ANY_THREAD bool fil_map_remove(struct fil_map *map, struct fil_bytes key);
FIL_ANY_THREAD bool fil_map_contains(struct fil_map *map, struct fil_bytes key);

/** Entries and their bytes, summed over the partitions one after the other. */
FIL_ANY_THREAD uint64_t fil_map_size(struct fil_map *map);
FIL_ANY_THREAD uint64_t fil_map_bytes(struct fil_map *map);
