// SPDX-License-Identifier: Apache-2.0
/**
 * Multimaps: several values under a key, spread over the members by the key. Whether equal values
 * under one key are kept is the member's setting (multimap.collection).
 *
 * A call waits for the answer and returns FIL_OK or a negative FIL_E_*; inside of a callback it
 * fails with FIL_E_WOULD_BLOCK. Outs that tell what was before, or whether something changed, may
 * be NULL; what is given out is released with the release function of its type.
 *
 * Threads: any, at the same time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "filbert/error.h"
#include "filbert/map.h"
#include "filbert/value.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_grid;
struct fil_multimap;

/** The multimap of that name; as fil_map. */
struct fil_multimap *fil_multimap(struct fil_grid *grid, const char *name);

/** Adds a value; false: a set of values has it already. */
int fil_multimap_put(struct fil_multimap *map, struct fil_value key, struct fil_value value,
                     bool *out_is_added);

/** All values of the key, none when there is no such key. */
int fil_multimap_get(struct fil_multimap *map, struct fil_value key, struct fil_values *out_values);

/** Removes the key with all its values. */
int fil_multimap_remove(struct fil_multimap *map, struct fil_value key, struct fil_values *out_old);

/** Removes one value of the key. */
int fil_multimap_remove_value(struct fil_multimap *map, struct fil_value key,
                              struct fil_value value, bool *out_was_there);

int fil_multimap_contains(struct fil_multimap *map, struct fil_value key, bool *out_contains);
int fil_multimap_value_count(struct fil_multimap *map, struct fil_value key, uint64_t *out_count);

// The whole multimap.

/** How many values there are, of all keys. */
int fil_multimap_count(struct fil_multimap *map, uint64_t *out_count);
int fil_multimap_clear(struct fil_multimap *map);
int fil_multimap_keys(struct fil_multimap *map, struct fil_values *out_keys);

/** Each value with its key. */
int fil_multimap_entries(struct fil_multimap *map, struct fil_entries *out_entries);

// Locks of one key, as fil_map_lock and its kin.

int fil_multimap_lock(struct fil_multimap *map, struct fil_value key);
int fil_multimap_try_lock(struct fil_multimap *map, struct fil_value key, uint64_t wait_ms,
                          bool *out_is_locked);
int fil_multimap_unlock(struct fil_multimap *map, struct fil_value key);

/** Values as they come and go; the options' types and key are ignored. */
int fil_multimap_subscribe(struct fil_multimap *map,
                           const struct fil_map_subscribe_options *options,
                           struct fil_subscription **out_subscription);

#ifdef __cplusplus
}
#endif
