// SPDX-License-Identifier: Apache-2.0
/**
 * Limits that a container or a service manager has set on this process, from cgroup v2 and v1.
 *
 * The group is the one named in /proc/self/cgroup. Every group above it limits it too, so the
 * smallest figure on the way up to the root counts. Groups whose files cannot be seen (a container
 * that sees only its own part of the tree) are passed over.
 */
#pragma once

#include <stdint.h>

#define FIL_CGROUP_NONE UINT64_MAX

struct fil_cgroup_limits {
    uint64_t cpu_milli;    // thousandths of a cpu, rounded up; FIL_CGROUP_NONE: no limit
    uint64_t memory_bytes; // FIL_CGROUP_NONE: no limit
};

/** Reads the files below root ("/" but in tests); a file that is missing or strange sets no limit.
 */
struct fil_cgroup_limits fil_cgroup__read(const char *root);
