// SPDX-License-Identifier: Apache-2.0
#include "node/node.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/mem/pages.h"
#include "node/node_internal.h"

static struct fil_net_limits limits_of(const struct fil_node *node)
{
    const struct fil_options *options = node->options;
    return (struct fil_net_limits){
        .connections_max = node->connections_max,
        .handshake_bytes_max = options->net.handshake_bytes_max,
        .handshake_timeout_ns = options->net.handshake_timeout_ns,
        .frame_bytes_max = options->net.frame_bytes_max,
        .output_bytes_max = options->net.output_bytes_max,
        .stall_timeout_ns = options->net.stall_timeout_ns,
        .idle_timeout_ns = options->net.idle_timeout_ns,
        .rest_ns = options->net.rest_ns,
    };
}

static int init_loops(struct fil_node *node, uint32_t count)
{
    const struct fil_options *options = node->options;
    node->loops = fil_alloc_aligned(FIL_CACHE_LINE, count * sizeof(struct fil_loop));
    node->stages = fil_alloc_aligned(FIL_CACHE_LINE, count * sizeof(struct fil_io_stage));
    if (node->loops == NULL || node->stages == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct fil_io_stage_options stage_options = {
            .loop = {.env = node->env,
                     .budget = &node->budget,
                     .limits = limits_of(node),
                     .protocols = node->protocols,
                     .protocol_count = FIL_COUNT_OF(node->protocols),
                     .index = i},
            .exec = node->exec,
            .log = node->log,
            .idle = options->net.idle,
            .cpus = fil_options_read_cpus(options->net.cpus, &node->io_cpus),
            .stop_timeout_ns = options->stop.timeout_ns,
        };
        int error = fil_io_stage_init(&node->stages[i], &node->loops[i], &stage_options);
        if (error != FIL_OK) {
            return error;
        }
        node->loop_count++;
    }
    return FIL_OK;
}

static int init_acceptor(struct fil_node *node)
{
    struct fil_acceptor_options options = {
        .env = node->env,
        .address = node->options->net.listen,
        .backlog = (int)node->options->net.backlog,
        .connections_max = node->connections_max,
        .loops = node->loops,
        .loop_count = node->loop_count,
    };
    int error = fil_acceptor_init(&node->acceptor, &options);
    node->has_acceptor = error == FIL_OK;
    return error;
}

static void init_balancer(struct fil_node *node)
{
    struct fil_balancer_options options = {
        .env = node->env,
        .loops = node->loops,
        .loop_count = node->loop_count,
        .interval_ns = node->options->net.balance_interval_ns,
        .ratio_percent = (uint32_t)node->options->net.balance_ratio,
    };
    fil_balancer_init(&node->balancer, &options);
}

/** The pages' own loop, when the configuration has an address for it. */
static int init_admin(struct fil_node *node)
{
    struct fil_address address;
    if (fil_address_parse(node->options->admin.listen, &address) != FIL_OK) {
        return FIL_OK; // "none": the options were checked before
    }
    return fil_admin_new(&node->admin,
                         &(struct fil_admin_options){
                             .address = address,
                             .service = &node->service,
                             .guard = &node->guard,
                             .stage = {.loop = {.env = node->env,
                                                .budget = &node->page_budget,
                                                .limits = limits_of(node),
                                                .index = node->loop_count},
                                       .exec = node->exec,
                                       .log = node->log,
                                       .stop_timeout_ns = node->options->stop.timeout_ns},
                         });
}

static void init_jobs(struct fil_node *node, const struct fil_plan *plan)
{
    const struct fil_options *options = node->options;
    uint64_t memory =
        options->stream.memory == 0 ? node->budget.limit_bytes / 2 : options->stream.memory;
    const char *folder = options->stream.folder;
    const char *packages = options->stream.packages;
    const char *files = options->stream.files;
    const char *services = options->stream.services;
    node->grid = (struct fil_flow_grid){.exec = node->exec,
                                        .maps = node->maps,
                                        .directory = node->structures.directory,
                                        .caller = &node->caller.base};
    fil_flow_connect(&node->connector, &node->grid);
    fil_snapshot_map_init(&node->snapshots, node->exec, node->maps);
    fil_jobs_init(&node->jobs,
                  &(struct fil_jobs_options){
                      .engine = {.env = node->env,
                                 .budget = &node->budget,
                                 .memory_bytes = memory,
                                 .worker_count = plan->stream_workers,
                                 .jobs_max = (uint32_t)options->stream.jobs_max,
                                 .connector = &node->connector,
                                 .store = &node->snapshots.base,
                                 .folder = strcmp(folder, "none") == 0 ? NULL : folder},
                      .log = node->log,
                      .packages = strcmp(packages, "none") == 0 ? NULL : packages,
                      .bounds = {.files = strcmp(files, "none") == 0 ? NULL : files,
                                 .services = strcmp(services, "none") == 0 ? NULL : services},
                      .stop_timeout_ns = options->stop.timeout_ns,
                  });
    node->has_jobs = true;
}

static int init_parts(struct fil_node *node, const struct fil_node_setup *setup)
{
    int error = fil_node__init_data(node, setup);
    if (error != FIL_OK) {
        return error;
    }
    init_jobs(node, setup->plan);
    error = fil_node__init_protocols(node, setup->conf);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_node__init_service(node, setup);
    if (error != FIL_OK) {
        return error;
    }
    error = init_loops(node, setup->plan->io_threads);
    if (error != FIL_OK) {
        return error;
    }
    fil_http_caller_init(&node->caller, node->loops, node->loop_count);
    init_balancer(node);
    error = init_acceptor(node);
    if (error != FIL_OK) {
        return error;
    }
    error = init_admin(node);
    if (error != FIL_OK) {
        return error;
    }
    node->resp.options.port = node->acceptor.bound.port;
    fil_wire_server_advertise(&node->wire, &node->acceptor.bound);
    return fil_node__register_metrics(node);
}

int fil_node_new(struct fil_node **out_node, const struct fil_node_setup *setup)
{
    struct fil_node *node = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*node));
    if (node == NULL) {
        return FIL_E_NOMEM;
    }
    node->env = setup->env;
    node->options = setup->options;
    node->log = setup->log;
    node->owner = setup->owner;
    node->connections_max = setup->plan->connections_max;
    node->started_ns = fil_env_now_ns(node->env);
    int error = init_parts(node, setup);
    if (error != FIL_OK) {
        fil_node_free(node);
        return error;
    }
    *out_node = node;
    return FIL_OK;
}

void fil_node_free(struct fil_node *node)
{
    if (node == NULL) {
        return;
    }
    fil_assert(!node->is_running);
    if (node->has_stuck_jobs) {
        return; // a worker is inside of a processor that uses all of this; the process is ending
    }
    if (node->has_acceptor) {
        fil_acceptor_fini(&node->acceptor);
    }
    fil_admin_free(node->admin);
    for (uint32_t i = 0; i < node->loop_count; i++) {
        fil_io_stage_fini(&node->stages[i]);
    }
    fil_free(node->stages);
    fil_free(node->loops);
    if (node->has_resp) {
        fil_resp_server_fini(&node->resp);
    }
    fil_wire_server_fini(&node->wire);
    fil_service_fini(&node->service);
    fil_proxies_fini(&node->proxies);
    if (node->caller.loop_count > 0) {
        fil_http_caller_fini(&node->caller);
    }
    if (node->has_jobs) {
        fil_jobs_fini(&node->jobs);
        fil_snapshot_map_fini(&node->snapshots);
    }
    fil_node_functions_fini(&node->functions);
    fil_structures_fini(&node->structures);
    fil_maps_free(node->maps);
    fil_node__free_figures(node);
    fil_stages_fini(&node->work);
    fil_exec_free(node->exec);
    fil_threads_fini(&node->threads);
    if (node->has_process) {
        fil_metric_process_fini(&node->process);
    }
    fil_metrics_free(node->metrics);
    fil_pages_free(node->pages);
    fil_free(node);
}

const struct fil_address *fil_node_address(const struct fil_node *node)
{
    return &node->acceptor.bound;
}

void *fil_node_owner(const struct fil_node *node)
{
    return node->owner;
}
