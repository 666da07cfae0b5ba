// SPDX-License-Identifier: Apache-2.0
/**
 * A tasklet that drives one instance of a processor: fills its inbox from the rings, calls it,
 * sends its output on, passes marks through in order.
 *
 *   RESTORING --> RUNNING -- all inputs ended --> COMPLETING --> ENDING --> ENDED --> CLOSED
 *                   ^  \                             ^  |                   ^  |
 *                   |   +-- barrier from all inputs  |  +-- barrier asked   |  +-- barrier asked
 *                   |        v                       |      for (sources)   |      for
 *                   +----- SAVING                    +----- SAVING          +----- SAVING
 *                            |
 *                            +-- last barrier --> HALTED, until the job is stopped
 *
 * Of a job with snapshots, an instance that has ended stays until all have, because later snapshots
 * must hold that it has; without snapshots it is closed at once.
 *
 * Threads: the tasklet's worker, one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/inlet.h"
#include "core/stream/outlet.h"
#include "core/stream/processor.h"
#include "core/stream/tasklet.h"
#include "core/stream/watermark.h"

struct fil_job;

enum fil_driver_state {
    FIL_DRIVER_RESTORING,
    FIL_DRIVER_RUNNING,
    FIL_DRIVER_SAVING,
    FIL_DRIVER_COMPLETING,
    FIL_DRIVER_ENDING,
    FIL_DRIVER_ENDED,
    FIL_DRIVER_HALTED,
    FIL_DRIVER_CLOSED,
};

struct fil_driver {
    struct fil_tasklet tasklet;

    // Set by who wires, then read-only.
    struct fil_job *job;
    uint32_t vertex; // number of it in the job's graph
    uint32_t number; // among all instances of the job
    bool is_prior;   // another edge is not read before this one's records are all there
    const struct fil_processor_ops *ops;
    const void *config;
    void *self;
    struct fil_inlet *inlets;
    uint32_t inlet_count;

    struct fil_processor_context context; // holds the outlets
    enum fil_driver_state state;
    enum fil_driver_state state_after_restore;
    enum fil_driver_state state_after_save;
    uint32_t restored_part; // of the snapshot
    size_t restored_bytes;  // of that part
    struct fil_inbox inbox;
    struct fil_watermarks watermarks;
    int64_t watermark; // to be processed
    bool has_watermark;
    bool is_watermark_processed; // but not passed on yet
    bool is_idle_processed;      // the same
    bool has_idle;
    bool has_started;
    int64_t barrier_id; // being gathered or saved
    bool has_barrier;
    int64_t committed_id; // the processor was told
    bool is_saved;        // but the barrier is not passed on yet
    bool is_end_emitted;  // but perhaps not delivered yet
    uint32_t next_inlet;
    uint32_t steps_to_flush;
    struct fil_counter record_count; // that came in
};

/** FIL_E_NOMEM. Inlets and outlets are there already. */
int fil_driver_init(struct fil_driver *driver) FIL_NODISCARD;

/** Closes the processor unless it has been; lets go of everything. */
void fil_driver_fini(struct fil_driver *driver);

extern const struct fil_tasklet_ops fil_driver_ops;
