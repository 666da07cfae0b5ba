// SPDX-License-Identifier: Apache-2.0
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/response.h"
#include "lib/http/status.h"
#include "lib/net/dial.h"
#include "protocol/http/http2_link.h"
#include "protocol/http/link_internal.h"

static const struct fil_http_limits limits = {
    .target_size_max = 8192,
    .head_size_max = 16384,
    .header_count_max = 64,
    .body_size_max = FIL_HTTP_CLIENT_CONTENT_MAX,
    .chunk_extension_size_max = 1024,
    .trailer_size_max = 4096,
};

static struct fil_http_links *links_of(const struct fil_http_link *link) FIL_RUNS_ON(io)
{
    return &link->client->links[link->connection->loop->index][link->server];
}

/** Ends the try that the link is busy with. */
static void end_try(struct fil_http_link *link, int error) FIL_RUNS_ON(io)
{
    error = link->is_forsaken ? FIL_E_CANCELLED : error;
    uint64_t now_ns = link->connection->loop->now_ns;
    bool is_silent = link->status == 0 && error == FIL_E_CLOSED;
    bool is_unreached = is_silent && !link->is_sent && !link->is_used && !link->is_heard;
    fil_assert(link->is_busy);
    link->is_busy = false;
    link->hedge_ns = 0;
    fil_http__end_try(link, &(struct fil_http_outcome){
                                .error = error,
                                .status = link->status,
                                .took_ns = now_ns > link->began_ns ? now_ns - link->began_ns : 0,
                                .is_refusal = link->is_refusal,
                                .is_started = link->is_sent,
                                .is_stale = link->is_used && is_silent,
                                .is_unreached = is_unreached});
}

void fil_http__end_link_try(struct fil_http_link *link, int error)
{
    end_try(link, error);
}

// The protocol of its connection.

static int open_link(struct fil_connection *connection, const struct fil_protocol *protocol)
{
    struct fil_http_link *link = fil_alloc_zero(1, sizeof(*link));
    if (link == NULL) {
        return FIL_E_NOMEM;
    }
    link->client = protocol->context;
    link->connection = connection;
    fil_list_init(&link->idle_link);
    fil_http_decoder_init(&link->decoder, &limits);
    connection->session = link;
    return FIL_OK;
}

static void close_link(struct fil_connection *connection)
{
    struct fil_http_link *link = connection->session;
    fil_assert(!link->is_busy);
    fil_role_assert_io();
    struct fil_http_links *links = links_of(link);
    fil_assert(links->count > 0);
    links->count--;
    fil_http__count_connection(link->client, false);
    fil_free(link);
    connection->session = NULL;
}

/** The answer is there: the link waits for the next call, or ends. */
static void rest(struct fil_http_link *link) FIL_RUNS_ON(io)
{
    struct fil_connection *connection = link->connection;
    bool can_stay = link->is_keep_alive && fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN);
    link->is_used = true;
    link->deadline_ns = connection->loop->now_ns + FIL_HTTP_CLIENT_IDLE_NS;
    if (can_stay) {
        fil_list_push_front(&links_of(link)->idle, &link->idle_link);
        fil_connection_retime(connection);
    }
    end_try(link, FIL_OK);
    if (!can_stay && !fil_fsm_is(&connection->state, FIL_CONNECTION_CLOSED)) {
        fil_connection_finish(connection, FIL_CLOSE_REQUEST);
    }
}

/** Copies the head to the call's memory. */
static int keep_head(struct fil_http_call *call, const struct fil_http_response *response,
                     struct fil_bytes head)
{
    struct fil_bytes own = {0};
    size_t count = response->headers.count;
    struct fil_http_header *headers = fil_arena_alloc(call->arena, (count + 1) * sizeof(*headers),
                                                      _Alignof(struct fil_http_header));
    if (headers == NULL || fil_arena_copy(call->arena, head, &own) != FIL_OK) {
        return FIL_E_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct fil_http_header *from = &response->headers.items[i];
        headers[i].name = fil_bytes_make(own.data + (from->name.data - head.data), from->name.size);
        headers[i].value =
            from->value.size == 0
                ? fil_bytes_make("", 0)
                : fil_bytes_make(own.data + (from->value.data - head.data), from->value.size);
    }
    call->status = response->status;
    call->headers = headers;
    call->header_count = (uint32_t)count;
    return FIL_OK;
}

/** Whether the server says that it has not begun. */
static bool is_refusal(const struct fil_http_response *response)
{
    if (response->status != FIL_HTTP_STATUS_SERVICE_UNAVAILABLE) {
        return false;
    }
    for (size_t i = 0; i < response->headers.count; i++) {
        struct fil_bytes name = response->headers.items[i].name;
        if (fil_bytes_equal_nocase(name, fil_bytes_of("Filbert-Nack"))) {
            return true;
        }
    }
    return false;
}

/** The call gets the head, unless it has taken another server's answer. */
int fil_http__take_response(struct fil_http_link *link, const struct fil_http_response *response,
                            struct fil_bytes head)
{
    link->status = response->status;
    link->is_refusal = is_refusal(response);
    bool is_wanted = link->call != NULL && fil_http__claim(link);
    return is_wanted ? keep_head(link->call, response, head) : FIL_OK;
}

static int take_head(struct fil_http_link *link, struct fil_bytes bytes, size_t *out_size)
    FIL_RUNS_ON(io)
{
    static _Thread_local struct fil_http_response response;
    int error = fil_http_response_decode(&link->decoder, bytes, link->method, &response, out_size);
    if (error != FIL_OK) {
        return error;
    }
    if (response.status < FIL_HTTP_STATUS_OK) {
        // Interim ones mean nothing to us; nobody has asked for another protocol.
        return response.status == FIL_HTTP_STATUS_SWITCHING_PROTOCOLS ? FIL_E_MALFORMED : FIL_OK;
    }
    link->is_keep_alive =
        response.is_keep_alive && response.framing.kind != FIL_HTTP_BODY_UNTIL_CLOSE;
    error = fil_http_body_init(&link->body, response.framing, &limits);
    return error == FIL_OK
               ? fil_http__take_response(link, &response, fil_bytes_make(bytes.data, *out_size))
               : error;
}

static int take_body(struct fil_http_link *link, struct fil_bytes bytes, size_t *out_size)
    FIL_RUNS_ON(io)
{
    struct fil_bytes content = {0};
    struct fil_http_call *call = link->call;
    int error = fil_http_body_decode(&link->body, bytes, &content, out_size);
    if (error == FIL_OK && content.size > 0 && call != NULL) {
        fil_chunk_queue_append(call->content, &call->loop->chunks, content);
        return call->content->is_out_of_memory ? FIL_E_NOMEM : FIL_OK;
    }
    return error;
}

static int receive(struct fil_connection *connection, struct fil_bytes bytes, size_t *out_consumed)
{
    fil_role_assert_io();
    struct fil_http_link *link = connection->session;
    int error = !link->is_busy && bytes.size > 0 ? FIL_E_MALFORMED : FIL_OK;
    *out_consumed = 0;
    while (error == FIL_OK && link->is_busy && *out_consumed < bytes.size) {
        size_t size = 0;
        struct fil_bytes left =
            fil_bytes_make(bytes.data + *out_consumed, bytes.size - *out_consumed);
        bool is_body = link->status != 0;
        error = is_body ? take_body(link, left, &size) : take_head(link, left, &size);
        *out_consumed += error == FIL_OK || (is_body && error == FIL_E_AGAIN) ? size : 0;
        bool is_whole = link->status != 0 && fil_http_body_is_done(&link->body);
        if (is_whole && (error == FIL_OK || error == FIL_E_AGAIN)) {
            // What is behind an answer belongs to nothing.
            link->is_keep_alive = link->is_keep_alive && *out_consumed == bytes.size;
            *out_consumed = bytes.size;
            rest(link);
            return FIL_OK;
        }
    }
    if (error != FIL_OK && error != FIL_E_AGAIN) {
        if (link->is_busy) {
            end_try(link, error);
        }
        return error;
    }
    return FIL_OK;
}

/** Called before each attempt to send. */
static bool collect(struct fil_connection *connection)
{
    struct fil_http_link *link = connection->session;
    link->is_sent |= !connection->output.is_blocked && connection->output.queue.size_bytes > 0;
    return false;
}

static uint32_t pending(struct fil_connection *connection)
{
    const struct fil_http_link *link = connection->session;
    return link->call == NULL ? 0 : 1;
}

/** The server has closed the connection, or was too slow, or cannot be reached. */
static void abandon(struct fil_connection *connection)
{
    fil_role_assert_io();
    struct fil_http_link *link = connection->session;
    fil_list_remove(&link->idle_link);
    if (!link->is_busy) {
        return;
    }
    bool is_end = connection->is_peer_done && link->status != 0;
    if (is_end && fil_http_body_finish(&link->body) == FIL_OK) {
        link->is_keep_alive = false;
        end_try(link, FIL_OK);
        return;
    }
    bool is_late = connection->loop->now_ns >= link->deadline_ns;
    end_try(link, is_late ? FIL_E_TIMEOUT : FIL_E_CLOSED);
}

static uint64_t deadline(const struct fil_connection *connection)
{
    const struct fil_http_link *link = connection->session;
    uint64_t deadline_ns = link->deadline_ns == 0 ? UINT64_MAX : link->deadline_ns;
    return link->hedge_ns != 0 && link->hedge_ns < deadline_ns ? link->hedge_ns : deadline_ns;
}

bool fil_http__hedge_if_due(struct fil_http_link *link, uint64_t now_ns)
{
    bool is_hedge = link->hedge_ns != 0 && now_ns >= link->hedge_ns;
    link->hedge_ns = is_hedge ? 0 : link->hedge_ns;
    if (is_hedge && link->call != NULL && link->status == 0 && now_ns < link->deadline_ns) {
        fil_http__hedge(link->call);
    }
    return is_hedge && now_ns < link->deadline_ns;
}

/** Not the end yet when it is only the time to ask another one too. */
static bool expire(struct fil_connection *connection)
{
    fil_role_assert_io();
    return fil_http__hedge_if_due(connection->session, connection->loop->now_ns);
}

const struct fil_protocol_ops fil_http__link_protocol = {
    .name = "http client",
    .open = open_link,
    .receive = receive,
    .collect = collect,
    .pending = pending,
    .abandon = abandon,
    .deadline = deadline,
    .expire = expire,
    .is_gone_at_end = true,
    .close = close_link,
};

// Calls.

static int dial(struct fil_http_client *client, struct fil_loop *loop, uint32_t server,
                struct fil_http_link **out_link) FIL_RUNS_ON(io)
{
    struct fil_http_links *links = &client->links[loop->index][server];
    struct fil_connection *connection = NULL;
    if (links->count == FIL_HTTP_CLIENT_LINKS_MAX) {
        return FIL_E_FULL;
    }
    struct fil_address address;
    uint32_t version = fil_upstream_address(&client->upstream, server, &address);
    int error = fil_loop_dial(loop, &address, &client->protocol, &connection);
    if (error != FIL_OK) {
        return error;
    }
    links->count++;
    fil_http__count_connection(client, true);
    *out_link = connection->session;
    (*out_link)->server = server;
    (*out_link)->version = version;
    return FIL_OK;
}

int fil_http__take_link(struct fil_http_client *client, struct fil_loop *loop, uint32_t server,
                        struct fil_http_link **out_link)
{
    if (client->is_http2) {
        return fil_http2__take_link(client, loop, server, out_link);
    }
    struct fil_list *idle = &client->links[loop->index][server].idle;
    if (fil_list_is_empty(idle)) {
        return dial(client, loop, server, out_link);
    }
    // The one that was used last: the others get old, and end.
    struct fil_http_link *link = FIL_CONTAINER_OF(idle->next, struct fil_http_link, idle_link);
    fil_list_remove(&link->idle_link);
    if (!fil_http__is_current(client, server, link->version)) {
        // The server's place has another address by now: the link ends as those that are idle.
        return dial(client, loop, server, out_link);
    }
    *out_link = link;
    return FIL_OK;
}

void fil_http__send(struct fil_http_link *link, struct fil_http_call *call, uint64_t deadline_ns,
                    uint64_t hedge_ns)
{
    struct fil_connection *connection = link->connection;
    fil_assert(!link->is_busy && link->call == NULL);
    link->call = call;
    link->method = call->method;
    link->began_ns = call->loop->now_ns;
    link->deadline_ns = deadline_ns;
    link->hedge_ns = hedge_ns;
    link->status = 0;
    link->is_busy = true;
    link->is_refusal = false;
    link->is_forsaken = false;
    link->is_sent = false;
    if (link->client->is_http2) {
        fil_http2__send(link);
        return;
    }
    fil_connection_speak(connection);
    fil_connection_write(connection, call->head);
    if (call->body.size > 0) {
        fil_connection_write(connection, call->body);
    }
    fil_connection_retime(connection);
}

void fil_http__let_go(struct fil_http_link *link)
{
    fil_assert(link->is_busy);
    link->call = NULL;
    link->hedge_ns = 0;
}
