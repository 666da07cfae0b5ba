// SPDX-License-Identifier: Apache-2.0
/**
 * The operations that wait in one partition, by key, in arrival order, each with its deadline.
 *
 * Threads: whoever is inside the partition.
 * Memory:  borrows the operations; made when the first one parks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "lib/base/wheel.h"

#define FIL_PARKING_LINES 64U

struct fil_parking {
    uint32_t count;
    uint32_t sweep_line;        // where the search for unwanted operations is
    uint32_t sweep_lines;       // that it has not finished; 0: there is no search
    struct fil_list sweep_mark; // in the line, behind what it has looked at
    struct fil_wheel deadlines;
    struct fil_list lines[FIL_PARKING_LINES]; // keys share a line by their hash
};

void fil_parking_free(struct fil_parking *parking);

/** NULL when memory is out. */
struct fil_parking *fil_parking_new(uint64_t now_ns) FIL_GIVES(fil_parking_free);

void fil_parking_add(struct fil_parking *parking, struct fil_op *op, uint64_t key);

/** Takes the longest waiting operation of the key, or NULL. */
struct fil_op *fil_parking_take(struct fil_parking *parking, uint64_t key);

/** Takes an operation whose deadline has passed, or NULL. */
struct fil_op *fil_parking_take_expired(struct fil_parking *parking, uint64_t now_ns);

/** Takes this operation out; it must be parked here. */
void fil_parking_remove(struct fil_parking *parking, struct fil_op *op);

/** Takes any operation, or NULL. */
struct fil_op *fil_parking_take_any(struct fil_parking *parking);

/** Some operation is not wanted any more: a search finds it, whatever one under way has passed. */
void fil_parking_begin_sweep(struct fil_parking *parking);

/**
 * Goes on with the search: takes the next operation that is_unwanted says yes to. NULL: the search
 * is over, or *looks operations were looked at; it is counted down.
 */
struct fil_op *fil_parking_sweep(struct fil_parking *parking,
                                 bool (*is_unwanted)(struct fil_op *op), uint32_t *looks);

static inline bool fil_parking_is_swept(const struct fil_parking *parking)
{
    return parking->sweep_lines == 0;
}
