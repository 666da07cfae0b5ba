// SPDX-License-Identifier: Apache-2.0
/** Cpu sets in the C library's form, for the files of this folder. */
#pragma once

#include <sched.h>

#include "lib/os/cpu_set.h"

cpu_set_t fil_cpu_set__to_system(const struct fil_cpu_set *set);

struct fil_cpu_set fil_cpu_set__from_system(const cpu_set_t *system);
