// SPDX-License-Identifier: Apache-2.0
/**
 * Ring buffers: the last items that were added, under numbers that only grow, for any number of
 * readers.
 *
 * A call waits for the answer and returns FIL_OK or a negative FIL_E_*; inside of a callback it
 * fails with FIL_E_WOULD_BLOCK.
 *
 * Threads: any, at the same time.
 */
#pragma once

#include <stdint.h>

#include "filbert/error.h"
#include "filbert/value.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_grid;
struct fil_ringbuffer;

/** The ring buffer of that name; as fil_queue. */
struct fil_ringbuffer *fil_ringbuffer(struct fil_grid *grid, const char *name);

/** Adds an item in the place of the oldest, if there is no other; out_number (may be NULL) is its
 * number, from 0 on. */
int fil_ringbuffer_add(struct fil_ringbuffer *buffer, struct fil_value item, int64_t *out_number);

/** The item of that number, for which it waits if it is the next one; an error for one that is gone
 * or further ahead. It is released with fil_value_release. */
int fil_ringbuffer_read(struct fil_ringbuffer *buffer, int64_t number, struct fil_value *out_item);

/**
 * The items from that number on, 1000 at most, and waits until there are so many as wanted at
 * least; out_next (may be NULL) is the number to go on with. One that is gone stands for the
 * oldest. Released with fil_values_release.
 */
struct fil_ringbuffer_range {
    int64_t from;
    uint32_t count_min; // 0: does not wait
    uint32_t count_max; // 0: 100
};
int fil_ringbuffer_read_many(struct fil_ringbuffer *buffer,
                             const struct fil_ringbuffer_range *range, struct fil_values *out_items,
                             int64_t *out_next);

/** The numbers of the oldest and of the newest item; the newest is one below when there is none. */
int fil_ringbuffer_head(struct fil_ringbuffer *buffer, int64_t *out_number);
int fil_ringbuffer_tail(struct fil_ringbuffer *buffer, int64_t *out_number);

int fil_ringbuffer_size(struct fil_ringbuffer *buffer, uint64_t *out_size);
int fil_ringbuffer_capacity(struct fil_ringbuffer *buffer, uint64_t *out_capacity);

#ifdef __cplusplus
}
#endif
