// SPDX-License-Identifier: Apache-2.0
/**
 * A graph in words: as JSON, the same bytes for the same graph, and as DOT for people's eyes.
 */
#pragma once

#include "core/stream/dag.h"
#include "lib/base/writer.h"

/** Both leave the writer full when it has no room for all of it. */
void fil_dag_write_json(const struct fil_dag *dag, struct fil_writer *writer);
void fil_dag_write_dot(const struct fil_dag *dag, const char *name, struct fil_writer *writer);

const char *fil_edge_kind_name(enum fil_edge_kind kind);
