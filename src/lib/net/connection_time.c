// SPDX-License-Identifier: Apache-2.0
/** A connection's time limits: one timer, armed for the nearest of them. */
#include "lib/net/connection_internal.h"
#include "lib/net/loop_internal.h"

#define LINGER_NS UINT64_C(1000000000)
#define RETRY_NS  UINT64_C(1000000)

bool fil_connection__is_half(const struct fil_connection *connection)
{
    bool is_kept = connection->input != NULL && !connection->is_paused;
    return (is_kept || connection->rest != FIL_REST_NONE) &&
           fil_connection__is(connection, FIL_CONNECTION_OPEN);
}

static enum fil_rest rest_of(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (connection->session == NULL || connection->protocol->ops->rest == NULL ||
        !fil_connection__is(connection, FIL_CONNECTION_OPEN)) {
        return FIL_REST_NONE;
    }
    enum fil_rest rest = connection->protocol->ops->rest(connection);
    return rest == FIL_REST_AWAITED && connection->is_paused ? FIL_REST_HELD : rest;
}

void fil_connection__look_at_rest(struct fil_connection *connection)
{
    enum fil_rest rest = rest_of(connection);
    bool is_ours = rest == FIL_REST_HELD || rest != connection->rest;
    connection->rest = rest;
    // A reader that takes nothing is cut whatever else it waits for.
    if (FIL_UNLIKELY(is_ours) && !(connection->interest & FIL_POLL_WRITE)) {
        connection->active_ns = connection->loop->now_ns;
        connection->trickled_bytes = 0;
    }
}

/** Whether it is not known yet who it is: by its first bytes, or by what its protocol asks for. */
static bool is_stranger(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (fil_connection__is(connection, FIL_CONNECTION_SNIFFING)) {
        return true;
    }
    return fil_connection__is(connection, FIL_CONNECTION_OPEN) && connection->session != NULL &&
           connection->protocol->ops->is_stranger != NULL &&
           connection->protocol->ops->is_stranger(connection);
}

/** When the limit that the connection's state has is over; FIL_WHEEL_NEVER when it has none now. */
static uint64_t limit_ns(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    const struct fil_net_limits *limits = &connection->loop->limits;
    if (is_stranger(connection)) {
        return connection->opened_ns + limits->handshake_timeout_ns;
    }
    if (fil_connection__is(connection, FIL_CONNECTION_FINISHING) && connection->is_shut) {
        return connection->active_ns + LINGER_NS;
    }
    if (connection->interest & FIL_POLL_WRITE || fil_connection__is_half(connection)) {
        return connection->active_ns + limits->stall_timeout_ns;
    }
    return limits->idle_timeout_ns == 0 ? FIL_WHEEL_NEVER
                                        : connection->active_ns + limits->idle_timeout_ns;
}

/** When its protocol has had enough. */
static uint64_t protocol_ns(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    bool has_one = connection->session != NULL && connection->protocol->ops->deadline != NULL;
    return has_one ? connection->protocol->ops->deadline(connection) : FIL_WHEEL_NEVER;
}

/** When the connection's next time limit is over; FIL_WHEEL_NEVER when it has none now. */
static uint64_t deadline_ns(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    uint64_t own_ns = limit_ns(connection);
    uint64_t protocols_ns = protocol_ns(connection);
    return own_ns < protocols_ns ? own_ns : protocols_ns;
}

void fil_connection__rearm_timer(struct fil_connection *connection)
{
    uint64_t deadline = deadline_ns(connection);
    struct fil_wheel *timers = &connection->loop->timers;
    if (deadline == FIL_WHEEL_NEVER) {
        fil_wheel_disarm(timers, &connection->timer);
    } else if (!fil_timer_is_armed(&connection->timer) ||
               connection->timer.deadline_ns > deadline) {
        // An armed timer that is early looks at the deadline again when it fires.
        fil_wheel_arm(timers, &connection->timer, deadline);
    }
}

void fil_connection_rearm(struct fil_connection *connection)
{
    fil_connection__rearm_timer(connection);
}

static enum fil_close_reason timeout_reason(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (is_stranger(connection)) {
        return FIL_CLOSE_HANDSHAKE;
    }
    if (connection->is_shut) {
        return connection->reason;
    }
    if (connection->interest & FIL_POLL_WRITE) {
        return FIL_CLOSE_STALLED;
    }
    return fil_connection__is_half(connection) ? FIL_CLOSE_HALF : FIL_CLOSE_IDLE;
}

/** Whether the rest that was waited for was held back by us, until now. The flag is held. */
static bool was_held_back(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    fil_connection__look_at_rest(connection);
    return connection->loop->now_ns < deadline_ns(connection);
}

/** Whether only the protocol's time is over, and it has a use for more. The flag is held. */
static bool is_given_more(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    const struct fil_protocol_ops *ops =
        connection->session == NULL ? NULL : connection->protocol->ops;
    return ops != NULL && ops->expire != NULL && connection->loop->now_ns < limit_ns(connection) &&
           ops->expire(connection);
}

void fil_connection__on_timer(struct fil_connection *connection)
{
    struct fil_loop *loop = connection->loop;
    if (loop->now_ns < deadline_ns(connection)) {
        fil_connection__rearm_timer(connection);
    } else if (fil_connection__join(connection)) {
        if (was_held_back(connection) || is_given_more(connection)) {
            fil_connection__rearm_timer(connection);
        } else {
            fil_connection__abort(connection, timeout_reason(connection));
        }
    } else {
        fil_wheel_arm(&loop->timers, &connection->timer, loop->now_ns + RETRY_NS);
    }
}
