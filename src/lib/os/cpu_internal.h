// SPDX-License-Identifier: Apache-2.0
/** The part of fil_machine_read that asks no system call, so that tests can have other cpus. */
#pragma once

#include "lib/os/cpu.h"

/** As fil_machine_read for a process that may run on these cpus, at least one. */
void fil_machine__read_with(struct fil_machine *out_machine, const char *root,
                            const struct fil_cpu_set *cpus);
