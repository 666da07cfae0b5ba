// SPDX-License-Identifier: Apache-2.0
/** Requests about queues. */
#include "filbert/error.h"
#include "grid/queue/queue.h"
#include "protocol/client/generated/queue.h"
#include "protocol/client/serve/container_task.h"

#define READER(message_name, statements) \
    FIL_WIRE_CONTAINER_READER(message_name, fil_queue_type, statements)
#define TAKE_LIST task->part = request.data_list

READER(queue_offer, FIL_WIRE_TAKE_VALUE; task->timeout_ms = request.timeout_millis)
READER(queue_put, FIL_WIRE_TAKE_VALUE; task->timeout_ms = FIL_WIRE_FOREVER)
READER(queue_poll, task->timeout_ms = request.timeout_millis)
READER(queue_take, task->timeout_ms = FIL_WIRE_FOREVER)
READER(queue_remove, FIL_WIRE_TAKE_VALUE)
READER(queue_contains, FIL_WIRE_TAKE_VALUE)
READER(queue_drain_to_max_size, task->limit = request.max_size)
READER(queue_contains_all, TAKE_LIST)
READER(queue_compare_and_remove_all, TAKE_LIST)
READER(queue_compare_and_retain_all, TAKE_LIST)
READER(queue_add_all, TAKE_LIST)
READER(queue_size, (void)0)
READER(queue_peek, (void)0)
READER(queue_iterator, (void)0)
READER(queue_drain_to, (void)0)
READER(queue_clear, (void)0)
READER(queue_remaining_capacity, (void)0)
READER(queue_is_empty, (void)0)

static struct fil_queue *queue_of(const struct fil_wire_task *task)
{
    return fil_queue_of(task->container);
}

int fil_wire__queue_offer_run(struct fil_wire_task *task)
{
    int error = fil_queue_offer_here(queue_of(task), &task->waiter, task->value, task->now_ms);
    if (fil_wire_task_gives_up(task, error)) {
        return fil_wire_answer_bool(task, false);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, true) : error;
}

int fil_wire__queue_put_run(struct fil_wire_task *task)
{
    int error = fil_queue_offer_here(queue_of(task), &task->waiter, task->value, task->now_ms);
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

/** Answers with the next item, and takes it away once the answer is written. */
static int hand_over(struct fil_wire_task *task)
{
    struct fil_bytes item;
    int error = fil_queue_next_here(queue_of(task), &task->waiter, &item);
    if (error == FIL_OK) {
        error = fil_wire_answer_form(task, item);
    }
    if (error == FIL_OK) {
        fil_queue_take_here(queue_of(task), &task->waiter, task->now_ms);
    }
    return error;
}

int fil_wire__queue_poll_run(struct fil_wire_task *task)
{
    int error = hand_over(task);
    return fil_wire_task_gives_up(task, error) ? fil_wire_answer_form(task, (struct fil_bytes){0})
                                               : error;
}

int fil_wire__queue_take_run(struct fil_wire_task *task)
{
    return hand_over(task);
}

int fil_wire__queue_peek_run(struct fil_wire_task *task)
{
    struct fil_bytes item = {0};
    bool is_there = fil_queue_peek_here(queue_of(task), task->now_ms, &item);
    return fil_wire_answer_form(task, is_there ? item : (struct fil_bytes){0});
}

int fil_wire__queue_size_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i32(task, fil_queue_size_here(queue_of(task)));
}

int fil_wire__queue_is_empty_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(task, fil_queue_size_here(queue_of(task)) == 0);
}

int fil_wire__queue_remaining_capacity_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i32(task, fil_queue_room_here(queue_of(task)));
}

int fil_wire__queue_remove_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(task,
                                fil_queue_remove_here(queue_of(task), task->value, task->now_ms));
}

int fil_wire__queue_contains_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(task, fil_queue_contains_here(queue_of(task), task->value));
}

int fil_wire__queue_clear_run(struct fil_wire_task *task)
{
    return fil_wire_container_clear(task);
}

static bool write_item(void *context, struct fil_bytes item)
{
    fil_wire_writer_form(context, item);
    return true;
}

static int answer_items(struct fil_wire_task *task, uint64_t limit)
{
    fil_wire_answer_list_open(task);
    fil_queue_visit_here(queue_of(task), limit, write_item, task->writer);
    return fil_wire_answer_list_close(task);
}

/** The items go only when the answer has been written. */
static int drain(struct fil_wire_task *task, uint64_t limit)
{
    int error = answer_items(task, limit);
    if (error == FIL_OK) {
        (void)fil_queue_drain_here(queue_of(task), limit, task->now_ms);
    }
    return error;
}

int fil_wire__queue_iterator_run(struct fil_wire_task *task)
{
    return answer_items(task, UINT64_MAX);
}

int fil_wire__queue_drain_to_run(struct fil_wire_task *task)
{
    return drain(task, UINT64_MAX);
}

int fil_wire__queue_drain_to_max_size_run(struct fil_wire_task *task)
{
    // Less than nothing means all.
    return drain(task, task->limit < 0 ? UINT64_MAX : (uint64_t)task->limit);
}

int fil_wire__queue_contains_all_run(struct fil_wire_task *task)
{
    struct fil_wire_items items;
    bool has_all = false;
    int error = fil_wire_items_take(&items, task);
    if (error == FIL_OK) {
        error = fil_queue_contains_all_here(queue_of(task), items.items, items.count, &has_all);
        fil_wire_items_free(&items);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, has_all) : error;
}

static int sift(struct fil_wire_task *task, enum fil_sift which)
{
    struct fil_wire_items items;
    bool has_changed = false;
    int error = fil_wire_items_take(&items, task);
    if (error == FIL_OK) {
        error = fil_queue_sift_here(queue_of(task), which, items.items, items.count, task->now_ms,
                                    &has_changed);
        fil_wire_items_free(&items);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, has_changed) : error;
}

int fil_wire__queue_compare_and_remove_all_run(struct fil_wire_task *task)
{
    return sift(task, FIL_SIFT_REMOVE_NAMED);
}

int fil_wire__queue_compare_and_retain_all_run(struct fil_wire_task *task)
{
    return sift(task, FIL_SIFT_RETAIN_NAMED);
}

int fil_wire__queue_add_all_run(struct fil_wire_task *task)
{
    struct fil_wire_items items;
    int error = fil_wire_items_take(&items, task);
    if (error == FIL_OK) {
        error = fil_queue_add_all_here(queue_of(task), items.items, items.count, task->now_ms);
        fil_wire_items_free(&items);
    }
    if (error == FIL_E_FULL) {
        return fil_wire_answer_bool(task, false);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, true) : error;
}
