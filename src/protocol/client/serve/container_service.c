// SPDX-License-Identifier: Apache-2.0
/** What it means to make and to destroy a queue, a list, a ring buffer ... */
#include <string.h>

#include "core/exec/exec.h"
#include "filbert/error.h"
#include "grid/cardinality/cardinality.h"
#include "grid/counter/counter.h"
#include "grid/flake/flake.h"
#include "grid/list/list.h"
#include "grid/queue/queue.h"
#include "grid/replicated/replicated.h"
#include "grid/ringbuffer/ringbuffer.h"
#include "grid/set/set.h"
#include "grid/topic/topic.h"
#include "lib/base/assert.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/object_service.h"
#include "protocol/client/serve/subscription.h"
#include "protocol/client/serve/view.h"

/** The container is made, so that whoever lists figures sees it. */
static int make(struct fil_wire_task *task, const struct fil_container_type *type,
                struct fil_bytes name)
{
    task->container = NULL;
    return fil_wire_task_find_container(task, type, name);
}

static enum fil_op_outcome run_clear(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(op, struct fil_wire_call, op);
    struct fil_container *container = call->task.container;
    fil_assert(container->partition_id == partition->id);
    call->task.now_ms = fil_container_now_ms(container, partition->runner->now_ns);
    if (fil_wire_task_is_view(&call->task)) {
        fil_wire_view_clear(&call->task);
    } else {
        container->type->clear(container, call->task.now_ms);
    }
    return FIL_OP_DONE;
}

static void complete_clear(struct fil_op *op, struct fil_runner *runner)
{
    fil_wire_call_finish(FIL_CONTAINER_OF(op, struct fil_wire_call, op), runner, op->error);
}

static const struct fil_op_type clear_type = {
    .name = "client-destroy", .run = run_clear, .complete = complete_clear};

/** Of a huge one: no loop may do it. */
static const struct fil_op_type slow_clear_type = {
    .name = "client-destroy", .run = run_clear, .complete = complete_clear, .is_slow = true};

static int destroy(struct fil_wire_call *call, const struct fil_container_type *type,
                   struct fil_bytes name, struct fil_runner *runner)
{
    struct fil_wire_task *task = &call->task;
    int error = make(task, type, name);
    if (error != FIL_OK) {
        return error;
    }
    fil_wire_subscription_end_container(task->session->server, task->container, runner);
    bool is_huge = fil_wire_container_is_huge(task->container);
    fil_op_init(&call->op, is_huge ? &slow_clear_type : &clear_type, task->container->partition_id);
    fil_exec_submit(runner->exec, &call->op, runner);
    return FIL_OK;
}

#define SERVICE(noun, type)                                                                   \
    int fil_wire__##noun##_service_make(struct fil_wire_task *task, struct fil_bytes name)    \
    {                                                                                         \
        return make(task, &(type), name);                                                     \
    }                                                                                         \
    int fil_wire__##noun##_service_destroy(struct fil_wire_call *call, struct fil_bytes name, \
                                           struct fil_runner *runner)                         \
    {                                                                                         \
        return destroy(call, &(type), name, runner);                                          \
    }

SERVICE(queue, fil_queue_type)
SERVICE(list, fil_list_type)
SERVICE(set, fil_set_type)
SERVICE(ringbuffer, fil_ringbuffer_type)
SERVICE(topic, fil_topic_type)
SERVICE(replicated, fil_replicated_type)
SERVICE(pn_counter, fil_pn_counter_type)
SERVICE(flake, fil_flake_type)
SERVICE(cardinality, fil_cardinality_type)

/** A reliable topic's messages are in a ring buffer, whose name clients make of the topic's. */
static int ring_name(struct fil_bytes name, char *out_text, struct fil_bytes *out_name)
{
    static const char prefix[] = "_hz_rb_";
    size_t head = sizeof(prefix) - 1;
    if (name.size > FIL_CONTAINER_NAME_MAX - head) {
        return FIL_E_LIMIT;
    }
    memcpy(out_text, prefix, head);
    memcpy(out_text + head, name.data, name.size);
    *out_name = fil_bytes_make(out_text, head + name.size);
    return FIL_OK;
}

int fil_wire__reliable_topic_service_make(struct fil_wire_task *task, struct fil_bytes name)
{
    char text[FIL_CONTAINER_NAME_MAX];
    struct fil_bytes ring;
    int error = ring_name(name, text, &ring);
    return error == FIL_OK ? make(task, &fil_ringbuffer_type, ring) : error;
}

int fil_wire__reliable_topic_service_destroy(struct fil_wire_call *call, struct fil_bytes name,
                                             struct fil_runner *runner)
{
    char text[FIL_CONTAINER_NAME_MAX];
    struct fil_bytes ring;
    int error = ring_name(name, text, &ring);
    return error == FIL_OK ? destroy(call, &fil_ringbuffer_type, ring, runner) : error;
}
