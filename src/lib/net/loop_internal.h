// SPDX-License-Identifier: Apache-2.0
/** What a connection needs of its loop. */
#pragma once

#include "lib/net/loop.h"

#define FIL_LOOP_SCRATCH_BYTES ((size_t)64 * 1024)

/** Where to receive, and how much; what deferred work needs is not overwritten. */
uint8_t *fil_loop__scratch(struct fil_loop *loop, size_t *out_room) FIL_RUNS_ON(io);

/** The bytes have been handled: they stay as long as there is deferred work. */
void fil_loop__keep_scratch(struct fil_loop *loop, struct fil_bytes bytes) FIL_RUNS_ON(io);

/** A protocol is about to run: what another one has deferred comes first. */
void fil_loop__switch_to(struct fil_loop *loop, const struct fil_protocol *protocol)
    FIL_RUNS_ON(io);

/** The loop has one connection more (1) or less (-1). */
void fil_loop__count_connection(struct fil_loop *loop, int change) FIL_RUNS_ON(io);

/** Another loop's: counts a connection that it will send here. False when the loop ends. */
FIL_ANY_THREAD bool fil_loop__expect_connection(struct fil_loop *loop) FIL_NODISCARD;
