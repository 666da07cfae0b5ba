// SPDX-License-Identifier: Apache-2.0
/**
 * The lab's load at fixed times: a generator in an open loop, and beside it, on a thread of its
 * own, one connection that may send long operations.
 *
 * Threads: run is called by a thread that does nothing else.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "../load/generator.h"
#include "lib/base/attr.h"
#include "lib/base/histogram.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"
#include "workload.h"

#define LAB_OPEN_CLIENTS   50U
#define LAB_BURN_BYTES_MAX 128U

struct lab_open_options {
    struct fil_env *env;
    const struct fil_address *address;
    const struct lab_workload *workload;
    uint64_t interval_ns; // between two requests
    uint64_t duration_ns;
    uint32_t burn_us;       // length of the long operations; 0: none
    uint64_t burn_pause_ns; // between the end of one and the next
};

/** Sends one long operation after the other, always for the same key, so on the same partition. */
struct lab_burner {
    struct load_generator generator;
    char request[LAB_BURN_BYTES_MAX];
    uint64_t pause_ns;
    _Atomic uint32_t is_stopping;

    // The thread's own, read after it has ended.
    struct fil_thread thread;
    uint64_t count;
};

struct lab_open_load {
    struct load_generator generator;
    struct lab_workload_cursor requests;
    struct lab_burner burner;
};

/** Sends, waits for all replies and returns. */
int lab_open_load_run(struct lab_open_load *load, const struct lab_open_options *options)
    FIL_NODISCARD;

/** What the last run has found. */
const struct fil_histogram *lab_open_load_latency_ns(const struct lab_open_load *load);
