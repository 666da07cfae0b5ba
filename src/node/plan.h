// SPDX-License-Identifier: Apache-2.0
/**
 * What the member will use of the machine, and why: thread counts, where they run, the memory
 * limit, and how many connections there are descriptors for.
 *
 * Cores are shared out, not multiplied: more busy threads than cores only cost. Threads of the
 * generic pool and of the event stage, and the workers of streams, sleep unless there is work for
 * them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/os/cpu.h"
#include "node/options.h"

#define FIL_PLAN_TEXT_MAX 160U

/** NUMA nodes over which threads are dealt out, the first to the first; below two: they are not. */
struct fil_spread {
    uint32_t node_count;
    bool has_io;         // the I/O threads are
    bool has_partitions; // the partition threads are
    struct fil_machine_node nodes[FIL_MACHINE_NODES_MAX];
};

struct fil_plan {
    uint32_t cpu_count;
    uint32_t io_threads;
    uint32_t partition_threads;
    uint32_t generic_threads; // without the one that is reserved for priority work
    uint32_t event_threads;
    uint32_t stream_workers;
    uint32_t connections_max; // net.connections_max, or what the descriptors allow
    uint64_t memory_bytes;
    uint64_t slice_ns; // that the threads ask for; 0: they keep the system's
    struct fil_spread spread;

    // One clause each for the first screen.
    char io_reason[FIL_PLAN_TEXT_MAX];
    char partition_reason[FIL_PLAN_TEXT_MAX];
    char generic_reason[FIL_PLAN_TEXT_MAX];
    char event_reason[FIL_PLAN_TEXT_MAX];
    char stream_reason[FIL_PLAN_TEXT_MAX];
    char place_reason[FIL_PLAN_TEXT_MAX]; // empty: anywhere
    char slice_reason[FIL_PLAN_TEXT_MAX];
    char memory_reason[FIL_PLAN_TEXT_MAX];
    char connections_reason[FIL_PLAN_TEXT_MAX]; // empty: as net.connections_max says

    // Empty, or why the options cannot work on this machine, and what can be done.
    char problem[FIL_PLAN_TEXT_MAX];
};

void fil_plan_make(struct fil_plan *out_plan, const struct fil_machine *machine,
                   const struct fil_options *options);
