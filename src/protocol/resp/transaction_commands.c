// SPDX-License-Identifier: Apache-2.0
/** MULTI, DISCARD, WATCH, UNWATCH. */
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/transaction.h"
#include "protocol/resp/watch.h"

FIL_RESP_HANDLER(multi)
{
    (void)command;
    struct fil_output *output = fil_resp_output(session);
    if (session->transaction != NULL) {
        fil_resp_error(output, "ERR MULTI calls can not be nested");
        return;
    }
    session->transaction = fil_alloc_zero(1, sizeof(*session->transaction));
    if (session->transaction == NULL) {
        fil_resp_out_of_memory(output);
    } else {
        fil_resp_simple(output, "OK");
    }
}

FIL_RESP_HANDLER(discard)
{
    fil_role_assert_io();
    (void)command;
    if (session->transaction == NULL) {
        fil_resp_error(fil_resp_output(session), "ERR DISCARD without MULTI");
        return;
    }
    fil_resp_transaction_drop(session);
    fil_resp_watch_drop(session);
    fil_resp_simple(fil_resp_output(session), "OK");
}

FIL_RESP_HANDLER(unwatch)
{
    (void)command;
    // In a transaction EXEC has done it already, and may run this anywhere.
    if (session->watches != NULL) {
        fil_role_assert_io();
        fil_resp_watch_drop(session);
    }
    fil_resp_simple(fil_resp_output(session), "OK");
}

/** The keys come in the order in which they were added. */
static int64_t access_watch(struct fil_resp_access *access)
{
    struct fil_resp_watch *watch = access->session->unregistered;
    fil_assert(fil_bytes_equal(watch->watch.key.bytes, access->key.bytes));
    fil_map_watch_here(watch->map, &watch->watch, access->now_ms);
    access->session->unregistered = watch->next;
    return FIL_OK;
}

/** Adds the keys, the last first, for the newest is the first of the list; false: out of memory. */
static bool add_watches(struct fil_resp_session *session, const struct fil_resp_command *command)
    FIL_RUNS_ON(io)
{
    for (uint32_t i = command->count - 1; i >= 1; i--) {
        if (!fil_resp_watch_add(session, fil_resp_argument(command, i))) {
            return false;
        }
    }
    session->unregistered = session->watches;
    return true;
}

FIL_RESP_HANDLER(watch)
{
    fil_role_assert_io();
    struct fil_output *output = fil_resp_output(session);
    if (session->transaction != NULL) {
        fil_resp_error(output, "ERR WATCH inside MULTI is not allowed");
    } else if (command->count > FIL_RESP_WATCHES_MAX) {
        fil_resp_error(output, "ERR too many keys to watch");
    } else if (!add_watches(session, command)) {
        // Those that were added are forgotten with the others, before they were known.
        fil_resp_out_of_memory(output);
    } else {
        struct fil_turn *turn = session->connection->loop->context;
        struct fil_resp_plan plan = {
            .session = session,
            .map = session->map,
            .now_ms = fil_map_now_ms(session->map, turn->runner.now_ns),
            .version = fil_resp_version(session),
            .kind = FIL_RESP_PLAN_ALL,
            .run = access_watch,
            .first = 1,
            .step = 1,
            .count = command->count - 1,
        };
        fil_resp_call_plan(session, &plan, command);
    }
}
