// SPDX-License-Identifier: Apache-2.0
/**
 * Responses that grow while a walk goes from partition to partition: a list, or a map, of what the
 * request means.
 */
#pragma once

#include "core/exec/partition.h"
#include "grid/map/walk.h"
#include "protocol/client/serve/call.h"

/** Where the items of a slice go, which they are, and where their keys live. */
struct fil_wire_sink {
    struct fil_wire_writer *writer;
    struct fil_wire_call *call;
    struct fil_wire_task *task;
    struct fil_wire_form_place place;
};

/** Begins the response and the list in it, and prepares the walk. */
void fil_wire_whole_begin(struct fil_wire_call *call, fil_map_slice_fn slice);

/** Begins the response alone, for a walk of another kind. */
void fil_wire_whole_open(struct fil_wire_call *call);

/** A slice: visits entries with a sink as the context, and ends the walk when the writer fails. */
uint64_t fil_wire_whole_slice(struct fil_map_walk *walk, struct fil_partition *partition,
                              fil_store_visit_fn visit);

/** A visitor with a sink: writes what the projection, which is the call's work, makes of an entry
 * that is meant. */
void fil_wire_whole_project(void *context, const struct fil_store_view *view);

/** Ends list and response. */
int fil_wire_whole_end(struct fil_wire_task *task) FIL_NODISCARD;
