// SPDX-License-Identifier: Apache-2.0
// Follows the changes of a map: entries that were put, in the order of their partition. A read that
// finds nothing is parked in the partition until there is something, so an idle map costs nothing.
#include "filbert/error.h"
#include "flow/parts.h"
#include "grid/map/journal.h"
#include "lib/base/assert.h"

static void visit(void *context, const struct fil_map_journal_entry *entry)
{
    if (entry->kind == FIL_MAP_ADDED || entry->kind == FIL_MAP_UPDATED) {
        fil_part_add(context, entry->key, entry->value);
    }
}

/** The first read only finds where to begin, so that a snapshot knows before anything comes. */
static int place_here(struct fil_part *part, struct fil_map *map)
{
    uint64_t oldest = 0;
    uint64_t next = 0;
    int error = fil_map_journal_bounds_here(map, part->partition_id, &oldest, &next);
    part->next = part->parts->connection->is_from_now ? next : oldest;
    return error;
}

static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_part *part = FIL_CONTAINER_OF(op, struct fil_part, call.op);
    struct fil_map *map = part->parts->structure;
    uint64_t wait_key = 0;
    if (!part->is_placed) {
        op->error = place_here(part, map);
        return FIL_OP_DONE;
    }
    if (fil_map_journal_must_wait_here(map, part->partition_id, part->place, 1, &wait_key)) {
        op->error = fil_partition_park(partition, op, wait_key);
        return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
    }
    const struct fil_map_journal_read read = {.partition_id = part->partition_id,
                                              .seq = part->place,
                                              .limit = FIL_PART_READ_MAX,
                                              .visit = visit,
                                              .context = part};
    part->next = fil_map_journal_read_here(map, &read, &part->lost);
    return FIL_OP_DONE;
}

static const struct fil_op_type op_type = {
    .name = "stream journal source", .run = run_op, .complete = fil_call_complete};

static int source_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct fil_parts *parts = self;
    parts->connection = config;
    parts->op_type = &op_type;
    parts->active_max = UINT32_MAX;
    return fil_parts_open_map(parts, context);
}

const struct fil_processor_ops fil_journal_source_ops = {.name = "journal source",
                                                         .size = sizeof(struct fil_parts),
                                                         .init = source_init,
                                                         .complete = fil_parts_complete,
                                                         .save = fil_parts_save,
                                                         .restore = fil_parts_restore,
                                                         .stop = fil_parts_stop,
                                                         .close = fil_parts_close};
