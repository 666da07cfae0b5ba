// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/publish.h"

#include "core/exec/listener.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/net/loop.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/hold.h"
#include "protocol/resp/pubsub.h"
#include "protocol/resp/pubsub_commands_internal.h"
#include "protocol/resp/pubsub_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/transaction.h"

#define AGAIN_NS UINT64_C(1000000)

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

/** Takes the reference to the listener that is full for so many. True: the command comes again. */
static bool hold(struct fil_resp_session *session, struct fil_listener *full, uint32_t count)
    FIL_RUNS_ON(io)
{
    struct fil_turn *turn = session->connection->loop->context;
    bool is_held =
        has_time(session, turn->runner.now_ns) &&
        fil_resp_hold_begin(session, fil_listener_lobby(full, 0), full, session->publish_until_ns);
    if (is_held) {
        session->is_held = true;
        if (!fil_listener_is_full(full, 0, count)) {
            // Others may have the room again by then: not at once, so that nobody spins.
            fil_resp_hold_hasten(session, turn->runner.now_ns + AGAIN_NS);
        }
    }
    fil_listener_unref(full);
    return is_held;
}

/** The patterns that match are known. */
static void publish(struct fil_resp_session *session, struct fil_bytes channel,
                    struct fil_bytes text) FIL_RUNS_ON(io)
{
    struct fil_resp_pubsub *pubsub = &session->server->pubsub;
    struct fil_listener *full = NULL;
    uint32_t count = 0;
    if (FIL_UNLIKELY(fil_resp_pubsub_try(pubsub, channel, text, session, &count, &full) !=
                     FIL_OK)) {
        if (hold(session, full, 1)) {
            return;
        }
        count = fil_resp_pubsub_publish(pubsub, channel, text, session);
    }
    session->publish_until_ns = 0;
    fil_resp_integer(fil_resp_output(session), count);
    fil_turn_step(session->connection->loop->context);
}

/** Looks for the patterns that match, as long as the turn has time; true when it is done. */
static bool hunt_patterns(struct fil_resp_session *session, struct fil_bytes channel)
    FIL_RUNS_ON(io)
{
    struct fil_resp_pubsub *pubsub = &session->server->pubsub;
    if (FIL_LIKELY(session->hunt == NULL && fil_resp_pubsub_pattern_count(pubsub) == 0)) {
        return true;
    }
    if (session->hunt == NULL) {
        struct fil_resp_book *book = fil_resp_topic__patterns(pubsub);
        session->hunt = book == NULL ? NULL : fil_resp_hunt__new(book);
    }
    // Without memory for a hunt who publishes sees to it.
    return session->hunt == NULL || fil_resp_pubsub__hunt(session, channel);
}

static void end_hunt(struct fil_resp_session *session) FIL_RUNS_ON(io)
{
    if (FIL_UNLIKELY(session->hunt != NULL)) {
        fil_resp_hunt__free(session->hunt);
        session->hunt = NULL;
    }
}

void fil_resp_publish(struct fil_resp_session *session, struct fil_bytes channel,
                      struct fil_bytes text)
{
    if (FIL_UNLIKELY(!hunt_patterns(session, channel))) {
        return;
    }
    publish(session, channel, text);
    end_hunt(session);
}

/** The first listener without room for what the transaction publishes, with a reference. */
static struct fil_listener *find_full(struct fil_resp_session *session)
{
    const struct fil_resp_transaction *transaction = session->transaction;
    struct fil_resp_pubsub *pubsub = &session->server->pubsub;
    uint64_t credit = pubsub->events == NULL ? 0 : fil_events_credit(pubsub->events);
    struct fil_listener *full = NULL;
    uint32_t looks = 0;
    for (const struct fil_resp_queued *queued = transaction->first;
         queued != NULL && full == NULL && looks < FIL_RESP_EXEC_LOOKS_MAX; queued = queued->next) {
        if (queued->info->handler == fil_resp__publish) {
            looks++;
            full = fil_resp_pubsub_find_full(pubsub, fil_resp_argument(&queued->command, 1),
                                             transaction->publish_count, &credit);
        }
    }
    return full;
}

bool fil_resp_publish_hold_exec(struct fil_resp_session *session)
{
    uint32_t count = session->transaction->publish_count;
    struct fil_listener *full = count == 0 ? NULL : find_full(session);
    if (FIL_UNLIKELY(full != NULL) && hold(session, full, count)) {
        return true;
    }
    session->publish_until_ns = 0;
    return false;
}
