// SPDX-License-Identifier: Apache-2.0
/** The kernel's inside, for the files of this folder. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "core/exec/exec.h"

struct fil_exec {
    struct fil_exec_options options;
    struct fil_partition *partitions;
    struct fil_partition_stage *stages;
    uint32_t stage_count; // initialised so far
    struct fil_alarm alarm;

    // Shared by those that look for help.
    _Atomic uint64_t idle_stages[FIL_RUNNER_STAGES_MAX / 64]; // which partition threads sleep
    _Atomic bool is_watched; // one of them does so for a short time only, see stealing.c
};

static inline struct fil_partition_stage *fil_exec__stage(struct fil_exec *exec, uint32_t index)
{
    return &exec->stages[index];
}

/** The partition behind a ticket of the stage, and the other way round. */
static inline struct fil_partition *fil_exec__resident(const struct fil_partition_stage *stage,
                                                       uint32_t index)
{
    const struct fil_exec *exec = stage->exec;
    return &exec->partitions[index * exec->options.thread_count + stage->index];
}

static inline uint32_t fil_exec__ticket_of(const struct fil_exec *exec, fil_partition_id id)
{
    return id / exec->options.thread_count;
}

/** A ticket of the stage whose partition could be claimed, urgent ones first; NULL: none. */
struct fil_partition *fil_partition_stage__claim(struct fil_partition_stage *stage,
                                                 struct fil_runner *runner) FIL_RUNS_ON(partition);

/**
 * Runs the operation on the calling thread; false: the partition is taken, or the operation is not
 * for callers. What it has woken is left to the home. Operations that submit others do not nest
 * without end.
 */
FIL_ANY_THREAD bool fil_exec__run_in_place(struct fil_partition *partition, struct fil_op *op,
                                           struct fil_runner *runner);

// stealing.c

/** After work was put there: wakes a thief if the stage is busy and needs one; whether it did. */
FIL_ANY_THREAD bool fil_exec__help(struct fil_exec *exec, struct fil_partition_stage *stage,
                                   uint64_t now_ns);

/** Before a run that may take long: somebody who sleeps should take what waits at the stage. */
void fil_partition_stage__call_help(struct fil_partition_stage *stage, struct fil_runner *runner)
    FIL_RUNS_ON(partition);

/** After a claim: who was woken to help, and has found other work first, wakes another. */
void fil_partition_stage__pass_on(struct fil_partition_stage *stage) FIL_RUNS_ON(partition);

/** A queued partition of another stage, claimed; NULL: none. */
struct fil_partition *fil_partition_stage__steal(struct fil_partition_stage *thief)
    FIL_RUNS_ON(partition);

/** For who is about to park. */
bool fil_partition_stage__can_steal(struct fil_partition_stage *thief) FIL_RUNS_ON(partition);
void fil_partition_stage__mark_idle(struct fil_partition_stage *stage, bool is_idle)
    FIL_RUNS_ON(partition);

/** Before a sleep: how long it may be, which is short when the thread watches the others. */
int64_t fil_partition_stage__begin_watch(struct fil_partition_stage *stage) FIL_RUNS_ON(partition);

/** After it. */
void fil_partition_stage__end_watch(struct fil_partition_stage *stage) FIL_RUNS_ON(partition);
