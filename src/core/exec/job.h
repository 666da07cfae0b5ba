// SPDX-License-Identifier: Apache-2.0
/**
 * A job: a task for a named executor that can be taken back as long as it waits, and that says what
 * becomes of it. How it ends is told in executor.h.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/lobby.h"
#include "core/exec/task.h"

#define FIL_JOB_NO_DEADLINE UINT64_MAX

struct fil_executor;
struct fil_job;

typedef void (*fil_job_fn)(struct fil_job *job);

struct fil_job_ops {
    fil_job_fn run;
    fil_job_fn cancel; // instead of run: cancelled, or the executor was stopped
    fil_job_fn expire; // instead of run: too late; may be NULL for jobs without a deadline
};

struct fil_job {
    struct fil_task task;
    const struct fil_job_ops *ops;
    uint64_t deadline_ns; // monotonic time at which it may not start any more

    // The executor that has it, or had it last; NULL: none had.
    _Atomic(struct fil_executor *) executor;

    struct fil_guest guest; // while it waits outside of the executor

    // Under the mutex of the line in which it waits.
    struct fil_task *previous; // NULL: it is the first
    bool is_in_line;
};

/** A job without a deadline. */
void fil_job_init(struct fil_job *job, const struct fil_job_ops *ops);

/** The job that the task is part of; NULL: it is a mere task. */
struct fil_job *fil_job_of(struct fil_task *task);
