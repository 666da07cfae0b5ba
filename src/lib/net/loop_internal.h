// SPDX-License-Identifier: Apache-2.0
/** What a connection needs of its loop. */
#pragma once

#include "lib/net/loop.h"

#define FIL_LOOP_SCRATCH_BYTES ((size_t)64 * 1024)

/** The loop has one connection more (1) or less (-1). */
void fil_loop__count_connection(struct fil_loop *loop, int change) FIL_RUNS_ON(io);

/** Another loop's: counts a connection that it will send here. False when the loop ends. */
FIL_ANY_THREAD bool fil_loop__expect_connection(struct fil_loop *loop) FIL_NODISCARD;
