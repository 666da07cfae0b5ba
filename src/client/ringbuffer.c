// SPDX-License-Identifier: Apache-2.0
#include "filbert/ringbuffer.h"

#include "client/thing_internal.h"
#include "protocol/client/generated/ringbuffer.h"

#define OVERWRITE  0 // what the oldest item has to go for
#define MANY       100U
#define MANY_LIMIT 1000U

struct fil_ringbuffer {
    struct fil_client_thing thing;
};

static const struct fil_client_op add_op = {.request = &fil_wire_ringbuffer_add_request_layout,
                                            .answer = FIL_CLIENT_ANSWER_I64};
static const struct fil_client_op read_op = {.request =
                                                 &fil_wire_ringbuffer_read_one_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_DATA,
                                             .is_retryable = true,
                                             .has_no_deadline = true};
static const struct fil_client_op head_op = {.request =
                                                 &fil_wire_ringbuffer_head_sequence_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_I64,
                                             .is_retryable = true};
static const struct fil_client_op tail_op = {.request =
                                                 &fil_wire_ringbuffer_tail_sequence_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_I64,
                                             .is_retryable = true};
static const struct fil_client_op size_op = {.request = &fil_wire_ringbuffer_size_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_I64,
                                             .is_retryable = true};
static const struct fil_client_op capacity_op = {.request =
                                                     &fil_wire_ringbuffer_capacity_request_layout,
                                                 .answer = FIL_CLIENT_ANSWER_I64,
                                                 .is_retryable = true};

static const struct fil_client_op read_many_op = {.request =
                                                      &fil_wire_ringbuffer_read_many_request_layout,
                                                  .answer = FIL_CLIENT_ANSWER_RAW,
                                                  .is_retryable = true,
                                                  .has_no_deadline = true};

struct fil_ringbuffer *fil_ringbuffer(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_RINGBUFFER, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_ringbuffer, thing);
}

static int tell_number(int error, const struct fil_value *value, int64_t *out_number)
{
    if (out_number != NULL) {
        *out_number = error == FIL_OK ? fil_value_i64(value) : -1;
    }
    return error;
}

int fil_ringbuffer_add(struct fil_ringbuffer *buffer, struct fil_value item, int64_t *out_number)
{
    struct fil_value value = fil_null();
    if (buffer == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_ringbuffer_add_request fields = {
        .overflow_policy = OVERWRITE, .name = fil_client__thing_name(&buffer->thing)};
    struct fil_client_item_request request = {
        .op = &add_op, .fields = &fields, .item = &fields.value};
    int error = fil_client__thing_run_item(&buffer->thing, &request, &item, &value);
    return tell_number(error, &value, out_number);
}

int fil_ringbuffer_read(struct fil_ringbuffer *buffer, int64_t number, struct fil_value *out_item)
{
    if (buffer == NULL || out_item == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_ringbuffer_read_one_request fields = {
        .sequence = number, .name = fil_client__thing_name(&buffer->thing)};
    return fil_client__thing_run(&buffer->thing, &read_op, &fields, out_item);
}

/** What an answer is read into. */
struct page {
    struct fil_gather gather;
    int64_t next;
};

static int read_page(void *context, struct fil_bytes message)
{
    struct page *page = context;
    struct fil_wire_ringbuffer_read_many_response response;
    int error = FIL_WIRE_DECODE(ringbuffer_read_many_response, message, &response, NULL);
    if (error != FIL_OK) {
        return error;
    }
    page->next = response.next_seq;
    return fil_client__gather_part(&page->gather, &response.items);
}

static int32_t count_of(uint32_t count, uint32_t otherwise)
{
    count = count == 0 ? otherwise : count;
    return (int32_t)(count < MANY_LIMIT ? count : MANY_LIMIT);
}

int fil_ringbuffer_read_many(struct fil_ringbuffer *buffer,
                             const struct fil_ringbuffer_range *range, struct fil_values *out_items,
                             int64_t *out_next)
{
    struct page page = {0};
    struct fil_value *items = NULL;
    if (buffer == NULL || range == NULL || out_items == NULL ||
        range->count_min > (uint32_t)count_of(range->count_max, MANY)) {
        return FIL_E_INVALID;
    }
    *out_items = (struct fil_values){0};
    struct fil_wire_ringbuffer_read_many_request fields = {
        .start_sequence = range->from,
        .min_count = (int32_t)range->count_min,
        .max_count = count_of(range->count_max, MANY),
        .name = fil_client__thing_name(&buffer->thing)};
    struct fil_client_errand errand = {
        .op = &read_many_op, .fields = &fields, .read = read_page, .context = &page};
    int error = fil_client__thing_ask(&buffer->thing, &errand);
    error = error == FIL_OK ? fil_gather_finish(&page.gather, &items) : error;
    if (error == FIL_OK) {
        *out_items =
            (struct fil_values){.items = items, .count = page.gather.count, .memory = items};
    }
    if (out_next != NULL) {
        *out_next = error == FIL_OK ? page.next : range->from;
    }
    fil_gather_fini(&page.gather);
    return error;
}

/** All that is asked for with nothing but the name has the same fields. */
static int ask(struct fil_ringbuffer *buffer, const struct fil_client_op *op, int64_t *out_number)
{
    struct fil_value value = fil_null();
    if (buffer == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_ringbuffer_size_request fields = {.name =
                                                          fil_client__thing_name(&buffer->thing)};
    int error = fil_client__thing_run(&buffer->thing, op, &fields, &value);
    return tell_number(error, &value, out_number);
}

int fil_ringbuffer_head(struct fil_ringbuffer *buffer, int64_t *out_number)
{
    return ask(buffer, &head_op, out_number);
}

int fil_ringbuffer_tail(struct fil_ringbuffer *buffer, int64_t *out_number)
{
    return ask(buffer, &tail_op, out_number);
}

static int ask_count(struct fil_ringbuffer *buffer, const struct fil_client_op *op,
                     uint64_t *out_count)
{
    int64_t number = 0;
    int error = ask(buffer, op, &number);
    if (out_count != NULL) {
        *out_count = error == FIL_OK ? (uint64_t)number : 0;
    }
    return error;
}

int fil_ringbuffer_size(struct fil_ringbuffer *buffer, uint64_t *out_size)
{
    return ask_count(buffer, &size_op, out_size);
}

int fil_ringbuffer_capacity(struct fil_ringbuffer *buffer, uint64_t *out_capacity)
{
    return ask_count(buffer, &capacity_op, out_capacity);
}
