// SPDX-License-Identifier: Apache-2.0
/**
 * How often each command was called: a tally a loop, which nobody else writes, so that counting
 * costs next to nothing; INFO adds them up.
 *
 * Life:    in the protocol's workspace of its loop; all zero is an empty one. It is listed with the
 *          loop's first command, and the list is not looked at after the loops have ended.
 * Threads: counting on the loop; sums by any thread, with figures that may be a moment old.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"

#define FIL_RESP_COMMANDS_MAX 256U // in the table; the compiler looks whether they fit

struct fil_resp_command_info;
struct fil_resp_server;

/** What is counted of one command. */
struct fil_resp_count {
    struct fil_counter calls;
    struct fil_counter rejected; // calls with a wrong number of words
};

struct fil_resp_tally {
    const struct fil_resp_command_info *last; // the command that was counted last; NULL: none yet
    struct fil_resp_count *count;             // which is this
    struct fil_list link;                     // in the server's list, under its mutex
    bool is_listed;                           // it is there
    struct fil_resp_count counts[FIL_RESP_COMMANDS_MAX + 1]; // those of the table, then all others
};

/** What all loops have counted of one command. */
struct fil_resp_calls {
    uint64_t calls;
    uint64_t rejected;
};

/** From now on the count is of that command; the server's list gets a tally that is new. */
void fil_resp_tally__turn_to(struct fil_resp_tally *tally, const struct fil_resp_command_info *info,
                             struct fil_resp_server *server) FIL_RUNS_ON(io);

/** The loop's count of a command. */
static inline struct fil_resp_count *fil_resp_tally_of(struct fil_resp_tally *tally,
                                                       const struct fil_resp_command_info *info,
                                                       struct fil_resp_server *server)
    FIL_RUNS_ON(io)
{
    if (FIL_UNLIKELY(tally->last != info)) {
        fil_resp_tally__turn_to(tally, info, server);
    }
    return tally->count;
}

/** Of the command with this index in the table; the server's mutex is held. */
struct fil_resp_calls fil_resp_tally_sum(struct fil_resp_server *server, uint32_t index);
