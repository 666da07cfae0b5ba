// SPDX-License-Identifier: Apache-2.0
/**
 * A command of one key: in a group with others where its partition is free and nothing waits before
 * it, else in place with its reply in the line, else as a call that is handed over.
 */
#pragma once

#include <stdbool.h>

#include "lib/conc/role.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/session.h"

/** Whether the command is of one key and may run with others. */
static inline bool fil_resp_single_can_join(const struct fil_resp_session *session,
                                            const struct fil_resp_plan *plan) FIL_RUNS_ON(io)
{
    return plan->kind <= FIL_RESP_PLAN_SUM && plan->count == 1 && !plan->is_slow &&
           fil_list_is_empty(&session->line);
}

/** Runs the command, or has it run: at the latest with the group at the end of the turn. */
void fil_resp_single_run(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                         const struct fil_resp_command *command) FIL_RUNS_ON(io);

/**
 * One that is not in a group any more because its partition was not free, its line not empty, or it
 * is too heavy for a loop (weight.h), as is said.
 */
void fil_resp_single_send(const struct fil_resp_access *access, bool is_heavy) FIL_RUNS_ON(io);
