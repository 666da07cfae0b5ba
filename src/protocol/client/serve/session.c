// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/session.h"

#include <stdio.h>
#include <string.h>

#include "core/exec/activity.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/serve/call.h"
#include "protocol/client/serve/locks.h"
#include "protocol/client/serve/news.h"
#include "protocol/client/serve/subscription.h"

// A reply is waited for, events come by themselves: a burst of them must fit.
#define OUTPUTS_OF_NEWS 8U

#define TEXT_MAX 128U

#define MAGIC_SIZE (sizeof(FIL_WIRE_MAGIC) - 1)

static enum fil_match match(struct fil_bytes first)
{
    size_t size = first.size < MAGIC_SIZE ? first.size : MAGIC_SIZE;
    if (memcmp(first.data, FIL_WIRE_MAGIC, size) != 0) {
        return FIL_MATCH_NO;
    }
    return size == MAGIC_SIZE ? FIL_MATCH_YES : FIL_MATCH_MAYBE;
}

static int open_session(struct fil_connection *connection, const struct fil_protocol *protocol)
{
    struct fil_wire_server *server = protocol->context;
    struct fil_wire_session *session = fil_alloc_zero(1, sizeof(*session));
    if (session == NULL) {
        return FIL_E_NOMEM;
    }
    session->server = server;
    session->connection = connection;
    session->news_bytes_max = connection->loop->limits.output_bytes_max * OUTPUTS_OF_NEWS;
    session->client_uuid.is_null = true;
    session->group_limit = 1;
    fil_wire_receiver_init(&session->receiver, server->options.budget);
    session->receiver.frame_bytes_max = connection->loop->limits.handshake_bytes_max;
    session->receiver.message_bytes_max = connection->loop->limits.handshake_bytes_max;
    atomic_init(&session->has_locked, false);
    fil_stack_init(&session->finished);
    fil_stack_init(&session->news);
    atomic_init(&session->news_bytes, 0);
    fil_list_init(&session->calls);
    fil_list_init(&session->link);
    connection->session = session;
    fil_mutex_lock(&server->mutex);
    fil_list_push_back(&server->sessions, &session->link);
    fil_mutex_unlock(&server->mutex);
    return FIL_OK;
}

static void close_session(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_wire_session *session = connection->session;
    struct fil_wire_server *server = session->server;
    // What other threads ran has ended, for they held the connection; its replies are unwanted.
    fil_wire_call_collect(session);
    fil_assert(fil_list_is_empty(&session->calls));
    fil_wire_news_drop(session);
    fil_mutex_lock(&server->mutex);
    fil_list_remove(&session->link);
    fil_mutex_unlock(&server->mutex);
    struct fil_turn *turn = connection->loop->context;
    fil_wire_locks_leave(session, &turn->runner);
    fil_wire_receiver_fini(&session->receiver);
    fil_free(session);
    connection->session = NULL;
}

static bool is_authentication(uint32_t number)
{
    return number == FIL_WIRE_CLIENT_AUTHENTICATION ||
           number == FIL_WIRE_CLIENT_AUTHENTICATION_CUSTOM;
}

/** Answers outside of the handlers. */
static void answer(struct fil_wire_session *session, int64_t correlation,
                   enum fil_wire_error_code code, const char *text) FIL_RUNS_ON(io)
{
    struct fil_wire_writer writer;
    fil_wire_group_run(session);
    fil_wire_call_output(session, &writer);
    fil_wire_answer_code(&writer, correlation, code, text);
}

static void answer_unknown(struct fil_wire_session *session, const struct fil_wire_header *header)
    FIL_RUNS_ON(io)
{
    const struct fil_wire_message *message = fil_wire_message_find(header->type);
    char text[TEXT_MAX];
    (void)snprintf(text, sizeof(text), "this member does not serve %s (0x%06x)",
                   message != NULL ? message->name : "the request", (unsigned)header->type);
    fil_counter_add_shared(&session->server->stats.unsupported, 1);
    answer(session, header->correlation, FIL_WIRE_ERROR_UNSUPPORTED_OPERATION, text);
}

/** FIL_E_AGAIN: the message has taken the input with it, and what is behind it comes again. */
static int run_message(struct fil_wire_session *session, struct fil_bytes message) FIL_RUNS_ON(io)
{
    struct fil_wire_task task = {.session = session, .message = message};
    int error = fil_wire_header_decode_request(message, &task.header);
    if (FIL_UNLIKELY(error != FIL_OK)) {
        return error;
    }
    fil_connection_count_request(session->connection);
    fil_counter_add(&session->request_count, 1);
    if (FIL_UNLIKELY(!session->is_authenticated && !is_authentication(task.header.type))) {
        answer(session, task.header.correlation, FIL_WIRE_ERROR_AUTHENTICATION,
               "authenticate first");
        return FIL_E_DENIED;
    }
    task.handler = fil_wire_handler_find(task.header.type);
    if (FIL_UNLIKELY(task.handler == NULL)) {
        answer_unknown(session, &task.header);
        return FIL_OK;
    }
    fil_wire_call_run(&task);
    return FIL_UNLIKELY(fil_connection_is_input_taken(session->connection)) ? FIL_E_AGAIN : FIL_OK;
}

/** Handles the message at the front; FIL_E_AGAIN when there is no whole one. */
static int run_next(struct fil_wire_session *session, struct fil_bytes bytes, size_t *out_size)
    FIL_RUNS_ON(io)
{
    struct fil_bytes message;
    if (FIL_UNLIKELY(!session->has_magic)) {
        fil_assert(bytes.size >= MAGIC_SIZE);
        session->has_magic = true;
        *out_size = MAGIC_SIZE;
        return FIL_OK;
    }
    int error = fil_wire_receive(&session->receiver, bytes, &message, out_size);
    return FIL_LIKELY(error == FIL_OK) ? run_message(session, message) : error;
}

static int receive(struct fil_connection *connection, struct fil_bytes bytes, size_t *out_consumed)
{
    fil_role_assert_io();
    struct fil_wire_session *session = connection->session;
    struct fil_turn *turn = connection->loop->context;
    struct fil_wire_group group;
    size_t done = 0;
    int error = FIL_OK;
    group.count = 0;
    session->group = &group;
    const char *outer = fil_activity_begin(&turn->runner, "client");
    while (error == FIL_OK && fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN) &&
           !fil_connection_is_congested(connection) && !fil_turn_is_spent(turn)) {
        size_t size = 0;
        error = run_next(session, fil_bytes_make(bytes.data + done, bytes.size - done), &size);
        done += size;
    }
    fil_wire_group_run(session);
    session->group = NULL;
    fil_activity_end(&turn->runner, outer);
    if (error == FIL_OK && fil_turn_is_spent(turn)) {
        fil_connection_yield(connection);
    }
    if (error == FIL_E_AGAIN) {
        fil_connection_expect(connection, fil_wire_receiver_expected(&session->receiver));
        error = FIL_OK;
    } else if (error == FIL_E_LIMIT && !session->is_authenticated) {
        fil_connection_finish(connection, FIL_CLOSE_STRANGER);
    }
    *out_consumed = done;
    return error;
}

static bool collect(struct fil_connection *connection)
{
    fil_wire_call_collect(connection->session);
    fil_wire_news_collect(connection->session);
    return false;
}

/** In parts of what a session may have under way, because clients put all into one connection. */
static uint32_t share_of(uint32_t count, uint32_t max)
{
    uint32_t share = max / FIL_CONNECTION_PENDING_MAX;
    return (count + share - 1) / share;
}

/** Whichever of its two budgets is used more. */
static uint32_t pending(struct fil_connection *connection)
{
    struct fil_wire_session *session = connection->session;
    uint32_t calls = share_of(session->call_count, FIL_WIRE_CALLS_MAX);
    uint32_t submissions = share_of(session->submission_count, FIL_WIRE_SUBMISSIONS_MAX);
    return calls > submissions ? calls : submissions;
}

static void abandon(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_turn *turn = connection->loop->context;
    struct fil_wire_session *session = connection->session;
    // Relaxed: published by what abandons the calls.
    atomic_store_explicit(&session->is_stopping, false, memory_order_relaxed);
    fil_wire_call_abandon(session);
    fil_wire_subscription_end_session(connection->session, &turn->runner);
}

static void stop(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_wire_session *session = connection->session;
    // Relaxed: as above.
    atomic_store_explicit(&session->is_stopping, true, memory_order_relaxed);
    fil_wire_call_end_waits(session);
}

static bool is_stranger(const struct fil_connection *connection)
{
    const struct fil_wire_session *session = connection->session;
    return !session->is_authenticated;
}

const struct fil_protocol_ops fil_wire_protocol = {
    .name = "client",
    .match = match,
    .open = open_session,
    .receive = receive,
    .collect = collect,
    .pending = pending,
    .abandon = abandon,
    .stop = stop,
    .is_stranger = is_stranger,
    .is_gone_at_end = true,
    .close = close_session,
};
