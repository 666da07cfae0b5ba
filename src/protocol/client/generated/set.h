// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Set: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_set_number {
    FIL_WIRE_SET_SIZE = 0x060100,
    FIL_WIRE_SET_CONTAINS = 0x060200,
    FIL_WIRE_SET_CONTAINS_ALL = 0x060300,
    FIL_WIRE_SET_ADD = 0x060400,
    FIL_WIRE_SET_REMOVE = 0x060500,
    FIL_WIRE_SET_ADD_ALL = 0x060600,
    FIL_WIRE_SET_COMPARE_AND_REMOVE_ALL = 0x060700,
    FIL_WIRE_SET_COMPARE_AND_RETAIN_ALL = 0x060800,
    FIL_WIRE_SET_CLEAR = 0x060900,
    FIL_WIRE_SET_GET_ALL = 0x060a00,
    FIL_WIRE_SET_ADD_LISTENER = 0x060b00,
    FIL_WIRE_SET_ADD_LISTENER_ITEM_EVENT = 0x060b02,
    FIL_WIRE_SET_REMOVE_LISTENER = 0x060c00,
    FIL_WIRE_SET_IS_EMPTY = 0x060d00,
};

struct fil_wire_set_size_request {
    struct fil_bytes name;
};
struct fil_wire_set_size_response {
    int32_t response;
};
struct fil_wire_set_contains_request {
    struct fil_bytes name, value;
};
struct fil_wire_set_contains_response {
    bool response;
};
struct fil_wire_set_contains_all_request {
    struct fil_bytes name;
    struct fil_wire_part items;
};
struct fil_wire_set_contains_all_response {
    bool response;
};
struct fil_wire_set_add_request {
    struct fil_bytes name, value;
};
struct fil_wire_set_add_response {
    bool response;
};
struct fil_wire_set_remove_request {
    struct fil_bytes name, value;
};
struct fil_wire_set_remove_response {
    bool response;
};
struct fil_wire_set_add_all_request {
    struct fil_bytes name;
    struct fil_wire_part value_list;
};
struct fil_wire_set_add_all_response {
    bool response;
};
struct fil_wire_set_compare_and_remove_all_request {
    struct fil_bytes name;
    struct fil_wire_part values;
};
struct fil_wire_set_compare_and_remove_all_response {
    bool response;
};
struct fil_wire_set_compare_and_retain_all_request {
    struct fil_bytes name;
    struct fil_wire_part values;
};
struct fil_wire_set_compare_and_retain_all_response {
    bool response;
};
struct fil_wire_set_clear_request {
    struct fil_bytes name;
};
struct fil_wire_set_get_all_request {
    struct fil_bytes name;
};
struct fil_wire_set_get_all_response {
    struct fil_wire_part response;
};
struct fil_wire_set_add_listener_request {
    bool include_value, local_only;
    struct fil_bytes name;
};
struct fil_wire_set_add_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_set_add_listener_item_event {
    struct fil_wire_uuid uuid;
    int32_t event_type;
    struct fil_bytes item;
};
struct fil_wire_set_remove_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_set_remove_listener_response {
    bool response;
};
struct fil_wire_set_is_empty_request {
    struct fil_bytes name;
};
struct fil_wire_set_is_empty_response {
    bool response;
};

FIL_WIRE_DECLARE(set_size);
FIL_WIRE_DECLARE(set_contains);
FIL_WIRE_DECLARE(set_contains_all);
FIL_WIRE_DECLARE(set_add);
FIL_WIRE_DECLARE(set_remove);
FIL_WIRE_DECLARE(set_add_all);
FIL_WIRE_DECLARE(set_compare_and_remove_all);
FIL_WIRE_DECLARE(set_compare_and_retain_all);
FIL_WIRE_DECLARE(set_clear);
FIL_WIRE_DECLARE(set_get_all);
FIL_WIRE_DECLARE(set_add_listener);
extern const struct fil_wire_layout fil_wire_set_add_listener_item_event_layout;
FIL_WIRE_DECLARE(set_remove_listener);
FIL_WIRE_DECLARE(set_is_empty);
