// SPDX-License-Identifier: Apache-2.0
/** What the member's protocols and its HTTP service are made of. */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "node/node_internal.h"
#include "node/services.h"
#include "protocol/http/rest_maps.h"
#include "protocol/http/rest_queues.h"
#include "protocol/http/service_routes.h"

#define NS_PER_MS 1000000U

/** What INFO shows, summed over the loops. */
static void read_stats(void *context, struct fil_resp_stats *out_stats)
{
    struct fil_node *node = context;
    const struct fil_acceptor_stats *acceptor = &node->acceptor.stats;
    out_stats->accepted = fil_counter_read(&acceptor->accepted);
    out_stats->refused =
        fil_counter_read(&acceptor->refused_limit) + fil_counter_read(&acceptor->refused_memory);
    for (uint32_t i = 0; i < node->loop_count; i++) {
        const struct fil_loop_stats *loop = &node->loops[i].stats;
        out_stats->connections += fil_loop_open_count(&node->loops[i]);
        out_stats->requests += fil_counter_read(&loop->requests);
        out_stats->received_bytes += fil_counter_read(&loop->bytes_received);
        out_stats->sent_bytes += fil_counter_read(&loop->bytes_sent);
    }
}

/** Takes over options that CONFIG SET has changed. */
static void apply_changes(void *context)
{
    struct fil_node *node = context;
    if (node->log != NULL) {
        fil_log_set_level(node->log, node->options->log.level);
    }
}

/** Rounded up: what is not nothing stays something. */
static int64_t to_ms(uint64_t time_ns)
{
    return (int64_t)((time_ns + NS_PER_MS - 1) / NS_PER_MS);
}

static int init_wire(struct fil_node *node)
{
    return fil_wire_server_init(
        &node->wire, &(struct fil_wire_server_options){
                         .env = node->env,
                         .maps = node->maps,
                         .multimaps = node->structures.multimaps,
                         .directory = node->structures.directory,
                         .submissions = &node->functions.submissions,
                         .functions = &node->functions.registry,
                         .budget = &node->budget,
                         .log = node->log,
                         .cluster_name = node->options->cluster.name,
                         .partition_count = fil_exec_partition_count(node->exec),
                         .message_bytes_max = node->options->net.frame_bytes_max,
                         .lock_grace_ns = node->options->client.lock_grace_ns,
                         .publish_timeout_ms = to_ms(node->options->event.put_timeout_ns),
                         .near_cache_batch = (uint32_t)node->options->client.near_cache_batch,
                         .near_cache_delay_ns = node->options->client.near_cache_delay_ns,
                     });
}

static const char *unless_none(const char *text)
{
    return strcmp(text, "none") == 0 ? NULL : text;
}

static int open_service(struct fil_node *node, const struct fil_node_setup *setup)
{
    int error =
        setup->add_routes == NULL ? FIL_OK : setup->add_routes(setup->context, &node->service);
    node->rest =
        (struct fil_rest_grid){.directory = node->structures.directory, .maps = node->maps};
    node->proxies.try_ns = node->options->service.try_timeout_ns;
    node->proxies.retry_percent = (uint32_t)node->options->service.retry_percent;
    node->proxies.is_unhedged = !node->options->service.hedging;
    node->rest_binding = (struct fil_rest_binding){.grid = &node->rest};
    if (error == FIL_OK && setup->services != NULL) {
        error =
            fil_service_routes_add(&node->service, setup->services, &node->rest, &node->proxies);
    }
    if (error == FIL_OK) {
        error = fil_node__add_pages(node);
    }
    if (error == FIL_OK) {
        error = fil_rest_maps_add(&node->service, &node->rest_binding);
    }
    if (error == FIL_OK) {
        error = fil_rest_queues_add(&node->service, &node->rest_binding);
    }
    if (error == FIL_OK) {
        error = fil_rest_topics_add(&node->service, &node->rest_binding);
    }
    if (error == FIL_OK) {
        error = fil_node__add_job_pages(node);
    }
    const char *proxies = unless_none(node->options->service.proxies);
    if (error == FIL_OK && proxies != NULL) {
        error = fil_proxies_add(&node->proxies, &node->service, proxies);
    }
    if (error == FIL_OK) {
        error = fil_service_open(&node->service);
    }
    if (node->service.problem[0] != '\0') {
        fil_log_event(node->log, FIL_LOG_ERROR, "services_wrong",
                      FIL_F_TEXT("problem", node->service.problem));
    }
    return error;
}

int fil_node__init_service(struct fil_node *node, const struct fil_node_setup *setup)
{
    const struct fil_options *options = node->options;
    struct fil_service_pool_plan plans[FIL_SERVICE_POOLS_MAX];
    char problem[FIL_OPTION_REASON_MAX + 1];
    int count = fil_services_plan(options, setup->plan->cpu_count, plans, problem, sizeof(problem));
    if (count < 0) {
        return count; // the options were checked before
    }
    for (int i = 0; i < count; i++) {
        bool is_of_pages = strcmp(plans[i].name, FIL_SERVICES_ADMIN) == 0;
        plans[i].budget = is_of_pages ? &node->page_budget : &node->budget;
    }
    fil_service_init(&node->service, &(struct fil_service_options){
                                         .env = node->env,
                                         .exec = node->exec,
                                         .hooks = &node->threads.hooks,
                                         .budget = &node->budget,
                                         .run_on = setup->run_on,
                                         .process_run_on = options->service.run_on,
                                         .route_run_on = unless_none(options->service.routes),
                                         .pools = plans,
                                         .pool_count = (uint32_t)count,
                                         .admission = options->service.admission,
                                         .target_ns = options->service.target_ns,
                                         .slow_ns = options->slow.threshold_ns,
                                         .filters = unless_none(options->service.filters),
                                         .log = node->log,
                                     });
    node->guard = (struct fil_http_guard){.hosts = unless_none(options->http.hosts),
                                          .origins = unless_none(options->http.origins)};
    node->http = (struct fil_http_server){.env = node->env,
                                          .service = &node->service,
                                          .budget = &node->budget,
                                          .last = &node->page_budget,
                                          .guard = &node->guard};
    node->http2 = (struct fil_http2_server){.http = &node->http};
    return open_service(node, setup);
}

int fil_node__init_protocols(struct fil_node *node, struct fil_conf *conf)
{
    fil_resp_server_init(&node->resp,
                         &(struct fil_resp_server_options){
                             .env = node->env,
                             .map = node->map,
                             .maps = node->maps,
                             .budget = &node->budget,
                             .events = &node->work.events,
                             .generic = &node->work.generic,
                             .member_name = node->options->member.name,
                             .port = node->options->net.listen.port,
                             .frame_bytes_max = node->options->net.frame_bytes_max,
                             .subscriptions_max = (uint32_t)node->options->event.subscriptions_max,
                             .has_debug_commands = node->options->debug.commands,
                             .has_single_replies = !node->options->partition.batching,
                             .read_stats = read_stats,
                             .slow = &node->threads.watchdog.table,
                             .conf = conf,
                             .changed = apply_changes,
                             .context = node,
                         });
    node->has_resp = true;
    // HTTP/2 first: the HTTP/1.1 one answers its preface too. RESP last: an inline command is any
    // word that is not the others' first one.
    const struct fil_protocol protocols[] = {{&fil_http2_protocol, &node->http2},
                                             {&fil_http_protocol, &node->http},
                                             {&fil_wire_protocol, &node->wire},
                                             {&fil_resp_protocol, &node->resp}};
    memcpy(node->protocols, protocols, sizeof(protocols));
    return init_wire(node);
}
