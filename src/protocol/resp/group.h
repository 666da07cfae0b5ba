// SPDX-License-Identifier: Apache-2.0
/**
 * Commands of one key each that run together in place, so that their waits for memory overlap: each
 * is decoded, enters its partition and asks for its part of the table; when all have, they run in
 * the order in which they came.
 *
 * Life: one call of receive, on the loop's stack. Arguments are borrowed from the input. As long as
 * something is in the group nothing is in the session's line, and the other way round.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/partition.h"
#include "lib/conc/role.h"
#include "protocol/resp/call.h"

#define FIL_RESP_GROUP_MAX 16U

struct fil_resp_grouped {
    struct fil_resp_access access;
    struct fil_partition *partition; // entered
    fil_resp_access_fn run;
    bool is_counting; // its result is the reply
};

struct fil_resp_group {
    uint32_t count;
    struct fil_resp_grouped commands[FIL_RESP_GROUP_MAX];
};

/** Adds the command; false when its partition is not free. The session's line is empty. */
bool fil_resp_group_add(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                        const struct fil_resp_access *access) FIL_RUNS_ON(io);

/** Runs what is in the group: before anything that is not added to it, and last. */
void fil_resp_group_run(struct fil_resp_session *session) FIL_RUNS_ON(io);
