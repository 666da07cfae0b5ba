// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Queue: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_queue_number {
    FIL_WIRE_QUEUE_OFFER = 0x030100,
    FIL_WIRE_QUEUE_PUT = 0x030200,
    FIL_WIRE_QUEUE_SIZE = 0x030300,
    FIL_WIRE_QUEUE_REMOVE = 0x030400,
    FIL_WIRE_QUEUE_POLL = 0x030500,
    FIL_WIRE_QUEUE_TAKE = 0x030600,
    FIL_WIRE_QUEUE_PEEK = 0x030700,
    FIL_WIRE_QUEUE_ITERATOR = 0x030800,
    FIL_WIRE_QUEUE_DRAIN_TO = 0x030900,
    FIL_WIRE_QUEUE_DRAIN_TO_MAX_SIZE = 0x030a00,
    FIL_WIRE_QUEUE_CONTAINS = 0x030b00,
    FIL_WIRE_QUEUE_CONTAINS_ALL = 0x030c00,
    FIL_WIRE_QUEUE_COMPARE_AND_REMOVE_ALL = 0x030d00,
    FIL_WIRE_QUEUE_COMPARE_AND_RETAIN_ALL = 0x030e00,
    FIL_WIRE_QUEUE_CLEAR = 0x030f00,
    FIL_WIRE_QUEUE_ADD_ALL = 0x031000,
    FIL_WIRE_QUEUE_ADD_LISTENER = 0x031100,
    FIL_WIRE_QUEUE_ADD_LISTENER_ITEM_EVENT = 0x031102,
    FIL_WIRE_QUEUE_REMOVE_LISTENER = 0x031200,
    FIL_WIRE_QUEUE_REMAINING_CAPACITY = 0x031300,
    FIL_WIRE_QUEUE_IS_EMPTY = 0x031400,
};

struct fil_wire_queue_offer_request {
    int64_t timeout_millis;
    struct fil_bytes name, value;
};
struct fil_wire_queue_offer_response {
    bool response;
};
struct fil_wire_queue_put_request {
    struct fil_bytes name, value;
};
struct fil_wire_queue_size_request {
    struct fil_bytes name;
};
struct fil_wire_queue_size_response {
    int32_t response;
};
struct fil_wire_queue_remove_request {
    struct fil_bytes name, value;
};
struct fil_wire_queue_remove_response {
    bool response;
};
struct fil_wire_queue_poll_request {
    int64_t timeout_millis;
    struct fil_bytes name;
};
struct fil_wire_queue_poll_response {
    struct fil_bytes response;
};
struct fil_wire_queue_take_request {
    struct fil_bytes name;
};
struct fil_wire_queue_take_response {
    struct fil_bytes response;
};
struct fil_wire_queue_peek_request {
    struct fil_bytes name;
};
struct fil_wire_queue_peek_response {
    struct fil_bytes response;
};
struct fil_wire_queue_iterator_request {
    struct fil_bytes name;
};
struct fil_wire_queue_iterator_response {
    struct fil_wire_part response;
};
struct fil_wire_queue_drain_to_request {
    struct fil_bytes name;
};
struct fil_wire_queue_drain_to_response {
    struct fil_wire_part response;
};
struct fil_wire_queue_drain_to_max_size_request {
    int32_t max_size;
    struct fil_bytes name;
};
struct fil_wire_queue_drain_to_max_size_response {
    struct fil_wire_part response;
};
struct fil_wire_queue_contains_request {
    struct fil_bytes name, value;
};
struct fil_wire_queue_contains_response {
    bool response;
};
struct fil_wire_queue_contains_all_request {
    struct fil_bytes name;
    struct fil_wire_part data_list;
};
struct fil_wire_queue_contains_all_response {
    bool response;
};
struct fil_wire_queue_compare_and_remove_all_request {
    struct fil_bytes name;
    struct fil_wire_part data_list;
};
struct fil_wire_queue_compare_and_remove_all_response {
    bool response;
};
struct fil_wire_queue_compare_and_retain_all_request {
    struct fil_bytes name;
    struct fil_wire_part data_list;
};
struct fil_wire_queue_compare_and_retain_all_response {
    bool response;
};
struct fil_wire_queue_clear_request {
    struct fil_bytes name;
};
struct fil_wire_queue_add_all_request {
    struct fil_bytes name;
    struct fil_wire_part data_list;
};
struct fil_wire_queue_add_all_response {
    bool response;
};
struct fil_wire_queue_add_listener_request {
    bool include_value, local_only;
    struct fil_bytes name;
};
struct fil_wire_queue_add_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_queue_add_listener_item_event {
    struct fil_wire_uuid uuid;
    int32_t event_type;
    struct fil_bytes item;
};
struct fil_wire_queue_remove_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_queue_remove_listener_response {
    bool response;
};
struct fil_wire_queue_remaining_capacity_request {
    struct fil_bytes name;
};
struct fil_wire_queue_remaining_capacity_response {
    int32_t response;
};
struct fil_wire_queue_is_empty_request {
    struct fil_bytes name;
};
struct fil_wire_queue_is_empty_response {
    bool response;
};

FIL_WIRE_DECLARE(queue_offer);
FIL_WIRE_DECLARE(queue_put);
FIL_WIRE_DECLARE(queue_size);
FIL_WIRE_DECLARE(queue_remove);
FIL_WIRE_DECLARE(queue_poll);
FIL_WIRE_DECLARE(queue_take);
FIL_WIRE_DECLARE(queue_peek);
FIL_WIRE_DECLARE(queue_iterator);
FIL_WIRE_DECLARE(queue_drain_to);
FIL_WIRE_DECLARE(queue_drain_to_max_size);
FIL_WIRE_DECLARE(queue_contains);
FIL_WIRE_DECLARE(queue_contains_all);
FIL_WIRE_DECLARE(queue_compare_and_remove_all);
FIL_WIRE_DECLARE(queue_compare_and_retain_all);
FIL_WIRE_DECLARE(queue_clear);
FIL_WIRE_DECLARE(queue_add_all);
FIL_WIRE_DECLARE(queue_add_listener);
extern const struct fil_wire_layout fil_wire_queue_add_listener_item_event_layout;
FIL_WIRE_DECLARE(queue_remove_listener);
FIL_WIRE_DECLARE(queue_remaining_capacity);
FIL_WIRE_DECLARE(queue_is_empty);
