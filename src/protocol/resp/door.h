// SPDX-License-Identifier: Apache-2.0
/**
 * The way into several partitions at once, for the loop that brought a command and for a partition
 * thread that goes on with it.
 *
 * Nobody waits at a door: a partition that is not free is refused, and the caller lets go of the
 * others and goes there as an operation. So whoever holds partitions never waits for one.
 */
#pragma once

#include <stdint.h>

#include "core/exec/partition.h"
#include "core/exec/turn.h"
#include "lib/base/assert.h"

struct fil_resp_door {
    struct fil_turn *turn;      // the loop's; NULL: on a partition thread
    struct fil_runner *runner;  // who goes in
    struct fil_partition *home; // a partition thread is inside of this one anyway
};

static inline struct fil_resp_door fil_resp_door_of_turn(struct fil_turn *turn)
{
    return (struct fil_resp_door){.turn = turn, .runner = &turn->runner};
}

static inline struct fil_resp_door fil_resp_door_of(struct fil_partition *partition)
{
    return (struct fil_resp_door){.runner = partition->runner, .home = partition};
}

/** The partition, entered, or NULL when it is not free. A loop may enter one
 * several times, a partition thread only its own. */
static inline struct fil_partition *fil_resp_door_enter(const struct fil_resp_door *door,
                                                        fil_partition_id id)
{
    if (FIL_LIKELY(door->turn != NULL)) {
        fil_role_assert_io();
        return fil_turn_enter(door->turn, id);
    }
    fil_assert(door->home != NULL);
    if (door->home->id == id) {
        return door->home;
    }
    struct fil_partition *partition = fil_exec_partition(door->runner->exec, id);
    return fil_partition_enter(partition, door->runner) ? partition : NULL;
}

static inline void fil_resp_door_leave(const struct fil_resp_door *door,
                                       struct fil_partition *partition)
{
    if (FIL_LIKELY(door->turn != NULL)) {
        fil_role_assert_io();
        fil_turn_leave(door->turn, partition);
    } else if (partition != door->home) {
        fil_partition_leave(partition);
    }
}

/** The same when nothing was done there. */
static inline void fil_resp_door_step_out(const struct fil_resp_door *door,
                                          struct fil_partition *partition)
{
    if (FIL_LIKELY(door->turn != NULL)) {
        fil_role_assert_io();
        fil_turn_step_out(door->turn, partition);
    } else if (partition != door->home) {
        fil_partition_leave(partition);
    }
}
