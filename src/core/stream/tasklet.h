// SPDX-License-Identifier: Apache-2.0
/**
 * A piece of work that a worker runs step by step, and only when it is ready.
 *
 *              wake                 worker picks it
 *   PARKED -----------> QUEUED ----------------------> RUNNING <-----> AGAIN (woken meanwhile)
 *      ^                   ^                              |
 *      |                   +---- there is more to do -----+
 *      +------------------------- has to wait ------------+-----> DONE
 *
 * Whoever makes something for it to do (pushes into its ring, frees room in a ring it waits for)
 * wakes it afterwards. A wake of a running tasklet is remembered in its state, so a look at the
 * rings that came too early is repeated: nothing is missed, and nobody polls.
 *
 * Threads: wake may be called from any thread. Everything else belongs to the worker whose home
 *          the tasklet is; home changes only while that worker has it RUNNING or about to run.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"

#define FIL_TASKLET_NEVER UINT64_MAX

enum fil_step {
    FIL_STEP_PROGRESS, // there may be more to do at once
    FIL_STEP_IDLE,     // waits for input, or for its wake time
    FIL_STEP_BLOCKED,  // waits for room in its output
    FIL_STEP_DONE,     // never to be run again
};

enum fil_tasklet_state {
    FIL_TASKLET_PARKED,
    FIL_TASKLET_QUEUED,
    FIL_TASKLET_RUNNING,
    FIL_TASKLET_AGAIN,
    FIL_TASKLET_DONE,
};

struct fil_tasklet;
struct fil_worker;

struct fil_tasklet_ops {
    /** A bounded piece of work, about a tenth of a millisecond. */
    enum fil_step (*step)(struct fil_tasklet *tasklet);
    /** After the step that said DONE; the worker touches the tasklet no more. */
    void (*done)(struct fil_tasklet *tasklet);
};

/** Where a tasklet's time went: busy, idle, blocked and ready add up to its life. */
struct fil_tasklet_stats {
    struct fil_counter step_count;
    struct fil_counter busy_ns;
    struct fil_counter idle_ns;       // parked for want of input
    struct fil_counter blocked_ns;    // parked for want of room: back-pressure
    struct fil_counter ready_ns;      // in the worker's queue
    struct fil_counter overrun_count; // steps longer than the budget
    struct fil_counter longest_ns;    // of all steps
    struct fil_counter move_count;    // hand-overs to another worker
};

struct fil_tasklet {
    // Set by init, then read-only.
    const struct fil_tasklet_ops *ops;
    const char *name;  // of its vertex
    uint32_t job_slot; // whose share of the worker it uses
    bool is_pinned;    // never handed over

    // Shared.
    _Atomic uint32_t state;
    _Atomic(struct fil_worker *) home;
    struct fil_link arrival; // while it is on its way to its worker
    struct fil_tasklet_stats stats;

    // The home worker's own.
    uint64_t wake_at_ns;        // set by a step that says IDLE
    struct fil_list ready;      // in its share's queue
    struct fil_list sleeping;   // among those with a wake time
    struct fil_list at_home;    // among all of the worker
    struct fil_worker *move_to; // marked: handed over instead of being run
    enum fil_step last_step;
    uint64_t since_ns;       // end of its last step
    uint64_t recent_busy_ns; // in this interval of the balance
};

void fil_tasklet_init(struct fil_tasklet *tasklet, const struct fil_tasklet_ops *ops,
                      const char *name, uint32_t job_slot);

/**
 * There may be something to do for it. `by` is the worker whose thread calls, NULL for any other
 * thread.
 */
FIL_ANY_THREAD void fil_tasklet_wake(struct fil_tasklet *tasklet, struct fil_worker *by);
