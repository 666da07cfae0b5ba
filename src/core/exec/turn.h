// SPDX-License-Identifier: Apache-2.0
/**
 * An I/O loop's way into the kernel during one turn: runs operations in place
 * where it can, and hands the others over at the end of the turn, grouped by
 * partition.
 *
 * Order: an operation behind one that is staged for the same partition is
 * staged too, and a partition with mail cannot be entered, so the operations of
 * a connection reach a partition in the order in which they came.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/exec.h"
#include "core/exec/partition.h"
#include "core/exec/runner.h"
#include "lib/base/attr.h"
#include "lib/mem/pool.h"

struct fil_staged {
    struct fil_op *newest; // NULL: nothing staged
    struct fil_op *oldest;
};

struct fil_turn {
    struct fil_runner runner;
    struct fil_staged *staged; // one a partition
    fil_partition_id *touched; // partitions with something staged
    uint32_t touched_count;
    uint32_t runs_until_look; // operations in place until the clock is looked at again
    bool is_spent;            // the budget of this turn is used up
    uint64_t started_ns;
    struct fil_pool ops; // blocks for operations that are handed over
};

/** Size of the blocks in turn->ops. */
#define FIL_TURN_OP_BYTES 1024U

int fil_turn_init(struct fil_turn *turn, struct fil_exec *exec, const char *name,
                  struct fil_pool *chunks) FIL_NODISCARD;

/** First thing on the loop's thread. */
void fil_turn_enter_thread(struct fil_turn *turn);

void fil_turn_fini(struct fil_turn *turn);

/** First thing in a turn; the time is the loop's. */
void fil_turn_begin(struct fil_turn *turn, uint64_t now_ns);

/** The partition, entered, or NULL when the operation must be staged. Leave it
 * with leave. */
struct fil_partition *fil_turn_enter(struct fil_turn *turn, fil_partition_id id);

/** After an operation in place. */
void fil_turn_leave(struct fil_turn *turn, struct fil_partition *partition);

/**
 * Whether the turn has run operations for as long as it may: the loop should see to its other
 * connections and go on next turn.
 */
static inline bool fil_turn_is_spent(const struct fil_turn *turn)
{
    return turn->is_spent;
}

/** Hands the operation over at the end of the turn; at once when batching is
 * off. */
void fil_turn_stage(struct fil_turn *turn, struct fil_op *op);

/** Last thing in a turn: delivers what is staged, writes replies, wakes whom it
 * owes. */
void fil_turn_end(struct fil_turn *turn);
