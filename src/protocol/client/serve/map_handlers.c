// SPDX-License-Identifier: Apache-2.0
/** Requests about one entry of a map. */
#include "filbert/error.h"
#include "grid/map/entry.h"
#include "protocol/client/generated/hot.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serve/handlers_internal.h"

/** A reader: the statements take over what the request has beside its name and key. */
#define READER(message_name, statements)                                                          \
    int fil_wire__##message_name##_read(struct fil_wire_task *task)                               \
    {                                                                                             \
        struct fil_wire_##message_name##_request request;                                         \
        int error = FIL_WIRE_READ(message_name, task, &request);                                  \
        if (FIL_UNLIKELY(error != FIL_OK)) {                                                      \
            return error;                                                                         \
        }                                                                                         \
        statements;                                                                               \
        return FIL_LIKELY(error == FIL_OK) ? fil_wire_task_place(task, request.name, request.key) \
                                           : error;                                               \
    }

/** Likewise, with the direct reader first; when that refuses, the other tells why. */
#define HOT_READER(message_name, statements)                                                      \
    int fil_wire__##message_name##_read(struct fil_wire_task *task)                               \
    {                                                                                             \
        struct fil_wire_##message_name##_request request;                                         \
        int error = fil_wire_##message_name##_request_read(task->message, &request);              \
        if (FIL_UNLIKELY(error != FIL_OK)) {                                                      \
            (void)!FIL_WIRE_READ(message_name, task, &request);                                   \
            return error;                                                                         \
        }                                                                                         \
        statements;                                                                               \
        return FIL_LIKELY(error == FIL_OK) ? fil_wire_task_place(task, request.name, request.key) \
                                           : error;                                               \
    }

#define TAKE_THREAD task->thread_id = request.thread_id
#define TAKE_VALUE  error = fil_wire_task_take_value(task, request.value, &task->value)
#define TAKE_EXPECTED(field)                                                    \
    if (error == FIL_OK) {                                                      \
        error = fil_wire_task_take_value(task, request.field, &task->expected); \
    }
#define TAKE_TTL                \
    task->ttl_ms = request.ttl; \
    task->max_idle_ms = FIL_MAP_TIME_DEFAULT
#define TAKE_IDLE               \
    task->ttl_ms = request.ttl; \
    task->max_idle_ms = request.max_idle
#define TAKE_TIMEOUT task->timeout_ms = request.timeout

HOT_READER(map_put, TAKE_THREAD; TAKE_VALUE; TAKE_TTL)
HOT_READER(map_get, TAKE_THREAD)
HOT_READER(map_remove, TAKE_THREAD)
HOT_READER(map_contains_key, TAKE_THREAD)
HOT_READER(map_set, TAKE_THREAD; TAKE_VALUE; TAKE_TTL)
READER(map_delete, TAKE_THREAD)
READER(map_replace, TAKE_THREAD; TAKE_VALUE)
READER(map_replace_if_same, TAKE_THREAD; TAKE_VALUE; TAKE_EXPECTED(test_value))
READER(map_remove_if_same, TAKE_THREAD; TAKE_EXPECTED(value))
READER(map_put_transient, TAKE_THREAD; TAKE_VALUE; TAKE_TTL)
READER(map_put_if_absent, TAKE_THREAD; TAKE_VALUE; TAKE_TTL)
READER(map_put_with_max_idle, TAKE_THREAD; TAKE_VALUE; TAKE_IDLE)
READER(map_put_transient_with_max_idle, TAKE_THREAD; TAKE_VALUE; TAKE_IDLE)
READER(map_put_if_absent_with_max_idle, TAKE_THREAD; TAKE_VALUE; TAKE_IDLE)
READER(map_set_with_max_idle, TAKE_THREAD; TAKE_VALUE; TAKE_IDLE)
READER(map_get_entry_view, TAKE_THREAD)
READER(map_evict, TAKE_THREAD)
READER(map_set_ttl, task->ttl_ms = request.ttl)
READER(map_try_put, TAKE_THREAD; TAKE_VALUE; TAKE_TIMEOUT)
READER(map_try_remove, TAKE_THREAD; TAKE_TIMEOUT)

static struct fil_map_times times_of(const struct fil_wire_task *task)
{
    return (struct fil_map_times){
        .now_ms = task->now_ms, .ttl_ms = task->ttl_ms, .max_idle_ms = task->max_idle_ms};
}

static int run_put(struct fil_wire_task *task)
{
    struct fil_map_times times = times_of(task);
    struct fil_bytes old = {0};
    int error = fil_wire_task_check_lock(task);
    if (FIL_LIKELY(error == FIL_OK)) {
        error = fil_map_replace_value_here(task->map, &task->key, task->value, &times, &old);
    }
    return FIL_LIKELY(error == FIL_OK) ? fil_wire_answer_form(task, old) : error;
}

static int set(struct fil_wire_task *task)
{
    struct fil_map_times times = times_of(task);
    int error = fil_wire_task_check_lock(task);
    if (FIL_LIKELY(error == FIL_OK)) {
        error = fil_map_set_here(task->map, &task->key, task->value, &times);
    }
    return error;
}

static int run_set(struct fil_wire_task *task)
{
    int error = set(task);
    return FIL_LIKELY(error == FIL_OK) ? fil_wire_answer_empty(task) : error;
}

/** The later messages answer with an old value that is never there. */
static int run_set_for_null(struct fil_wire_task *task)
{
    int error = set(task);
    return error == FIL_OK ? fil_wire_answer_data(task, (struct fil_bytes){0}) : error;
}

static int run_put_if_absent(struct fil_wire_task *task)
{
    struct fil_map_times times = times_of(task);
    struct fil_bytes old = {0};
    int error = fil_wire_task_check_lock(task);
    if (error == FIL_OK) {
        error = fil_map_put_if_absent_here(task->map, &task->key, task->value, &times, &old);
    }
    return error == FIL_OK ? fil_wire_answer_form(task, old) : error;
}

int fil_wire__map_put_run(struct fil_wire_task *task)
{
    return run_put(task);
}

int fil_wire__map_put_with_max_idle_run(struct fil_wire_task *task)
{
    return run_put(task);
}

int fil_wire__map_set_run(struct fil_wire_task *task)
{
    return run_set(task);
}

int fil_wire__map_set_with_max_idle_run(struct fil_wire_task *task)
{
    return run_set_for_null(task);
}

int fil_wire__map_put_transient_run(struct fil_wire_task *task)
{
    return run_set(task);
}

int fil_wire__map_put_transient_with_max_idle_run(struct fil_wire_task *task)
{
    return run_set_for_null(task);
}

int fil_wire__map_put_if_absent_run(struct fil_wire_task *task)
{
    return run_put_if_absent(task);
}

int fil_wire__map_put_if_absent_with_max_idle_run(struct fil_wire_task *task)
{
    return run_put_if_absent(task);
}

int fil_wire__map_get_run(struct fil_wire_task *task)
{
    struct fil_bytes value = {0};
    (void)fil_map_get_here(task->map, &task->key, task->now_ms, &value);
    return fil_wire_answer_form(task, value);
}

int fil_wire__map_contains_key_run(struct fil_wire_task *task)
{
    bool is_there = fil_map_contains_key_here(task->map, &task->key, task->now_ms);
    return fil_wire_answer_bool(task, is_there);
}

int fil_wire__map_remove_run(struct fil_wire_task *task)
{
    struct fil_bytes old = {0};
    int error = fil_wire_task_check_lock(task);
    if (FIL_UNLIKELY(error != FIL_OK)) {
        return error;
    }
    (void)fil_map_remove_here(task->map, &task->key, task->now_ms, &old);
    return fil_wire_answer_form(task, old);
}

int fil_wire__map_delete_run(struct fil_wire_task *task)
{
    int error = fil_wire_task_check_lock(task);
    if (FIL_UNLIKELY(error != FIL_OK)) {
        return error;
    }
    return fil_wire_answer_bool(task, fil_map_delete_here(task->map, &task->key, task->now_ms));
}

int fil_wire__map_replace_run(struct fil_wire_task *task)
{
    struct fil_bytes old = {0};
    int error = fil_wire_task_check_lock(task);
    if (error == FIL_OK) {
        error = fil_map_replace_here(task->map, &task->key, task->value, task->now_ms, &old);
    }
    return error == FIL_OK ? fil_wire_answer_form(task, old) : error;
}

int fil_wire__map_replace_if_same_run(struct fil_wire_task *task)
{
    bool is_replaced = false;
    int error = fil_wire_task_check_lock(task);
    if (error == FIL_OK) {
        error = fil_map_replace_if_same_here(task->map, &task->key, task->expected, task->value,
                                             task->now_ms, &is_replaced);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, is_replaced) : error;
}

int fil_wire__map_remove_if_same_run(struct fil_wire_task *task)
{
    int error = fil_wire_task_check_lock(task);
    if (error != FIL_OK) {
        return error;
    }
    bool is_removed =
        fil_map_remove_if_same_here(task->map, &task->key, task->expected, task->now_ms);
    return fil_wire_answer_bool(task, is_removed);
}

int fil_wire__map_evict_run(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(task, fil_map_evict_here(task->map, &task->key, task->now_ms));
}

int fil_wire__map_set_ttl_run(struct fil_wire_task *task)
{
    int error = fil_wire_task_check_lock(task);
    if (error == FIL_OK) {
        error = fil_map_set_ttl_here(task->map, &task->key, task->ttl_ms, task->now_ms);
    }
    if (error != FIL_OK && error != FIL_E_NOT_FOUND) {
        return error;
    }
    return fil_wire_answer_bool(task, error == FIL_OK);
}

/** The numbers of a view in the order of the protocol, then key and value. */
static void write_view(const struct fil_wire_task *task, const struct fil_map_entry_view *view)
{
    const uint64_t numbers[] = {
        view->cost_bytes, view->created_ms, view->expires_ms, view->hits,   view->accessed_ms,
        view->stored_ms,  view->updated_ms, view->version,    view->ttl_ms, view->max_idle_ms};
    fil_wire_writer_begin(task->writer);
    uint8_t *fixed = fil_wire_writer_frame(task->writer, 0, sizeof(numbers));
    for (size_t i = 0; fixed != NULL && i < FIL_COUNT_OF(numbers); i++) {
        fil_store_u64_le(fixed + i * sizeof(uint64_t), numbers[i]);
    }
    fil_wire_writer_form_key(task->writer, view->key, fil_wire_task_form_place(task));
    fil_wire_writer_form(task->writer, view->value);
    fil_wire_writer_end(task->writer);
}

int fil_wire__map_get_entry_view_run(struct fil_wire_task *task)
{
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    struct fil_map_entry_view view = {0};
    bool is_there = fil_map_entry_view_here(task->map, &task->key, task->now_ms, &view);
    uint8_t *fixed = fil_wire_writer_open_response(task->writer, &header, sizeof(uint64_t));
    if (fixed != NULL) {
        fil_store_u64_le(fixed, view.max_idle_ms);
    }
    if (is_there) {
        write_view(task, &view);
    } else {
        fil_wire_writer_null(task->writer);
    }
    return fil_wire_writer_finish(task->writer);
}

/** Whether to go on, to answer false, or to wait (FIL_E_AGAIN) as long as the caller allows. */
static int check_lock_or_give_up(struct fil_wire_task *task, bool *out_gives_up)
{
    int error = fil_wire_task_check_lock(task);
    *out_gives_up = error == FIL_E_AGAIN && task->timeout_ms <= 0;
    return *out_gives_up ? FIL_OK : error;
}

int fil_wire__map_try_put_run(struct fil_wire_task *task)
{
    struct fil_map_times times = fil_map_times_default(task->now_ms);
    bool gives_up = false;
    int error = check_lock_or_give_up(task, &gives_up);
    if (error == FIL_OK && !gives_up) {
        error = fil_map_set_here(task->map, &task->key, task->value, &times);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, !gives_up) : error;
}

int fil_wire__map_try_remove_run(struct fil_wire_task *task)
{
    bool gives_up = false;
    bool is_removed = false;
    int error = check_lock_or_give_up(task, &gives_up);
    if (error != FIL_OK) {
        return error;
    }
    if (!gives_up) {
        is_removed = fil_map_delete_here(task->map, &task->key, task->now_ms);
    }
    return fil_wire_answer_bool(task, is_removed);
}
