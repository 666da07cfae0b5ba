// SPDX-License-Identifier: Apache-2.0
#include "lib/net/connection.h"

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/connection_internal.h"
#include "lib/net/loop_internal.h"

// The diagram is in connection.h.
static const struct fil_fsm_state connection_states[] = {
    [FIL_CONNECTION_SNIFFING] = {"sniffing", FIL_FSM_TO(FIL_CONNECTION_OPEN) |
                                                 FIL_FSM_TO(FIL_CONNECTION_FINISHING) |
                                                 FIL_FSM_TO(FIL_CONNECTION_CLOSED)},
    [FIL_CONNECTION_OPEN] = {"open", FIL_FSM_TO(FIL_CONNECTION_FINISHING) |
                                         FIL_FSM_TO(FIL_CONNECTION_CLOSED)},
    [FIL_CONNECTION_FINISHING] = {"finishing", FIL_FSM_TO(FIL_CONNECTION_CLOSED)},
    [FIL_CONNECTION_CLOSED] = {"closed", FIL_FSM_END},
};

static const struct fil_fsm_kind connection_kind =
    FIL_FSM_KIND("connection", connection_states, NULL, NULL);

void fil_connection__tell(struct fil_connection *connection, enum fil_connection_news news)
{
    struct fil_loop *loop = connection->loop;
    if (loop->hooks != NULL && loop->hooks->tell != NULL) {
        loop->hooks->tell(loop, connection, news);
    }
}

struct fil_connection *fil_connection__new(int fd, const struct fil_address *peer, uint64_t id,
                                           struct fil_loop *loop)
{
    struct fil_connection *connection = fil_alloc_zero(1, sizeof(struct fil_connection));
    if (connection == NULL) {
        return NULL;
    }
    connection->id = id;
    connection->fd = fd;
    connection->peer = *peer;
    connection->loop = loop;
    connection->opened_ns = fil_env_now_ns(loop->env);
    atomic_init(&connection->hold_count, 1);
    fil_output_init(&connection->output);
    return connection;
}

void fil_connection__drop(struct fil_connection *connection)
{
    struct fil_env *env = connection->loop->env;
    env->ops->close(env, connection->fd);
    fil_output_fini(&connection->output);
    fil_free(connection);
}

bool fil_connection__join(struct fil_connection *connection)
{
    struct fil_loop *loop = connection->loop;
    if (fil_list_is_linked(&connection->turn_link)) {
        return true;
    }
    if (!fil_output_acquire(&connection->output, &loop->chunks)) {
        return false;
    }
    fil_list_push_back(&loop->turn, &connection->turn_link);
    return true;
}

/** Takes the descriptor from the poller, which would report it again and again. */
static void unwatch(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    fil_assert(connection->is_watched);
    loop->env->ops->poller_remove(loop->env, loop->poller, connection->fd);
    connection->is_watched = false;
}

void fil_connection__watch(struct fil_connection *connection)
{
    struct fil_loop *loop = connection->loop;
    fil_assert(!connection->is_watched);
    int error = loop->env->ops->poller_add(loop->env, loop->poller, connection->fd,
                                           connection->interest, connection);
    if (error != FIL_OK) {
        fil_connection__abort(connection, FIL_CLOSE_MEMORY);
        return;
    }
    connection->is_watched = true;
}

/**
 * Joins, or leaves the connection alone until whoever writes has let go: true when it has joined
 * after all.
 */
static bool join_or_mute(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (FIL_LIKELY(fil_connection__join(connection))) {
        return true;
    }
    // R4 pairs with A4: the note of the second attempt is left after this, so the holder that finds
    // it sees that the loop waits, and calls for it.
    atomic_store_explicit(&connection->is_muted, true, memory_order_release);
    if (fil_connection__join(connection)) {
        atomic_store_explicit(&connection->is_muted, false, memory_order_relaxed);
        return true;
    }
    unwatch(connection);
    return false;
}

void fil_connection__on_ready(struct fil_connection *connection, uint32_t ready)
{
    if (!join_or_mute(connection)) {
        return;
    }
    if (ready & FIL_POLL_WRITE) {
        connection->output.is_blocked = false;
    }
    if (fil_connection__is(connection, FIL_CONNECTION_FINISHING)) {
        if (ready & (FIL_POLL_READ | FIL_POLL_ERROR)) {
            fil_connection__discard(connection);
        }
    } else if (connection->is_paused || fil_list_is_linked(&connection->resume_link)) {
        // What was received before comes first; the end of the stream must not overtake it.
        if (ready & FIL_POLL_ERROR) {
            fil_connection__abort(connection, FIL_CLOSE_PEER);
        } else if (ready & FIL_POLL_END) {
            fil_connection__hear_end(connection);
        }
    } else if (ready & (FIL_POLL_READ | FIL_POLL_ERROR)) {
        (void)fil_connection__receive(connection); // readiness may have been taken back
    }
}

void fil_connection_finish(struct fil_connection *connection, enum fil_close_reason reason)
{
    if (fil_connection__is(connection, FIL_CONNECTION_FINISHING)) {
        return;
    }
    fil_fsm_move(&connection->state, FIL_CONNECTION_FINISHING);
    connection->reason = reason;
    connection->is_paused = false;
    fil_list_remove(&connection->resume_link);
}

void fil_connection_expect(struct fil_connection *connection, size_t size)
{
    connection->input_expected = size;
}

void fil_connection_yield(struct fil_connection *connection)
{
    connection->is_yielding = true;
}

/** The first load in a round: the connection goes before those that are silent. */
static void begin_round(struct fil_connection *connection, uint32_t round) FIL_RUNS_ON(io)
{
    fil_load_turn(&connection->load, round);
    if (fil_list_is_linked(&connection->link)) {
        fil_list_remove(&connection->link);
        fil_list_push_front(&connection->loop->connections, &connection->link);
    }
}

static void join_round(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    // Relaxed: a round may begin a moment later here than elsewhere.
    uint32_t round = atomic_load_explicit(&connection->loop->round, memory_order_relaxed);
    if (FIL_UNLIKELY(connection->load.round != round)) {
        begin_round(connection, round);
    }
}

void fil_connection__count_time(struct fil_connection *connection, uint64_t part_ns)
{
    uint64_t counted_ns = part_ns < FIL_LOAD_PART_NS_MAX ? part_ns : FIL_LOAD_PART_NS_MAX;
    join_round(connection);
    fil_counter_add(&connection->loop->stats.measured_ns, counted_ns);
    connection->load.points += fil_load_time_points(counted_ns);
}

void fil_connection__count_load(struct fil_connection *connection, uint64_t bytes, uint32_t calls)
{
    join_round(connection);
    uint64_t requests = connection->request_count - connection->counted_requests;
    connection->counted_requests = connection->request_count;
    connection->load.points += fil_load_points(bytes, requests, calls);
}

void fil_connection__abort(struct fil_connection *connection, enum fil_close_reason reason)
{
    struct fil_loop *loop = connection->loop;
    fil_assert(fil_output_is_held(&connection->output));
    if (fil_connection__is(connection, FIL_CONNECTION_CLOSED)) {
        return;
    }
    fil_loop_run_deferred(loop); // which may have requests of this connection
    fil_fsm_move(&connection->state, FIL_CONNECTION_CLOSED);
    connection->reason = reason;
    fil_counter_add(&loop->stats.closed[reason], 1);
    fil_loop__count_closed(loop, 1);
    fil_connection__tell(connection, FIL_CONNECTION_ENDED);
    if (connection->is_watched) {
        unwatch(connection);
    }
    loop->env->ops->close(loop->env, connection->fd);
    connection->output.error = FIL_E_CLOSED;
    fil_chunk_queue_clear(&connection->output.queue);
    if (connection->session != NULL && connection->protocol->ops->abandon != NULL) {
        const char *outer = fil_loop__begin_work(loop, FIL_CONNECTION_END_WORK);
        connection->protocol->ops->abandon(connection);
        fil_loop__end_work(loop, outer);
    }
    fil_wheel_disarm(&loop->timers, &connection->timer);
    if (loop->leaving == connection) {
        loop->leaving = NULL;
    }
    fil_list_remove(&connection->link);
    fil_list_remove(&connection->resume_link);
    fil_connection__free_input(connection);
}

/** What has come is handled: tells the protocol that the member stops. The flag is held. */
static void stop(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    const struct fil_protocol_ops *ops =
        connection->session == NULL ? NULL : connection->protocol->ops;
    if (ops == NULL || !ops->ends_itself) {
        fil_connection_finish(connection, FIL_CLOSE_STOPPING);
    }
    if (ops != NULL && ops->stop != NULL) {
        ops->stop(connection);
    }
}

/** Requests wait behind others: those are not to wait for what may never come. */
static void let_go_on(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (connection->session != NULL && connection->protocol->ops->end != NULL &&
        !fil_connection__is(connection, FIL_CONNECTION_CLOSED)) {
        connection->protocol->ops->end(connection);
    }
}

static void end(struct fil_connection *connection, bool is_at_once) FIL_RUNS_ON(io)
{
    if (connection->is_dialed && !is_at_once && fil_connection__count_pending(connection) > 0) {
        return; // somebody who is served to the end waits for it
    }
    if (is_at_once || connection->is_dialed) {
        fil_connection__abort(connection, FIL_CLOSE_STOPPING);
    } else if (fil_connection__drain_input(connection)) {
        let_go_on(connection);
    } else if (!fil_connection__is(connection, FIL_CONNECTION_CLOSED)) {
        stop(connection);
    }
}

bool fil_connection__end(struct fil_connection *connection, bool is_at_once)
{
    if (!fil_connection__join(connection)) {
        return false;
    }
    struct fil_loop *loop = connection->loop;
    const char *outer = fil_loop__begin_work(loop, FIL_CONNECTION_END_WORK);
    end(connection, is_at_once);
    fil_loop__end_work(loop, outer);
    return true;
}

void fil_connection__open(struct fil_connection *connection)
{
    struct fil_loop *loop = connection->loop;
    fil_fsm_init(&connection->state, &connection_kind, FIL_CONNECTION_SNIFFING);
    fil_list_init(&connection->link);
    fil_list_init(&connection->turn_link);
    fil_list_init(&connection->resume_link);
    fil_timer_init(&connection->timer);
    connection->interest = FIL_POLL_READ;
    connection->active_ns = loop->now_ns;
    fil_loop__count_connection(loop, 1);
    fil_list_push_back(&loop->connections, &connection->link);
    fil_counter_add(&loop->stats.connections_opened, 1);
    fil_connection__tell(connection, FIL_CONNECTION_OPENED);
    bool is_joined = fil_connection__join(connection);
    fil_assert(is_joined);
    fil_connection__watch(connection);
    if (connection->is_watched) {
        fil_connection__rearm_timer(connection);
    }
}
