// SPDX-License-Identifier: Apache-2.0
/**
 * What every thread of the member gets when it begins and gives back when it ends: the watchdog's
 * eye, cells for promises from a pool of its own, and the cpus of its NUMA node.
 *
 * The stages call it through their hooks and know nothing of it.
 *
 * Memory:  all of it is allocated by init.
 * Threads: the hooks by the threads themselves; the others by the member's owner.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/stage_hooks.h"
#include "core/exec/watchdog.h"
#include "lib/base/attr.h"
#include "lib/mem/budget.h"
#include "lib/mem/pool.h"
#include "lib/os/env.h"
#include "node/plan.h"

struct fil_log;

struct fil_threads_options {
    struct fil_env *env;
    struct fil_log *log; // NULL: slow operations are not logged
    struct fil_budget *budget;
    uint64_t slow_ns;          // operations that run longer are noted
    uint64_t abort_ns;         // that run longer than this end the process; 0: none do
    fil_watchdog_tick_fn tick; // of the watchdog; NULL: none
    void *context;             // tick's
    uint32_t thread_count;     // that will ever run at a time; more get no pool of their own
    uint64_t slice_ns;         // that each thread asks the scheduler for; 0: it does not
    struct fil_spread spread;  // of the loops and the partition threads over the nodes
};

/** The promises' cells of one thread. */
struct fil_thread_cells {
    _Atomic bool is_taken;
    struct fil_pool pool;
};

struct fil_threads {
    // Set by init, then read-only.
    struct fil_threads_options options;
    struct fil_stage_hooks hooks;

    // Shared.
    struct fil_watchdog watchdog;
    struct fil_thread_cells *cells;
    struct fil_counter unpinned; // threads that the system did not let stay on their cpus
    struct fil_counter unsliced; // threads that it did not let choose their slice
};

int fil_threads_init(struct fil_threads *threads, const struct fil_threads_options *options)
    FIL_NODISCARD;

/** All threads have ended; harmless after a failed init. */
void fil_threads_fini(struct fil_threads *threads);
