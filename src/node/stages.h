// SPDX-License-Identifier: Apache-2.0
/**
 * The member's stages beside its loops and partitions: the generic pool and the event stage, whose
 * threads have a runner each, so that they can run operations, write to connections and be watched;
 * the named executors; and the service of invocations.
 *
 * Threads: init, start, stop and fini by the member's owner; cycle by a simulation.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/event.h"
#include "core/exec/exec.h"
#include "core/exec/generic.h"
#include "core/exec/invocation.h"
#include "lib/base/attr.h"
#include "node/executors.h"
#include "node/options.h"
#include "node/plan.h"
#include "node/threads.h"
#include "node/worker_kits.h"

struct fil_stages {
    struct fil_exec *exec;
    struct fil_worker_kits generic_kits;
    struct fil_worker_kits event_kits;
    struct fil_cpu_set generic_cpus; // where the options name some
    struct fil_cpu_set event_cpus;
    struct fil_generic generic;
    struct fil_events events;
    struct fil_executors executors;
    struct fil_invocation_service invocations;
    bool has_generic;
    bool has_events;
    bool has_invocations;
};

struct fil_stages_options {
    struct fil_exec *exec;
    const struct fil_options *options;
    const struct fil_plan *plan;
    struct fil_metrics *metrics;
    const struct fil_stage_hooks *hooks;
};

int fil_stages_init(struct fil_stages *stages, const struct fil_stages_options *options)
    FIL_NODISCARD;

/** The threads have ended; harmless after a failed init. */
void fil_stages_fini(struct fil_stages *stages);

/** Threads that all of them may start together. */
uint32_t fil_stages_thread_count(const struct fil_options *options, const struct fil_plan *plan);

int fil_stages_start(struct fil_stages *stages) FIL_NODISCARD;

/**
 * Ends the threads: jobs that have not begun are cancelled, generic work and events are done, what
 * was invoked fails if it does not end by itself. The loops have ended, the partitions still run.
 */
void fil_stages_stop(struct fil_stages *stages);

/** One turn of every thread on the calling one; returns how much moved. */
uint32_t fil_stages_cycle(struct fil_stages *stages) FIL_RUNS_ON(generic) FIL_RUNS_ON(event)
    FIL_RUNS_ON(executor);
