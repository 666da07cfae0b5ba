// SPDX-License-Identifier: Apache-2.0
/** Requests about topics. */
#include "filbert/error.h"
#include "grid/topic/topic.h"
#include "protocol/client/generated/topic.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/session.h"

/** How long they wait for listeners without room: only once, and then not at all. */
#define TAKE_TIMEOUT task->timeout_ms = task->session->server->options.publish_timeout_ms

FIL_WIRE_CONTAINER_READER(topic_publish, fil_topic_type, TAKE_TIMEOUT;
                          error = fil_wire_task_take_value(task, request.message, &task->value))
FIL_WIRE_CONTAINER_READER(topic_publish_all, fil_topic_type, TAKE_TIMEOUT;
                          task->part = request.messages)

/** FIL_E_AGAIN: it waits. When its time is over what has no room is dropped, and counted. */
static int await_room(struct fil_wire_task *task)
{
    struct fil_topic *topic = fil_topic_of(task->container);
    return task->timeout_ms > 0 ? fil_topic_await_room_here(topic, &task->waiter, task->now_ms)
                                : FIL_OK;
}

int fil_wire__topic_publish_run(struct fil_wire_task *task)
{
    struct fil_topic *topic = fil_topic_of(task->container);
    int error = await_room(task);
    if (error != FIL_OK) {
        return error;
    }
    (void)fil_topic_publish_here(topic, task->value, task->session->owner, task->now_ms);
    return fil_wire_answer_empty(task);
}

int fil_wire__topic_publish_all_run(struct fil_wire_task *task)
{
    struct fil_topic *topic = fil_topic_of(task->container);
    struct fil_wire_items items;
    int error = await_room(task);
    if (error == FIL_OK) {
        error = fil_wire_items_take(&items, task);
    }
    if (error != FIL_OK) {
        return error;
    }
    for (uint64_t i = 0; i < items.count; i++) {
        (void)fil_topic_publish_here(topic, items.items[i], task->session->owner, task->now_ms);
    }
    fil_wire_items_free(&items);
    return fil_wire_answer_empty(task);
}
