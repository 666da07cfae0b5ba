// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/task.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "grid/map/maps.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "protocol/client/generated/customs.h"
#include "protocol/client/serve/session.h"

#define TEXT_MAX 160U

static bool is_name(const struct fil_map *map, struct fil_bytes name)
{
    return map != NULL && map->name_size == name.size &&
           memcmp(map->name, name.data, name.size) == 0 && !fil_map_is_destroyed(map);
}

int fil_wire_task_find_map(struct fil_wire_task *task, struct fil_bytes name)
{
    struct fil_wire_session *session = task->session;
    if (task->map != NULL) {
        return FIL_OK; // read before, on the loop
    }
    if (FIL_LIKELY(is_name(session->map, name))) {
        task->map = session->map;
        return FIL_OK;
    }
    if (name.size == 0) {
        task->fault = (struct fil_wire_fault){.field = "name", .reason = "is empty"};
        return FIL_E_INVALID;
    }
    int error = fil_maps_get(session->server->options.maps, name, &task->map);
    if (error == FIL_OK) {
        session->map = task->map;
    }
    return error;
}

struct fil_map_key fil_wire_task_key(const struct fil_wire_task *task, struct fil_bytes data)
{
    struct fil_bytes form = fil_wire_form_of_key(data);
    return (struct fil_map_key){
        .bytes = form,
        .hash = fil_hash(form, task->map->seed),
        .partition_id = (fil_partition_id)task->header.partition,
    };
}

int fil_wire_task_enter(struct fil_wire_task *task, struct fil_bytes name)
{
    int error = fil_wire_task_find_map(task, name);
    if (FIL_UNLIKELY(error != FIL_OK)) {
        return error;
    }
    if (FIL_UNLIKELY(task->header.partition < 0 ||
                     (uint32_t)task->header.partition >= task->map->partition_count)) {
        task->fault = (struct fil_wire_fault){.field = "partition", .reason = "is out of range"};
        return FIL_E_INVALID;
    }
    task->key.partition_id = (fil_partition_id)task->header.partition;
    return FIL_OK;
}

int fil_wire_task_place(struct fil_wire_task *task, struct fil_bytes name, struct fil_bytes key)
{
    int error = fil_wire_task_enter(task, name);
    if (FIL_LIKELY(error == FIL_OK)) {
        task->key = fil_wire_task_key(task, key);
    }
    return error;
}

int fil_wire_task_take_value(struct fil_wire_task *task, struct fil_bytes data,
                             struct fil_bytes *out_form)
{
    if (FIL_LIKELY(fil_wire_form_of_value(data, out_form))) {
        return FIL_OK;
    }
    task->fault = (struct fil_wire_fault){
        .field = "value", .reason = "has a partition hash and a type of the client's own"};
    return FIL_E_INVALID;
}

struct fil_wire_form_place fil_wire_task_form_place(const struct fil_wire_task *task)
{
    return (struct fil_wire_form_place){.partition_id = task->key.partition_id,
                                        .partition_count = task->map->partition_count};
}

int fil_wire_task_take_predicate(struct fil_wire_task *task, struct fil_bytes predicate)
{
    task->predicate = predicate;
    return fil_query_predicate_check(predicate, &task->fault);
}

struct fil_query_entry fil_wire_task_entry(const struct fil_wire_task *task,
                                           const struct fil_store_view *view)
{
    return (struct fil_query_entry){
        .key = view->key, .value = view->value, .schemas = &task->session->server->schemas};
}

void fil_wire_task_note_opaque(struct fil_wire_task *task, const struct fil_query_entry *entry)
{
    if (FIL_UNLIKELY(entry->is_opaque)) {
        task->query_error = FIL_E_UNSUPPORTED;
        task->fault = (struct fil_wire_fault){
            .field = "an attribute", .reason = "cannot be read: it is neither JSON nor compact"};
    }
}

bool fil_wire_task_means(struct fil_wire_task *task, const struct fil_store_view *view)
{
    fil_debug_assert((task->predicate.data != NULL) == (task->query != NULL));
    if (task->query == NULL) {
        return true;
    }
    struct fil_query_entry entry = fil_wire_task_entry(task, view);
    bool is_meant = fil_query_predicate_test(task->query, &entry);
    fil_wire_task_note_opaque(task, &entry);
    return is_meant && !entry.is_opaque;
}

struct fil_map_owner fil_wire_task_owner(const struct fil_wire_task *task)
{
    fil_assert(task->session->owner != 0);
    return (struct fil_map_owner){.member = task->session->owner,
                                  .thread = (uint64_t)task->thread_id};
}

int fil_wire_task_check_lock(struct fil_wire_task *task)
{
    if (FIL_LIKELY(!fil_map_has_locks_here(task->map, task->key.partition_id))) {
        return FIL_OK;
    }
    struct fil_map_owner owner = fil_wire_task_owner(task);
    bool must_wait =
        fil_map_must_wait_here(task->map, &task->key, &owner, task->now_ms, &task->wait_key);
    return must_wait ? FIL_E_AGAIN : FIL_OK;
}

static struct fil_wire_header response_header(const struct fil_wire_task *task)
{
    return (struct fil_wire_header){.type = task->header.type + 1,
                                    .correlation = task->header.correlation};
}

int fil_wire_answer_empty(struct fil_wire_task *task)
{
    struct fil_wire_header header = response_header(task);
    (void)fil_wire_writer_open_response(task->writer, &header, 0);
    return fil_wire_writer_finish(task->writer);
}

int fil_wire_answer_bool(struct fil_wire_task *task, bool value)
{
    struct fil_wire_header header = response_header(task);
    uint8_t *fixed = fil_wire_writer_open_response(task->writer, &header, 1);
    if (FIL_LIKELY(fixed != NULL)) {
        *fixed = value;
    }
    return fil_wire_writer_finish(task->writer);
}

int fil_wire_answer_uuid(struct fil_wire_task *task, struct fil_wire_uuid uuid)
{
    struct fil_wire_header header = response_header(task);
    uint8_t *fixed = fil_wire_writer_open_response(task->writer, &header, FIL_WIRE_UUID_SIZE);
    if (FIL_LIKELY(fixed != NULL)) {
        fil_wire_store_uuid(fixed, uuid);
    }
    return fil_wire_writer_finish(task->writer);
}

int fil_wire_answer_data(struct fil_wire_task *task, struct fil_bytes data)
{
    struct fil_wire_header header = response_header(task);
    (void)fil_wire_writer_open_response(task->writer, &header, 0);
    fil_wire_writer_bytes_or_null(task->writer, data);
    return fil_wire_writer_finish(task->writer);
}

int fil_wire_answer_form(struct fil_wire_task *task, struct fil_bytes form)
{
    struct fil_wire_header header = response_header(task);
    (void)fil_wire_writer_open_response(task->writer, &header, 0);
    fil_wire_writer_form_or_null(task->writer, form);
    return fil_wire_writer_finish(task->writer);
}

struct code_name {
    int error;
    enum fil_wire_error_code code;
    const char *class_name;
};

// The first line of a code gives its class, which clients show.
static const struct code_name code_names[] = {
    {FIL_E_MALFORMED, FIL_WIRE_ERROR_ILLEGAL_ARGUMENT, "java.lang.IllegalArgumentException"},
    {FIL_E_INVALID, FIL_WIRE_ERROR_ILLEGAL_ARGUMENT, "java.lang.IllegalArgumentException"},
    {FIL_E_DENIED, FIL_WIRE_ERROR_ILLEGAL_MONITOR_STATE, "java.lang.IllegalMonitorStateException"},
    {FIL_E_NOMEM, FIL_WIRE_ERROR_NATIVE_OUT_OF_MEMORY,
     "com.hazelcast.memory.NativeOutOfMemoryError"},
    {FIL_E_LIMIT, FIL_WIRE_ERROR_REACHED_MAX_SIZE, "com.hazelcast.map.ReachedMaxSizeException"},
    {FIL_E_ENTRIES_MAX, FIL_WIRE_ERROR_REACHED_MAX_SIZE,
     "com.hazelcast.map.ReachedMaxSizeException"},
    {FIL_E_BYTES_MAX, FIL_WIRE_ERROR_REACHED_MAX_SIZE, "com.hazelcast.map.ReachedMaxSizeException"},
    {FIL_E_TIMEOUT, FIL_WIRE_ERROR_OPERATION_TIMEOUT,
     "com.hazelcast.core.OperationTimeoutException"},
    {FIL_E_STOPPING, FIL_WIRE_ERROR_INSTANCE_NOT_ACTIVE,
     "com.hazelcast.core.HazelcastInstanceNotActiveException"},
    {FIL_E_FULL, FIL_WIRE_ERROR_REJECTED_EXECUTION,
     "java.util.concurrent.RejectedExecutionException"},
    {FIL_E_CANCELLED, FIL_WIRE_ERROR_CANCELLATION, "java.util.concurrent.CancellationException"},
    {FIL_E_UNSUPPORTED, FIL_WIRE_ERROR_UNSUPPORTED_OPERATION,
     "java.lang.UnsupportedOperationException"},
    {FIL_OK, FIL_WIRE_ERROR_AUTHENTICATION, "com.hazelcast.client.AuthenticationException"},
};

static const char *class_of(enum fil_wire_error_code code)
{
    for (size_t i = 0; i < sizeof(code_names) / sizeof(code_names[0]); i++) {
        if (code_names[i].code == code) {
            return code_names[i].class_name;
        }
    }
    return "com.hazelcast.core.HazelcastException";
}

static enum fil_wire_error_code code_of(int error)
{
    fil_assert(error != FIL_OK);
    for (size_t i = 0; i < sizeof(code_names) / sizeof(code_names[0]); i++) {
        if (code_names[i].error == error) {
            return code_names[i].code;
        }
    }
    return FIL_WIRE_ERROR_HAZELCAST;
}

void fil_wire_answer_code(struct fil_wire_writer *writer, int64_t correlation,
                          enum fil_wire_error_code code, const char *text)
{
    // Its number is 0, so that a client knows it for any request.
    struct fil_wire_header header = {.type = 0, .correlation = correlation};
    struct fil_wire_error_holder holder = {
        .error_code = (int32_t)code,
        .class_name = fil_bytes_of(class_of(code)),
        .message = fil_bytes_of(text),
    };
    (void)fil_wire_writer_open_response(writer, &header, 0);
    fil_wire_writer_begin(writer);
    FIL_WIRE_ENCODE_ITEM(error_holder, writer, &holder);
    fil_wire_writer_end(writer);
    if (fil_wire_writer_finish(writer) != FIL_OK) {
        writer->queue->is_out_of_memory = true;
    }
}

void fil_wire_answer_error(struct fil_wire_task *task, int error)
{
    char text[TEXT_MAX];
    const char *name = task->handler != NULL ? task->handler->name : "request";
    if (task->fault.field != NULL) {
        (void)snprintf(text, sizeof(text), "%s: %s %s", name, task->fault.field,
                       task->fault.reason);
    } else {
        (void)snprintf(text, sizeof(text), "%s: %s", name, fil_error_text(error));
    }
    fil_wire_answer_code(task->writer, task->header.correlation, code_of(error), text);
}
