// SPDX-License-Identifier: Apache-2.0
#include "node/node.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "node/map_options.h"
#include "node/node_internal.h"
#include "node/services.h"
#include "protocol/http/rest_maps.h"
#include "protocol/http/server.h"
#include "protocol/resp/server.h"

#define SPARE_BYTES_MAX (UINT64_C(256) << 20)

static struct fil_net_limits limits_of(const struct fil_options *options)
{
    return (struct fil_net_limits){
        .connections_max = (uint32_t)options->net.connections_max,
        .handshake_bytes_max = options->net.handshake_bytes_max,
        .handshake_timeout_ns = options->net.handshake_timeout_ns,
        .frame_bytes_max = options->net.frame_bytes_max,
        .output_bytes_max = options->net.output_bytes_max,
        .stall_timeout_ns = options->net.stall_timeout_ns,
        .idle_timeout_ns = options->net.idle_timeout_ns,
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
                     .limits = limits_of(options),
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
        .connections_max = (uint32_t)node->options->net.connections_max,
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
        out_stats->connections += fil_loop_connection_count(&node->loops[i]);
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

static int init_wire(struct fil_node *node)
{
    return fil_wire_server_init(&node->wire,
                                &(struct fil_wire_server_options){
                                    .env = node->env,
                                    .maps = node->maps,
                                    .multimaps = node->structures.multimaps,
                                    .directory = node->structures.directory,
                                    .budget = &node->budget,
                                    .cluster_name = node->options->cluster.name,
                                    .partition_count = fil_exec_partition_count(node->exec),
                                    .message_bytes_max = node->options->net.frame_bytes_max,
                                    .lock_grace_ns = node->options->client.lock_grace_ns,
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
    if (error == FIL_OK) {
        error = fil_node__add_pages(node);
    }
    if (error == FIL_OK) {
        error = fil_rest_maps_add(&node->service, node->maps);
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

static int init_service(struct fil_node *node, const struct fil_node_setup *setup)
{
    const struct fil_options *options = node->options;
    struct fil_service_pool_plan plans[FIL_SERVICE_POOLS_MAX];
    char problem[FIL_OPTION_REASON_MAX + 1];
    int count = fil_services_plan(options, setup->plan->cpu_count, plans, problem, sizeof(problem));
    if (count < 0) {
        return count; // the options were checked before
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
                                     });
    node->http = (struct fil_http_server){
        .env = node->env, .service = &node->service, .budget = &node->budget};
    return open_service(node, setup);
}

static int init_protocols(struct fil_node *node, struct fil_conf *conf)
{
    fil_resp_server_init(&node->resp, &(struct fil_resp_server_options){
                                          .env = node->env,
                                          .map = node->map,
                                          .maps = node->maps,
                                          .budget = &node->budget,
                                          .events = &node->work.events,
                                          .member_name = node->options->member.name,
                                          .port = node->options->net.listen.port,
                                          .frame_bytes_max = node->options->net.frame_bytes_max,
                                          .has_debug_commands = node->options->debug.commands,
                                          .has_single_replies = !node->options->partition.batching,
                                          .read_stats = read_stats,
                                          .slow = &node->threads.watchdog.table,
                                          .conf = conf,
                                          .changed = apply_changes,
                                          .context = node,
                                      });
    // RESP last: an inline command is any word that is not the others' first one.
    node->protocols[0] = (struct fil_protocol){.ops = &fil_http_protocol, .context = &node->http};
    node->protocols[1] = (struct fil_protocol){.ops = &fil_wire_protocol, .context = &node->wire};
    node->protocols[2] = (struct fil_protocol){.ops = &fil_resp_protocol, .context = &node->resp};
    return init_wire(node);
}

/** Shares the memory out, so that data cannot take what connections need to answer. */
static void init_budget(struct fil_node *node, uint64_t limit_bytes)
{
    // Each partition may hold two steps that it does not use: together 3 % of the limit at most.
    uint64_t step_bytes = limit_bytes / ((uint64_t)node->options->partition.count * 60U);
    step_bytes = step_bytes < FIL_ACCOUNT_STEP_BYTES ? step_bytes : FIL_ACCOUNT_STEP_BYTES;
    uint64_t spare_bytes = limit_bytes / 16;
    spare_bytes = spare_bytes < SPARE_BYTES_MAX ? spare_bytes : SPARE_BYTES_MAX;
    fil_budget_init(&node->budget, limit_bytes);
    fil_budget_divide(&node->budget, step_bytes, spare_bytes);
}

static int init_exec(struct fil_node *node, uint32_t thread_count)
{
    const struct fil_options *options = node->options;
    return fil_exec_new(
        &node->exec,
        &(struct fil_exec_options){
            .env = node->env,
            .budget = &node->budget,
            .partition_count = (uint32_t)options->partition.count,
            .thread_count = thread_count,
            .idle = options->partition.idle,
            .cpus = fil_options_read_cpus(options->partition.cpus, &node->partition_cpus),
            .has_caller_runs = options->partition.caller_runs,
            .has_stealing = options->partition.stealing,
            .has_batching = options->partition.batching,
            .has_wake_suppression = options->partition.wake_suppression,
            .has_write_through = options->partition.write_through,
            .caller_budget_ns = options->partition.caller_budget_ns,
            .hooks = &node->threads.hooks,
        });
}

static int init_threads(struct fil_node *node, const struct fil_node_setup *setup)
{
    const struct fil_plan *plan = setup->plan;
    uint32_t thread_count = plan->io_threads + plan->partition_threads +
                            fil_stages_thread_count(node->options, plan) +
                            fil_services_thread_count(node->options, setup->plan->cpu_count);
    return fil_threads_init(&node->threads, &(struct fil_threads_options){
                                                .env = node->env,
                                                .log = node->log,
                                                .budget = &node->budget,
                                                .slow_ns = node->options->slow.threshold_ns,
                                                .thread_count = thread_count,
                                                .spread = plan->spread,
                                            });
}

static int init_maps(struct fil_node *node, uint64_t seed)
{
    struct fil_map_rule rules[FIL_MAP_RULES_MAX];
    char problem[FIL_OPTION_REASON_MAX + 1];
    int rule_count = fil_map_options_rules(node->options, rules, problem);
    if (rule_count < 0) {
        return rule_count; // the options were checked before
    }
    int error = fil_maps_new(&node->maps, &(struct fil_maps_options){
                                              .env = node->env,
                                              .exec = node->exec,
                                              .events = &node->work.events,
                                              .budget = &node->budget,
                                              .seed = seed,
                                              .count_max = (uint32_t)node->options->map.count_max,
                                              .defaults = fil_map_options_defaults(node->options),
                                              .rules = rules,
                                              .rule_count = (uint32_t)rule_count,
                                              .made = fil_node__map_made,
                                              .context = node,
                                          });
    return error == FIL_OK ? fil_maps_get(node->maps, fil_bytes_of("default"), &node->map) : error;
}

static int init_structures(struct fil_node *node, uint64_t seed)
{
    return fil_structures_init(&node->structures, &(struct fil_structures_options){
                                                      .env = node->env,
                                                      .exec = node->exec,
                                                      .events = &node->work.events,
                                                      .budget = &node->budget,
                                                      .metrics = node->metrics,
                                                      .options = node->options,
                                                      .seed = seed,
                                                  });
}

/** Everything that holds data or counts it, and the threads beside the loops. */
static int init_data(struct fil_node *node, const struct fil_node_setup *setup)
{
    const struct fil_plan *plan = setup->plan;
    uint64_t seed = 0;
    node->env->ops->random(node->env, &seed, sizeof(seed));
    init_budget(node, plan->memory_bytes);
    node->metrics = fil_metrics_new();
    if (node->metrics == NULL) {
        return FIL_E_NOMEM;
    }
    int error = init_threads(node, setup);
    if (error != FIL_OK) {
        return error;
    }
    error = init_exec(node, plan->partition_threads);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_stages_init(&node->work, &(struct fil_stages_options){
                                             .exec = node->exec,
                                             .options = node->options,
                                             .plan = plan,
                                             .metrics = node->metrics,
                                             .hooks = &node->threads.hooks,
                                         });
    if (error != FIL_OK) {
        return error;
    }
    error = init_maps(node, seed);
    return error == FIL_OK ? init_structures(node, seed) : error;
}

static int init_parts(struct fil_node *node, const struct fil_node_setup *setup)
{
    int error = init_data(node, setup);
    if (error != FIL_OK) {
        return error;
    }
    error = init_protocols(node, setup->conf);
    if (error != FIL_OK) {
        return error;
    }
    error = init_service(node, setup);
    if (error != FIL_OK) {
        return error;
    }
    error = init_loops(node, setup->plan->io_threads);
    if (error != FIL_OK) {
        return error;
    }
    init_balancer(node);
    error = init_acceptor(node);
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
    if (node->has_acceptor) {
        fil_acceptor_fini(&node->acceptor);
    }
    for (uint32_t i = 0; i < node->loop_count; i++) {
        fil_io_stage_fini(&node->stages[i]);
    }
    fil_free(node->stages);
    fil_free(node->loops);
    if (node->map != NULL) {
        fil_resp_server_fini(&node->resp);
    }
    fil_wire_server_fini(&node->wire);
    fil_service_fini(&node->service);
    fil_structures_fini(&node->structures);
    fil_maps_free(node->maps);
    fil_stages_fini(&node->work);
    fil_exec_free(node->exec);
    fil_threads_fini(&node->threads);
    if (node->has_process) {
        fil_metric_process_fini(&node->process);
    }
    fil_metrics_free(node->metrics);
    fil_free(node);
}

/** Deals the connections out, and out again when the loads say so. */
static uint32_t cycle_acceptor(struct fil_node *node) FIL_RUNS_ON(acceptor)
{
    uint32_t moved = fil_balancer_cycle(&node->balancer);
    return moved + fil_acceptor_cycle(&node->acceptor, fil_balancer_wait_ns(&node->balancer));
}

static void run_acceptor(void *context)
{
    struct fil_node *node = context;
    fil_role_enter(&fil_role_acceptor);
    fil_role_assert_acceptor();
    // A4 pairs with R4: whoever stops the member has decided before we see it.
    while (!atomic_load_explicit(&node->is_stopping, memory_order_acquire)) {
        (void)cycle_acceptor(node);
    }
}

/** Stops and joins the first count I/O threads; returns the connections that were cut. */
static uint32_t stop_loops(struct fil_node *node, uint32_t count)
{
    uint32_t cut = 0;
    for (uint32_t i = 0; i < count; i++) {
        fil_io_stage_stop(&node->stages[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        cut += fil_io_stage_join(&node->stages[i]);
    }
    return cut;
}

/** Starts the I/O threads and the acceptor; on failure none of them runs. */
static int start_io(struct fil_node *node)
{
    uint32_t started = 0;
    int error = FIL_OK;
    while (error == FIL_OK && started < node->loop_count) {
        error = fil_io_stage_start(&node->stages[started]);
        started += error == FIL_OK;
    }
    if (error == FIL_OK) {
        error = fil_thread_start(&node->acceptor_thread, "acceptor", run_acceptor, node);
    }
    if (error != FIL_OK) {
        (void)stop_loops(node, started);
    }
    return error;
}

/** Starts everything behind the loops; on failure none of it runs. */
static int start_kernel(struct fil_node *node)
{
    int error = fil_watchdog_start(&node->threads.watchdog);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_exec_start(node->exec);
    if (error != FIL_OK) {
        goto stop_watchdog;
    }
    error = fil_stages_start(&node->work);
    if (error != FIL_OK) {
        goto stop_exec;
    }
    error = fil_service_start(&node->service);
    if (error != FIL_OK) {
        goto stop_stages;
    }
    return FIL_OK;

stop_stages:
    fil_stages_stop(&node->work);
stop_exec:
    fil_exec_stop(node->exec);
stop_watchdog:
    fil_watchdog_stop(&node->threads.watchdog);
    return error;
}

static void stop_kernel(struct fil_node *node)
{
    fil_service_stop(&node->service);
    fil_stages_stop(&node->work);
    fil_exec_stop(node->exec);
    fil_watchdog_stop(&node->threads.watchdog);
}

int fil_node_start(struct fil_node *node)
{
    fil_assert(!node->is_running);
    int error = start_kernel(node);
    if (error != FIL_OK) {
        return error;
    }
    error = start_io(node);
    if (error != FIL_OK) {
        stop_kernel(node);
        return error;
    }
    node->is_running = true;
    fil_node__set_ready(node, true);
    fil_log_event(node->log, FIL_LOG_INFO, "listening",
                  FIL_F_ADDRESS("address", &node->acceptor.bound),
                  FIL_F_U64("io_threads", node->loop_count),
                  FIL_F_U64("partition_threads", fil_exec_stage_count(node->exec)),
                  FIL_F_SIZE("memory_limit", node->budget.limit_bytes));
    return FIL_OK;
}

void fil_node_hurry(struct fil_node *node)
{
    for (uint32_t i = 0; i < node->loop_count; i++) {
        fil_io_stage_hurry(&node->stages[i]);
    }
}

uint32_t fil_node_stop(struct fil_node *node)
{
    fil_assert(node->is_running);
    fil_node__set_ready(node, false);
    // R4 pairs with A4.
    atomic_store_explicit(&node->is_stopping, true, memory_order_release);
    fil_acceptor_wake(&node->acceptor);
    fil_thread_join(&node->acceptor_thread);
    // Who connects from now on is refused by the system and can go elsewhere.
    fil_acceptor_fini(&node->acceptor);
    node->has_acceptor = false;
    // The loops first: their connections may wait for what the others still run.
    uint32_t cut = stop_loops(node, node->loop_count);
    stop_kernel(node);
    node->is_running = false;
    return cut;
}

static uint32_t cycle_stages(struct fil_node *node) FIL_RUNS_ON(partition) FIL_RUNS_ON(generic)
    FIL_RUNS_ON(event) FIL_RUNS_ON(executor)
{
    uint32_t moved = fil_stages_cycle(&node->work) + fil_service_cycle(&node->service);
    for (uint32_t i = 0; i < fil_exec_stage_count(node->exec); i++) {
        moved += fil_partition_stage_cycle(fil_exec_stage(node->exec, i));
    }
    return moved;
}

static uint32_t count_connections(struct fil_node *node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->loop_count; i++) {
        count += fil_loop_connection_count(&node->loops[i]);
    }
    return count;
}

uint32_t fil_node_cycle(struct fil_node *node)
{
    fil_role_assert_acceptor();
    fil_role_assert_io();
    fil_node__set_ready(node, true);
    // A simulated poller does not block; it learns from the wait when the next turn is due.
    uint32_t moved = cycle_acceptor(node);
    for (uint32_t i = 0; i < node->loop_count; i++) {
        moved += fil_loop_cycle(&node->loops[i], FIL_WAIT_FOREVER);
    }
    fil_role_assert_partition();
    fil_role_assert_generic();
    fil_role_assert_event();
    fil_role_assert_executor();
    return moved + cycle_stages(node);
}

void fil_node_abort(struct fil_node *node)
{
    fil_role_assert_io();
    fil_role_assert_partition();
    fil_role_assert_generic();
    fil_role_assert_event();
    fil_role_assert_executor();
    for (uint32_t i = 0; i < node->loop_count; i++) {
        (void)fil_loop_cycle(&node->loops[i], 0); // connections that are still on their way
        fil_loop_abort(&node->loops[i]);
    }
    // Operations under way hold their connections: they end, then the loops let go.
    while (count_connections(node) > 0) {
        (void)cycle_stages(node);
        for (uint32_t i = 0; i < node->loop_count; i++) {
            (void)fil_loop_cycle(&node->loops[i], 0);
            fil_loop_abort(&node->loops[i]);
        }
    }
}

const struct fil_address *fil_node_address(const struct fil_node *node)
{
    return &node->acceptor.bound;
}
