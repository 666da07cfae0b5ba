// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/http2_link.h"

#include <nghttp2/nghttp2.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/request.h"
#include "lib/net/dial.h"
#include "protocol/http/http2_carrier_internal.h"

bool fil_http2__take_word(struct fil_bytes *servers)
{
    static const char word[] = "http2 ";
    size_t size = sizeof(word) - 1;
    if (servers->size < size || memcmp(servers->data, word, size) != 0) {
        return false;
    }
    *servers = fil_bytes_make(servers->data + size, servers->size - size);
    return true;
}

// Links.

struct fil_http2_link *fil_http2__link_of(struct fil_http_link *link)
{
    return FIL_CONTAINER_OF(link, struct fil_http2_link, base);
}

void fil_http2__end_link(struct fil_http2_link *link, int error)
{
    struct fil_http2_carrier *carrier = link->carrier;
    fil_list_remove(&link->link);
    carrier->link_count--;
    if (link->id > 0) {
        // nghttp2 may have let go of the stream already.
        (void)nghttp2_session_set_stream_user_data(carrier->engine, link->id, NULL);
    }
    link->base.is_used = carrier->is_used;
    link->base.is_heard = carrier->heard_ns != 0; // one that refuses is there
    carrier->is_used |= error == FIL_OK;
    fil_http__end_link_try(&link->base, error); // which may ask for another one
    fil_free(link);
}

void fil_http2__end_links(struct fil_http2_carrier *carrier, int error)
{
    carrier->is_dead = true;
    fil_list_remove(&carrier->carrier_link);
    while (!fil_list_is_empty(&carrier->links)) {
        fil_http2__end_link(FIL_CONTAINER_OF(carrier->links.next, struct fil_http2_link, link),
                            error);
    }
}

// Requests.

// NOLINTNEXTLINE(readability-function-size, readability-non-const-parameter): as nghttp2 has it
static ssize_t read_body(nghttp2_session *engine, int32_t id, uint8_t *room, size_t size,
                         uint32_t *flags, nghttp2_data_source *source, void *context)
{
    (void)engine, (void)id, (void)context;
    struct fil_http2_link *link = source->ptr;
    if (link->base.call == NULL) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; // nobody waits any more
    }
    struct fil_bytes body = link->base.call->body;
    size_t left = body.size - link->body_sent;
    size_t part = left < size ? left : size;
    memcpy(room, body.data + link->body_sent, part);
    link->body_sent += part;
    *flags |= part == left ? NGHTTP2_DATA_FLAG_EOF : 0U;
    return (ssize_t)part;
}

/** What belongs to one connection of HTTP/1.1 has no place here; the host is the authority. */
static bool is_left_out(struct fil_bytes name)
{
    static const char *const names[] = {"connection",        "host",    "keep-alive",
                                        "transfer-encoding", "upgrade", "proxy-connection"};
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        if (fil_bytes_equal_nocase(name, fil_bytes_of(names[i]))) {
            return true;
        }
    }
    return false;
}

static void put(nghttp2_nv *field, struct fil_bytes name, struct fil_bytes value)
{
    *field = (nghttp2_nv){.namelen = name.size, .valuelen = value.size};
    memcpy(&field->name, &name.data, sizeof(field->name)); // which nghttp2 does not write to
    memcpy(&field->value, &value.data, sizeof(field->value));
}

/** The head as it would go over HTTP/1.1, in fields; returns how many. */
static size_t list_fields(const struct fil_http_request *head, nghttp2_nv *fields)
{
    size_t count = 4;
    put(&fields[0], fil_bytes_of(":method"), head->method_text);
    put(&fields[1], fil_bytes_of(":scheme"), fil_bytes_of("http"));
    put(&fields[2], fil_bytes_of(":authority"), head->host);
    put(&fields[3], fil_bytes_of(":path"), head->target);
    for (uint32_t i = 0; i < head->headers.count; i++) {
        const struct fil_http_header *header = &head->headers.items[i];
        if (!is_left_out(header->name)) {
            put(&fields[count], header->name, header->value);
            count++;
        }
    }
    return count;
}

static int submit(struct fil_http2_link *link) FIL_RUNS_ON(io)
{
    static _Thread_local struct fil_http_request head;
    const struct fil_http_call *call = link->base.call;
    nghttp2_nv fields[FIL_HTTP_HEADERS_MAX + 4];
    nghttp2_data_provider body = {.source.ptr = link, .read_callback = read_body};
    struct fil_http_decoder decoder;
    size_t size = 0;
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    int error = fil_http_request_decode(&decoder, call->head, &head, &size);
    if (error != FIL_OK) {
        return error == FIL_E_AGAIN ? FIL_E_INVALID : error;
    }
    size_t count = list_fields(&head, fields);
    int32_t id = nghttp2_submit_request(link->carrier->engine, NULL, fields, count,
                                        call->body.size > 0 ? &body : NULL, link);
    link->id = id;
    if (id < 0) {
        return id == NGHTTP2_ERR_NOMEM ? FIL_E_NOMEM : FIL_E_CLOSED;
    }
    return FIL_OK;
}

void fil_http2__send(struct fil_http_link *base)
{
    struct fil_http2_link *link = fil_http2__link_of(base);
    struct fil_connection *connection = base->connection;
    fil_connection_speak(connection);
    int error = submit(link);
    if (error != FIL_OK) {
        // The caller is not done with the link: it ends in another turn.
        fil_list_remove(&link->carrier->carrier_link);
        link->error = error;
        base->deadline_ns = connection->loop->now_ns;
    }
    fil_connection_retime(connection);
}

// Carriers.

/** How many requests the server takes at a time. */
static uint32_t room_of(const struct fil_http2_carrier *carrier)
{
    uint32_t remote = nghttp2_session_get_remote_settings(carrier->engine,
                                                          NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    return remote < FIL_HTTP2_CARRIER_LINKS_MAX ? remote : FIL_HTTP2_CARRIER_LINKS_MAX;
}

static int dial(struct fil_http_client *client, struct fil_loop *loop, uint32_t server,
                struct fil_http2_carrier **out_carrier) FIL_RUNS_ON(io)
{
    struct fil_http_links *links = &client->links[loop->index][server];
    struct fil_connection *connection = NULL;
    if (links->count == FIL_HTTP2_CARRIERS_MAX) {
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
    *out_carrier = connection->session;
    (*out_carrier)->server = server;
    (*out_carrier)->version = version;
    fil_list_push_front(&links->idle, &(*out_carrier)->carrier_link);
    return FIL_OK;
}

static int find_carrier(struct fil_http_client *client, struct fil_loop *loop, uint32_t server,
                        struct fil_http2_carrier **out_carrier) FIL_RUNS_ON(io)
{
    fil_list_foreach(item, &client->links[loop->index][server].idle) {
        struct fil_http2_carrier *carrier =
            FIL_CONTAINER_OF(item, struct fil_http2_carrier, carrier_link);
        if (fil_http__is_current(client, server, carrier->version) &&
            carrier->link_count < room_of(carrier) &&
            nghttp2_session_check_request_allowed(carrier->engine)) {
            *out_carrier = carrier;
            return FIL_OK;
        }
    }
    return dial(client, loop, server, out_carrier);
}

int fil_http2__take_link(struct fil_http_client *client, struct fil_loop *loop, uint32_t server,
                         struct fil_http_link **out_link)
{
    struct fil_http2_carrier *carrier = NULL;
    struct fil_http2_link *link = fil_alloc_zero(1, sizeof(*link));
    int error = link == NULL ? FIL_E_NOMEM : find_carrier(client, loop, server, &carrier);
    if (error != FIL_OK) {
        fil_free(link);
        return error;
    }
    link->carrier = carrier;
    link->base.client = client;
    link->base.connection = carrier->connection;
    link->base.server = server;
    fil_list_init(&link->base.idle_link);
    fil_list_init(&link->link);
    fil_list_push_back(&carrier->links, &link->link);
    carrier->link_count++;
    *out_link = &link->base;
    return FIL_OK;
}
