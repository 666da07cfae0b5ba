// SPDX-License-Identifier: Apache-2.0
/** Requests about sets. */
#include "filbert/error.h"
#include "grid/set/set.h"
#include "protocol/client/generated/set.h"
#include "protocol/client/serve/container_task.h"

#define READER(message_name, statements) \
    FIL_WIRE_CONTAINER_READER(message_name, fil_set_type, statements)

READER(set_add, FIL_WIRE_TAKE_VALUE)
READER(set_remove, FIL_WIRE_TAKE_VALUE)
READER(set_contains, FIL_WIRE_TAKE_VALUE)
READER(set_contains_all, task->part = request.items)
READER(set_add_all, task->part = request.value_list)
READER(set_compare_and_remove_all, task->part = request.values)
READER(set_compare_and_retain_all, task->part = request.values)
READER(set_size, (void)0)
READER(set_is_empty, (void)0)
READER(set_clear, (void)0)
READER(set_get_all, (void)0)

static struct fil_set *set_of(const struct fil_wire_task *task)
{
    return fil_set_of(task->container);
}

int fil_wire__set_size_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i32(task, fil_set_size_here(set_of(task)));
}

int fil_wire__set_is_empty_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(task, fil_set_size_here(set_of(task)) == 0);
}

int fil_wire__set_clear_run(struct fil_wire_task *task)
{
    return fil_wire_container_clear(task);
}

int fil_wire__set_contains_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(task,
                                fil_set_contains_here(set_of(task), task->value, task->now_ms));
}

int fil_wire__set_remove_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(task, fil_set_remove_here(set_of(task), task->value, task->now_ms));
}

/** A full set takes nothing, which is no error. */
static int answer_added(struct fil_wire_task *task, int error, bool has_changed)
{
    if (error == FIL_E_FULL) {
        return fil_wire_answer_bool(task, false);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, has_changed) : error;
}

int fil_wire__set_add_run(struct fil_wire_task *task)
{
    bool is_new = false;
    int error = fil_set_add_here(set_of(task), task->value, task->now_ms, &is_new);
    return answer_added(task, error, is_new);
}

int fil_wire__set_add_all_run(struct fil_wire_task *task)
{
    struct fil_wire_items items;
    bool has_changed = false;
    int error = fil_wire_items_take(&items, task);
    if (error == FIL_OK) {
        error = fil_set_add_all_here(set_of(task), items.items, items.count, task->now_ms,
                                     &has_changed);
        fil_wire_items_free(&items);
    }
    return answer_added(task, error, has_changed);
}

int fil_wire__set_contains_all_run(struct fil_wire_task *task)
{
    struct fil_wire_items items;
    int error = fil_wire_items_take(&items, task);
    if (error != FIL_OK) {
        return error;
    }
    bool has_all = true;
    for (uint64_t i = 0; i < items.count && has_all; i++) {
        has_all = fil_set_contains_here(set_of(task), items.items[i], task->now_ms);
    }
    fil_wire_items_free(&items);
    return fil_wire_answer_bool(task, has_all);
}

static int sift(struct fil_wire_task *task, enum fil_sift which)
{
    struct fil_wire_items items;
    bool has_changed = false;
    int error = fil_wire_items_take(&items, task);
    if (error == FIL_OK) {
        error = fil_set_sift_here(set_of(task), which, items.items, items.count, task->now_ms,
                                  &has_changed);
        fil_wire_items_free(&items);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, has_changed) : error;
}

int fil_wire__set_compare_and_remove_all_run(struct fil_wire_task *task)
{
    return sift(task, FIL_SIFT_REMOVE_NAMED);
}

int fil_wire__set_compare_and_retain_all_run(struct fil_wire_task *task)
{
    return sift(task, FIL_SIFT_RETAIN_NAMED);
}

static void write_item(void *context, struct fil_bytes item)
{
    fil_wire_writer_form(context, item);
}

int fil_wire__set_get_all_run(struct fil_wire_task *task)
{
    fil_wire_answer_list_open(task);
    fil_set_visit_here(set_of(task), write_item, task->writer);
    return fil_wire_answer_list_close(task);
}
