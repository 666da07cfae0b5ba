// SPDX-License-Identifier: Apache-2.0
/** Requests about replicated maps. Keys are kept as they come, values in their form. */
#include "filbert/error.h"
#include "grid/replicated/replicated.h"
#include "protocol/client/generated/replicated_map.h"
#include "protocol/client/serve/container_task.h"

#define READER(message_name, statements) \
    FIL_WIRE_CONTAINER_READER(message_name, fil_replicated_type, statements)
#define TAKE_KEY task->key.bytes = request.key

READER(replicated_map_put, FIL_WIRE_TAKE_VALUE; TAKE_KEY; task->ttl_ms = request.ttl)
READER(replicated_map_get, TAKE_KEY)
READER(replicated_map_remove, TAKE_KEY)
READER(replicated_map_contains_key, TAKE_KEY)
READER(replicated_map_contains_value, FIL_WIRE_TAKE_VALUE)
READER(replicated_map_put_all, task->part = request.entries)
READER(replicated_map_size, (void)0)
READER(replicated_map_is_empty, (void)0)
READER(replicated_map_clear, (void)0)
READER(replicated_map_key_set, (void)0)
READER(replicated_map_values, (void)0)
READER(replicated_map_entry_set, (void)0)

static struct fil_replicated *map_of(const struct fil_wire_task *task)
{
    return fil_replicated_of(task->container);
}

int fil_wire__replicated_map_size_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i32(task, fil_replicated_size_here(map_of(task)));
}

int fil_wire__replicated_map_is_empty_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(task, fil_replicated_size_here(map_of(task)) == 0);
}

int fil_wire__replicated_map_clear_run(struct fil_wire_task *task)
{
    return fil_wire_container_clear(task);
}

int fil_wire__replicated_map_get_run(struct fil_wire_task *task)
{
    struct fil_bytes value = {0};
    bool is_there = fil_replicated_get_here(map_of(task), task->key.bytes, task->now_ms, &value);
    return fil_wire_answer_form(task, is_there ? value : (struct fil_bytes){0});
}

int fil_wire__replicated_map_contains_key_run(struct fil_wire_task *task)
{
    struct fil_bytes value;
    return fil_wire_answer_bool(
        task, fil_replicated_get_here(map_of(task), task->key.bytes, task->now_ms, &value));
}

int fil_wire__replicated_map_contains_value_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(
        task, fil_replicated_contains_value_here(map_of(task), task->value, task->now_ms));
}

int fil_wire__replicated_map_put_run(struct fil_wire_task *task)
{
    uint64_t ttl_ms = task->ttl_ms < 0 ? 0 : (uint64_t)task->ttl_ms;
    struct fil_bytes old = {0};
    int error = fil_replicated_put_here(map_of(task), task->key.bytes, task->value, ttl_ms,
                                        task->now_ms, &old);
    return error == FIL_OK ? fil_wire_answer_form(task, old) : error;
}

int fil_wire__replicated_map_remove_run(struct fil_wire_task *task)
{
    struct fil_bytes old = {0};
    bool was_there = fil_replicated_remove_here(map_of(task), task->key.bytes, task->now_ms, &old);
    return fil_wire_answer_form(task, was_there ? old : (struct fil_bytes){0});
}

int fil_wire__replicated_map_put_all_run(struct fil_wire_task *task)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(&task->part);
    struct fil_bytes key;
    struct fil_bytes value;
    struct fil_bytes form;
    struct fil_bytes old;
    int error = FIL_OK;
    while (error == FIL_OK && fil_wire_cursor_data(&cursor, &key) &&
           fil_wire_cursor_data(&cursor, &value)) {
        error = fil_wire_task_take_value(task, value, &form);
        if (error == FIL_OK) {
            error = fil_replicated_put_here(map_of(task), key, form, 0, task->now_ms, &old);
        }
    }
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

static void write_key(void *context, const struct fil_store_view *view)
{
    fil_wire_writer_bytes(context, view->key);
}

static void write_value(void *context, const struct fil_store_view *view)
{
    fil_wire_writer_form(context, view->value);
}

static void write_entry(void *context, const struct fil_store_view *view)
{
    write_key(context, view);
    write_value(context, view);
}

static int answer_all(struct fil_wire_task *task, fil_store_visit_fn write)
{
    fil_wire_answer_list_open(task);
    fil_replicated_visit_here(map_of(task), task->now_ms, write, task->writer);
    return fil_wire_answer_list_close(task);
}

int fil_wire__replicated_map_key_set_run(struct fil_wire_task *task)
{
    return answer_all(task, write_key);
}

int fil_wire__replicated_map_values_run(struct fil_wire_task *task)
{
    return answer_all(task, write_value);
}

int fil_wire__replicated_map_entry_set_run(struct fil_wire_task *task)
{
    return answer_all(task, write_entry);
}
