// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/pause.h"

#include "core/exec/turn.h"
#include "lib/net/loop.h"
#include "protocol/resp/command.h"
#include "protocol/resp/group.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/hold.h"
#include "protocol/resp/transaction.h"

#define CALLS_PER_LOOK 64U // commands that are let go until the turn's time is looked at

void fil_resp_pause_init(struct fil_resp_pause *pause)
{
    atomic_init(&pause->until_ns, 0);
    atomic_init(&pause->is_for_all, false);
    fil_lobby_init(&pause->lobby);
}

void fil_resp_pause_fini(struct fil_resp_pause *pause)
{
    fil_lobby_fini(&pause->lobby);
}

static uint64_t end_of(const struct fil_resp_pause *pause)
{
    // Relaxed: as in is_on.
    return atomic_load_explicit(&pause->until_ns, memory_order_relaxed);
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
    if (!fil_resp_hold_begin(session, &pause->lobby, NULL, until_ns)) {
        return false; // better late than never: without memory nothing is held back
    }
    // S6: who ends the pause does so before it looks who waits, and we look after we are there.
    if (atomic_load_explicit(&pause->until_ns, memory_order_seq_cst) == 0) {
        fil_resp_hold_end(session);
    }
    return true;
}

bool fil_resp_pause_end(struct fil_resp_session *session)
{
    struct fil_resp_pause *pause = &session->server->pause;
    struct fil_turn *turn = session->connection->loop->context;
    // S6, as above. In later turns of the command it is over already.
    if (session->words_done == 0) {
        atomic_store_explicit(&pause->until_ns, 0, memory_order_seq_cst);
    }
    while (fil_lobby_call(&pause->lobby, CALLS_PER_LOOK) == CALLS_PER_LOOK) {
        fil_turn_step(turn);
        if (fil_turn_is_spent(turn)) {
            session->words_done = 1;
            session->is_held = true;
            fil_connection_yield(session->connection);
            return false;
        }
    }
    session->words_done = 0;
    return true;
}
