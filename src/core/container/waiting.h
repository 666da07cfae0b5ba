// SPDX-License-Identifier: Apache-2.0
/**
 * Operations that wait for something of a container: for an item, for room.
 *
 * They are parked in arrival order, and each that is let go has been promised one of what it waits
 * for: until it runs nobody else may take that, so that nobody is overtaken. One that ends without
 * running (its deadline, a cancel, a caller that is gone) gives its promise back, and it is passed
 * on.
 *
 *     parked --wake--> woken: promised --run--> claims it
 *        |                 +--ends otherwise--> returned: passed to the next
 *        +--ends otherwise: nothing was promised
 *
 * Threads: whoever is inside the container's partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "core/exec/op.h"
#include "lib/conc/role.h"

struct fil_waiting;

/** A promise came back. */
typedef void (*fil_waiting_returned_fn)(struct fil_waiting *waiting);

/** A line of operations. */
struct fil_waiting {
    struct fil_container *container;
    uint64_t key;                     // under which they are parked
    uint64_t promised;                // to those that are woken and have not run
    fil_waiting_returned_fn returned; // NULL: nothing is promised, who is woken looks again
};

/** An operation, as what it waits for sees it. */
struct fil_waiter {
    struct fil_op *op;        // NULL: it runs in place and has not waited
    struct fil_waiting *line; // where it has to wait; set with FIL_E_AGAIN
};

/** The index tells the lines of a container apart. */
void fil_waiting_init(struct fil_waiting *waiting, struct fil_container *container, uint32_t index,
                      fil_waiting_returned_fn returned);

/** Lets up to limit of them run again; returns how many, each of them promised one. */
FIL_INSIDE_PARTITION uint64_t fil_waiting_wake_here(struct fil_waiting *waiting, uint64_t limit);

/**
 * First thing in an operation's run: it is the waiter's. FIL_E_CANCELLED when its caller is gone:
 * end it with that, for nobody would get what it takes.
 */
FIL_INSIDE_PARTITION int fil_waiter_begin_here(struct fil_waiter *waiter, struct fil_op *op)
    FIL_NODISCARD;

/** Whether the waiter runs because it was promised one of this line. */
FIL_INSIDE_PARTITION bool fil_waiter_is_promised_here(const struct fil_waiter *waiter,
                                                      const struct fil_waiting *waiting);

/** It takes what it was promised. */
FIL_INSIDE_PARTITION void fil_waiter_claim_here(struct fil_waiter *waiter);

/** It must wait in that line: returns FIL_E_AGAIN. */
FIL_INSIDE_PARTITION int fil_waiter_wait_here(struct fil_waiter *waiter,
                                              struct fil_waiting *waiting);

/**
 * Last thing in an operation's run, after FIL_E_AGAIN: parks it. Returns what run returns; the
 * operation's error is set when it cannot wait.
 */
FIL_INSIDE_PARTITION enum fil_op_outcome fil_waiter_park_here(struct fil_waiter *waiter,
                                                              struct fil_partition *partition);

/** From complete: its operation ends, in whatever way: a promise it has not claimed goes back. */
FIL_INSIDE_PARTITION void fil_waiter_end_here(struct fil_waiter *waiter);
