// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/publish.h"

#include "core/exec/partition.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/pubsub.h"
#include "protocol/resp/reply.h"

#define AGAIN_NS     UINT64_C(1000000)
#define WAITING_ROOM 0U // a partition where calls are parked; any will do

/** Is parked for a moment, and leaves no reply. */
static enum fil_op_outcome step_wait(struct fil_resp_call *call, struct fil_partition *partition)
{
    call->op.deadline_ns = partition->runner->now_ns + AGAIN_NS;
    call->op.error = fil_partition_park(partition, &call->op, (uint64_t)(uintptr_t)call);
    return call->op.error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

/** Whether there is time left; it begins with the first look. */
static bool has_time(struct fil_resp_session *session, uint64_t now_ns) FIL_RUNS_ON(io)
{
    struct fil_events *events = session->server->pubsub.events;
    if (session->publish_until_ns == 0) {
        session->publish_until_ns = now_ns + events->options.put_timeout_ns;
        fil_counter_add_shared(&events->waited_count, events->options.put_timeout_ns > 0);
    }
    return now_ns < session->publish_until_ns;
}

/** True: the command comes again. */
static bool hold(struct fil_resp_session *session) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = session->connection->loop->context;
    if (!has_time(session, turn->runner.now_ns)) {
        return false;
    }
    struct fil_resp_call *call = fil_resp_call_new(session, sizeof(*call), step_wait);
    if (call == NULL) {
        return false;
    }
    call->timeout_reply = "";
    fil_resp_call_withdraw(session);
    fil_resp_call_send(call, WAITING_ROOM);
    session->has_journey = true;
    session->waits_for_line = true;
    session->is_held = true;
    return true;
}

void fil_resp_publish(struct fil_resp_session *session, struct fil_bytes channel,
                      struct fil_bytes text)
{
    struct fil_resp_pubsub *pubsub = &session->server->pubsub;
    uint32_t count = 0;
    if (FIL_UNLIKELY(fil_resp_pubsub_try(pubsub, channel, text, session, &count) != FIL_OK)) {
        if (hold(session)) {
            return;
        }
        count = fil_resp_pubsub_publish(pubsub, channel, text, session);
    }
    session->publish_until_ns = 0;
    fil_resp_integer(fil_resp_output(session), count);
    fil_turn_step(session->connection->loop->context);
}
