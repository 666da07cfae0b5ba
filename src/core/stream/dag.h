// SPDX-License-Identifier: Apache-2.0
/**
 * A job's graph: vertices that process, edges that carry.
 *
 * Built by calls that return nothing: the first mistake is kept, with a text that names the place,
 * and told by fil_dag_check. The order in which edges are added numbers the outputs of their first
 * vertex and the inputs of their second.
 *
 * Threads: whoever builds it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/edge.h"
#include "core/stream/processor.h"

#define FIL_DAG_NAME_MAX        64U // with the end
#define FIL_DAG_VERTICES_MAX    256U
#define FIL_DAG_EDGES_MAX       1024U
#define FIL_DAG_PARALLELISM_MAX 256U

struct fil_dag_vertex {
    char name[FIL_DAG_NAME_MAX];
    const struct fil_processor_ops *ops;
    const void *config; // borrowed, until the job is freed
    uint32_t parallelism;
};

struct fil_dag_edge {
    uint32_t from;
    uint32_t to;
    struct fil_edge edge;
};

struct fil_dag {
    struct fil_dag_vertex *vertices;
    uint32_t vertex_count;
    struct fil_dag_edge *edges;
    uint32_t edge_count;
    int error;
    char text[160]; // of the error
};

void fil_dag_init(struct fil_dag *dag);
void fil_dag_fini(struct fil_dag *dag);

void fil_dag_add_vertex(struct fil_dag *dag, const char *name, const struct fil_processor_ops *ops,
                        const void *config, uint32_t parallelism);

/** The vertices are there already. */
void fil_dag_add_edge(struct fil_dag *dag, const char *from, const char *to,
                      const struct fil_edge *edge);

/** FIL_OK, or what is wrong; dag->text tells it in words. */
int fil_dag_check(struct fil_dag *dag) FIL_NODISCARD;

/** A copy with its own arrays. FIL_E_NOMEM. */
int fil_dag_clone(struct fil_dag *to, const struct fil_dag *from) FIL_NODISCARD;

/** Marks the vertices whose records must all have come before another edge is read. */
void fil_dag_find_prior(const struct fil_dag *dag, bool out_is_prior[FIL_DAG_VERTICES_MAX]);

/** Whether instance `from` of the first vertex sends to instance `to` of the second. */
bool fil_dag_edge_connects(const struct fil_dag *dag, const struct fil_dag_edge *edge,
                           uint32_t from, uint32_t to);
