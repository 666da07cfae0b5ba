// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/pause.h"

#include "core/exec/partition.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/command.h"
#include "protocol/resp/group.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/transaction.h"

/** Where those that wait are parked: any partition will do, but all in one. */
#define WAITING_ROOM 0U

void fil_resp_pause_init(struct fil_resp_pause *pause)
{
    atomic_init(&pause->until_ns, 0);
    atomic_init(&pause->is_for_all, false);
}

static uint64_t end_of(const struct fil_resp_pause *pause)
{
    // Relaxed: as in is_on.
    return atomic_load_explicit(&pause->until_ns, memory_order_relaxed);
}

/** Under what key they are parked. */
static uint64_t key_of(const struct fil_resp_session *session)
{
    return (uint64_t)(uintptr_t)&session->server->pause;
}

void fil_resp_pause_begin(struct fil_resp_server *server, uint64_t length_ns, bool is_for_all)
{
    struct fil_resp_pause *pause = &server->pause;
    uint64_t now_ns = fil_env_now_ns(server->options.env);
    uint64_t until_ns = now_ns + length_ns;
    fil_mutex_lock(&server->mutex);
    bool goes_on = end_of(pause) > now_ns;
    bool was_for_all = atomic_load_explicit(&pause->is_for_all, memory_order_relaxed);
    if (!goes_on || end_of(pause) < until_ns) {
        atomic_store_explicit(&pause->until_ns, until_ns, memory_order_relaxed);
    }
    atomic_store_explicit(&pause->is_for_all, is_for_all || (goes_on && was_for_all),
                          memory_order_relaxed);
    fil_mutex_unlock(&server->mutex);
}

/** Whether the transaction changes something; one that does not is not held back by WRITE. */
static bool has_write(const struct fil_resp_transaction *transaction)
{
    const struct fil_resp_queued *queued = transaction == NULL ? NULL : transaction->first;
    while (queued != NULL && !(queued->info->flags & FIL_RESP_WRITE)) {
        queued = queued->next;
    }
    return queued != NULL;
}

static bool is_held(const struct fil_resp_session *session,
                    const struct fil_resp_command_info *info)
{
    if (info->handler == fil_resp__client) {
        return false;
    }
    return atomic_load_explicit(&session->server->pause.is_for_all, memory_order_relaxed) ||
           (info->flags & FIL_RESP_WRITE) != 0 || info->handler == fil_resp__publish ||
           (info->handler == fil_resp__exec && has_write(session->transaction));
}

/** Waits for the end of the pause, and leaves no reply. */
static enum fil_op_outcome step_wait(struct fil_resp_call *call, struct fil_partition *partition)
{
    uint64_t until_ns = end_of(&call->session->server->pause);
    if (until_ns <= partition->runner->now_ns) {
        return FIL_OP_DONE;
    }
    call->op.deadline_ns = until_ns;
    call->op.error = fil_partition_park(partition, &call->op, key_of(call->session));
    return call->op.error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

bool fil_resp_pause_hold(struct fil_resp_session *session, const struct fil_resp_command_info *info)
{
    struct fil_resp_pause *pause = &session->server->pause;
    uint64_t until_ns = end_of(pause);
    struct fil_turn *turn = session->connection->loop->context;
    if (until_ns <= turn->runner.now_ns) {
        // The first to see that it is over says so; another pause may have begun meanwhile.
        (void)atomic_compare_exchange_strong_explicit(&pause->until_ns, &until_ns, 0,
                                                      memory_order_relaxed, memory_order_relaxed);
        return false;
    }
    if (!is_held(session, info)) {
        return false;
    }
    fil_resp_group_run(session); // what came before it runs first
    struct fil_resp_call *call = fil_resp_call_new(session, sizeof(*call), step_wait);
    if (call == NULL) {
        return false; // better late than never: without memory nothing is held back
    }
    call->timeout_reply = "";
    fil_resp_call_send(call, WAITING_ROOM);
    session->has_journey = true;
    session->waits_for_line = true;
    return true;
}

static enum fil_op_outcome step_wake(struct fil_resp_call *call, struct fil_partition *partition)
{
    (void)fil_partition_notify(partition, key_of(call->session), UINT32_MAX);
    fil_resp_simple(&call->reply, "OK");
    return FIL_OP_DONE;
}

bool fil_resp_pause_end(struct fil_resp_session *session)
{
    struct fil_resp_call *call = fil_resp_call_new(session, sizeof(*call), step_wake);
    if (call == NULL) {
        return false;
    }
    // Relaxed: those who are parked hear of it inside the partition.
    atomic_store_explicit(&session->server->pause.until_ns, 0, memory_order_relaxed);
    fil_resp_call_send(call, WAITING_ROOM);
    return true;
}
