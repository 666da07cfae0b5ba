// SPDX-License-Identifier: Apache-2.0
#include "kernel_rig.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/cpu.h"
#include "lib/os/thread.h"
#include "lib/os/thread_usage.h"

#define MEMORY_BYTES (UINT64_C(1) << 30)
#define THREADS_MAX  512U

/** Main is one of the busy threads; the partition threads have the other cores. */
static uint32_t choose_thread_count(void)
{
    struct fil_machine machine;
    fil_machine_read(&machine, "/");
    return machine.cpu_count > 1 ? machine.cpu_count - 1 : 1;
}

static int init_exec(struct lab_kernel *kernel, struct fil_env *env)
{
    fil_budget_init(&kernel->budget, MEMORY_BYTES);
    return fil_exec_new(&kernel->exec, &(struct fil_exec_options){
                                           .env = env,
                                           .budget = &kernel->budget,
                                           .partition_count = LAB_KERNEL_PARTITIONS,
                                           .thread_count = choose_thread_count(),
                                           .idle = FIL_IDLE_KIND_BLOCK,
                                           .has_stealing = true,
                                           .has_batching = true,
                                           .has_wake_suppression = true,
                                           .has_write_through = true,
                                       });
}

int lab_kernel_start(struct lab_kernel **out_kernel, struct fil_env *env)
{
    struct lab_kernel *kernel = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*kernel));
    if (kernel == NULL) {
        return FIL_E_NOMEM;
    }
    int error = init_exec(kernel, env);
    if (error == FIL_OK) {
        fil_runner_init(&kernel->runner, kernel->exec, "lab");
        error = fil_exec_start(kernel->exec);
        kernel->is_running = error == FIL_OK;
    }
    if (error != FIL_OK) {
        lab_kernel_stop(kernel);
        return error;
    }
    *out_kernel = kernel;
    return FIL_OK;
}

void lab_kernel_stop(struct lab_kernel *kernel)
{
    if (kernel == NULL) {
        return;
    }
    if (kernel->is_running) {
        fil_exec_stop(kernel->exec);
    }
    fil_exec_free(kernel->exec);
    fil_free(kernel);
}

uint64_t lab_kernel_cpu_ns(void)
{
    uint32_t ids[THREADS_MAX];
    uint32_t count = fil_thread_usage_list(ids, THREADS_MAX);
    uint32_t own_id = fil_thread_id();
    uint64_t cpu_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct fil_thread_usage usage;
        if (ids[i] != own_id && fil_thread_usage_read(ids[i], &usage) == FIL_OK) {
            cpu_ns += usage.cpu_ns;
        }
    }
    return cpu_ns;
}
