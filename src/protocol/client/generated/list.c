// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/list.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field list_size_request_fields[] = {
    FIL_WIRE_FIELD(list_size_request, name, string, 0),
};
static const struct fil_wire_field list_size_response_fields[] = {
    FIL_WIRE_FIELD(list_size_response, response, i32, 0),
};
static const struct fil_wire_field list_contains_request_fields[] = {
    FIL_WIRE_FIELD(list_contains_request, name, string, 0),
    FIL_WIRE_FIELD(list_contains_request, value, data, 0),
};
static const struct fil_wire_field list_contains_response_fields[] = {
    FIL_WIRE_FIELD(list_contains_response, response, bool, 0),
};
static const struct fil_wire_field list_contains_all_request_fields[] = {
    FIL_WIRE_FIELD(list_contains_all_request, name, string, 0),
    FIL_WIRE_FIELD(list_contains_all_request, values, list_data, 0),
};
static const struct fil_wire_field list_add_all_request_fields[] = {
    FIL_WIRE_FIELD(list_add_all_request, name, string, 0),
    FIL_WIRE_FIELD(list_add_all_request, value_list, list_data, 0),
};
static const struct fil_wire_field list_get_all_response_fields[] = {
    FIL_WIRE_FIELD(list_get_all_response, response, list_data, 0),
};
static const struct fil_wire_field list_add_listener_request_fields[] = {
    FIL_WIRE_FIELD(list_add_listener_request, include_value, bool, 0),
    FIL_WIRE_FIELD(list_add_listener_request, local_only, bool, 1),
    FIL_WIRE_FIELD(list_add_listener_request, name, string, 0),
};
static const struct fil_wire_field list_add_listener_response_fields[] = {
    FIL_WIRE_FIELD(list_add_listener_response, response, uuid, 0),
};
static const struct fil_wire_field list_add_listener_item_event_fields[] = {
    FIL_WIRE_FIELD(list_add_listener_item_event, uuid, uuid, 0),
    FIL_WIRE_FIELD(list_add_listener_item_event, event_type, i32, 17),
    FIL_WIRE_FIELD(list_add_listener_item_event, item, data_or_null, 0),
};
static const struct fil_wire_field list_remove_listener_request_fields[] = {
    FIL_WIRE_FIELD(list_remove_listener_request, registration_id, uuid, 0),
    FIL_WIRE_FIELD(list_remove_listener_request, name, string, 0),
};
static const struct fil_wire_field list_add_all_with_index_request_fields[] = {
    FIL_WIRE_FIELD(list_add_all_with_index_request, index, i32, 0),
    FIL_WIRE_FIELD(list_add_all_with_index_request, name, string, 0),
    FIL_WIRE_FIELD(list_add_all_with_index_request, value_list, list_data, 0),
};
static const struct fil_wire_field list_get_request_fields[] = {
    FIL_WIRE_FIELD(list_get_request, index, i32, 0),
    FIL_WIRE_FIELD(list_get_request, name, string, 0),
};
static const struct fil_wire_field list_get_response_fields[] = {
    FIL_WIRE_FIELD(list_get_response, response, data_or_null, 0),
};
static const struct fil_wire_field list_set_request_fields[] = {
    FIL_WIRE_FIELD(list_set_request, index, i32, 0),
    FIL_WIRE_FIELD(list_set_request, name, string, 0),
    FIL_WIRE_FIELD(list_set_request, value, data, 0),
};
static const struct fil_wire_field list_sub_request_fields[] = {
    FIL_WIRE_FIELD(list_sub_request, from, i32, 0),
    FIL_WIRE_FIELD(list_sub_request, to, i32, 4),
    FIL_WIRE_FIELD(list_sub_request, name, string, 0),
};

FIL_WIRE_LAYOUT_MAKE(list_size_request, "List.size", REQUEST, 0x050100, list_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_size_response, "List.size", RESPONSE, 0x050101, list_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(list_contains_request, "List.contains", REQUEST, 0x050200, list_contains_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_contains_response, "List.contains", RESPONSE, 0x050201, list_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(list_contains_all_request, "List.containsAll", REQUEST, 0x050300, list_contains_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_contains_all_response, "List.containsAll", RESPONSE, 0x050301, list_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(list_add_request, "List.add", REQUEST, 0x050400, list_contains_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_add_response, "List.add", RESPONSE, 0x050401, list_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(list_remove_request, "List.remove", REQUEST, 0x050500, list_contains_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_remove_response, "List.remove", RESPONSE, 0x050501, list_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(list_add_all_request, "List.addAll", REQUEST, 0x050600, list_add_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_add_all_response, "List.addAll", RESPONSE, 0x050601, list_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(list_compare_and_remove_all_request, "List.compareAndRemoveAll", REQUEST, 0x050700, list_contains_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_compare_and_remove_all_response, "List.compareAndRemoveAll", RESPONSE, 0x050701, list_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(list_compare_and_retain_all_request, "List.compareAndRetainAll", REQUEST, 0x050800, list_contains_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_compare_and_retain_all_response, "List.compareAndRetainAll", RESPONSE, 0x050801, list_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(list_clear_request, "List.clear", REQUEST, 0x050900, list_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(list_clear_response, "List.clear", RESPONSE, 0x050901);
FIL_WIRE_LAYOUT_MAKE(list_get_all_request, "List.getAll", REQUEST, 0x050a00, list_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_get_all_response, "List.getAll", RESPONSE, 0x050a01, list_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_add_listener_request, "List.addListener", REQUEST, 0x050b00, list_add_listener_request_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(list_add_listener_response, "List.addListener", RESPONSE, 0x050b01, list_add_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(list_add_listener_item_event, "List.addListener", EVENT, 0x050b02, list_add_listener_item_event_fields, 2, 21, 21);
FIL_WIRE_LAYOUT_MAKE(list_remove_listener_request, "List.removeListener", REQUEST, 0x050c00, list_remove_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(list_remove_listener_response, "List.removeListener", RESPONSE, 0x050c01, list_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(list_is_empty_request, "List.isEmpty", REQUEST, 0x050d00, list_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_is_empty_response, "List.isEmpty", RESPONSE, 0x050d01, list_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(list_add_all_with_index_request, "List.addAllWithIndex", REQUEST, 0x050e00, list_add_all_with_index_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(list_add_all_with_index_response, "List.addAllWithIndex", RESPONSE, 0x050e01, list_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(list_get_request, "List.get", REQUEST, 0x050f00, list_get_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(list_get_response, "List.get", RESPONSE, 0x050f01, list_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_set_request, "List.set", REQUEST, 0x051000, list_set_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(list_set_response, "List.set", RESPONSE, 0x051001, list_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_add_with_index_request, "List.addWithIndex", REQUEST, 0x051100, list_set_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_EMPTY(list_add_with_index_response, "List.addWithIndex", RESPONSE, 0x051101);
FIL_WIRE_LAYOUT_MAKE(list_remove_with_index_request, "List.removeWithIndex", REQUEST, 0x051200, list_get_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(list_remove_with_index_response, "List.removeWithIndex", RESPONSE, 0x051201, list_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_last_index_of_request, "List.lastIndexOf", REQUEST, 0x051300, list_contains_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_last_index_of_response, "List.lastIndexOf", RESPONSE, 0x051301, list_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(list_index_of_request, "List.indexOf", REQUEST, 0x051400, list_contains_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_index_of_response, "List.indexOf", RESPONSE, 0x051401, list_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(list_sub_request, "List.sub", REQUEST, 0x051500, list_sub_request_fields, 2, 8, 8);
FIL_WIRE_LAYOUT_MAKE(list_sub_response, "List.sub", RESPONSE, 0x051501, list_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_iterator_request, "List.iterator", REQUEST, 0x051600, list_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_iterator_response, "List.iterator", RESPONSE, 0x051601, list_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(list_list_iterator_request, "List.listIterator", REQUEST, 0x051700, list_get_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(list_list_iterator_response, "List.listIterator", RESPONSE, 0x051701, list_get_all_response_fields, 0, 0, 0);

static const struct fil_wire_layout *const list_add_listener_events[] = {&fil_wire_list_add_listener_item_event_layout};

const struct fil_wire_message fil_wire_list_messages[] = {
    FIL_WIRE_MESSAGE(list_size, "list.size", 0x050100, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_contains, "list.contains", 0x050200, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_contains_all, "list.contains_all", 0x050300, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_add, "list.add", 0x050400, false, 0, NULL),
    FIL_WIRE_MESSAGE(list_remove, "list.remove", 0x050500, false, 0, NULL),
    FIL_WIRE_MESSAGE(list_add_all, "list.add_all", 0x050600, false, 0, NULL),
    FIL_WIRE_MESSAGE(list_compare_and_remove_all, "list.compare_and_remove_all", 0x050700, false, 0, NULL),
    FIL_WIRE_MESSAGE(list_compare_and_retain_all, "list.compare_and_retain_all", 0x050800, false, 0, NULL),
    FIL_WIRE_MESSAGE(list_clear, "list.clear", 0x050900, false, 0, NULL),
    FIL_WIRE_MESSAGE(list_get_all, "list.get_all", 0x050a00, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_add_listener, "list.add_listener", 0x050b00, false, 1, list_add_listener_events),
    FIL_WIRE_MESSAGE(list_remove_listener, "list.remove_listener", 0x050c00, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_is_empty, "list.is_empty", 0x050d00, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_add_all_with_index, "list.add_all_with_index", 0x050e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(list_get, "list.get", 0x050f00, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_set, "list.set", 0x051000, false, 0, NULL),
    FIL_WIRE_MESSAGE(list_add_with_index, "list.add_with_index", 0x051100, false, 0, NULL),
    FIL_WIRE_MESSAGE(list_remove_with_index, "list.remove_with_index", 0x051200, false, 0, NULL),
    FIL_WIRE_MESSAGE(list_last_index_of, "list.last_index_of", 0x051300, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_index_of, "list.index_of", 0x051400, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_sub, "list.sub", 0x051500, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_iterator, "list.iterator", 0x051600, true, 0, NULL),
    FIL_WIRE_MESSAGE(list_list_iterator, "list.list_iterator", 0x051700, true, 0, NULL),
};
