// SPDX-License-Identifier: Apache-2.0
/** Requests about multimaps, which are maps whose keys have many values. */
#include "filbert/error.h"
#include "grid/map/maps.h"
#include "grid/map/multi.h"
#include "grid/map/shelf.h"
#include "protocol/client/generated/multi_map.h"
#include "protocol/client/serve/collection.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/object_service.h"
#include "protocol/client/serve/session.h"
#include "protocol/client/serve/subscription.h"

#define SLICE_KEYS 64U // each may have many values

/** The reader of a request; the statements take its fields when the multimap was found. */
#define READER(message_name, statements)                                      \
    int fil_wire__multi_map_##message_name##_read(struct fil_wire_task *task) \
    {                                                                         \
        struct fil_wire_multi_map_##message_name##_request request;           \
        int error = FIL_WIRE_READ(multi_map_##message_name, task, &request);  \
        if (error == FIL_OK) {                                                \
            error = fil_wire_task_find_multimap(task, request.name);          \
        }                                                                     \
        if (error == FIL_OK) {                                                \
            statements;                                                       \
        }                                                                     \
        return error;                                                         \
    }

#define TAKE_KEY    error = fil_wire_task_place(task, request.name, request.key)
#define TAKE_THREAD task->thread_id = request.thread_id
#define TAKE_VALUE                                                           \
    if (error == FIL_OK) {                                                   \
        error = fil_wire_task_take_value(task, request.value, &task->value); \
    }
#define TAKE_ENTRY \
    TAKE_THREAD;   \
    TAKE_KEY;      \
    TAKE_VALUE

READER(put, TAKE_ENTRY)
READER(contains_entry, TAKE_ENTRY)
READER(remove_entry, TAKE_ENTRY)
READER(get, TAKE_KEY)
READER(contains_key, TAKE_KEY)
READER(value_count, TAKE_KEY)
READER(remove, TAKE_THREAD; TAKE_KEY)
READER(delete, TAKE_THREAD; TAKE_KEY)
READER(put_all, task->part = request.entries; error = fil_wire_task_enter(task, request.name))
READER(clear, (void)0)
READER(key_set, (void)0)
READER(values, (void)0)
READER(entry_set, (void)0)
READER(contains_value, TAKE_VALUE)
READER(lock, TAKE_THREAD; task->ttl_ms = request.ttl; task->reference = request.reference_id;
       TAKE_KEY)
READER(try_lock, TAKE_THREAD; task->ttl_ms = request.lease; task->timeout_ms = request.timeout;
       task->reference = request.reference_id; TAKE_KEY)
READER(unlock, TAKE_THREAD; task->reference = request.reference_id; TAKE_KEY)
READER(force_unlock, TAKE_KEY)
READER(is_locked, TAKE_KEY)

int fil_wire_task_find_multimap(struct fil_wire_task *task, struct fil_bytes name)
{
    struct fil_wire_session *session = task->session;
    struct fil_maps *multimaps = session->server->options.multimaps;
    if (task->map != NULL) {
        return FIL_OK; // read before, on the loop
    }
    if (name.size == 0 || multimaps == NULL) {
        task->fault = (struct fil_wire_fault){.field = "name", .reason = "is empty"};
        return multimaps == NULL ? FIL_E_UNSUPPORTED : FIL_E_INVALID;
    }
    if (session->multimap != NULL && fil_bytes_equal(fil_map_name(session->multimap), name) &&
        !fil_map_is_destroyed(session->multimap)) {
        task->map = session->multimap;
        return FIL_OK;
    }
    int error = fil_maps_get(multimaps, name, &task->map);
    if (error == FIL_OK) {
        session->multimap = task->map;
    }
    return error;
}

// One key.

int fil_wire__multi_map_put_run(struct fil_wire_task *task)
{
    bool is_new = false;
    int error = fil_wire_task_check_lock(task);
    if (error == FIL_OK) {
        error = fil_multimap_put_here(task->map, &task->key, task->value, task->now_ms, &is_new);
    }
    return fil_wire_answer_added(task, error, is_new);
}

/** All values under a key, from the cursor's list. */
static int put_values(struct fil_wire_task *task, const struct fil_map_key *key,
                      struct fil_wire_cursor *cursor)
{
    struct fil_bytes value;
    int error = FIL_OK;
    (void)!fil_wire_cursor_skip(cursor, FIL_WIRE_BEGIN); // it has been checked
    while (error == FIL_OK && fil_wire_cursor_data(cursor, &value)) {
        bool is_new = false;
        error = fil_wire_task_take_value(task, value, &value);
        if (error == FIL_OK) {
            error = fil_multimap_put_here(task->map, key, value, task->now_ms, &is_new);
        }
        error = error == FIL_E_FULL ? FIL_OK : error; // that key has its share
    }
    (void)!fil_wire_cursor_skip(cursor, FIL_WIRE_END);
    return error;
}

/** All keys must be free before the first is written. */
static int check_locks(struct fil_wire_task *task)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(&task->part);
    struct fil_bytes data;
    int error = FIL_OK;
    while (error == FIL_OK && fil_wire_cursor_data(&cursor, &data)) {
        task->key = fil_wire_task_key(task, data);
        error = fil_wire_task_check_lock(task);
        (void)!fil_wire_cursor_skip(&cursor, FIL_WIRE_BEGIN); // it has been checked
        (void)!fil_wire_cursor_leave(&cursor);
    }
    return error;
}

int fil_wire__multi_map_put_all_run(struct fil_wire_task *task)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(&task->part);
    struct fil_bytes data;
    int error = check_locks(task);
    while (error == FIL_OK && fil_wire_cursor_data(&cursor, &data)) {
        struct fil_map_key key = fil_wire_task_key(task, data);
        error = put_values(task, &key, &cursor);
    }
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

static int answer_values(struct fil_wire_task *task)
{
    fil_wire_answer_list_open(task);
    fil_multimap_visit_here(task->map, &task->key, task->now_ms, fil_wire_write_item, task->writer);
    return fil_wire_answer_list_close(task);
}

int fil_wire__multi_map_get_run(struct fil_wire_task *task)
{
    return answer_values(task);
}

/** The values go only when the answer has been written. */
int fil_wire__multi_map_remove_run(struct fil_wire_task *task)
{
    int error = fil_wire_task_check_lock(task);
    if (error == FIL_OK) {
        error = answer_values(task);
    }
    if (error == FIL_OK) {
        (void)fil_multimap_remove_here(task->map, &task->key, task->now_ms);
    }
    return error;
}

int fil_wire__multi_map_delete_run(struct fil_wire_task *task)
{
    int error = fil_wire_task_check_lock(task);
    if (error != FIL_OK) {
        return error;
    }
    (void)fil_multimap_remove_here(task->map, &task->key, task->now_ms);
    return fil_wire_answer_empty(task);
}

int fil_wire__multi_map_remove_entry_run(struct fil_wire_task *task)
{
    int error = fil_wire_task_check_lock(task);
    if (error != FIL_OK) {
        return error;
    }
    return fil_wire_answer_bool(
        task, fil_multimap_remove_value_here(task->map, &task->key, task->value, task->now_ms));
}

int fil_wire__multi_map_contains_key_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(task,
                                fil_multimap_count_here(task->map, &task->key, task->now_ms) > 0);
}

int fil_wire__multi_map_value_count_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i32(task, fil_multimap_count_here(task->map, &task->key, task->now_ms));
}

int fil_wire__multi_map_contains_entry_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(
        task, fil_multimap_contains_here(task->map, &task->key, task->value, task->now_ms));
}

// Locks: once the multimap is found they are the map's.

#define AS_OF_MAP(verb)                                              \
    int fil_wire__multi_map_##verb##_run(struct fil_wire_task *task) \
    {                                                                \
        return fil_wire__map_##verb##_run(task);                     \
    }
AS_OF_MAP(lock)
AS_OF_MAP(try_lock)
AS_OF_MAP(unlock)
AS_OF_MAP(force_unlock)
AS_OF_MAP(is_locked)

// All keys.

int fil_wire__multi_map_size_run(struct fil_wire_task *task)
{
    struct fil_wire_multi_map_size_request request;
    int error = FIL_WIRE_READ(multi_map_size, task, &request);
    if (error == FIL_OK) {
        error = fil_wire_task_find_multimap(task, request.name);
    }
    return error == FIL_OK ? fil_wire_answer_i32(task, fil_multimap_size(task->map)) : error;
}

void fil_wire__multi_map_clear_walk(struct fil_wire_call *call)
{
    fil_multimap_walk_clear(&call->walk, call->task.map);
}

int fil_wire__multi_map_clear_run(struct fil_wire_task *task)
{
    return fil_wire_answer_empty(task);
}

void fil_wire__multi_map_contains_value_walk(struct fil_wire_call *call)
{
    fil_multimap_walk_contains_value(&call->walk, call->task.map, call->task.value);
}

int fil_wire__multi_map_contains_value_run(struct fil_wire_task *task)
{
    const struct fil_wire_call *call = FIL_CONTAINER_OF(task, struct fil_wire_call, task);
    return fil_wire_answer_bool(task, call->walk.count > 0);
}

/** Where what a slice meets goes, and where its keys live. */
struct sink {
    struct fil_wire_writer *writer;
    struct fil_wire_form_place place;
    struct fil_bytes key; // of the values that are written
};

static void write_key(void *context, const struct fil_store_view *view)
{
    const struct sink *sink = context;
    fil_wire_writer_form_key(sink->writer, view->key, sink->place);
}

static void write_values(void *context, const struct fil_store_view *view)
{
    const struct sink *sink = context;
    fil_multimap_visit_view_here(view, fil_wire_write_item, sink->writer);
}

static bool write_pair(void *context, struct fil_bytes value)
{
    const struct sink *sink = context;
    fil_wire_writer_form_key(sink->writer, sink->key, sink->place);
    fil_wire_writer_form(sink->writer, value);
    return true;
}

static void write_pairs(void *context, const struct fil_store_view *view)
{
    struct sink *sink = context;
    sink->key = view->key;
    fil_multimap_visit_view_here(view, write_pair, sink);
}

/** A slice of a list, on whichever thread: it grows from partition to partition. */
static uint64_t slice(struct fil_map_walk *walk, struct fil_partition *partition,
                      fil_store_visit_fn visit)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(walk, struct fil_wire_call, walk);
    struct sink sink = {
        .writer = &call->writer,
        .place = {.partition_id = partition->id, .partition_count = walk->map->partition_count}};
    call->writer.pool = partition->runner->chunks;
    uint64_t next = fil_map_scan_collections_here(
        walk->map, partition->id, fil_map_walk_slice(walk, SLICE_KEYS), visit, &sink);
    if (call->writer.error != FIL_OK) {
        walk->error = call->writer.error;
        walk->is_over = true;
    }
    return next;
}

/** A request that is answered with a list of what all partitions have. */
#define LISTED(message_name, visit)                                              \
    static uint64_t message_name##_slice(struct fil_map_walk *walk,              \
                                         struct fil_partition *partition)        \
    {                                                                            \
        return slice(walk, partition, visit);                                    \
    }                                                                            \
    void fil_wire__multi_map_##message_name##_walk(struct fil_wire_call *call)   \
    {                                                                            \
        fil_map_walk_init(&call->walk, call->task.map, call->task.handler->name, \
                          message_name##_slice);                                 \
        fil_wire_answer_list_open(&call->task);                                  \
    }                                                                            \
    int fil_wire__multi_map_##message_name##_run(struct fil_wire_task *task)     \
    {                                                                            \
        return fil_wire_answer_list_close(task);                                 \
    }

LISTED(key_set, write_key)
LISTED(values, write_values)
LISTED(entry_set, write_pairs)

// The service.

int fil_wire__multi_map_service_make(struct fil_wire_task *task, struct fil_bytes name)
{
    task->map = NULL;
    return fil_wire_task_find_multimap(task, name);
}

static void destroyed(struct fil_map_walk *walk, struct fil_runner *runner)
{
    fil_wire_call_finish(walk->context, runner, walk->error);
}

int fil_wire__multi_map_service_destroy(struct fil_wire_call *call, struct fil_bytes name,
                                        struct fil_runner *runner)
{
    int error = fil_wire_task_find_multimap(&call->task, name);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_wire_server *server = call->task.session->server;
    fil_wire_subscription_end_map(server, call->task.map, runner);
    fil_maps_destroy(server->options.multimaps, call->task.map);
    fil_multimap_walk_empty(&call->walk, call->task.map);
    fil_map_walk_start(&call->walk, destroyed, call, runner);
    return FIL_OK;
}
