// SPDX-License-Identifier: Apache-2.0
/** The member's own pages: probes, metrics, and a start page for people. */
#include <inttypes.h>

#include "filbert/error.h"
#include "lib/base/units.h"
#include "lib/http/status.h"
#include "node/node_internal.h"

#define NS_PER_SECOND UINT64_C(1000000000)

/** Answered at all means that the loop turns. */
static void page_livez(void *context, const struct fil_http_request *request,
                       struct fil_http_reply *reply)
{
    (void)context;
    (void)request;
    fil_http_reply_format(reply, "ok\n");
}

static void page_readyz(void *context, const struct fil_http_request *request,
                        struct fil_http_reply *reply)
{
    struct fil_node *node = context;
    (void)request;
    if (atomic_load_explicit(&node->is_ready, memory_order_relaxed)) {
        fil_http_reply_format(reply, "ready\n");
    } else {
        reply->status = FIL_HTTP_STATUS_SERVICE_UNAVAILABLE;
        fil_http_reply_format(reply, "not ready: the member is starting or stopping\n");
    }
}

static int add_text(void *context, struct fil_bytes text)
{
    fil_http_reply_add(context, text);
    return FIL_OK;
}

static void page_metrics(void *context, const struct fil_http_request *request,
                         struct fil_http_reply *reply)
{
    struct fil_node *node = context;
    (void)request;
    reply->content_type = FIL_METRIC_CONTENT_TYPE;
    if (fil_metrics_render(node->metrics, add_text, reply) != FIL_OK) {
        reply->body.is_out_of_memory = true;
    }
}

/** ?format=json for programs, text for people. */
static void page_slow(void *context, const struct fil_http_request *request,
                      struct fil_http_reply *reply)
{
    struct fil_node *node = context;
    struct fil_slow_table *table = &node->threads.watchdog.table;
    bool is_json = fil_bytes_equal_text(request->query, "format=json");
    int error = FIL_OK;
    if (is_json) {
        reply->content_type = "application/json";
        error = fil_slow_table_render_json(table, add_text, reply);
    } else {
        error = fil_slow_table_render_text(table, add_text, reply);
    }
    reply->body.is_out_of_memory |= error != FIL_OK;
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
static void add_escaped(struct fil_http_reply *reply, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            fil_http_reply_format(reply, "&lt;");
            break;
        case '>':
            fil_http_reply_format(reply, "&gt;");
            break;
        case '&':
            fil_http_reply_format(reply, "&amp;");
            break;
        default:
            fil_http_reply_add(reply, fil_bytes_make(text, 1));
        }
    }
}

static void add_facts(struct fil_node *node, struct fil_http_reply *reply)
{
    char address[FIL_ADDRESS_TEXT_MAX];
    char used[FIL_UNITS_TEXT_MAX];
    char limit[FIL_UNITS_TEXT_MAX];
    uint32_t connections = 0;
    for (uint32_t i = 0; i < node->loop_count; i++) {
        connections += fil_loop_connection_count(&node->loops[i]);
    }
    fil_http_reply_format(reply,
                          "<table>\n<tr><th>Address</th><td>%s</td></tr>\n"
                          "<tr><th>Up for</th><td>%" PRIu64 " s</td></tr>\n"
                          "<tr><th>Connections</th><td>%u</td></tr>\n"
                          "<tr><th>Entries</th><td>%" PRIu64 "</td></tr>\n"
                          "<tr><th>Memory</th><td>%s of %s</td></tr>\n"
                          "<tr><th>I/O threads</th><td>%u</td></tr>\n</table>\n",
                          fil_address_format(&node->acceptor.bound, address),
                          (fil_env_now_ns(node->env) - node->started_ns) / NS_PER_SECOND,
                          connections, fil_map_size(node->map),
                          fil_units_human_size(fil_budget_drawn(&node->budget), used),
                          fil_units_human_size(node->budget.limit_bytes, limit), node->loop_count);
}

static void page_start(void *context, const struct fil_http_request *request,
                       struct fil_http_reply *reply)
{
    struct fil_node *node = context;
    (void)request;
    reply->content_type = "text/html; charset=utf-8";
    fil_http_reply_add(reply, fil_bytes_of(start_page_head));
    fil_http_reply_format(reply, "<h1>Filbert %s</h1>\n<p class=\"sub\">member ", FIL_VERSION);
    add_escaped(reply, node->options->member.name);
    fil_http_reply_format(reply, ", cluster ");
    add_escaped(reply, node->options->cluster.name);
    fil_http_reply_format(reply, "</p>\n");
    add_facts(node, reply);
    unsigned port = node->acceptor.bound.port;
    fil_http_reply_format(reply,
                          "<h2>Try it</h2>\n<pre>redis-cli -p %u set greeting hello\n"
                          "redis-cli -p %u get greeting</pre>\n"
                          "<p><a href=\"/metrics\">/metrics</a> for Prometheus, "
                          "<a href=\"/debug/slow-operations\">/debug/slow-operations</a> for what "
                          "took too long, "
                          "<a href=\"/livez\">/livez</a> and <a href=\"/readyz\">/readyz</a> for "
                          "probes.</p>\n</body>\n</html>\n",
                          port, port);
}

static const struct fil_http_page pages[] = {
    {"/", page_start, NULL},
    {"/livez", page_livez, NULL},
    {"/readyz", page_readyz, NULL},
    {"/metrics", page_metrics, "http /metrics"},
    {"/debug/slow-operations", page_slow, "http /debug/slow-operations"},
};

void fil_node__init_pages(struct fil_node *node)
{
    node->http = (struct fil_http_server){
        .env = node->env,
        .pages = pages,
        .page_count = FIL_COUNT_OF(pages),
        .context = node,
        .generic = &node->work.generic,
        .budget = &node->budget,
    };
}
