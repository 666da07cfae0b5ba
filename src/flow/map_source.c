// SPDX-License-Identifier: Apache-2.0
// Reads all entries of a map, a bounded slice of a partition at a time.
#include "filbert/error.h"
#include "flow/parts.h"
#include "lib/base/assert.h"

#define ACTIVE_MAX 8U // partitions that are read at once

static void visit(void *context, const struct fil_store_view *view)
{
    fil_part_add(context, view->key, view->value);
}

static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_part *part = FIL_CONTAINER_OF(op, struct fil_part, call.op);
    struct fil_map *map = part->parts->structure;
    const struct fil_map_slice slice = {.cursor = part->place,
                                        .now_ms = fil_map_now_ms(map, partition->runner->now_ns),
                                        .budget = FIL_PART_READ_MAX};
    part->next = fil_map_scan_here(map, part->partition_id, slice, visit, part);
    part->is_last = part->next == FIL_STORE_SCAN_END;
    return FIL_OP_DONE;
}

static const struct fil_op_type op_type = {
    .name = "stream map source", .run = run_op, .complete = fil_call_complete};

static int source_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct fil_parts *parts = self;
    parts->connection = config;
    parts->op_type = &op_type;
    parts->active_max = ACTIVE_MAX;
    return fil_parts_open_map(parts, context);
}

const struct fil_processor_ops fil_map_source_ops = {.name = "map source",
                                                     .size = sizeof(struct fil_parts),
                                                     .init = source_init,
                                                     .complete = fil_parts_complete,
                                                     .save = fil_parts_save,
                                                     .restore = fil_parts_restore,
                                                     .stop = fil_parts_stop,
                                                     .close = fil_parts_close};
