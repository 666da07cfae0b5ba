// SPDX-License-Identifier: Apache-2.0
/** Where a generator gets its requests from: encoded bytes, and what must come back for each. */
#pragma once

#include <stdint.h>

#include "lib/base/bytes.h"

#define LOAD_GROUPS 2U

/** What answers a request. */
struct load_expected {
    uint8_t kind;           // first byte of the reply, unless it is an error
    uint8_t group;          // which latencies it counts to, below LOAD_GROUPS
    uint16_t stamp;         // where its number is written, in protocols that number them
    uint32_t size;          // of the request; set in those protocols
    uint32_t element_count; // of an array
};

/** Requests that leave together. */
struct load_batch {
    struct fil_bytes bytes; // until the next batch is asked for
    uint32_t count;
};

/**
 * The next requests: at least one, at most limit, with what each of them expects. Called by the
 * generator's thread.
 */
typedef void (*load_source_fn)(void *context, uint32_t limit, struct load_expected *out_expected,
                               struct load_batch *out_batch);

struct load_source {
    load_source_fn next;
    void *context;
};
