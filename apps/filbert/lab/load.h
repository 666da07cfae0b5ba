// SPDX-License-Identifier: Apache-2.0
/**
 * The lab's closed-loop generator: one thread, many connections, each with a fixed number of
 * requests in flight; when the last of them is answered the next ones leave.
 *
 *     open --> start --> begin_figures --> stop --> ... --> close
 *
 * Written to cost less than the server: requests are encoded beforehand, a batch leaves in one
 * call, replies are counted and not read, the clock is read once for each batch.
 *
 * Threads: start, begin_figures, stop by the one that owns it; the figures are read by anyone.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "client.h"
#include "lib/base/histogram.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"
#include "workload.h"

#define LAB_CONNECTIONS      50U
#define LAB_LOAD_ALL         UINT64_MAX
#define LAB_LOAD_BUFFER_SIZE 65536U

struct lab_load_options {
    const struct lab_workload *workload; // must outlive the run
    uint32_t pipeline;                   // requests in flight a connection
    uint64_t request_count;              // so many in all, or LAB_LOAD_ALL: until stop
    const struct fil_cpu_set *cpus;      // NULL: any
};

struct lab_load {
    // Set by open and start, then read-only for the thread.
    struct fil_env *env;
    struct lab_load_options options;

    // Shared.
    _Atomic uint32_t thread_id; // 0 until the thread runs
    _Atomic bool is_stopping;
    _Atomic uint32_t figures_wanted; // counted up: the latencies begin anew
    _Atomic int error;               // why the run ended early
    struct fil_counter replies;

    // Written by the thread, read by anyone: the time from the batch's send to its last reply, for
    // each request of it. Batches with a long request count apart.
    struct fil_histogram latency_ns;
    struct fil_histogram long_latency_ns;

    // The thread's own.
    struct fil_thread thread;
    struct fil_poller *poller;
    struct lab_client clients[LAB_CONNECTIONS];
    uint32_t client_count; // opened so far
    uint32_t next;         // request to send next
    uint64_t left_count;   // requests to send
    uint32_t busy_count;   // clients that wait for replies
    uint32_t figures_seen;
    uint8_t buffer[LAB_LOAD_BUFFER_SIZE];
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

/** Whether the thread has given up; stop tells why. */
FIL_ANY_THREAD bool lab_load_has_failed(struct lab_load *load);

/** Lets what is in flight come back, then ends the thread. Returns why it ended early, or FIL_OK.
 */
int lab_load_stop(struct lab_load *load) FIL_NODISCARD;

/** Waits until the requests of a limited run are answered. */
int lab_load_finish(struct lab_load *load) FIL_NODISCARD;
