// SPDX-License-Identifier: Apache-2.0
/**
 * A partition thread: runs the queued partitions that are at home with it, and, when it has none,
 * those that wait at others.
 *
 * Threads: the cycle runs on one thread (role partition). Tickets are taken by others too.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/partition.h"
#include "core/exec/runner.h"
#include "core/exec/tickets.h"
#include "lib/conc/counter.h"
#include "lib/conc/idle.h"
#include "lib/conc/parker.h"
#include "lib/mem/pool.h"
#include "lib/os/thread.h"

struct fil_exec;

struct fil_partition_stage {
    // Set by init, then read-only.
    struct fil_exec *exec;
    uint32_t index;
    char name[24];

    // Shared.
    struct fil_tickets tickets;        // of queued partitions
    struct fil_tickets urgent_tickets; // of those with a priority operation
    struct fil_parker parker;
    _Atomic uint64_t busy_since_ns; // begin of the cycle that is under way; 0: idle
    struct fil_counter steals;      // partitions taken from others
    struct fil_counter parks;

    // The thread's own.
    alignas(FIL_CACHE_LINE) struct fil_runner runner;
    struct fil_pool chunks;
    struct fil_idle idle FIL_OWNED_BY(partition);
    uint64_t turn_ns FIL_OWNED_BY(partition);      // how long a turn may be
    uint64_t last_turn_ns FIL_OWNED_BY(partition); // how long the last one was that moved something
    uint64_t watch_ns FIL_OWNED_BY(partition);     // its last sleep when it watched; 0: it does not
    bool is_watching FIL_OWNED_BY(partition);
    bool has_risen FIL_OWNED_BY(partition); // from a sleep, and has claimed nothing since
    struct fil_thread thread;
    _Atomic bool is_stopping;
};

int fil_partition_stage_init(struct fil_partition_stage *stage, struct fil_exec *exec,
                             uint32_t index) FIL_BEFORE_SHARING FIL_NODISCARD;
void fil_partition_stage_fini(struct fil_partition_stage *stage);

/** One bounded turn; returns how many operations were run. */
uint32_t fil_partition_stage_cycle(struct fil_partition_stage *stage) FIL_RUNS_ON(partition);

/** After stop, on any thread: a cycle; false when there was nothing to do. */
bool fil_partition_stage_drain(struct fil_partition_stage *stage) FIL_BEFORE_SHARING;

int fil_partition_stage_start(struct fil_partition_stage *stage) FIL_NODISCARD;
void fil_partition_stage_stop(struct fil_partition_stage *stage);
