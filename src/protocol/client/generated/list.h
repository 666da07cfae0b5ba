// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** List: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_list_number {
    FIL_WIRE_LIST_SIZE = 0x050100,
    FIL_WIRE_LIST_CONTAINS = 0x050200,
    FIL_WIRE_LIST_CONTAINS_ALL = 0x050300,
    FIL_WIRE_LIST_ADD = 0x050400,
    FIL_WIRE_LIST_REMOVE = 0x050500,
    FIL_WIRE_LIST_ADD_ALL = 0x050600,
    FIL_WIRE_LIST_COMPARE_AND_REMOVE_ALL = 0x050700,
    FIL_WIRE_LIST_COMPARE_AND_RETAIN_ALL = 0x050800,
    FIL_WIRE_LIST_CLEAR = 0x050900,
    FIL_WIRE_LIST_GET_ALL = 0x050a00,
    FIL_WIRE_LIST_ADD_LISTENER = 0x050b00,
    FIL_WIRE_LIST_ADD_LISTENER_ITEM_EVENT = 0x050b02,
    FIL_WIRE_LIST_REMOVE_LISTENER = 0x050c00,
    FIL_WIRE_LIST_IS_EMPTY = 0x050d00,
    FIL_WIRE_LIST_ADD_ALL_WITH_INDEX = 0x050e00,
    FIL_WIRE_LIST_GET = 0x050f00,
    FIL_WIRE_LIST_SET = 0x051000,
    FIL_WIRE_LIST_ADD_WITH_INDEX = 0x051100,
    FIL_WIRE_LIST_REMOVE_WITH_INDEX = 0x051200,
    FIL_WIRE_LIST_LAST_INDEX_OF = 0x051300,
    FIL_WIRE_LIST_INDEX_OF = 0x051400,
    FIL_WIRE_LIST_SUB = 0x051500,
    FIL_WIRE_LIST_ITERATOR = 0x051600,
    FIL_WIRE_LIST_LIST_ITERATOR = 0x051700,
};

struct fil_wire_list_size_request {
    struct fil_bytes name;
};
struct fil_wire_list_size_response {
    int32_t response;
};
struct fil_wire_list_contains_request {
    struct fil_bytes name, value;
};
struct fil_wire_list_contains_response {
    bool response;
};
struct fil_wire_list_contains_all_request {
    struct fil_bytes name;
    struct fil_wire_part values;
};
struct fil_wire_list_contains_all_response {
    bool response;
};
struct fil_wire_list_add_request {
    struct fil_bytes name, value;
};
struct fil_wire_list_add_response {
    bool response;
};
struct fil_wire_list_remove_request {
    struct fil_bytes name, value;
};
struct fil_wire_list_remove_response {
    bool response;
};
struct fil_wire_list_add_all_request {
    struct fil_bytes name;
    struct fil_wire_part value_list;
};
struct fil_wire_list_add_all_response {
    bool response;
};
struct fil_wire_list_compare_and_remove_all_request {
    struct fil_bytes name;
    struct fil_wire_part values;
};
struct fil_wire_list_compare_and_remove_all_response {
    bool response;
};
struct fil_wire_list_compare_and_retain_all_request {
    struct fil_bytes name;
    struct fil_wire_part values;
};
struct fil_wire_list_compare_and_retain_all_response {
    bool response;
};
struct fil_wire_list_clear_request {
    struct fil_bytes name;
};
struct fil_wire_list_get_all_request {
    struct fil_bytes name;
};
struct fil_wire_list_get_all_response {
    struct fil_wire_part response;
};
struct fil_wire_list_add_listener_request {
    bool include_value, local_only;
    struct fil_bytes name;
};
struct fil_wire_list_add_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_list_add_listener_item_event {
    struct fil_wire_uuid uuid;
    int32_t event_type;
    struct fil_bytes item;
};
struct fil_wire_list_remove_listener_request {
    struct fil_wire_uuid registration_id;
    struct fil_bytes name;
};
struct fil_wire_list_remove_listener_response {
    bool response;
};
struct fil_wire_list_is_empty_request {
    struct fil_bytes name;
};
struct fil_wire_list_is_empty_response {
    bool response;
};
struct fil_wire_list_add_all_with_index_request {
    int32_t index;
    struct fil_bytes name;
    struct fil_wire_part value_list;
};
struct fil_wire_list_add_all_with_index_response {
    bool response;
};
struct fil_wire_list_get_request {
    int32_t index;
    struct fil_bytes name;
};
struct fil_wire_list_get_response {
    struct fil_bytes response;
};
struct fil_wire_list_set_request {
    int32_t index;
    struct fil_bytes name, value;
};
struct fil_wire_list_set_response {
    struct fil_bytes response;
};
struct fil_wire_list_add_with_index_request {
    int32_t index;
    struct fil_bytes name, value;
};
struct fil_wire_list_remove_with_index_request {
    int32_t index;
    struct fil_bytes name;
};
struct fil_wire_list_remove_with_index_response {
    struct fil_bytes response;
};
struct fil_wire_list_last_index_of_request {
    struct fil_bytes name, value;
};
struct fil_wire_list_last_index_of_response {
    int32_t response;
};
struct fil_wire_list_index_of_request {
    struct fil_bytes name, value;
};
struct fil_wire_list_index_of_response {
    int32_t response;
};
struct fil_wire_list_sub_request {
    int32_t from, to;
    struct fil_bytes name;
};
struct fil_wire_list_sub_response {
    struct fil_wire_part response;
};
struct fil_wire_list_iterator_request {
    struct fil_bytes name;
};
struct fil_wire_list_iterator_response {
    struct fil_wire_part response;
};
struct fil_wire_list_list_iterator_request {
    int32_t index;
    struct fil_bytes name;
};
struct fil_wire_list_list_iterator_response {
    struct fil_wire_part response;
};

FIL_WIRE_DECLARE(list_size);
FIL_WIRE_DECLARE(list_contains);
FIL_WIRE_DECLARE(list_contains_all);
FIL_WIRE_DECLARE(list_add);
FIL_WIRE_DECLARE(list_remove);
FIL_WIRE_DECLARE(list_add_all);
FIL_WIRE_DECLARE(list_compare_and_remove_all);
FIL_WIRE_DECLARE(list_compare_and_retain_all);
FIL_WIRE_DECLARE(list_clear);
FIL_WIRE_DECLARE(list_get_all);
FIL_WIRE_DECLARE(list_add_listener);
extern const struct fil_wire_layout fil_wire_list_add_listener_item_event_layout;
FIL_WIRE_DECLARE(list_remove_listener);
FIL_WIRE_DECLARE(list_is_empty);
FIL_WIRE_DECLARE(list_add_all_with_index);
FIL_WIRE_DECLARE(list_get);
FIL_WIRE_DECLARE(list_set);
FIL_WIRE_DECLARE(list_add_with_index);
FIL_WIRE_DECLARE(list_remove_with_index);
FIL_WIRE_DECLARE(list_last_index_of);
FIL_WIRE_DECLARE(list_index_of);
FIL_WIRE_DECLARE(list_sub);
FIL_WIRE_DECLARE(list_iterator);
FIL_WIRE_DECLARE(list_list_iterator);
