// SPDX-License-Identifier: Apache-2.0
// Stages that group, as vertices.
#include "core/pipeline/planner_internal.h"
#include "core/stream/batch_aggregate.h"
#include "core/stream/fold.h"
#include "core/stream/session.h"
#include "core/stream/window.h"
#include "lib/base/assert.h"

#define STATE_BYTES_SMALL 512U
#define BATCH_BYTES       65536U

// A larger state is not moved more easily than the records that it is made of.
#define FOLDED_STATE_BYTES 128U

static struct fil_group_config group_of(const struct fil_stage *stage)
{
    return (struct fil_group_config){.key = fil_planner__key(stage->key),
                                     .aggregate = fil_stage__aggregate(stage)};
}

struct fil_chosen fil_planner__choose_group(struct fil_planner *planner,
                                            const struct fil_stage *stage)
{
    const struct fil_group_config group = group_of(stage);
    if (stage->kind == FIL_STAGE_AGGREGATE) {
        return fil_planner__keep(planner, &fil_batch_aggregate_ops, &group, sizeof(group));
    }
    if (stage->kind == FIL_STAGE_SESSION) {
        const struct fil_session_config config = {.group = group,
                                                  .gap = stage->gap,
                                                  .gives_late = stage->late != NULL,
                                                  .early = stage->early,
                                                  .lateness = stage->lateness};
        return fil_planner__keep(planner, &fil_session_ops, &config, sizeof(config));
    }
    const struct fil_window_config config = {.group = group,
                                             .size = stage->size,
                                             .slide = stage->slide,
                                             .gives_late = stage->late != NULL,
                                             .early = stage->early,
                                             .lateness = stage->lateness};
    return fil_planner__keep(planner, &fil_window_ops, &config, sizeof(config));
}

/** Whether both sides of its exchange are one instance each: then nothing is exchanged. */
static bool is_alone(const struct fil_planner *planner, const struct fil_stage *stage)
{
    bool is_alone = fil_planner__parallelism(planner, stage) == 1;
    for (uint32_t i = 0; i < FIL_STAGE_INPUTS_MAX && stage->inputs[i] != NULL; i++) {
        is_alone = is_alone && fil_planner__parallelism(planner, stage->inputs[i]) == 1;
    }
    return is_alone;
}

bool fil_planner__is_halved(const struct fil_planner *planner, const struct fil_stage *stage)
{
    // Early results, and records that are late, are about single records: not of halves.
    bool can_be = stage->late == NULL && !fil_early_is_wanted(&stage->early) &&
                  (stage->kind == FIL_STAGE_AGGREGATE || stage->kind == FIL_STAGE_WINDOW);
    if (!can_be) {
        return false;
    }
    // Without a key whatever the parallelism is: state that was saved with another one has to fit.
    // By key the first half saves nothing, and the second one's state is the same as without it.
    bool is_small = fil_stage__aggregate(stage).state_size <= FOLDED_STATE_BYTES;
    return stage->key == NULL || (stage->is_folded && is_small && !is_alone(planner, stage));
}

/** The first half without a key: about slices; what they become together is the second one's. */
static struct fil_chosen choose_part(struct fil_planner *planner, const struct fil_stage *stage,
                                     struct fil_aggregate part, uint32_t *out_bytes)
{
    const struct fil_group_config group = {.aggregate = part};
    const struct fil_window_config config = {
        .group = group, .size = stage->slide, .slide = stage->slide, .keeps_late = true};
    bool is_batch = stage->kind == FIL_STAGE_AGGREGATE;
    *out_bytes =
        is_batch ? fil_batch_aggregate_result_bytes(&group) : fil_window_result_bytes(&config);
    return is_batch ? fil_planner__keep(planner, &fil_batch_aggregate_ops, &group, sizeof(group))
                    : fil_planner__keep(planner, &fil_window_ops, &config, sizeof(config));
}

/** Behind the exchange: of records that have a state at that place. */
static struct fil_chosen choose_whole(struct fil_planner *planner, const struct fil_stage *stage,
                                      struct fil_group_config group, uint32_t state_at)
{
    if (stage->kind == FIL_STAGE_AGGREGATE) {
        fil_assert(fil_batch_aggregate_result_bytes(&group) == stage->type->size);
        return fil_planner__keep(planner, &fil_batch_aggregate_ops, &group, sizeof(group));
    }
    const struct fil_window_config config = {.group = group,
                                             .size = stage->size,
                                             .slide = stage->slide,
                                             .lateness = stage->lateness,
                                             .part_at = state_at};
    fil_assert(fil_window_result_bytes(&config) == stage->type->size);
    return fil_planner__keep(planner, &fil_window_ops, &config, sizeof(config));
}

/** Records of a batch of states: large ones go a few at a time. */
static uint32_t batch_records(uint32_t state_bytes)
{
    return state_bytes <= STATE_BYTES_SMALL ? 0 : 1 + BATCH_BYTES / state_bytes;
}

/** Both vertices, and the edges to and between them. */
static void add_both(struct fil_planner *planner, const struct fil_stage *stage,
                     const struct fil_chosen halves[2], struct fil_edge edge)
{
    char name[FIL_DAG_NAME_MAX];
    uint32_t parallelism = fil_planner__parallelism(planner, stage->inputs[0]);
    fil_planner__name(stage, "-part", name);
    fil_dag_add_vertex(planner->dag, name, halves[0].ops, halves[0].config, parallelism);
    fil_planner__connect_part(planner, stage, name, parallelism);
    fil_dag_add_vertex(planner->dag, stage->name, halves[1].ops, halves[1].config,
                       fil_planner__parallelism(planner, stage));
    fil_dag_add_edge(planner->dag, name, stage->name, &edge);
}

static void add_folded(struct fil_planner *planner, const struct fil_stage *stage,
                       const struct fil_aggregate *inner)
{
    const struct fil_fold_config fold = {.key = fil_planner__key(stage->key),
                                         .aggregate = *inner,
                                         .slide =
                                             stage->kind == FIL_STAGE_WINDOW ? stage->slide : 0};
    uint32_t state_at = fil_fold_state_at(&fold);
    const struct fil_key key = {.offset = fil_fold_key_at(&fold), .size = stage->key->size};
    const struct fil_group_config group = {.key = key,
                                           .aggregate = fil_aggregate_combined(inner, state_at)};
    const struct fil_chosen halves[2] = {
        fil_planner__keep(planner, &fil_fold_ops, &fold, sizeof(fold)),
        choose_whole(planner, stage, group, state_at)};
    const struct fil_edge edge = {
        .kind = FIL_EDGE_PARTITIONED,
        .key = key,
        .layout = {.stride = fil_fold_result_bytes(&fold), .has_times = true}};
    add_both(planner, stage, halves, edge);
}

void fil_planner__add_halves(struct fil_planner *planner, const struct fil_stage *stage)
{
    struct fil_aggregate *inner = fil_pipeline__alloc(planner->pipeline, 1, sizeof(*inner));
    if (inner == NULL) {
        return;
    }
    *inner = group_of(stage).aggregate;
    if (stage->key != NULL) {
        add_folded(planner, stage, inner);
        return;
    }
    uint32_t state_at =
        stage->kind == FIL_STAGE_WINDOW ? (uint32_t)sizeof(struct fil_window_result) : 0;
    const struct fil_group_config group = {.aggregate = fil_aggregate_combined(inner, state_at)};
    uint32_t bytes = 0;
    struct fil_chosen halves[2];
    halves[0] = choose_part(planner, stage, fil_aggregate_partial(inner), &bytes);
    halves[1] = choose_whole(planner, stage, group, state_at);
    const struct fil_edge edge = {
        .kind = FIL_EDGE_ALL_TO_ONE,
        .layout = {.stride = bytes, .record_count = batch_records(bytes), .has_times = true}};
    add_both(planner, stage, halves, edge);
}
