// SPDX-License-Identifier: Apache-2.0
/**
 * Sets: items, each only once.
 *
 * A call waits for the answer and returns FIL_OK or a negative FIL_E_*; inside of a callback it
 * fails with FIL_E_WOULD_BLOCK. The outs may be NULL.
 *
 * Threads: any, at the same time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "filbert/error.h"
#include "filbert/listen.h"
#include "filbert/value.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_grid;
struct fil_set;

/** The set of that name; as fil_queue. */
struct fil_set *fil_set(struct fil_grid *grid, const char *name);

/** Whether the item is new. */
int fil_set_add(struct fil_set *set, struct fil_value item, bool *out_is_new);

/** Whether it was there. */
int fil_set_remove(struct fil_set *set, struct fil_value item, bool *out_was_there);

int fil_set_contains(struct fil_set *set, struct fil_value item, bool *out_contains);
int fil_set_size(struct fil_set *set, uint64_t *out_size);
int fil_set_clear(struct fil_set *set);

/** All items, in no order; fil_values_release. */
int fil_set_items(struct fil_set *set, struct fil_values *out_items);

/** Items as they come and go. */
int fil_set_subscribe(struct fil_set *set, const struct fil_item_subscribe_options *options,
                      struct fil_subscription **out_subscription);

#ifdef __cplusplus
}
#endif
