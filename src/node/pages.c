// SPDX-License-Identifier: Apache-2.0
/** The member's own pages: probes, metrics, and a start page for people. */
#include <inttypes.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/units.h"
#include "lib/http/status.h"
#include "node/hints.h"
#include "node/node_internal.h"
#include "node/services.h"

#define NS_PER_SECOND UINT64_C(1000000000)

#define TEXT_TYPE "text/plain; charset=utf-8"

/** Answered at all means that the loop turns. */
static struct fil_reply page_livez(struct fil_request *request)
{
    (void)request;
    return fil_reply_bytes(FIL_HTTP_STATUS_OK, TEXT_TYPE, "ok\n", 3);
}

static struct fil_reply page_readyz(struct fil_request *request)
{
    struct fil_node *node = fil_request_context(request);
    if (atomic_load_explicit(&node->is_ready, memory_order_relaxed)) {
        return fil_reply_bytes(FIL_HTTP_STATUS_OK, TEXT_TYPE, "ready\n", 6);
    }
    return fil_reply_text(request, FIL_HTTP_STATUS_SERVICE_UNAVAILABLE,
                          "not ready: the member is starting or stopping\n");
}

static int add_text(void *context, struct fil_bytes text)
{
    fil_request_add(context, text);
    return FIL_OK;
}

/** What was rendered, or nothing at all when memory ran out on the way. */
static struct fil_reply reply_rendered(struct fil_request *request, int error, const char *type)
{
    request->content.is_out_of_memory |= error != FIL_OK;
    return fil_reply_content(FIL_HTTP_STATUS_OK, type);
}

static struct fil_reply page_metrics(struct fil_request *request)
{
    struct fil_node *node = fil_request_context(request);
    fil_node__show_drops(node);
    int error = fil_metrics_render(node->metrics, add_text, request);
    error = error == FIL_OK ? fil_node__add_vertex_metrics(node, request) : error;
    return reply_rendered(request, error, FIL_METRIC_CONTENT_TYPE);
}

/** ?format=json for programs, text for people. */
static struct fil_reply page_slow(struct fil_request *request)
{
    struct fil_node *node = fil_request_context(request);
    struct fil_slow_table *table = &node->threads.watchdog.table;
    if (strcmp(fil_query(request, "format", "text"), "json") == 0) {
        return reply_rendered(request, fil_slow_table_render_json(table, add_text, request),
                              "application/json");
    }
    return reply_rendered(request, fil_slow_table_render_text(table, add_text, request), TEXT_TYPE);
}

static struct fil_reply page_services(struct fil_request *request)
{
    fil_service_render(request->service, request);
    return fil_reply_content(FIL_HTTP_STATUS_OK, TEXT_TYPE);
}

static struct fil_reply page_pools(struct fil_request *request)
{
    fil_service_render_pools(request->service, request);
    return fil_reply_content(FIL_HTTP_STATUS_OK, TEXT_TYPE);
}

static struct fil_reply page_slow_requests(struct fil_request *request)
{
    fil_service_render_slow(request->service, request);
    return fil_reply_content(FIL_HTTP_STATUS_OK, TEXT_TYPE);
}

static const char start_page_head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Filbert</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; "
    "padding: 0 1rem; }\n"
    "h1 { margin-bottom: 0; }\n"
    "p.sub { margin-top: 0; opacity: .7; }\n"
    "table { border-collapse: collapse; width: 100%; }\n"
    "th { text-align: left; font-weight: 500; opacity: .7; width: 12rem; }\n"
    "td, th { padding: .35rem .5rem .35rem 0; border-bottom: 1px solid #8884; }\n"
    "pre { background: #8882; padding: .75rem 1rem; border-radius: .4rem; overflow-x: auto; }\n"
    "</style>\n</head>\n<body>\n";

/** Names come from the configuration: escaped, whatever they hold. */
static void add_escaped(struct fil_request *request, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            fil_request_format(request, "&lt;");
            break;
        case '>':
            fil_request_format(request, "&gt;");
            break;
        case '&':
            fil_request_format(request, "&amp;");
            break;
        default:
            fil_request_add(request, fil_bytes_make(text, 1));
        }
    }
}

static void add_facts(struct fil_node *node, struct fil_request *request)
{
    char address[FIL_ADDRESS_TEXT_MAX];
    char used[FIL_UNITS_TEXT_MAX];
    char limit[FIL_UNITS_TEXT_MAX];
    uint32_t connections = 0;
    for (uint32_t i = 0; i < node->loop_count; i++) {
        connections += fil_loop_open_count(&node->loops[i]);
    }
    fil_request_format(request,
                       "<table>\n<tr><th>Address</th><td>%s</td></tr>\n"
                       "<tr><th>Up for</th><td>%" PRIu64 " s</td></tr>\n"
                       "<tr><th>Connections</th><td>%u</td></tr>\n"
                       "<tr><th>Entries of map default</th><td>%" PRIu64 "</td></tr>\n"
                       "<tr><th>Memory</th><td>%s of %s</td></tr>\n"
                       "<tr><th>I/O threads</th><td>%u</td></tr>\n</table>\n",
                       fil_address_format(&node->acceptor.bound, address),
                       (fil_env_now_ns(node->env) - node->started_ns) / NS_PER_SECOND, connections,
                       fil_map_size(node->map),
                       fil_units_human_size(fil_budget_drawn(&node->budget), used),
                       fil_units_human_size(node->budget.limit_bytes, limit), node->loop_count);
}

static struct fil_reply page_start(struct fil_request *request)
{
    struct fil_node *node = fil_request_context(request);
    fil_request_add(request, fil_bytes_of(start_page_head));
    fil_request_format(request, "<h1>Filbert %s</h1>\n<p class=\"sub\">member ", FIL_VERSION);
    add_escaped(request, node->options->member.name);
    fil_request_format(request, ", cluster ");
    add_escaped(request, node->options->cluster.name);
    fil_request_format(request, "</p>\n");
    add_facts(node, request);
    char flags[FIL_HINT_FLAGS_MAX];
    struct fil_address address = fil_hint_reachable(&node->acceptor.bound);
    (void)fil_hint_redis_flags(&address, flags);
    fil_request_format(request,
                       "<h2>Try it</h2>\n<pre>redis-cli %s set greeting hello\n"
                       "redis-cli %s get greeting</pre>\n"
                       "<p><a href=\"/metrics\">/metrics</a> for Prometheus, "
                       "<a href=\"/debug/slow-operations\">/debug/slow-operations</a> for what "
                       "took too long, <a href=\"/slow\">/slow</a> for slow requests, "
                       "<a href=\"/loops\">/loops</a>, <a href=\"/services\">/services</a> and "
                       "<a href=\"/pools\">/pools</a> for what runs where, "
                       "<a href=\"/livez\">/livez</a> and <a href=\"/readyz\">/readyz</a> for "
                       "probes.</p>\n</body>\n</html>\n",
                       flags, flags);
    return fil_reply_content(FIL_HTTP_STATUS_OK, "text/html; charset=utf-8");
}

/** Who is connected by the open client protocol. */
static struct fil_reply page_clients(struct fil_request *request)
{
    struct fil_node *node = fil_request_context(request);
    int error = fil_wire_server_render_clients(&node->wire, add_text, request);
    return reply_rendered(request, error, "application/json");
}

struct page {
    const char *pattern;
    fil_handler_fn handler;
    const char *run_on;
};

// Explicit in each case: service.run_on is about the routes of users.
static const struct page pages[] = {
    {"GET /", page_start, "loop"},
    {"GET /livez", page_livez, "loop"},
    {"GET /readyz", page_readyz, "loop"},
    {"GET /metrics", page_metrics, FIL_SERVICES_ADMIN},
    {"GET /debug/slow-operations", page_slow, FIL_SERVICES_ADMIN},
    {"GET /v1/clients", page_clients, FIL_SERVICES_ADMIN},
    {"GET /services", page_services, FIL_SERVICES_ADMIN},
    {"GET /pools", page_pools, FIL_SERVICES_ADMIN},
    {"GET /loops", fil_node__page_loops, FIL_SERVICES_ADMIN},
    {"GET /slow", page_slow_requests, FIL_SERVICES_ADMIN},
};

int fil_node__add_pages(struct fil_node *node)
{
    for (size_t i = 0; i < FIL_COUNT_OF(pages); i++) {
        struct fil_route *route = NULL;
        struct fil_route_options options = {
            .run_on = pages[i].run_on, .priority = FIL_PRIORITY_CRITICAL, .context = node};
        int error =
            fil_service_route(&node->service, pages[i].pattern, pages[i].handler, &options, &route);
        if (error != FIL_OK && error != FIL_E_EXISTS) {
            return error;
        }
        if (error == FIL_OK) {
            route->is_uncached = true;
            route->is_page = true;
        }
    }
    return FIL_OK;
}
