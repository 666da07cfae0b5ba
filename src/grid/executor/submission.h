// SPDX-License-Identifier: Apache-2.0
/**
 * Functions that clients have submitted to named executors, from there to their results.
 *
 *   send --> line --> [generic pool: opens the executor] --> invocation --> partition: gives the
 *   job to the executor and parks --> [executor: runs the function] --> partition: woken, done -->
 *   [generic pool: ended]
 *
 * Each executor bounds its own: how many wait in its queue, how many wait outside of it and for how
 * long (fil_executor_bring), and, as a lane, how many are under way to it in all. So one that is
 * full neither holds up nor refuses what is for another. The line is served by one thread of the
 * generic pool at a time, which never waits for room; loops and partitions do not either. The
 * invocation keeps the deadlines. A partition in which an operation is parked is not held up by it.
 *
 * A cancel goes ahead of what waits in the partition's mailbox, and results go to the generic
 * pool's reserved thread: neither has an order to keep.
 *
 * A submission ends once: with what its function returned, or before that because it was cancelled,
 * came too late, or was refused. What its function does afterwards, nobody sees. One word says how
 * far it is:
 *
 *     pending --a thread takes the job--> running --> what the function returned
 *        |                                   |
 *        +-- start deadline, cancel          +-- task deadline, cancel
 *
 * So a job that begins and its start deadline compete in one step. The deadline is that of the
 * invocation, whose service tells it although all threads of the executor are busy; once the job
 * runs it is put off to that of the task. A job that will not run leaves the executor's queue at
 * once.
 *
 * Order:   submissions of one partition reach an executor in the order of the line, and wait
 *          outside of it in the order in which they came.
 * Memory:  one counted block with its argument, drawn from the budget.
 * Threads: send, cancel and shut down by any; ended is called by the generic pool.
 * Limits:  line_max submissions in the line, lane_max under way to an executor, 64 executors;
 *          FIL_SUBMISSIONS_CLOSED_MAX executors shut down.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/executor.h"
#include "core/exec/generic.h"
#include "core/exec/invocation.h"
#include "core/exec/op.h"
#include "grid/executor/function.h"
#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/os/mutex.h"

#define FIL_SUBMISSIONS_BUCKETS    1024U // a power of two
#define FIL_SUBMISSIONS_CLOSED_MAX 64U
#define FIL_SUBMISSION_LANES_MAX   64U // executors, which stay as long as the member
#define FIL_SUBMISSION_PENDING     1   // in place of an error: it has not begun
#define FIL_SUBMISSION_RUNNING     2   // likewise: it has, and has not ended

struct fil_submission;
struct fil_submissions;

/** What tells a submission from all others: a client's choice. */
struct fil_submission_id {
    uint64_t high;
    uint64_t low;
};

/** It has ended, with the error that fil_submission_outcome tells. Once, on the generic pool. */
typedef void (*fil_submission_ended_fn)(void *context, struct fil_submission *submission,
                                        struct fil_runner *runner);

struct fil_submission_request {
    struct fil_bytes executor; // its name
    const struct fil_function_entry *entry;
    struct fil_bytes argument; // copied
    bool has_fields;
    struct fil_submission_id id;
    fil_partition_id partition_id; // FIL_OP_NO_PARTITION: sent to the member
    fil_submission_ended_fn ended;
    void *context;
};

struct fil_submission {
    // Set by new, then read-only.
    struct fil_submissions *owner;
    const struct fil_function_entry *entry;
    struct fil_submission_id id;
    fil_partition_id partition_id; // where its operation waits
    fil_submission_ended_fn ended;
    void *context;
    uint64_t size_bytes;
    char executor_name[FIL_EXECUTOR_NAME_MAX];
    uint64_t queued_ns; // when it was made

    // Shared.
    _Atomic uint32_t ref_count;
    _Atomic int state; // FIL_SUBMISSION_PENDING or _RUNNING, or how it ended

    // Under the owner's mutex.
    struct fil_list line_link;
    struct fil_list table_link;

    // Set when it leaves the line; then whoever is inside the partition has it.
    struct fil_executor *executor;
    struct fil_submission_lane *lane; // as long as it has a place there
    uint64_t outside_until_ns;        // until then it may wait outside of the executor
    uint64_t task_until_ns;           // until then the job that has begun may run
    bool is_given;                    // the executor has the job

    struct fil_op wake; // tells the partition that it has ended; who ended it sends it

    // The executor's, then that of ended.
    struct fil_job job;
    struct fil_function_call call;
    int outcome;
    bool has_way_ended; // as it should: not for want of room, time or memory
};

/** What is under way to one executor. */
struct fil_submission_lane {
    struct fil_executor *executor;
    _Atomic uint32_t count;
};

struct fil_submissions_options {
    struct fil_env *env;
    struct fil_exec *exec;
    struct fil_generic *generic;
    struct fil_invocation_service *invocations;
    struct fil_budget *budget;
    uint64_t start_timeout_ns; // a job that has not started by then does not
    uint64_t task_timeout_ns;  // for all of it, from the start of its invocation; 0: no limit
    uint32_t line_max;
    uint32_t lane_max;

    /** Finds the executor of that name or makes it. May block. */
    int (*open)(void *context, const char *name, struct fil_executor **out_executor);
    void *context;
};

struct fil_submissions {
    // Set by init, then read-only.
    struct fil_submissions_options options;

    // Under the mutex.
    struct fil_mutex mutex;
    struct fil_list line;
    uint32_t line_count;
    bool is_served; // the task is in the pool
    struct fil_list *table;
    char closed[FIL_SUBMISSIONS_CLOSED_MAX][FIL_EXECUTOR_NAME_MAX];
    uint32_t closed_count;

    // The one's who serves the line. Each thread of the pool has an invoker, made at its first
    // turn.
    struct fil_task task;
    struct fil_invoker *invokers;
    uint32_t invoker_count;
    struct fil_invoker *invoker; // of the one who serves now
    struct fil_submission_lane lanes[FIL_SUBMISSION_LANES_MAX];
    uint32_t lane_count;

    struct fil_counter refused_count; // the line was full
};

/** FIL_E_NOMEM. */
int fil_submissions_init(struct fil_submissions *submissions,
                         const struct fil_submissions_options *options) FIL_NODISCARD;

/** Everything that was submitted has ended, and all threads have; harmless after a failed init. */
void fil_submissions_fini(struct fil_submissions *submissions);

/** The caller has a reference. FIL_E_NOMEM; FIL_E_INVALID for a name that no executor can have. */
FIL_ANY_THREAD int fil_submission_new(struct fil_submissions *submissions,
                                      const struct fil_submission_request *request,
                                      struct fil_submission **out_submission) FIL_NODISCARD;

/** FIL_OK: ended will be called, perhaps already. FIL_E_FULL: the line is, and it will not. */
FIL_ANY_THREAD int fil_submission_send(struct fil_submission *submission) FIL_NODISCARD;

/**
 * Ends the submission with FIL_E_CANCELLED unless it has ended: a job that waits does not run, a
 * function that runs is told if it is to be interrupted. Returns whether it ended by this.
 */
FIL_ANY_THREAD bool fil_submission_cancel(struct fil_submission *submission, bool is_interrupt,
                                          struct fil_runner *runner);

/** Likewise by its id; false also when there is none. */
FIL_ANY_THREAD bool fil_submissions_cancel(struct fil_submissions *submissions,
                                           struct fil_submission_id id, bool is_interrupt,
                                           struct fil_runner *runner);

FIL_ANY_THREAD void fil_submission_unref(struct fil_submission *submission);

/** What the function says of its failure; NULL: nothing, or it was not the function that failed. */
const char *fil_submission_problem(const struct fil_submission *submission);

/** In ended and afterwards: FIL_OK, and the reply is in call, or why there is none. */
static inline int fil_submission_outcome(const struct fil_submission *submission)
{
    return submission->outcome;
}

// Executors that clients have shut down: they refuse submissions with FIL_E_CLOSED.

/** FIL_E_LIMIT, FIL_E_INVALID; shutting down twice is fine. */
FIL_ANY_THREAD int fil_submissions_shut_down(struct fil_submissions *submissions,
                                             struct fil_bytes name) FIL_NODISCARD;
FIL_ANY_THREAD bool fil_submissions_is_shut_down(struct fil_submissions *submissions,
                                                 struct fil_bytes name);

/** It takes submissions again. */
FIL_ANY_THREAD void fil_submissions_revive(struct fil_submissions *submissions,
                                           struct fil_bytes name);
