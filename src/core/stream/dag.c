// SPDX-License-Identifier: Apache-2.0
#include "core/stream/dag.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

void fil_dag_init(struct fil_dag *dag)
{
    *dag = (struct fil_dag){0};
}

void fil_dag_fini(struct fil_dag *dag)
{
    fil_free(dag->vertices);
    fil_free(dag->edges);
    fil_dag_init(dag);
}

/** Keeps the first mistake. */
static void FIL_PRINTF(3, 4) blame(struct fil_dag *dag, int error, const char *format, ...)
{
    if (dag->error != FIL_OK) {
        return;
    }
    dag->error = error;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(dag->text, sizeof(dag->text), format, arguments); // cut when too long
    va_end(arguments);
}

/** Room for one more item; arrays grow by doubling. */
static void *grow(struct fil_dag *dag, void *items, uint32_t count, size_t size)
{
    bool is_full = count == 0 || (count >= 8 && (count & (count - 1)) == 0);
    if (!is_full) {
        return items;
    }
    void *grown = fil_realloc(items, (count == 0 ? 8 : count * 2) * size);
    if (grown == NULL) {
        blame(dag, FIL_E_NOMEM, "out of memory");
    }
    return grown;
}

static uint32_t find(const struct fil_dag *dag, const char *name)
{
    uint32_t index = 0;
    while (index < dag->vertex_count && strcmp(dag->vertices[index].name, name) != 0) {
        index++;
    }
    return index;
}

static void check_new_vertex(struct fil_dag *dag, const char *name,
                             const struct fil_processor_ops *ops, uint32_t parallelism)
{
    size_t length = name == NULL ? 0 : strlen(name);
    if (length == 0 || length >= FIL_DAG_NAME_MAX) {
        blame(dag, FIL_E_INVALID, "a vertex needs a name of 1 to %u bytes", FIL_DAG_NAME_MAX - 1);
    } else if (find(dag, name) != dag->vertex_count) {
        blame(dag, FIL_E_EXISTS, "vertex '%s' is there twice", name);
    } else if (ops == NULL || (ops->process == NULL && ops->complete == NULL)) {
        blame(dag, FIL_E_INVALID, "vertex '%s' has no processor", name);
    } else if (parallelism == 0 || parallelism > FIL_DAG_PARALLELISM_MAX) {
        blame(dag, FIL_E_INVALID, "vertex '%s' has a parallelism of %u, allowed are 1 to %u", name,
              parallelism, FIL_DAG_PARALLELISM_MAX);
    } else if (dag->vertex_count == FIL_DAG_VERTICES_MAX) {
        blame(dag, FIL_E_LIMIT, "vertex '%s' is one more than the %u allowed", name,
              FIL_DAG_VERTICES_MAX);
    }
}

void fil_dag_add_vertex(struct fil_dag *dag, const char *name, const struct fil_processor_ops *ops,
                        const void *config, uint32_t parallelism)
{
    check_new_vertex(dag, name, ops, parallelism);
    if (dag->error != FIL_OK) {
        return;
    }
    void *grown = grow(dag, dag->vertices, dag->vertex_count, sizeof(*dag->vertices));
    if (grown == NULL) {
        return;
    }
    dag->vertices = grown;
    struct fil_dag_vertex *vertex = &dag->vertices[dag->vertex_count];
    *vertex = (struct fil_dag_vertex){.ops = ops, .config = config, .parallelism = parallelism};
    memcpy(vertex->name, name, strlen(name) + 1);
    dag->vertex_count++;
}

static void check_new_edge(struct fil_dag *dag, const char *from, const char *to,
                           const struct fil_edge *edge)
{
    if (from == NULL || find(dag, from) == dag->vertex_count) {
        blame(dag, FIL_E_NOT_FOUND, "an edge leaves vertex '%s', which is not there",
              from == NULL ? "" : from);
    } else if (to == NULL || find(dag, to) == dag->vertex_count) {
        blame(dag, FIL_E_NOT_FOUND, "an edge from '%s' leads to vertex '%s', which is not there",
              from, to == NULL ? "" : to);
    } else if (!fil_layout_is_valid(&edge->layout)) {
        blame(dag, FIL_E_LIMIT, "the batches of edge '%s' -> '%s' are too large", from, to);
    } else if (edge->kind == FIL_EDGE_PARTITIONED && !fil_key_is_set(&edge->key) &&
               !edge->layout.has_hashes) {
        blame(dag, FIL_E_INVALID, "partitioned edge '%s' -> '%s' has neither key nor hashes", from,
              to);
    } else if (edge->layout.stride != 0 && edge->key.extract == NULL &&
               (uint64_t)edge->key.offset + edge->key.size > edge->layout.stride) {
        blame(dag, FIL_E_INVALID, "the key of edge '%s' -> '%s' ends behind the record", from, to);
    } else if (edge->batch_count > FIL_SPSC_CAPACITY_MAX) {
        blame(dag, FIL_E_LIMIT, "edge '%s' -> '%s' wants to hold too many batches", from, to);
    } else if (dag->edge_count == FIL_DAG_EDGES_MAX) {
        blame(dag, FIL_E_LIMIT, "edge '%s' -> '%s' is one more than the %u allowed", from, to,
              FIL_DAG_EDGES_MAX);
    }
}

void fil_dag_add_edge(struct fil_dag *dag, const char *from, const char *to,
                      const struct fil_edge *edge)
{
    check_new_edge(dag, from, to, edge);
    if (dag->error != FIL_OK) {
        return;
    }
    void *grown = grow(dag, dag->edges, dag->edge_count, sizeof(*dag->edges));
    if (grown == NULL) {
        return;
    }
    dag->edges = grown;
    dag->edges[dag->edge_count] =
        (struct fil_dag_edge){.from = find(dag, from), .to = find(dag, to), .edge = *edge};
    dag->edge_count++;
}

static bool has_input(const struct fil_dag *dag, uint32_t vertex)
{
    for (uint32_t i = 0; i < dag->edge_count; i++) {
        if (dag->edges[i].to == vertex) {
            return true;
        }
    }
    return false;
}

static void check_roles(struct fil_dag *dag)
{
    for (uint32_t i = 0; i < dag->vertex_count; i++) {
        const struct fil_dag_vertex *vertex = &dag->vertices[i];
        bool is_fed = has_input(dag, i);
        if (is_fed && vertex->ops->process == NULL) {
            blame(dag, FIL_E_INVALID, "an edge leads to vertex '%s', which is a source",
                  vertex->name);
        } else if (!is_fed && vertex->ops->complete == NULL) {
            blame(dag, FIL_E_INVALID, "no edge leads to vertex '%s', which is no source",
                  vertex->name);
        }
    }
}

/** Takes away vertices that nothing leads to, as often as there are some. */
static uint32_t remove_roots(const struct fil_dag *dag, bool *is_removed)
{
    uint32_t left = dag->vertex_count;
    for (bool has_moved = true; has_moved;) {
        has_moved = false;
        for (uint32_t i = 0; i < dag->vertex_count; i++) {
            bool is_fed = is_removed[i];
            for (uint32_t j = 0; !is_fed && j < dag->edge_count; j++) {
                is_fed = dag->edges[j].to == i && !is_removed[dag->edges[j].from];
            }
            if (!is_fed) {
                is_removed[i] = true;
                has_moved = true;
                left--;
            }
        }
    }
    return left;
}

static void check_cycles(struct fil_dag *dag)
{
    bool is_removed[FIL_DAG_VERTICES_MAX] = {false};
    if (remove_roots(dag, is_removed) == 0) {
        return;
    }
    // Among the vertices left each has a predecessor: walking back from any comes to a cycle.
    uint32_t vertex = 0;
    while (is_removed[vertex]) {
        vertex++;
    }
    for (uint32_t step = 0; step < dag->vertex_count; step++) {
        uint32_t i = 0;
        while (dag->edges[i].to != vertex || is_removed[dag->edges[i].from]) {
            i++;
        }
        vertex = dag->edges[i].from;
    }
    blame(dag, FIL_E_INVALID, "vertex '%s' is part of a cycle", dag->vertices[vertex].name);
}

int fil_dag_check(struct fil_dag *dag)
{
    if (dag->error == FIL_OK && dag->vertex_count == 0) {
        blame(dag, FIL_E_INVALID, "the graph has no vertices");
    }
    if (dag->error == FIL_OK) {
        check_cycles(dag);
    }
    if (dag->error == FIL_OK) {
        check_roles(dag);
    }
    return dag->error;
}

int fil_dag_clone(struct fil_dag *to, const struct fil_dag *from)
{
    fil_dag_init(to);
    size_t vertices_size = from->vertex_count * sizeof(*from->vertices);
    size_t edges_size = from->edge_count * sizeof(*from->edges);
    to->vertices = fil_alloc(vertices_size == 0 ? 1 : vertices_size);
    to->edges = fil_alloc(edges_size == 0 ? 1 : edges_size);
    if (to->vertices == NULL || to->edges == NULL) {
        fil_dag_fini(to);
        return FIL_E_NOMEM;
    }
    memcpy(to->vertices, from->vertices, vertices_size);
    if (edges_size != 0) {
        memcpy(to->edges, from->edges, edges_size);
    }
    to->vertex_count = from->vertex_count;
    to->edge_count = from->edge_count;
    return FIL_OK;
}

/** Whether another edge into the same vertex waits for this one to end. */
static bool is_waited_for(const struct fil_dag *dag, const struct fil_dag_edge *edge)
{
    for (uint32_t i = 0; i < dag->edge_count; i++) {
        const struct fil_dag_edge *other = &dag->edges[i];
        if (other->to == edge->to && other->edge.priority > edge->edge.priority) {
            return true;
        }
    }
    return false;
}

void fil_dag_find_prior(const struct fil_dag *dag, bool out_is_prior[FIL_DAG_VERTICES_MAX])
{
    // An edge leads to a waited-for one at last after as many steps as there are vertices.
    for (uint32_t step = 0; step <= dag->vertex_count; step++) {
        for (uint32_t i = 0; i < dag->edge_count; i++) {
            const struct fil_dag_edge *edge = &dag->edges[i];
            if (out_is_prior[edge->to] || is_waited_for(dag, edge)) {
                out_is_prior[edge->from] = true;
            }
        }
    }
}

bool fil_dag_edge_connects(const struct fil_dag *dag, const struct fil_dag_edge *edge,
                           uint32_t from, uint32_t to)
{
    if (edge->edge.kind == FIL_EDGE_ALL_TO_ONE) {
        return to == 0;
    }
    if (edge->edge.kind == FIL_EDGE_ISOLATED) {
        return to % dag->vertices[edge->from].parallelism ==
               from % dag->vertices[edge->to].parallelism;
    }
    return true;
}
