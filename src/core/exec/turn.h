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
#include <stddef.h>
#include <stdint.h>

#include "core/exec/exec.h"
#include "core/exec/partition.h"
#include "core/exec/runner.h"
#include "lib/base/attr.h"
#include "lib/base/histogram.h"
#include "lib/conc/role.h"
#include "lib/mem/pool.h"

/** What a turn has to do with one partition. */
struct fil_turn_share {
    struct fil_op *newest; // staged; NULL: nothing
    struct fil_op *oldest;
    uint32_t held_count; // entered and not yet left
};

struct fil_turn {
    struct fil_runner runner;
    struct fil_partition *partitions;               // all of them
    bool can_enter;                                 // callers may run their operations
    struct fil_turn_share *shares FIL_OWNED_BY(io); // one a partition
    fil_partition_id *touched FIL_OWNED_BY(io);     // partitions with something staged
    uint32_t touched_count FIL_OWNED_BY(io);
    uint32_t runs_until_look FIL_OWNED_BY(io); // runs in place until the clock is looked at again
    uint64_t looked_ns FIL_OWNED_BY(io);       // when that was last
    bool is_spent FIL_OWNED_BY(io);            // the budget of this turn is used up
    uint64_t started_ns FIL_OWNED_BY(io);
    uint32_t unseen_runs FIL_OWNED_BY(io); // runs in place since the clock was looked at

    /**
     * What a run in place took, read by anyone. No run is timed by itself: when the clock is looked
     * at, the time since the look before (or since the turn began) is shared out evenly among the
     * runs in between, so each stands for its receiving and decoding, too. Runs after a turn's last
     * look are not in it.
     */
    struct fil_histogram in_place_ns;
    struct fil_pool ops; // blocks for operations that are handed over
    struct fil_pool large_ops;
};

/** Sizes of the blocks in turn->ops and turn->large_ops. */
#define FIL_TURN_OP_BYTES       1024U
#define FIL_TURN_LARGE_OP_BYTES 8192U

/** Where an operation of that size gets its block; NULL: it is too large for the turn's pools. */
static inline struct fil_pool *fil_turn_pool(struct fil_turn *turn, size_t size) FIL_RUNS_ON(io)
{
    if (FIL_LIKELY(size <= FIL_TURN_OP_BYTES)) {
        return &turn->ops;
    }
    return size <= FIL_TURN_LARGE_OP_BYTES ? &turn->large_ops : NULL;
}

int fil_turn_init(struct fil_turn *turn, struct fil_exec *exec, const char *name,
                  struct fil_pool *chunks) FIL_BEFORE_SHARING FIL_NODISCARD;

/** First thing on the loop's thread. */
void fil_turn_enter_thread(struct fil_turn *turn) FIL_RUNS_ON(io);

void fil_turn_fini(struct fil_turn *turn) FIL_BEFORE_SHARING;

/** First thing in a turn; the time is the loop's. */
void fil_turn_begin(struct fil_turn *turn, uint64_t now_ns) FIL_RUNS_ON(io);

/** A hint: the partition will be entered soon. */
FIL_PREFETCHES_INLINE void fil_turn_prefetch(const struct fil_turn *turn, fil_partition_id id)
    FIL_RUNS_ON(io)
{
    const struct fil_partition *partition = &turn->partitions[id];
    FIL_PREFETCH(&turn->shares[id]);
    FIL_PREFETCH(partition);
    FIL_PREFETCH(&partition->priority_line);
}

/**
 * The partition, entered, or NULL when the operation must be staged. Leave it with leave, once for
 * each time; several may be entered at once, and one several times. Nothing may be staged for a
 * partition that is entered.
 */
struct fil_partition *fil_turn_enter(struct fil_turn *turn, fil_partition_id id) FIL_RUNS_ON(io);

/** After an operation in place. */
FIL_INSIDE_PARTITION void fil_turn_leave(struct fil_turn *turn, struct fil_partition *partition)
    FIL_RUNS_ON(io);

/** After a look inside that was no operation, or several that are counted together. */
FIL_INSIDE_PARTITION void fil_turn_step_out(struct fil_turn *turn, struct fil_partition *partition)
    FIL_RUNS_ON(io);

/** So many operations have run in place, and their partitions were stepped out of. */
void fil_turn_count(struct fil_turn *turn, uint32_t runs) FIL_RUNS_ON(io);

/** Something was done that no partition has run: it takes from the turn's time as well. */
void fil_turn_step(struct fil_turn *turn) FIL_RUNS_ON(io);

/** Operations in place have moved so many bytes: after large ones the clock is looked at. */
void fil_turn_charge(struct fil_turn *turn, size_t bytes) FIL_RUNS_ON(io);

/**
 * Whether the turn has run operations for as long as it may: the loop should see to its other
 * connections and go on next turn.
 */
static inline bool fil_turn_is_spent(const struct fil_turn *turn) FIL_RUNS_ON(io)
{
    return turn->is_spent;
}

/** Hands the operation over at the end of the turn; at once when batching is
 * off. */
void fil_turn_stage(struct fil_turn *turn, struct fil_op *op) FIL_RUNS_ON(io);

/**
 * Runs the operation in place if its partition can be entered and it is not declared slow, else
 * stages it. For what will probably park: its deadline is then known to the alarm, however busy the
 * partition threads are. The partition must not be entered by this turn. complete may have been
 * called on return.
 */
void fil_turn_submit(struct fil_turn *turn, struct fil_op *op) FIL_RUNS_ON(io);

/** Last thing in a turn: delivers what is staged, writes replies, wakes whom it
 * owes. */
void fil_turn_end(struct fil_turn *turn) FIL_RUNS_ON(io);
