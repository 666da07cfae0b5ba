// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/queue.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field queue_offer_request_fields[] = {
    FIL_WIRE_FIELD(queue_offer_request, timeout_millis, i64, 0),
    FIL_WIRE_FIELD(queue_offer_request, name, string, 0),
    FIL_WIRE_FIELD(queue_offer_request, value, data, 0),
};
static const struct fil_wire_field queue_offer_response_fields[] = {
    FIL_WIRE_FIELD(queue_offer_response, response, bool, 0),
};
static const struct fil_wire_field queue_put_request_fields[] = {
    FIL_WIRE_FIELD(queue_put_request, name, string, 0),
    FIL_WIRE_FIELD(queue_put_request, value, data, 0),
};
static const struct fil_wire_field queue_size_request_fields[] = {
    FIL_WIRE_FIELD(queue_size_request, name, string, 0),
};
static const struct fil_wire_field queue_size_response_fields[] = {
    FIL_WIRE_FIELD(queue_size_response, response, i32, 0),
};
static const struct fil_wire_field queue_poll_request_fields[] = {
    FIL_WIRE_FIELD(queue_poll_request, timeout_millis, i64, 0),
    FIL_WIRE_FIELD(queue_poll_request, name, string, 0),
};
static const struct fil_wire_field queue_poll_response_fields[] = {
    FIL_WIRE_FIELD(queue_poll_response, response, data_or_null, 0),
};
static const struct fil_wire_field queue_iterator_response_fields[] = {
    FIL_WIRE_FIELD(queue_iterator_response, response, list_data, 0),
};
static const struct fil_wire_field queue_drain_to_max_size_request_fields[] = {
    FIL_WIRE_FIELD(queue_drain_to_max_size_request, max_size, i32, 0),
    FIL_WIRE_FIELD(queue_drain_to_max_size_request, name, string, 0),
};
static const struct fil_wire_field queue_contains_all_request_fields[] = {
    FIL_WIRE_FIELD(queue_contains_all_request, name, string, 0),
    FIL_WIRE_FIELD(queue_contains_all_request, data_list, list_data, 0),
};
static const struct fil_wire_field queue_add_listener_request_fields[] = {
    FIL_WIRE_FIELD(queue_add_listener_request, include_value, bool, 0),
    FIL_WIRE_FIELD(queue_add_listener_request, local_only, bool, 1),
    FIL_WIRE_FIELD(queue_add_listener_request, name, string, 0),
};
static const struct fil_wire_field queue_add_listener_response_fields[] = {
    FIL_WIRE_FIELD(queue_add_listener_response, response, uuid, 0),
};
static const struct fil_wire_field queue_add_listener_item_event_fields[] = {
    FIL_WIRE_FIELD(queue_add_listener_item_event, uuid, uuid, 0),
    FIL_WIRE_FIELD(queue_add_listener_item_event, event_type, i32, 17),
    FIL_WIRE_FIELD(queue_add_listener_item_event, item, data_or_null, 0),
};
static const struct fil_wire_field queue_remove_listener_request_fields[] = {
    FIL_WIRE_FIELD(queue_remove_listener_request, registration_id, uuid, 0),
    FIL_WIRE_FIELD(queue_remove_listener_request, name, string, 0),
};

FIL_WIRE_LAYOUT_MAKE(queue_offer_request, "Queue.offer", REQUEST, 0x030100, queue_offer_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(queue_offer_response, "Queue.offer", RESPONSE, 0x030101, queue_offer_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(queue_put_request, "Queue.put", REQUEST, 0x030200, queue_put_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(queue_put_response, "Queue.put", RESPONSE, 0x030201);
FIL_WIRE_LAYOUT_MAKE(queue_size_request, "Queue.size", REQUEST, 0x030300, queue_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_size_response, "Queue.size", RESPONSE, 0x030301, queue_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(queue_remove_request, "Queue.remove", REQUEST, 0x030400, queue_put_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_remove_response, "Queue.remove", RESPONSE, 0x030401, queue_offer_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(queue_poll_request, "Queue.poll", REQUEST, 0x030500, queue_poll_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(queue_poll_response, "Queue.poll", RESPONSE, 0x030501, queue_poll_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_take_request, "Queue.take", REQUEST, 0x030600, queue_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_take_response, "Queue.take", RESPONSE, 0x030601, queue_poll_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_peek_request, "Queue.peek", REQUEST, 0x030700, queue_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_peek_response, "Queue.peek", RESPONSE, 0x030701, queue_poll_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_iterator_request, "Queue.iterator", REQUEST, 0x030800, queue_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_iterator_response, "Queue.iterator", RESPONSE, 0x030801, queue_iterator_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_drain_to_request, "Queue.drainTo", REQUEST, 0x030900, queue_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_drain_to_response, "Queue.drainTo", RESPONSE, 0x030901, queue_iterator_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_drain_to_max_size_request, "Queue.drainToMaxSize", REQUEST, 0x030a00, queue_drain_to_max_size_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(queue_drain_to_max_size_response, "Queue.drainToMaxSize", RESPONSE, 0x030a01, queue_iterator_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_contains_request, "Queue.contains", REQUEST, 0x030b00, queue_put_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_contains_response, "Queue.contains", RESPONSE, 0x030b01, queue_offer_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(queue_contains_all_request, "Queue.containsAll", REQUEST, 0x030c00, queue_contains_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_contains_all_response, "Queue.containsAll", RESPONSE, 0x030c01, queue_offer_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(queue_compare_and_remove_all_request, "Queue.compareAndRemoveAll", REQUEST, 0x030d00, queue_contains_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_compare_and_remove_all_response, "Queue.compareAndRemoveAll", RESPONSE, 0x030d01, queue_offer_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(queue_compare_and_retain_all_request, "Queue.compareAndRetainAll", REQUEST, 0x030e00, queue_contains_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_compare_and_retain_all_response, "Queue.compareAndRetainAll", RESPONSE, 0x030e01, queue_offer_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(queue_clear_request, "Queue.clear", REQUEST, 0x030f00, queue_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(queue_clear_response, "Queue.clear", RESPONSE, 0x030f01);
FIL_WIRE_LAYOUT_MAKE(queue_add_all_request, "Queue.addAll", REQUEST, 0x031000, queue_contains_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_add_all_response, "Queue.addAll", RESPONSE, 0x031001, queue_offer_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(queue_add_listener_request, "Queue.addListener", REQUEST, 0x031100, queue_add_listener_request_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(queue_add_listener_response, "Queue.addListener", RESPONSE, 0x031101, queue_add_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(queue_add_listener_item_event, "Queue.addListener", EVENT, 0x031102, queue_add_listener_item_event_fields, 2, 21, 21);
FIL_WIRE_LAYOUT_MAKE(queue_remove_listener_request, "Queue.removeListener", REQUEST, 0x031200, queue_remove_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(queue_remove_listener_response, "Queue.removeListener", RESPONSE, 0x031201, queue_offer_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(queue_remaining_capacity_request, "Queue.remainingCapacity", REQUEST, 0x031300, queue_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_remaining_capacity_response, "Queue.remainingCapacity", RESPONSE, 0x031301, queue_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(queue_is_empty_request, "Queue.isEmpty", REQUEST, 0x031400, queue_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(queue_is_empty_response, "Queue.isEmpty", RESPONSE, 0x031401, queue_offer_response_fields, 1, 1, 1);

static const struct fil_wire_layout *const queue_add_listener_events[] = {&fil_wire_queue_add_listener_item_event_layout};

const struct fil_wire_message fil_wire_queue_messages[] = {
    FIL_WIRE_MESSAGE(queue_offer, "queue.offer", 0x030100, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_put, "queue.put", 0x030200, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_size, "queue.size", 0x030300, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_remove, "queue.remove", 0x030400, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_poll, "queue.poll", 0x030500, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_take, "queue.take", 0x030600, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_peek, "queue.peek", 0x030700, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_iterator, "queue.iterator", 0x030800, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_drain_to, "queue.drain_to", 0x030900, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_drain_to_max_size, "queue.drain_to_max_size", 0x030a00, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_contains, "queue.contains", 0x030b00, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_contains_all, "queue.contains_all", 0x030c00, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_compare_and_remove_all, "queue.compare_and_remove_all", 0x030d00, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_compare_and_retain_all, "queue.compare_and_retain_all", 0x030e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_clear, "queue.clear", 0x030f00, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_add_all, "queue.add_all", 0x031000, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_add_listener, "queue.add_listener", 0x031100, false, 1, queue_add_listener_events),
    FIL_WIRE_MESSAGE(queue_remove_listener, "queue.remove_listener", 0x031200, true, 0, NULL),
    FIL_WIRE_MESSAGE(queue_remaining_capacity, "queue.remaining_capacity", 0x031300, false, 0, NULL),
    FIL_WIRE_MESSAGE(queue_is_empty, "queue.is_empty", 0x031400, false, 0, NULL),
};
