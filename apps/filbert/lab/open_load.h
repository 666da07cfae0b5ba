// SPDX-License-Identifier: Apache-2.0
/**
 * The lab's open-loop generator: requests leave at fixed times, whether or not earlier ones are
 * answered, and latency counts from the time at which a request should have left. So a stall shows
 * in all requests that it delays. Beside them one connection may send long operations.
 *
 * Threads: run is called by a thread that does nothing else.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "client.h"
#include "lib/base/attr.h"
#include "lib/base/histogram.h"
#include "lib/os/env.h"
#include "workload.h"

#define LAB_OPEN_CLIENTS 50U
#define LAB_OPEN_WAITING 4096U // requests of one connection without a reply, at most

struct lab_open_options {
    struct fil_env *env;
    const struct fil_address *address;
    const struct lab_workload *workload;
    uint64_t interval_ns; // between two requests
    uint64_t duration_ns;
    uint32_t burn_us;       // length of the long operations; 0: none
    uint64_t burn_pause_ns; // between the end of one and the next
};

/** A connection, and when each of its requests without a reply should have left. */
struct lab_open_client {
    struct lab_client client;
    uint64_t due_ns[LAB_OPEN_WAITING]; // a ring
    uint32_t first;
};

struct lab_open_load {
    struct lab_open_options options;
    struct fil_poller *poller;
    struct fil_histogram latency_ns;
    uint64_t burn_count;

    struct lab_open_client clients[LAB_OPEN_CLIENTS];
    uint32_t client_count; // opened so far
    struct lab_client burner;
    bool has_burner;
    uint32_t next_client;
    uint32_t next_request;
    uint64_t due_ns; // the next request's time
    uint64_t end_ns; // no request is due from here on
    uint64_t burn_due_ns;
    uint8_t buffer[65536];
};

/** Sends, waits for all replies and returns; latency_ns and burn_count tell the rest. */
int lab_open_load_run(struct lab_open_load *load, const struct lab_open_options *options)
    FIL_NODISCARD;
