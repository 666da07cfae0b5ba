// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/whole.h"

#include "core/exec/runner.h"
#include "filbert/error.h"
#include "protocol/client/query/projection.h"

#define SLICE_ENTRIES 256U

void fil_wire_whole_open(struct fil_wire_call *call)
{
    const struct fil_wire_task *task = &call->task;
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    (void)fil_wire_writer_open_response(&call->writer, &header, 0);
    fil_wire_writer_begin(&call->writer);
}

void fil_wire_whole_begin(struct fil_wire_call *call, fil_map_slice_fn slice)
{
    fil_map_walk_init(&call->walk, call->task.map, call->task.handler->name, slice);
    fil_wire_whole_open(call);
}

uint64_t fil_wire_whole_slice(struct fil_map_walk *walk, struct fil_partition *partition,
                              fil_store_visit_fn visit)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(walk, struct fil_wire_call, walk);
    struct fil_wire_sink sink = {
        .writer = &call->writer,
        .call = call,
        .task = &call->task,
        .place = {.partition_id = partition->id, .partition_count = walk->map->partition_count}};
    // Chunks come from the thread that is inside.
    call->writer.pool = partition->runner->chunks;
    uint64_t next = fil_map_walk_scan(walk, partition->id, SLICE_ENTRIES, visit, &sink);
    int error = call->writer.error != FIL_OK ? call->writer.error : call->task.query_error;
    if (error != FIL_OK) {
        walk->error = error;
        walk->is_over = true;
    }
    return next;
}

void fil_wire_whole_project(void *context, const struct fil_store_view *view)
{
    const struct fil_wire_sink *sink = context;
    struct fil_wire_task *task = sink->task;
    struct fil_map_buffer data;
    if (task->query_error != FIL_OK || !fil_wire_task_means(task, view)) {
        return;
    }
    struct fil_query_entry entry = fil_wire_task_entry(task, view);
    fil_map_buffer_init(&data);
    bool is_there = fil_query_projection_write(sink->call->work, &entry, &data);
    if (is_there) {
        fil_wire_writer_bytes(sink->writer, fil_map_buffer_bytes(&data));
    } else {
        fil_wire_writer_null(sink->writer);
    }
    task->query_error = data.is_out_of_memory ? FIL_E_NOMEM : FIL_OK;
    fil_wire_task_note_opaque(task, &entry);
    fil_map_buffer_fini(&data);
}

int fil_wire_whole_end(struct fil_wire_task *task)
{
    fil_wire_writer_end(task->writer);
    return fil_wire_writer_finish(task->writer);
}
