// SPDX-License-Identifier: Apache-2.0
/** Requests that only lists have. */
#include "filbert/error.h"
#include "grid/list/list.h"
#include "lib/base/endian.h"
#include "protocol/client/generated/list.h"
#include "protocol/client/serve/collection.h"
#include "protocol/client/serve/container_task.h"

#define READER(message_name, statements) \
    FIL_WIRE_CONTAINER_READER(message_name, fil_list_type, statements)
#define TAKE_INDEX task->index = request.index

READER(list_add, FIL_WIRE_TAKE_VALUE)
READER(list_index_of, FIL_WIRE_TAKE_VALUE; FIL_WIRE_TAKE_WHOLE)
READER(list_last_index_of, FIL_WIRE_TAKE_VALUE; FIL_WIRE_TAKE_WHOLE)
READER(list_set, FIL_WIRE_TAKE_VALUE; TAKE_INDEX)
READER(list_add_with_index, FIL_WIRE_TAKE_VALUE; TAKE_INDEX)
READER(list_get, TAKE_INDEX)
READER(list_remove_with_index, TAKE_INDEX)
READER(list_list_iterator, TAKE_INDEX; FIL_WIRE_TAKE_WHOLE)
READER(list_sub, task->index = request.from; task->limit = request.to)
READER(list_add_all_with_index, task->part = request.value_list; TAKE_INDEX; FIL_WIRE_TAKE_WHOLE)

static struct fil_list_container *list_of(const struct fil_wire_task *task)
{
    return fil_list_of(task->container);
}

static int refuse_index(struct fil_wire_task *task)
{
    return fil_wire_answer_refusal(task, FIL_WIRE_ERROR_INDEX_OUT_OF_BOUNDS,
                                   "list: the index is out of bounds");
}

/** The index as a place; one below 0 is nowhere. */
static uint64_t place_of(const struct fil_wire_task *task)
{
    return task->index < 0 ? FIL_LIST_END - 1 : (uint64_t)task->index;
}

int fil_wire__list_add_run(struct fil_wire_task *task)
{
    int error = fil_list_add_here(list_of(task), FIL_LIST_END, &task->value, 1, task->now_ms);
    return fil_wire_answer_added(task, error, true);
}

int fil_wire__list_add_with_index_run(struct fil_wire_task *task)
{
    int error = fil_list_add_here(list_of(task), place_of(task), &task->value, 1, task->now_ms);
    if (error == FIL_E_INVALID) {
        return refuse_index(task);
    }
    return error == FIL_OK || error == FIL_E_FULL ? fil_wire_answer_empty(task) : error;
}

int fil_wire__list_add_all_with_index_run(struct fil_wire_task *task)
{
    struct fil_wire_items items;
    int error = fil_wire_items_take(&items, task);
    if (error != FIL_OK) {
        return error;
    }
    error =
        fil_list_add_here(list_of(task), place_of(task), items.items, items.count, task->now_ms);
    bool has_changed = error == FIL_OK && items.count > 0;
    fil_wire_items_free(&items);
    if (error == FIL_E_INVALID) {
        return refuse_index(task);
    }
    return fil_wire_answer_added(task, error, has_changed);
}

int fil_wire__list_get_run(struct fil_wire_task *task)
{
    struct fil_bytes item;
    if (!fil_list_get_here(list_of(task), place_of(task), task->now_ms, &item)) {
        return refuse_index(task);
    }
    return fil_wire_answer_form(task, item);
}

/** The old item is gone after the change: it is written first, and unwritten if there is none. */
int fil_wire__list_set_run(struct fil_wire_task *task)
{
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    struct fil_bytes old;
    if (!fil_list_get_here(list_of(task), place_of(task), task->now_ms, &old)) {
        return refuse_index(task);
    }
    (void)fil_wire_writer_open_response(task->writer, &header, 0);
    fil_wire_writer_form(task->writer, old);
    int error = task->writer->error;
    if (error == FIL_OK) {
        error = fil_list_set_here(list_of(task), place_of(task), task->value, task->now_ms);
    }
    if (error != FIL_OK) {
        (void)fil_wire_writer_refuse(task->writer, error);
    }
    return fil_wire_writer_finish(task->writer);
}

int fil_wire__list_remove_with_index_run(struct fil_wire_task *task)
{
    struct fil_bytes item;
    if (!fil_list_get_here(list_of(task), place_of(task), task->now_ms, &item)) {
        return refuse_index(task);
    }
    int error = fil_wire_answer_form(task, item);
    if (error == FIL_OK) {
        (void)fil_list_remove_at_here(list_of(task), place_of(task), task->now_ms); // it is there
    }
    return error;
}

/** An index; -1 for none. */
static int answer_index(struct fil_wire_task *task, uint64_t index)
{
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    uint8_t *fixed = fil_wire_writer_open_response(task->writer, &header, sizeof(int32_t));
    if (fixed != NULL) {
        fil_store_u32_le(fixed, index == FIL_LIST_END ? UINT32_MAX : (uint32_t)index);
    }
    return fil_wire_writer_finish(task->writer);
}

int fil_wire__list_index_of_run(struct fil_wire_task *task)
{
    return answer_index(task, fil_list_find_here(list_of(task), task->value, task->now_ms));
}

int fil_wire__list_last_index_of_run(struct fil_wire_task *task)
{
    return answer_index(task, fil_list_find_last_here(list_of(task), task->value, task->now_ms));
}

static int answer_part(struct fil_wire_task *task, uint64_t from, uint64_t limit)
{
    fil_wire_answer_list_open(task);
    fil_list_visit_here(list_of(task), from, limit, fil_wire_write_item, task->writer);
    return fil_wire_answer_list_close(task);
}

int fil_wire__list_list_iterator_run(struct fil_wire_task *task)
{
    if (place_of(task) > fil_list_size_here(list_of(task))) {
        return refuse_index(task);
    }
    return answer_part(task, place_of(task), UINT64_MAX);
}

int fil_wire__list_sub_run(struct fil_wire_task *task)
{
    bool is_part = task->index >= 0 && task->limit >= task->index &&
                   (uint64_t)task->limit <= fil_list_size_here(list_of(task));
    if (!is_part) {
        return refuse_index(task);
    }
    return answer_part(task, place_of(task), (uint64_t)(task->limit - task->index));
}
