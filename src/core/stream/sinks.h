// SPDX-License-Identifier: Apache-2.0
/**
 * Sinks: a counter, a list in memory, a function, and for tests one that knows what must come.
 *
 * Threads: all instances of a sink share its result, so the counter and the list are atomic; the
 *          function of a callback sink is called by one thread at a time for each instance.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "core/stream/processor.h"

struct fil_counter_sink {
    _Atomic uint64_t record_count;
};

struct fil_counter_sink_config {
    struct fil_counter_sink *sink;
};

/** Records of one size, in the order in which they came; one too many fails with FIL_E_LIMIT. */
struct fil_list_sink {
    void *records;
    int64_t *times; // NULL: not wanted
    uint32_t stride;
    uint64_t capacity;
    _Atomic uint64_t count;
};

struct fil_list_sink_config {
    struct fil_list_sink *sink;
};

/** FIL_OK; FIL_E_AGAIN: the same record again later; anything else fails the job. */
typedef int (*fil_sink_fn)(void *context, const void *record, uint32_t size, int64_t time);

struct fil_callback_sink_config {
    fil_sink_fn accept;
    void *context;
};

/**
 * The records that must come, in this order or in any; another one fails the job with
 * FIL_E_UNEXPECTED, and so does the end while one is missing. For one instance, without snapshots.
 */
struct fil_expect_sink_config {
    const void *records; // of the edge's stride, borrowed
    uint64_t count;
    uint32_t stride;
    bool is_ordered;
};

extern const struct fil_processor_ops fil_expect_sink_ops;
extern const struct fil_processor_ops fil_counter_sink_ops;
extern const struct fil_processor_ops fil_list_sink_ops;
extern const struct fil_processor_ops fil_callback_sink_ops;
