// SPDX-License-Identifier: Apache-2.0
#include "filbert/queue.h"

#include "client/listener_internal.h"
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
static const struct fil_client_op drain_op = {
    .request = &fil_wire_queue_drain_to_max_size_request_layout, .answer = FIL_CLIENT_ANSWER_RAW};
static const struct fil_client_op listen_op = {.request =
                                                   &fil_wire_queue_add_listener_request_layout};
static const struct fil_client_op remove_op = {.request =
                                                   &fil_wire_queue_remove_listener_request_layout};

static const struct fil_client_ear ear = {.listen = &listen_op,
                                          .remove = &remove_op,
                                          .has_values_field = true,
                                          .tell = fil_client__tell_item};

struct fil_queue *fil_queue(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_QUEUE, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_queue, thing);
}

int fil_queue_offer(struct fil_queue *queue, struct fil_value item, uint64_t wait_ms,
                    bool *out_is_added)
{
    struct fil_value value = fil_null();
    if (queue == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_wire_queue_offer_request fields = {.timeout_millis = fil_client__thing_wait(wait_ms),
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
    struct fil_wire_queue_poll_request fields = {.timeout_millis = fil_client__thing_wait(wait_ms),
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

int fil_queue_drain(struct fil_queue *queue, uint32_t count_max, struct fil_values *out_items)
{
    if (queue == NULL || out_items == NULL) {
        return FIL_E_INVALID;
    }
    bool is_bounded = count_max > 0 && count_max < INT32_MAX;
    struct fil_wire_queue_drain_to_max_size_request fields = {
        .max_size = is_bounded ? (int32_t)count_max : INT32_MAX,
        .name = fil_client__thing_name(&queue->thing)};
    struct fil_client_errand errand = {.op = &drain_op, .fields = &fields};
    return fil_client__thing_list(&queue->thing, &errand, out_items);
}

int fil_queue_subscribe(struct fil_queue *queue, const struct fil_item_subscribe_options *options,
                        struct fil_subscription **out_subscription)
{
    return queue == NULL ? FIL_E_INVALID
                         : fil_client__item_listen(&queue->thing, &ear, options, out_subscription);
}
