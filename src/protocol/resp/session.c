// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/session.h"

#include "core/exec/activity.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/command.h"
#include "protocol/resp/database.h"
#include "protocol/resp/group.h"
#include "protocol/resp/pubsub.h"
#include "protocol/resp/pubsub_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/transaction.h"
#include "protocol/resp/watch.h"
#include "protocol/resp/weight.h"

#define BULK_BYTES_MAX ((size_t)512 << 20)

void fil_resp_server_init(struct fil_resp_server *server,
                          const struct fil_resp_server_options *options)
{
    server->options = *options;
    server->started_ns = fil_env_now_ns(options->env);
    fil_mutex_init(&server->mutex);
    fil_mutex_init(&server->conf_mutex);
    fil_list_init(&server->sessions);
    fil_list_init(&server->tallies);
    uint64_t seed = 0;
    options->env->ops->random(options->env, &seed, sizeof(seed));
    for (uint32_t i = 0; i < FIL_RESP_DATABASES; i++) {
        atomic_init(&server->databases[i], i == 0 ? options->map : NULL);
    }
    server->observer = (struct fil_map_observer){.gone = fil_resp_notify_gone, .context = server};
    fil_map_observe(options->map, &server->observer);
    atomic_init(&server->notified, 0);
    atomic_init(&server->slow_forgotten, 0);
    atomic_init(&server->latency_reset_ns, 0);
    atomic_init(&server->swap_count, 0);
    fil_resp_pause_init(&server->pause);
    fil_resp_pubsub_init(&server->pubsub, options->events, options->budget, seed);
}

void fil_resp_server_fini(struct fil_resp_server *server)
{
    fil_assert(fil_list_is_empty(&server->sessions));
    for (uint32_t i = 0; i < FIL_RESP_DATABASES; i++) {
        struct fil_map *map = atomic_load_explicit(&server->databases[i], memory_order_acquire);
        if (map != NULL) {
            fil_map_observe(map, NULL);
        }
    }
    fil_resp_pubsub_fini(&server->pubsub);
    fil_resp_pause_fini(&server->pause);
    fil_mutex_fini(&server->conf_mutex);
    fil_mutex_fini(&server->mutex);
}

/** A RESP request begins with '*', an inline command with a letter; empty lines are nothing. */
static enum fil_match match(struct fil_bytes first)
{
    first = fil_protocol_skip_empty_lines(first);
    if (first.size == 0) {
        return FIL_MATCH_MAYBE;
    }
    uint8_t letter = first.data[0] | 0x20;
    bool is_letter = letter >= 'a' && letter <= 'z';
    return first.data[0] == '*' || is_letter ? FIL_MATCH_YES : FIL_MATCH_NO;
}

static int open_session(struct fil_connection *connection, const struct fil_protocol *protocol)
{
    struct fil_resp_server *server = protocol->context;
    struct fil_resp_session *session = fil_alloc_zero(1, sizeof(*session));
    if (session == NULL) {
        return FIL_E_NOMEM;
    }
    size_t frame_max = server->options.frame_bytes_max;
    size_t bulk_max = frame_max < BULK_BYTES_MAX ? frame_max : BULK_BYTES_MAX;
    session->server = server;
    session->connection = connection;
    atomic_init(&session->version, 2);
    atomic_init(&session->active_ns, connection->opened_ns);
    atomic_init(&session->last_command, "NULL");
    atomic_init(&session->database, 0);
    atomic_init(&session->topic_count, 0);
    atomic_init(&session->is_killed, false);
    fil_resp_database_refresh(session);
    fil_resp_decoder_init(&session->decoder, bulk_max, frame_max);
    session->decoder.budget = server->options.budget;
    fil_list_init(&session->link);
    fil_list_init(&session->line);
    session->share_limit = 1;
    session->reply_bytes = connection->loop->limits.output_bytes_max / FIL_RESP_WINDOW_FIRST;
    connection->session = session;
    fil_mutex_lock(&server->mutex);
    fil_list_push_back(&server->sessions, &session->link);
    fil_mutex_unlock(&server->mutex);
    return FIL_OK;
}

static void close_session(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_resp_session *session = connection->session;
    fil_assert(!fil_list_is_linked(&session->link));
    // What other threads ran has ended, for they held the connection; its replies are unwanted.
    while (fil_resp_call_collect(session)) {
    }
    fil_assert(fil_list_is_empty(&session->line));
    fil_resp_transaction_drop(session);
    fil_resp_watch_drop(session);
    fil_resp_decoder_fini(&session->decoder);
    fil_resp_subscriber_free(session->subscriber);
    fil_resp_hunt__free(session->hunt);
    fil_free(session);
    connection->session = NULL;
}

/** Runs the command that was decoded; FIL_E_AGAIN when it has to come again. */
static int run_decoded(struct fil_resp_session *session, struct fil_bytes bytes,
                       const struct fil_resp_command *command, size_t *size) FIL_RUNS_ON(io)
{
    if (!fil_resp_command_run(session, command)) {
        fil_resp_decoder_keep(&session->decoder, bytes, command, *size);
        *size = 0;
        return FIL_E_AGAIN;
    }
    fil_connection_count_request(session->connection);
    return FIL_OK;
}

/** The same of a huge command, which may take its bytes with it: what is behind comes again. */
FIL_COLD static int run_huge(struct fil_resp_session *session, struct fil_bytes bytes,
                             const struct fil_resp_command *command, size_t *size) FIL_RUNS_ON(io)
{
    session->huge_end = bytes.data + *size;
    int error = run_decoded(session, bytes, command, size);
    session->huge_end = NULL;
    return fil_connection_is_input_taken(session->connection) ? FIL_E_AGAIN : error;
}

/** Decodes and runs the command at the front; FIL_E_AGAIN when there is no whole one. */
static int run_next(struct fil_resp_session *session, struct fil_bytes bytes, size_t *out_size)
    FIL_RUNS_ON(io)
{
    struct fil_resp_command command;
    int error = fil_resp_decode(&session->decoder, bytes, &command, out_size);
    if (FIL_LIKELY(error == FIL_OK)) {
        // The words of a line are not in the input, however much of it was empty.
        bool is_huge = FIL_UNLIKELY(*out_size >= FIL_RESP_HUGE_BYTES) && !session->decoder.text;
        return is_huge ? run_huge(session, bytes, &command, out_size)
                       : run_decoded(session, bytes, &command, out_size);
    }
    if (error != FIL_E_AGAIN) {
        fil_resp_error(fil_resp_call_open(session), "ERR %s", session->decoder.problem);
        fil_resp_call_close(session);
        if (error == FIL_E_LIMIT && !session->decoder.is_frame_limit) {
            fil_connection_finish(session->connection, FIL_CLOSE_TOO_MUCH);
        }
    }
    return error;
}

/** As fil_connection_is_congested, without calls where nothing waits for anything. */
static bool is_congested(struct fil_resp_session *session) FIL_RUNS_ON(io)
{
    if (FIL_UNLIKELY(session->line_count > 0)) {
        return fil_connection_is_congested(session->connection);
    }
    session->waits_for_line = false;
    return fil_connection_is_output_full(session->connection);
}

static int receive(struct fil_connection *connection, struct fil_bytes bytes, size_t *out_consumed)
{
    fil_role_assert_io();
    struct fil_resp_session *session = connection->session;
    struct fil_turn *turn = connection->loop->context;
    size_t done = 0;
    int error = FIL_OK;
    // Relaxed: for CLIENT LIST, which wants a recent figure.
    atomic_store_explicit(&session->active_ns, connection->loop->now_ns, memory_order_relaxed);
    if (FIL_LIKELY(!session->has_journey || fil_list_is_empty(&session->line))) {
        fil_resp_database_follow(session);
    }
    const char *last_command = atomic_load_explicit(&session->last_command, memory_order_relaxed);
    const char *outer = fil_activity_begin(&turn->runner, last_command);
    while (error == FIL_OK && fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN) &&
           !is_congested(session) && !fil_turn_is_spent(turn)) {
        size_t size = 0;
        error = run_next(session, fil_bytes_make(bytes.data + done, bytes.size - done), &size);
        done += size;
    }
    fil_resp_group_end(session);
    // Relaxed: as above.
    atomic_store_explicit(&session->last_command, fil_activity_name(&turn->runner),
                          memory_order_relaxed);
    fil_activity_end(&turn->runner, outer);
    if (error == FIL_OK && fil_turn_is_spent(turn)) {
        fil_connection_yield(connection);
    }
    if (error == FIL_E_AGAIN) {
        fil_connection_expect(connection, fil_resp_decoder_expected(&session->decoder));
        error = FIL_OK;
    }
    *out_consumed = done;
    return error;
}

static void refuse(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_resp_session *session = connection->session;
    fil_resp_error(fil_resp_call_open(session), "OOM no memory to receive the command");
    fil_resp_call_close(session);
}

static bool collect(struct fil_connection *connection)
{
    struct fil_resp_session *session = connection->session;
    bool has_more = fil_resp_call_collect(session);
    // Relaxed: the flag says nothing but itself; whoever set it has called for the loop.
    if (FIL_UNLIKELY(atomic_load_explicit(&session->is_killed, memory_order_relaxed))) {
        connection->output.error = FIL_E_CANCELLED;
    }
    if (FIL_UNLIKELY(session->subscriber != NULL)) {
        has_more |= fil_resp_subscriber_collect(session->subscriber);
    }
    return has_more;
}

static uint32_t pending(struct fil_connection *connection)
{
    struct fil_resp_session *session = connection->session;
    if (FIL_LIKELY(session->line_count == 0)) {
        session->waits_for_line = false;
        return 0;
    }
    if (session->waits_for_line || session->line_count >= fil_resp_call_window(session)) {
        return FIL_CONNECTION_PENDING_MAX;
    }
    return session->line_count;
}

static void abandon(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_resp_session *session = connection->session;
    struct fil_resp_server *server = session->server;
    // Here and not when it is freed: whoever finds a session in the list may hold its connection.
    fil_mutex_lock(&server->mutex);
    fil_list_remove(&session->link);
    fil_mutex_unlock(&server->mutex);
    fil_resp_call_abandon(session);
    fil_resp_hold_end(session);
    if (session->subscriber != NULL) {
        fil_resp_subscriber_close(session->subscriber);
    }
}

/** When what is held back comes again. */
static uint64_t deadline(const struct fil_connection *connection)
{
    const struct fil_resp_hold *hold = &((struct fil_resp_session *)connection->session)->hold;
    return hold->lobby == NULL ? FIL_WHEEL_NEVER : hold->until_ns;
}

static bool expire(struct fil_connection *connection)
{
    fil_role_assert_io();
    fil_resp_hold_end(connection->session);
    return true;
}

static void end(struct fil_connection *connection)
{
    fil_role_assert_io();
    fil_resp_call_end_waits(connection->session);
}

/** A client that only waits sees the connection end, as with Redis, and asks another member. */
static void stop(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_resp_session *session = connection->session;
    session->is_stopping = true;
    fil_resp_call_end_waits(session);
}

const struct fil_protocol_ops fil_resp_protocol = {
    .name = "resp",
    .workspace_bytes = sizeof(struct fil_resp_group),
    .match = match,
    .open = open_session,
    .receive = receive,
    .refuse = refuse,
    .collect = collect,
    .pending = pending,
    .abandon = abandon,
    .end = end,
    .stop = stop,
    .deadline = deadline,
    .expire = expire,
    .close = close_session,
};
