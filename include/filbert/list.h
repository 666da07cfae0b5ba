// SPDX-License-Identifier: Apache-2.0
/**
 * Lists: items with an index, equal ones allowed.
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
#include "filbert/listen.h"
#include "filbert/value.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_grid;
struct fil_grid_list;

/** The list of that name; as fil_queue. */
struct fil_grid_list *fil_grid_list(struct fil_grid *grid, const char *name);

/** Puts an item at the end; false: the list has a bound and is full. */
int fil_grid_list_add(struct fil_grid_list *list, struct fil_value item, bool *out_is_added);

// By index, from 0 on; FIL_E_REFUSED for one that there is not.

/** Puts an item before the one at the index, or at the end. */
int fil_grid_list_insert(struct fil_grid_list *list, uint32_t index, struct fil_value item);
int fil_grid_list_get(struct fil_grid_list *list, uint32_t index, struct fil_value *out_item);
int fil_grid_list_set(struct fil_grid_list *list, uint32_t index, struct fil_value item,
                      struct fil_value *out_old);
int fil_grid_list_remove_at(struct fil_grid_list *list, uint32_t index, struct fil_value *out_old);

// By value.

/** Removes the first equal item. */
int fil_grid_list_remove(struct fil_grid_list *list, struct fil_value item, bool *out_was_there);

/** The index of the first equal item; -1: there is none. */
int fil_grid_list_find(struct fil_grid_list *list, struct fil_value item, int64_t *out_index);

// The whole list.

int fil_grid_list_size(struct fil_grid_list *list, uint64_t *out_size);
int fil_grid_list_clear(struct fil_grid_list *list);
int fil_grid_list_items(struct fil_grid_list *list, struct fil_values *out_items);

/** Items as they come and go. */
int fil_grid_list_subscribe(struct fil_grid_list *list,
                            const struct fil_item_subscribe_options *options,
                            struct fil_subscription **out_subscription);

#ifdef __cplusplus
}
#endif
