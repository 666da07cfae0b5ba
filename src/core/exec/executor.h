// SPDX-License-Identifier: Apache-2.0
/**
 * A named executor: threads and a bounded queue of its own, shared with nobody.
 *
 * A job ends in exactly one of three ways: it is run, or it is cancelled, or it expires because its
 * deadline passed before it was started. Whoever takes it out of the queue, in one step, ends it:
 *
 *              submit              taken by a thread, in time
 *     out  ----------->  queued  ---------------------------->  run     (out again before the call)
 *                          | |     too late
 *                          | +-------------------------------->  expire  (likewise)
 *                          | |     the executor stops
 *                          | +-------------------------------->  cancel  (likewise)
 *                          |       fil_executor_cancel
 *                          +---------------------------------->  cancel  (likewise, by the caller)
 *                          |       fil_executor_expire
 *                          +---------------------------------->  expire  (likewise, by the caller)
 *
 * Who has no thread to wait with brings its job instead (fil_executor_bring): where there is no
 * room and one may wait, the job waits outside, behind those that came before, and is put into the
 * queue by whoever makes room. Nobody asks again.
 *
 *     out --bring--> outside --room is made--> queued ...
 *                      | |     fil_executor_cancel, _expire: as above
 *                      | +---- drain, stop: queued, although there is no room
 *                      +------ fil_executor_withdraw: out again, and nothing is called
 *
 * A thread looks at a job's deadline when it takes it. Who wants it to expire on time although all
 * threads are busy has a clock of its own, and calls fil_executor_expire.
 *
 *     open --drain--> refuses jobs, runs what is queued --stop--> cancels what is queued, ends
 *
 * Order:   jobs start in the order of their submission, and then run side by side; those that wait
 *          outside come in one after another, before who comes later. Threads that wait for room
 *          (submit) compete with them.
 * Memory:  a job is a member of the caller's struct and belongs to the executor from submit to the
 *          beginning of run, cancel or expire, which may free it or submit it again.
 * Limits:  queued jobs; queued and running ones together (in_flight_max); a full queue refuses or
 * makes the submitter wait, as configured. Tasks sent to the executor as a target are always taken,
 * because they belong to work that has been admitted before; they count towards the limit for jobs.
 * A job that is cancelled or expires gives its place back at once.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/crew.h"
#include "core/exec/job.h"
#include "core/exec/job_line.h"
#include "core/exec/lobby.h"
#include "core/exec/room.h"
#include "core/exec/task.h"
#include "lib/base/attr.h"
#include "lib/conc/counter.h"
#include "lib/conc/idle.h"
#include "lib/conc/role.h"
#include "lib/os/cpu_set.h"
#include "lib/os/env.h"

#define FIL_EXECUTOR_NAME_MAX 32U
#define FIL_EXECUTOR_JOBS_MAX (1U << 24)

enum fil_executor_policy {
    FIL_EXECUTOR_REJECT, // a full queue refuses with FIL_E_FULL
    FIL_EXECUTOR_WAIT,   // the submitter waits for a while, if its thread may block
};

struct fil_executor_options {
    struct fil_env *env;
    const char *name;
    uint32_t thread_count; // 1 to FIL_CREW_MEMBERS_MAX
    uint32_t capacity;     // queued jobs
    enum fil_executor_policy policy;
    uint64_t wait_timeout_ns;  // for FIL_EXECUTOR_WAIT
    uint32_t in_flight_max;    // queued and running jobs; 0: as many as there is room for
    uint64_t place_timeout_ns; // outside, for want of a place among those; 0: refused at once
    uint32_t outside_max;      // jobs that may wait outside
    enum fil_idle_kind idle;
    const struct fil_cpu_set *cpus;      // NULL: any; must outlive the executor
    const struct fil_stage_hooks *hooks; // for the threads; NULL: none; must outlive the executor
    struct fil_runner *const *runners;   // one a thread, or NULL; must outlive the executor
};

struct fil_executor {
    struct fil_target target; // first: the executor is a target

    // Written by init, then read-only.
    struct fil_executor_options options;
    char name[FIL_EXECUTOR_NAME_MAX];

    // Shared. The word tells what is queued, what is running, and whether jobs are still taken.
    _Atomic uint64_t word;
    struct fil_job_line line;
    struct fil_room room;    // submitters that wait
    struct fil_lobby lobby;  // jobs that wait outside
    struct fil_room drained; // those who wait for the end of a drain
    struct fil_counter submitted_count;
    struct fil_counter run_count;
    struct fil_counter cancelled_count;
    struct fil_counter expired_count;
    struct fil_counter rejected_count; // for want of room, but for FIL_E_WOULD_BLOCK
    struct fil_counter refused_count;  // because it drains or stops
    struct fil_counter waited_count;   // submitters that had to wait
    struct fil_crew crew;
};

struct fil_executor_stats {
    uint64_t queue_length;
    uint64_t running_count;
    uint64_t submitted_count; // jobs that were taken, and tasks
    uint64_t run_count;       // jobs and tasks
    uint64_t cancelled_count;
    uint64_t expired_count;
    uint64_t rejected_count;
    uint64_t refused_count;
    uint64_t waited_count;
    struct fil_crew_stats crew;
};

/** FIL_E_INVALID for options out of range, FIL_E_NOMEM. */
int fil_executor_init(struct fil_executor *executor, const struct fil_executor_options *options)
    FIL_NODISCARD;

/** Stopped (or never started, with nothing queued), and nobody is in a call to it any more. */
void fil_executor_fini(struct fil_executor *executor);

int fil_executor_start(struct fil_executor *executor) FIL_NODISCARD;

/**
 * FIL_OK: the executor has the job. Otherwise it still is the caller's: FIL_E_FULL, FIL_E_STOPPING,
 * or FIL_E_WOULD_BLOCK when the caller would have to wait and must not.
 */
FIL_ANY_THREAD int fil_executor_submit(struct fil_executor *executor, struct fil_job *job)
    FIL_NODISCARD;

/**
 * As submit, on any thread, and without a wait. FIL_OK: the executor has the job; where
 * *out_wait_ns is not 0 it waits outside, or did, and for so long it may: then withdraw it.
 * FIL_E_FULL, FIL_E_STOPPING. The job's memory must be there until this returns, whatever becomes
 * of the job.
 */
FIL_ANY_THREAD int fil_executor_bring(struct fil_executor *executor, struct fil_job *job,
                                      uint64_t *out_wait_ns) FIL_NODISCARD;

/** True: the job waited outside, and is the caller's again, as one that was refused. */
FIL_ANY_THREAD bool fil_executor_withdraw(struct fil_job *job) FIL_NODISCARD;

/**
 * True: the job was taken out of the queue, which has room for another, and its cancel has run, on
 * the calling thread. False: a thread or another canceller was first, or it was not submitted yet.
 * The caller knows that the job's memory, and the executor, are still there.
 */
FIL_ANY_THREAD bool fil_executor_cancel(struct fil_job *job) FIL_NODISCARD;

/** As cancel, for a job that may not start any more: its expire has run. */
FIL_ANY_THREAD bool fil_executor_expire(struct fil_job *job) FIL_NODISCARD;

/** From now on jobs are refused with FIL_E_STOPPING; what is queued is run. */
FIL_ANY_THREAD void fil_executor_drain(struct fil_executor *executor);

/** Drains and waits for the end: FIL_OK, FIL_E_TIMEOUT or FIL_E_WOULD_BLOCK. */
int fil_executor_drain_wait(struct fil_executor *executor, uint64_t timeout_ns) FIL_NODISCARD;

/** Whether nothing is queued or running. */
FIL_ANY_THREAD bool fil_executor_is_idle(struct fil_executor *executor);

/** Refuses jobs, cancels what is queued, waits for what runs, ends the threads. */
void fil_executor_stop(struct fil_executor *executor);

/** One bounded turn of a thread; returns how many jobs and tasks it took. */
uint32_t fil_executor_cycle(struct fil_executor *executor, uint32_t index) FIL_RUNS_ON(executor);

FIL_ANY_THREAD void fil_executor_read(struct fil_executor *executor,
                                      struct fil_executor_stats *out_stats);

/** Jobs and tasks that wait; a figure. */
FIL_ANY_THREAD uint32_t fil_executor_queue_length(const struct fil_executor *executor);

/** From a job or task: the runner of the thread that runs it; NULL when there is none. */
struct fil_runner *fil_executor_runner(void);

const char *fil_executor_name(const struct fil_executor *executor);
