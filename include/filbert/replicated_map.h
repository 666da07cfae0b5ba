// SPDX-License-Identifier: Apache-2.0
/**
 * Replicated maps: entries that every member has, for what is small and read often.
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
struct fil_replicated_map;

/** The replicated map of that name; as fil_map. */
struct fil_replicated_map *fil_replicated_map(struct fil_grid *grid, const char *name);

/** Sets the value; the entry goes away after so many milliseconds. 0: never. */
int fil_replicated_map_put(struct fil_replicated_map *map, struct fil_value key,
                           struct fil_value value, uint64_t ttl_ms, struct fil_value *out_old);

/** The value; null: there is no such key. */
int fil_replicated_map_get(struct fil_replicated_map *map, struct fil_value key,
                           struct fil_value *out_value);
int fil_replicated_map_remove(struct fil_replicated_map *map, struct fil_value key,
                              struct fil_value *out_old);
int fil_replicated_map_contains(struct fil_replicated_map *map, struct fil_value key,
                                bool *out_contains);

int fil_replicated_map_size(struct fil_replicated_map *map, uint64_t *out_size);
int fil_replicated_map_clear(struct fil_replicated_map *map);
int fil_replicated_map_keys(struct fil_replicated_map *map, struct fil_values *out_keys);
int fil_replicated_map_entries(struct fil_replicated_map *map, struct fil_entries *out_entries);

/** Entries as they change, with their values; the options' types, key and has_values are ignored.
 */
int fil_replicated_map_subscribe(struct fil_replicated_map *map,
                                 const struct fil_map_subscribe_options *options,
                                 struct fil_subscription **out_subscription);

#ifdef __cplusplus
}
#endif
