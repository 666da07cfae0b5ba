// SPDX-License-Identifier: Apache-2.0
/**
 * A map: byte strings to byte strings, spread over the kernel's partitions by the hash of the key.
 *
 * Threads: placement and sums by any thread; the `_here` functions by whoever is inside the
 * partition. Values are borrowed until the partition is left.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/partition.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"

struct fil_map;

/** A key with its hash and where it lives. */
struct fil_map_key {
    struct fil_bytes bytes;
    uint64_t hash;
    fil_partition_id partition_id;
};

void fil_map_free(struct fil_map *map);

/** The seed makes the placement of keys unpredictable from outside. */
int fil_map_new(struct fil_map **out_map, struct fil_budget *budget, uint32_t partition_count,
                uint64_t seed) FIL_NODISCARD;

FIL_ANY_THREAD struct fil_map_key fil_map_place(const struct fil_map *map, struct fil_bytes key);

/** Brings the key's slot closer before the partition is entered; a hint. */
FIL_ANY_THREAD void fil_map_prefetch(const struct fil_map *map, const struct fil_map_key *key);

/** False when the key is not there. */
bool fil_map_get_here(struct fil_map *map, const struct fil_map_key *key,
                      struct fil_bytes *out_value);
int fil_map_set_here(struct fil_map *map, const struct fil_map_key *key, struct fil_bytes value)
    FIL_NODISCARD;
bool fil_map_remove_here(struct fil_map *map, const struct fil_map_key *key);

/** Entries and their bytes, summed over the partitions; figures that may be a
 * moment old. */
FIL_ANY_THREAD uint64_t fil_map_size(const struct fil_map *map);
FIL_ANY_THREAD uint64_t fil_map_bytes(const struct fil_map *map);
