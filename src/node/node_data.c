// SPDX-License-Identifier: Apache-2.0
/** What holds the member's data or counts it, and the threads beside the loops. */
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/mem/pages.h"
#include "node/map_options.h"
#include "node/node_internal.h"
#include "node/services.h"
#include "protocol/client/query/attribute.h"

#define SPARE_BYTES_MAX (UINT64_C(256) << 20)
#define PAGE_PART       32U // of the limit, for pages
#define PAGE_BYTES_MAX  (UINT64_C(16) << 20)
#define PAGE_STEP_BYTES UINT64_C(16384)
#define LOAN_PART       6U // of the limit, beyond it
#define ADMIN_THREADS   1U // that run operations
#define ALARM_THREADS   1U

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
    // As in Redis: to set a time to live, or to rename a key, is never refused for want of memory.
    fil_budget_lend(&node->budget, limit_bytes / LOAN_PART);
    fil_budget_use_pages(&node->budget, node->pages);
    // Probes and scrapers are answered above all when the memory is full.
    uint64_t page_bytes = limit_bytes / PAGE_PART;
    page_bytes = page_bytes < PAGE_BYTES_MAX ? page_bytes : PAGE_BYTES_MAX;
    fil_budget_init_last(&node->page_budget, &node->budget, page_bytes);
    fil_budget_divide(&node->page_budget, PAGE_STEP_BYTES, 0);
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
    uint32_t thread_count = plan->io_threads + plan->partition_threads + ALARM_THREADS +
                            ADMIN_THREADS + fil_stages_thread_count(node->options, plan) +
                            fil_services_thread_count(node->options, setup->plan->cpu_count);
    return fil_threads_init(&node->threads, &(struct fil_threads_options){
                                                .env = node->env,
                                                .log = node->log,
                                                .budget = &node->budget,
                                                .slow_ns = node->options->slow.threshold_ns,
                                                .abort_ns = node->options->slow.abort_after_ns,
                                                .tick = fil_node__tick,
                                                .context = node,
                                                .thread_count = thread_count,
                                                .slice_ns = plan->slice_ns,
                                                .spread = plan->spread,
                                            });
}

/** The context is the node. Schemas are looked at when there are entries, long after. */
static int prepare_map(void *context, struct fil_map *map)
{
    struct fil_node *node = context;
    return fil_query_declare_indexes(fil_bytes_of(map->config.indexes), &node->wire.schemas, map);
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
                                              .prepare = prepare_map,
                                              .made = fil_node__map_made,
                                              .destroyed = fil_node__map_destroyed,
                                              .context = node,
                                          });
    if (error == FIL_OK) {
        error = fil_maps_get(node->maps, fil_bytes_of("default"), &node->map);
    }
    if (error == FIL_OK) {
        fil_maps_keep(node->maps, node->map);
    }
    return error;
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

static int init_functions(struct fil_node *node)
{
    char problem[FIL_OPTION_REASON_MAX + 1];
    int error =
        fil_node_functions_init(&node->functions,
                                &(struct fil_node_functions_options){.env = node->env,
                                                                     .stages = &node->work,
                                                                     .maps = node->maps,
                                                                     .budget = &node->budget,
                                                                     .options = node->options},
                                problem, sizeof(problem));
    if (error == FIL_E_CONFIG) {
        fil_log_event(node->log, FIL_LOG_ERROR, "functions_wrong",
                      FIL_F_TEXT("option", "executor.packages"), FIL_F_TEXT("problem", problem));
    }
    return error;
}

int fil_node__init_data(struct fil_node *node, const struct fil_node_setup *setup)
{
    const struct fil_plan *plan = setup->plan;
    uint64_t seed = 0;
    node->env->ops->random(node->env, &seed, sizeof(seed));
    node->pages = fil_pages_new();
    if (node->pages == NULL) {
        return FIL_E_NOMEM;
    }
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
    if (error == FIL_OK) {
        error = init_structures(node, seed);
    }
    return error == FIL_OK ? init_functions(node) : error;
}
