// SPDX-License-Identifier: Apache-2.0
/** An engine and its jobs, for the files of this folder. */
#pragma once

#include <stdatomic.h>

#include "core/pipeline/engine.h"
#include "core/stream/steward.h"
#include "lib/conc/parker.h"
#include "lib/conc/stack.h"
#include "lib/os/mutex.h"
#include "lib/os/thread.h"

#define FIL_ENGINE_PATH_MAX 512U

struct fil_stream_job {
    // Set by submit, then read-only.
    struct fil_stream *stream;
    struct fil_pipeline *pipeline;
    struct fil_steward steward;

    // Shared.
    struct fil_link arrival;
    _Atomic bool is_released;

    struct fil_list named; // guarded by the stream's mutex

    // Held by the keeper for a turn of the steward, and by who looks at the job's inside.
    struct fil_mutex mutex;

    // The keeper's own.
    struct fil_list kept;
};

/** Something that only the keeper may do with the store, for a caller who waits. */
struct fil_engine_errand {
    struct fil_link link;
    const char *removed;       // name of a snapshot to remove; NULL: list all
    fil_snapshot_name_fn each; // list
    void *context;
    int error;
    _Atomic uint32_t is_done;
};

struct fil_stream {
    // Set by start, then read-only.
    struct fil_env *env;
    struct fil_budget budget;
    struct fil_workers workers;
    struct fil_snapshot_memory memory;
    struct fil_snapshot_folder folder;
    struct fil_snapshot_store *store;
    char path[FIL_ENGINE_PATH_MAX];
    struct fil_thread keeper;
    const struct fil_connector *connector;
    fil_engine_state_fn on_state;
    void *context;
    fil_stream_log_fn log; // NULL: there is none
    void *log_context;

    // Shared.
    struct fil_stack arrivals;
    struct fil_stack errands;
    struct fil_parker parker;
    _Atomic bool is_rung;
    _Atomic bool is_stopping;
    struct fil_mutex mutex;
    struct fil_list named; // guarded by the mutex

    // The keeper's own.
    struct fil_list kept;
};

/** There is something to do for the keeper; the context is the stream. */
FIL_ANY_THREAD void fil_engine__ring(void *context);

/** Keeper: what others want of the store. See named_snapshots.c. */
void fil_engine__run_errands(struct fil_stream *stream);

/** The job is over: another may have its name. */
void fil_engine__give_up_name(struct fil_stream_job *job);

/** Nobody runs or holds the job any more. */
void fil_engine__forget(struct fil_stream_job *job);
