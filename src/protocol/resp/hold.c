// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/hold.h"

#include "core/exec/listener.h"
#include "lib/base/assert.h"
#include "lib/net/connection.h"
#include "protocol/resp/call.h"
#include "protocol/resp/session.h"

/** The call leaves the line, and the command comes again. The session may be gone afterwards. */
static void finish(struct fil_resp_call *call)
{
    struct fil_connection *connection = call->session->connection;
    // R5 pairs with A5, as in fil_resp_call_finish. From here on the call may be freed.
    atomic_store_explicit(&call->is_done, true, memory_order_release);
    fil_connection_attend(connection);
    fil_connection_release(connection);
}

static void call_again(struct fil_guest *guest)
{
    finish(FIL_CONTAINER_OF(guest, struct fil_resp_hold, guest)->call);
}

bool fil_resp_hold_begin(struct fil_resp_session *session, struct fil_lobby *lobby,
                         struct fil_listener *listener, uint64_t until_ns)
{
    struct fil_resp_hold *hold = &session->hold;
    fil_assert(hold->lobby == NULL);
    struct fil_resp_call *call = fil_resp_call_new(session, sizeof(*call), NULL);
    if (call == NULL) {
        return false;
    }
    if (session->target != NULL) {
        fil_resp_call_withdraw(session);
    }
    call->is_traveller = true; // it is in no partition
    fil_resp_call_await(call);
    session->waits_for_line = true;
    if (listener != NULL) {
        fil_listener_ref(listener);
    }
    hold->lobby = lobby;
    hold->listener = listener;
    hold->until_ns = until_ns;
    hold->call = call;
    fil_connection_rearm(session->connection);
    fil_lobby_enter(lobby, &hold->guest, call_again);
    return true;
}

void fil_resp_hold_hasten(struct fil_resp_session *session, uint64_t until_ns)
{
    struct fil_resp_hold *hold = &session->hold;
    fil_assert(hold->lobby != NULL);
    if (until_ns < hold->until_ns) {
        hold->until_ns = until_ns;
        fil_connection_rearm(session->connection);
    }
}

void fil_resp_hold_end(struct fil_resp_session *session)
{
    struct fil_resp_hold *hold = &session->hold;
    if (hold->lobby == NULL) {
        return;
    }
    if (fil_lobby_leave(hold->lobby, &hold->guest)) {
        finish(hold->call);
    }
    if (hold->listener != NULL) {
        fil_listener_unref(hold->listener);
    }
    hold->lobby = NULL;
    hold->listener = NULL;
}
