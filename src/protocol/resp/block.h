// SPDX-License-Identifier: Apache-2.0
/**
 * Commands that wait until a key has something: BLPOP and its kin.
 *
 * The command is tried in place first. When there is nothing, one sentry for each key is sent to
 * the key's partition, where it looks again and is parked by the kernel. The first that finds
 * something claims the command, runs it with its key, and cancels the others; so does the deadline,
 * and a client that is gone.
 *
 * Journey: io (try, make, stage) -> each key's partition (look, park, look ...) -> the claimer:
 *          flag holder (collect, free).
 * Order:   those that wait for one key are served in the order in which they came; one that was
 *          woken and has no use for it passes it on.
 * Memory:  one block with the words and the sentries, counted: the call and each sentry hold it.
 */
#pragma once

#include "lib/conc/role.h"
#include "protocol/resp/plan.h"

/** Runs the command, or has it wait; the line is empty. */
void fil_resp_block_start(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                          const struct fil_resp_command *command) FIL_RUNS_ON(io);
