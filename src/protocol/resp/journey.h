// SPDX-License-Identifier: Apache-2.0
/**
 * Commands of several keys: in place where their partitions are free, else as a call that travels.
 *
 * Keys one after the other (MGET, MSET, DEL): sixteen at a time, with their waits for memory
 * overlapping; at one whose partition is not free the rest goes there and goes on from there. Keys
 * all at once (RENAME, MSETNX, EXEC): all partitions are entered, or none; at one that is not free
 * the call goes there and tries again from inside. No thread waits, nothing is held meanwhile, so
 * there is no deadlock; two that need the same partitions may meet again, and one of them gets on.
 *
 * Work: a step handles so many keys, then gives way to what waits in the partition.
 */
#pragma once

#include "lib/conc/role.h"
#include "protocol/resp/call.h"
#include "protocol/resp/door.h"

/** Runs the keys in their order; the line is empty. */
void fil_resp_journey_keys(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                           const struct fil_resp_command *command) FIL_RUNS_ON(io);

/** Runs the keys all at once; the line is empty. */
void fil_resp_journey_together(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                               const struct fil_resp_command *command) FIL_RUNS_ON(io);

/** The same only if all partitions are free; false: nothing was done. */
bool fil_resp_journey_try(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                          const struct fil_resp_command *command, struct fil_output *output)
    FIL_RUNS_ON(io);

/** Partitions to be entered at once: each only once. */
struct fil_resp_places {
    fil_partition_id *ids;
    uint32_t count;
};

/** Sorts what is in it and drops what is there twice. */
void fil_resp_places_tidy(struct fil_resp_places *places);

/** FIL_OP_NO_PARTITION when all are entered, else the one that is not free, and none is. */
fil_partition_id fil_resp_places_enter(const struct fil_resp_places *places,
                                       const struct fil_resp_door *door);
void fil_resp_places_leave(const struct fil_resp_places *places, const struct fil_resp_door *door);

/** The same when nothing was done there. */
void fil_resp_places_step_out(const struct fil_resp_places *places,
                              const struct fil_resp_door *door);

/** What is said in the place of a partition that is not free: the command is too heavy for a loop.
 */
#define FIL_RESP_TOO_HEAVY (FIL_OP_NO_PARTITION - 1)
