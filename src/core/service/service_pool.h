// SPDX-License-Identifier: Apache-2.0
/**
 * A named pool of threads for handlers, with admission control in front of it.
 *
 *     io: admit --no--> the caller hears it at once
 *           |yes
 *           v
 *        queue ----> thread: still wanted, still in time? --no--> refuse
 *                       |yes
 *                       v
 *                      run
 *
 * A fixed pool has all its threads from the beginning. An elastic one, for handlers that block,
 * begins with a few; a thread that finds all others at work starts one more before it goes to work
 * itself, up to the limit. A full pool refuses: nothing ever runs on the thread that submits.
 *
 * Order:   jobs start in the order of their submission, and then run side by side.
 * Memory:  a job is a member of the caller's struct and belongs to the pool from submit to the
 *          beginning of run or refuse, which may free it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/crew.h"
#include "core/exec/exec.h"
#include "core/exec/runner.h"
#include "core/exec/task_queue.h"
#include "core/service/admission.h"
#include "lib/base/attr.h"
#include "lib/mem/pool.h"

#define FIL_SERVICE_POOL_NAME_MAX 32U

struct fil_service_job;

struct fil_service_job_ops {
    void (*run)(struct fil_service_job *job);

    /** Instead of run, on the pool's thread: too late, or the pool stops (EXPIRED). */
    void (*refuse)(struct fil_service_job *job, enum fil_admission_verdict verdict);

    /** Whether nobody wants it any more: it is refused as EXPIRED without being counted late. */
    bool (*is_cancelled)(struct fil_service_job *job);

    /** What it is called while it runs. */
    const char *(*name)(struct fil_service_job *job);
};

struct fil_service_job {
    struct fil_task task;
    const struct fil_service_job_ops *ops;
    struct fil_admission_bid bid;
    uint64_t arrived_ns;
};

struct fil_service_pool_options {
    struct fil_exec *exec;
    const char *name;
    uint32_t thread_count;                  // at the beginning
    uint32_t thread_max;                    // more than thread_count: elastic
    struct fil_admission_options admission; // worker_max is set by the pool
    const struct fil_stage_hooks *hooks;    // must outlive the pool; may be NULL
    struct fil_budget *budget;              // of what is written; NULL: the kernel's
};

/** What a thread of the pool has of its own. */
struct fil_service_worker {
    struct fil_runner runner;
    struct fil_pool chunks; // for what it writes to connections
    char name[FIL_SERVICE_POOL_NAME_MAX + 12];
};

struct fil_service_pool {
    // Set by init, then read-only.
    struct fil_service_pool_options options;
    char name[FIL_SERVICE_POOL_NAME_MAX];
    struct fil_env *env;
    struct fil_service_worker *workers;
    struct fil_runner **runners;

    // Shared.
    struct fil_admission admission;
    struct fil_task_queue queue;
    _Atomic uint32_t started_count;
    _Atomic uint32_t busy_count;
    _Atomic bool is_growing; // somebody is starting a thread
    _Atomic bool is_stopping;
    struct fil_counter run_count;
    struct fil_counter skipped_count; // nobody wanted them any more
    struct fil_crew crew;
};

/** FIL_E_INVALID for counts out of range, FIL_E_NOMEM. */
int fil_service_pool_init(struct fil_service_pool *pool,
                          const struct fil_service_pool_options *options) FIL_NODISCARD;

/** Stopped, or never started; harmless after a failed init. */
void fil_service_pool_fini(struct fil_service_pool *pool);

int fil_service_pool_start(struct fil_service_pool *pool) FIL_NODISCARD;

/** Refuses what is queued, waits for what runs, ends the threads. */
void fil_service_pool_stop(struct fil_service_pool *pool);

/**
 * ADMITTED: a place is kept for the job, whose bid is set: push or forget it. Otherwise why not.
 */
FIL_ANY_THREAD enum fil_admission_verdict fil_service_pool_admit(struct fil_service_pool *pool,
                                                                 struct fil_service_job *job,
                                                                 uint64_t now_ns) FIL_NODISCARD;

/**
 * Gives the admitted job, whose ops are set, to the pool. A thread is woken at once, or, when the
 * caller's runner is given, at the end of its turn, together with what else comes for the pool.
 */
FIL_ANY_THREAD void fil_service_pool_push(struct fil_service_pool *pool,
                                          struct fil_service_job *job, struct fil_runner *runner);

/** The admitted job does not come after all. */
FIL_ANY_THREAD void fil_service_pool_forget(struct fil_service_pool *pool,
                                            struct fil_service_job *job);

/** One bounded turn of a thread; returns how many jobs it took. */
uint32_t fil_service_pool_cycle(struct fil_service_pool *pool, uint32_t index)
    FIL_RUNS_ON(executor);

/** Threads that have been started. */
FIL_ANY_THREAD uint32_t fil_service_pool_thread_count(struct fil_service_pool *pool);

/** The runner of the calling thread if it is a pool's, else NULL. */
FIL_ANY_THREAD struct fil_runner *fil_service_pool_runner(void);
