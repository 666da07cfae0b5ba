// SPDX-License-Identifier: Apache-2.0
/** Requests that make something else of entries: aggregations and projections. */
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/query/aggregate.h"
#include "protocol/client/query/projection.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/whole.h"

// Aggregations.

static int take_aggregator(struct fil_wire_task *task, struct fil_bytes aggregator)
{
    struct fil_query_aggregate aggregate;
    int error = fil_query_aggregate_init(&aggregate, aggregator, &task->fault);
    if (error == FIL_OK) {
        fil_query_aggregate_fini(&aggregate);
    }
    task->value = aggregator;
    return error;
}

static int take_projection(struct fil_wire_task *task, struct fil_bytes data)
{
    struct fil_query_projection projection;
    task->value = data;
    return fil_query_projection_init(&projection, data, &task->fault);
}

/** A reader of a request with a function and perhaps a predicate. */
#define READER(message_name, take_function, statements)                              \
    int fil_wire__##message_name##_read(struct fil_wire_task *task)                  \
    {                                                                                \
        struct fil_wire_##message_name##_request request;                            \
        int error = FIL_WIRE_READ(message_name, task, &request);                     \
        if (error == FIL_OK) {                                                       \
            error = take_function;                                                   \
        }                                                                            \
        if (error == FIL_OK) {                                                       \
            statements;                                                              \
        }                                                                            \
        return error == FIL_OK ? fil_wire_task_find_map(task, request.name) : error; \
    }

#define TAKE_PREDICATE error = fil_wire_task_take_predicate(task, request.predicate)

READER(map_aggregate, take_aggregator(task, request.aggregator), (void)0)
READER(map_aggregate_with_predicate, take_aggregator(task, request.aggregator), TAKE_PREDICATE)
READER(map_project, take_projection(task, request.projection), (void)0)
READER(map_project_with_predicate, take_projection(task, request.projection), TAKE_PREDICATE)

static void free_aggregate(void *work)
{
    fil_query_aggregate_fini(work);
    fil_free(work);
}

static void add_entry(void *context, const struct fil_store_view *view)
{
    const struct fil_wire_sink *sink = context;
    struct fil_wire_task *task = sink->task;
    if (task->query_error != FIL_OK || !fil_wire_task_means(task, view)) {
        return;
    }
    struct fil_query_entry entry = fil_wire_task_entry(task, view);
    task->query_error = fil_query_aggregate_add(sink->call->work, &entry);
    if (task->query_error == FIL_E_INVALID) {
        task->fault = (struct fil_wire_fault){.field = "an attribute",
                                              .reason = "is no number, and cannot be summed up"};
    }
    fil_wire_task_note_opaque(task, &entry);
}

/** The work could not be made where the walk was prepared. */
static bool has_work(struct fil_map_walk *walk)
{
    const struct fil_wire_call *call = FIL_CONTAINER_OF(walk, struct fil_wire_call, walk);
    if (call->work == NULL) {
        walk->error = FIL_E_NOMEM;
        walk->is_over = true;
    }
    return call->work != NULL;
}

static uint64_t slice_aggregate(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return has_work(walk) ? fil_wire_whole_slice(walk, partition, add_entry) : FIL_STORE_SCAN_END;
}

static void begin_aggregate(struct fil_wire_call *call)
{
    struct fil_query_aggregate *aggregate = fil_alloc(sizeof(*aggregate));
    struct fil_wire_fault fault;
    if (aggregate != NULL &&
        fil_query_aggregate_init(aggregate, call->task.value, &fault) == FIL_OK) {
        call->work = aggregate;
        call->free_work = free_aggregate;
    } else {
        fil_free(aggregate);
    }
    fil_map_walk_init(&call->walk, call->task.map, call->task.handler->name, slice_aggregate);
}

static int answer_aggregate(struct fil_wire_task *task)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(task, struct fil_wire_call, task);
    struct fil_map_buffer data;
    fil_map_buffer_init(&data);
    bool is_there = fil_query_aggregate_result(call->work, &data);
    int error = data.is_out_of_memory ? FIL_E_NOMEM : FIL_OK;
    if (error == FIL_OK) {
        struct fil_bytes none = {0};
        error = fil_wire_answer_data(task, is_there ? fil_map_buffer_bytes(&data) : none);
    }
    fil_map_buffer_fini(&data);
    return error;
}

void fil_wire__map_aggregate_walk(struct fil_wire_call *call)
{
    begin_aggregate(call);
}

int fil_wire__map_aggregate_run(struct fil_wire_task *task)
{
    return answer_aggregate(task);
}

void fil_wire__map_aggregate_with_predicate_walk(struct fil_wire_call *call)
{
    begin_aggregate(call);
}

int fil_wire__map_aggregate_with_predicate_run(struct fil_wire_task *task)
{
    return answer_aggregate(task);
}

// Projections.

static uint64_t slice_projected(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return has_work(walk) ? fil_wire_whole_slice(walk, partition, fil_wire_whole_project)
                          : FIL_STORE_SCAN_END;
}

static void begin_projection(struct fil_wire_call *call)
{
    call->work = fil_query_projection_new(call->task.value);
    call->free_work = fil_free;
    fil_wire_whole_begin(call, slice_projected);
}

void fil_wire__map_project_walk(struct fil_wire_call *call)
{
    begin_projection(call);
}

int fil_wire__map_project_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}

void fil_wire__map_project_with_predicate_walk(struct fil_wire_call *call)
{
    begin_projection(call);
}

int fil_wire__map_project_with_predicate_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}
