// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/server.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/exec/activity.h"
#include "core/exec/generic.h"
#include "core/exec/runner.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/http/encoder.h"
#include "lib/http/status.h"
#include "lib/net/connection.h"

#define HEAD_BYTES_MAX   512U
#define FORMAT_BYTES_MAX 1024U

struct session;

/** A request that is answered on the generic pool. */
struct call {
    struct fil_task task;
    struct session *session;
    const struct fil_http_page *page;
    struct fil_http_request request; // its slices point to head
    bool is_keep_alive;
    size_t size_bytes; // drawn from the budget

    // The task's own until it is done, then the writer flag's holder's.
    struct fil_http_reply reply;
    _Atomic bool is_done;
    uint8_t head[];
};

struct session {
    // Set when the session is made, then read-only.
    const struct fil_http_server *server;
    struct fil_connection *connection;

    // The loop's own.
    struct fil_http_decoder decoder;
    struct fil_http_request request; // the one being answered

    // Whoever holds the connection's writer flag.
    struct call *call; // under way; NULL: none
};

/** Methods by which a request is told from an inline RESP command; a target follows. */
static const char *const method_starts[] = {
    "GET /", "HEAD /", "POST /", "PUT /", "DELETE /", "PATCH /", "OPTIONS ", "TRACE /", "CONNECT ",
};

static enum fil_match match(struct fil_bytes first)
{
    enum fil_match best = FIL_MATCH_NO;
    for (size_t i = 0; i < FIL_COUNT_OF(method_starts); i++) {
        size_t size = strlen(method_starts[i]);
        size_t common = first.size < size ? first.size : size;
        if (memcmp(first.data, method_starts[i], common) == 0) {
            if (common == size) {
                return FIL_MATCH_YES;
            }
            best = FIL_MATCH_MAYBE;
        }
    }
    return best;
}

static int open_session(struct fil_connection *connection, const struct fil_protocol *protocol)
{
    struct session *session = fil_alloc_zero(1, sizeof(*session));
    if (session == NULL) {
        return FIL_E_NOMEM;
    }
    session->server = protocol->context;
    session->connection = connection;
    fil_http_decoder_init(&session->decoder, &fil_http_limits_default);
    connection->session = session;
    return FIL_OK;
}

static void free_call(struct call *call)
{
    struct fil_budget *budget = call->session->server->budget;
    fil_chunk_queue_clear(&call->reply.body);
    fil_budget_return(budget, call->size_bytes);
    fil_free(call);
}

static void close_session(struct fil_connection *connection)
{
    struct session *session = connection->session;
    if (session->call != NULL) {
        free_call(session->call); // it has ended, for it held the connection
    }
    fil_free(session);
    connection->session = NULL;
}

void fil_http_reply_add(struct fil_http_reply *reply, struct fil_bytes bytes)
{
    fil_chunk_queue_append(&reply->body, reply->pool, bytes);
}

void fil_http_reply_format(struct fil_http_reply *reply, const char *format, ...)
{
    char text[FORMAT_BYTES_MAX];
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fil_assert(written >= 0);
    size_t size = (size_t)written < sizeof(text) ? (size_t)written : sizeof(text) - 1;
    fil_http_reply_add(reply, fil_bytes_make(text, size));
}

static const struct fil_http_page *find_page(const struct fil_http_server *server,
                                             struct fil_bytes path)
{
    for (size_t i = 0; i < server->page_count; i++) {
        if (fil_bytes_equal_text(path, server->pages[i].path)) {
            return &server->pages[i];
        }
    }
    return NULL;
}

static bool is_readable(const struct fil_http_request *request)
{
    return request->method == FIL_HTTP_GET || request->method == FIL_HTTP_HEAD;
}

static void answer(const struct fil_http_server *server, const struct fil_http_request *request,
                   const struct fil_http_page *page, struct fil_http_reply *reply)
{
    if (page == NULL) {
        reply->status = FIL_HTTP_STATUS_NOT_FOUND;
        fil_http_reply_format(reply, "no such page: / lists what there is\n");
    } else if (!is_readable(request)) {
        reply->status = FIL_HTTP_STATUS_METHOD_NOT_ALLOWED;
        fil_http_reply_format(reply, "only GET and HEAD are answered here\n");
    } else {
        page->handler(server->context, request, reply);
    }
}

/** Writes head and body to the output; a HEAD request gets the head alone. */
static void send_reply(struct fil_connection *connection, const struct fil_http_request *request,
                       struct fil_http_reply *reply, bool is_keep_alive)
{
    const struct session *session = connection->session;
    uint8_t *room = fil_connection_reserve(connection, HEAD_BYTES_MAX);
    if (room == NULL || reply->body.is_out_of_memory) {
        fil_chunk_queue_clear(&reply->body);
        connection->output.queue.is_out_of_memory = true;
        return;
    }
    struct fil_env *env = session->server->env;
    struct fil_writer writer;
    struct fil_http_encoder encoder;
    fil_writer_init(&writer, room, HEAD_BYTES_MAX);
    fil_http_encoder_begin_response(
        &encoder, &writer,
        &(struct fil_http_response_options){
            .status = reply->status,
            .version = request->version,
            .framing = {.kind = FIL_HTTP_BODY_LENGTH, .length = reply->body.size_bytes},
            .is_keep_alive = is_keep_alive,
            .wall_ns = fil_env_wall_ns(env),
        });
    fil_http_encoder_add_text(&encoder, "Content-Type", reply->content_type);
    fil_http_encoder_add_text(&encoder, "Cache-Control", "no-store");
    if (reply->status == FIL_HTTP_STATUS_METHOD_NOT_ALLOWED) {
        fil_http_encoder_add_text(&encoder, "Allow", "GET, HEAD");
    }
    fil_http_encoder_add_text(&encoder, "X-Content-Type-Options", "nosniff");
    int error = fil_http_encoder_finish(&encoder);
    fil_assert(error == FIL_OK);
    fil_connection_commit(connection, fil_writer_written(&writer).size);
    if (request->method == FIL_HTTP_HEAD) {
        fil_chunk_queue_clear(&reply->body);
    }
    fil_chunk_queue_move(&connection->output.queue, &reply->body);
}

static struct fil_http_reply make_reply(struct fil_pool *pool)
{
    struct fil_http_reply reply = {
        .status = FIL_HTTP_STATUS_OK,
        .content_type = "text/plain; charset=utf-8",
        .pool = pool,
    };
    fil_chunk_queue_init(&reply.body);
    return reply;
}

static int refuse(struct fil_connection *connection, struct session *session)
{
    char text[FIL_HTTP_FAILURE_TEXT_MAX];
    const struct fil_http_failure *failure = &session->decoder.failure;
    struct fil_http_reply reply = make_reply(connection->output.pool);
    session->request.method = FIL_HTTP_GET;
    session->request.version = FIL_HTTP_1_1;
    reply.status = failure->status;
    fil_http_reply_format(&reply, "%s\n", fil_http_failure_format(failure, text));
    send_reply(connection, &session->request, &reply, false);
    return failure->code;
}

/** On the generic pool: renders the page; whoever gets the writer flag sends it. */
static void run_call(struct fil_task *task)
{
    struct call *call = FIL_CONTAINER_OF(task, struct call, task);
    struct fil_connection *connection = call->session->connection;
    struct fil_runner *runner = fil_generic_runner();
    const struct fil_http_server *server = call->session->server;
    fil_assert(runner != NULL);
    fil_activity_rename(runner, call->page->costly_name);
    call->reply = make_reply(runner->chunks);
    answer(server, &call->request, call->page, &call->reply);
    // R1 pairs with A1: the reply is complete. From here on the call may be freed.
    atomic_store_explicit(&call->is_done, true, memory_order_release);
    fil_runner_notify(runner, connection);
}

/** The call with a copy of the request's head; NULL when memory is out. */
static struct call *new_call(struct session *session, struct fil_bytes head)
{
    const struct fil_http_server *server = session->server;
    size_t size = sizeof(struct call) + head.size;
    if (!fil_budget_draw(server->budget, size)) {
        return NULL;
    }
    struct call *call = fil_alloc(size);
    if (call == NULL) {
        fil_budget_return(server->budget, size);
        return NULL;
    }
    *call = (struct call){.task = {.run = run_call}, .session = session, .size_bytes = size};
    fil_chunk_queue_init(&call->reply.body);
    memcpy(call->head, head.data, head.size);
    struct fil_http_decoder decoder;
    size_t consumed = 0;
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    int error = fil_http_request_decode(&decoder, fil_bytes_make(call->head, head.size),
                                        &call->request, &consumed);
    fil_assert(error == FIL_OK); // it is the second time
    fil_assert(consumed == head.size);
    return call;
}

/** Sends the request to the generic pool; false when there is no room for it. */
static bool submit(struct session *session, const struct fil_http_page *page, struct fil_bytes head,
                   bool is_keep_alive) FIL_RUNS_ON(io)
{
    struct fil_connection *connection = session->connection;
    struct call *call = new_call(session, head);
    if (call == NULL) {
        return false;
    }
    call->page = page;
    call->is_keep_alive = is_keep_alive;
    session->call = call;
    fil_connection_hold(connection);
    if (fil_generic_submit_try(session->server->generic, &call->task) == FIL_OK) {
        return true;
    }
    fil_connection_release(connection);
    session->call = NULL;
    free_call(call);
    return false;
}

static bool collect(struct fil_connection *connection)
{
    struct session *session = connection->session;
    struct call *call = session->call;
    // A1 pairs with R1.
    if (call != NULL && atomic_load_explicit(&call->is_done, memory_order_acquire)) {
        session->call = NULL;
        send_reply(connection, &call->request, &call->reply, call->is_keep_alive);
        free_call(call);
    }
    return false;
}

static uint32_t pending(struct fil_connection *connection)
{
    const struct session *session = connection->session;
    // One at a time: the requests behind it wait until it is answered.
    return session->call == NULL ? 0 : FIL_CONNECTION_PENDING_MAX;
}

/** Answers the request whose head is decoded, or has it answered. */
static void serve(struct session *session, struct fil_bytes head, bool is_keep_alive)
    FIL_RUNS_ON(io)
{
    const struct fil_http_server *server = session->server;
    const struct fil_http_request *request = &session->request;
    const struct fil_http_page *page = find_page(server, request->path);
    bool is_costly = page != NULL && page->costly_name != NULL && server->generic != NULL &&
                     is_readable(request);
    if (is_costly && submit(session, page, head, is_keep_alive)) {
        return;
    }
    struct fil_http_reply reply = make_reply(session->connection->output.pool);
    if (is_costly) {
        reply.status = FIL_HTTP_STATUS_SERVICE_UNAVAILABLE;
        fil_http_reply_format(&reply, "too much waits for its turn: try again later\n");
    } else {
        answer(server, request, page, &reply);
    }
    send_reply(session->connection, request, &reply, is_keep_alive);
}

/** Answers the request at the front; FIL_E_AGAIN when its head is not complete. */
static int answer_next(struct fil_connection *connection, struct session *session,
                       struct fil_bytes bytes, size_t *out_size) FIL_RUNS_ON(io)
{
    int error = fil_http_request_decode(&session->decoder, bytes, &session->request, out_size);
    if (error == FIL_E_AGAIN) {
        return error;
    }
    if (error != FIL_OK) {
        return refuse(connection, session);
    }
    fil_connection_count_request(connection);
    // No page takes a body: what follows one cannot be found, so the connection ends.
    bool is_keep_alive =
        session->request.is_keep_alive && session->request.framing.kind == FIL_HTTP_BODY_NONE;
    serve(session, fil_bytes_make(bytes.data, *out_size), is_keep_alive);
    if (!is_keep_alive) {
        fil_connection_finish(connection, FIL_CLOSE_REQUEST);
    }
    return FIL_OK;
}

static int receive(struct fil_connection *connection, struct fil_bytes bytes, size_t *out_consumed)
{
    fil_role_assert_io();
    struct session *session = connection->session;
    size_t done = 0;
    int error = FIL_OK;
    while (error == FIL_OK && done < bytes.size &&
           fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN) &&
           !fil_connection_is_congested(connection)) {
        size_t size = 0;
        error = answer_next(connection, session,
                            fil_bytes_make(bytes.data + done, bytes.size - done), &size);
        done += error == FIL_OK ? size : 0;
    }
    *out_consumed = done;
    return error == FIL_E_AGAIN ? FIL_OK : error;
}

const struct fil_protocol_ops fil_http_protocol = {
    .name = "http",
    .match = match,
    .open = open_session,
    .receive = receive,
    .collect = collect,
    .pending = pending,
    .close = close_session,
};
