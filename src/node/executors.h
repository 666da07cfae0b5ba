// SPDX-License-Identifier: Apache-2.0
/**
 * The member's named executors: those that the configuration asks for, and those that are made
 * while it runs. Each has its own threads and queue (core/exec/executor.h) and shows its figures
 * under its name.
 *
 * Threads: open and find by any that may block; the others by the member's owner. The mutex guards
 *          the list and is held while an executor's threads are started.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/executor.h"
#include "core/exec/stage_hooks.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/metric/metrics.h"
#include "lib/os/env.h"
#include "lib/os/mutex.h"
#include "node/options.h"
#include "node/worker_kits.h"

#define FIL_EXECUTORS_MAX 64U

/** What one is to be like. */
struct fil_executor_wish {
    char name[FIL_EXECUTOR_NAME_MAX];
    uint32_t thread_count;
    uint32_t capacity;
    enum fil_executor_policy policy;
};

struct fil_executors {
    // Set by init, then read-only.
    struct fil_env *env;
    struct fil_exec *exec;
    struct fil_metrics *metrics;
    const struct fil_stage_hooks *hooks;
    uint64_t wait_timeout_ns;
    uint32_t in_flight_max; // of each
    uint64_t place_timeout_ns;
    struct fil_cpu_set cpu_set; // where executor.cpus names some
    const struct fil_cpu_set *cpus;

    // Under the mutex.
    struct fil_mutex mutex;
    struct fil_executor *list[FIL_EXECUTORS_MAX];
    struct fil_worker_kits kits[FIL_EXECUTORS_MAX]; // of their threads
    uint32_t count;
    bool is_running; // new ones are started at once
};

/**
 * Reads executor.named: "reports threads=4 capacity=1000 policy=wait; mail", or "none". What is not
 * said is as the other options of the section have it. Returns how many, or FIL_E_CONFIG and why
 * in out_problem.
 */
int fil_executors_parse(const struct fil_options *options,
                        struct fil_executor_wish out_wishes[FIL_EXECUTORS_MAX],
                        char out_problem[FIL_OPTION_REASON_MAX + 1]) FIL_NODISCARD;

/** Makes those that the options ask for, with the environment of the kernel. */
int fil_executors_init(struct fil_executors *executors, struct fil_exec *exec,
                       const struct fil_options *options, struct fil_metrics *metrics,
                       const struct fil_stage_hooks *hooks) FIL_NODISCARD;

/** Stopped, or never started; harmless after a failed init. */
void fil_executors_fini(struct fil_executors *executors);

int fil_executors_start(struct fil_executors *executors) FIL_NODISCARD;

/** Refuses jobs, cancels what is queued, waits for what runs. */
void fil_executors_stop(struct fil_executors *executors);

/** One turn of every thread on the calling one; returns how much moved. */
uint32_t fil_executors_cycle(struct fil_executors *executors) FIL_RUNS_ON(executor);

/**
 * Makes an executor, which lives as long as the member. FIL_E_EXISTS, FIL_E_LIMIT beyond
 * FIL_EXECUTORS_MAX, FIL_E_INVALID for a name or counts that are not possible, FIL_E_STOPPING.
 */
int fil_executors_open(struct fil_executors *executors, const struct fil_executor_wish *wish,
                       struct fil_executor **out_executor) FIL_NODISCARD;

/** What one is like of which nothing is said but its name, which is left empty. */
struct fil_executor_wish fil_executors_default(const struct fil_options *options);

/** 1 to 31 letters, digits and - _ . */
bool fil_executors_is_name(struct fil_bytes word);

/** NULL when there is none of that name. */
struct fil_executor *fil_executors_find(struct fil_executors *executors, const char *name);
