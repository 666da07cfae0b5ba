// SPDX-License-Identifier: Apache-2.0
/**
 * An operation: work on a partition (or on the generic pool) that somebody waits for.
 *
 * Its type says what it does and where its answer goes; the journey can be read in one place:
 *
 *     caller --submit--> mailbox --run--> done: complete, on the thread that ran it
 *                           ^        |
 *                           +-again--+--parked (until a notify, its deadline, or a cancel)
 *
 * Memory: the op is the first member of the caller's struct. From submit to complete it belongs to
 * the kernel; complete gives it back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/wheel.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"

#define FIL_OP_NO_DEADLINE UINT64_MAX

typedef uint32_t fil_partition_id;

/** Where work runs that belongs to no partition. */
#define FIL_OP_NO_PARTITION UINT32_MAX

struct fil_op;
struct fil_partition;
struct fil_runner;

enum fil_op_outcome {
    FIL_OP_DONE,   // has its result
    FIL_OP_AGAIN,  // did a slice: goes to the tail of the mailbox
    FIL_OP_PARKED, // was given to fil_partition_park
};

struct fil_op_type {
    const char *name;

    /** Runs with the partition's data to itself. Must not block; long work is sliced. */
    enum fil_op_outcome (*run)(struct fil_op *op, struct fil_partition *partition);

    /** Exactly once, with op->error set, on the thread where the op ended. Owns the op. */
    void (*complete)(struct fil_op *op, struct fil_runner *runner);

    bool is_slow; // never run by a caller, only by a partition thread
};

struct fil_op {
    struct fil_link link; // in a mailbox, or in a partition's line
    const struct fil_op_type *type;
    uint64_t call_id;
    uint64_t deadline_ns; // FIL_OP_NO_DEADLINE: none
    uint64_t submitted_ns;
    fil_partition_id partition_id;
    bool is_priority;
    _Atomic bool is_cancelled; // ends instead of running
    _Atomic bool is_abandoned; // runs, but does not wait for anything
    int error;                 // the result: FIL_OK or why it failed

    bool is_woken; // a notify let it go, and it has not parked again

    // While parked.
    uint64_t park_key;
    struct fil_list park_link; // the line of those that wait for the same key
    struct fil_timer park_timer;
};

/** Fills in what the kernel needs; the caller sets deadline and priority afterwards if it wants. */
static inline void fil_op_init(struct fil_op *op, const struct fil_op_type *type,
                               fil_partition_id partition_id)
{
    op->link.next = NULL;
    op->type = type;
    op->call_id = 0;
    op->deadline_ns = FIL_OP_NO_DEADLINE;
    op->submitted_ns = 0;
    op->partition_id = partition_id;
    op->is_priority = false;
    atomic_init(&op->is_cancelled, false);
    atomic_init(&op->is_abandoned, false);
    op->error = 0;
    op->is_woken = false;
    op->park_key = 0;
    fil_list_init(&op->park_link);
    fil_timer_init(&op->park_timer);
}
