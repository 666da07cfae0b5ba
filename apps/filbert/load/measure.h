// SPDX-License-Identifier: Apache-2.0
/**
 * A measurement over RESP: generators on threads of their own against any server, summed up.
 *
 * Threads: run is called by one thread, which sleeps until all is done.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "generator.h"
#include "lib/base/attr.h"
#include "lib/base/histogram.h"
#include "lib/os/env.h"
#include "requests.h"

#define LOAD_THREADS_MAX 64U

struct load_measure_options {
    struct fil_address address;
    struct load_requests_options requests;
    uint32_t connection_count; // over all threads; at least one each
    uint32_t thread_count;
    uint64_t duration_ns;   // 0: as long as the requests last
    uint64_t request_count; // over all threads; LOAD_ALL: as long as the time lasts
    double rate;            // requests a second over all threads; 0: closed loop
    bool is_random;         // they come as if many people made them
    uint64_t deadline_ns;   // see load_plan
    bool has_fill;          // every key is set first
    uint64_t warmup_ns;     // the same load first, without being counted

    // Told now and then while it runs; NULL: nobody wants to know.
    void (*progress)(void *context, uint64_t elapsed_ns, uint64_t reply_count);
    void *context;
};

struct load_measure_summary {
    uint64_t reply_count;
    uint64_t error_count;
    uint64_t miss_count;
    uint64_t unsent_count;
    uint64_t late_count; // with a deadline; see load_figures
    uint64_t refused_count;
    uint64_t lost_count;
    uint64_t sent_bytes;
    uint64_t received_bytes;
    uint64_t elapsed_ns; // from the first request to the last reply
    uint64_t cpu_ns;     // the generators' own
    struct fil_histogram latency_ns;
    struct fil_histogram refused_ns;
    struct fil_histogram lag_ns;
    char error_text[LOAD_REPLY_TEXT_MAX]; // the first error reply
    struct load_failure failure;
};

/** Nothing measured yet. */
void load_measure_clear(struct load_measure_summary *summary);

/** Adds another measurement of the same load. */
void load_measure_add(struct load_measure_summary *summary,
                      const struct load_measure_summary *other);

/**
 * Measures. The summary holds what was counted also when the run ended early; its failure tells why
 * it did. FIL_OK also when replies were errors.
 */
int load_measure_run(const struct load_measure_options *options, struct fil_env *env,
                     struct load_measure_summary *out_summary) FIL_NODISCARD;
