// SPDX-License-Identifier: Apache-2.0
/**
 * The commands: one table gives their plans or handlers, their arity and what COMMAND tells
 * clients.
 *
 * A handler runs on the session's I/O loop, or as FIL_RESP_ANYWHERE says, and adds exactly one
 * reply to the output. A plan says what a command does with its keys.
 */
#pragma once

#include <stdint.h>

#include "lib/conc/role.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/session.h"
#include "protocol/resp/tally.h"

#define FIL_RESP_NAME_BYTES_MAX 24U

typedef void (*fil_resp_handler_fn)(struct fil_resp_session *session,
                                    const struct fil_resp_command *command);

enum fil_resp_flag {
    FIL_RESP_READONLY = 1U << 0,
    FIL_RESP_WRITE = 1U << 1,
    FIL_RESP_FAST = 1U << 2,
    FIL_RESP_DENYOOM = 1U << 3,
    FIL_RESP_LOADING = 1U << 4,
    FIL_RESP_STALE = 1U << 5,
    FIL_RESP_NOSCRIPT = 1U << 6,
    FIL_RESP_PUBSUB = 1U << 7,
    FIL_RESP_ADMIN = 1U << 8,
    FIL_RESP_BLOCKING = 1U << 9,

    // Ours, not told to clients: may be used by a connection that has subscribed to something.
    FIL_RESP_SUBSCRIBED = 1U << 17,

    // Ours: has no keys, and its handler may run on any thread, so that EXEC can run it.
    FIL_RESP_ANYWHERE = 1U << 18,

    // Ours: is not queued between MULTI and EXEC but runs at once.
    FIL_RESP_AT_ONCE = 1U << 19,

    // Ours: with the fewest words it may have its plan is always the same.
    FIL_RESP_PLAIN = 1U << 20,

    // Ours: its work grows with what its keys have, which is weighed before it runs on a loop.
    FIL_RESP_WEIGHED = 1U << 21,
};

/** The flags that COMMAND shows. */
#define FIL_RESP_TOLD_FLAGS 0xFFFFU

struct fil_resp_command_info {
    const char *name;            // lower case
    fil_resp_handler_fn handler; // NULL: the plan is enough
    fil_resp_plan_fn plan;       // of a command with keys; NULL: it has none
    int8_t arity;                // number of words; negative: at least so many
    uint32_t flags;
    int8_t first_key; // positions of keys among the words, 0: none
    int8_t last_key;
    int8_t key_step;
    const char *group;
    const char *since;
    const char *summary;
};

/** The fewest words that the command may have. */
static inline uint32_t fil_resp_command_words(const struct fil_resp_command_info *info)
{
    return (uint32_t)(info->arity < 0 ? -info->arity : info->arity);
}

/** NULL when there is no such command; any case. */
const struct fil_resp_command_info *fil_resp_command_find(struct fil_bytes name);

uint32_t fil_resp_command_count(void);
const struct fil_resp_command_info *fil_resp_command_at(uint32_t index);

/** Where it is in the table; FIL_RESP_COMMANDS_MAX: it is one for debugging, and not there. */
uint32_t fil_resp_command_index(const struct fil_resp_command_info *info);

/**
 * Finds and runs the command, or answers what is wrong with it. False: it has to wait for the
 * commands before it, and comes again.
 */
bool fil_resp_command_run(struct fil_resp_session *session, const struct fil_resp_command *command)
    FIL_RUNS_ON(io);
