// SPDX-License-Identifier: Apache-2.0
/** Requests about ring buffers, which carry reliable topics too. */
#include "filbert/error.h"
#include "grid/ringbuffer/ringbuffer.h"
#include "lib/base/endian.h"
#include "protocol/client/generated/ringbuffer.h"
#include "protocol/client/serialization.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/session.h"

#define READ_MAX 1000U // items of one response, whatever the client wants

#define READER(message_name, statements) \
    FIL_WIRE_CONTAINER_READER(message_name, fil_ringbuffer_type, statements)

READER(ringbuffer_size, (void)0)
READER(ringbuffer_tail_sequence, (void)0)
READER(ringbuffer_head_sequence, (void)0)
READER(ringbuffer_capacity, (void)0)
READER(ringbuffer_remaining_capacity, (void)0)
READER(ringbuffer_add, FIL_WIRE_TAKE_VALUE; task->index = request.overflow_policy)
READER(ringbuffer_add_all, task->part = request.value_list; task->index = request.overflow_policy)
READER(ringbuffer_read_one, task->index = request.sequence; task->timeout_ms = FIL_WIRE_FOREVER)

static struct fil_ringbuffer *ring_of(const struct fil_wire_task *task)
{
    return fil_ringbuffer_of(task->container);
}

static struct fil_ringbuffer_state state_of(const struct fil_wire_task *task)
{
    return fil_ringbuffer_state_here(ring_of(task), task->now_ms);
}

int fil_wire__ringbuffer_size_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i64(task, (int64_t)state_of(task).size);
}

int fil_wire__ringbuffer_tail_sequence_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i64(task, state_of(task).tail);
}

int fil_wire__ringbuffer_head_sequence_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i64(task, state_of(task).head);
}

int fil_wire__ringbuffer_capacity_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i64(task, (int64_t)state_of(task).capacity);
}

int fil_wire__ringbuffer_remaining_capacity_run(struct fil_wire_task *task)
{
    return fil_wire_answer_i64(task, (int64_t)state_of(task).room);
}

static int add(struct fil_wire_task *task, const struct fil_bytes *items, uint64_t count)
{
    enum fil_ringbuffer_overflow overflow =
        task->index == 1 ? FIL_RINGBUFFER_FAIL : FIL_RINGBUFFER_OVERWRITE;
    int64_t seq = -1;
    int error = fil_ringbuffer_add_here(ring_of(task), overflow, items, count, task->now_ms, &seq);
    return error == FIL_OK || error == FIL_E_FULL ? fil_wire_answer_i64(task, seq) : error;
}

int fil_wire__ringbuffer_add_run(struct fil_wire_task *task)
{
    return add(task, &task->value, 1);
}

int fil_wire__ringbuffer_add_all_run(struct fil_wire_task *task)
{
    struct fil_wire_items items;
    int error = fil_wire_items_take(&items, task);
    if (error == FIL_OK) {
        error = add(task, items.items, items.count);
        fil_wire_items_free(&items);
    }
    return error;
}

int fil_wire__ringbuffer_read_one_run(struct fil_wire_task *task)
{
    struct fil_bytes item;
    int error =
        fil_ringbuffer_read_here(ring_of(task), &task->waiter, task->index, task->now_ms, &item);
    if (error == FIL_E_NOT_FOUND) {
        return fil_wire_answer_refusal(task, FIL_WIRE_ERROR_STALE_SEQUENCE,
                                       "ringbuffer: the sequence is before the head");
    }
    return error == FIL_OK ? fil_wire_answer_form(task, item) : error;
}

/** What cannot be a filter is refused before the request waits for anything. */
static int check_filter(struct fil_wire_task *task)
{
    struct fil_query_predicate filter;
    int error = fil_query_filter_init(&filter, task->predicate, &task->fault);
    if (error == FIL_OK) {
        fil_query_predicate_fini(&filter);
    }
    return error;
}

int fil_wire__ringbuffer_read_many_read(struct fil_wire_task *task)
{
    struct fil_wire_ringbuffer_read_many_request request;
    int error = FIL_WIRE_READ(ringbuffer_read_many, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    // Some clients serialize a filter that is null.
    if (request.filter.data != NULL && fil_wire_is_data(request.filter) &&
        fil_wire_data_type(request.filter) != FIL_WIRE_DATA_NULL) {
        task->predicate = request.filter;
        error = check_filter(task);
        if (error != FIL_OK) {
            return error;
        }
    }
    if (request.min_count < 0 || request.max_count < request.min_count) {
        task->fault = (struct fil_wire_fault){.field = "count", .reason = "is out of range"};
        return FIL_E_INVALID;
    }
    task->limit = request.max_count;
    task->reference = request.min_count;
    task->timeout_ms = FIL_WIRE_FOREVER;
    task->index = request.start_sequence;
    return fil_wire_task_find_container(task, &fil_ringbuffer_type, request.name);
}

/** Writes items as they come, and keeps their numbers for the frame behind them. */
struct page {
    struct fil_wire_task *task;
    struct fil_query_predicate filter;
    struct fil_wire_writer *writer;
    uint8_t seqs[READ_MAX * sizeof(int64_t)];
    size_t count;
};

static void write_item(void *context, int64_t seq, struct fil_bytes item)
{
    struct page *page = context;
    fil_wire_writer_form(page->writer, item);
    fil_store_u64_le(page->seqs + page->count * sizeof(int64_t), (uint64_t)seq);
    page->count++;
}

static bool wants(void *context, struct fil_bytes item)
{
    struct page *page = context;
    struct fil_query_entry entry = {.value = item,
                                    .schemas = &page->task->session->server->schemas};
    bool is_meant = fil_query_predicate_test(&page->filter, &entry);
    fil_wire_task_note_opaque(page->task, &entry);
    return is_meant && !entry.is_opaque;
}

static struct fil_ringbuffer_look look_of(const struct fil_wire_task *task, struct page *page)
{
    uint64_t most = (uint64_t)task->limit < READ_MAX ? (uint64_t)task->limit : READ_MAX;
    uint64_t least = (uint64_t)task->reference < most ? (uint64_t)task->reference : most;
    return (struct fil_ringbuffer_look){
        .from = task->index,
        .least = least,
        .most = most,
        .filter = task->predicate.data == NULL ? NULL : wants,
        .visit = write_item,
        .context = page,
    };
}

static int answer_page(struct fil_wire_task *task, struct page *page)
{
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    struct fil_ringbuffer_look look = look_of(task, page);
    // The head of the response stands before the items, and is filled in behind them.
    uint8_t *fixed = fil_wire_writer_open_response(task->writer, &header, 4 + sizeof(int64_t));
    fil_wire_writer_begin(task->writer);
    task->query_error = FIL_OK;
    int error = fil_ringbuffer_look_here(ring_of(task), &task->waiter, &look, task->now_ms);
    task->index = look.from;
    if (task->query_error != FIL_OK && (error == FIL_OK || error == FIL_E_AGAIN)) {
        error = task->query_error;
    }
    if (error != FIL_OK) {
        (void)fil_wire_writer_refuse(task->writer, error);
        return fil_wire_writer_finish(task->writer); // unwrites what was begun
    }
    fil_wire_writer_end(task->writer);
    fil_wire_writer_bytes(task->writer, fil_bytes_make(page->seqs, page->count * sizeof(int64_t)));
    if (fixed != NULL) {
        fil_store_u32_le(fixed, (uint32_t)look.read_count);
        fil_store_u64_le(fixed + 4, (uint64_t)look.next);
    }
    return fil_wire_writer_finish(task->writer);
}

int fil_wire__ringbuffer_read_many_run(struct fil_wire_task *task)
{
    struct page page;
    page.task = task;
    page.writer = task->writer;
    page.count = 0;
    page.filter = (struct fil_query_predicate){0};
    if (task->predicate.data != NULL) {
        int error = fil_query_filter_init(&page.filter, task->predicate, &task->fault);
        if (error != FIL_OK) {
            return error;
        }
    }
    int error = answer_page(task, &page);
    fil_query_predicate_fini(&page.filter);
    return error;
}
