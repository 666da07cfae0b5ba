// SPDX-License-Identifier: Apache-2.0
/**
 * How a connection gets from one loop to another.
 *
 *   source loop, between two turns               target loop, at the start of a turn
 *   ------------------------------               -----------------------------------
 *   takes the writer flag
 *   claims the message
 *   counts it on the target
 *   forgets it: poller, timer, lists
 *   writes connection->loop
 *   posts the message ------------------------->  takes it: lists, poller, timer
 *                                                 lets the message go
 *                                                 flushes it, and lets the flag go
 *
 * The flag travels with the connection, so nobody writes meanwhile: a thread that has a reply
 * leaves a note, which the target's flush finds. The message travels too, so nobody else can send
 * it: whoever asks for the loop's attention meanwhile finds it sent, and the target's flush is that
 * attention. Bytes that arrive meanwhile wait in the socket; the target's poller is level-triggered
 * and reports them.
 *
 * Memory: kept input changes from one loop's account to the other's. Output chunks and calls know
 * the pools they go home to. The loop's hold travels, so the struct cannot go.
 */
#include "lib/base/assert.h"
#include "lib/net/connection_internal.h"
#include "lib/net/loop_internal.h"

void fil_connection_pin(struct fil_connection *connection)
{
    struct fil_loop *loop = connection->loop;
    connection->is_pinned = true;
    if (loop->leaving == connection) {
        loop->leaving = NULL;
    }
}

bool fil_connection_is_movable(const struct fil_connection *connection)
{
    return !connection->is_pinned && fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN);
}

void fil_connection_move(struct fil_connection *connection, struct fil_loop *target)
{
    struct fil_loop *loop = connection->loop;
    loop->leaving = connection;
    loop->leaving_to = target;
}

/** Begins to watch a connection that has arrived; the flag is held. */
static void settle_in(struct fil_loop *loop, struct fil_connection *connection) FIL_RUNS_ON(io)
{
    fil_connection__watch(connection);
    if (!connection->is_watched) {
        return;
    }
    if (connection->is_resuming) {
        fil_list_push_back(&loop->resumes, &connection->resume_link);
    }
    fil_connection__rearm_timer(connection);
}

static void run_arrive(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    struct fil_connection *connection = FIL_CONTAINER_OF(message, struct fil_connection, message);
    fil_assert(connection->loop == loop);
    fil_assert(fil_output_is_held(&connection->output));
    // As in run_attend of connection_output.c: R3 pairs with A3, and what those who found the
    // message sent had made ready is seen by the flush.
    (void)atomic_exchange_explicit(&connection->is_message_sent, false, memory_order_acq_rel);
    fil_output_adopt(&connection->output, &loop->chunks);
    fil_list_push_front(&loop->connections, &connection->link);
    fil_list_push_back(&loop->turn, &connection->turn_link);
    if (connection->input != NULL) {
        fil_account_attach(&loop->account, connection->input_capacity);
    }
    fil_connection__count_load(connection, 0, 0);
    fil_counter_add(&loop->stats.moves, 1);
    fil_connection__tell(connection, FIL_CONNECTION_MOVED);
    settle_in(loop, connection);
}

/** The flag and the message are ours, and the target expects it. */
static void travel(struct fil_connection *connection, struct fil_loop *target) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    fil_assert(connection->is_watched);
    fil_assert(!fil_list_is_linked(&connection->turn_link));
    loop->env->ops->poller_remove(loop->env, loop->poller, connection->fd);
    connection->is_watched = false;
    connection->is_resuming = fil_list_is_linked(&connection->resume_link);
    fil_list_remove(&connection->resume_link);
    fil_list_remove(&connection->link);
    fil_wheel_disarm(&loop->timers, &connection->timer);
    if (connection->input != NULL) {
        fil_account_detach(&loop->account, connection->input_capacity);
    }
    fil_loop__count_connection(loop, -1);
    connection->loop = target;
    connection->message.run = run_arrive;
    fil_loop_post(target, &connection->message);
}

/** Claims the message and a place on the target; false when either is not to be had. */
static bool prepare(struct fil_connection *connection, struct fil_loop *target) FIL_RUNS_ON(io)
{
    // A3 pairs with R3, as in attend.
    if (atomic_exchange_explicit(&connection->is_message_sent, true, memory_order_acq_rel)) {
        return false; // it is in our inbox
    }
    if (!fil_loop__expect_connection(target)) {
        connection->loop->leaving = NULL; // the target ends
        (void)atomic_exchange_explicit(&connection->is_message_sent, false, memory_order_acq_rel);
        return false;
    }
    return true;
}

void fil_connection__depart(struct fil_connection *connection, struct fil_loop *target)
{
    struct fil_loop *loop = connection->loop;
    if (!fil_connection_is_movable(connection) || target == loop) {
        loop->leaving = NULL;
        return;
    }
    if (!connection->is_watched || !fil_output_acquire(&connection->output, &loop->chunks)) {
        return; // its writer looks at the note we leave, and finds nothing
    }
    if (prepare(connection, target)) {
        loop->leaving = NULL;
        travel(connection, target);
    } else {
        fil_connection__flush(connection); // for those who wanted something of us meanwhile
    }
}
