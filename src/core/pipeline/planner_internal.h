// SPDX-License-Identifier: Apache-2.0
/** What the files of the planner share. */
#pragma once

#include "core/pipeline/pipeline_internal.h"
#include "core/pipeline/planner.h"

struct fil_planner {
    struct fil_pipeline *pipeline;
    struct fil_dag *dag;
    uint32_t parallelism;
    const struct fil_connector *connector;
    /** Where a stage's records come from: its vertex, the chain's, or the fork behind it. */
    char outputs[FIL_PIPELINE_STAGES_MAX][FIL_DAG_NAME_MAX];
};

/** What a stage is as a processor. Configurations live as long as the pipeline. */
struct fil_chosen {
    const struct fil_processor_ops *ops;
    const void *config;
};

/** Instances of a stage. */
uint32_t fil_planner__parallelism(const struct fil_planner *planner, const struct fil_stage *stage);

/** A copy of the configuration in the pipeline's memory. */
struct fil_chosen fil_planner__keep(struct fil_planner *planner,
                                    const struct fil_processor_ops *ops, const void *config,
                                    size_t size);

/** A stage's name with something behind it, cut where it is too long. */
void fil_planner__name(const struct fil_stage *stage, const char *suffix,
                       char out_name[FIL_DAG_NAME_MAX]);

/** Edges from the stages in front of a stage to a vertex with so many instances. */
void fil_planner__connect(struct fil_planner *planner, const struct fil_stage *stage,
                          const char *vertex, uint32_t parallelism);

/** The same without dealing by key: to the first of two vertices of a stage. */
void fil_planner__connect_part(struct fil_planner *planner, const struct fil_stage *stage,
                               const char *vertex, uint32_t parallelism);

struct fil_key fil_planner__key(const struct fil_field *field);

/** The processors of sources and sinks that are not structures of a member. */
struct fil_chosen fil_planner__choose_source(struct fil_planner *planner, struct fil_stage *stage);
struct fil_chosen fil_planner__choose_sink(struct fil_planner *planner, struct fil_stage *stage);

/** The processor of a stage that groups. */
struct fil_chosen fil_planner__choose_group(struct fil_planner *planner,
                                            const struct fil_stage *stage);

/** Whether a stage is done in two vertices: each instance its own records, then all together. */
bool fil_planner__is_halved(const struct fil_planner *planner, const struct fil_stage *stage);

/** Both vertices of such a stage, and the edges to them. */
void fil_planner__add_halves(struct fil_planner *planner, const struct fil_stage *stage);
