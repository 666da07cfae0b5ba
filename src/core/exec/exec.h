// SPDX-License-Identifier: Apache-2.0
/**
 * The kernel's partitions and the threads that run them.
 *
 * Each switch of the design is an option, so that the stage lab can show what it is worth.
 *
 * Threads: partition threads and the alarm's are started by start and joined by stop; a simulation
 * calls the cycles of the stages itself. Callers bring their own struct fil_runner.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/alarm.h"
#include "core/exec/op.h"
#include "core/exec/partition.h"
#include "core/exec/partition_stage.h"
#include "core/exec/runner.h"
#include "core/exec/stage_hooks.h"
#include "lib/conc/idle.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"
#include "lib/os/cpu_set.h"
#include "lib/os/env.h"

#define FIL_PARTITIONS_MAX 65536U

struct fil_exec_options {
    struct fil_env *env;
    struct fil_budget *budget;
    uint32_t partition_count; // 1 to FIL_PARTITIONS_MAX
    uint32_t thread_count;    // 1 to FIL_RUNNER_STAGES_MAX
    enum fil_idle_kind idle;
    bool has_caller_runs;
    bool has_stealing;
    bool has_batching;                   // off: every operation and reply is handed over by itself
    bool has_wake_suppression;           // off: every hand-over makes a system call
    bool has_write_through;              // off: only the I/O loop writes to a connection
    uint64_t caller_budget_ns;           // how long an I/O loop may run operations in one turn
    const struct fil_cpu_set *cpus;      // NULL: any
    const struct fil_stage_hooks *hooks; // for the threads; NULL: none; must outlive the kernel
};

struct fil_exec;

void fil_exec_free(struct fil_exec *exec);

/** FIL_E_INVALID for counts out of range, FIL_E_NOMEM. */
int fil_exec_new(struct fil_exec **out_exec, const struct fil_exec_options *options) FIL_NODISCARD;

/** Starts the partition threads and the alarm's. */
int fil_exec_start(struct fil_exec *exec) FIL_NODISCARD;

/**
 * Ends the threads when their queues are empty. All that was submitted has completed on return:
 * operations that are parked end with FIL_E_STOPPING. Only operations and their completes may still
 * submit. Not after a failed start.
 */
void fil_exec_stop(struct fil_exec *exec);

FIL_ANY_THREAD uint32_t fil_exec_partition_count(const struct fil_exec *exec);
FIL_ANY_THREAD struct fil_partition *fil_exec_partition(struct fil_exec *exec, fil_partition_id id);
FIL_ANY_THREAD uint32_t fil_exec_stage_count(const struct fil_exec *exec);
FIL_ANY_THREAD struct fil_partition_stage *fil_exec_stage(struct fil_exec *exec, uint32_t index);
FIL_ANY_THREAD struct fil_alarm *fil_exec_alarm(struct fil_exec *exec);
FIL_ANY_THREAD const struct fil_exec_options *fil_exec_options(const struct fil_exec *exec);

/**
 * From a thread that is no stage (an embedding application's): runs the operation in place when the
 * partition is free, hands it over otherwise. complete may have been called on return.
 */
FIL_ANY_THREAD void fil_exec_submit(struct fil_exec *exec, struct fil_op *op,
                                    struct fil_runner *runner);

/** The caller of a submitted operation is gone; see fil_partition_abandon. */
FIL_ANY_THREAD void fil_exec_abandon(struct fil_exec *exec, struct fil_op *op,
                                     struct fil_runner *runner);

/** Makes a submitted operation end early; see fil_partition_cancel. */
FIL_ANY_THREAD void fil_exec_cancel(struct fil_exec *exec, struct fil_op *op,
                                    struct fil_runner *runner);
