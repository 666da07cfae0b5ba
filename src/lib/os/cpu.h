// SPDX-License-Identifier: Apache-2.0
/**
 * The machine as this process may use it: cpus, memory, NUMA nodes, descriptors, and where each
 * figure is from.
 *
 * Thread counts and memory limits have their defaults from here. A container's share counts, not
 * what the hardware has: eight cores with a quota of 1.5 run two threads, not eight.
 *
 * Threads: read once by main; the struct is read-only afterwards.
 */
#pragma once

#include <stdint.h>

#include "lib/os/cpu_set.h"

#define FIL_MACHINE_NODES_MAX 64U
#define FIL_MACHINE_TEXT_MAX  96U

struct fil_machine_node {
    uint32_t id;
    struct fil_cpu_set cpus; // those this process may run on
};

struct fil_machine {
    struct fil_cpu_set cpus;     // those this process may run on
    uint32_t cpu_count;          // how many can really run at a time: cpus, cut by the quota
    uint64_t cpu_quota_milli;    // thousandths of a cpu; 0: no quota
    uint64_t memory_bytes;       // what may be used: the limit, or all there is
    uint64_t memory_total_bytes; // what the machine has
    uint64_t descriptor_max;     // files and sockets that may be open; 0: no limit is known
    uint64_t descriptor_count;   // those that are
    uint64_t slice_ns; // that the scheduler gives threads and that they may change; 0: they cannot
    uint32_t node_count; // nodes with at least one of the cpus; at least 1
    struct fil_machine_node nodes[FIL_MACHINE_NODES_MAX];

    // Where the figures come from, in a few words for people.
    char cpu_text[FIL_MACHINE_TEXT_MAX];    // "2 cores", "cgroup quota 1.5 of 8 cores"
    char memory_text[FIL_MACHINE_TEXT_MAX]; // "15.6 GiB installed", "cgroup limit 256 MiB"
    char node_text[FIL_MACHINE_TEXT_MAX];   // "1 NUMA node"
};

/** Reads it from /proc and /sys below root ("/" but in tests); what is missing limits nothing. */
void fil_machine_read(struct fil_machine *out_machine, const char *root);
