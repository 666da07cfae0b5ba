// SPDX-License-Identifier: Apache-2.0
/**
 * A piece of work that some thread will run once, and where to send it.
 *
 * A task lives in the object it is about and is in at most one queue. A target is anything that
 * runs tasks: an I/O loop, the generic pool, an executor, a partition. The two make hand-over
 * possible without allocating and without knowing who is on the other side.
 */
#pragma once

#include <stdbool.h>

#include "lib/conc/role.h"
#include "lib/conc/stack.h"

struct fil_task;

/** The task may be freed or sent again by its own run. */
typedef void (*fil_task_fn)(struct fil_task *task);

struct fil_task {
    struct fil_link link;
    fil_task_fn run;
};

struct fil_target;

struct fil_target_ops {
    const char *name;

    /** Takes the task and runs it later, exactly once, on the target's thread. Never blocks. */
    void (*submit)(struct fil_target *target, struct fil_task *task);

    /** Whether the calling thread is the one (or one of those) that runs the target's tasks. */
    bool (*is_current)(struct fil_target *target);
};

/** First member of whatever runs tasks. */
struct fil_target {
    const struct fil_target_ops *ops;
};

FIL_ANY_THREAD static inline void fil_target_submit(struct fil_target *target,
                                                    struct fil_task *task)
{
    target->ops->submit(target, task);
}
