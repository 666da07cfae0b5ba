// SPDX-License-Identifier: Apache-2.0
/** filbert bench store: what one partition's store costs, in this thread, without a network. */
#pragma once

#include <stdbool.h>

#include "lib/base/writer.h"
#include "lib/os/env.h"

/** Prints JSON for bench/growth. FIL_E_NOMEM. */
int bench_store_run(struct fil_env *env, bool is_quick, struct fil_writer *writer);
