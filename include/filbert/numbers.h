// SPDX-License-Identifier: Apache-2.0
/**
 * Numbers that many count together: PN counters, ids, and estimates of how many different things
 * there were.
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
#include "filbert/value.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_grid;
struct fil_pn_counter;
struct fil_flake_ids;
struct fil_cardinality_estimator;

// PN counters: each member counts for itself, and all come to the same sum.

/** The counter of that name; as fil_queue. */
struct fil_pn_counter *fil_pn_counter(struct fil_grid *grid, const char *name);

/** Adds a number, which may be below 0. */
int fil_pn_counter_add(struct fil_pn_counter *counter, int64_t delta, int64_t *out_after);

/** What it is, this client's own changes included. */
int fil_pn_counter_get(struct fil_pn_counter *counter, int64_t *out_value);

// Ids: unique in the cluster and roughly in the order of time, without a round trip for each.

/** The generator of that name; as fil_queue. */
struct fil_flake_ids *fil_flake_ids(struct fil_grid *grid, const char *name);

/** The next id: of the last batch of 100, or of a new one when that is used up or ten minutes old.
 */
int fil_flake_ids_next(struct fil_flake_ids *ids, int64_t *out_id);

// Cardinality: how many different values there were, in a few kilobytes, with an error of 0.81 %.

/** The estimator of that name; as fil_queue. */
struct fil_cardinality_estimator *fil_cardinality_estimator(struct fil_grid *grid,
                                                            const char *name);

/** Counts the value, unless it was counted before. Only a hash of it leaves this process. */
int fil_cardinality_estimator_add(struct fil_cardinality_estimator *estimator,
                                  struct fil_value value);
int fil_cardinality_estimator_estimate(struct fil_cardinality_estimator *estimator,
                                       uint64_t *out_estimate);

#ifdef __cplusplus
}
#endif
