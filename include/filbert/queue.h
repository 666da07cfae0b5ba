// SPDX-License-Identifier: Apache-2.0
/**
 * Queues: items that leave in the order in which they came, each to one taker.
 *
 * A call waits for the answer and returns FIL_OK or a negative FIL_E_*; inside of a callback it
 * fails with FIL_E_WOULD_BLOCK. While it waits for an item or for room, the thread waits and
 * nothing else: in the member no thread does.
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
struct fil_queue;

/**
 * The queue of that name, which need not exist yet. It belongs to the grid: there is nothing to
 * free. NULL: the name is empty or longer than 255 bytes, or memory is out; calls with it answer
 * FIL_E_INVALID.
 */
struct fil_queue *fil_queue(struct fil_grid *grid, const char *name);

/** Adds an item, and waits so long at most for room in a full queue; out_is_added may be NULL. */
int fil_queue_offer(struct fil_queue *queue, struct fil_value item, uint64_t wait_ms,
                    bool *out_is_added);

/** Takes the next item, and waits so long at most for one; null: there is none. It is released with
 * fil_value_release. */
int fil_queue_poll(struct fil_queue *queue, uint64_t wait_ms, struct fil_value *out_item);

/** As poll, but the item stays, and nobody waits. */
int fil_queue_peek(struct fil_queue *queue, struct fil_value *out_item);

int fil_queue_size(struct fil_queue *queue, uint64_t *out_size);
int fil_queue_clear(struct fil_queue *queue);

/** Takes up to so many items at once, in their order; 0: all. */
int fil_queue_drain(struct fil_queue *queue, uint32_t count_max, struct fil_values *out_items);

/** Items as they come and go. */
int fil_queue_subscribe(struct fil_queue *queue, const struct fil_item_subscribe_options *options,
                        struct fil_subscription **out_subscription);

#ifdef __cplusplus
}
#endif
