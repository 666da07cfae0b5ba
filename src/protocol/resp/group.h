// SPDX-License-Identifier: Apache-2.0
/**
 * Commands of one key each that run together in place, so that their waits for memory overlap: they
 * are decoded and put into the loop's group, also those of different connections; when the group is
 * full or the turn ends they enter their partitions, ask for what they need of the table pass by
 * pass, and run in the order in which they came.
 *
 * A command whose partition is not free is handed over when its turn comes, with those of the same
 * session that are behind it in the group (single.h); the others go on without them.
 *
 * Life: from a command's decoding to the end of the turn at most. Arguments are borrowed from what
 * was received, which the loop keeps so long (fil_loop_defer).
 * Bounds: a session may have FIL_RESP_SHARE_MAX commands in it, fewer of them when they are long,
 * and one only as long as its replies are large: the limit of the output is looked at between
 * groups.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/partition.h"
#include "lib/conc/role.h"
#include "lib/net/loop.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/session.h"
#include "protocol/resp/tally.h"

#define FIL_RESP_GROUP_MAX 64U

// A command touches about ten cache lines, first to ask for them and then to use them. Those of
// more commands than this do not stay in a first-level cache of 32 KiB from one to the other, and
// fewer suffice to hide a wait for memory.
#define FIL_RESP_SHARE_MAX 16U

struct fil_resp_grouped {
    struct fil_resp_access access;
    struct fil_partition *partition;         // while it is entered
    uint32_t guess;                          // where the record probably is
    uint64_t member_hash;                    // of one that reaches for a member
    const struct fil_collection *collection; // what its key probably has; NULL: nothing large
};

/** A plain command whose plan is always the same. */
struct fil_resp_planned {
    const struct fil_resp_command_info *info; // NULL: none yet
    struct fil_resp_plan plan;
    struct fil_resp_access draft; // what its accesses begin with
};

#define FIL_RESP_PLANNED_BITS 5U // of the number of commands that a loop has plans of

/** The workspace of the protocol on each loop; all zero is an empty one. */
struct fil_resp_group {
    struct fil_deferred deferred;
    uint32_t count;
    struct fil_resp_planned planned[1U << FIL_RESP_PLANNED_BITS]; // the last plain commands
    struct fil_resp_tally tally;                                  // of all commands
    struct fil_resp_grouped commands[FIL_RESP_GROUP_MAX];
};

static inline struct fil_resp_group *fil_resp_group_of(const struct fil_resp_session *session)
    FIL_RUNS_ON(io)
{
    const struct fil_connection *connection = session->connection;
    return fil_loop_workspace(connection->loop, connection->protocol);
}

/** Adds the command; the session's line is empty. */
void fil_resp_group_add(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                        const struct fil_resp_command *command) FIL_RUNS_ON(io);

/** Where the group has the plan of a plain command, or could have. */
static inline struct fil_resp_planned *
fil_resp_group_planned(struct fil_resp_session *session, const struct fil_resp_command_info *info)
    FIL_RUNS_ON(io)
{
    uint32_t mixed = (uint32_t)((uintptr_t)info / sizeof(void *)) * UINT32_C(0x9E3779B1);
    uint32_t slot = mixed >> (32U - FIL_RESP_PLANNED_BITS);
    return &fil_resp_group_of(session)->planned[slot];
}

/** The same for a command whose plan the group has: only its words are new. */
void fil_resp_group_add_planned(struct fil_resp_session *session,
                                const struct fil_resp_planned *planned,
                                const struct fil_resp_command *command) FIL_RUNS_ON(io);

/** Asks for the memory that those who reach for collections need: in passes, each of which finds
 * there what the one before has asked for. */
FIL_PREFETCHES void fil_resp_group__reach(struct fil_resp_grouped *commands, uint32_t count);

/** Runs what is in the loop's group: before anything that is not added to it. */
void fil_resp_group_run(struct fil_resp_session *session) FIL_RUNS_ON(io);

/** What was received is about to go, or stays: the group runs now, or later in the turn. */
void fil_resp_group_end(struct fil_resp_session *session) FIL_RUNS_ON(io);
