// SPDX-License-Identifier: Apache-2.0
/**
 * Asks a function that answers later, from any thread: a bounded number of calls of an instance are
 * under way. Marks, snapshots and the end wait for those in front of them, so there is no state.
 *
 * Threads: fil_async_end, of filbert/pipeline.h, is for any thread.
 */
#pragma once

#include "core/stream/processor.h"
#include "filbert/pipeline.h"

struct fil_async_config {
    fil_async_fn begin;
    void *context;
    uint32_t record_size;
    uint32_t concurrency; // 1 and more
    bool is_unordered;
};

extern const struct fil_processor_ops fil_async_ops; // one output, of fixed stride
