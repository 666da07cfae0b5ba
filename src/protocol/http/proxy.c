// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/proxy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"
#include "protocol/http/proxy_message.h"
#include "protocol/http/session_internal.h"

#define PATTERN_BYTES_MAX 256U
#define NS_PER_US         UINT64_C(1000)

/** A request that is passed on. */
struct errand {
    struct fil_http_call call;
    struct fil_request *request;
};

static int status_of(int error)
{
    switch (error) {
    case FIL_E_TIMEOUT:
        return FIL_HTTP_STATUS_GATEWAY_TIMEOUT;
    case FIL_E_NOMEM:
    case FIL_E_FULL:
        return FIL_HTTP_STATUS_SERVICE_UNAVAILABLE;
    default:
        return FIL_HTTP_STATUS_BAD_GATEWAY;
    }
}

static void done(struct fil_http_call *call)
{
    struct errand *errand = FIL_CONTAINER_OF(call, struct errand, call);
    struct fil_request *request = errand->request;
    if (call->error == FIL_OK) {
        fil_request_complete(request, fil_proxy_message_reply(request, call));
        return;
    }
    fil_chunk_queue_clear(&request->content);
    fil_request_complete(request,
                         fil_reply_text(request, status_of(call->error),
                                        "no server behind this one has answered, in %" PRIu32
                                        " tries: %s\n",
                                        call->try_count, fil_error_text(call->error)));
}

static const struct fil_connection *connection_of(struct fil_request *request)
{
    return FIL_CONTAINER_OF(request, struct fil_http_exchange, request)->session->connection;
}

static struct fil_reply pass_on(struct fil_request *request)
{
    struct fil_proxy *proxy = fil_request_context(request);
    struct errand *errand = fil_request_alloc(request, sizeof(*errand));
    if (errand == NULL) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    struct fil_reply later = fil_reply_later(request);
    if (later.status != FIL_REPLY_LATER) {
        return later;
    }
    fil_role_assert_io();
    const struct fil_connection *connection = connection_of(request);
    *errand = (struct errand){.request = request,
                              .call = {.client = &proxy->client,
                                       .loop = connection->loop,
                                       .method = request->method,
                                       .body = request->body,
                                       .deadline_ns = request->deadline_ns,
                                       .tries_max = request->tries_max,
                                       .retries_failures = request->retries != NULL,
                                       .arena = &request->arena,
                                       .content = &request->content,
                                       .done = done}};
    int error = fil_proxy_message_head(request, &connection->peer, &errand->call.head);
    if (error != FIL_OK) {
        return fil_reply_error(request, error);
    }
    fil_http_call_start(&errand->call); // it may be answered already
    return later;
}

// What there is to see.

static void render_server(struct fil_request *request, const struct fil_upstream *upstream,
                          uint32_t index, uint64_t now_ns)
{
    const struct fil_upstream_server *server = &upstream->servers[index];
    char text[FIL_ADDRESS_TEXT_MAX];
    struct fil_address address;
    (void)fil_upstream_address(upstream, index, &address);
    uint32_t busy = atomic_load_explicit(&server->busy, memory_order_relaxed);
    uint64_t until_ns = atomic_load_explicit(&server->ejected_ns, memory_order_relaxed);
    fil_request_format(request,
                       "  %-24s busy %" PRIu32 ", cost %" PRIu64 " us, tries %" PRIu64
                       ", failed %" PRIu64 ", ejected %" PRIu64 " times, probed %" PRIu64 "%s\n",
                       fil_address_format(&address, text), busy,
                       fil_upstream_cost(upstream, index, now_ns) / NS_PER_US,
                       fil_counter_read(&server->tries), fil_counter_read(&server->failed),
                       fil_counter_read(&server->ejected), fil_counter_read(&server->probes),
                       until_ns != 0 ? ", is now" : "");
}

/** What became of the last lookup of each name. */
static void render_names(struct fil_request *request, const struct fil_upstream *upstream)
{
    for (uint32_t i = 0; i < upstream->name_count; i++) {
        const struct fil_upstream_name *name = &upstream->names[i];
        int error = atomic_load(&name->error);
        const char *text = error == FIL_OK            ? "its addresses are known"
                           : error == FIL_E_AGAIN     ? "nobody has asked for its addresses yet"
                           : error == FIL_E_NOT_FOUND ? "there is no host of that name"
                                                      : "nobody could be asked for its addresses";
        fil_request_format(request, "  %s:%u: %s\n", name->host, name->port, text);
    }
}

/** After which time another server is asked too, in words. */
static void render_hedge(struct fil_request *request, const struct fil_http_client *client)
{
    uint64_t hedge_ns = fil_upstream_hedge_ns(&client->upstream);
    if (!client->is_hedging) {
        fil_request_format(request, ", never asked twice\n");
    } else if (hedge_ns == UINT64_MAX) {
        fil_request_format(request, ", asked twice once it is known what is usual\n");
    } else {
        fil_request_format(request, ", asked twice after %" PRIu64 " us\n", hedge_ns / NS_PER_US);
    }
}

static struct fil_reply get_upstreams(struct fil_request *request)
{
    const struct fil_proxies *proxies = fil_request_context(request);
    uint64_t now_ns = request->arrived_ns;
    for (uint32_t i = 0; i < proxies->count; i++) {
        const struct fil_http_client *client = &proxies->items[i]->client;
        const struct fil_upstream *upstream = &client->upstream;
        fil_request_format(request,
                           "%s: retries %" PRIu64 ", refused by the budget %" PRIu64
                           ", hedges %" PRIu64 ", won %" PRIu64,
                           proxies->items[i]->pattern, fil_counter_read(&upstream->retries.granted),
                           fil_counter_read(&upstream->retries.refused),
                           fil_counter_read(&upstream->hedges.granted),
                           fil_counter_read(&upstream->hedges_won));
        render_hedge(request, client);
        render_names(request, upstream);
        for (uint32_t j = 0; j < upstream->server_count; j++) {
            if (fil_upstream_is_present(upstream, j)) {
                render_server(request, upstream, j, now_ns);
            }
        }
    }
    return fil_reply_content(FIL_HTTP_STATUS_OK, "text/plain; charset=utf-8");
}

// Making them.

static void free_proxy(struct fil_proxy *proxy)
{
    if (proxy != NULL) {
        fil_http_client_fini(&proxy->client);
        fil_free(proxy->pattern);
        fil_free(proxy);
    }
}

void fil_proxies_fini(struct fil_proxies *proxies)
{
    for (uint32_t i = 0; i < proxies->count; i++) {
        free_proxy(proxies->items[i]);
    }
    proxies->count = 0;
}

static int complain(struct fil_service *service, struct fil_bytes part, const char *what)
{
    (void)snprintf(service->problem, sizeof(service->problem), "service.proxies: \"%.*s\" %s",
                   (int)part.size, (const char *)part.data, what);
    return FIL_E_CONFIG;
}

static int make_proxy(struct fil_bytes pattern, struct fil_bytes servers,
                      struct fil_proxy **out_proxy)
{
    struct fil_proxy *proxy = fil_alloc_zero(1, sizeof(*proxy));
    char *text = fil_alloc(pattern.size + 1);
    int error =
        proxy == NULL || text == NULL ? FIL_E_NOMEM : fil_http_client_init(&proxy->client, servers);
    if (error != FIL_OK) {
        fil_free(proxy);
        fil_free(text);
        return error;
    }
    memcpy(text, pattern.data, pattern.size);
    text[pattern.size] = '\0';
    proxy->pattern = text;
    *out_proxy = proxy;
    return FIL_OK;
}

/** Adds the route of a proxy, which stays the caller's. */
static int add_route(struct fil_service *service, struct fil_proxy *proxy)
{
    struct fil_route_options options = {.run_on = "loop", .context = proxy};
    return fil_service_route(service, proxy->pattern, pass_on, &options, NULL);
}

static int add_page(struct fil_proxies *proxies, struct fil_service *service)
{
    struct fil_route_options options = {.run_on = "loop", .context = proxies};
    int error = fil_service_route(service, "GET /upstreams", get_upstreams, &options, NULL);
    return error == FIL_E_EXISTS ? FIL_OK : error; // there is one, or a program has its own
}

int fil_proxies_add_one(struct fil_proxies *proxies, struct fil_service *service,
                        struct fil_bytes pattern, struct fil_bytes servers)
{
    struct fil_proxy *proxy = NULL;
    if (proxies->count == FIL_PROXIES_MAX || pattern.size > PATTERN_BYTES_MAX) {
        return FIL_E_LIMIT;
    }
    int error = make_proxy(pattern, servers, &proxy);
    if (error == FIL_OK) {
        error = add_route(service, proxy);
    }
    if (error != FIL_OK) {
        free_proxy(proxy);
        return error;
    }
    if (proxies->try_ns != 0) {
        proxy->client.try_ns = proxies->try_ns;
    }
    if (proxies->retry_percent != 0) {
        proxy->client.upstream.retries.percent = proxies->retry_percent;
    }
    proxy->client.is_hedging = proxy->client.is_hedging && !proxies->is_unhedged;
    proxies->items[proxies->count] = proxy;
    proxies->count++;
    return add_page(proxies, service);
}

/** "pattern=server, server" of the configuration. */
static int add_rule(struct fil_proxies *proxies, struct fil_service *service, struct fil_bytes rule)
{
    size_t at = fil_bytes_find(rule, '=');
    if (at == rule.size) {
        return complain(service, rule, "is not \"METHOD /path=server, server\"");
    }
    int error =
        fil_proxies_add_one(proxies, service, fil_bytes_trim(fil_bytes_make(rule.data, at)),
                            fil_bytes_trim(fil_bytes_make(rule.data + at + 1, rule.size - at - 1)));
    bool is_wrong = error != FIL_OK && error != FIL_E_NOMEM;
    return is_wrong ? complain(service, rule, fil_error_text(error)) : error;
}

int fil_proxies_add(struct fil_proxies *proxies, struct fil_service *service, const char *text)
{
    struct fil_bytes all = fil_bytes_of(text);
    int error = FIL_OK;
    for (size_t start = 0; start < all.size && error == FIL_OK;) {
        struct fil_bytes rest = fil_bytes_make(all.data + start, all.size - start);
        size_t size = fil_bytes_find(rest, ';');
        struct fil_bytes rule = fil_bytes_trim(fil_bytes_make(rest.data, size));
        error = rule.size == 0 ? FIL_OK : add_rule(proxies, service, rule);
        start += size + 1;
    }
    return error;
}
