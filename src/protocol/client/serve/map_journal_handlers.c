// SPDX-License-Identifier: Apache-2.0
/** Requests about the journal of one partition of a map. */
#include "filbert/error.h"
#include "grid/map/journal.h"
#include "lib/base/endian.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/query/object.h"
#include "protocol/client/serve/handlers_internal.h"

#define READ_MAX      1000U // changes of one response, whatever the client wants
#define FACTORY_EVENT (-4)  // the class that clients know changes by
#define CLASS_EVENT   132U
#define NO_DATA       UINT32_MAX

static int refuse(struct fil_wire_task *task, int error, const char *field, const char *reason)
{
    task->fault = (struct fil_wire_fault){.field = field, .reason = reason};
    return error;
}

int fil_wire__map_event_journal_subscribe_read(struct fil_wire_task *task)
{
    struct fil_wire_map_event_journal_subscribe_request request;
    int error = FIL_WIRE_READ(map_event_journal_subscribe, task, &request);
    return error == FIL_OK ? fil_wire_task_enter(task, request.name) : error;
}

/** The numbers there are, from the first to before the second. */
static int find_bounds(struct fil_wire_task *task, uint64_t *out_oldest, uint64_t *out_next)
{
    int error =
        fil_map_journal_bounds_here(task->map, task->key.partition_id, out_oldest, out_next);
    return error == FIL_OK
               ? FIL_OK
               : refuse(task, error, "map", "has no journal: see the option map.journal");
}

int fil_wire__map_event_journal_subscribe_run(struct fil_wire_task *task)
{
    uint64_t oldest = 0;
    uint64_t next = 0;
    int error = find_bounds(task, &oldest, &next);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_wire_map_event_journal_subscribe_response response = {
        .oldest_sequence = (int64_t)oldest, .newest_sequence = (int64_t)next - 1};
    return FIL_WIRE_ENCODE(map_event_journal_subscribe_response, task->writer, &task->header,
                           &response);
}

int fil_wire__map_event_journal_read_read(struct fil_wire_task *task)
{
    struct fil_wire_map_event_journal_read_request request;
    int error = FIL_WIRE_READ(map_event_journal_read, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    if (request.predicate.data != NULL || request.projection.data != NULL) {
        return refuse(task, FIL_E_UNSUPPORTED, "predicate or projection",
                      "is code of the client's, which this member cannot run");
    }
    if (request.min_size < 0 || request.max_size < 1 || request.max_size < request.min_size) {
        return refuse(task, FIL_E_INVALID, "size", "is out of range");
    }
    task->index = request.start_sequence;
    task->reference = request.min_size;
    task->limit = request.max_size;
    return fil_wire_task_enter(task, request.name);
}

/** A page of changes on its way into the response. */
struct page {
    struct fil_wire_task *task;
    uint64_t expected; // the number of the next change, unless some are lost
    bool has_lost;     // before the next item
    bool is_out_of_memory;
    uint32_t count;
    uint8_t seqs[READ_MAX * sizeof(int64_t)];
};

/** Data inside of an object: its size, then what it is by itself. */
static void write_data(struct fil_map_buffer *buffer, struct fil_bytes form)
{
    if (form.data == NULL) {
        fil_query_write_u32(buffer, NO_DATA);
        return;
    }
    size_t at = buffer->size;
    fil_query_write_u32(buffer, 0); // the size, which is known later
    fil_query_write_u32(buffer, 0); // the hash
    fil_query_write_form(buffer, form);
    if (!buffer->is_out_of_memory) {
        fil_store_u32_be(buffer->data + at, (uint32_t)(buffer->size - at - sizeof(uint32_t)));
    }
}

static void write_change(struct page *page, const struct fil_map_journal_entry *entry)
{
    struct fil_map_buffer buffer;
    uint8_t has_lost = page->has_lost;
    fil_map_buffer_init(&buffer);
    fil_query_write_u32(&buffer, 0); // the hash
    fil_query_write_class(&buffer, (struct fil_query_class){FACTORY_EVENT, CLASS_EVENT});
    fil_query_write_u32(&buffer, (uint32_t)entry->kind);
    write_data(&buffer, entry->key);
    write_data(&buffer, entry->value);
    write_data(&buffer, entry->old_value);
    fil_map_buffer_add(&buffer, fil_bytes_make(&has_lost, 1));
    page->is_out_of_memory = page->is_out_of_memory || buffer.is_out_of_memory;
    fil_wire_writer_bytes(page->task->writer, fil_map_buffer_bytes(&buffer));
    fil_map_buffer_fini(&buffer);
}

static void visit(void *context, const struct fil_map_journal_entry *entry)
{
    struct page *page = context;
    page->has_lost = page->has_lost || entry->seq != page->expected;
    page->expected = entry->seq + 1;
    if (entry->key.size == 0 &&
        (entry->kind == FIL_MAP_CLEARED || entry->kind == FIL_MAP_ALL_EVICTED)) {
        return; // of no key: those of Hazelcast have none of it
    }
    write_change(page, entry);
    page->has_lost = false;
    fil_store_u64_le(page->seqs + page->count * sizeof(int64_t), entry->seq);
    page->count++;
}

/** As a client's number, which may be of what is gone or not there yet. */
static uint64_t clamp(int64_t wanted, uint64_t oldest, uint64_t next)
{
    uint64_t number = wanted < 0 ? 0 : (uint64_t)wanted;
    number = number > oldest ? number : oldest;
    return number < next ? number : next;
}

static int answer_page(struct fil_wire_task *task, uint64_t from)
{
    struct fil_wire_header header = {.type = task->header.type + 1,
                                     .correlation = task->header.correlation};
    struct page page = {.task = task, .expected = task->index < 0 ? from : (uint64_t)task->index};
    page.expected = page.expected < from ? page.expected : from;
    struct fil_map_journal_read read = {
        .partition_id = task->key.partition_id,
        .seq = from,
        .limit = (uint32_t)(task->limit < READ_MAX ? task->limit : READ_MAX),
        .visit = visit,
        .context = &page};
    uint64_t lost = 0;
    // The head of the response stands before the items, and is filled in behind them.
    uint8_t *fixed = fil_wire_writer_open_response(task->writer, &header, 4 + sizeof(int64_t));
    fil_wire_writer_begin(task->writer);
    uint64_t next = fil_map_journal_read_here(task->map, &read, &lost);
    fil_wire_writer_end(task->writer);
    fil_wire_writer_bytes(task->writer, fil_bytes_make(page.seqs, page.count * sizeof(int64_t)));
    if (fixed != NULL) {
        fil_store_u32_le(fixed, (uint32_t)(next - from));
        fil_store_u64_le(fixed + 4, next);
    }
    if (page.is_out_of_memory) {
        (void)fil_wire_writer_refuse(task->writer, FIL_E_NOMEM);
    }
    return fil_wire_writer_finish(task->writer);
}

int fil_wire__map_event_journal_read_run(struct fil_wire_task *task)
{
    uint64_t oldest = 0;
    uint64_t next = 0;
    fil_partition_id id = task->key.partition_id;
    int error = find_bounds(task, &oldest, &next);
    if (error != FIL_OK) {
        return error;
    }
    uint64_t from = clamp(task->index, oldest, next);
    uint32_t capacity = fil_map_journal_capacity(task->map);
    uint32_t least = task->reference < capacity ? (uint32_t)task->reference : capacity;
    if (fil_map_journal_must_wait_here(task->map, id, from, least, &task->wait_key)) {
        return FIL_E_AGAIN;
    }
    return answer_page(task, from);
}
