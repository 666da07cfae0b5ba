// SPDX-License-Identifier: Apache-2.0
/**
 * A command of one key: in a group with others where its partition is free and nothing waits before
 * it, else in place with its reply in the line, else as a call that is handed over.
 */
#pragma once

#include <stddef.h>

#include "lib/conc/role.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/session.h"

/** A value so large is not copied on a loop by commands that change or cut it. */
#define FIL_RESP_HUGE_BYTES ((size_t)1 << 20)

/** So many members are not told or put together on a loop. */
#define FIL_RESP_HUGE_MEMBERS 8192U

/** Whether the command is of one key and may run with others. */
static inline bool fil_resp_single_can_join(const struct fil_resp_session *session,
                                            const struct fil_resp_plan *plan) FIL_RUNS_ON(io)
{
    return plan->kind <= FIL_RESP_PLAN_SUM && plan->count == 1 && !plan->is_slow &&
           !plan->is_weighed && fil_list_is_empty(&session->line);
}

/**
 * Runs the command, or has it run: at the latest with the group at the end of the turn. One that is
 * weighed and finds something huge is left to a partition thread: what it copies would hold the
 * loop up.
 */
void fil_resp_single_run(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                         const struct fil_resp_command *command) FIL_RUNS_ON(io);

/** One that is not in a group any more because its partition was not free, or its line not empty.
 */
void fil_resp_single_send(const struct fil_resp_access *access) FIL_RUNS_ON(io);
