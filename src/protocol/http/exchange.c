// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/exec/runner.h"
#include "core/exec/turn.h"
#include "core/service/service_pool.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/http/session_internal.h"

#define BODY_CAPACITY_MIN 512U
#define BODY_GROWTH_MAX   ((size_t)1 << 20)

struct fil_http_exchange *fil_http__take_exchange(struct fil_http_session *session)
{
    struct fil_http_exchange *exchange = session->spare;
    session->spare = NULL;
    if (exchange == NULL) {
        exchange = fil_alloc_zero(1, sizeof(*exchange));
        if (exchange == NULL) {
            return NULL;
        }
        fil_request_init(&exchange->request);
        exchange->session = session;
    }
    return exchange;
}

void fil_http__free_body(struct fil_http_exchange *exchange)
{
    if (exchange->body != NULL) {
        fil_budget_return(exchange->session->server->budget, exchange->body_capacity);
        fil_free(exchange->body);
    }
    exchange->body = NULL;
    exchange->body_size = 0;
    exchange->body_capacity = 0;
}

void fil_http__free_exchange(struct fil_http_exchange *exchange)
{
    if (exchange != NULL) {
        fil_http__free_body(exchange);
        fil_request_fini(&exchange->request);
        fil_free(exchange);
    }
}

void fil_http__give_exchange(struct fil_http_exchange *exchange)
{
    struct fil_http_session *session = exchange->session;
    if (session->spare != NULL) {
        fil_http__free_exchange(exchange);
        return;
    }
    fil_http__free_body(exchange);
    fil_request_reset(&exchange->request);
    exchange->next = NULL;
    exchange->has_own_head = false;
    exchange->has_stream_head = false;
    exchange->expects_continue = false;
    // Relaxed: nobody else knows of the exchange.
    atomic_store_explicit(&exchange->is_done, false, memory_order_relaxed);
    atomic_store_explicit(&exchange->is_streaming, false, memory_order_relaxed);
    session->spare = exchange;
}

void fil_http__fill_exchange(struct fil_http_exchange *exchange,
                             const struct fil_http_request *decoded, struct fil_bytes head)
{
    struct fil_http_session *session = exchange->session;
    struct fil_request *request = &exchange->request;
    fil_role_assert_io();
    exchange->head = head;
    exchange->version = decoded->version;
    exchange->is_keep_alive = decoded->is_keep_alive;
    request->home = &fil_http__home;
    request->method = decoded->method;
    request->method_text = decoded->method_text;
    request->path = decoded->path;
    request->query = decoded->query;
    request->headers = decoded->headers.items;
    request->header_count = decoded->headers.count;
    request->pool = session->connection->output.pool;
    request->runner = fil_http__runner(request);
    request->can_upgrade = decoded->wants_upgrade && decoded->is_keep_alive &&
                           decoded->method == FIL_HTTP_GET && decoded->version == FIL_HTTP_1_1 &&
                           decoded->framing.kind == FIL_HTTP_BODY_NONE;
    request->arrived_ns = session->connection->loop->now_ns;
}

struct fil_runner *fil_http__runner(struct fil_request *request)
{
    const struct fil_http_exchange *exchange =
        FIL_CONTAINER_OF(request, struct fil_http_exchange, request);
    struct fil_turn *turn = exchange->session->connection->loop->context;
    return turn == NULL ? NULL : &turn->runner;
}

static struct fil_bytes move_slice(struct fil_bytes slice, struct fil_bytes from, const uint8_t *to)
{
    if (slice.size == 0) {
        return fil_bytes_make(to, 0);
    }
    fil_debug_assert(slice.data >= from.data);
    fil_debug_assert(slice.data + slice.size <= from.data + from.size);
    return fil_bytes_make(to + (slice.data - from.data), slice.size);
}

static void move_slices(struct fil_request *request, struct fil_http_header *headers,
                        struct fil_bytes from, const uint8_t *to)
{
    for (uint32_t i = 0; i < request->header_count; i++) {
        headers[i].name = move_slice(request->headers[i].name, from, to);
        headers[i].value = move_slice(request->headers[i].value, from, to);
    }
    for (uint32_t i = 0; i < FIL_ROUTE_PARAMS_MAX && request->params[i].data != NULL; i++) {
        request->params[i] = move_slice(request->params[i], from, to);
    }
    request->headers = headers;
    request->method_text = move_slice(request->method_text, from, to);
    request->path = move_slice(request->path, from, to);
    request->query = move_slice(request->query, from, to);
}

int fil_http__own_head(struct fil_http_exchange *exchange)
{
    struct fil_request *request = &exchange->request;
    if (exchange->has_own_head) {
        return FIL_OK;
    }
    struct fil_bytes own = {0};
    size_t size = (request->header_count + 1) * sizeof(struct fil_http_header);
    struct fil_http_header *headers =
        fil_arena_alloc(&request->arena, size, _Alignof(struct fil_http_header));
    if (headers == NULL || fil_arena_copy(&request->arena, exchange->head, &own) != FIL_OK) {
        return FIL_E_NOMEM;
    }
    move_slices(request, headers, exchange->head, own.data);
    exchange->head = own;
    exchange->has_own_head = true;
    return FIL_OK;
}

static int grow_body(struct fil_http_exchange *exchange, size_t needed)
{
    // In bounded steps: a claimed length alone buys no memory.
    size_t step =
        exchange->body_capacity < BODY_GROWTH_MAX ? exchange->body_capacity : BODY_GROWTH_MAX;
    size_t capacity = exchange->body_capacity + step;
    capacity = capacity < needed ? needed : capacity;
    capacity = capacity < BODY_CAPACITY_MIN ? BODY_CAPACITY_MIN : capacity;
    struct fil_budget *budget = exchange->session->server->budget;
    size_t more = capacity - exchange->body_capacity;
    if (!fil_budget_draw(budget, more)) {
        return FIL_E_NOMEM;
    }
    uint8_t *grown = fil_realloc(exchange->body, capacity);
    if (grown == NULL) {
        fil_budget_return(budget, more);
        return FIL_E_NOMEM;
    }
    exchange->body = grown;
    exchange->body_capacity = capacity;
    return FIL_OK;
}

int fil_http__add_body(struct fil_http_exchange *exchange, struct fil_bytes content)
{
    if (content.size == 0) {
        return FIL_OK;
    }
    size_t needed = exchange->body_size + content.size;
    if (needed > exchange->body_capacity) {
        int error = grow_body(exchange, needed);
        if (error != FIL_OK) {
            return error;
        }
    }
    memcpy(exchange->body + exchange->body_size, content.data, content.size);
    exchange->body_size = needed;
    exchange->request.body = fil_bytes_make(exchange->body, needed);
    return FIL_OK;
}

void fil_http__enqueue(struct fil_http_exchange *exchange)
{
    struct fil_http_session *session = exchange->session;
    fil_assert(exchange->next == NULL);
    if (session->last == NULL) {
        session->first = exchange;
    } else {
        session->last->next = exchange;
    }
    session->last = exchange;
    session->waiting_count++;
}

/** On the loop, which holds the writer flag while it handles requests. */
static int detach(struct fil_request *request)
{
    struct fil_http_exchange *exchange =
        FIL_CONTAINER_OF(request, struct fil_http_exchange, request);
    if (request->is_detached) {
        return FIL_OK;
    }
    fil_role_assert_io();
    int error = fil_http__own_head(exchange);
    if (error != FIL_OK) {
        return error;
    }
    request->is_detached = true;
    request->pool = NULL;
    fil_http__enqueue(exchange);
    fil_connection_hold(exchange->session->connection);
    return FIL_OK;
}

static void done(struct fil_request *request)
{
    struct fil_http_exchange *exchange =
        FIL_CONTAINER_OF(request, struct fil_http_exchange, request);
    struct fil_connection *connection = exchange->session->connection;
    // R1 pairs with A1: the answer is complete. From here on the exchange may be freed.
    atomic_store_explicit(&exchange->is_done, true, memory_order_release);
    struct fil_runner *runner = fil_service_pool_runner();
    if (runner != NULL) {
        fil_runner_notify(runner, connection); // takes over the hold
        return;
    }
    fil_connection_attend(connection);
    fil_connection_release(connection);
}

/** The loop writes it: whoever writes piece by piece has better things to do. */
static void attend_stream(struct fil_request *request)
{
    struct fil_http_exchange *exchange =
        FIL_CONTAINER_OF(request, struct fil_http_exchange, request);
    // R2 pairs with A2: status and headers are there. Relaxed: only this thread's own are seen.
    if (!atomic_load_explicit(&exchange->is_streaming, memory_order_relaxed)) {
        atomic_store_explicit(&exchange->is_streaming, true, memory_order_seq_cst);
    }
    fil_connection_attend(exchange->session->connection);
}

/** The loop goes on reading the connection, or asks its client for the body. */
static void attend_body(struct fil_request *request)
{
    struct fil_http_exchange *exchange =
        FIL_CONTAINER_OF(request, struct fil_http_exchange, request);
    fil_connection_attend(exchange->session->connection);
}

const struct fil_request_home fil_http__home = {
    .detach = detach, .done = done, .body = attend_body, .stream = attend_stream};
