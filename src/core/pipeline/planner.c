// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "core/pipeline/planner_internal.h"
#include "core/stream/async.h"
#include "core/stream/chain.h"
#include "core/stream/keyed.h"
#include "core/stream/sort.h"
#include "core/stream/transforms.h"
#include "lib/base/assert.h"

static bool is_stateless(const struct fil_stage *stage)
{
    return stage != NULL && (stage->kind == FIL_STAGE_MAP || stage->kind == FIL_STAGE_FILTER ||
                             stage->kind == FIL_STAGE_FLAT_MAP);
}

/** Whether the order of its records was made by a sort, and would be lost in several instances. */
static bool is_in_order(const struct fil_stage *stage)
{
    while (is_stateless(stage) && stage->parallelism == 0) {
        stage = stage->inputs[0];
    }
    return stage != NULL && stage->kind == FIL_STAGE_SORT;
}

uint32_t fil_planner__parallelism(const struct fil_planner *planner, const struct fil_stage *stage)
{
    bool is_single = stage->key == NULL &&
                     (stage->kind == FIL_STAGE_AGGREGATE || stage->kind == FIL_STAGE_WINDOW ||
                      stage->kind == FIL_STAGE_SESSION || stage->kind == FIL_STAGE_STATE_MAP);
    if (is_single) {
        return 1;
    }
    if (stage->kind == FIL_STAGE_LATE && stage->parallelism == 0) {
        return fil_planner__parallelism(planner, stage->inputs[0]);
    }
    if (stage->parallelism == 0 && is_in_order(stage)) {
        return 1;
    }
    return stage->parallelism == 0 ? planner->parallelism : stage->parallelism;
}

static bool keep_all(void *context, const void *record)
{
    (void)context;
    (void)record;
    return true;
}

static const struct fil_filter_config pass_config = {.keep = keep_all};

struct fil_key fil_planner__key(const struct fil_field *field)
{
    return field == NULL ? (struct fil_key){0}
                         : (struct fil_key){.offset = field->offset, .size = field->size};
}

/** A copy of the configuration in the pipeline's memory. */
struct fil_chosen fil_planner__keep(struct fil_planner *planner,
                                    const struct fil_processor_ops *ops, const void *config,
                                    size_t size)
{
    void *copy = fil_pipeline__alloc(planner->pipeline, 1, size);
    if (copy != NULL) {
        memcpy(copy, config, size);
    }
    return (struct fil_chosen){.ops = ops, .config = copy};
}

static struct fil_chosen choose_keyed(struct fil_planner *planner, const struct fil_stage *stage)
{
    if (stage->kind == FIL_STAGE_STATE_MAP) {
        const struct fil_state_map_config config = {.key = fil_planner__key(stage->key),
                                                    .state_size = stage->state_size,
                                                    .map = stage->function.state_map,
                                                    .context = stage->context};
        return fil_planner__keep(planner, &fil_state_map_ops, &config, sizeof(config));
    }
    const struct fil_join_config config = {.key = fil_planner__key(stage->key),
                                           .partner_key = fil_planner__key(stage->partner_key),
                                           .partner_size = stage->inputs[0]->type->size,
                                           .join = stage->function.join,
                                           .context = stage->context};
    return fil_planner__keep(planner, &fil_join_ops, &config, sizeof(config));
}

static struct fil_chosen choose_async(struct fil_planner *planner, const struct fil_stage *stage)
{
    const struct fil_async_config config = {.begin = stage->function.begin,
                                            .context = stage->context,
                                            .record_size = stage->inputs[0]->type->size,
                                            .concurrency = stage->concurrency,
                                            .is_unordered = stage->is_unordered};
    return fil_planner__keep(planner, &fil_async_ops, &config, sizeof(config));
}

/** A stage of the grid; without one, what it would be, for those who only look at the graph. */
static struct fil_chosen choose_grid(struct fil_planner *planner, struct fil_stage *stage)
{
    const struct fil_connector *connector = planner->connector;
    if (connector == NULL) {
        connector = &fil_connector_none;
    }
    stage->connection->grid = connector->context;
    return (struct fil_chosen){.ops = connector->ops[stage->connection->kind],
                               .config = stage->connection};
}

static struct fil_chosen choose(struct fil_planner *planner, struct fil_stage *stage)
{
    switch (stage->kind) {
    case FIL_STAGE_LIST:
    case FIL_STAGE_GENERATOR:
    case FIL_STAGE_CSV:
    case FIL_STAGE_SOCKET:
    case FIL_STAGE_TIMER:
        return fil_planner__choose_source(planner, stage);
    case FIL_STAGE_AGGREGATE:
    case FIL_STAGE_WINDOW:
    case FIL_STAGE_SESSION:
        return fil_planner__choose_group(planner, stage);
    case FIL_STAGE_STATE_MAP:
    case FIL_STAGE_JOIN:
        return choose_keyed(planner, stage);
    case FIL_STAGE_ASYNC:
        return choose_async(planner, stage);
    case FIL_STAGE_FUNCTION:
    case FIL_STAGE_FILES:
    case FIL_STAGE_EXPECTED:
    case FIL_STAGE_LOG:
        return fil_planner__choose_sink(planner, stage);
    case FIL_STAGE_GRID_SOURCE:
    case FIL_STAGE_LOOKUP:
    case FIL_STAGE_CALL:
    case FIL_STAGE_GRID_SINK:
        return choose_grid(planner, stage);
    case FIL_STAGE_LATE:
    case FIL_STAGE_SORT:
    case FIL_STAGE_MERGE:
    case FIL_STAGE_MAP:
    case FIL_STAGE_FILTER:
    case FIL_STAGE_FLAT_MAP:
        break;
    }
    return (struct fil_chosen){.ops = &fil_filter_ops, .config = &pass_config};
}

static void add_edge(struct fil_planner *planner, const struct fil_stage *from,
                     const char *to_vertex, uint32_t to_parallelism, struct fil_edge edge)
{
    edge.layout = (struct fil_layout){
        .stride = from->type->size, .record_count = from->batch_records, .has_times = true};
    // Equal numbers of instances: each keeps to its own.
    if (edge.kind == FIL_EDGE_UNICAST &&
        fil_planner__parallelism(planner, from) == to_parallelism) {
        edge.kind = FIL_EDGE_ISOLATED;
    }
    fil_dag_add_edge(planner->dag, planner->outputs[from->number], to_vertex, &edge);
}

void fil_planner__connect(struct fil_planner *planner, const struct fil_stage *stage,
                          const char *vertex, uint32_t parallelism)
{
    for (uint32_t i = 0; i < FIL_STAGE_INPUTS_MAX && stage->inputs[i] != NULL; i++) {
        const struct fil_stage *input = stage->inputs[i];
        struct fil_edge edge = {.kind = FIL_EDGE_UNICAST};
        if (stage->kind == FIL_STAGE_JOIN) {
            edge.kind = i == 0 ? FIL_EDGE_BROADCAST : FIL_EDGE_UNICAST;
            edge.priority = (int32_t)i;
        } else if (stage->key != NULL) {
            edge.kind = FIL_EDGE_PARTITIONED;
            edge.key = fil_planner__key(stage->key);
        }
        add_edge(planner, input, vertex, parallelism, edge);
    }
}

void fil_planner__connect_part(struct fil_planner *planner, const struct fil_stage *stage,
                               const char *vertex, uint32_t parallelism)
{
    for (uint32_t i = 0; i < FIL_STAGE_INPUTS_MAX && stage->inputs[i] != NULL; i++) {
        add_edge(planner, stage->inputs[i], vertex, parallelism,
                 (struct fil_edge){.kind = FIL_EDGE_UNICAST});
    }
}

void fil_planner__name(const struct fil_stage *stage, const char *suffix,
                       char out_name[FIL_DAG_NAME_MAX])
{
    char name[FIL_DAG_NAME_MAX + 8];
    (void)snprintf(name, sizeof(name), "%s%s", stage->name, suffix); // cut when too long
    memcpy(out_name, name, FIL_DAG_NAME_MAX);
    out_name[FIL_DAG_NAME_MAX - 1] = '\0';
}

/**
 * Several stages read this one: a vertex behind it gives its records to all. Also behind a window
 * with late records, whose own vertex has one output for these and one for results.
 */
static void add_fork(struct fil_planner *planner, const struct fil_stage *stage)
{
    if (stage->consumer_count < 2 && stage->late == NULL) {
        return;
    }
    char name[FIL_DAG_NAME_MAX];
    uint32_t parallelism = fil_planner__parallelism(planner, stage);
    fil_planner__name(stage, "-fork", name);
    fil_dag_add_vertex(planner->dag, name, &fil_filter_ops, &pass_config, parallelism);
    add_edge(planner, stage, name, parallelism, (struct fil_edge){.kind = FIL_EDGE_UNICAST});
    memcpy(planner->outputs[stage->number], name, FIL_DAG_NAME_MAX);
}

/** Whether the stage runs in the same vertex as the one in front of it. */
static bool is_fused(const struct fil_planner *planner, const struct fil_stage *stage)
{
    const struct fil_stage *input = stage->inputs[0];
    return is_stateless(stage) && is_stateless(input) && input->consumer_count == 1 &&
           fil_planner__parallelism(planner, stage) == fil_planner__parallelism(planner, input);
}

static struct fil_chain_step step_of(const struct fil_stage *stage)
{
    struct fil_chain_step step = {.context = stage->context, .stride = stage->type->size};
    if (stage->kind == FIL_STAGE_MAP) {
        step.kind = FIL_CHAIN_MAP;
        step.map = stage->function.map;
    } else if (stage->kind == FIL_STAGE_FILTER) {
        step.kind = FIL_CHAIN_FILTER;
        step.keep = stage->function.keep;
    } else {
        step.kind = FIL_CHAIN_FLAT_MAP;
        step.next = stage->function.next;
    }
    return step;
}

/** The stage that is fused behind this one; NULL: none. */
static struct fil_stage *find_fused(const struct fil_planner *planner,
                                    const struct fil_stage *stage)
{
    const struct fil_pipeline *pipeline = planner->pipeline;
    for (uint32_t i = stage->number + 1; i < pipeline->stage_count; i++) {
        if (pipeline->stages[i]->inputs[0] == stage && is_fused(planner, pipeline->stages[i])) {
            return pipeline->stages[i];
        }
    }
    return NULL;
}

/** Behind a plus; cut when it is too long. */
static void append_name(char *name, const char *more)
{
    size_t used = strlen(name);
    size_t room = FIL_DAG_NAME_MAX - 1 - used;
    if (room > 1) {
        size_t size = strnlen(more, room - 1);
        name[used] = '+';
        memcpy(name + used + 1, more, size);
        name[used + 1 + size] = '\0';
    }
}

/** A vertex for a run of stateless stages that begins here. */
static void add_chain(struct fil_planner *planner, const struct fil_stage *first)
{
    struct fil_chain_step *steps =
        fil_pipeline__alloc(planner->pipeline, FIL_CHAIN_STEPS_MAX, sizeof(*steps));
    char name[FIL_DAG_NAME_MAX];
    memcpy(name, first->name, sizeof(name));
    struct fil_chain_config config = {.steps = steps};
    const struct fil_stage *last = first;
    for (const struct fil_stage *each = first; steps != NULL && each != NULL;
         each = find_fused(planner, each)) {
        if (config.count == FIL_CHAIN_STEPS_MAX) {
            fil_pipeline__blame(planner->pipeline, each, FIL_E_LIMIT,
                                "more than %u stages without state in a row", FIL_CHAIN_STEPS_MAX);
            return;
        }
        if (each != first) {
            append_name(name, each->name);
        }
        steps[config.count] = step_of(each);
        config.count++;
        last = each;
    }
    struct fil_chosen chosen = fil_planner__keep(planner, &fil_chain_ops, &config, sizeof(config));
    fil_dag_add_vertex(planner->dag, name, chosen.ops, chosen.config,
                       fil_planner__parallelism(planner, first));
    fil_planner__connect(planner, first, name, fil_planner__parallelism(planner, first));
    memcpy(planner->outputs[last->number], name, sizeof(name));
    add_fork(planner, last);
}

/** Each instance in front of it sorts its own records, one behind them merges. */
static void add_sort(struct fil_planner *planner, const struct fil_stage *stage)
{
    const struct fil_sort_config config = {.order = *stage->order};
    struct fil_chosen chosen = fil_planner__keep(planner, &fil_sort_ops, &config, sizeof(config));
    uint32_t parallelism = fil_planner__parallelism(planner, stage->inputs[0]);
    const struct fil_edge edge = {.kind = FIL_EDGE_ALL_TO_ONE,
                                  .layout = {.stride = stage->type->size, .has_times = true},
                                  .merge = fil_order_compare,
                                  .merge_context = stage->order};
    char name[FIL_DAG_NAME_MAX];
    fil_planner__name(stage, "-part", name);
    fil_dag_add_vertex(planner->dag, name, chosen.ops, chosen.config, parallelism);
    fil_planner__connect(planner, stage, name, parallelism);
    fil_dag_add_vertex(planner->dag, stage->name, &fil_filter_ops, &pass_config, 1);
    fil_dag_add_edge(planner->dag, name, stage->name, &edge);
}

/** Late records come from the window's second output; its first one has an edge already. */
static void add_late(struct fil_planner *planner, const struct fil_stage *stage)
{
    const struct fil_stage *window = stage->inputs[0];
    uint32_t parallelism = fil_planner__parallelism(planner, stage);
    bool is_equal = parallelism == fil_planner__parallelism(planner, window);
    const struct fil_edge edge = {.kind = is_equal ? FIL_EDGE_ISOLATED : FIL_EDGE_UNICAST,
                                  .layout = {.stride = stage->type->size, .has_times = true}};
    fil_dag_add_vertex(planner->dag, stage->name, &fil_filter_ops, &pass_config, parallelism);
    fil_dag_add_edge(planner->dag, window->name, stage->name, &edge);
}

static void add_stage(struct fil_planner *planner, struct fil_stage *stage)
{
    if (is_fused(planner, stage)) {
        return;
    }
    if (is_stateless(stage)) {
        add_chain(planner, stage);
        return;
    }
    memcpy(planner->outputs[stage->number], stage->name, FIL_DAG_NAME_MAX);
    if (fil_planner__is_halved(planner, stage)) {
        fil_planner__add_halves(planner, stage);
    } else if (stage->kind == FIL_STAGE_LATE) {
        add_late(planner, stage);
    } else if (stage->kind == FIL_STAGE_SORT) {
        add_sort(planner, stage);
    } else {
        struct fil_chosen chosen = choose(planner, stage);
        uint32_t parallelism = fil_planner__parallelism(planner, stage);
        fil_dag_add_vertex(planner->dag, stage->name, chosen.ops, chosen.config, parallelism);
        fil_planner__connect(planner, stage, stage->name, parallelism);
    }
    add_fork(planner, stage);
}

int fil_planner_plan(struct fil_pipeline *pipeline, uint32_t parallelism,
                     const struct fil_connector *connector, struct fil_dag *out_dag)
{
    fil_assert(parallelism >= 1 && out_dag->vertex_count == 0);
    int error = fil_pipeline_check(pipeline);
    struct fil_planner *planner =
        error == FIL_OK ? fil_pipeline__alloc(pipeline, 1, sizeof(*planner)) : NULL;
    if (planner == NULL) {
        return pipeline->error;
    }
    *planner = (struct fil_planner){
        .pipeline = pipeline, .dag = out_dag, .parallelism = parallelism, .connector = connector};
    for (uint32_t i = 0; i < pipeline->stage_count && pipeline->error == FIL_OK; i++) {
        add_stage(planner, pipeline->stages[i]);
    }
    if (pipeline->error == FIL_OK && fil_dag_check(out_dag) != FIL_OK) {
        fil_pipeline__blame(pipeline, NULL, out_dag->error, "%s", out_dag->text);
    }
    return pipeline->error;
}
