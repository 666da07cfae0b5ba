// SPDX-License-Identifier: Apache-2.0
/** A connection to a server that speaks HTTP/2: nghttp2's session between input and output. */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/dial.h"
#include "protocol/http/http2_carrier_internal.h"

#define MEMORY_MAX        ((size_t)4 << 20)
#define STREAM_WINDOW     (1 << 20)
#define CONNECTION_WINDOW (8 << 20)
#define OUTPUT_MAX        ((size_t)256 << 10)

// Making one.

static int greet(struct fil_http2_carrier *carrier)
{
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, FIL_HTTP2_CARRIER_HEAD_MAX},
    };
    int error = nghttp2_submit_settings(carrier->engine, NGHTTP2_FLAG_NONE, settings,
                                        FIL_COUNT_OF(settings));
    return error != 0 ? error
                      : nghttp2_session_set_local_window_size(carrier->engine, NGHTTP2_FLAG_NONE, 0,
                                                              CONNECTION_WINDOW);
}

static int make_engine(struct fil_http2_carrier *carrier)
{
    nghttp2_session_callbacks *callbacks = NULL;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) {
        return FIL_E_NOMEM;
    }
    fil_http2__set_carrier_callbacks(callbacks);
    int error = nghttp2_session_client_new3(&carrier->engine, callbacks, carrier, NULL,
                                            &carrier->memory.ops);
    nghttp2_session_callbacks_del(callbacks);
    return error == 0 && greet(carrier) == 0 ? FIL_OK : FIL_E_NOMEM;
}

static int open_carrier(struct fil_connection *connection, const struct fil_protocol *protocol)
{
    fil_role_assert_io();
    struct fil_http2_carrier *carrier = fil_alloc_zero(1, sizeof(*carrier));
    if (carrier == NULL) {
        return FIL_E_NOMEM;
    }
    carrier->client = protocol->context;
    carrier->connection = connection;
    carrier->idle_ns = connection->loop->now_ns + FIL_HTTP_CLIENT_IDLE_NS;
    fil_list_init(&carrier->carrier_link);
    fil_list_init(&carrier->links);
    fil_http2_memory_init(&carrier->memory, connection->loop->account.budget, MEMORY_MAX);
    if (make_engine(carrier) != FIL_OK) {
        nghttp2_session_del(carrier->engine);
        fil_free(carrier);
        return FIL_E_NOMEM;
    }
    connection->session = carrier;
    return FIL_OK;
}

static void close_carrier(struct fil_connection *connection)
{
    struct fil_http2_carrier *carrier = connection->session;
    fil_role_assert_io();
    struct fil_http_links *links =
        &carrier->client->links[connection->loop->index][carrier->server];
    fil_assert(fil_list_is_empty(&carrier->links) && links->count > 0);
    links->count--;
    fil_http__count_connection(carrier->client, false);
    nghttp2_session_del(carrier->engine);
    fil_assert(carrier->memory.used_bytes == 0);
    fil_free(carrier);
    connection->session = NULL;
}

// Its work.

/** Nothing is under way, and nothing more will be: it ends. */
static void finish_if_over(struct fil_http2_carrier *carrier) FIL_RUNS_ON(io)
{
    bool is_left = !fil_list_is_linked(&carrier->carrier_link) ||
                   !nghttp2_session_check_request_allowed(carrier->engine);
    if (is_left && carrier->link_count == 0 &&
        fil_fsm_is(&carrier->connection->state, FIL_CONNECTION_OPEN)) {
        fil_connection_finish(carrier->connection, FIL_CLOSE_REQUEST);
    }
}

static int receive(struct fil_connection *connection, struct fil_bytes bytes, size_t *out_consumed)
{
    fil_role_assert_io();
    struct fil_http2_carrier *carrier = connection->session;
    carrier->heard_ns = connection->loop->now_ns;
    ssize_t size = nghttp2_session_mem_recv(carrier->engine, bytes.data, bytes.size);
    if (size < 0) {
        int error = size == NGHTTP2_ERR_NOMEM ? FIL_E_NOMEM : FIL_E_MALFORMED;
        fil_http2__end_links(carrier, error);
        return error;
    }
    *out_consumed = bytes.size;
    if (carrier->link_count == 0) {
        carrier->idle_ns = connection->loop->now_ns + FIL_HTTP_CLIENT_IDLE_NS;
    }
    finish_if_over(carrier);
    return FIL_OK;
}

/** From now on a server may have begun with what is in the output. */
static void mark_sent(struct fil_http2_carrier *carrier)
{
    fil_list_foreach(item, &carrier->links) {
        struct fil_http2_link *link = FIL_CONTAINER_OF(item, struct fil_http2_link, link);
        link->base.is_sent |= link->is_written;
    }
}

static bool collect(struct fil_connection *connection)
{
    struct fil_http2_carrier *carrier = connection->session;
    struct fil_output *output = &connection->output;
    ssize_t size = 1;
    while (size > 0 && !carrier->is_dead && output->queue.size_bytes < OUTPUT_MAX) {
        const uint8_t *data = NULL;
        size = nghttp2_session_mem_send(carrier->engine, &data);
        if (size > 0) {
            fil_connection_write(connection, fil_bytes_make(data, (size_t)size));
        }
    }
    output->queue.is_out_of_memory |= size < 0;
    if (!output->is_blocked && output->queue.size_bytes > 0) {
        mark_sent(carrier);
    }
    return output->queue.size_bytes >= OUTPUT_MAX && !output->is_blocked &&
           output->error == FIL_OK && !output->queue.is_out_of_memory;
}

static uint32_t pending(struct fil_connection *connection)
{
    const struct fil_http2_carrier *carrier = connection->session;
    return carrier->link_count;
}

/** The server has closed the connection, or cannot be reached. */
static void abandon(struct fil_connection *connection)
{
    fil_role_assert_io();
    fil_http2__end_links(connection->session, FIL_E_CLOSED);
}

// Time.

static uint64_t deadline(const struct fil_connection *connection)
{
    const struct fil_http2_carrier *carrier = connection->session;
    uint64_t nearest_ns = carrier->link_count == 0 ? carrier->idle_ns : UINT64_MAX;
    fil_list_foreach(item, &carrier->links) {
        const struct fil_http2_link *link =
            FIL_CONTAINER_OF(item, const struct fil_http2_link, link);
        uint64_t deadline_ns = link->base.deadline_ns == 0 ? UINT64_MAX : link->base.deadline_ns;
        uint64_t hedge_ns = link->base.hedge_ns == 0 ? UINT64_MAX : link->base.hedge_ns;
        deadline_ns = hedge_ns < deadline_ns ? hedge_ns : deadline_ns;
        nearest_ns = deadline_ns < nearest_ns ? deadline_ns : nearest_ns;
    }
    return nearest_ns;
}

/** The try's time is over: the server hears that nobody waits. */
static void give_up(struct fil_http2_carrier *carrier, struct fil_http2_link *link) FIL_RUNS_ON(io)
{
    int error = link->error == FIL_OK ? FIL_E_TIMEOUT : link->error;
    if (carrier->heard_ns < link->base.began_ns) {
        // It has not said a word meanwhile: who comes next does better with another connection.
        fil_list_remove(&carrier->carrier_link);
    }
    if (link->id > 0) {
        // Without memory for it the server works in vain.
        (void)nghttp2_submit_rst_stream(carrier->engine, NGHTTP2_FLAG_NONE, link->id,
                                        NGHTTP2_CANCEL);
    }
    fil_http2__end_link(link, error);
}

static bool expire(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_http2_carrier *carrier = connection->session;
    uint64_t now_ns = connection->loop->now_ns;
    if (carrier->link_count == 0) {
        return false; // it was idle for too long
    }
    fil_list_foreach_safe(item, following, &carrier->links) {
        struct fil_http2_link *link = FIL_CONTAINER_OF(item, struct fil_http2_link, link);
        bool is_hedged = fil_http__hedge_if_due(&link->base, now_ns);
        if (!is_hedged && link->base.deadline_ns != 0 && link->base.deadline_ns <= now_ns) {
            give_up(carrier, link);
        }
    }
    carrier->idle_ns = now_ns + FIL_HTTP_CLIENT_IDLE_NS;
    finish_if_over(carrier);
    return true;
}

const struct fil_protocol_ops fil_http2__link_protocol = {
    .name = "http2 client",
    .open = open_carrier,
    .receive = receive,
    .collect = collect,
    .pending = pending,
    .abandon = abandon,
    .deadline = deadline,
    .expire = expire,
    .is_gone_at_end = true,
    .close = close_carrier,
};
