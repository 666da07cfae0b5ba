// SPDX-License-Identifier: Apache-2.0
/**
 * Requests for a page of a map.
 *
 * A client sends the anchors it was given: the last entry of each page that it has seen. The
 * nearest one before the wanted page lets everything up to it be passed over. With the page go the
 * anchors that were known and those of the pages that came in between.
 */
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/customs.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/query/page.h"
#include "protocol/client/serialization.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/whole.h"

#define BY_VALUE 1

/** What a request says. */
struct wish {
    struct fil_wire_paging_predicate_holder holder;
    struct fil_wire_anchor_data_list_holder anchors;
    uint32_t anchor_count;
};

static int refuse(struct fil_wire_task *task, int error, const char *reason)
{
    task->fault = (struct fil_wire_fault){.field = "predicate", .reason = reason};
    return error;
}

/** Some clients send what they do not have as null, others as an object that is null. */
static bool is_there(struct fil_bytes data)
{
    return data.size >= FIL_WIRE_DATA_SIZE_MIN && fil_wire_data_type(data) != FIL_WIRE_DATA_NULL;
}

static int check_holder(struct fil_wire_task *task,
                        const struct fil_wire_paging_predicate_holder *holder)
{
    if (is_there(holder->comparator_data)) {
        return refuse(task, FIL_E_UNSUPPORTED, "brings its own order, which is code");
    }
    if (holder->page < 0 || holder->page_size <= 0) {
        return refuse(task, FIL_E_MALFORMED, "has no such page");
    }
    return FIL_OK;
}

/** Reads the wish of a request; the predicate inside of it becomes the task's. */
static int read_wish(struct fil_wire_task *task, const struct fil_wire_part *part,
                     struct wish *out_wish)
{
    struct fil_wire_paging_predicate_holder *holder = &out_wish->holder;
    if (!fil_wire_decode_part(FIL_WIRE_LAYOUT(paging_predicate_holder), part, holder) ||
        !fil_wire_decode_part(FIL_WIRE_LAYOUT(anchor_data_list_holder),
                              &holder->anchor_data_list_holder, &out_wish->anchors)) {
        return refuse(task, FIL_E_MALFORMED, "is not what it says");
    }
    size_t pages = out_wish->anchors.anchor_page_list.size / sizeof(int32_t);
    if (pages != out_wish->anchors.anchor_data_list.count) {
        return refuse(task, FIL_E_MALFORMED, "has anchors without pages");
    }
    out_wish->anchor_count = (uint32_t)pages;
    int error = check_holder(task, holder);
    if (error == FIL_OK && is_there(holder->predicate_data)) {
        error = fil_wire_task_take_predicate(task, holder->predicate_data);
    }
    return error;
}

// While the walk is under way.

static void free_page(void *work)
{
    fil_query_page_fini(work);
    fil_free(work);
}

static void keep_entry(void *context, const struct fil_store_view *view)
{
    const struct fil_wire_sink *sink = context;
    struct fil_wire_task *task = sink->task;
    if (task->query_error == FIL_OK && fil_wire_task_means(task, view)) {
        task->query_error =
            fil_query_page_add(sink->call->work, sink->place.partition_id, view->key, view->value);
    }
}

static uint64_t slice_page(struct fil_map_walk *walk, struct fil_partition *partition)
{
    const struct fil_wire_call *call = FIL_CONTAINER_OF(walk, struct fil_wire_call, walk);
    if (call->work == NULL) {
        walk->error = call->task.query_error;
        walk->is_over = true;
        return FIL_STORE_SCAN_END;
    }
    return fil_wire_whole_slice(walk, partition, keep_entry);
}

/** The nearest anchor before the wanted page. */
static void choose_anchor(struct fil_query_page *page, const struct wish *wish)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(&wish->anchors.anchor_data_list);
    struct fil_bytes key;
    struct fil_bytes value;
    for (uint32_t i = 0; i < wish->anchor_count && fil_wire_cursor_data(&cursor, &key) &&
                         fil_wire_cursor_data(&cursor, &value);
         i++) {
        int32_t number = fil_wire_packed_i32(wish->anchors.anchor_page_list, i);
        bool is_nearer = number >= 0 && (uint32_t)number < page->page &&
                         (!page->has_anchor || (uint32_t)number >= page->first_page);
        if (is_nearer && fil_wire_form_of_value(value, &page->anchor_value)) {
            page->has_anchor = true;
            page->first_page = (uint32_t)number + 1;
            page->anchor_key = fil_wire_form_of_key(key);
        }
    }
}

static int new_page(struct fil_wire_call *call, const struct wish *wish)
{
    struct fil_query_page *page = fil_alloc_zero(1, sizeof(*page));
    if (page == NULL) {
        return FIL_E_NOMEM;
    }
    page->page_size = (uint32_t)wish->holder.page_size;
    page->page = (uint32_t)wish->holder.page;
    page->is_by_value = wish->holder.iteration_type_id == BY_VALUE;
    choose_anchor(page, wish);
    int error = fil_query_page_start(page);
    if (error != FIL_OK) {
        fil_free(page);
        return error;
    }
    call->work = page;
    call->free_work = free_page;
    return FIL_OK;
}

/** Some pages are about the partitions of some keys only. */
static int limit_page(struct fil_wire_call *call,
                      const struct fil_wire_paging_predicate_holder *holder)
{
    if (is_there(holder->partition_key_data)) {
        int32_t hash = fil_wire_data_hash(holder->partition_key_data);
        return fil_wire_call_limit(call, &hash, 1);
    }
    uint32_t count = holder->has_partition_keys_data ? holder->partition_keys_data.count : 0;
    if (count == 0) {
        return FIL_OK;
    }
    int32_t *hashes = fil_alloc_zero(count, sizeof(*hashes));
    if (hashes == NULL) {
        return FIL_E_NOMEM;
    }
    struct fil_wire_cursor cursor = fil_wire_part_open(&holder->partition_keys_data);
    struct fil_bytes key;
    for (uint32_t i = 0; i < count && fil_wire_cursor_data(&cursor, &key); i++) {
        hashes[i] = fil_wire_data_hash(key);
    }
    int error = fil_wire_call_limit(call, hashes, count);
    fil_free(hashes);
    return error;
}

static void begin_page(struct fil_wire_call *call, const struct fil_wire_part *part)
{
    struct wish wish;
    fil_map_walk_init(&call->walk, call->task.map, call->task.handler->name, slice_page);
    int error = read_wish(&call->task, part, &wish);
    if (error == FIL_OK) {
        error = limit_page(call, &wish.holder);
    }
    if (error == FIL_OK) {
        error = new_page(call, &wish);
    }
    call->task.query_error = error;
    if (error == FIL_E_LIMIT) {
        call->task.fault = (struct fil_wire_fault){
            .field = "predicate", .reason = "is about a page too far from those that were seen"};
    }
}

// The response.

typedef void (*write_fn)(struct fil_wire_task *task, const struct fil_query_kept *kept);

static void write_key(struct fil_wire_task *task, const struct fil_query_kept *kept)
{
    struct fil_wire_form_place place = {kept->partition_id, task->map->partition_count};
    fil_wire_writer_form_key(task->writer, fil_query_kept_key(kept), place);
}

static void write_value(struct fil_wire_task *task, const struct fil_query_kept *kept)
{
    fil_wire_writer_form(task->writer, fil_query_kept_value(kept));
}

static void write_entry(struct fil_wire_task *task, const struct fil_query_kept *kept)
{
    write_key(task, kept);
    write_value(task, kept);
}

/** How many anchors that came with the request are of pages before the kept ones. */
static bool is_old(const struct fil_query_page *page, const struct wish *wish, uint32_t index)
{
    int32_t number = fil_wire_packed_i32(wish->anchors.anchor_page_list, index);
    return number >= 0 && (uint32_t)number < page->first_page;
}

static uint32_t count_old(const struct fil_query_page *page, const struct wish *wish)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < wish->anchor_count; i++) {
        count += is_old(page, wish, i);
    }
    return count;
}

static void write_anchor_pages(struct fil_wire_task *task, const struct fil_query_page *page,
                               const struct wish *wish, uint32_t full_count)
{
    uint32_t old_count = count_old(page, wish);
    size_t size = ((size_t)old_count + full_count) * sizeof(int32_t);
    uint8_t *to = fil_wire_writer_frame(task->writer, 0, size);
    for (uint32_t i = 0; to != NULL && i < wish->anchor_count; i++) {
        if (is_old(page, wish, i)) {
            fil_store_u32_le(to, (uint32_t)fil_wire_packed_i32(wish->anchors.anchor_page_list, i));
            to += sizeof(int32_t);
        }
    }
    for (uint32_t i = 0; to != NULL && i < full_count; i++) {
        fil_store_u32_le(to + i * sizeof(int32_t), page->first_page + i);
    }
}

static void write_old_anchors(struct fil_wire_task *task, const struct fil_query_page *page,
                              const struct wish *wish)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(&wish->anchors.anchor_data_list);
    struct fil_bytes key;
    struct fil_bytes value;
    for (uint32_t i = 0; i < wish->anchor_count && fil_wire_cursor_data(&cursor, &key) &&
                         fil_wire_cursor_data(&cursor, &value);
         i++) {
        if (is_old(page, wish, i)) {
            fil_wire_writer_bytes(task->writer, key);
            fil_wire_writer_bytes(task->writer, value);
        }
    }
}

static void write_anchors(struct fil_wire_task *task, const struct fil_query_page *page,
                          const struct wish *wish)
{
    uint32_t full_count = page->count / page->page_size;
    fil_wire_writer_begin(task->writer);
    write_anchor_pages(task, page, wish, full_count);
    fil_wire_writer_begin(task->writer);
    write_old_anchors(task, page, wish);
    for (uint32_t i = 1; i <= full_count; i++) {
        write_entry(task, page->kept[i * page->page_size - 1]);
    }
    fil_wire_writer_end(task->writer);
    fil_wire_writer_end(task->writer);
}

static int answer_page(struct fil_wire_task *task, const struct fil_wire_part *part,
                       write_fn write_one)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(task, struct fil_wire_call, task);
    struct fil_query_page *page = call->work;
    struct wish wish;
    int error = read_wish(task, part, &wish);
    if (error != FIL_OK) {
        return error; // it has been read before, so only memory is missing
    }
    fil_query_page_sort(page);
    fil_wire_whole_open(call);
    for (uint32_t i = (page->page - page->first_page) * page->page_size; i < page->count; i++) {
        write_one(task, page->kept[i]);
    }
    fil_wire_writer_end(task->writer);
    write_anchors(task, page, &wish);
    return fil_wire_writer_finish(task->writer);
}

/** The functions of a request for a page. */
#define PAGER(message_name, write_one)                                                     \
    int fil_wire__##message_name##_read(struct fil_wire_task *task)                        \
    {                                                                                      \
        struct fil_wire_##message_name##_request request;                                  \
        struct wish wish;                                                                  \
        int error = FIL_WIRE_READ(message_name, task, &request);                           \
        if (error == FIL_OK) {                                                             \
            error = read_wish(task, &request.predicate, &wish);                            \
        }                                                                                  \
        return error == FIL_OK ? fil_wire_task_find_map(task, request.name) : error;       \
    }                                                                                      \
    void fil_wire__##message_name##_walk(struct fil_wire_call *call)                       \
    {                                                                                      \
        struct fil_wire_##message_name##_request request;                                  \
        int error = FIL_WIRE_READ(message_name, &call->task, &request);                    \
        fil_assert(error == FIL_OK);                                                       \
        begin_page(call, &request.predicate);                                              \
    }                                                                                      \
    int fil_wire__##message_name##_run(struct fil_wire_task *task)                         \
    {                                                                                      \
        struct fil_wire_##message_name##_request request;                                  \
        int error = FIL_WIRE_READ(message_name, task, &request);                           \
        return error == FIL_OK ? answer_page(task, &request.predicate, write_one) : error; \
    }

PAGER(map_key_set_with_paging_predicate, write_key)
PAGER(map_values_with_paging_predicate, write_value)
PAGER(map_entries_with_paging_predicate, write_entry)
