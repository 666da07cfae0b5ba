// SPDX-License-Identifier: Apache-2.0
/**
 * The operations that wait in one partition, by key, in arrival order, each with its deadline.
 *
 * Threads: whoever is inside the partition.
 * Memory:  borrows the operations; made when the first one parks.
 */
#pragma once

#include <stdint.h>

#include "core/exec/op.h"
#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "lib/base/wheel.h"

#define FIL_PARKING_LINES 64U

struct fil_parking {
    uint32_t count;
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
