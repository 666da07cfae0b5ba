// SPDX-License-Identifier: Apache-2.0
/**
 * The requests of the lab, encoded before the clock runs: the generator only sends slices of them.
 *
 * Keys have 16 bytes and values 100. A workload with long operations has exactly one in every so
 * many requests, at a place drawn at random.
 *
 * Threads: read-only once made.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../load/source.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define LAB_VALUE_BYTES 100U

enum lab_mix {
    LAB_MIX_FILL,    // sets every key once, in order
    LAB_MIX_UNIFORM, // gets and sets of keys drawn at random, half and half
};

struct lab_workload_options {
    enum lab_mix mix;
    uint32_t key_count;
    uint32_t request_count; // of LAB_MIX_UNIFORM; LAB_MIX_FILL has one a key
    uint32_t long_interval; // one request in so many is long; 0: none
    uint32_t long_us;       // how long
    uint64_t seed;
};

struct lab_workload {
    uint8_t *bytes;
    uint32_t *ends;                 // where each request ends
    struct load_expected *expected; // of each; group 1: it is long
    uint32_t count;
};

/** A reader of a workload; at its end it begins anew. */
struct lab_workload_cursor {
    const struct lab_workload *workload; // must outlive the cursor
    uint32_t next;
};

/** FIL_E_NOMEM; then fini is not needed. */
int lab_workload_init(struct lab_workload *workload, const struct lab_workload_options *options)
    FIL_NODISCARD;

void lab_workload_fini(struct lab_workload *workload);

/** The bytes of count requests from the first on; first + count is at most the workload's count. */
struct fil_bytes lab_workload_slice(const struct lab_workload *workload, uint32_t first,
                                    uint32_t count);

/** Whether one of them is long. */
bool lab_workload_has_long(const struct lab_workload *workload, uint32_t first, uint32_t count);

/** The requests from the cursor on, for a generator. */
struct load_source lab_workload_source(struct lab_workload_cursor *cursor);
