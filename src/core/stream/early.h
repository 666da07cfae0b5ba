// SPDX-License-Identifier: Apache-2.0
/**
 * Early results: what the open windows have so far, now and then before they end.
 *
 * By event time they are due with the first watermark in each stretch of it; by the clock when so
 * much of it has passed since there was something to tell. Results of a window that has early ones
 * end with a number: 1 for an early result, 0 for the last one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/processor.h"
#include "core/stream/watermark.h"

struct fil_early_config {
    int64_t every;     // event time; 0: none
    uint64_t every_ns; // of the clock; 0: none
};

struct fil_early {
    int64_t told;       // the stretch of event time that had its results
    bool is_under_way;  // results are being emitted
    uint32_t next_slot; // or number of a session
    int64_t next_window;
};

static inline bool fil_early_is_wanted(const struct fil_early_config *config)
{
    return config->every != 0 || config->every_ns != 0;
}

/** Bytes that a result has for it. */
static inline uint32_t fil_early_bytes(const struct fil_early_config *config)
{
    return fil_early_is_wanted(config) ? (uint32_t)sizeof(int64_t) : 0;
}

/** Writes the number behind a result, when there is one. */
static inline void fil_early_write(const struct fil_early_config *config, bool is_early,
                                   uint8_t *out)
{
    if (fil_early_is_wanted(config)) {
        const int64_t number = is_early;
        memcpy(out, &number, sizeof(number));
    }
}

/** Whether results are due with this watermark. */
static inline bool fil_early_is_due(const struct fil_early *early,
                                    const struct fil_early_config *config, int64_t watermark)
{
    return config->every != 0 && fil_time_floor(watermark, config->every) > early->told;
}

/** The clock begins, unless it runs already. */
static inline void fil_early_wind(const struct fil_early_config *config,
                                  struct fil_processor_context *context)
{
    if (config->every_ns != 0 && context->tick_at_ns == FIL_TASKLET_NEVER) {
        context->tick_at_ns = context->now_ns + config->every_ns;
    }
}

static inline void fil_early_begin(struct fil_early *early)
{
    if (!early->is_under_way) {
        early->is_under_way = true;
        early->next_slot = 0;
        early->next_window = INT64_MIN;
    }
}
