// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/transaction.h"

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/resp/call.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/kept.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/room.h"
#include "protocol/resp/word.h"

static void free_queued(struct fil_budget *budget, struct fil_resp_queued *queued)
{
    uint64_t bytes = queued->bytes;
    fil_parcel_free(&queued->parcel);
    fil_free(queued);
    fil_budget_return(budget, bytes);
}

static struct fil_resp_queued *new_queued(struct fil_budget *budget, uint64_t bytes)
{
    if (!fil_budget_draw(budget, bytes)) {
        return NULL;
    }
    struct fil_resp_queued *queued = fil_alloc(bytes);
    if (queued == NULL) {
        fil_budget_return(budget, bytes);
        return NULL;
    }
    *queued = (struct fil_resp_queued){.bytes = bytes};
    return queued;
}

static struct fil_resp_queued *keep_command(struct fil_resp_session *session,
                                            const struct fil_resp_command *command) FIL_RUNS_ON(io)
{
    struct fil_budget *budget = session->server->options.budget;
    struct fil_resp_kept kept;
    struct fil_resp_queued *queued =
        new_queued(budget, sizeof(struct fil_resp_queued) + fil_resp_kept_bytes(session, command));
    if (queued == NULL) {
        return NULL;
    }
    if (!fil_resp_keep(session, command, queued + 1, &kept)) {
        free_queued(budget, queued);
        return NULL;
    }
    queued->command = kept.command;
    queued->parcel = kept.parcel;
    return queued;
}

void fil_resp_transaction_fail(struct fil_resp_session *session)
{
    if (session->transaction != NULL) {
        session->transaction->is_failed = true;
    }
}

static void append(struct fil_resp_transaction *transaction, struct fil_resp_queued *queued)
{
    if (transaction->last == NULL) {
        transaction->first = queued;
    } else {
        transaction->last->next = queued;
    }
    transaction->last = queued;
    transaction->count++;
    transaction->publish_count += queued->info->handler == fil_resp__publish;
    transaction->word_count += queued->command.count;
    transaction->word_bytes += queued->bytes + queued->parcel.size;
}

void fil_resp_transaction_queue(struct fil_resp_session *session,
                                const struct fil_resp_command_info *info,
                                const struct fil_resp_command *command)
{
    struct fil_resp_transaction *transaction = session->transaction;
    struct fil_output *output = fil_resp_call_open(session);
    // What is paused is woken from the loop.
    bool is_unpause = info->handler == fil_resp__client && fil_resp_word_is(command, 1, "unpause");
    bool can_run = info->plan != NULL || ((info->flags & FIL_RESP_ANYWHERE) != 0 && !is_unpause);
    struct fil_resp_queued *queued = NULL;
    bool needs_memory = (info->flags & FIL_RESP_DENYOOM) != 0;
    fil_assert(transaction != NULL);
    if (!can_run) {
        fil_resp_error(output, "ERR Command not allowed inside a transaction");
    } else if (needs_memory && !fil_resp_room_is_left(session->map, 1, 0)) {
        fil_resp_out_of_memory(output);
    } else if (transaction->count < FIL_RESP_TRANSACTION_COMMANDS_MAX) {
        queued = keep_command(session, command);
        if (queued == NULL) {
            fil_resp_out_of_memory(output);
        }
    } else {
        fil_resp_error(output, "ERR too many commands in one transaction");
    }
    if (queued != NULL) {
        queued->info = info;
        transaction->write_count += needs_memory;
        transaction->write_bytes += needs_memory ? queued->bytes + queued->parcel.size : 0;
        append(transaction, queued);
        fil_resp_simple(output, "QUEUED");
    } else {
        transaction->is_failed = true;
    }
    fil_resp_call_close(session);
}

void fil_resp_transaction_drop(struct fil_resp_session *session)
{
    struct fil_resp_transaction *transaction = session->transaction;
    if (transaction == NULL) {
        return;
    }
    struct fil_resp_queued *queued = transaction->first;
    while (queued != NULL) {
        struct fil_resp_queued *next = queued->next;
        free_queued(session->server->options.budget, queued);
        queued = next;
    }
    fil_free(transaction);
    session->transaction = NULL;
}
