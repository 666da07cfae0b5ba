// SPDX-License-Identifier: Apache-2.0
/**
 * Indexes that clients add.
 *
 * Of an index over several attributes the first one is indexed, and a bitmap index is a hash index:
 * what they find is tested anyway. One of all items of a list ([any]) is accepted and not made, so
 * that queries look at all entries.
 */
#include "filbert/error.h"
#include "grid/map/index.h"
#include "protocol/client/generated/customs.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/query/attribute.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/server.h"
#include "protocol/client/serve/session.h"
#include "protocol/client/serve/whole.h"

#define TYPE_SORTED 0
#define TYPE_BITMAP 2

static int refuse(struct fil_wire_task *task, const char *reason)
{
    task->fault = (struct fil_wire_fault){.field = "index", .reason = reason};
    return FIL_E_MALFORMED;
}

/** Whether its attributes can be looked for; the first one becomes the task's value. */
static int check_attributes(struct fil_wire_task *task, const struct fil_wire_part *attributes)
{
    struct fil_query_path path;
    struct fil_bytes name;
    task->value = (struct fil_bytes){0};
    struct fil_wire_cursor cursor = fil_wire_part_open(attributes);
    while (fil_wire_cursor_bytes(&cursor, &name)) {
        if (fil_query_path_parse(name, &path) != FIL_OK || name.size > FIL_MAP_INDEX_NAME_MAX) {
            return refuse(task, "is about what is no attribute");
        }
        task->value = task->value.data == NULL ? name : task->value;
    }
    return task->value.data == NULL ? refuse(task, "has no attributes") : FIL_OK;
}

int fil_wire__map_add_index_read(struct fil_wire_task *task)
{
    struct fil_wire_map_add_index_request request;
    struct fil_wire_index_config config;
    int error = FIL_WIRE_READ(map_add_index, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    if (!fil_wire_decode_part(FIL_WIRE_LAYOUT(index_config), &request.index_config, &config)) {
        return refuse(task, "is not what it says");
    }
    if (config.type < TYPE_SORTED || config.type > TYPE_BITMAP) {
        return refuse(task, "is of a type that is not known");
    }
    task->index = config.type;
    error = check_attributes(task, &config.attributes);
    return error == FIL_OK ? fil_wire_task_find_map(task, request.name) : error;
}

static uint64_t slice_nothing(struct fil_map_walk *walk, struct fil_partition *partition)
{
    const struct fil_wire_call *call = FIL_CONTAINER_OF(walk, struct fil_wire_call, walk);
    (void)partition;
    walk->error = call->task.query_error;
    walk->is_over = true;
    return FIL_STORE_SCAN_END;
}

void fil_wire__map_add_index_walk(struct fil_wire_call *call)
{
    struct fil_wire_task *task = &call->task;
    struct fil_map_index_setup setup;
    struct fil_map_index *index = NULL;
    enum fil_index_kind kind = task->index == TYPE_SORTED ? FIL_INDEX_SORTED : FIL_INDEX_HASH;
    int error =
        fil_query_attribute_index(task->value, kind, &task->session->server->schemas, &setup);
    if (error == FIL_OK) {
        error = fil_map_index_add(task->map, &setup, &index);
    }
    if (error == FIL_OK) {
        fil_map_walk_index(&call->walk, task->map, index);
        return;
    }
    task->query_error = error == FIL_E_UNSUPPORTED ? FIL_OK : error;
    fil_map_walk_init(&call->walk, task->map, task->handler->name, slice_nothing);
}

int fil_wire__map_add_index_run(struct fil_wire_task *task)
{
    return fil_wire_answer_empty(task);
}
