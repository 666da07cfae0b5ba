// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/set.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field set_size_request_fields[] = {
    FIL_WIRE_FIELD(set_size_request, name, string, 0),
};
static const struct fil_wire_field set_size_response_fields[] = {
    FIL_WIRE_FIELD(set_size_response, response, i32, 0),
};
static const struct fil_wire_field set_contains_request_fields[] = {
    FIL_WIRE_FIELD(set_contains_request, name, string, 0),
    FIL_WIRE_FIELD(set_contains_request, value, data, 0),
};
static const struct fil_wire_field set_contains_response_fields[] = {
    FIL_WIRE_FIELD(set_contains_response, response, bool, 0),
};
static const struct fil_wire_field set_contains_all_request_fields[] = {
    FIL_WIRE_FIELD(set_contains_all_request, name, string, 0),
    FIL_WIRE_FIELD(set_contains_all_request, items, list_data, 0),
};
static const struct fil_wire_field set_add_all_request_fields[] = {
    FIL_WIRE_FIELD(set_add_all_request, name, string, 0),
    FIL_WIRE_FIELD(set_add_all_request, value_list, list_data, 0),
};
static const struct fil_wire_field set_compare_and_remove_all_request_fields[] = {
    FIL_WIRE_FIELD(set_compare_and_remove_all_request, name, string, 0),
    FIL_WIRE_FIELD(set_compare_and_remove_all_request, values, list_data, 0),
};
static const struct fil_wire_field set_get_all_response_fields[] = {
    FIL_WIRE_FIELD(set_get_all_response, response, list_data, 0),
};
static const struct fil_wire_field set_add_listener_request_fields[] = {
    FIL_WIRE_FIELD(set_add_listener_request, include_value, bool, 0),
    FIL_WIRE_FIELD(set_add_listener_request, local_only, bool, 1),
    FIL_WIRE_FIELD(set_add_listener_request, name, string, 0),
};
static const struct fil_wire_field set_add_listener_response_fields[] = {
    FIL_WIRE_FIELD(set_add_listener_response, response, uuid, 0),
};
static const struct fil_wire_field set_add_listener_item_event_fields[] = {
    FIL_WIRE_FIELD(set_add_listener_item_event, uuid, uuid, 0),
    FIL_WIRE_FIELD(set_add_listener_item_event, event_type, i32, 17),
    FIL_WIRE_FIELD(set_add_listener_item_event, item, data_or_null, 0),
};
static const struct fil_wire_field set_remove_listener_request_fields[] = {
    FIL_WIRE_FIELD(set_remove_listener_request, registration_id, uuid, 0),
    FIL_WIRE_FIELD(set_remove_listener_request, name, string, 0),
};

FIL_WIRE_LAYOUT_MAKE(set_size_request, "Set.size", REQUEST, 0x060100, set_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_size_response, "Set.size", RESPONSE, 0x060101, set_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(set_contains_request, "Set.contains", REQUEST, 0x060200, set_contains_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_contains_response, "Set.contains", RESPONSE, 0x060201, set_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(set_contains_all_request, "Set.containsAll", REQUEST, 0x060300, set_contains_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_contains_all_response, "Set.containsAll", RESPONSE, 0x060301, set_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(set_add_request, "Set.add", REQUEST, 0x060400, set_contains_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_add_response, "Set.add", RESPONSE, 0x060401, set_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(set_remove_request, "Set.remove", REQUEST, 0x060500, set_contains_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_remove_response, "Set.remove", RESPONSE, 0x060501, set_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(set_add_all_request, "Set.addAll", REQUEST, 0x060600, set_add_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_add_all_response, "Set.addAll", RESPONSE, 0x060601, set_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(set_compare_and_remove_all_request, "Set.compareAndRemoveAll", REQUEST, 0x060700, set_compare_and_remove_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_compare_and_remove_all_response, "Set.compareAndRemoveAll", RESPONSE, 0x060701, set_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(set_compare_and_retain_all_request, "Set.compareAndRetainAll", REQUEST, 0x060800, set_compare_and_remove_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_compare_and_retain_all_response, "Set.compareAndRetainAll", RESPONSE, 0x060801, set_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(set_clear_request, "Set.clear", REQUEST, 0x060900, set_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(set_clear_response, "Set.clear", RESPONSE, 0x060901);
FIL_WIRE_LAYOUT_MAKE(set_get_all_request, "Set.getAll", REQUEST, 0x060a00, set_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_get_all_response, "Set.getAll", RESPONSE, 0x060a01, set_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_add_listener_request, "Set.addListener", REQUEST, 0x060b00, set_add_listener_request_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(set_add_listener_response, "Set.addListener", RESPONSE, 0x060b01, set_add_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(set_add_listener_item_event, "Set.addListener", EVENT, 0x060b02, set_add_listener_item_event_fields, 2, 21, 21);
FIL_WIRE_LAYOUT_MAKE(set_remove_listener_request, "Set.removeListener", REQUEST, 0x060c00, set_remove_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(set_remove_listener_response, "Set.removeListener", RESPONSE, 0x060c01, set_contains_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(set_is_empty_request, "Set.isEmpty", REQUEST, 0x060d00, set_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(set_is_empty_response, "Set.isEmpty", RESPONSE, 0x060d01, set_contains_response_fields, 1, 1, 1);

static const struct fil_wire_layout *const set_add_listener_events[] = {&fil_wire_set_add_listener_item_event_layout};

const struct fil_wire_message fil_wire_set_messages[] = {
    FIL_WIRE_MESSAGE(set_size, "set.size", 0x060100, false, 0, NULL),
    FIL_WIRE_MESSAGE(set_contains, "set.contains", 0x060200, false, 0, NULL),
    FIL_WIRE_MESSAGE(set_contains_all, "set.contains_all", 0x060300, false, 0, NULL),
    FIL_WIRE_MESSAGE(set_add, "set.add", 0x060400, false, 0, NULL),
    FIL_WIRE_MESSAGE(set_remove, "set.remove", 0x060500, false, 0, NULL),
    FIL_WIRE_MESSAGE(set_add_all, "set.add_all", 0x060600, false, 0, NULL),
    FIL_WIRE_MESSAGE(set_compare_and_remove_all, "set.compare_and_remove_all", 0x060700, false, 0, NULL),
    FIL_WIRE_MESSAGE(set_compare_and_retain_all, "set.compare_and_retain_all", 0x060800, false, 0, NULL),
    FIL_WIRE_MESSAGE(set_clear, "set.clear", 0x060900, false, 0, NULL),
    FIL_WIRE_MESSAGE(set_get_all, "set.get_all", 0x060a00, false, 0, NULL),
    FIL_WIRE_MESSAGE(set_add_listener, "set.add_listener", 0x060b00, false, 1, set_add_listener_events),
    FIL_WIRE_MESSAGE(set_remove_listener, "set.remove_listener", 0x060c00, true, 0, NULL),
    FIL_WIRE_MESSAGE(set_is_empty, "set.is_empty", 0x060d00, false, 0, NULL),
};
