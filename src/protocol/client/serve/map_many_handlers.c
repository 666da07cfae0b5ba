// SPDX-License-Identifier: Apache-2.0
/** Requests about many entries of one partition: all of given keys, and pages. */
#include "core/store/store.h"
#include "filbert/error.h"
#include "grid/map/entry.h"
#include "protocol/client/generated/hot.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serve/handlers_internal.h"

#define LOOKUPS_MAX 32U
#define PAGE_MAX    1000U // entries, whatever the client wants

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

/**
 * A cursor as a client keeps it: pairs of an index that is not negative and a size. The first page
 * is asked for with the largest index, and an index below 0 says that there is no more.
 */
#define POINTERS_SIZE 16U
#define PIECE_BITS    31U
#define PIECE_MASK    ((UINT64_C(1) << PIECE_BITS) - 1)

static void store_pointers(uint8_t *to, uint64_t cursor)
{
    bool is_end = cursor == FIL_STORE_SCAN_END;
    fil_store_u32_le(to, is_end ? UINT32_MAX : (uint32_t)(cursor & PIECE_MASK));
    fil_store_u32_le(to + 4, (uint32_t)((cursor >> PIECE_BITS) & PIECE_MASK));
    fil_store_u32_le(to + 8, is_end ? UINT32_MAX : (uint32_t)(cursor >> (2 * PIECE_BITS)));
    fil_store_u32_le(to + 12, 0);
}

/** False: not one of ours. */
static bool load_pointers(struct fil_bytes pointers, uint64_t *out_cursor)
{
    if (pointers.size == 8 && fil_wire_packed_i32(pointers, 0) == INT32_MAX) {
        *out_cursor = 0;
        return true;
    }
    if (pointers.size != POINTERS_SIZE) {
        return false;
    }
    int32_t low = fil_wire_packed_i32(pointers, 0);
    int32_t middle = fil_wire_packed_i32(pointers, 1);
    int32_t high = fil_wire_packed_i32(pointers, 2);
    if (low < 0 || middle < 0 || high < 0 || high > 3) {
        return false;
    }
    *out_cursor =
        (uint64_t)low | (uint64_t)middle << PIECE_BITS | (uint64_t)high << (2 * PIECE_BITS);
    return true;
}

/** The cursor travels in `reference`, and the size of the page in `ttl_ms`. */
static int read_page(struct fil_wire_task *task, struct fil_bytes name, struct fil_bytes pointers,
                     int32_t batch)
{
    uint64_t cursor = 0;
    if (batch <= 0 || !load_pointers(pointers, &cursor)) {
        task->fault = (struct fil_wire_fault){.field = "iteration", .reason = "is not valid"};
        return FIL_E_INVALID;
    }
    task->reference = (int64_t)cursor;
    task->ttl_ms = batch < (int32_t)PAGE_MAX ? batch : (int32_t)PAGE_MAX;
    return fil_wire_task_enter(task, name);
}

struct page {
    struct fil_wire_task *task;
    bool has_values;
};

static void write_item(void *context, const struct fil_store_view *view)
{
    struct page *page = context;
    fil_wire_writer_form_key(page->task->writer, view->key, fil_wire_task_form_place(page->task));
    if (page->has_values) {
        fil_wire_writer_form(page->task->writer, view->value);
    }
}

/** The pointers come before the items but are known after them: their frame is filled in last. */
static int run_page(struct fil_wire_task *task, bool has_values)
{
    struct page page = {.task = task, .has_values = has_values};
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    (void)fil_wire_writer_open_response(task->writer, &header, 0);
    uint8_t *pointers = fil_wire_writer_frame(task->writer, 0, POINTERS_SIZE);
    fil_wire_writer_begin(task->writer);
    struct fil_map_slice slice = {.cursor = (uint64_t)task->reference,
                                  .now_ms = task->now_ms,
                                  .budget = (uint32_t)task->ttl_ms};
    uint64_t next = fil_map_scan_here(task->map, task->key.partition_id, slice, write_item, &page);
    if (pointers != NULL) {
        store_pointers(pointers, next);
    }
    fil_wire_writer_end(task->writer);
    return fil_wire_writer_finish(task->writer);
}

int fil_wire__map_fetch_keys_read(struct fil_wire_task *task)
{
    struct fil_wire_map_fetch_keys_request request;
    int error = FIL_WIRE_READ(map_fetch_keys, task, &request);
    return error == FIL_OK
               ? read_page(task, request.name, request.iteration_pointers, request.batch)
               : error;
}

int fil_wire__map_fetch_keys_run(struct fil_wire_task *task)
{
    return run_page(task, false);
}

int fil_wire__map_fetch_entries_read(struct fil_wire_task *task)
{
    struct fil_wire_map_fetch_entries_request request;
    int error = FIL_WIRE_READ(map_fetch_entries, task, &request);
    return error == FIL_OK
               ? read_page(task, request.name, request.iteration_pointers, request.batch)
               : error;
}

int fil_wire__map_fetch_entries_run(struct fil_wire_task *task)
{
    return run_page(task, true);
}
