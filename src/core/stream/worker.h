// SPDX-License-Identifier: Apache-2.0
/**
 * A cooperative worker: runs the ready tasklets at home with it, one step at a time.
 *
 * Ready tasklets wait in the queue of their job's share; of the shares that have some, the one that
 * has used the least time for its weight is next. Tasklets that wait cost nothing: they are in no
 * queue. The clock is read once a step, which gives each tasklet's busy time for free.
 *
 * Threads: enqueue and wake are for any thread; the cycle and all it touches belong to the worker's
 *          one thread, or to the simulation that calls it.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/stream/batch.h"
#include "core/stream/tasklet.h"
#include "lib/base/prng.h"
#include "lib/conc/idle.h"
#include "lib/conc/parker.h"
#include "lib/conc/stack.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"

/** A step that takes longer is counted and named. */
#define FIL_WORKER_BUDGET_NS UINT64_C(1000000)

/** How often workers compare their loads. */
#define FIL_WORKER_BALANCE_NS UINT64_C(10000000)

struct fil_workers;

/** A job's part of a worker. */
struct fil_worker_share {
    struct fil_list active; // among the shares that have ready tasklets
    struct fil_list ready;
    uint64_t pass;   // time used, divided by the weight
    uint32_t weight; // 1 and more
};

struct fil_worker_stats {
    struct fil_counter step_count;
    struct fil_counter busy_ns;
    struct fil_counter overrun_count;
    struct fil_counter park_count;
    struct fil_counter given_count; // tasklets handed over to others
    struct fil_counter asked_count; // requests made to busier workers
};

struct fil_worker {
    // Set by init, then read-only.
    struct fil_workers *workers;
    struct fil_env *env;
    uint32_t index;
    bool is_dedicated; // runs one blocking tasklet and nothing else
    uint64_t budget_ns;
    char name[FIL_THREAD_NAME_MAX];

    // Shared.
    alignas(FIL_CACHE_LINE) struct fil_stack arrivals;
    struct fil_parker parker;
    _Atomic bool is_stopping;
    _Atomic(struct fil_worker *) asked_by; // a worker with less to do
    _Atomic uint32_t load;                 // busy part of the last interval, in thousandths
    _Atomic bool is_asleep;                // so that others need not wait for its request
    _Atomic(const char *) current_name;    // vertex of the running step; lives as long as its job
    _Atomic uint64_t current_since_ns;
    struct fil_worker_stats stats;

    // The worker's own.
    alignas(FIL_CACHE_LINE) struct fil_batch_pools pools;
    struct fil_worker_share *shares; // by job slot
    struct fil_list active;
    struct fil_list sleepers; // by wake time
    struct fil_list tasklets;
    uint64_t now_ns;
    uint64_t interval_began_ns;
    uint64_t interval_busy_ns;
    uint32_t intervals_to_rest; // after a hand-over
    uint64_t pass;              // of the share that ran last
    struct fil_prng prng;
    struct fil_thread thread;
};

/** FIL_E_NOMEM. The calling thread owns the pools until the worker's thread adopts them. */
int fil_worker_init(struct fil_worker *worker, struct fil_workers *workers, uint32_t index)
    FIL_NODISCARD;

/** Nothing is at home any more and the thread has ended; harmless after a failed init. */
void fil_worker_fini(struct fil_worker *worker);

/** Runs the cycle on a thread of its own until stop. */
int fil_worker_start(struct fil_worker *worker) FIL_NODISCARD;

/** Ends and joins the thread. */
void fil_worker_stop(struct fil_worker *worker);

/** A tasklet in state QUEUED whose home is this worker; `by` is the worker whose thread calls. */
FIL_ANY_THREAD void fil_worker_enqueue(struct fil_worker *worker, struct fil_tasklet *tasklet,
                                       struct fil_worker *by);

/** The worker's thread: runs a bounded number of steps; returns how many. */
uint32_t fil_worker_cycle(struct fil_worker *worker);

/** The worker's thread: when the next tasklet wants to be woken, or FIL_TASKLET_NEVER. */
uint64_t fil_worker_next_ns(const struct fil_worker *worker);

/** The worker's thread: gives a tasklet, which is in no queue and not running, to another. */
void fil_worker_hand_over(struct fil_worker *worker, struct fil_tasklet *tasklet,
                          struct fil_worker *to);
