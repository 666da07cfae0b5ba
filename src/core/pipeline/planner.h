// SPDX-License-Identifier: Apache-2.0
/**
 * From stages to a graph of processors.
 *
 * Maps, filters and flat maps that follow each other become one vertex. Grouping gets a partitioned
 * edge by its key; without a key, one instance. Between stages of the same parallelism records stay
 * with their instance (isolated edges), so that a chain stays on one thread and keeps its order. A
 * join's partners are broadcast and come first.
 */
#pragma once

#include <stdint.h>

#include "core/pipeline/connection.h"
#include "core/stream/dag.h"
#include "filbert/pipeline.h"

/**
 * Adds vertices and edges to an empty graph; the pipeline must outlive all that runs it. Without a
 * connector, stages of the grid can be looked at, but not run. The pipeline's error, or
 * FIL_E_NOMEM.
 */
int fil_planner_plan(struct fil_pipeline *pipeline, uint32_t parallelism,
                     const struct fil_connector *connector, struct fil_dag *out_dag) FIL_NODISCARD;

/** One more holder, e.g. a job; fil_pipeline_free lets go. */
FIL_ANY_THREAD void fil_pipeline_ref(struct fil_pipeline *pipeline);
