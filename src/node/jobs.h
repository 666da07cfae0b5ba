// SPDX-License-Identifier: Apache-2.0
/**
 * The stream jobs of a member: submitted as job files, known by their names, run by one engine.
 *
 * A name belongs to one job that is not over. Jobs that are over are kept for those who ask what
 * became of them, up to a limit; light ones are forgotten at once. A new job may take the name of
 * one that is over.
 *
 * Stopping: jobs with a guarantee are suspended with a last snapshot, the others are cancelled.
 *
 * Threads: start and stop by the member's owner; the others by any. One mutex, held for the look at
 *          the list and for what is done with a job; stop waits under it, and who wants something
 *          of the snapshots, for the keeper.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/pipeline/engine.h"
#include "core/pipeline/job_file.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/list.h"
#include "lib/conc/counter.h"
#include "lib/log/log.h"
#include "lib/os/mutex.h"
#include "node/job_output.h"

/** Jobs that are over and still known. */
#define FIL_JOBS_HISTORY_MAX 100U
#define FIL_JOBS_REASON_MAX  512U

struct fil_jobs_options {
    struct fil_engine_options engine;
    struct fil_log *log;          // NULL: nothing is told
    const char *packages;         // folder of job packages; NULL: none
    struct fil_job_bounds bounds; // of what jobs may use
    uint64_t stop_timeout_ns;     // how long stop waits for last snapshots
};

struct fil_jobs_stats {
    struct fil_counter submitted;
    struct fil_counter refused; // faults and limits
    struct fil_counter completed;
    struct fil_counter failed;
    struct fil_counter cancelled;
    struct fil_counter suspended;
    struct fil_counter restarted; // executions begun again, after failures or because asked to
};

enum fil_jobs_request {
    FIL_JOBS_CANCEL,
    FIL_JOBS_SUSPEND,
    FIL_JOBS_RESUME,
    FIL_JOBS_RESTART,
};

/** What a vertex had done at some moment. */
struct fil_jobs_sample {
    uint64_t time_ns;
    uint64_t received[FIL_ENGINE_VERTICES_MAX];
    uint64_t sent[FIL_ENGINE_VERTICES_MAX];
};

/** A job, for who holds the mutex. */
struct fil_jobs_item {
    struct fil_list link; // newest first
    struct fil_job_file file;
    struct fil_job_output output;
    struct fil_stream_job *job;
    const char *name; // the pipeline's
    bool is_light;
    uint64_t submitted_ns;
    uint64_t submitted_ms;             // time of day
    struct fil_jobs_sample samples[2]; // an older one, by which rates are told, and a newer one
};

struct fil_jobs {
    // Set by init, then read-only.
    struct fil_jobs_options options;

    // Set by start and stop, which nobody else runs beside.
    struct fil_stream *stream;

    struct fil_mutex mutex;
    struct fil_list items; // guarded
    uint32_t item_count;   // guarded
    bool is_closed;        // guarded
    bool has_stuck;        // guarded: one did not end in time

    _Atomic bool is_hurried;

    struct fil_jobs_stats stats; // refused and submitted under the mutex, others by the keeper
};

void fil_jobs_init(struct fil_jobs *jobs, const struct fil_jobs_options *options);
void fil_jobs_fini(struct fil_jobs *jobs);

/** FIL_E_NOMEM, FIL_E_SYSTEM, FIL_E_DENIED for the folder. */
int fil_jobs_start(struct fil_jobs *jobs) FIL_NODISCARD;

/**
 * Takes no more jobs; suspends or cancels all, and waits for that: while the loops still run, which
 * bring the answers that jobs wait for. Jobs can still be looked at.
 */
void fil_jobs_close(struct fil_jobs *jobs);

/** The time that close gives to last snapshots is over. */
FIL_ANY_THREAD void fil_jobs_hurry(struct fil_jobs *jobs);

/**
 * Closes, if that was not done, and ends the engine; nobody else asks for jobs any more. False when
 * a job did not end in time, because a processor does not return: it is named in the log, and the
 * engine's threads stay.
 */
bool fil_jobs_stop(struct fil_jobs *jobs) FIL_NODISCARD;

/** How to submit; all zero is fine. */
struct fil_jobs_submission {
    uint32_t parallelism;   // 0: what the file says
    uint32_t weight;        // 0: what the file says
    const char *start_from; // an exported snapshot
    const char *package;    // name in the folder of packages, in place of the text; or NULL
    bool is_new;
    bool is_light;
};

/**
 * Checks and starts a job file. out_name gets the job's name, out_reason why not. FIL_E_MALFORMED
 * for a fault, with line and column; FIL_E_EXISTS, FIL_E_FULL, FIL_E_STOPPING, FIL_E_NOMEM.
 */
int fil_jobs_submit(struct fil_jobs *jobs, struct fil_bytes text,
                    const struct fil_jobs_submission *how, char out_name[FIL_ENGINE_NAME_MAX],
                    char out_reason[FIL_JOBS_REASON_MAX]) FIL_NODISCARD;

/** The job of that name; NULL. */
struct fil_jobs_item *fil_jobs_find(struct fil_jobs *jobs, const char *name)
    FIL_TSA(requires_capability(jobs->mutex));

/** FIL_E_NOT_FOUND; FIL_E_INVALID when the job is over, or cannot be resumed as it is running. */
int fil_jobs_ask(struct fil_jobs *jobs, const char *name, enum fil_jobs_request request)
    FIL_NODISCARD;

/** A snapshot under a name. FIL_E_NOT_FOUND, FIL_E_INVALID, FIL_E_FULL. */
int fil_jobs_export(struct fil_jobs *jobs, const char *name, const char *snapshot) FIL_NODISCARD;

/** Snapshots by name, as fil_stream_list_snapshots and fil_stream_remove_snapshot; FIL_E_STOPPING.
 */
int fil_jobs_list_snapshots(struct fil_jobs *jobs, fil_stream_name_fn each, void *context)
    FIL_NODISCARD;
int fil_jobs_remove_snapshot(struct fil_jobs *jobs, const char *snapshot) FIL_NODISCARD;

/** A job that is over is forgotten at once. FIL_E_NOT_FOUND, FIL_E_EXISTS while it is not over. */
int fil_jobs_forget(struct fil_jobs *jobs, const char *name) FIL_NODISCARD;

/** Jobs that are not over. */
uint32_t fil_jobs_live_count(struct fil_jobs *jobs);

/** Rates of a vertex in records a second, since the older sample; takes a new one when it is due.
 */
struct fil_jobs_rate {
    double received;
    double sent;
};
void fil_jobs_sample(struct fil_jobs_item *item, uint64_t now_ns);
struct fil_jobs_rate fil_jobs_rate(const struct fil_jobs_item *item, uint32_t vertex,
                                   const struct fil_stream_vertex *figures, uint64_t now_ns);
