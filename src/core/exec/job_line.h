// SPDX-License-Identifier: Apache-2.0
/**
 * The jobs and tasks that wait for a thread of an executor, oldest first. A job can be taken out of
 * the middle, and then leaves nothing behind: neither its place nor its memory is held.
 *
 *     push --> arrivals (a stack) --adopt, under the mutex--> line --> take
 *                                                              \----> remove
 *
 * Order:    first in, first out for each producer.
 * Progress: push is lock-free: loops and partitions never wait. Those who take and remove hold the
 *           mutex for a few steps, and for those that have arrived since the last of them.
 * Memory:   borrows the tasks. There is no capacity: whoever admits them bounds them.
 */
#pragma once

#include <stdbool.h>

#include "core/exec/job.h"
#include "core/exec/meter.h"
#include "core/exec/task.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/os/env.h"
#include "lib/os/mutex.h"

struct fil_job_line {
    // Set by init, then read-only.
    struct fil_env *env;

    // Shared.
    struct fil_stack arrivals;
    struct fil_probe probe;

    // Under the mutex.
    struct fil_mutex mutex;
    struct fil_task *first; // linked by their links
    struct fil_task *last;
};

void fil_job_line_init(struct fil_job_line *line, struct fil_env *env) FIL_BEFORE_SHARING;

/** It must be empty. */
void fil_job_line_fini(struct fil_job_line *line) FIL_BEFORE_SHARING;

FIL_ANY_THREAD void fil_job_line_push(struct fil_job_line *line, struct fil_task *task);

/** The oldest; NULL: there is none. */
FIL_ANY_THREAD struct fil_task *fil_job_line_take(struct fil_job_line *line);

/** Takes the job out; false: it does not wait here. */
FIL_ANY_THREAD bool fil_job_line_remove(struct fil_job_line *line, struct fil_job *job)
    FIL_NODISCARD;
