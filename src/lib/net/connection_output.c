// SPDX-License-Identifier: Apache-2.0
/** A connection's output: sends it, and says what the loop watches and waits for afterwards. */
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/connection_internal.h"
#include "lib/net/loop_internal.h"

uint32_t fil_connection__count_pending(struct fil_connection *connection)
{
    bool has_none = connection->session == NULL || connection->protocol->ops->pending == NULL;
    return has_none ? 0 : connection->protocol->ops->pending(connection);
}

bool fil_connection_is_congested(struct fil_connection *connection)
{
    return fil_connection_is_output_full(connection) ||
           fil_connection__count_pending(connection) >= FIL_CONNECTION_PENDING_MAX;
}

static void watch(struct fil_connection *connection, uint32_t interest) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    bool is_same = interest == connection->interest;
    connection->interest = interest;
    if (is_same || !connection->is_watched) {
        return; // a muted connection is watched again later
    }
    // Changing the interest of a descriptor that is watched fails only when it is not.
    int error = loop->env->ops->poller_change(loop->env, loop->poller, connection->fd, interest,
                                              connection);
    fil_assert(error == FIL_OK);
}

/** What the holder of the flag does, on whichever thread: collect, send. Returns bytes sent. */
static size_t collect_and_send(struct fil_connection *connection, uint32_t *out_calls)
{
    struct fil_output *output = &connection->output;
    bool has_more = false;
    size_t sent = 0;
    *out_calls = 0;
    do {
        if (connection->session != NULL && connection->protocol->ops->collect != NULL) {
            has_more = connection->protocol->ops->collect(connection);
        }
        uint32_t calls = 0;
        sent += fil_output_send(output, connection->loop->env, connection->fd, &calls);
        *out_calls += calls;
    } while (FIL_UNLIKELY(has_more));
    if (output->error != FIL_OK) {
        fil_chunk_queue_clear(&output->queue);
    }
    return sent;
}

/** What a flush has left behind, seen while the flag was held. */
struct backlog {
    size_t waiting_bytes; // for the socket
    uint32_t pending;     // requests without a reply
};

/** The reader has taken enough: the requests that waited go on next turn. */
static void resume_if_drained(struct fil_connection *connection, struct backlog backlog)
    FIL_RUNS_ON(io)
{
    if (!connection->is_paused || backlog.pending > FIL_CONNECTION_PENDING_MAX / 2) {
        return;
    }
    if (backlog.waiting_bytes <= connection->loop->limits.output_bytes_max / 2) {
        connection->is_paused = false;
        fil_list_push_back(&connection->loop->resumes, &connection->resume_link);
    } else if (!connection->is_pause_counted) {
        // They have waited for a reply, and wait for its reader now.
        connection->is_pause_counted = true;
        fil_counter_add(&connection->loop->stats.output_pauses, 1);
    }
}

/** Our side is done: the peer reads the end; what it still sends is discarded for a while. */
static void half_close(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    struct fil_env *env = connection->loop->env;
    env->ops->finish(env, connection->fd);
    connection->is_shut = true;
    connection->active_ns = connection->loop->now_ns;
}

/** All output has left a connection that is ending: goes on to end it. The flag is held. */
static void finish_sent(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (connection->is_peer_done) {
        fil_connection__abort(connection, connection->reason);
    } else if (!connection->is_shut) {
        half_close(connection);
    }
}

/** A paused connection is not read, but requests that wait must hear that their peer is gone. */
static uint32_t input_interest(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (connection->is_paused) {
        return connection->is_end_known ? 0 : FIL_POLL_END;
    }
    return connection->is_peer_done ? 0 : FIL_POLL_READ;
}

/** What the loop watches and limits from now on, by what the flush has left. */
static void settle(struct fil_connection *connection, struct backlog backlog) FIL_RUNS_ON(io)
{
    resume_if_drained(connection, backlog);
    if (fil_connection__is(connection, FIL_CONNECTION_FINISHING)) {
        fil_connection__free_input(connection);
    }
    uint32_t interest = input_interest(connection);
    if (backlog.waiting_bytes > 0) {
        interest |= FIL_POLL_WRITE;
    }
    bool is_changed = interest != connection->interest;
    if (interest & ~connection->interest & FIL_POLL_WRITE) {
        // The reader is slow from now on, however long ago the last byte was.
        connection->active_ns = connection->loop->now_ns;
    }
    watch(connection, interest);
    if (is_changed || connection->is_shut || fil_connection__is_half(connection)) {
        fil_connection__rearm_timer(connection);
    }
}

/** Sends once as the holder of the flag; returns what is left. */
static struct backlog flush_once(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    struct fil_output *output = &connection->output;
    uint32_t calls = 0;
    size_t sent = collect_and_send(connection, &calls);
    fil_counter_add(&loop->stats.sends, calls);
    fil_counter_add(&loop->stats.bytes_sent, sent);
    fil_connection__count_load(connection, sent, calls);
    if (sent > 0) {
        connection->active_ns = loop->now_ns;
    }
    fil_connection__look_at_rest(connection);
    struct backlog backlog = {.waiting_bytes = output->queue.size_bytes,
                              .pending = fil_connection__count_pending(connection)};
    if (output->error != FIL_OK) {
        fil_connection__abort(connection, fil_connection__reason_of(output->error));
    } else if (backlog.waiting_bytes == 0 && backlog.pending == 0 &&
               fil_connection__is(connection, FIL_CONNECTION_FINISHING)) {
        finish_sent(connection);
    }
    connection->wants_loop =
        backlog.pending > 0 &&
        (connection->is_paused || fil_connection__is(connection, FIL_CONNECTION_FINISHING));
    return backlog;
}

static void bury(struct fil_loop *loop, struct fil_connection *connection) FIL_RUNS_ON(io)
{
    const char *outer = fil_loop__begin_work(loop, FIL_CONNECTION_END_WORK);
    if (connection->session != NULL) {
        connection->protocol->ops->close(connection);
    }
    fil_loop__end_work(loop, outer);
    fil_output_fini(&connection->output);
    fil_free(connection);
    fil_loop__count_closed(loop, -1);
    fil_loop__count_connection(loop, -1);
}

void fil_connection__flush(struct fil_connection *connection)
{
    struct backlog backlog = {0};
    fil_list_remove(&connection->turn_link);
    do {
        backlog = flush_once(connection);
    } while (!fil_output_release(&connection->output));
    if (!fil_connection__is(connection, FIL_CONNECTION_CLOSED)) {
        settle(connection, backlog);
        return;
    }
    // A2 pairs with R2: what other holders did is done before the struct goes.
    if (atomic_fetch_sub_explicit(&connection->hold_count, 1, memory_order_acq_rel) == 1) {
        bury(connection->loop, connection);
    }
}

void fil_connection_hold(struct fil_connection *connection)
{
    // Relaxed: the caller has a hold or runs on the loop, so the struct cannot go meanwhile.
    atomic_fetch_add_explicit(&connection->hold_count, 1, memory_order_relaxed);
}

static void run_bury(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    bury(loop, FIL_CONTAINER_OF(message, struct fil_connection, message));
}

void fil_connection_release(struct fil_connection *connection)
{
    // R2 pairs with A2: this holder is done with the struct before the last one frees it.
    if (atomic_fetch_sub_explicit(&connection->hold_count, 1, memory_order_acq_rel) == 1) {
        connection->message.run = run_bury;
        fil_loop_post(connection->loop, &connection->message);
    }
}

/** The flag is held: what the loop has left alone is watched again. */
static void unmute(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    // Relaxed: only the loop writes it, and those who read it hold the flag.
    if (FIL_UNLIKELY(atomic_load_explicit(&connection->is_muted, memory_order_relaxed))) {
        atomic_store_explicit(&connection->is_muted, false, memory_order_relaxed);
        fil_connection__watch(connection);
    }
}

/** The loop's part of a write that another thread could not finish. */
static void run_attend(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    (void)loop;
    struct fil_connection *connection = FIL_CONTAINER_OF(message, struct fil_connection, message);
    // R3 pairs with A3: from here on the message may be sent again. An exchange, not a store: what
    // those who found it sent had made ready is seen by the flush.
    (void)atomic_exchange_explicit(&connection->is_message_sent, false, memory_order_acq_rel);
    // When another thread writes again, it sees our note and calls for us again.
    if (!fil_connection__is(connection, FIL_CONNECTION_CLOSED) &&
        fil_connection__join(connection)) {
        unmute(connection);
    }
    fil_connection_release(connection);
}

void fil_connection_attend(struct fil_connection *connection)
{
    // A3 pairs with R3: the loop has taken the message before it is sent again.
    if (atomic_exchange_explicit(&connection->is_message_sent, true, memory_order_acq_rel)) {
        return;
    }
    fil_connection_hold(connection);
    connection->message.run = run_attend;
    fil_loop_post(connection->loop, &connection->message);
}

void fil_connection_notify(struct fil_connection *connection, struct fil_pool *pool)
{
    if (!fil_output_acquire(&connection->output, pool)) {
        return;
    }
    bool needs_loop = false;
    bool is_noted = false;
    do {
        uint32_t calls = 0;
        bool was_blocked = connection->output.is_blocked;
        (void)collect_and_send(connection, &calls);
        // A4 pairs with R4: the loop found us writing, and waits until we have let go. A note may
        // also be the loop's because the socket was full: it is called again.
        needs_loop |= atomic_load_explicit(&connection->is_muted, memory_order_acquire) ||
                      connection->output.error != FIL_OK ||
                      (connection->output.is_blocked && (is_noted || !was_blocked)) ||
                      (connection->wants_loop &&
                       fil_connection__count_pending(connection) <= FIL_CONNECTION_PENDING_MAX / 2);
        is_noted = true;
    } while (!fil_output_release(&connection->output));
    if (needs_loop) {
        fil_connection_attend(connection);
    }
}
