// SPDX-License-Identifier: Apache-2.0
/**
 * What a member needs of an engine beyond filbert/stream.h: its own clock and memory, and a look at
 * what the jobs do.
 *
 * Threads: any; a look at a job's vertices waits while its snapshot is written.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "filbert/stream.h"
#include "lib/base/attr.h"
#include "lib/base/writer.h"
#include "lib/mem/budget.h"
#include "lib/os/env.h"

/** Sizes, with the end, of the names of jobs and vertices. */
#define FIL_ENGINE_NAME_MAX 64U

#define FIL_ENGINE_VERTICES_MAX 256U

struct fil_connector;
struct fil_snapshot_store;

/** A job's state is another one; on the keeper's thread, which must not wait for the job. */
typedef void (*fil_engine_state_fn)(void *context, const struct fil_stream_job *job);

struct fil_engine_options {
    struct fil_env *env;
    struct fil_budget *budget;             // of which the engine's memory is a part; NULL: none
    uint64_t memory_bytes;                 // its limit; 0: 1 GiB
    uint32_t worker_count;                 // 0: as many as the machine has cores for us
    uint32_t jobs_max;                     // that run at once; 0: 1024
    const char *folder;                    // of snapshots; NULL: they are in the store
    struct fil_snapshot_store *store;      // of snapshots; NULL: they are in the engine's memory
    const struct fil_connector *connector; // to structures; NULL: there are none
    fil_engine_state_fn on_state;          // NULL: nobody wants to know
    void *context;
    fil_stream_log_fn log; // of sinks that log; NULL: there is none
    void *log_context;
};

/** As fil_stream_start; ends with fil_stream_stop. */
int fil_engine_start(struct fil_stream **out_stream, const struct fil_engine_options *options)
    FIL_NODISCARD;

/** What all workers have done together, and what the jobs use. */
struct fil_engine_stats {
    uint64_t memory_bytes;
    uint64_t step_count;
    uint64_t busy_ns;
    uint64_t overrun_count;
    uint64_t move_count;
    uint64_t park_count;
};

FIL_ANY_THREAD void fil_engine_read_stats(struct fil_stream *stream,
                                          struct fil_engine_stats *out_stats);

struct fil_budget *fil_engine_budget(struct fil_stream *stream);

const char *fil_stream_job_name(const struct fil_stream_job *job);
const char *fil_pipeline_name(const struct fil_pipeline *pipeline);

/** The job's graph, which does not change: for dot, or as JSON. */
void fil_stream_job_write_graph(const struct fil_stream_job *job, bool is_json,
                                struct fil_writer *writer);

struct fil_stream_job_figures {
    uint64_t snapshot_count;
    uint64_t failed_snapshot_count;
    uint64_t restart_count;
    uint64_t last_snapshot_bytes;
    uint64_t last_snapshot_ns;
};

FIL_ANY_THREAD void fil_stream_job_read_figures(const struct fil_stream_job *job,
                                                struct fil_stream_job_figures *out_figures);

/** A vertex, and what it has done since the job was submitted. */
struct fil_stream_vertex {
    char name[FIL_ENGINE_NAME_MAX];
    uint32_t parallelism;
    uint64_t received_count;
    uint64_t sent_count;
    uint64_t late_count; // too late for their windows
    uint64_t busy_ns;
    uint64_t idle_ns;
    uint64_t blocked_ns;
    uint64_t overrun_count;
    uint64_t longest_ns;
    uint64_t move_count;
};

uint32_t fil_stream_job_vertex_count(const struct fil_stream_job *job);
FIL_ANY_THREAD void fil_stream_job_read_vertex(struct fil_stream_job *job, uint32_t number,
                                               struct fil_stream_vertex *out_vertex);

/** A step that does not return. */
struct fil_stream_job_stuck {
    char vertex[FIL_ENGINE_NAME_MAX];
    uint64_t since_ns; // how long it has been in that step
};

/** Whether a worker has been in one step of the job for more than a second, and of which vertex. */
FIL_ANY_THREAD bool fil_stream_job_find_stuck(struct fil_stream_job *job,
                                              struct fil_stream_job_stuck *out_stuck);
