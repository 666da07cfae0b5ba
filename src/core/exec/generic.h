// SPDX-License-Identifier: Apache-2.0
/**
 * The generic pool: work that belongs to no partition.
 *
 * All workers take from one shared queue, so the load balances by itself, and look at the priority
 * queue first. One more thread is reserved for priority work: what keeps the cluster alive is not
 * stuck behind slow work of users.
 *
 *     submit ----> normal queue ----+--> workers 1 .. n
 *                                   |      ^
 *     submit_priority -> priority queue ---+--> worker 0, reserved
 *
 * Wake-ups: a push wakes at most one worker, and only if one is parked; priority work wakes the
 *           reserved thread first. A worker that leaves more behind than it takes wakes the next.
 * Order:    tasks start in the order of their push, and then run side by side.
 * Limits:   new work is refused when its queue is full; see task_queue.h for what is not refused.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/crew.h"
#include "core/exec/task.h"
#include "core/exec/task_queue.h"
#include "lib/base/attr.h"
#include "lib/conc/idle.h"
#include "lib/conc/role.h"
#include "lib/os/cpu_set.h"
#include "lib/os/env.h"

#define FIL_GENERIC_WORKERS_MAX       (FIL_CREW_MEMBERS_MAX - 1)
#define FIL_GENERIC_RESERVED          0U // the index of the thread for priority work
#define FIL_GENERIC_CAPACITY          65536U
#define FIL_GENERIC_PRIORITY_CAPACITY 4096U

struct fil_generic_options {
    struct fil_env *env;
    uint32_t worker_count;      // without the reserved one; 1 to FIL_GENERIC_WORKERS_MAX
    uint32_t capacity;          // tasks; rounded up to a power of two
    uint32_t priority_capacity; // likewise
    enum fil_idle_kind idle;
    const struct fil_cpu_set *cpus;      // NULL: any; must outlive the pool
    const struct fil_stage_hooks *hooks; // for the threads; NULL: none; must outlive the pool

    /**
     * One for each thread, the reserved one first: to run operations on partitions and to write to
     * connections from tasks, and to be watched. NULL: none. Must outlive the pool.
     */
    struct fil_runner *const *runners;
};

struct fil_generic {
    struct fil_target target; // first: the pool is a target, of normal priority
    struct fil_target priority_target;
    struct fil_env *env;
    struct fil_task_queue normal;
    struct fil_task_queue priority;
    struct fil_crew crew;
};

struct fil_generic_stats {
    uint64_t queue_length;
    uint64_t priority_queue_length;
    uint64_t refused_count; // by full queues
    uint64_t priority_refused_count;
    uint64_t overflow_count; // tasks taken although the queue was full
    struct fil_crew_stats crew;
};

/** Half of the cpus as workers, at least two, and the capacities above. */
struct fil_generic_options fil_generic_defaults(struct fil_env *env, uint32_t cpu_count);

/** FIL_E_INVALID for counts out of range, FIL_E_NOMEM. */
int fil_generic_init(struct fil_generic *generic, const struct fil_generic_options *options)
    FIL_NODISCARD;

/** The pool has been stopped (or never started) and nothing is queued. */
void fil_generic_fini(struct fil_generic *generic);

int fil_generic_start(struct fil_generic *generic) FIL_NODISCARD;

/** Runs what is queued, then ends the threads. Nobody may submit any more but running tasks. */
void fil_generic_stop(struct fil_generic *generic);

/** FIL_E_FULL, and counted, when the queue is full; the task then still is the caller's. */
FIL_ANY_THREAD int fil_generic_submit_try(struct fil_generic *generic, struct fil_task *task)
    FIL_NODISCARD;
FIL_ANY_THREAD int fil_generic_submit_priority_try(struct fil_generic *generic,
                                                   struct fil_task *task) FIL_NODISCARD;

/** As the targets do: always taken, for continuations of what has been admitted. */
FIL_ANY_THREAD void fil_generic_submit(struct fil_generic *generic, struct fil_task *task);
FIL_ANY_THREAD void fil_generic_submit_priority(struct fil_generic *generic, struct fil_task *task);

/** From a task: the runner of the thread that runs it; NULL when the pool has none. */
struct fil_runner *fil_generic_runner(void);

/** Threads of the pool, the reserved one included: the indexes of cycle. */
uint32_t fil_generic_thread_count(const struct fil_generic *generic);

/** One bounded turn of a worker; returns how many tasks it ran. */
uint32_t fil_generic_cycle(struct fil_generic *generic, uint32_t index) FIL_RUNS_ON(generic);

FIL_ANY_THREAD void fil_generic_read(struct fil_generic *generic,
                                     struct fil_generic_stats *out_stats);
