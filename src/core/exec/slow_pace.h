// SPDX-License-Identifier: Apache-2.0
/**
 * How often the log hears of slow operations: each culprit at once, then at most every eight
 * seconds with what was left out meanwhile, and all together at most ten times a minute. One who
 * sleeps on every request would otherwise fill the disk that others need.
 *
 * Memory:  fixed. Of many culprits the one that was asked about the longest ago is forgotten first.
 * Threads: the watchdog's own; no clock: times are given.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FIL_SLOW_PACE_CULPRITS    32U
#define FIL_SLOW_PACE_INTERVAL_NS UINT64_C(8000000000)
#define FIL_SLOW_PACE_MINUTE_NS   UINT64_C(60000000000)
#define FIL_SLOW_PACE_LINES       10U // a minute

struct fil_slow_culprit {
    const char *op;    // compared as text; NULL: free
    uint64_t asked_ns; // last
    uint64_t next_ns;  // not told before
    uint64_t untold_count;
};

struct fil_slow_pace {
    struct fil_slow_culprit culprits[FIL_SLOW_PACE_CULPRITS];
    uint64_t minute_end_ns;
    uint32_t line_count; // in this minute
};

/**
 * Whether a sighting of this operation, a text that lives as long as the pace, is worth a line now;
 * then out_untold is how many of its sightings were not, since the last line.
 */
bool fil_slow_pace_ask(struct fil_slow_pace *pace, const char *op, uint64_t now_ns,
                       uint64_t *out_untold);
