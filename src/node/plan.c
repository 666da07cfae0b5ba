// SPDX-License-Identifier: Apache-2.0
#include "node/plan.h"

#include <stdio.h>

#include "core/exec/runner.h"
#include "lib/base/assert.h"

#define MEMORY_SHARE_PERCENT UINT64_C(80)
#define IO_THREADS_MAX       256U // as net.io_threads

static void plan_io(struct fil_plan *plan, const struct fil_machine *machine,
                    const struct fil_options *options)
{
    if (options->net.io_threads != 0) {
        plan->io_threads = (uint32_t)options->net.io_threads;
        (void)snprintf(plan->io_reason, sizeof(plan->io_reason), "set by net.io_threads");
        return;
    }
    plan->io_threads = machine->cpu_count < 2 ? 1 : machine->cpu_count / 2;
    plan->io_threads = plan->io_threads < IO_THREADS_MAX ? plan->io_threads : IO_THREADS_MAX;
    (void)snprintf(plan->io_reason, sizeof(plan->io_reason),
                   "half of %s, at least 1; net.io_threads changes it", machine->cpu_text);
}

static void plan_partitions(struct fil_plan *plan, const struct fil_machine *machine,
                            const struct fil_options *options)
{
    if (options->partition.threads != 0) {
        plan->partition_threads = (uint32_t)options->partition.threads;
        (void)snprintf(plan->partition_reason, sizeof(plan->partition_reason),
                       "set by partition.threads");
        return;
    }
    uint32_t left =
        machine->cpu_count > plan->io_threads ? machine->cpu_count - plan->io_threads : 1;
    uint32_t limit = FIL_RUNNER_STAGES_MAX;
    plan->partition_threads = left < limit ? left : limit;
    (void)snprintf(plan->partition_reason, sizeof(plan->partition_reason),
                   "the cores that io leaves, at least 1; partition.threads changes it");
}

static void plan_memory(struct fil_plan *plan, const struct fil_machine *machine,
                        const struct fil_options *options)
{
    if (options->memory.limit != 0) {
        plan->memory_bytes = options->memory.limit;
        (void)snprintf(plan->memory_reason, sizeof(plan->memory_reason), "set by memory.limit");
        return;
    }
    plan->memory_bytes = machine->memory_bytes / 100 * MEMORY_SHARE_PERCENT;
    (void)snprintf(plan->memory_reason, sizeof(plan->memory_reason),
                   "%u %% of %s; memory.limit changes it", (unsigned)MEMORY_SHARE_PERCENT,
                   machine->memory_text);
}

void fil_plan_make(struct fil_plan *out_plan, const struct fil_machine *machine,
                   const struct fil_options *options)
{
    fil_assert(machine->cpu_count > 0);
    fil_assert(machine->memory_bytes > 0);
    *out_plan = (struct fil_plan){0};
    plan_io(out_plan, machine, options);
    plan_partitions(out_plan, machine, options);
    plan_memory(out_plan, machine, options);
}
