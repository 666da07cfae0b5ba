// SPDX-License-Identifier: Apache-2.0
/**
 * A record each time that so much time has passed: the time of day, and a number from 0 on. When it
 * was held back it goes on from now, and does not make up for what was missed.
 */
#pragma once

#include "core/stream/processor.h"

struct fil_timer_record {
    int64_t time;
    int64_t number;
};

struct fil_timer_config {
    uint64_t interval_ns;
    uint64_t ns_a_unit; // of the time
    uint64_t count;     // 0: without end
};

extern const struct fil_processor_ops fil_timer_ops; // one output; the first instance works
