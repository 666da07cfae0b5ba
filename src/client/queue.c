// SPDX-License-Identifier: Apache-2.0
#include "filbert/queue.h"

#include "client/thing_internal.h"
#include "protocol/client/generated/queue.h"

struct fil_queue {
    struct fil_client_thing thing;
};

// What may wait has no deadline but its own.
static const struct fil_client_op offer_op = {.request = &fil_wire_queue_offer_request_layout,
                                              .answer = FIL_CLIENT_ANSWER_BOOL,
                                              .has_no_deadline = true};
static const struct fil_client_op poll_op = {.request = &fil_wire_queue_poll_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_DATA,
                                             .has_no_deadline = true};
static const struct fil_client_op peek_op = {.request = &fil_wire_queue_peek_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_DATA,
                                             .is_retryable = true};
static const struct fil_client_op size_op = {.request = &fil_wire_queue_size_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_I32,
                                             .is_retryable = true};
static const struct fil_client_op clear_op = {.request = &fil_wire_queue_clear_request_layout};

struct fil_queue *fil_queue(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_QUEUE, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_queue, thing);
}

static int64_t wait_of(uint64_t wait_ms)
{
    return wait_ms > INT64_MAX ? INT64_MAX : (int64_t)wait_ms;
}

int fil_queue_offer(struct fil_queue *queue, struct fil_value item, uint64_t wait_ms,
                    bool *out_is_added)
{
    struct fil_value value = fil_null();
    if (queue == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_queue_offer_request fields = {.timeout_millis = wait_of(wait_ms),
                                                  .name = fil_client__thing_name(&queue->thing)};
    struct fil_client_item_request request = {
        .op = &offer_op, .fields = &fields, .item = &fields.value};
    int error = fil_client__thing_run_item(&queue->thing, &request, &item, &value);
    return fil_client__thing_tell_bool(error, &value, out_is_added);
}

int fil_queue_poll(struct fil_queue *queue, uint64_t wait_ms, struct fil_value *out_item)
{
    if (queue == NULL || out_item == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_queue_poll_request fields = {.timeout_millis = wait_of(wait_ms),
                                                 .name = fil_client__thing_name(&queue->thing)};
    return fil_client__thing_run(&queue->thing, &poll_op, &fields, out_item);
}

int fil_queue_peek(struct fil_queue *queue, struct fil_value *out_item)
{
    if (queue == NULL || out_item == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_queue_peek_request fields = {.name = fil_client__thing_name(&queue->thing)};
    return fil_client__thing_run(&queue->thing, &peek_op, &fields, out_item);
}

int fil_queue_size(struct fil_queue *queue, uint64_t *out_size)
{
    struct fil_value value = fil_null();
    if (queue == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_queue_size_request fields = {.name = fil_client__thing_name(&queue->thing)};
    int error = fil_client__thing_run(&queue->thing, &size_op, &fields, &value);
    return fil_client__thing_tell_count(error, &value, out_size);
}

int fil_queue_clear(struct fil_queue *queue)
{
    if (queue == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_queue_clear_request fields = {.name = fil_client__thing_name(&queue->thing)};
    return fil_client__thing_run(&queue->thing, &clear_op, &fields, NULL);
}
