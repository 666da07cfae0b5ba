// SPDX-License-Identifier: Apache-2.0
/** Requests about many entries of one partition, whose keys are given. */
#include "core/store/store.h"
#include "filbert/error.h"
#include "grid/map/entry.h"
#include "protocol/client/generated/customs.h"
#include "protocol/client/generated/hot.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serve/handlers_internal.h"

#define LOOKUPS_MAX 32U

int fil_wire__map_get_all_read(struct fil_wire_task *task)
{
    struct fil_wire_map_get_all_request request;
    int error = fil_wire_map_get_all_request_read(task->message, &request);
    if (error != FIL_OK) {
        (void)!FIL_WIRE_READ(map_get_all, task, &request);
        return error;
    }
    task->part = request.keys;
    return fil_wire_task_enter(task, request.name);
}

/** Takes the next keys from the cursor; how many. */
static uint32_t take_lookups(const struct fil_wire_task *task, struct fil_wire_cursor *cursor,
                             struct fil_store_lookup *lookups)
{
    uint32_t count = 0;
    struct fil_bytes key;
    while (count < LOOKUPS_MAX && fil_wire_cursor_data(cursor, &key)) {
        struct fil_map_key placed = fil_wire_task_key(task, key);
        lookups[count] = (struct fil_store_lookup){.hash = placed.hash, .key = placed.bytes};
        count++;
    }
    return count;
}

int fil_wire__map_get_all_run(struct fil_wire_task *task)
{
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    struct fil_wire_form_place place = fil_wire_task_form_place(task);
    struct fil_store_lookup lookups[LOOKUPS_MAX];
    struct fil_wire_cursor cursor = fil_wire_part_open(&task->part);
    uint32_t count = 0;
    (void)fil_wire_writer_open_response(task->writer, &header, 0);
    fil_wire_writer_begin(task->writer);
    while ((count = take_lookups(task, &cursor, lookups)) > 0) {
        (void)fil_map_get_all_here(task->map, task->key.partition_id, lookups, count, task->now_ms);
        for (uint32_t i = 0; i < count; i++) {
            if (lookups[i].value.data != NULL) {
                fil_wire_writer_form_key(task->writer, lookups[i].key, place);
                fil_wire_writer_form(task->writer, lookups[i].value);
            }
        }
    }
    fil_wire_writer_end(task->writer);
    return fil_wire_writer_finish(task->writer);
}

int fil_wire__map_put_all_read(struct fil_wire_task *task)
{
    struct fil_wire_map_put_all_request request;
    int error = fil_wire_map_put_all_request_read(task->message, &request);
    if (error != FIL_OK) {
        (void)!FIL_WIRE_READ(map_put_all, task, &request);
        return error;
    }
    task->part = request.entries;
    return fil_wire_task_enter(task, request.name);
}

static bool take_pair(struct fil_wire_cursor *cursor, struct fil_bytes *out_key,
                      struct fil_bytes *out_value)
{
    return fil_wire_cursor_data(cursor, out_key) && fil_wire_cursor_data(cursor, out_value);
}

/** All keys must be free before the first is written. */
static int check_locks(struct fil_wire_task *task)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(&task->part);
    struct fil_bytes key;
    struct fil_bytes value;
    int error = FIL_OK;
    if (!fil_map_has_locks_here(task->map, task->key.partition_id)) {
        return FIL_OK;
    }
    while (error == FIL_OK && take_pair(&cursor, &key, &value)) {
        task->key = fil_wire_task_key(task, key);
        error = fil_wire_task_check_lock(task);
    }
    return error;
}

int fil_wire__map_put_all_run(struct fil_wire_task *task)
{
    struct fil_map_times times = fil_map_times_default(task->now_ms);
    struct fil_wire_cursor cursor = fil_wire_part_open(&task->part);
    struct fil_bytes key;
    struct fil_bytes value;
    int error = check_locks(task);
    while (error == FIL_OK && take_pair(&cursor, &key, &value)) {
        struct fil_map_key placed = fil_wire_task_key(task, key);
        error = fil_wire_task_take_value(task, value, &value);
        if (error == FIL_OK) {
            error = fil_map_set_here(task->map, &placed, value, &times);
        }
    }
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

// With what another cluster knows of the entries.

int fil_wire__map_put_all_with_metadata_read(struct fil_wire_task *task)
{
    struct fil_wire_map_put_all_with_metadata_request request;
    int error = FIL_WIRE_READ(map_put_all_with_metadata, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    task->part = request.entries;
    return fil_wire_task_enter(task, request.name);
}

/** A time that is not one of ours means that there is no end; a moment that is over ends at once.
 */
static struct fil_map_times times_of(const struct fil_wire_simple_entry_view *view, uint64_t now_ms)
{
    struct fil_map_times times = {.now_ms = now_ms};
    if (view->max_idle > 0 && view->max_idle < INT64_MAX) {
        times.max_idle_ms = view->max_idle;
    }
    if (view->expiration_time > 0 && view->expiration_time < INT64_MAX) {
        int64_t left_ms = view->expiration_time - (int64_t)now_ms;
        times.ttl_ms = left_ms > 0 ? left_ms : 1;
    }
    return times;
}

static int put_view(struct fil_wire_task *task, const struct fil_wire_simple_entry_view *view)
{
    struct fil_map_times times = times_of(view, task->now_ms);
    struct fil_bytes value;
    int error = fil_wire_task_take_value(task, view->value, &value);
    return error == FIL_OK ? fil_map_set_here(task->map, &task->key, value, &times) : error;
}

/** In two rounds: all keys must be free before the first is written. */
static int visit_views(struct fil_wire_task *task,
                       int (*visit)(struct fil_wire_task *,
                                    const struct fil_wire_simple_entry_view *))
{
    struct fil_wire_simple_entry_view view;
    struct fil_wire_cursor cursor = fil_wire_part_open(&task->part);
    int error = FIL_OK;
    for (uint32_t i = 0; error == FIL_OK && i < task->part.count; i++) {
        if (!FIL_WIRE_DECODE_ITEM(simple_entry_view, &cursor, &view)) {
            return FIL_E_MALFORMED;
        }
        task->key = fil_wire_task_key(task, view.key);
        error = visit(task, &view);
    }
    return error;
}

static int check_view(struct fil_wire_task *task, const struct fil_wire_simple_entry_view *view)
{
    (void)view;
    return fil_wire_task_check_lock(task);
}

int fil_wire__map_put_all_with_metadata_run(struct fil_wire_task *task)
{
    int error = visit_views(task, check_view);
    if (error == FIL_OK) {
        error = visit_views(task, put_view);
    }
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}
