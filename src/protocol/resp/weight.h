// SPDX-License-Identifier: Apache-2.0
/**
 * What a command would cost a loop, from what its keys have and from its words: a loop has other
 * connections, which must not wait for a command that handles very much.
 *
 * The table of commands says whose work grows with what is under the keys (FIL_RESP_WEIGHED), and
 * plans how much of it they touch. What is found to be heavy when its partitions are entered does
 * nothing there and is handed over to a partition thread, where nothing is weighed any more. What
 * is huge itself, with all its words, is handed over at once, and its words are not copied
 * (kept.h).
 *
 * Unit: a member of a collection, or as many bytes of a value.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/exec/partition.h"
#include "grid/map/shelf.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/plan.h"

/** So many members are not handled on a loop, nor so many words of a command. */
#define FIL_RESP_HUGE_MEMBERS 8192U

/** Nor so many bytes. */
#define FIL_RESP_HUGE_BYTES ((size_t)1 << 20)

/** Bytes that weigh as much as a member. */
#define FIL_RESP_MEMBER_BYTES (FIL_RESP_HUGE_BYTES / FIL_RESP_HUGE_MEMBERS)

/** Whether the words alone are too many for a loop. */
static inline bool fil_resp_command_is_long(const struct fil_resp_command *command)
{
    return command->count >= FIL_RESP_HUGE_MEMBERS;
}

/**
 * Where a huge command begins: in the partition of its first key, or, if to find that out would be
 * much work itself, in any.
 */
fil_partition_id fil_resp_plan_start(const struct fil_resp_plan *plan,
                                     const struct fil_resp_command *command);

/** What the key of an access weighs. */
FIL_INSIDE_PARTITION uint64_t fil_resp_access_weight(const struct fil_resp_access *access);

/** For an access that has to move so many bytes: whether it is to leave that undone on a loop. */
static inline bool fil_resp_access_puts_off(struct fil_resp_access *access, size_t bytes)
{
    if (FIL_LIKELY(bytes < FIL_RESP_HUGE_BYTES) || !access->can_put_off) {
        return false;
    }
    access->is_put_off = true;
    return true;
}

/** The same for one that puts an entry in the place of whatever is there. */
FIL_INSIDE_PARTITION bool fil_resp_access_puts_off_collection(struct fil_resp_access *access);
FIL_INSIDE_PARTITION bool fil_resp_access_puts_off_string(struct fil_resp_access *access);

/** Those, with cheap first looks. */
static inline bool fil_resp_access_puts_off_removal(struct fil_resp_access *access)
{
    static_assert(FIL_SLAB_HUGE <= FIL_RESP_HUGE_BYTES, "what is huge here is counted");
    fil_partition_id partition_id = access->key.partition_id;
    return (FIL_UNLIKELY(fil_map_has_collections_here(access->map, partition_id)) &&
            fil_resp_access_puts_off_collection(access)) ||
           (FIL_UNLIKELY(fil_map_has_huge_here(access->map, partition_id)) &&
            fil_resp_access_puts_off_string(access));
}

/** What the plan's command handles, with all its partitions entered. */
FIL_INSIDE_PARTITION uint64_t fil_resp_plan_weight(const struct fil_resp_plan *plan,
                                                   const struct fil_resp_command *command);

/** Whether the command is one that is weighed, and too heavy for a loop. */
FIL_INSIDE_PARTITION bool fil_resp_plan_is_heavy(const struct fil_resp_plan *plan,
                                                 const struct fil_resp_command *command);
