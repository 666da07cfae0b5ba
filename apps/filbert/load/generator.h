// SPDX-License-Identifier: Apache-2.0
/**
 * The load generator: one thread's connections, and runs of requests over them.
 *
 *     open --> begin --> cycle ... cycle --> begin --> ... --> close
 *
 * Closed loop: each connection has a fixed number of requests in flight; when the last of them is
 * answered the next ones leave in one write. Open loop: requests are due at fixed times, whether or
 * not earlier ones are answered, and leave over the first connection with room; their latency
 * counts from the time at which they were due, so that a stall shows in all that it delays. With a
 * deadline a server may be asked for more than it can do: refusals, late and lost answers are
 * counted, and none of them ends the run.
 *
 * Written to cost less than the server: requests come encoded, a batch leaves in one call, replies
 * are skipped by their length, the clock is read once for each receive.
 *
 * Threads: one at a time; the counters and latencies are read by anyone.
 * Memory:  taken by open and begin; a cycle allocates only when a socket is full.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arrivals.h"
#include "client.h"
#include "lib/base/attr.h"
#include "lib/base/histogram.h"
#include "lib/conc/counter.h"
#include "lib/os/env.h"
#include "protocol.h"
#include "source.h"

#define LOAD_ALL              UINT64_MAX
#define LOAD_PIPELINE_MAX     65536U
#define LOAD_RECEIVE_BYTES    ((size_t)256 << 10)
#define LOAD_FAILURE_TEXT_MAX 192U
#define LOAD_PATIENCE_NS      UINT64_C(10000000000) // without any reply for so long: stuck
#define LOAD_CONNECT_LIMIT_NS UINT64_C(10000000000)

/** One run. */
struct load_plan {
    struct load_source source;
    uint32_t pipeline;      // requests in flight a connection, at most
    uint64_t request_count; // so many in all, or LOAD_ALL
    uint64_t duration_ns;   // nothing leaves later; 0: no such limit
    double interval_ns;     // open loop: between two requests; 0: closed loop
    bool is_random;         // open loop: on average, as if many people made them
    uint64_t seed;          // of what is random
    uint64_t warmup_ns;     // open loop: what is due so early is not counted
    uint64_t deadline_ns;   // later answers count as late, none until then as lost; 0: no such
};

/** Why a run ended early. */
struct load_failure {
    int code; // FIL_OK: it did not
    char text[LOAD_FAILURE_TEXT_MAX];
};

/** What a run has brought so far. Written by the generator's thread, read by anyone. */
struct load_figures {
    struct fil_counter replies; // errors too
    struct fil_counter errors;
    struct fil_counter misses;
    struct fil_counter late;    // with a deadline: answered behind it
    struct fil_counter refused; // likewise: not answered but told to come back later
    struct fil_counter lost;    // likewise: never answered
    struct fil_counter sent_bytes;
    struct fil_counter received_bytes;
    struct fil_histogram latency_ns[LOAD_GROUPS];
    struct fil_histogram refused_ns; // latencies of refusals
    struct fil_histogram lag_ns;     // open loop: how long what was due had to wait for its turn
    char error_text[LOAD_REPLY_TEXT_MAX]; // the first error reply; read when the run has ended
};

struct load_generator {
    struct fil_env *env;
    struct fil_poller *poller;
    struct load_client *clients;
    uint32_t client_count; // opened so far
    struct load_figures figures;
    struct load_failure failure;

    // Of the run.
    struct load_plan plan;
    const struct load_protocol *protocol;
    struct load_pending *pending;   // the clients' rings
    struct load_expected *expected; // of one batch
    uint64_t begin_ns;
    uint64_t counted_ns;           // what was due before is not counted
    uint64_t end_ns;               // nothing leaves from here on
    uint64_t last_ns;              // when something last came
    uint64_t left_count;           // requests to send
    struct load_arrivals arrivals; // open loop
    uint64_t in_flight;            // over all connections
    uint32_t next_client;          // open loop
    bool is_ending;
    uint8_t *buffer;
};

/**
 * Connects so many times and waits until all are connected. The failure tells more. Close is needed
 * in any case.
 */
int load_generator_open(struct load_generator *generator, struct fil_env *env,
                        const struct fil_address *address, uint32_t connection_count) FIL_NODISCARD;

/** Speaks another protocol than RESP, before the first run; says what it says first. */
int load_generator_use(struct load_generator *generator, const struct load_protocol *protocol,
                       const struct load_requests_options *options) FIL_NODISCARD;

/** The figures and the failure stay. */
void load_generator_close(struct load_generator *generator);

/** Starts a run; the figures begin anew. FIL_E_NOMEM or what the connections say. */
int load_generator_begin(struct load_generator *generator, const struct load_plan *plan)
    FIL_NODISCARD;

/** One turn; waits for replies, or for the next request to be due. False when the run is over. */
bool load_generator_cycle(struct load_generator *generator);

/** Nothing leaves any more; what is in flight comes back. */
void load_generator_end(struct load_generator *generator);

/** Begins and cycles until the run is over. */
int load_generator_run(struct load_generator *generator, const struct load_plan *plan)
    FIL_NODISCARD;

/** Open loop, after the run: requests that were due and never left. */
uint64_t load_generator_unsent_count(const struct load_generator *generator);
