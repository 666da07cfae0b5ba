// SPDX-License-Identifier: Apache-2.0
/**
 * A running graph: its instances as tasklets on the workers, its end, its failure.
 *
 *   submit ---> RUNNING ---- all instances done ----> COMPLETED
 *                  |------- a processor failed -----> FAILED     (error and vertex)
 *                  +------- cancel -----------------> CANCELLED
 *
 * With snapshots, a barrier is asked for, saved by all instances, and committed once what they
 * saved is safe; instances that have ended wait for the job to be finished, so that the last
 * snapshot holds all of it. That is driven from outside: see steward.h.
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
#include "core/stream/snapshot.h"
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
                const struct fil_state_entry *entry);
};

typedef void (*fil_job_change_fn)(void *context);

struct fil_job_options {
    const char *name;
    uint32_t weight;                    // against other jobs; 0: 1
    bool is_at_least_once;              // barriers do not hold back their inputs
    struct fil_budget *budget;          // for state; NULL: that of the batches
    struct fil_snapshots *snapshots;    // NULL: barriers pass, nothing is saved
    const struct fil_snapshot *restore; // where to begin; NULL: anew. Borrowed until it is over
    /**
     * On a worker's thread: all have saved, committed or ended, or the job is over, which may be
     * freed by then: the context outlives the workers. NULL: nobody wants to know.
     */
    fil_job_change_fn on_change;
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
    uint32_t committer_count; // instances that commit

    // Shared.
    _Atomic uint32_t live_count; // tasklets that are not done
    _Atomic uint32_t state;
    _Atomic uint32_t stop_reason;
    _Atomic int64_t barrier_id;
    _Atomic uint32_t saved_count;     // instances that have saved for the last barrier
    _Atomic int64_t terminal_id;      // the barrier behind which nothing happens; 0: none
    _Atomic int64_t committed_id;     // the last snapshot that is safe
    _Atomic uint32_t committed_count; // instances that were told
    _Atomic uint32_t ended_count;     // instances that wait for the others to end
    _Atomic uint32_t prior_count;     // instances that must end before there can be a barrier
    _Atomic bool is_finishing;

    // Written by the one that failed, read when the job is over.
    int error;
    uint32_t failed_vertex;
    char reason[FIL_PROCESSOR_REASON_MAX]; // "": the error says it all
};

/** What the instances of a vertex have done together. */
struct fil_job_vertex_stats {
    uint64_t record_count; // that came in
    uint64_t sent_count;   // that went to others; a broadcast counts for each of them
    uint64_t late_count;   // that came too late for their windows
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

/** The same in words. */
const char *fil_job_reason(const struct fil_job *job);

FIL_ANY_THREAD void fil_job_vertex_stats(const struct fil_job *job, uint32_t vertex,
                                         struct fil_job_vertex_stats *out_stats);

/** Whether a shared worker is in a step of the job since before then: of which vertex, since when.
 */
FIL_ANY_THREAD bool fil_job_find_stuck(const struct fil_job *job, uint64_t before_ns,
                                       uint32_t *out_vertex, uint64_t *out_since_ns);

/**
 * Whether a barrier can be asked for: while an edge is held back for one of a smaller priority
 * number it could not pass.
 */
FIL_ANY_THREAD bool fil_job_can_save(const struct fil_job *job);

/**
 * Asks the sources for the next barrier; returns its number. The last one must be through and
 * committed. Behind a terminal one nothing is processed any more: the job waits to be stopped.
 */
FIL_ANY_THREAD int64_t fil_job_request_barrier(struct fil_job *job, bool is_terminal);

/** Whether all instances have saved for the last barrier. */
FIL_ANY_THREAD bool fil_job_is_saved(const struct fil_job *job);

/** What was saved for the last barrier is safe: processors make it visible. */
FIL_ANY_THREAD void fil_job_commit(struct fil_job *job);

/** Whether all that commit have done so. */
FIL_ANY_THREAD bool fil_job_is_committed(const struct fil_job *job);

/** With snapshots: whether all instances have ended and wait for finish. */
FIL_ANY_THREAD bool fil_job_is_ended(const struct fil_job *job);

/** Lets the job, which has ended, be over. */
FIL_ANY_THREAD void fil_job_finish(struct fil_job *job);

/** Without threads: runs the blocking instances' cycles; returns the steps. */
uint32_t fil_job_cycle(struct fil_job *job);

// For the drivers.

struct fil_job_instance_writer {
    struct fil_state_writer base;
    struct fil_snapshots *snapshots;
    const struct fil_driver *driver;
    uint32_t quota; // entries that it still takes
};

struct fil_job_instance_writer
fil_job_state_writer(struct fil_job *job, const struct fil_driver *driver, uint32_t quota);
void fil_job_told_saved(struct fil_job *job);
void fil_job_told_committed(struct fil_job *job);
void fil_job_told_ended(struct fil_job *job, const struct fil_driver *driver);
void fil_job_told_done(struct fil_job *job);
void fil_job_fail(struct fil_job *job, int error, uint32_t vertex, const char *reason);
int64_t fil_job_barrier(const struct fil_job *job);
int64_t fil_job_committed(const struct fil_job *job);
bool fil_job_is_terminal(const struct fil_job *job, int64_t barrier);
bool fil_job_is_finishing(const struct fil_job *job);

static inline bool fil_job_is_stopping(const struct fil_job *job)
{
    // A1 pairs with R1 in job.c.
    return atomic_load_explicit(&job->stop_reason, memory_order_acquire) != 0;
}
