// SPDX-License-Identifier: Apache-2.0
/**
 * Runs pipelines in this process: an engine with its workers, and jobs on it.
 *
 * Threads: any thread may call these; waiting is not for functions of stages.
 */
#pragma once

#include <stdint.h>

#include "filbert/pipeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_stream;
struct fil_stream_job;

/** A line that a job logs, without an end; on any thread, of several jobs at the same time. */
typedef void (*fil_stream_log_fn)(void *context, const char *job, const char *line);

struct fil_stream_options {
    uint32_t worker_count; /* 0: as many as the machine has cores for us */
    uint64_t memory_bytes; /* for batches, state and snapshots; 0: 1 GiB */
    const char *folder;    /* where snapshots are kept, made when missing; NULL: in memory */
    fil_stream_log_fn log; /* of fil_write_log; NULL: jobs that use it are refused */
    void *log_context;
};

/** What a failure may do to results. */
enum fil_guarantee {
    FIL_GUARANTEE_NONE, /* no snapshots */
    FIL_GUARANTEE_AT_LEAST_ONCE,
    FIL_GUARANTEE_EXACTLY_ONCE
};

struct fil_stream_job_options {
    enum fil_guarantee guarantee;
    uint32_t interval_ms;   /* between two snapshots; 0: 10 seconds */
    uint32_t restart_max;   /* after failures */
    uint32_t parallelism;   /* of stages that do not say; 0: as many as there are workers */
    const char *start_from; /* an exported snapshot */
    bool is_new;            /* not from its own last snapshot */
    uint32_t weight;        /* its share of the workers' time against other jobs; 0: 1 */
};

/** Of a job's weight. */
#define FIL_STREAM_WEIGHT_MAX 1000

enum fil_stream_state {
    FIL_STREAM_STARTING,
    FIL_STREAM_RUNNING,
    FIL_STREAM_SUSPENDED,
    FIL_STREAM_COMPLETED,
    FIL_STREAM_FAILED,
    FIL_STREAM_CANCELLED
};

/** FIL_E_NOMEM, FIL_E_SYSTEM, FIL_E_DENIED. Options may be NULL. */
int fil_stream_start(struct fil_stream **out_stream, const struct fil_stream_options *options);

/** Cancels what still runs; jobs are released before. NULL is fine. */
void fil_stream_stop(struct fil_stream *stream);

/**
 * Starts a job under the pipeline's name. FIL_E_EXISTS when there is one of that name, FIL_E_FULL,
 * or the pipeline's mistake, which fil_pipeline_text tells. Options may be NULL.
 */
int fil_stream_submit(struct fil_stream *stream, struct fil_pipeline *pipeline,
                      const struct fil_stream_job_options *options,
                      struct fil_stream_job **out_job);

/** Submits, waits until it is over and releases it. FIL_OK when it completed, or why not. */
int fil_stream_run(struct fil_stream *stream, struct fil_pipeline *pipeline,
                   const struct fil_stream_job_options *options);

enum fil_stream_state fil_stream_job_state(const struct fil_stream_job *job);
const char *fil_stream_state_name(enum fil_stream_state state);

/** Of a failed job: what and where. */
int fil_stream_job_error(const struct fil_stream_job *job);
const char *fil_stream_job_text(const struct fil_stream_job *job);

/** Until it is suspended or over; FIL_E_TIMEOUT. Below 0: for ever. */
int fil_stream_job_wait(struct fil_stream_job *job, int64_t timeout_ms);

void fil_stream_job_cancel(struct fil_stream_job *job);
void fil_stream_job_suspend(struct fil_stream_job *job);

/** It is not suspended any more when this returns; one that is being suspended starts then. */
void fil_stream_job_resume(struct fil_stream_job *job);
void fil_stream_job_restart(struct fil_stream_job *job);

/** A snapshot under a name; FIL_E_INVALID, FIL_E_FULL while another one is made. */
int fil_stream_job_export(struct fil_stream_job *job, const char *name);

/** False: no more names are wanted. */
typedef bool (*fil_stream_name_fn)(void *context, const char *name);

/**
 * Tells the names of all snapshots, in no order: exported ones, and of each job its own last one,
 * which has the job's name. `each` runs on another thread while the caller waits, and does nothing
 * with the engine.
 */
int fil_stream_list_snapshots(struct fil_stream *stream, fil_stream_name_fn each, void *context);

/** FIL_E_NOT_FOUND, FIL_E_INVALID; FIL_E_EXISTS while there is a job of that name. */
int fil_stream_remove_snapshot(struct fil_stream *stream, const char *name);

/** Cancels it when it is not over, waits for that, lets go. NULL is fine. */
void fil_stream_job_release(struct fil_stream_job *job);

#ifdef __cplusplus
}
#endif
