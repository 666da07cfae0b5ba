// SPDX-License-Identifier: Apache-2.0
/**
 * What single threads of this process have used so far: processor time and context switches.
 *
 * For benchmarks that measure one part of a process beside another, and for the watchdog.
 *
 * Threads: any.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"

struct fil_thread_usage {
    uint64_t cpu_ns;          // user and system
    uint64_t sleep_count;     // switches because it waited for something
    uint64_t preempted_count; // switches because another thread was given the cpu
};

/** Numbers of this process's threads, as fil_thread_id tells them; returns how many, up to limit.
 */
uint32_t fil_thread_usage_list(uint32_t *out_ids, uint32_t limit);

/** FIL_E_NOT_FOUND when there is no such thread in this process (any more). */
int fil_thread_usage_read(uint32_t id, struct fil_thread_usage *out_usage) FIL_NODISCARD;

/** Processor time alone, for a system call and nothing more; 0 when there is no such thread. */
uint64_t fil_thread_usage_cpu_ns(uint32_t id);
