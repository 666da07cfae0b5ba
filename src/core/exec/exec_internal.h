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

    // Shared: which partition threads are parked, for those that look for help.
    _Atomic uint64_t idle_stages[FIL_RUNNER_STAGES_MAX / 64];
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

/** Wakes a parked partition thread, any but this one, to take work from it; false: none is. */
bool fil_exec__wake_thief(struct fil_exec *exec, uint32_t busy_stage);
