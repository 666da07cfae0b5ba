// SPDX-License-Identifier: Apache-2.0
/**
 * Promises of the kernel that need no network to be measured: how soon a priority operation starts
 * under full load, what parked operations cost, how many events go through one queue.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/cursor.h"
#include "lib/os/env.h"

/** Writes all of it as JSON. Quick: only shows that it works. */
int lab_kernel_run(struct fil_env *env, bool is_quick, struct fil_writer *writer) FIL_NODISCARD;

/** The parts: each writes its own object. */
int lab_kernel_kick(struct fil_env *env, bool is_quick, struct fil_writer *writer) FIL_NODISCARD;
int lab_kernel_parked(struct fil_env *env, bool is_quick, struct fil_writer *writer) FIL_NODISCARD;
int lab_kernel_events(struct fil_env *env, bool is_quick, struct fil_writer *writer) FIL_NODISCARD;
