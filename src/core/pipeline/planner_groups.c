// SPDX-License-Identifier: Apache-2.0
// Stages that group, as vertices.
#include "core/pipeline/planner_internal.h"
#include "core/stream/batch_aggregate.h"
#include "core/stream/session.h"
#include "core/stream/window.h"
#include "lib/base/assert.h"

#define STATE_BYTES_SMALL 512U
#define BATCH_BYTES       65536U

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

bool fil_planner__is_halved(const struct fil_stage *stage)
{
    // Whatever the parallelism is: state that was saved with another one has to fit.
    // Early results, and records that are late, are about single records: not of halves.
    return stage->key == NULL && stage->late == NULL && !fil_early_is_wanted(&stage->early) &&
           (stage->kind == FIL_STAGE_AGGREGATE || stage->kind == FIL_STAGE_WINDOW);
}

/** One half of the stage: its processor, and the bytes of its results. */
static struct fil_chosen choose_half(struct fil_planner *planner, const struct fil_stage *stage,
                                     struct fil_aggregate half, bool is_first, uint32_t *out_bytes)
{
    const struct fil_group_config group = {.aggregate = half};
    if (stage->kind == FIL_STAGE_AGGREGATE) {
        *out_bytes = fil_batch_aggregate_result_bytes(&group);
        return fil_planner__keep(planner, &fil_batch_aggregate_ops, &group, sizeof(group));
    }
    // The first half is about slices: what they become together is the second one's.
    const struct fil_window_config config = {.group = group,
                                             .size = is_first ? stage->slide : stage->size,
                                             .slide = stage->slide,
                                             .keeps_late = is_first,
                                             .lateness = is_first ? 0 : stage->lateness,
                                             .part_at =
                                                 is_first ? 0 : sizeof(struct fil_window_result)};
    *out_bytes = fil_window_result_bytes(&config);
    return fil_planner__keep(planner, &fil_window_ops, &config, sizeof(config));
}

/** Records of a batch of states: large ones go a few at a time. */
static uint32_t batch_records(uint32_t state_bytes)
{
    return state_bytes <= STATE_BYTES_SMALL ? 0 : 1 + BATCH_BYTES / state_bytes;
}

void fil_planner__add_halves(struct fil_planner *planner, const struct fil_stage *stage)
{
    fil_assert(fil_planner__is_halved(stage));
    struct fil_aggregate *inner = fil_pipeline__alloc(planner->pipeline, 1, sizeof(*inner));
    if (inner == NULL) {
        return;
    }
    *inner = group_of(stage).aggregate;
    uint32_t state_at =
        stage->kind == FIL_STAGE_WINDOW ? (uint32_t)sizeof(struct fil_window_result) : 0;
    uint32_t part_bytes = 0;
    uint32_t result_bytes = 0;
    struct fil_chosen first =
        choose_half(planner, stage, fil_aggregate_partial(inner), true, &part_bytes);
    struct fil_chosen second =
        choose_half(planner, stage, fil_aggregate_combined(inner, state_at), false, &result_bytes);
    fil_assert(first.config == NULL || result_bytes == stage->type->size);
    char name[FIL_DAG_NAME_MAX];
    uint32_t parallelism = fil_planner__parallelism(planner, stage->inputs[0]);
    fil_planner__name(stage, "-part", name);
    fil_dag_add_vertex(planner->dag, name, first.ops, first.config, parallelism);
    fil_planner__connect(planner, stage, name, parallelism);
    fil_dag_add_vertex(planner->dag, stage->name, second.ops, second.config, 1);
    const struct fil_edge edge = {.kind = FIL_EDGE_ALL_TO_ONE,
                                  .layout = {.stride = part_bytes,
                                             .record_count = batch_records(part_bytes),
                                             .has_times = true}};
    fil_dag_add_edge(planner->dag, name, stage->name, &edge);
}
