// SPDX-License-Identifier: Apache-2.0
/**
 * The lab's load: a generator in a closed loop, on a thread of its own.
 *
 *     open --> start --> begin_figures --> stop --> ... --> close
 *
 * Threads: start, begin_figures, stop by the one that owns it; the figures are read by anyone.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../load/generator.h"
#include "lib/base/histogram.h"
#include "lib/conc/role.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"
#include "workload.h"

#define LAB_CONNECTIONS 50U

struct lab_load_options {
    const struct lab_workload *workload; // must outlive the run
    uint32_t pipeline;                   // requests in flight a connection
    uint64_t request_count;              // so many in all, or LOAD_ALL: until stop
    const struct fil_cpu_set *cpus;      // NULL: any
};

struct lab_load {
    // Set by start, then read-only for the thread.
    struct lab_load_options options;

    // Shared.
    _Atomic uint32_t thread_id; // 0 until the thread runs
    _Atomic bool is_stopping;
    _Atomic uint32_t figures_wanted; // counted up: the latencies begin anew
    _Atomic int error;               // why the run ended early

    // The thread's own, but for the generator's figures.
    struct fil_thread thread;
    struct load_generator generator;
    struct lab_workload_cursor requests;
    uint32_t figures_seen;
};

/** Connects; the server must be listening, and may accept later. */
int lab_load_open(struct lab_load *load, struct fil_env *env, const struct fil_address *address)
    FIL_NODISCARD;

/** Also after a failed open. The thread must have ended. */
void lab_load_close(struct lab_load *load);

/** Starts the thread and returns when it runs. */
int lab_load_start(struct lab_load *load, const struct lab_load_options *options) FIL_NODISCARD;

/** Latencies from now on only. */
void lab_load_begin_figures(struct lab_load *load);

/** Of the short requests: from the send to the reply. */
FIL_ANY_THREAD const struct fil_histogram *lab_load_latency_ns(const struct lab_load *load);

/** How many replies this run has brought so far. */
FIL_ANY_THREAD uint64_t lab_load_reply_count(const struct lab_load *load);

/** Whether the thread has given up; stop tells why. */
FIL_ANY_THREAD bool lab_load_has_failed(struct lab_load *load);

/** Lets what is in flight come back, then ends the thread. Returns why it ended early, or FIL_OK.
 */
int lab_load_stop(struct lab_load *load) FIL_NODISCARD;

/** Waits until the requests of a limited run are answered. */
int lab_load_finish(struct lab_load *load) FIL_NODISCARD;
