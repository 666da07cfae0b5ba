// SPDX-License-Identifier: Apache-2.0
/** Requests that only queues have. */
#include "filbert/error.h"
#include "grid/queue/queue.h"
#include "protocol/client/generated/queue.h"
#include "protocol/client/serve/collection.h"
#include "protocol/client/serve/container_task.h"

#define READER(message_name, statements) \
    FIL_WIRE_CONTAINER_READER(message_name, fil_queue_type, statements)

READER(queue_offer, FIL_WIRE_TAKE_VALUE; task->timeout_ms = request.timeout_millis)
READER(queue_put, FIL_WIRE_TAKE_VALUE; task->timeout_ms = FIL_WIRE_FOREVER)
READER(queue_poll, task->timeout_ms = request.timeout_millis)
READER(queue_take, task->timeout_ms = FIL_WIRE_FOREVER)
READER(queue_drain_to_max_size, task->limit = request.max_size)
READER(queue_peek, (void)0)
READER(queue_drain_to, FIL_WIRE_TAKE_WHOLE)
READER(queue_remaining_capacity, (void)0)

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

int fil_wire__queue_remaining_capacity_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i32(task, fil_queue_room_here(queue_of(task)));
}

static int answer_items(struct fil_wire_task *task, uint64_t limit)
{
    fil_wire_answer_list_open(task);
    fil_queue_visit_here(queue_of(task), limit, fil_wire_write_item, task->writer);
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

int fil_wire__queue_drain_to_run(struct fil_wire_task *task)
{
    return drain(task, UINT64_MAX);
}

int fil_wire__queue_drain_to_max_size_run(struct fil_wire_task *task)
{
    // Less than nothing means all.
    return drain(task, task->limit < 0 ? UINT64_MAX : (uint64_t)task->limit);
}
