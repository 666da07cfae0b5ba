// SPDX-License-Identifier: Apache-2.0
/**
 * What a long operation on one partition costs requests to the others: 1000 requests a second at
 * fixed times, without and with an operation of 100 ms on one partition beside them, with
 * caller-runs and stealing on and off.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/attr.h"
#include "lib/base/cursor.h"
#include "lib/os/env.h"

/** Writes every round of every setting as JSON. Quick: one short round. */
int lab_isolation_run(struct fil_env *env, bool is_quick, struct fil_writer *writer) FIL_NODISCARD;
