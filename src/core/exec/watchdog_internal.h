// SPDX-License-Identifier: Apache-2.0
/** What a look finds, for the files of the watchdog. */
#pragma once

#include <stdio.h>

#include "core/exec/watchdog.h"

/** A slow operation as the look sees it, without anything that may go away after it. */
struct fil_watchdog_finding {
    uint32_t index; // of its watch
    const char *op;
    char thread[FIL_SLOW_THREAD_MAX];
    uint32_t thread_id;
    fil_partition_id partition_id;
    uint64_t took_ns;
    bool is_over;  // so its stack is not to be had
    bool is_known; // it is in the table, and is still there
    bool is_fatal; // for longer than anything may
};

static inline uint32_t fil_watchdog__runner_count_max(const struct fil_watchdog *watchdog)
{
    uint32_t chosen = watchdog->options.runner_count_max;
    return chosen == 0 ? FIL_WATCHDOG_RUNNERS_MAX : chosen;
}

static inline void fil_watchdog__copy_name(char out_name[FIL_SLOW_THREAD_MAX],
                                           const struct fil_runner *runner)
{
    (void)snprintf(out_name, FIL_SLOW_THREAD_MAX, "%s", runner->name); // may cut
}

/** Goes on at the closest distance of looks. */
void fil_watchdog__wake_up(struct fil_watchdog *watchdog, uint64_t now_ns);

/** Whether somebody has stirred the watchdog since it dozed off. */
bool fil_watchdog__is_roused(struct fil_watchdog *watchdog);

/**
 * Asks the thread what it does, enters the finding in the table and tells the log of it. Not under
 * the mutex: the thread may be long in answering.
 */
void fil_watchdog__report(struct fil_watchdog *watchdog, const struct fil_watchdog_finding *finding,
                          uint64_t now_ns, uint64_t wall_ns);
