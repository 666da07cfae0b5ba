// SPDX-License-Identifier: Apache-2.0
/**
 * What the member will use of the machine, and why: thread counts and the memory limit.
 *
 * Cores are shared out, not multiplied: more busy threads than cores only cost.
 */
#pragma once

#include <stdint.h>

#include "lib/os/cpu.h"
#include "node/options.h"

#define FIL_PLAN_TEXT_MAX 160U

struct fil_plan {
    uint32_t io_threads;
    uint32_t partition_threads;
    uint64_t memory_bytes;

    // One clause each for the first screen.
    char io_reason[FIL_PLAN_TEXT_MAX];
    char partition_reason[FIL_PLAN_TEXT_MAX];
    char memory_reason[FIL_PLAN_TEXT_MAX];
};

void fil_plan_make(struct fil_plan *out_plan, const struct fil_machine *machine,
                   const struct fil_options *options);
