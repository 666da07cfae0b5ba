// SPDX-License-Identifier: Apache-2.0
/** Requests for pages of one partition: keys, entries, and what a query makes of them. */
#include "core/store/store.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/query/projection.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/whole.h"

#define PAGE_MAX 1000U // entries, whatever the client wants

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

// Of a query: as many results as are wanted, or a slice more, however many entries that takes.

int fil_wire__map_fetch_with_query_read(struct fil_wire_task *task)
{
    struct fil_wire_map_fetch_with_query_request request;
    struct fil_query_projection projection;
    int error = FIL_WIRE_READ(map_fetch_with_query, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    task->value = request.projection;
    error = fil_query_projection_init(&projection, request.projection, &task->fault);
    if (error == FIL_OK) {
        error = fil_wire_task_take_predicate(task, request.predicate);
    }
    return error == FIL_OK
               ? read_page(task, request.name, request.iteration_pointers, request.batch)
               : error;
}

static void write_found(void *context, const struct fil_store_view *view)
{
    const struct fil_wire_sink *sink = context;
    size_t before = sink->writer->size;
    fil_wire_whole_project(context, view);
    sink->call->walk.count += sink->writer->size > before;
}

static uint64_t slice_found(struct fil_map_walk *walk, struct fil_partition *partition)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(walk, struct fil_wire_call, walk);
    if (call->work == NULL) {
        walk->error = FIL_E_NOMEM;
        walk->is_over = true;
        return FIL_STORE_SCAN_END;
    }
    uint64_t next = fil_wire_whole_slice(walk, partition, write_found);
    call->task.reference = (int64_t)next;
    walk->is_over = walk->is_over || walk->count >= (uint64_t)call->task.ttl_ms;
    return next;
}

void fil_wire__map_fetch_with_query_walk(struct fil_wire_call *call)
{
    struct fil_wire_task *task = &call->task;
    call->work = fil_query_projection_new(task->value);
    call->free_work = fil_free;
    call->is_paged = true;
    fil_wire_whole_begin(call, slice_found);
    call->walk.cursor = (uint64_t)task->reference;
    call->walk.only = &task->key.partition_id;
    call->walk.only_count = 1;
}

int fil_wire__map_fetch_with_query_run(struct fil_wire_task *task)
{
    fil_wire_writer_end(task->writer);
    uint8_t *pointers = fil_wire_writer_frame(task->writer, 0, POINTERS_SIZE);
    if (pointers != NULL) {
        store_pointers(pointers, (uint64_t)task->reference);
    }
    return fil_wire_writer_finish(task->writer);
}
