// SPDX-License-Identifier: Apache-2.0
/**
 * A running graph: its instances as tasklets on the workers, its end, its failure.
 *
 *   submit ---> RUNNING ---- all instances done ----> COMPLETED
 *                  |------- a processor failed -----> FAILED     (error and vertex)
 *                  +------- cancel -----------------> CANCELLED
 *
 * A failing or cancelled job stops at the next step of each of its tasklets. A job is over when its
 * last tasklet is; until then nothing of it is freed.
 *
 * Threads: submit, cancel, state, wait and the statistics are for any thread that holds the job;
 *          free is for the last holder, when the job is over.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/stream/dag.h"
#include "core/stream/driver.h"
#include "core/stream/workers.h"

enum fil_job_state {
    FIL_JOB_RUNNING,
    FIL_JOB_COMPLETED,
    FIL_JOB_FAILED,
    FIL_JOB_CANCELLED,
};

/** Where the state of a job's processors goes; called on the workers' threads. */
struct fil_snapshots {
    /** False: no room now; the snapshots wake the tasklet when there is. */
    bool (*put)(struct fil_snapshots *snapshots, const struct fil_driver *driver, int64_t id,
                struct fil_bytes key, struct fil_bytes value);
    /** An instance has saved all of its state. */
    void (*saved)(struct fil_snapshots *snapshots, const struct fil_driver *driver, int64_t id);
};

typedef void (*fil_job_done_fn)(struct fil_job *job, void *context);

struct fil_job_options {
    const char *name;
    uint32_t weight;                 // against other jobs; 0: 1
    bool is_at_least_once;           // barriers do not hold back their inputs
    struct fil_budget *budget;       // for state; NULL: that of the batches
    struct fil_snapshots *snapshots; // NULL: barriers pass, nothing is saved
    fil_job_done_fn on_done;         // on a worker's thread, before the job is over; may be NULL
    void *context;
};

struct fil_job {
    // Set by submit, then read-only.
    struct fil_job_options options;
    char name[FIL_DAG_NAME_MAX];
    struct fil_workers *workers;
    uint32_t slot;
    struct fil_dag dag;
    struct fil_driver *drivers; // all instances, vertex by vertex
    uint32_t driver_count;
    uint32_t *first_driver; // by vertex
    struct fil_ring *rings;
    uint32_t ring_count;
    struct fil_worker *dedicated; // threads of blocking instances
    uint32_t dedicated_count;

    // Shared.
    _Atomic uint32_t live_count; // tasklets that are not done
    _Atomic uint32_t state;
    _Atomic uint32_t stop_reason;
    _Atomic int64_t barrier_id;
    _Atomic uint32_t saved_count; // instances that have saved for the last barrier

    // Written by the one that failed, read when the job is over.
    int error;
    uint32_t failed_vertex;
};

/** What the instances of a vertex have done together. */
struct fil_job_vertex_stats {
    uint64_t record_count; // that came in
    uint64_t busy_ns;
    uint64_t idle_ns;
    uint64_t blocked_ns;
    uint64_t ready_ns;
    uint64_t step_count;
    uint64_t overrun_count;
    uint64_t longest_ns;
    uint64_t move_count;
};

/**
 * Checks, places and starts a graph, which may go afterwards. FIL_E_FULL when there are too many
 * jobs, FIL_E_NOMEM, or the graph's error (dag->text tells it).
 */
int fil_job_submit(struct fil_workers *workers, struct fil_dag *dag,
                   const struct fil_job_options *options, struct fil_job **out_job) FIL_NODISCARD;

/** The job is over. */
void fil_job_free(struct fil_job *job);

/** Asks it to stop; it is over some steps later. Harmless when it is over. */
FIL_ANY_THREAD void fil_job_cancel(struct fil_job *job);

FIL_ANY_THREAD enum fil_job_state fil_job_state(const struct fil_job *job);
const char *fil_job_state_name(enum fil_job_state state);

/** Not on a worker's thread: waits until the job is over. FIL_E_TIMEOUT. */
int fil_job_wait(struct fil_job *job, int64_t timeout_ns) FIL_NODISCARD;

/** Of a failed job: why, and where. */
int fil_job_error(const struct fil_job *job);
const char *fil_job_failed_vertex(const struct fil_job *job);

FIL_ANY_THREAD void fil_job_vertex_stats(const struct fil_job *job, uint32_t vertex,
                                         struct fil_job_vertex_stats *out_stats);

/** Asks the sources for the next barrier; returns its number. The last one must be through. */
FIL_ANY_THREAD int64_t fil_job_request_barrier(struct fil_job *job);

/** Whether all instances have saved for the last barrier. */
FIL_ANY_THREAD bool fil_job_is_saved(const struct fil_job *job);

/** Without threads: runs the blocking instances' cycles; returns the steps. */
uint32_t fil_job_cycle(struct fil_job *job);

// For the drivers.

struct fil_job_instance_writer {
    struct fil_state_writer base;
    struct fil_snapshots *snapshots;
    const struct fil_driver *driver;
};

struct fil_job_instance_writer fil_job_state_writer(struct fil_job *job,
                                                    const struct fil_driver *driver);
void fil_job_told_saved(struct fil_job *job, const struct fil_driver *driver);
void fil_job_told_done(struct fil_job *job);
void fil_job_fail(struct fil_job *job, int error, uint32_t vertex);
int64_t fil_job_barrier(const struct fil_job *job);

static inline bool fil_job_is_stopping(const struct fil_job *job)
{
    // A1 pairs with R1 in job.c.
    return atomic_load_explicit(&job->stop_reason, memory_order_acquire) != 0;
}
