// SPDX-License-Identifier: Apache-2.0
/**
 * All workers of a member, shared by all jobs, and the jobs' places with them.
 *
 * Threads: slots are claimed and freed by any thread; init, start, stop and fini by one.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/stream/worker.h"
#include "lib/mem/budget.h"

#define FIL_WORKERS_MAX      256U
#define FIL_WORKERS_JOBS_MAX 1024U

struct fil_workers_options {
    struct fil_env *env;
    struct fil_budget *budget; // for batches
    uint32_t worker_count;
    uint32_t jobs_max;     // 0: FIL_WORKERS_JOBS_MAX
    uint64_t budget_ns;    // of a step; 0: FIL_WORKER_BUDGET_NS
    bool has_no_hand_over; // tasklets stay where they were placed
    uint64_t shake_seed;   // tests: not 0, and tasklets move at random
};

/** A job's place. */
struct fil_workers_slot {
    _Atomic uint32_t weight; // 0: free
};

struct fil_workers {
    struct fil_workers_options options;
    struct fil_worker *items;
    uint32_t count;
    struct fil_workers_slot *slots;
    _Atomic uint32_t next_worker; // where the next job begins to be placed
    bool is_started;
};

/** FIL_E_NOMEM. */
int fil_workers_init(struct fil_workers *workers, const struct fil_workers_options *options)
    FIL_NODISCARD;

/** No job is left; harmless after a failed init. */
void fil_workers_fini(struct fil_workers *workers);

/** A thread for each worker. A simulation calls the cycles instead. */
int fil_workers_start(struct fil_workers *workers) FIL_NODISCARD;
void fil_workers_stop(struct fil_workers *workers);

/** A place for a job of this weight (1 and more); FIL_E_FULL when there are too many jobs. */
FIL_ANY_THREAD int fil_workers_claim(struct fil_workers *workers, uint32_t weight,
                                     uint32_t *out_slot) FIL_NODISCARD;
FIL_ANY_THREAD void fil_workers_release(struct fil_workers *workers, uint32_t slot);

/** Weight of the job in a slot, 0 when there is none. */
FIL_ANY_THREAD uint32_t fil_workers_weight(const struct fil_workers *workers, uint32_t slot);

/** Without threads: runs all cycles once; returns the steps. */
uint32_t fil_workers_cycle(struct fil_workers *workers);

/** Inside this folder: the slot's share has ready tasklets again. */
void fil_worker__activate(struct fil_worker *worker, uint32_t slot);
