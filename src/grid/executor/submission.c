// SPDX-License-Identifier: Apache-2.0
#include "grid/executor/submission.h"

#include <string.h>

#include "core/exec/activity.h"
#include "core/exec/promise.h"
#include "filbert/error.h"
#include "grid/executor/submission_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define PENDING FIL_SUBMISSION_PENDING
#define RUNNING FIL_SUBMISSION_RUNNING

// Life.

static void ref(struct fil_submission *submission)
{
    // Relaxed: who refers to it has it.
    (void)atomic_fetch_add_explicit(&submission->ref_count, 1, memory_order_relaxed);
}

void fil_submission_unref(struct fil_submission *submission)
{
    // As a reference count: the last one has seen what all others did.
    if (atomic_fetch_sub_explicit(&submission->ref_count, 1, memory_order_acq_rel) == 1) {
        struct fil_budget *budget = submission->owner->options.budget;
        uint64_t size_bytes = submission->size_bytes;
        fil_function_call_fini(&submission->call);
        fil_free(submission);
        fil_budget_return(budget, size_bytes);
    }
}

/** For a reference that is not the last one. */
static void unref_early(struct fil_submission *submission)
{
    // Release: who frees it has seen what was done with this one.
    uint32_t before = atomic_fetch_sub_explicit(&submission->ref_count, 1, memory_order_release);
    fil_assert(before > 1);
}

static int state_of(struct fil_submission *submission)
{
    // A1 pairs with R1: the reply is there.
    return atomic_load_explicit(&submission->state, memory_order_acquire);
}

static bool has_ended(struct fil_submission *submission)
{
    return state_of(submission) <= FIL_OK;
}

static uint64_t key_of(const struct fil_submission *submission)
{
    return (uint64_t)(uintptr_t)submission;
}

// How it ends: once, and then its operation is woken.

static enum fil_op_outcome run_wake(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_submission *submission = FIL_CONTAINER_OF(op, struct fil_submission, wake);
    (void)fil_partition_notify(partition, key_of(submission), UINT32_MAX);
    return FIL_OP_DONE;
}

static void complete_wake(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    fil_submission_unref(FIL_CONTAINER_OF(op, struct fil_submission, wake));
}

static const struct fil_op_type wake_type = {
    .name = "executor-wake", .run = run_wake, .complete = complete_wake};

/** One attempt to move the word. */
static bool move_state(struct fil_submission *submission, int from, int to)
{
    // R1 pairs with A1.
    return atomic_compare_exchange_strong_explicit(&submission->state, &from, to,
                                                   memory_order_acq_rel, memory_order_acquire);
}

/** False when it had ended before. */
static bool decide(struct fil_submission *submission, int code)
{
    fil_assert(code <= FIL_OK);
    // It may begin between the two, but not go back.
    return move_state(submission, PENDING, code) || move_state(submission, RUNNING, code);
}

static bool end(struct fil_submission *submission, int code, struct fil_runner *runner)
{
    if (!decide(submission, code)) {
        return false;
    }
    ref(submission);
    fil_op_init(&submission->wake, &wake_type, submission->partition_id);
    // It wakes and changes nothing, so a cancel may overtake what waits in the mailbox.
    submission->wake.is_priority = code == FIL_E_CANCELLED;
    fil_exec_submit(submission->owner->options.exec, &submission->wake, runner);
    return true;
}

/** It has ended: its job leaves the queue, and makes room there. */
static void stop_job(struct fil_submission *submission, bool is_interrupt)
{
    // False: it has begun; or it is not there yet, and give_job looks whether it is still wanted.
    (void)!fil_executor_cancel(&submission->job);
    if (is_interrupt) {
        fil_function_call_cancel(&submission->call);
    }
}

bool fil_submission_cancel(struct fil_submission *submission, bool is_interrupt,
                           struct fil_runner *runner)
{
    if (!end(submission, FIL_E_CANCELLED, runner)) {
        return false;
    }
    stop_job(submission, is_interrupt);
    return true;
}

bool fil_submissions_cancel(struct fil_submissions *submissions, struct fil_submission_id id,
                            bool is_interrupt, struct fil_runner *runner)
{
    fil_mutex_lock(&submissions->mutex);
    struct fil_submission *submission = fil_submissions__find(submissions, id);
    if (submission != NULL) {
        ref(submission);
    }
    fil_mutex_unlock(&submissions->mutex);
    if (submission == NULL) {
        return false;
    }
    bool is_ended = fil_submission_cancel(submission, is_interrupt, runner);
    fil_submission_unref(submission);
    return is_ended;
}

// The job, on the executor.

static struct fil_submission *submission_of(struct fil_job *job)
{
    return FIL_CONTAINER_OF(job, struct fil_submission, job);
}

static void end_job(struct fil_submission *submission, int code)
{
    (void)end(submission, code, fil_executor_runner());
    fil_submission_unref(submission);
}

static void run_job(struct fil_job *job)
{
    struct fil_submission *submission = submission_of(job);
    int code = FIL_E_CANCELLED;
    if (move_state(submission, PENDING, RUNNING)) {
        const struct fil_function *function = &submission->entry->function;
        fil_activity_rename(fil_executor_runner(), function->name);
        code = function->run(&submission->call);
    }
    end_job(submission, code > FIL_OK ? FIL_E_INVALID : code);
}

// The next two also run where the job is taken out of the queue; then the submission has ended.

static void cancel_job(struct fil_job *job)
{
    end_job(submission_of(job), FIL_E_CANCELLED);
}

static void expire_job(struct fil_job *job)
{
    end_job(submission_of(job), FIL_E_TIMEOUT);
}

static const struct fil_job_ops job_ops = {
    .run = run_job, .cancel = cancel_job, .expire = expire_job};

// The operation, in its partition.

/** Until when it may wait to begin. */
static uint64_t start_until(const struct fil_submission *submission)
{
    uint64_t start_until_ns = submission->job.deadline_ns;
    uint64_t task_until_ns = submission->task_until_ns;
    return start_until_ns < task_until_ns ? start_until_ns : task_until_ns;
}

static int give_job(struct fil_submission *submission, uint64_t now_ns)
{
    uint64_t wait_ns = 0;
    ref(submission);
    int error = fil_executor_bring(submission->executor, &submission->job, &wait_ns);
    submission->is_given = error == FIL_OK;
    submission->outside_until_ns = wait_ns == 0 ? FIL_OP_NO_DEADLINE : now_ns + wait_ns;
    if (error != FIL_OK) {
        unref_early(submission); // the operation has one
    } else if (has_ended(submission)) {
        (void)!fil_executor_cancel(&submission->job); // who ended it may have looked too early
    }
    return error;
}

/** It may not wait outside of the executor any more: it is in by now, or is refused. */
static int look_inside(struct fil_submission *submission)
{
    submission->outside_until_ns = FIL_OP_NO_DEADLINE;
    if (!fil_executor_withdraw(&submission->job)) {
        return FIL_OK;
    }
    unref_early(submission); // the job's
    return FIL_E_FULL;
}

static int go_on(struct fil_submission *submission, uint64_t now_ns)
{
    if (!submission->is_given) {
        return give_job(submission, now_ns);
    }
    return now_ns >= submission->outside_until_ns ? look_inside(submission) : FIL_OK;
}

/** Its operation has ended, or will not run any more: another one may set out. */
static void leave_lane(struct fil_submission *submission)
{
    if (submission->lane != NULL) {
        // Relaxed: a count.
        atomic_fetch_sub_explicit(&submission->lane->count, 1, memory_order_relaxed);
        submission->lane = NULL;
    }
}

static enum fil_op_outcome be_done(struct fil_submission *submission)
{
    leave_lane(submission);
    return FIL_OP_DONE;
}

/** Gives the job away, waits, and is done when the submission has ended, however. */
static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_submission *submission = fil_invocation_of(op)->argument;
    if (has_ended(submission)) {
        return be_done(submission);
    }
    op->error = go_on(submission, partition->runner->now_ns);
    if (submission->outside_until_ns < op->deadline_ns) {
        op->deadline_ns = submission->outside_until_ns;
    }
    if (op->error == FIL_OK) {
        op->error = fil_partition_park(partition, op, key_of(submission));
    }
    return op->error == FIL_OK ? FIL_OP_PARKED : be_done(submission);
}

static const struct fil_op_type op_type = {
    .name = "executor-submit", .run = run_op, .complete = fil_invocation_complete};

static void release(void *argument)
{
    leave_lane(argument); // one that did not run any more
    fil_submission_unref(argument);
}

/**
 * Its time outside of the executor is over, and run_op sees to that; or that to begin: it ends,
 * unless it has begun, and then has the time of its task.
 */
static uint64_t prolong(void *argument)
{
    struct fil_submission *submission = argument;
    uint64_t start_until_ns = start_until(submission);
    if (fil_env_now_ns(submission->owner->options.env) < start_until_ns) {
        return start_until_ns;
    }
    if (move_state(submission, PENDING, FIL_E_TIMEOUT)) {
        (void)!fil_executor_expire(&submission->job); // false: as in stop_job
    }
    return state_of(submission) == FIL_E_TIMEOUT ? 0 : submission->task_until_ns;
}

// The end, on the generic pool.

/** The error is that of its way; without one, how it ended is told by its state. */
static void deliver(struct fil_submission *submission, int error)
{
    struct fil_submissions *owner = submission->owner;
    if (error != FIL_OK && decide(submission, error)) {
        stop_job(submission, true);
    }
    submission->outcome = state_of(submission);
    submission->has_way_ended = error == FIL_OK;
    fil_assert(submission->outcome <= FIL_OK);
    fil_mutex_lock(&owner->mutex);
    fil_list_remove(&submission->table_link);
    fil_mutex_unlock(&owner->mutex);
    submission->ended(submission->context, submission, fil_generic_runner());
    fil_submission_unref(submission);
}

const char *fil_submission_problem(const struct fil_submission *submission)
{
    int outcome = submission->outcome;
    // Otherwise the function may still run, and write what it has to say.
    bool is_its_own = submission->has_way_ended && outcome != FIL_OK &&
                      outcome != FIL_E_CANCELLED && outcome != FIL_E_TIMEOUT;
    return is_its_own && submission->call.problem[0] != '\0' ? submission->call.problem : NULL;
}

static void on_result(void *context, struct fil_result *result)
{
    deliver(context, result->code);
}

static int invoke(struct fil_submissions *submissions, struct fil_submission *submission)
{
    struct fil_future future;
    ref(submission); // the operation's
    int error = fil_invocation_submit(
        submissions->invoker,
        &(struct fil_invocation_request){
            .type = &op_type,
            .partition_id = submission->partition_id,
            .is_admitted = true, // by its lane
            .deadline_ns = start_until(submission),
            .argument = submission,
            .release = release,
            .prolong = prolong,
            // Short, and not to wait behind who waits for a place: the reserved thread's work.
            .home = &submissions->options.generic->priority_target,
        },
        &future);
    if (error != FIL_OK) {
        release(submission);
        return error;
    }
    error = fil_future_continue(&future, &(struct fil_continuation){.when = FIL_WHEN_EITHER,
                                                                    .fn = on_result,
                                                                    .context = submission});
    if (error == FIL_OK) {
        fil_future_forget(future);
    } else {
        fil_future_cancel(future);
    }
    return error;
}

/** Takes a place among those under way to the executor; false: they are too many. */
static bool enter_lane(struct fil_submission *submission)
{
    struct fil_submissions *owner = submission->owner;
    struct fil_submission_lane *lane = fil_submissions__lane(owner, submission->executor);
    // Relaxed: only the one who serves the line adds to it.
    if (atomic_load_explicit(&lane->count, memory_order_relaxed) >= owner->options.lane_max) {
        fil_counter_add_shared(&submission->executor->rejected_count, 1);
        return false;
    }
    atomic_fetch_add_explicit(&lane->count, 1, memory_order_relaxed);
    submission->lane = lane;
    return true;
}

/** Its executor is there. */
static int set_out(struct fil_submission *submission)
{
    const struct fil_submissions_options *options = &submission->owner->options;
    uint64_t now_ns = fil_env_now_ns(options->env);
    if (!enter_lane(submission)) {
        return FIL_E_FULL;
    }
    submission->outside_until_ns = FIL_OP_NO_DEADLINE;
    submission->job.deadline_ns = now_ns + options->start_timeout_ns;
    submission->task_until_ns =
        options->task_timeout_ns == 0 ? FIL_OP_NO_DEADLINE : now_ns + options->task_timeout_ns;
    return invoke(submission->owner, submission);
}

void fil_submission__start(struct fil_submission *submission)
{
    struct fil_submissions *submissions = submission->owner;
    const struct fil_submissions_options *options = &submissions->options;
    const char *name = submission->executor_name;
    if (has_ended(submission)) {
        deliver(submission, FIL_OK);
        return;
    }
    int error = fil_submissions_is_shut_down(submissions, fil_bytes_of(name))
                    ? FIL_E_CLOSED
                    : options->open(options->context, name, &submission->executor);
    if (error == FIL_OK) {
        error = set_out(submission);
    }
    if (error != FIL_OK) {
        deliver(submission, error);
    }
}

// The beginning, on any thread.

static struct fil_submission *new_submission(struct fil_submissions *submissions,
                                             const struct fil_submission_request *request)
{
    uint64_t size_bytes = sizeof(struct fil_submission) + request->argument.size;
    struct fil_budget *budget = submissions->options.budget;
    if (!fil_budget_draw(budget, size_bytes)) {
        return NULL;
    }
    struct fil_submission *submission = fil_alloc_zero(1, size_bytes);
    if (submission == NULL) {
        fil_budget_return(budget, size_bytes);
        return NULL;
    }
    uint8_t *argument = (uint8_t *)(submission + 1);
    if (request->argument.size > 0) {
        memcpy(argument, request->argument.data, request->argument.size);
    }
    submission->call.argument = fil_bytes_make(argument, request->argument.size);
    submission->size_bytes = size_bytes;
    return submission;
}

/** The partition where it waits, also if it was sent to the member. */
static fil_partition_id place_of(const struct fil_submissions *submissions,
                                 const struct fil_submission_request *request)
{
    uint32_t count = fil_exec_partition_count(submissions->options.exec);
    if (request->partition_id != FIL_OP_NO_PARTITION) {
        fil_assert(request->partition_id < count);
        return request->partition_id;
    }
    return (fil_partition_id)((request->id.high ^ request->id.low) % count);
}

static void fill(struct fil_submission *submission, struct fil_submissions *submissions,
                 const struct fil_submission_request *request)
{
    submission->owner = submissions;
    submission->entry = request->entry;
    submission->id = request->id;
    submission->partition_id = place_of(submissions, request);
    submission->ended = request->ended;
    submission->context = request->context;
    memcpy(submission->executor_name, request->executor.data, request->executor.size);
    atomic_init(&submission->ref_count, 1);
    atomic_init(&submission->state, PENDING);
    fil_list_init(&submission->line_link);
    fil_list_init(&submission->table_link);
    fil_job_init(&submission->job, &job_ops);
    submission->queued_ns = fil_env_now_ns(submissions->options.env);
    submission->call.context = request->entry->context;
    submission->call.env = submissions->options.env;
    submission->call.budget = submissions->options.budget;
    submission->call.has_fields = request->has_fields;
    submission->call.partition_id = request->partition_id;
}

int fil_submission_new(struct fil_submissions *submissions,
                       const struct fil_submission_request *request,
                       struct fil_submission **out_submission)
{
    if (request->executor.size == 0 || request->executor.size >= FIL_EXECUTOR_NAME_MAX) {
        return FIL_E_INVALID;
    }
    struct fil_submission *submission = new_submission(submissions, request);
    if (submission == NULL) {
        return FIL_E_NOMEM;
    }
    fill(submission, submissions, request);
    *out_submission = submission;
    return FIL_OK;
}

int fil_submission_send(struct fil_submission *submission)
{
    ref(submission); // that of its way
    if (fil_submissions__queue(submission->owner, submission)) {
        return FIL_OK;
    }
    fil_submission_unref(submission);
    fil_counter_add_shared(&submission->owner->refused_count, 1);
    return FIL_E_FULL;
}
