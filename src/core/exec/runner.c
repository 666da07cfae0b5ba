// SPDX-License-Identifier: Apache-2.0
#include "core/exec/runner.h"

#include "core/exec/activity.h"
#include "core/exec/crew.h"
#include "core/exec/exec_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/net/connection.h"

void fil_runner_init(struct fil_runner *runner, struct fil_exec *exec, const char *name)
{
    *runner = (struct fil_runner){.exec = exec, .name = name, .turn_until_ns = FIL_OP_NO_DEADLINE};
    fil_histogram_init(&runner->stats.wait_ns);
    fil_histogram_init(&runner->stats.service_ns);
    runner->now_ns = fil_env_now_ns(exec->options.env);
}

/** What the op is, for whoever looks at a thread that does not come back. */
static void publish_current(struct fil_runner *runner, const struct fil_op *op)
{
    // Relaxed, single writer: the watchdog wants to know what runs for long, not what ran briefly.
    atomic_store_explicit(&runner->current_partition, op->partition_id, memory_order_relaxed);
    atomic_store_explicit(&runner->current_name, op->type->name, memory_order_relaxed);
    uint64_t count = atomic_load_explicit(&runner->current_count, memory_order_relaxed);
    atomic_store_explicit(&runner->current_count, count + 1, memory_order_relaxed);
    runner->current_ns = runner->now_ns;
}

/** Why the operation must not run any more; FIL_OK when it may. */
static int refusal(const struct fil_runner *runner, struct fil_op *op)
{
    // Acquire: what the canceller did before is visible to complete.
    if (FIL_UNLIKELY(atomic_load_explicit(&op->is_cancelled, memory_order_acquire))) {
        return FIL_E_CANCELLED;
    }
    return FIL_UNLIKELY(op->deadline_ns <= runner->now_ns) ? FIL_E_TIMEOUT : FIL_OK;
}

static void count_refusal(struct fil_runner *runner, int error)
{
    fil_counter_add(error == FIL_E_TIMEOUT ? &runner->stats.expiries : &runner->stats.cancels, 1);
}

static void record_wait(struct fil_runner *runner, struct fil_op *op)
{
    if (op->submitted_ns != 0) {
        uint64_t waited = runner->now_ns > op->submitted_ns ? runner->now_ns - op->submitted_ns : 0;
        fil_histogram_record(&runner->stats.wait_ns, waited);
        op->submitted_ns = 0;
    }
}

/** One reading ends an operation and begins the next, which is held against it. */
static void look_at_clock(struct fil_runner *runner, uint64_t start_ns)
{
    runner->now_ns = fil_env_now_ns(runner->exec->options.env);
    fil_assert(runner->now_ns >= start_ns);
    fil_histogram_record(&runner->stats.service_ns, runner->now_ns - start_ns);
}

static void run_and_file(struct fil_runner *runner, struct fil_partition *partition,
                         struct fil_op *op)
{
    if (FIL_UNLIKELY(op->type->is_slow)) {
        fil_runner_end_turn(runner); // what is ready must not wait for the end of this one
    }
    uint64_t start_ns = runner->now_ns;
    record_wait(runner, op);
    // Relaxed, as in publish_current. The outer one is what runs again after an operation that was
    // run in place by another.
    const char *outer = atomic_load_explicit(&runner->current_name, memory_order_relaxed);
    // What runs this one in place is measured up to here: its count goes now.
    if (FIL_UNLIKELY(atomic_load_explicit(&runner->suspect_count, memory_order_relaxed) ==
                     atomic_load_explicit(&runner->current_count, memory_order_relaxed)) &&
        outer != NULL) {
        fil_activity_measure(runner);
    }
    publish_current(runner, op);
    enum fil_op_outcome outcome = op->type->run(op, partition);
    fil_activity_end(runner, outer);
    fil_counter_add(&runner->stats.runs, 1);
    if (FIL_LIKELY(outcome == FIL_OP_DONE)) {
        op->type->complete(op, runner);
    } else if (outcome == FIL_OP_AGAIN) {
        fil_counter_add(&runner->stats.slices, 1);
        fil_partition_append(partition, op);
    }
    look_at_clock(runner, start_ns);
}

void fil_runner_run(struct fil_runner *runner, struct fil_partition *partition, struct fil_op *op)
{
    fil_debug_assert(partition->runner == runner);
    fil_partition_assert_inside(partition);
    runner->depth++;
    fil_role_begin_op();
    int error = refusal(runner, op);
    if (FIL_LIKELY(error == FIL_OK)) {
        run_and_file(runner, partition, op);
    } else {
        count_refusal(runner, error);
        op->error = error;
        op->type->complete(op, runner);
    }
    fil_role_end_op();
    runner->depth--;
}

void fil_runner_owe_wake(struct fil_runner *runner, uint32_t stage)
{
    fil_assert(stage < FIL_RUNNER_STAGES_MAX);
    runner->owed_wakes[stage / 64] |= UINT64_C(1) << (stage % 64);
    runner->owes_wakes = true;
    if (!runner->exec->options.has_batching) {
        fil_runner_pay_wakes(runner);
    }
}

void fil_runner_owe_alarm(struct fil_runner *runner)
{
    runner->owes_alarm = true;
    runner->owes_wakes = true;
    if (!runner->exec->options.has_batching) {
        fil_runner_pay_wakes(runner);
    }
}

void fil_runner_owe_crew(struct fil_runner *runner, struct fil_crew *crew)
{
    for (uint32_t i = 0; i < runner->owed_crew_count; i++) {
        if (runner->owed_crews[i] == crew) {
            return;
        }
    }
    if (runner->owed_crew_count == FIL_RUNNER_CREWS_MAX || !runner->exec->options.has_batching) {
        (void)fil_crew_wake_any(crew, 0, crew->options.member_count);
        return;
    }
    runner->owed_crews[runner->owed_crew_count] = crew;
    runner->owed_crew_count++;
}

static void pay_crews(struct fil_runner *runner)
{
    for (uint32_t i = 0; i < runner->owed_crew_count; i++) {
        struct fil_crew *crew = runner->owed_crews[i];
        (void)fil_crew_wake_any(crew, 0, crew->options.member_count);
    }
    runner->owed_crew_count = 0;
}

static void pay_wake(struct fil_runner *runner, uint32_t index)
{
    struct fil_exec *exec = runner->exec;
    struct fil_partition_stage *stage = fil_exec__stage(exec, index);
    if (&stage->runner == runner) {
        return; // its own queue, which it looks at before it parks
    }
    bool is_woken = fil_parker_wake(&stage->parker) || fil_exec__help(exec, stage, runner->now_ns);
    fil_counter_add(&runner->stats.wakes, is_woken);
}

void fil_runner_pay_wakes(struct fil_runner *runner)
{
    if (FIL_LIKELY(!runner->owes_wakes)) {
        return;
    }
    runner->owes_wakes = false;
    if (runner->owes_alarm) {
        runner->owes_alarm = false;
        (void)fil_parker_wake(&runner->exec->alarm.parker);
    }
    for (uint32_t word = 0; word < FIL_COUNT_OF(runner->owed_wakes); word++) {
        uint64_t owed = runner->owed_wakes[word];
        runner->owed_wakes[word] = 0;
        while (owed != 0) {
            pay_wake(runner, word * 64 + (uint32_t)__builtin_ctzll(owed));
            owed &= owed - 1;
        }
    }
}

static void send_notifies(struct fil_runner *runner)
{
    for (uint32_t i = 0; i < runner->notify_count; i++) {
        struct fil_connection *connection = runner->notifies[i];
        if (runner->exec->options.has_write_through) {
            fil_connection_notify(connection, runner->chunks);
        } else {
            fil_connection_attend(connection);
        }
        fil_connection_release(connection);
    }
    runner->notify_count = 0;
}

void fil_runner_notify(struct fil_runner *runner, struct fil_connection *connection)
{
    fil_assert(runner->chunks != NULL);
    for (uint32_t i = runner->notify_count; i > 0; i--) {
        if (runner->notifies[i - 1] == connection) {
            fil_connection_release(connection);
            return;
        }
    }
    if (runner->notify_count == FIL_RUNNER_NOTIFIES_MAX) {
        send_notifies(runner);
    }
    runner->notifies[runner->notify_count] = connection;
    runner->notify_count++;
    if (FIL_UNLIKELY(!runner->exec->options.has_batching)) {
        send_notifies(runner);
    }
}

void fil_runner_end_turn(struct fil_runner *runner)
{
    send_notifies(runner);
    fil_runner_pay_wakes(runner);
    pay_crews(runner);
}
