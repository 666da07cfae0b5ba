// SPDX-License-Identifier: Apache-2.0
/** The kernel alone, without a member around it, for measurements through core/exec. */
#pragma once

#include <stdint.h>

#include "core/exec/exec.h"
#include "core/exec/runner.h"
#include "lib/base/attr.h"
#include "lib/mem/budget.h"
#include "lib/os/env.h"

#define LAB_KERNEL_PARTITIONS 271U

struct lab_kernel {
    struct fil_budget budget;
    struct fil_exec *exec;
    struct fil_runner runner; // main's, which submits
    bool is_running;
};

/**
 * Starts partition threads as a member does by default, but everything is handed over to them.
 */
int lab_kernel_start(struct lab_kernel **out_kernel, struct fil_env *env) FIL_NODISCARD;

/** Ends what is parked, joins the threads and frees all; NULL is fine. */
void lab_kernel_stop(struct lab_kernel *kernel);

/** The processor time of the partition threads so far: of all threads but main. */
uint64_t lab_kernel_cpu_ns(void);
