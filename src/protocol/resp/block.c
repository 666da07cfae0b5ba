// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/block.h"

#include <stdatomic.h>

#include "core/exec/turn.h"
#include "filbert/error.h"
#include "grid/map/shelf.h"
#include "lib/base/assert.h"
#include "lib/mem/budget.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/journey.h"
#include "protocol/resp/kept.h"
#include "protocol/resp/reply.h"

struct wait;

/** Waits for one key. */
struct sentry {
    struct fil_op op;
    struct wait *wait;
    uint32_t index;  // of the key
    bool is_counted; // among those that wait in its partition
    bool has_served; // it has claimed the command and written the reply
    struct fil_resp_mark mark;
};

/** A command that waits. */
struct wait {
    // Set when it is made.
    struct fil_budget *budget;
    uint64_t bytes;
    struct fil_resp_call *call; // the claimer's
    struct fil_resp_plan plan;
    struct fil_resp_kept kept; // the command
    uint32_t sentry_count;

    // Shared.
    _Atomic uint32_t holders; // the call, and sentries that have not ended
    _Atomic bool is_claimed;

    struct sentry sentries[];
};

struct wait_call {
    struct fil_resp_call call;
    struct wait *wait;
};

static void let_go(struct wait *wait)
{
    // Acquire and release: whoever frees it does so after what the others did.
    if (atomic_fetch_sub_explicit(&wait->holders, 1, memory_order_acq_rel) == 1) {
        fil_resp_kept_drop(&wait->kept);
        fil_budget_free(wait->budget, wait, wait->bytes);
    }
}

/** Whether the command is the caller's to answer, and nobody else's. */
static bool claim(struct wait *wait)
{
    // Acquire: the call as it was made. Only one gets it.
    return !atomic_exchange_explicit(&wait->is_claimed, true, memory_order_acq_rel);
}

static bool is_claimed(const struct wait *wait)
{
    // Relaxed: a claim publishes nothing to those that have lost.
    return atomic_load_explicit(&wait->is_claimed, memory_order_relaxed);
}

/** The plan with the sentry's key alone, unless it needs all. */
static struct fil_resp_plan plan_of(struct sentry *sentry, uint64_t now_ns)
{
    struct fil_resp_plan plan = sentry->wait->plan;
    plan.mark = &sentry->mark;
    plan.now_ms = fil_map_now_ms(plan.map, now_ns);
    plan.yields = false;
    if (!plan.is_joint) {
        plan.first += sentry->index * plan.step;
        plan.count = 1;
    }
    return plan;
}

static struct fil_map_key key_of(const struct sentry *sentry)
{
    return fil_resp_plan_place(&sentry->wait->plan, &sentry->wait->kept.command, sentry->index);
}

/** Whether the key has what the command waits for; keys of other types have not. */
static bool has_something(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                          const struct fil_map_key *key)
{
    struct fil_bundle bundle;
    if (plan->has_news != NULL) {
        return plan->has_news(plan, command);
    }
    fil_map_open_bundle_here(plan->map, key, plan->now_ms, &bundle);
    return bundle.is_there && bundle.kind == plan->awaited && fil_bundle_count(&bundle) > 0;
}

/** Whether the key has something of another type, which is told to who begins to wait. */
static bool has_other(const struct fil_resp_plan *plan, const struct fil_map_key *key)
{
    struct fil_bundle bundle;
    struct fil_bytes value;
    fil_map_open_bundle_here(plan->map, key, plan->now_ms, &bundle);
    return bundle.is_there ? bundle.kind != plan->awaited
                           : fil_map_peek_here(plan->map, key, plan->now_ms, &value);
}

static enum fil_op_outcome park(struct sentry *sentry, struct fil_partition *partition,
                                uint64_t wait_key)
{
    struct fil_map_key key = key_of(sentry);
    sentry->op.error = fil_partition_park(partition, &sentry->op, wait_key);
    if (sentry->op.error != FIL_OK) {
        return FIL_OP_DONE;
    }
    if (!sentry->is_counted) {
        sentry->is_counted = true;
        fil_map_await_here(sentry->wait->plan.map, &key, true);
    }
    return FIL_OP_PARKED;
}

/** Claims the command and runs it; all partitions that it needs are entered. */
static void serve(struct sentry *sentry, const struct fil_resp_plan *plan,
                  struct fil_runner *runner)
{
    struct wait *wait = sentry->wait;
    if (claim(wait)) {
        struct fil_output *reply = &wait->call->reply;
        sentry->has_served = true;
        reply->pool = runner->chunks;
        fil_resp_plan_call(plan, &wait->kept.command, reply);
        fil_assert(reply->queue.size_bytes > 0 || reply->queue.is_out_of_memory);
    }
}

/** A command of two keys also needs the other one's partition; false when that is not free. */
static bool serve_joint(struct sentry *sentry, const struct fil_resp_plan *plan,
                        struct fil_partition *partition)
{
    struct fil_resp_door door = fil_resp_door_of(partition);
    struct fil_map_key other = fil_resp_plan_place(plan, &sentry->wait->kept.command, 1);
    struct fil_partition *there = fil_resp_door_enter(&door, other.partition_id);
    if (there == NULL) {
        return false;
    }
    serve(sentry, plan, partition->runner);
    fil_resp_door_leave(&door, there);
    return true;
}

static enum fil_op_outcome run_sentry(struct fil_op *op, struct fil_partition *partition)
{
    struct sentry *sentry = FIL_CONTAINER_OF(op, struct sentry, op);
    struct fil_resp_plan plan = plan_of(sentry, partition->runner->now_ns);
    struct fil_map_key key = key_of(sentry);
    uint64_t wait_key = 0;
    // Acquire: what the loop did before the client was found gone.
    if (atomic_load_explicit(&op->is_abandoned, memory_order_acquire)) {
        op->error = FIL_E_CANCELLED;
        return FIL_OP_DONE;
    }
    if (is_claimed(sentry->wait)) {
        return FIL_OP_DONE;
    }
    if (fil_resp_plan_must_wait(&plan, sentry->index, &key, &wait_key)) {
        return park(sentry, partition, wait_key);
    }
    bool is_refused = !sentry->is_counted && has_other(&plan, &key);
    if (!is_refused && !has_something(&plan, &sentry->wait->kept.command, &key)) {
        return park(sentry, partition, fil_map_await_key(plan.map, &key));
    }
    if (!plan.is_joint) {
        serve(sentry, &plan, partition->runner);
        return FIL_OP_DONE;
    }
    return serve_joint(sentry, &plan, partition) ? FIL_OP_DONE : FIL_OP_AGAIN;
}

/** The others need not wait any more. */
static void cancel_others(const struct sentry *sentry, struct fil_runner *runner)
{
    struct wait *wait = sentry->wait;
    for (uint32_t i = 0; i < wait->sentry_count; i++) {
        if (&wait->sentries[i] != sentry) {
            fil_exec_cancel(runner->exec, &wait->sentries[i].op, runner);
        }
    }
}

/** The sentry's operation has ended, inside its partition, in whatever way. */
static void complete_sentry(struct fil_op *op, struct fil_runner *runner)
{
    struct sentry *sentry = FIL_CONTAINER_OF(op, struct sentry, op);
    struct wait *wait = sentry->wait;
    struct fil_map_key key = key_of(sentry);
    struct fil_resp_call *call = NULL;
    if (sentry->is_counted) {
        fil_map_await_here(wait->plan.map, &key, false);
    }
    if (sentry->has_served) {
        call = wait->call;
    } else if (op->is_woken) {
        fil_map_serve_here(wait->plan.map, &key, 1); // what it was woken for is for the next
    }
    if (call == NULL && op->error != FIL_OK && claim(wait)) {
        call = wait->call;
        call->op.error = op->error;
        call->reply.pool = runner->chunks;
    }
    if (call != NULL) {
        cancel_others(sentry, runner);
        fil_resp_call_finish(call, runner);
    }
    let_go(wait);
}

static const struct fil_op_type sentry_type = {
    .name = "resp-wait", .run = run_sentry, .complete = complete_sentry};

static void fini_call(struct fil_resp_call *call)
{
    let_go(FIL_CONTAINER_OF(call, struct wait_call, call)->wait);
}

static void abandon_call(struct fil_resp_call *call, struct fil_runner *runner)
{
    struct wait *wait = FIL_CONTAINER_OF(call, struct wait_call, call)->wait;
    for (uint32_t i = 0; i < wait->sentry_count; i++) {
        fil_exec_abandon(runner->exec, &wait->sentries[i].op, runner);
    }
}

static struct wait *new_wait(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                             const struct fil_resp_command *command) FIL_RUNS_ON(io)
{
    struct fil_budget *budget = session->server->options.budget;
    uint32_t count = plan->is_joint ? 1 : plan->count;
    size_t words = sizeof(struct wait) + count * sizeof(struct sentry);
    size_t bytes = words + fil_resp_kept_bytes(session, command);
    struct wait *wait = fil_budget_alloc(budget, bytes);
    if (wait == NULL) {
        return NULL;
    }
    if (!fil_resp_keep(session, command, (uint8_t *)wait + words, &wait->kept)) {
        fil_budget_free(budget, wait, bytes);
        return NULL;
    }
    wait->budget = budget;
    wait->bytes = bytes;
    wait->plan = *plan;
    wait->sentry_count = count;
    atomic_init(&wait->holders, count + 1);
    atomic_init(&wait->is_claimed, false);
    return wait;
}

/** In place, if it has been looked that there is nothing to do but wait; else it may be much. */
static void send_sentries(struct wait *wait, struct fil_turn *turn, bool is_waiting) FIL_RUNS_ON(io)
{
    uint64_t now_ns = turn->runner.now_ns;
    uint32_t count = wait->sentry_count;
    for (uint32_t i = 0; i < count; i++) {
        struct sentry *sentry = &wait->sentries[i];
        sentry->wait = wait;
        sentry->index = i;
        fil_op_init(&sentry->op, &sentry_type, key_of(sentry).partition_id);
        if (wait->plan.timeout_ns > 0) {
            sentry->op.deadline_ns = now_ns + wait->plan.timeout_ns;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_waiting) {
            fil_turn_submit(turn, &wait->sentries[i].op);
        } else {
            fil_turn_stage(turn, &wait->sentries[i].op);
        }
    }
}

static void send_off(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                     const struct fil_resp_command *command, bool is_waiting) FIL_RUNS_ON(io)
{
    struct fil_resp_call *call = fil_resp_call_new(session, sizeof(struct wait_call), NULL);
    struct wait *wait = call == NULL ? NULL : new_wait(session, plan, command);
    if (wait == NULL) {
        if (call != NULL) {
            fil_resp_call_free(call);
        }
        fil_resp_call_refuse(session);
        return;
    }
    FIL_CONTAINER_OF(call, struct wait_call, call)->wait = wait;
    wait->call = call;
    call->fini = fini_call;
    call->abandon = abandon_call;
    call->timeout_reply = plan->version < 3 ? "*-1\r\n" : "_\r\n";
    call->is_traveller = true;
    fil_resp_call_await(call);
    send_sentries(wait, session->connection->loop->context, is_waiting);
}

void fil_resp_block_start(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                          const struct fil_resp_command *command)
{
    struct fil_resp_plan now = *plan;
    struct fil_output *output = fil_resp_call_open(session);
    uint64_t size_before = output->queue.size_bytes;
    now.yields = true;
    bool has_run = fil_resp_journey_try(session, &now, command, output);
    bool is_answered = has_run && output->queue.size_bytes > size_before;
    fil_resp_call_close(session);
    if (!is_answered) {
        send_off(session, plan, command, has_run);
    }
}
