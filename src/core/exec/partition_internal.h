// SPDX-License-Identifier: Apache-2.0
/** What partition.c, which owns the word, shares with partition_wait.c, where things wait. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/exec/partition.h"
#include "lib/base/assert.h"
#include "lib/base/attr.h"

enum fil_partition_chore {
    FIL_PARTITION_CHORE_CANCEL = 1U << 0, // an operation was cancelled: it may be parked
    FIL_PARTITION_CHORE_EXPIRE = 1U
                                 << 1,   // the deadline of a parked operation or an upkeep has come
    FIL_PARTITION_CHORE_SWEEP = 1U << 2, // the search for cancelled operations goes on
};

/** A sequentially consistent look: the chore is there before the word is moved for it. */
static inline bool fil_partition__has_chores(struct fil_partition *partition)
{
    return atomic_load_explicit(&partition->chores, memory_order_seq_cst) != 0;
}

static inline struct fil_op *fil_op__of(struct fil_link *link)
{
    return link == NULL ? NULL : FIL_CONTAINER_OF(link, struct fil_op, link);
}

static inline void fil_op_line__append(struct fil_op_line *line, struct fil_op *op)
{
    fil_debug_assert((line->first == NULL) == (line->last == NULL));
    op->link.next = NULL;
    if (line->last == NULL) {
        line->first = op;
    } else {
        line->last->link.next = &op->link;
    }
    line->last = op;
}

static inline struct fil_op *fil_op_line__take(struct fil_op_line *line)
{
    struct fil_op *op = line->first;
    if (op != NULL) {
        line->first = fil_op__of(op->link.next);
        if (line->first == NULL) {
            fil_debug_assert(line->last == op);
            line->last = NULL;
        }
    }
    return op;
}

/** As append, for an operation that was taken out of the partition before. */
FIL_INSIDE_PARTITION static inline void fil_partition__put_back(struct fil_partition *partition,
                                                                struct fil_op_line *line,
                                                                struct fil_op *op)
{
    fil_op_line__append(line, op);
    fil_counter_add(&partition->taken, UINT64_MAX); // one less: the count wraps back
}

/** Ends an operation that does not run (any more). */
FIL_INSIDE_PARTITION static inline void fil_partition__end_op(struct fil_partition *partition,
                                                              struct fil_op *op, int error)
{
    fil_assert(error != 0);
    op->error = error;
    op->type->complete(op, partition->runner);
}

/** Does a slice of the chores that there are; returns how much it has moved, at least 1. */
FIL_INSIDE_PARTITION uint32_t fil_partition__do_chores(struct fil_partition *partition);
