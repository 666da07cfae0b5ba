// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/call.h"

#include <string.h>

#include "core/exec/activity.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/connection.h"
#include "lib/net/loop.h"
#include "protocol/resp/block.h"
#include "protocol/resp/command.h"
#include "protocol/resp/group.h"
#include "protocol/resp/journey.h"
#include "protocol/resp/kept.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/single.h"

#define COPY_BYTES_MAX 1024U
#define NOWHERE        FIL_OP_NO_PARTITION

static struct fil_turn *turn_of(struct fil_resp_session *session)
{
    return session->connection->loop->context;
}

/** A block from the loop's pool or, without one, from the heap. */
static struct fil_resp_call *take_block(struct fil_resp_session *session, size_t size,
                                        struct fil_pool *pool) FIL_RUNS_ON(io)
{
    struct fil_budget *budget = session->server->options.budget;
    struct fil_resp_call *call = NULL;
    if (pool != NULL) {
        return fil_pool_take(pool);
    }
    if (fil_budget_draw(budget, size)) {
        call = fil_alloc(size);
        if (call == NULL) {
            fil_budget_return(budget, size);
        }
    }
    return call;
}

struct fil_resp_call *fil_resp_call_new(
    struct fil_resp_session *session, size_t size,
    enum fil_op_outcome (*step)(struct fil_resp_call *call, struct fil_partition *partition))
{
    struct fil_turn *turn = turn_of(session);
    struct fil_pool *pool = fil_turn_pool(turn, size);
    struct fil_resp_call *call = take_block(session, size, pool);
    if (call == NULL) {
        return NULL;
    }
    memset(call, 0, sizeof(*call));
    fil_list_init(&call->link);
    call->session = session;
    call->home = pool;
    call->heap_bytes = pool == NULL ? size : 0;
    call->name = fil_activity_name(&turn->runner);
    call->step = step;
    call->next = NOWHERE;
    call->reply_count = 1;
    fil_output_init(&call->reply);
    call->reply.pool = session->connection->output.pool;
    return call;
}

void fil_resp_call_free(struct fil_resp_call *call)
{
    if (call->fini != NULL) {
        call->fini(call);
    }
    fil_output_fini(&call->reply);
    if (call->home != NULL) {
        fil_pool_give(call->home, call);
        return;
    }
    fil_budget_return(call->session->server->options.budget, call->heap_bytes);
    fil_free(call);
}

void fil_resp_call_refuse(struct fil_resp_session *session)
{
    fil_resp_out_of_memory(fil_resp_call_open(session));
    fil_resp_call_close(session);
}

/** Puts the call at the end of the line; the writer flag is held. */
static void line_up(struct fil_resp_call *call) FIL_RUNS_ON(io)
{
    struct fil_resp_session *session = call->session;
    fil_list_push_back(&session->line, &call->link);
    session->line_count++;
}

/** Grows at once, shrinks slowly: one small reply says little of the next. */
static void learn_size(struct fil_resp_session *session, size_t size)
{
    uint64_t faded = session->reply_bytes - session->reply_bytes / 4;
    session->last_reply_bytes = size;
    session->reply_bytes = size > faded ? size : faded;
}

uint32_t fil_resp_call_window(const struct fil_resp_session *session)
{
    uint64_t limit = session->connection->loop->limits.output_bytes_max;
    uint64_t window = limit / (session->reply_bytes + 1);
    if (window == 0) {
        return 1;
    }
    return window < FIL_CONNECTION_PENDING_MAX ? (uint32_t)window : FIL_CONNECTION_PENDING_MAX;
}

/** Small replies are copied together, large ones change hands. */
static void move_reply(struct fil_output *output, struct fil_output *reply)
{
    struct fil_bytes slice;
    if (reply->queue.size_bytes <= COPY_BYTES_MAX &&
        fil_chunk_queue_slices(&reply->queue, &slice, 1) == 1 &&
        slice.size == reply->queue.size_bytes) {
        fil_output_append(output, slice);
    } else {
        fil_chunk_queue_move(&output->queue, &reply->queue);
    }
}

/** Whether the end of the connection is the answer; not if a later one would be taken for it. */
static bool is_answered_by_end(const struct fil_resp_session *session,
                               const struct fil_resp_call *call)
{
    return FIL_UNLIKELY(session->is_stopping) && call->op.error == FIL_E_CANCELLED &&
           fil_list_is_empty(&session->line);
}

bool fil_resp_call_collect(struct fil_resp_session *session)
{
    struct fil_output *output = &session->connection->output;
    bool is_single = session->server->options.has_single_replies;
    while (!fil_list_is_empty(&session->line)) {
        struct fil_resp_call *call =
            FIL_CONTAINER_OF(session->line.next, struct fil_resp_call, link);
        // A5 pairs with R5: the reply is complete.
        if (!atomic_load_explicit(&call->is_done, memory_order_acquire)) {
            break;
        }
        fil_list_remove(&call->link);
        session->line_count--;
        learn_size(session, call->reply.queue.size_bytes / call->reply_count);
        if (!is_answered_by_end(session, call)) {
            move_reply(output, &call->reply);
        }
        fil_resp_call_free(call);
        if (FIL_UNLIKELY(is_single)) {
            return true;
        }
    }
    return false;
}

struct fil_output *fil_resp_call_open(struct fil_resp_session *session)
{
    fil_resp_group_run(session);
    if (FIL_LIKELY(fil_list_is_empty(&session->line))) {
        session->target = &session->connection->output;
        return session->target;
    }
    struct fil_resp_call *call = fil_resp_call_new(session, sizeof(*call), NULL);
    if (call == NULL) {
        session->connection->output.queue.is_out_of_memory = true;
        session->target = &session->connection->output;
        return session->target;
    }
    atomic_init(&call->is_done, true);
    line_up(call);
    session->target = &call->reply;
    return session->target;
}

void fil_resp_call_close(struct fil_resp_session *session)
{
    session->target = NULL;
}

void fil_resp_call_withdraw(struct fil_resp_session *session)
{
    fil_assert(session->target != NULL);
    if (session->target != &session->connection->output) {
        struct fil_resp_call *call = FIL_CONTAINER_OF(session->target, struct fil_resp_call, reply);
        fil_list_remove(&call->link);
        session->line_count--;
        fil_resp_call_free(call);
    }
    session->target = NULL;
}

void fil_resp_call_finish(struct fil_resp_call *call, struct fil_runner *runner)
{
    struct fil_connection *connection = call->session->connection;
    call->reply.pool = runner->chunks;
    if (call->op.error == FIL_E_TIMEOUT && call->timeout_reply != NULL) {
        fil_output_append(&call->reply, fil_bytes_of(call->timeout_reply));
    } else if (call->op.error != FIL_OK) {
        fil_resp_error(&call->reply, "ERR %s", fil_error_text(call->op.error));
    }
    // R5 pairs with A5. From here on the call may be freed by whoever holds the writer flag.
    atomic_store_explicit(&call->is_done, true, memory_order_release);
    fil_runner_notify(runner, connection);
}

static enum fil_op_outcome run(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_resp_call *call = FIL_CONTAINER_OF(op, struct fil_resp_call, op);
    call->next = NOWHERE;
    // Relaxed: the flag says nothing but itself.
    if (call->is_read_only && atomic_load_explicit(&call->is_unwanted, memory_order_relaxed)) {
        op->error = FIL_E_CANCELLED;
        return FIL_OP_DONE;
    }
    fil_activity_rename(partition->runner, call->name);
    call->reply.pool = partition->runner->chunks;
    return call->step(call, partition);
}

static void complete(struct fil_op *op, struct fil_runner *runner)
{
    struct fil_resp_call *call = FIL_CONTAINER_OF(op, struct fil_resp_call, op);
    if (op->error != FIL_OK || call->next == NOWHERE) {
        fil_resp_call_finish(call, runner);
        return;
    }
    fil_assert(call->is_traveller);
    fil_op_init(op, op->type, call->next);
    fil_partition_deliver(fil_exec_partition(runner->exec, call->next), op, op, runner);
}

static const struct fil_op_type call_type = {.name = "resp", .run = run, .complete = complete};
static const struct fil_op_type slow_call_type = {
    .name = "resp-slow", .run = run, .complete = complete, .is_slow = true};

void fil_resp_call_await(struct fil_resp_call *call)
{
    struct fil_resp_session *session = call->session;
    fil_resp_group_run(session); // what came before it is not to wait behind it
    fil_connection_hold(session->connection);
    session->has_journey = true;
    line_up(call);
}

void fil_resp_call_send(struct fil_resp_call *call, fil_partition_id partition_id)
{
    struct fil_resp_session *session = call->session;
    fil_resp_call_await(call);
    fil_op_init(&call->op, call->is_slow ? &slow_call_type : &call_type, partition_id);
    fil_turn_stage(turn_of(session), &call->op);
}

void fil_resp_call_end(struct fil_resp_call *call)
{
    struct fil_resp_session *session = call->session;
    atomic_init(&call->is_done, true);
    line_up(call);
    while (fil_resp_call_collect(session)) {
    }
}

bool fil_resp_call_must_wait(struct fil_resp_session *session)
{
    fil_resp_group_run(session);
    session->waits_for_line = !fil_list_is_empty(&session->line);
    return session->waits_for_line;
}

void fil_resp_call_plan(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                        const struct fil_resp_command *command)
{
    bool is_single = plan->kind <= FIL_RESP_PLAN_SUM && plan->count == 1;
    if (FIL_LIKELY(is_single && !fil_resp_is_huge(session))) {
        fil_resp_single_run(session, plan, command);
        return;
    }
    fil_assert(fil_list_is_empty(&session->line));
    if (plan->blocks) {
        fil_resp_block_start(session, plan, command);
    } else if (plan->kind == FIL_RESP_PLAN_TOGETHER || is_single) {
        fil_resp_journey_together(session, plan, command);
    } else {
        fil_resp_journey_keys(session, plan, command);
    }
}

/** Runs a command whose plan is known; false when it is not, or the command cannot join others. */
static bool join_plainly(struct fil_resp_session *session, const struct fil_resp_command_info *info,
                         const struct fil_resp_command *command) FIL_RUNS_ON(io)
{
    if ((info->flags & FIL_RESP_PLAIN) == 0 || command->count != fil_resp_command_words(info) ||
        !fil_list_is_empty(&session->line) || fil_resp_is_huge(session)) {
        return false;
    }
    struct fil_resp_planned *planned = fil_resp_group_planned(session, info);
    if (FIL_UNLIKELY(planned->info != info)) {
        bool is_sound = fil_resp_plan_make(&planned->plan, session, info, command,
                                           turn_of(session)->runner.now_ns);
        fil_assert(is_sound && fil_resp_single_can_join(session, &planned->plan));
        fil_resp_plan_draft(&planned->plan, &planned->draft);
        planned->info = info;
    }
    fil_resp_group_add_planned(session, planned, command);
    return true;
}

/** Plans the command and runs it; false as call_keys. */
FIL_APART static bool plan_and_run(struct fil_resp_session *session,
                                   const struct fil_resp_command_info *info,
                                   const struct fil_resp_command *command) FIL_RUNS_ON(io)
{
    struct fil_resp_plan plan;
    bool is_sound =
        fil_resp_plan_make(&plan, session, info, command, turn_of(session)->runner.now_ns);
    if (FIL_UNLIKELY(!is_sound)) {
        fil_resp_plan_refuse(&plan, info, command, fil_resp_call_open(session));
        fil_resp_call_close(session);
        return true;
    }
    if (FIL_LIKELY(fil_resp_single_can_join(session, &plan))) {
        fil_resp_group_add(session, &plan, command);
        return true;
    }
    if (fil_resp_call_must_wait(session)) {
        return false;
    }
    if (FIL_UNLIKELY(plan.kind == FIL_RESP_PLAN_NO_KEYS)) {
        (void)fil_resp_call_open(session);
        info->handler(session, command);
        fil_resp_call_close(session);
        return true;
    }
    fil_resp_call_plan(session, &plan, command);
    return true;
}

bool fil_resp_call_keys(struct fil_resp_session *session, const struct fil_resp_command_info *info,
                        const struct fil_resp_command *command)
{
    return FIL_LIKELY(join_plainly(session, info, command)) || plan_and_run(session, info, command);
}

void fil_resp_call_abandon(struct fil_resp_session *session)
{
    struct fil_turn *turn = turn_of(session);
    fil_list_foreach(link, &session->line) {
        struct fil_resp_call *call = FIL_CONTAINER_OF(link, struct fil_resp_call, link);
        // The call stays while it is in the line, and the flag is held: its op is valid. Where a
        // traveller is only it knows.
        bool is_done = atomic_load_explicit(&call->is_done, memory_order_acquire);
        atomic_store_explicit(&call->is_unwanted, true, memory_order_relaxed);
        if (!is_done && call->abandon != NULL) {
            call->abandon(call, &turn->runner);
        } else if (!is_done && !call->is_traveller) {
            fil_exec_abandon(turn->runner.exec, &call->op, &turn->runner);
        }
    }
}

void fil_resp_call_end_waits(struct fil_resp_session *session)
{
    struct fil_turn *turn = turn_of(session);
    fil_list_foreach(link, &session->line) {
        struct fil_resp_call *call = FIL_CONTAINER_OF(link, struct fil_resp_call, link);
        if (call->abandon != NULL && !atomic_load_explicit(&call->is_done, memory_order_acquire)) {
            call->abandon(call, &turn->runner);
        }
    }
}
