// SPDX-License-Identifier: Apache-2.0
#include "core/stream/dag_text.h"

#include "lib/base/assert.h"

// The writer keeps that it was too small, so the results need not be looked at one by one.

const char *fil_edge_kind_name(enum fil_edge_kind kind)
{
    static const char *const names[] = {
        [FIL_EDGE_UNICAST] = "unicast",         [FIL_EDGE_ISOLATED] = "isolated",
        [FIL_EDGE_PARTITIONED] = "partitioned", [FIL_EDGE_BROADCAST] = "broadcast",
        [FIL_EDGE_FAN_OUT] = "fan-out",         [FIL_EDGE_ALL_TO_ONE] = "all-to-one"};
    fil_assert(kind < FIL_COUNT_OF(names));
    return names[kind];
}

/** A text between quotes; both formats escape alike what a name can have. */
static void write_quoted(struct fil_writer *writer, const char *text)
{
    (void)fil_writer_u8(writer, '"');
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char character = (unsigned char)*at;
        if (character == '"' || character == '\\') {
            (void)fil_writer_u8(writer, '\\');
        }
        if (character < ' ') {
            (void)fil_writer_format(writer, "\\u%04x", character);
        } else {
            (void)fil_writer_u8(writer, character);
        }
    }
    (void)fil_writer_u8(writer, '"');
}

static void write_vertex(const struct fil_dag_vertex *vertex, struct fil_writer *writer)
{
    (void)fil_writer_text(writer, "{\"name\":");
    write_quoted(writer, vertex->name);
    (void)fil_writer_text(writer, ",\"processor\":");
    write_quoted(writer, vertex->ops->name);
    (void)fil_writer_format(writer, ",\"parallelism\":%u}", vertex->parallelism);
}

static void write_edge(const struct fil_dag *dag, const struct fil_dag_edge *edge,
                       struct fil_writer *writer)
{
    (void)fil_writer_text(writer, "{\"from\":");
    write_quoted(writer, dag->vertices[edge->from].name);
    (void)fil_writer_text(writer, ",\"to\":");
    write_quoted(writer, dag->vertices[edge->to].name);
    (void)fil_writer_format(writer, ",\"kind\":\"%s\",\"record_bytes\":%u",
                            fil_edge_kind_name(edge->edge.kind), edge->edge.layout.stride);
    if (edge->edge.key.size != 0) {
        (void)fil_writer_format(writer, ",\"key\":[%u,%u]", edge->edge.key.offset,
                                edge->edge.key.size);
    }
    if (edge->edge.priority != 0) {
        (void)fil_writer_format(writer, ",\"priority\":%d", edge->edge.priority);
    }
    (void)fil_writer_u8(writer, '}');
}

void fil_dag_write_json(const struct fil_dag *dag, struct fil_writer *writer)
{
    (void)fil_writer_text(writer, "{\"vertices\":[");
    for (uint32_t i = 0; i < dag->vertex_count; i++) {
        (void)fil_writer_text(writer, i == 0 ? "" : ",");
        write_vertex(&dag->vertices[i], writer);
    }
    (void)fil_writer_text(writer, "],\"edges\":[");
    for (uint32_t i = 0; i < dag->edge_count; i++) {
        (void)fil_writer_text(writer, i == 0 ? "" : ",");
        write_edge(dag, &dag->edges[i], writer);
    }
    (void)fil_writer_text(writer, "]}\n");
}

void fil_dag_write_dot(const struct fil_dag *dag, const char *name, struct fil_writer *writer)
{
    (void)fil_writer_text(writer, "digraph ");
    write_quoted(writer, name);
    (void)fil_writer_text(writer, " {\n");
    for (uint32_t i = 0; i < dag->vertex_count; i++) {
        const struct fil_dag_vertex *vertex = &dag->vertices[i];
        (void)fil_writer_text(writer, "  ");
        write_quoted(writer, vertex->name);
        (void)fil_writer_format(writer, " [label=\"%s\\n%s x %u\"];\n", vertex->name,
                                vertex->ops->name, vertex->parallelism);
    }
    for (uint32_t i = 0; i < dag->edge_count; i++) {
        const struct fil_dag_edge *edge = &dag->edges[i];
        (void)fil_writer_text(writer, "  ");
        write_quoted(writer, dag->vertices[edge->from].name);
        (void)fil_writer_text(writer, " -> ");
        write_quoted(writer, dag->vertices[edge->to].name);
        (void)fil_writer_format(writer, " [label=\"%s\"];\n", fil_edge_kind_name(edge->edge.kind));
    }
    (void)fil_writer_text(writer, "}\n");
}
