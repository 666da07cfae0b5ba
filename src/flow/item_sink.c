// SPDX-License-Identifier: Apache-2.0
// Writes records as items to a queue, list, topic or ring buffer: a batch an operation, in order.
#include <string.h>

#include "filbert/error.h"
#include "flow/connector.h"
#include "flow/form.h"
#include "flow/port.h"
#include "grid/list/list.h"
#include "grid/queue/queue.h"
#include "grid/ringbuffer/ringbuffer.h"
#include "grid/topic/topic.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define RETRY_NS UINT64_C(5000000) // a queue or list that is full is tried again then

struct sink {
    const struct fil_connection *connection;
    struct fil_port port;
    struct fil_container *container;
    struct fil_budget *budget;

    // The operation under way, one at a time: the order is the stream's.
    struct fil_call call;
    struct fil_bytes items[FIL_BATCH_RECORDS];
    uint32_t count;
    uint32_t first; // that has not been written
    uint32_t chunk; // how many of them this time: fewer when there was no room
    char *memory;   // of the items
    size_t memory_size;
    size_t item_max;
    bool is_refused; // the structure was full: the same again later
    uint64_t retry_ns;
};

static const struct fil_container_type *type_of(enum fil_connection_kind kind)
{
    switch (kind) {
    case FIL_CONNECTION_WRITE_QUEUE:
        return &fil_queue_type;
    case FIL_CONNECTION_WRITE_LIST:
        return &fil_list_type;
    case FIL_CONNECTION_WRITE_TOPIC:
        return &fil_topic_type;
    case FIL_CONNECTION_WRITE_RINGBUFFER:
    case FIL_CONNECTION_READ_MAP:
    case FIL_CONNECTION_READ_JOURNAL:
    case FIL_CONNECTION_READ_RINGBUFFER:
    case FIL_CONNECTION_LOOKUP:
    case FIL_CONNECTION_WRITE_MAP:
    case FIL_CONNECTION_CALL:
    case FIL_CONNECTION_WRITE_HTTP:
        break;
    }
    fil_assert(kind == FIL_CONNECTION_WRITE_RINGBUFFER);
    return &fil_ringbuffer_type;
}

static int sink_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct sink *sink = self;
    const struct fil_connection *connection = config;
    struct fil_flow_grid *grid = connection->grid;
    sink->connection = connection;
    sink->budget = context->budget;
    sink->item_max = fil_form_size_max(&connection->value_type);
    sink->memory_size = sink->item_max * FIL_BATCH_RECORDS;
    int error = fil_port_init(&sink->port, grid->exec, context->tasklet);
    if (error == FIL_OK) {
        error = fil_directory_get(grid->directory, type_of(connection->kind),
                                  fil_bytes_of(connection->name), &sink->container);
    }
    if (error == FIL_OK) {
        sink->memory = fil_budget_alloc(sink->budget, sink->memory_size);
        error = sink->memory == NULL ? FIL_E_NOMEM : FIL_OK;
    }
    return error;
}

static void sink_close(void *self)
{
    struct sink *sink = self;
    fil_port_fini(&sink->port);
    if (sink->memory != NULL) {
        fil_budget_free(sink->budget, sink->memory, sink->memory_size);
    }
}

static int publish_here(struct sink *sink, uint64_t now_ms)
{
    for (uint32_t i = sink->first; i < sink->first + sink->chunk; i++) {
        (void)fil_topic_publish_here(fil_topic_of(sink->container), sink->items[i], 0, now_ms);
    }
    return FIL_OK;
}

static int write_here(struct sink *sink, uint64_t now_ms)
{
    struct fil_container *container = sink->container;
    const struct fil_bytes *items = &sink->items[sink->first];
    int64_t sequence = 0;
    if (container->type == &fil_topic_type) {
        return publish_here(sink, now_ms);
    }
    if (container->type == &fil_queue_type) {
        return fil_queue_add_all_here(fil_queue_of(container), items, sink->chunk, now_ms);
    }
    if (container->type == &fil_list_type) {
        return fil_list_add_here(fil_list_of(container), FIL_LIST_END, items, sink->chunk, now_ms);
    }
    return fil_ringbuffer_add_here(fil_ringbuffer_of(container), FIL_RINGBUFFER_OVERWRITE, items,
                                   sink->chunk, now_ms, &sequence);
}

static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    struct sink *sink = FIL_CONTAINER_OF(op, struct sink, call.op);
    op->error = write_here(sink, fil_container_now_ms(sink->container, partition->runner->now_ns));
    return FIL_OP_DONE;
}

static const struct fil_op_type op_type = {
    .name = "stream item sink", .run = run_op, .complete = fil_call_complete};

static void dispatch(struct sink *sink)
{
    fil_port_submit(&sink->port, &sink->call, &op_type, sink->container->partition_id);
}

/** An operation has come back: what is next. */
static int go_on(struct sink *sink, struct fil_processor_context *context)
{
    int error = sink->call.op.error;
    if (error == FIL_OK) {
        sink->first += sink->chunk;
        sink->chunk = sink->count - sink->first;
    } else if (error == FIL_E_FULL && sink->chunk > 1) {
        sink->chunk /= 2; // a small queue may never have room for all
    } else if (error == FIL_E_FULL) {
        sink->is_refused = true;
        sink->retry_ns = context->now_ns + RETRY_NS;
        return FIL_OK;
    } else {
        return error == FIL_E_AGAIN ? FIL_E_LIMIT : error;
    }
    if (sink->chunk > 0) {
        dispatch(sink);
    }
    return FIL_OK;
}

/** FIL_OK when all that was gathered is written; FIL_E_AGAIN while it is not. */
static int settle(struct sink *sink, struct fil_processor_context *context)
{
    while (sink->first < sink->count) {
        if (sink->is_refused && context->now_ns < sink->retry_ns) {
            context->wake_at_ns = sink->retry_ns;
            return FIL_E_AGAIN;
        }
        if (sink->is_refused) {
            sink->is_refused = false;
            dispatch(sink);
        }
        if (fil_port_take(&sink->port) == NULL) {
            return FIL_E_AGAIN;
        }
        int error = go_on(sink, context);
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

static void gather(struct sink *sink, struct fil_inbox *inbox)
{
    sink->count = 0;
    sink->first = 0;
    while (inbox->position < inbox->limit && sink->count < FIL_BATCH_RECORDS) {
        char *bytes = sink->memory + sink->item_max * sink->count;
        size_t size = fil_form_write_value(&sink->connection->value_type,
                                           fil_batch_record(inbox->batch, inbox->position), bytes,
                                           sink->item_max);
        sink->items[sink->count] = fil_bytes_make(bytes, size);
        sink->count++;
        inbox->position++;
    }
    sink->chunk = sink->count;
}

static int sink_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct sink *sink = self;
    while (inbox->position < inbox->limit) {
        int result = settle(sink, context);
        if (result != FIL_OK) {
            return result;
        }
        gather(sink, inbox);
        dispatch(sink);
    }
    return FIL_OK;
}

static int finish(struct sink *sink, struct fil_processor_context *context)
{
    int result = settle(sink, context);
    if (result != FIL_OK) {
        return result;
    }
    return fil_port_is_quiet(&sink->port, context) ? FIL_OK : FIL_E_AGAIN;
}

static int sink_save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer)
{
    (void)writer; // the structure is the state
    return finish(self, context);
}

static int sink_complete(void *self, struct fil_processor_context *context)
{
    return finish(self, context);
}

static int sink_stop(void *self, struct fil_processor_context *context)
{
    struct sink *sink = self;
    (void)fil_port_take(&sink->port);
    return fil_port_is_quiet(&sink->port, context) ? FIL_OK : FIL_E_AGAIN;
}

const struct fil_processor_ops fil_item_sink_ops = {.name = "item sink",
                                                    .size = sizeof(struct sink),
                                                    .init = sink_init,
                                                    .process = sink_process,
                                                    .complete = sink_complete,
                                                    .save = sink_save,
                                                    .stop = sink_stop,
                                                    .close = sink_close};
