// SPDX-License-Identifier: Apache-2.0
/**
 * Runs tasks on the calling thread one after the other, never one inside the other.
 *
 * A task that brings another one to run only adds it to the thread's list; the outermost run works
 * the list off. So a chain of a million tasks, each of which starts the next, needs the stack of
 * one.
 *
 * Order:   first in, first out for each thread.
 * Memory:  borrows the tasks; they are linked through themselves.
 * Threads: each thread has a list of its own, which nobody else sees.
 */
#pragma once

#include "core/exec/task.h"
#include "lib/conc/role.h"

/** Runs the task before it returns, or, called from a running one, soon after that one's end. */
FIL_ANY_THREAD void fil_trampoline_run(struct fil_task *task);

/** Runs what waits although a task is running: for one that is about to put its thread to sleep. */
FIL_ANY_THREAD void fil_trampoline_flush(void);

/** To the target: by the trampoline when it is the calling thread's, else into its queue. */
FIL_ANY_THREAD static inline void fil_trampoline_send(struct fil_target *target,
                                                      struct fil_task *task)
{
    if (target->ops->is_current(target)) {
        fil_trampoline_run(task);
    } else {
        fil_target_submit(target, task);
    }
}

/** The target that is current everywhere: its tasks run on the thread that sends them. */
FIL_ANY_THREAD struct fil_target *fil_target_inline(void);
