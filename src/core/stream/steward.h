// SPDX-License-Identifier: Apache-2.0
/**
 * Looks after a job over its whole life: takes its snapshots, starts it again from the last one
 * when it fails, suspends and resumes it, exports its state.
 *
 *   STARTING --> RUNNING ----> COMPLETED
 *      ^          | | |------> FAILED      error, vertex and words
 *      |          | | +------> CANCELLED
 *      +- failed -+ +--------> SUSPENDED --- resume ---> STARTING
 *         or restart
 *
 * A snapshot: ask for a barrier, wait until all have saved, write it to the store (from here on it
 * counts), tell the processors to commit. A job that has ended gets a last one of these, so that
 * what its sinks made ready becomes visible exactly once. What fails on the way (memory, the disk)
 * costs that snapshot, not the job, and is counted.
 *
 * Requests are noted by any thread and done by the cycle; the one that was noted last counts. Two
 * stewards must not have the same job's name at once: their snapshots would mix.
 *
 * Threads: one thread calls cycle, and may block in the store; request, wait and the look at state
 * and statistics are for any.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/stream/job.h"
#include "core/stream/snapshot_store.h"
#include "filbert/stream.h"
#include "lib/conc/counter.h"

#define FIL_STEWARD_TEXT_MAX 400U

enum fil_steward_state {
    FIL_STEWARD_STARTING,
    FIL_STEWARD_RUNNING,
    FIL_STEWARD_SUSPENDED,
    FIL_STEWARD_COMPLETED,
    FIL_STEWARD_FAILED,
    FIL_STEWARD_CANCELLED,
};

enum fil_steward_request {
    FIL_STEWARD_NOTHING,
    FIL_STEWARD_SUSPEND, // with a last snapshot
    FIL_STEWARD_RESUME,
    FIL_STEWARD_RESTART, // with a last snapshot, then again from it
    FIL_STEWARD_EXPORT,  // a snapshot under a name
    FIL_STEWARD_CANCEL,
};

struct fil_steward_options {
    const char *name; // of the job, valid as that of a snapshot
    struct fil_workers *workers;
    struct fil_snapshot_store *store; // needed for a guarantee
    enum fil_guarantee guarantee;
    uint64_t interval_ns;      // between two snapshots; 0: ten seconds
    uint32_t restart_max;      // after failures; then it has failed
    uint64_t restart_delay_ns; // before the first restart, doubled for each; 0: 0.1 seconds
    const char *start_from;    // name of an exported snapshot; NULL: the job's own last one, if any
    bool is_new;               // forgets the job's own last snapshot
    bool may_drop_state;       // of vertices that are gone
    uint32_t weight;
    struct fil_budget *budget;
    fil_job_change_fn on_change; // there may be something to do for cycle; see job.h
    void *context;
};

struct fil_steward_stats {
    struct fil_counter snapshot_count;
    struct fil_counter failed_snapshot_count;
    struct fil_counter restart_count;
    struct fil_counter last_snapshot_bytes;
    struct fil_counter last_snapshot_ns; // from the barrier's request to its commit
};

enum fil_steward_phase {
    FIL_STEWARD_IDLE,
    FIL_STEWARD_SAVING,
    FIL_STEWARD_COMMITTING,
    FIL_STEWARD_STOPPING,
};

struct fil_steward {
    // Set by init, then read-only.
    struct fil_steward_options options;
    char name[FIL_DAG_NAME_MAX];
    char start_from[FIL_SNAPSHOT_NAME_MAX];
    struct fil_dag dag;

    // Shared.
    _Atomic uint32_t state;
    _Atomic uint32_t request;
    _Atomic uint32_t is_exporting;           // 1: an export is under way
    char export_name[FIL_SNAPSHOT_NAME_MAX]; // written before the request
    struct fil_steward_stats stats;

    // The cycle's own; the cause may be read when the state says FAILED.
    struct fil_snapshots snapshots;
    struct fil_job *job;
    struct fil_job_vertex_stats *figures; // by vertex: of the executions that are over
    struct fil_snapshot *current;         // being filled
    struct fil_snapshot *last;            // where a restart begins
    enum fil_steward_phase phase;
    enum fil_steward_request pending; // being done
    bool is_final;                    // the snapshot after which the job is finished
    uint64_t began_ns;                // of the snapshot
    uint64_t due_ns;                  // of the next snapshot, or start
    uint32_t failure_count;           // since the last snapshot
    int error;
    char text[FIL_STEWARD_TEXT_MAX]; // of the failure
};

/**
 * Checks the graph and takes a copy; processors' configurations stay borrowed until fini.
 * FIL_E_INVALID, FIL_E_NOMEM or the graph's error; the text says why.
 */
int fil_steward_init(struct fil_steward *steward, struct fil_dag *dag,
                     const struct fil_steward_options *options, char out_text[FIL_STEWARD_TEXT_MAX])
    FIL_NODISCARD;

/** No execution is left: the state is one of the last four. Snapshots stay in the store. */
void fil_steward_fini(struct fil_steward *steward);

/** A crash, for tests: stops at once; nothing is saved, committed or told. */
void fil_steward_abandon(struct fil_steward *steward);

/** Does what is due; returns when it wants to be called at the latest, FIL_TASKLET_NEVER: if told.
 */
uint64_t fil_steward_cycle(struct fil_steward *steward, uint64_t now_ns);

/**
 * The last request counts that was not begun; a cancellation is not replaced. A suspended job that
 * is resumed is STARTING when this returns; one that is still being suspended starts when that is
 * done.
 */
FIL_ANY_THREAD void fil_steward_ask(struct fil_steward *steward, enum fil_steward_request request);

/** FIL_E_INVALID: no good name, or no guarantee; FIL_E_FULL: another export is under way. */
FIL_ANY_THREAD int fil_steward_export(struct fil_steward *steward, const char *name) FIL_NODISCARD;

/** What a vertex has done in all executions; by the thread of the cycle, or while it is kept out.
 */
void fil_steward_vertex_stats(const struct fil_steward *steward, uint32_t vertex,
                              struct fil_job_vertex_stats *out_stats);

FIL_ANY_THREAD enum fil_steward_state fil_steward_state(const struct fil_steward *steward);
const char *fil_steward_state_name(enum fil_steward_state state);

/** Whether nothing more will happen without a request. */
FIL_ANY_THREAD bool fil_steward_is_over(const struct fil_steward *steward);
