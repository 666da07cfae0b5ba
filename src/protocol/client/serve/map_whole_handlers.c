// SPDX-License-Identifier: Apache-2.0
/** Requests about a whole map. */
#include "core/store/store.h"
#include "filbert/error.h"
#include "grid/map/map.h"
#include "grid/map/maps.h"
#include "protocol/client/generated/hot.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/object_service.h"
#include "protocol/client/serve/subscription.h"
#include "protocol/client/serve/whole.h"

int fil_wire__map_size_run(struct fil_wire_task *task)
{
    struct fil_wire_map_size_request request;
    int error = FIL_WIRE_READ(map_size, task, &request);
    if (error == FIL_OK) {
        error = fil_wire_task_find_map(task, request.name);
    }
    if (error != FIL_OK) {
        return error;
    }
    uint64_t size = fil_map_size(task->map);
    struct fil_wire_map_size_response response = {.response =
                                                      size < INT32_MAX ? (int32_t)size : INT32_MAX};
    return FIL_WIRE_ENCODE(map_size_response, task->writer, &task->header, &response);
}

int fil_wire__map_is_empty_run(struct fil_wire_task *task)
{
    struct fil_wire_map_is_empty_request request;
    int error = FIL_WIRE_READ(map_is_empty, task, &request);
    if (error == FIL_OK) {
        error = fil_wire_task_find_map(task, request.name);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, fil_map_size(task->map) == 0) : error;
}

/** There is no map store: nothing to write to it, nothing to load from it. */
#define NO_STORE(message_name)                                        \
    int fil_wire__##message_name##_run(struct fil_wire_task *task)    \
    {                                                                 \
        struct fil_wire_##message_name##_request request;             \
        int error = FIL_WIRE_READ(message_name, task, &request);      \
        return error == FIL_OK ? fil_wire_answer_empty(task) : error; \
    }

NO_STORE(map_flush)
NO_STORE(map_load_all)
NO_STORE(map_load_given_keys)

/** Nobody can have added one, since they are code. */
int fil_wire__map_remove_interceptor_run(struct fil_wire_task *task)
{
    struct fil_wire_map_remove_interceptor_request request;
    int error = FIL_WIRE_READ(map_remove_interceptor, task, &request);
    return error == FIL_OK ? fil_wire_answer_bool(task, false) : error;
}

/** A reader of a request that has a name and perhaps a value. */
#define READER(message_name, statements)                                             \
    int fil_wire__##message_name##_read(struct fil_wire_task *task)                  \
    {                                                                                \
        struct fil_wire_##message_name##_request request;                            \
        int error = FIL_WIRE_READ(message_name, task, &request);                     \
        if (error != FIL_OK) {                                                       \
            return error;                                                            \
        }                                                                            \
        statements;                                                                  \
        return error == FIL_OK ? fil_wire_task_find_map(task, request.name) : error; \
    }

#define TAKE_PREDICATE error = fil_wire_task_take_predicate(task, request.predicate)

READER(map_clear, (void)0)
READER(map_evict_all, (void)0)
READER(map_contains_value, error = fil_wire_task_take_value(task, request.value, &task->value))
READER(map_key_set, (void)0)
READER(map_values, (void)0)
READER(map_entry_set, (void)0)
READER(map_key_set_with_predicate, TAKE_PREDICATE)
READER(map_values_with_predicate, TAKE_PREDICATE)
READER(map_entries_with_predicate, TAKE_PREDICATE)
READER(map_remove_all, TAKE_PREDICATE)

void fil_wire__map_clear_walk(struct fil_wire_call *call)
{
    fil_map_walk_clear(&call->walk, call->task.map);
}

int fil_wire__map_clear_run(struct fil_wire_task *task)
{
    return fil_wire_answer_empty(task);
}

void fil_wire__map_evict_all_walk(struct fil_wire_call *call)
{
    fil_map_walk_evict_all(&call->walk, call->task.map);
}

int fil_wire__map_evict_all_run(struct fil_wire_task *task)
{
    return fil_wire_answer_empty(task);
}

void fil_wire__map_contains_value_walk(struct fil_wire_call *call)
{
    fil_map_walk_contains_value(&call->walk, call->task.map, call->task.value);
}

int fil_wire__map_contains_value_run(struct fil_wire_task *task)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(task, struct fil_wire_call, task);
    return fil_wire_answer_bool(task, call->walk.count > 0);
}

static void write_key(void *context, const struct fil_store_view *view)
{
    const struct fil_wire_sink *sink = context;
    if (fil_wire_task_means(sink->task, view)) {
        fil_wire_writer_form_key(sink->writer, view->key, sink->place);
    }
}

static void write_value(void *context, const struct fil_store_view *view)
{
    const struct fil_wire_sink *sink = context;
    if (fil_wire_task_means(sink->task, view)) {
        fil_wire_writer_form(sink->writer, view->value);
    }
}

static void write_entry(void *context, const struct fil_store_view *view)
{
    const struct fil_wire_sink *sink = context;
    if (fil_wire_task_means(sink->task, view)) {
        fil_wire_writer_form_key(sink->writer, view->key, sink->place);
        fil_wire_writer_form(sink->writer, view->value);
    }
}

static uint64_t slice_keys(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return fil_wire_whole_slice(walk, partition, write_key);
}

static uint64_t slice_values(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return fil_wire_whole_slice(walk, partition, write_value);
}

static uint64_t slice_entries(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return fil_wire_whole_slice(walk, partition, write_entry);
}

void fil_wire__map_key_set_walk(struct fil_wire_call *call)
{
    fil_wire_whole_begin(call, slice_keys);
}

int fil_wire__map_key_set_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}

void fil_wire__map_values_walk(struct fil_wire_call *call)
{
    fil_wire_whole_begin(call, slice_values);
}

int fil_wire__map_values_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}

void fil_wire__map_entry_set_walk(struct fil_wire_call *call)
{
    fil_wire_whole_begin(call, slice_entries);
}

int fil_wire__map_entry_set_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}

void fil_wire__map_key_set_with_predicate_walk(struct fil_wire_call *call)
{
    fil_wire_whole_begin(call, slice_keys);
}

int fil_wire__map_key_set_with_predicate_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}

void fil_wire__map_values_with_predicate_walk(struct fil_wire_call *call)
{
    fil_wire_whole_begin(call, slice_values);
}

int fil_wire__map_values_with_predicate_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}

void fil_wire__map_entries_with_predicate_walk(struct fil_wire_call *call)
{
    fil_wire_whole_begin(call, slice_entries);
}

int fil_wire__map_entries_with_predicate_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}

static bool is_meant(void *context, const struct fil_store_view *view)
{
    return fil_wire_task_means(context, view);
}

void fil_wire__map_remove_all_walk(struct fil_wire_call *call)
{
    fil_map_walk_remove_if(&call->walk, call->task.map, is_meant, &call->task);
}

int fil_wire__map_remove_all_run(struct fil_wire_task *task)
{
    return fil_wire_answer_empty(task);
}

// The service.

int fil_wire__map_service_make(struct fil_wire_task *task, struct fil_bytes name)
{
    task->map = NULL;
    return fil_wire_task_find_map(task, name);
}

static void destroyed(struct fil_map_walk *walk, struct fil_runner *runner)
{
    fil_wire_call_finish(walk->context, runner, walk->error);
}

/** It is gone at once, and then emptied: whoever asks for its name meanwhile gets it as it is. */
int fil_wire__map_service_destroy(struct fil_wire_call *call, struct fil_bytes name,
                                  struct fil_runner *runner)
{
    int error = fil_wire_task_find_map(&call->task, name);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_wire_server *server = call->task.session->server;
    fil_wire_subscription_end_map(server, call->task.map, runner);
    fil_maps_destroy(server->options.maps, call->task.map);
    fil_map_walk_empty(&call->walk, call->task.map);
    fil_map_walk_start(&call->walk, destroyed, call, runner);
    return FIL_OK;
}
