// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/container_task.h"

#include <limits.h>

#include "core/container/directory.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/endian.h"
#include "protocol/client/serve/session.h"
#include "protocol/client/serve/view.h"

static bool is_it(const struct fil_container *container, const struct fil_container_type *type,
                  struct fil_bytes name)
{
    return container != NULL && container->type == type &&
           fil_bytes_equal(fil_container_name(container), name);
}

int fil_wire_task_find_container(struct fil_wire_task *task, const struct fil_container_type *type,
                                 struct fil_bytes name)
{
    struct fil_wire_session *session = task->session;
    struct fil_directory *directory = session->server->options.directory;
    if (name.size == 0 || directory == NULL) {
        task->fault = (struct fil_wire_fault){.field = "name", .reason = "is empty"};
        return directory == NULL ? FIL_E_UNSUPPORTED : FIL_E_INVALID;
    }
    if (task->container == NULL && is_it(session->container, type, name)) {
        task->container = session->container;
    }
    if (task->container == NULL) { // read before, on the loop, otherwise
        int error = fil_directory_get(directory, type, name, &task->container);
        if (error != FIL_OK) {
            return error;
        }
        session->container = task->container;
    }
    task->key.partition_id = task->container->partition_id;
    return fil_wire_view_find(task);
}

static uint64_t count_items(const struct fil_wire_part *part)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(part);
    struct fil_bytes data;
    uint64_t count = 0;
    while (fil_wire_cursor_data(&cursor, &data)) {
        count++;
    }
    return count;
}

int fil_wire_items_take(struct fil_wire_items *items, struct fil_wire_task *task)
{
    uint64_t count = count_items(&task->part);
    struct fil_wire_cursor cursor = fil_wire_part_open(&task->part);
    struct fil_bytes data;
    int error = FIL_OK;
    *items = (struct fil_wire_items){.items = fil_alloc_zero(count + 1, sizeof(struct fil_bytes))};
    if (items->items == NULL) {
        return FIL_E_NOMEM;
    }
    while (error == FIL_OK && fil_wire_cursor_data(&cursor, &data)) {
        error = fil_wire_task_take_value(task, data, &items->items[items->count]);
        items->count++;
    }
    if (error != FIL_OK) {
        fil_wire_items_free(items);
    }
    return error;
}

void fil_wire_items_free(struct fil_wire_items *items)
{
    fil_free(items->items);
    items->items = NULL;
}

static struct fil_wire_header response_header(const struct fil_wire_task *task)
{
    return (struct fil_wire_header){.type = task->header.type + 1,
                                    .correlation = task->header.correlation};
}

int fil_wire_answer_i32(struct fil_wire_task *task, uint64_t value)
{
    struct fil_wire_header header = response_header(task);
    uint8_t *fixed = fil_wire_writer_open_response(task->writer, &header, sizeof(int32_t));
    if (fixed != NULL) {
        fil_store_u32_le(fixed, value > INT32_MAX ? (uint32_t)INT32_MAX : (uint32_t)value);
    }
    return fil_wire_writer_finish(task->writer);
}

int fil_wire_answer_i64(struct fil_wire_task *task, int64_t value)
{
    struct fil_wire_header header = response_header(task);
    uint8_t *fixed = fil_wire_writer_open_response(task->writer, &header, sizeof(int64_t));
    if (fixed != NULL) {
        fil_store_u64_le(fixed, (uint64_t)value);
    }
    return fil_wire_writer_finish(task->writer);
}

int fil_wire_answer_refusal(struct fil_wire_task *task, enum fil_wire_error_code code,
                            const char *text)
{
    fil_wire_answer_code(task->writer, task->header.correlation, code, text);
    return FIL_OK;
}

void fil_wire_answer_list_open(struct fil_wire_task *task)
{
    struct fil_wire_header header = response_header(task);
    (void)fil_wire_writer_open_response(task->writer, &header, 0);
    fil_wire_writer_begin(task->writer);
}

int fil_wire_answer_list_close(struct fil_wire_task *task)
{
    fil_wire_writer_end(task->writer);
    return fil_wire_writer_finish(task->writer);
}

int fil_wire_container_clear(struct fil_wire_task *task)
{
    task->container->type->clear(task->container, task->now_ms);
    return fil_wire_answer_empty(task);
}
