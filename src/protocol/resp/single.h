// SPDX-License-Identifier: Apache-2.0
/**
 * A command of one key: in a group with others where its partition is free, else as a call that is
 * handed over, together with what its session has behind it in the group. Such a call does one
 * command after the other, each in its key's partition, and the session's next command waits until
 * all are done: what one connection sends is done in order, not only answered so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/conc/role.h"
#include "protocol/resp/group.h"
#include "protocol/resp/kept.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/session.h"

/** Whether the command is of one key and may run with others. */
static inline bool fil_resp_single_can_join(const struct fil_resp_session *session,
                                            const struct fil_resp_plan *plan) FIL_RUNS_ON(io)
{
    return plan->kind <= FIL_RESP_PLAN_SUM && plan->count == 1 && !plan->is_slow &&
           !fil_resp_is_huge(session) && fil_list_is_empty(&session->line);
}

/** Runs the command, or has it run: at the latest with the group at the end of the turn. */
void fil_resp_single_run(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                         const struct fil_resp_command *command) FIL_RUNS_ON(io);

/**
 * Hands the first command over, because its partition is not free or it is too heavy for a loop
 * (weight.h), and with it all others of its session. With too little memory for all, large writes
 * among those are refused, each in its turn; with none it is itself. What is left moves to the
 * front; returns how many that are.
 */
uint32_t fil_resp_single_send(struct fil_resp_grouped *commands, uint32_t count, bool is_heavy)
    FIL_RUNS_ON(io);
