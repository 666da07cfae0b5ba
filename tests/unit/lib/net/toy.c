// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lib/net/toy.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define PIECE_BYTES 1000U

struct toy_session {
    struct toy *toy;
    struct fil_stack replies; // finished jobs
};

typedef int (*line_fn)(struct fil_connection *connection, struct fil_bytes line);

void toy_init(struct toy *toy, size_t frame_bytes_max)
{
    *toy = (struct toy){.frame_bytes_max = frame_bytes_max};
    fil_stack_init(&toy->jobs);
}

void toy_fini(struct toy *toy)
{
    fil_assert(fil_stack_is_empty(&toy->jobs));
    fil_assert(atomic_load_explicit(&toy->session_count, memory_order_relaxed) == 0);
    fil_assert(atomic_load_explicit(&toy->job_count, memory_order_relaxed) == 0);
}

void toy_fill(uint8_t *out_bytes, size_t position, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        out_bytes[i] = (uint8_t)('a' + (position + i) % 26);
    }
}

static struct toy_session *session_of(struct fil_connection *connection)
{
    return connection->session;
}

static enum fil_match match_word(struct fil_bytes first, const char *word)
{
    size_t size = strlen(word);
    size_t common = first.size < size ? first.size : size;
    if (memcmp(first.data, word, common) != 0) {
        return FIL_MATCH_NO;
    }
    return common == size ? FIL_MATCH_YES : FIL_MATCH_MAYBE;
}

static enum fil_match match_echo(struct fil_bytes first)
{
    return match_word(first, "ECHO");
}

static enum fil_match match_relay(struct fil_bytes first)
{
    return match_word(first, "R");
}

static int open_session(struct fil_connection *connection, const struct fil_protocol *protocol)
{
    struct toy_session *session = fil_alloc_zero(1, sizeof(*session));
    if (session == NULL) {
        return FIL_E_NOMEM;
    }
    session->toy = protocol->context;
    fil_stack_init(&session->replies);
    atomic_fetch_add_explicit(&session->toy->session_count, 1, memory_order_relaxed);
    connection->session = session;
    return FIL_OK;
}

static void free_job(struct toy *toy, struct toy_job *job)
{
    atomic_fetch_sub_explicit(&toy->job_count, 1, memory_order_relaxed);
    fil_free(job);
}

static void close_session(struct fil_connection *connection)
{
    struct toy_session *session = session_of(connection);
    struct fil_link *link = fil_stack_take_all(&session->replies);
    while (link != NULL) {
        struct toy_job *job = FIL_CONTAINER_OF(link, struct toy_job, link);
        link = link->next;
        free_job(session->toy, job);
    }
    atomic_fetch_sub_explicit(&session->toy->session_count, 1, memory_order_relaxed);
    fil_free(session);
    connection->session = NULL;
}

/** Hands out the complete lines, as far as the connection takes replies. */
static int read_lines(struct fil_connection *connection, struct fil_bytes bytes,
                      size_t *out_consumed, line_fn on_line)
{
    fil_role_assert_io();
    size_t done = 0;
    int error = FIL_OK;
    while (error == FIL_OK && fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN) &&
           !fil_connection_is_congested(connection)) {
        struct fil_bytes rest = fil_bytes_make(bytes.data + done, bytes.size - done);
        size_t size = fil_bytes_find(rest, '\n');
        if (size > session_of(connection)->toy->frame_bytes_max) {
            error = FIL_E_LIMIT;
        } else if (size == rest.size) {
            break;
        } else {
            fil_connection_count_request(connection);
            error = on_line(connection, fil_bytes_make(rest.data, size));
            done += size + 1;
        }
    }
    *out_consumed = done;
    return error;
}

static void write_letters(struct fil_connection *connection, size_t size)
{
    uint8_t piece[PIECE_BYTES];
    for (size_t position = 0; position < size; position += PIECE_BYTES) {
        size_t part = size - position < PIECE_BYTES ? size - position : PIECE_BYTES;
        toy_fill(piece, position, part);
        fil_connection_write(connection, fil_bytes_make(piece, part));
    }
    fil_connection_write(connection, fil_bytes_of("\n"));
}

static int echo_line(struct fil_connection *connection, struct fil_bytes line)
{
    fil_role_assert_io();
    if (fil_bytes_equal_text(line, "quit")) {
        fil_connection_write(connection, fil_bytes_of("bye\n"));
        fil_connection_finish(connection, FIL_CLOSE_REQUEST);
        return FIL_OK;
    }
    if (fil_bytes_equal_text(line, "bad")) {
        fil_connection_write(connection, fil_bytes_of("no\n"));
        return FIL_E_MALFORMED;
    }
    if (line.size > 4 && memcmp(line.data, "big ", 4) == 0) {
        uint64_t size = 0;
        if (!fil_bytes_to_u64(fil_bytes_make(line.data + 4, line.size - 4), &size)) {
            return FIL_E_MALFORMED;
        }
        write_letters(connection, size);
        return FIL_OK;
    }
    fil_connection_write(connection, line);
    fil_connection_write(connection, fil_bytes_of("\n"));
    return FIL_OK;
}

static int receive_echo(struct fil_connection *connection, struct fil_bytes bytes,
                        size_t *out_consumed)
{
    return read_lines(connection, bytes, out_consumed, echo_line);
}

static void refuse_echo(struct fil_connection *connection)
{
    fil_connection_write(connection, fil_bytes_of("full\n"));
}

static int relay_line(struct fil_connection *connection, struct fil_bytes line)
{
    struct toy *toy = session_of(connection)->toy;
    struct toy_job *job = fil_alloc_zero(1, sizeof(*job));
    if (job == NULL) {
        return FIL_E_NOMEM;
    }
    char text[2 * TOY_NAME_MAX];
    size_t size = line.size < sizeof(text) - 1 ? line.size : sizeof(text) - 1;
    memcpy(text, line.data, size);
    text[size] = '\0';
    if (sscanf(text, "R %31s %zu", job->name, &job->size) != 2) {
        fil_free(job);
        return FIL_E_MALFORMED;
    }
    job->connection = connection;
    fil_connection_hold(connection);
    atomic_fetch_add_explicit(&toy->job_count, 1, memory_order_relaxed);
    (void)fil_stack_push(&toy->jobs, &job->link);
    if (toy->on_job != NULL) {
        toy->on_job(toy->job_context);
    }
    return FIL_OK;
}

static int receive_relay(struct fil_connection *connection, struct fil_bytes bytes,
                         size_t *out_consumed)
{
    return read_lines(connection, bytes, out_consumed, relay_line);
}

static bool collect(struct fil_connection *connection)
{
    struct toy_session *session = session_of(connection);
    toy_hook_fn hook = session->toy->on_collect;
    if (hook != NULL) {
        session->toy->on_collect = NULL;
        hook(session->toy->collect_context);
    }
    struct fil_link *link = fil_stack_take_all(&session->replies);
    while (link != NULL) {
        struct toy_job *job = FIL_CONTAINER_OF(link, struct toy_job, link);
        link = link->next;
        fil_connection_write(connection, fil_bytes_of(job->name));
        fil_connection_write(connection, fil_bytes_of(" "));
        write_letters(connection, job->size);
        free_job(session->toy, job);
    }
    return false;
}

void toy_job_finish(struct toy_job *job, struct fil_pool *pool)
{
    struct fil_connection *connection = job->connection;
    // From the push on the job belongs to whoever collects it; the hold is ours.
    (void)fil_stack_push(&session_of(connection)->replies, &job->link);
    fil_connection_notify(connection, pool);
    fil_connection_release(connection);
}

const struct fil_protocol_ops toy_echo_protocol = {
    .name = "echo",
    .match = match_echo,
    .open = open_session,
    .receive = receive_echo,
    .refuse = refuse_echo,
    .close = close_session,
};

const struct fil_protocol_ops toy_relay_protocol = {
    .name = "relay",
    .match = match_relay,
    .open = open_session,
    .receive = receive_relay,
    .collect = collect,
    .close = close_session,
};
