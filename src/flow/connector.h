// SPDX-License-Identifier: Apache-2.0
/**
 * The processors that read and write a member's structures, and ask services elsewhere, for the
 * planner.
 */
#pragma once

#include "core/container/directory.h"
#include "core/exec/exec.h"
#include "core/pipeline/connection.h"
#include "core/service/caller.h"
#include "grid/map/maps.h"

/** The structures; outlives all jobs. */
struct fil_flow_grid {
    struct fil_exec *exec;
    struct fil_maps *maps;
    struct fil_directory *directory;
    struct fil_caller *caller; // NULL: no services can be asked
};

void fil_flow_connect(struct fil_connector *connector, struct fil_flow_grid *grid);

/** Without a member's structures: only services. */
void fil_flow_connect_services(struct fil_connector *connector, struct fil_flow_grid *grid);

extern const struct fil_processor_ops fil_map_source_ops;
extern const struct fil_processor_ops fil_journal_source_ops;
extern const struct fil_processor_ops fil_ringbuffer_source_ops;
extern const struct fil_processor_ops fil_lookup_ops;
extern const struct fil_processor_ops fil_map_sink_ops;
extern const struct fil_processor_ops fil_item_sink_ops;
extern const struct fil_processor_ops fil_service_call_ops;
extern const struct fil_processor_ops fil_http_sink_ops;
