// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/multi_map.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field multi_map_put_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_put_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(multi_map_put_request, name, string, 0),
    FIL_WIRE_FIELD(multi_map_put_request, key, data, 0),
    FIL_WIRE_FIELD(multi_map_put_request, value, data, 0),
};
static const struct fil_wire_field multi_map_put_response_fields[] = {
    FIL_WIRE_FIELD(multi_map_put_response, response, bool, 0),
};
static const struct fil_wire_field multi_map_get_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_get_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(multi_map_get_request, name, string, 0),
    FIL_WIRE_FIELD(multi_map_get_request, key, data, 0),
};
static const struct fil_wire_field multi_map_get_response_fields[] = {
    FIL_WIRE_FIELD(multi_map_get_response, response, list_data, 0),
};
static const struct fil_wire_field multi_map_key_set_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_key_set_request, name, string, 0),
};
static const struct fil_wire_field multi_map_entry_set_response_fields[] = {
    FIL_WIRE_FIELD(multi_map_entry_set_response, response, map_data_data, 0),
};
static const struct fil_wire_field multi_map_contains_value_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_contains_value_request, name, string, 0),
    FIL_WIRE_FIELD(multi_map_contains_value_request, value, data, 0),
};
static const struct fil_wire_field multi_map_size_response_fields[] = {
    FIL_WIRE_FIELD(multi_map_size_response, response, i32, 0),
};
static const struct fil_wire_field multi_map_add_entry_listener_to_key_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_request, include_value, bool, 0),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_request, local_only, bool, 1),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_request, name, string, 0),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_request, key, data, 0),
};
static const struct fil_wire_field multi_map_add_entry_listener_to_key_response_fields[] = {
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_response, response, uuid, 0),
};
static const struct fil_wire_field multi_map_add_entry_listener_to_key_entry_event_fields[] = {
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_entry_event, event_type, i32, 0),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_entry_event, uuid, uuid, 4),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_entry_event, number_of_affected_entries, i32, 21),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_entry_event, key, data_or_null, 0),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_entry_event, value, data_or_null, 0),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_entry_event, old_value, data_or_null, 0),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_to_key_entry_event, merging_value, data_or_null, 0),
};
static const struct fil_wire_field multi_map_add_entry_listener_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_add_entry_listener_request, include_value, bool, 0),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_request, local_only, bool, 1),
    FIL_WIRE_FIELD(multi_map_add_entry_listener_request, name, string, 0),
};
static const struct fil_wire_field multi_map_remove_entry_listener_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_remove_entry_listener_request, registration_id, uuid, 0),
    FIL_WIRE_FIELD(multi_map_remove_entry_listener_request, name, string, 0),
};
static const struct fil_wire_field multi_map_lock_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_lock_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(multi_map_lock_request, ttl, i64, 8),
    FIL_WIRE_FIELD(multi_map_lock_request, reference_id, i64, 16),
    FIL_WIRE_FIELD(multi_map_lock_request, name, string, 0),
    FIL_WIRE_FIELD(multi_map_lock_request, key, data, 0),
};
static const struct fil_wire_field multi_map_try_lock_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_try_lock_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(multi_map_try_lock_request, lease, i64, 8),
    FIL_WIRE_FIELD(multi_map_try_lock_request, timeout, i64, 16),
    FIL_WIRE_FIELD(multi_map_try_lock_request, reference_id, i64, 24),
    FIL_WIRE_FIELD(multi_map_try_lock_request, name, string, 0),
    FIL_WIRE_FIELD(multi_map_try_lock_request, key, data, 0),
};
static const struct fil_wire_field multi_map_is_locked_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_is_locked_request, name, string, 0),
    FIL_WIRE_FIELD(multi_map_is_locked_request, key, data, 0),
};
static const struct fil_wire_field multi_map_unlock_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_unlock_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(multi_map_unlock_request, reference_id, i64, 8),
    FIL_WIRE_FIELD(multi_map_unlock_request, name, string, 0),
    FIL_WIRE_FIELD(multi_map_unlock_request, key, data, 0),
};
static const struct fil_wire_field multi_map_force_unlock_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_force_unlock_request, reference_id, i64, 0),
    FIL_WIRE_FIELD(multi_map_force_unlock_request, name, string, 0),
    FIL_WIRE_FIELD(multi_map_force_unlock_request, key, data, 0),
};
static const struct fil_wire_field multi_map_put_all_request_fields[] = {
    FIL_WIRE_FIELD(multi_map_put_all_request, name, string, 0),
    FIL_WIRE_FIELD(multi_map_put_all_request, entries, map_data_list_data, 0),
};

FIL_WIRE_LAYOUT_MAKE(multi_map_put_request, "MultiMap.put", REQUEST, 0x020100, multi_map_put_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(multi_map_put_response, "MultiMap.put", RESPONSE, 0x020101, multi_map_put_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(multi_map_get_request, "MultiMap.get", REQUEST, 0x020200, multi_map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(multi_map_get_response, "MultiMap.get", RESPONSE, 0x020201, multi_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_remove_request, "MultiMap.remove", REQUEST, 0x020300, multi_map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(multi_map_remove_response, "MultiMap.remove", RESPONSE, 0x020301, multi_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_key_set_request, "MultiMap.keySet", REQUEST, 0x020400, multi_map_key_set_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_key_set_response, "MultiMap.keySet", RESPONSE, 0x020401, multi_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_values_request, "MultiMap.values", REQUEST, 0x020500, multi_map_key_set_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_values_response, "MultiMap.values", RESPONSE, 0x020501, multi_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_entry_set_request, "MultiMap.entrySet", REQUEST, 0x020600, multi_map_key_set_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_entry_set_response, "MultiMap.entrySet", RESPONSE, 0x020601, multi_map_entry_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_contains_key_request, "MultiMap.containsKey", REQUEST, 0x020700, multi_map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(multi_map_contains_key_response, "MultiMap.containsKey", RESPONSE, 0x020701, multi_map_put_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(multi_map_contains_value_request, "MultiMap.containsValue", REQUEST, 0x020800, multi_map_contains_value_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_contains_value_response, "MultiMap.containsValue", RESPONSE, 0x020801, multi_map_put_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(multi_map_contains_entry_request, "MultiMap.containsEntry", REQUEST, 0x020900, multi_map_put_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(multi_map_contains_entry_response, "MultiMap.containsEntry", RESPONSE, 0x020901, multi_map_put_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(multi_map_size_request, "MultiMap.size", REQUEST, 0x020a00, multi_map_key_set_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_size_response, "MultiMap.size", RESPONSE, 0x020a01, multi_map_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(multi_map_clear_request, "MultiMap.clear", REQUEST, 0x020b00, multi_map_key_set_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(multi_map_clear_response, "MultiMap.clear", RESPONSE, 0x020b01);
FIL_WIRE_LAYOUT_MAKE(multi_map_value_count_request, "MultiMap.valueCount", REQUEST, 0x020c00, multi_map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(multi_map_value_count_response, "MultiMap.valueCount", RESPONSE, 0x020c01, multi_map_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(multi_map_add_entry_listener_to_key_request, "MultiMap.addEntryListenerToKey", REQUEST, 0x020d00, multi_map_add_entry_listener_to_key_request_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(multi_map_add_entry_listener_to_key_response, "MultiMap.addEntryListenerToKey", RESPONSE, 0x020d01, multi_map_add_entry_listener_to_key_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(multi_map_add_entry_listener_to_key_entry_event, "MultiMap.addEntryListenerToKey", EVENT, 0x020d02, multi_map_add_entry_listener_to_key_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(multi_map_add_entry_listener_request, "MultiMap.addEntryListener", REQUEST, 0x020e00, multi_map_add_entry_listener_request_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(multi_map_add_entry_listener_response, "MultiMap.addEntryListener", RESPONSE, 0x020e01, multi_map_add_entry_listener_to_key_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(multi_map_add_entry_listener_entry_event, "MultiMap.addEntryListener", EVENT, 0x020e02, multi_map_add_entry_listener_to_key_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(multi_map_remove_entry_listener_request, "MultiMap.removeEntryListener", REQUEST, 0x020f00, multi_map_remove_entry_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(multi_map_remove_entry_listener_response, "MultiMap.removeEntryListener", RESPONSE, 0x020f01, multi_map_put_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(multi_map_lock_request, "MultiMap.lock", REQUEST, 0x021000, multi_map_lock_request_fields, 3, 24, 24);
FIL_WIRE_LAYOUT_EMPTY(multi_map_lock_response, "MultiMap.lock", RESPONSE, 0x021001);
FIL_WIRE_LAYOUT_MAKE(multi_map_try_lock_request, "MultiMap.tryLock", REQUEST, 0x021100, multi_map_try_lock_request_fields, 4, 32, 32);
FIL_WIRE_LAYOUT_MAKE(multi_map_try_lock_response, "MultiMap.tryLock", RESPONSE, 0x021101, multi_map_put_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(multi_map_is_locked_request, "MultiMap.isLocked", REQUEST, 0x021200, multi_map_is_locked_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(multi_map_is_locked_response, "MultiMap.isLocked", RESPONSE, 0x021201, multi_map_put_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(multi_map_unlock_request, "MultiMap.unlock", REQUEST, 0x021300, multi_map_unlock_request_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_EMPTY(multi_map_unlock_response, "MultiMap.unlock", RESPONSE, 0x021301);
FIL_WIRE_LAYOUT_MAKE(multi_map_force_unlock_request, "MultiMap.forceUnlock", REQUEST, 0x021400, multi_map_force_unlock_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_EMPTY(multi_map_force_unlock_response, "MultiMap.forceUnlock", RESPONSE, 0x021401);
FIL_WIRE_LAYOUT_MAKE(multi_map_remove_entry_request, "MultiMap.removeEntry", REQUEST, 0x021500, multi_map_put_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(multi_map_remove_entry_response, "MultiMap.removeEntry", RESPONSE, 0x021501, multi_map_put_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(multi_map_delete_request, "MultiMap.delete", REQUEST, 0x021600, multi_map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_EMPTY(multi_map_delete_response, "MultiMap.delete", RESPONSE, 0x021601);
FIL_WIRE_LAYOUT_MAKE(multi_map_put_all_request, "MultiMap.putAll", REQUEST, 0x021700, multi_map_put_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(multi_map_put_all_response, "MultiMap.putAll", RESPONSE, 0x021701);

static const struct fil_wire_layout *const multi_map_add_entry_listener_to_key_events[] = {&fil_wire_multi_map_add_entry_listener_to_key_entry_event_layout};
static const struct fil_wire_layout *const multi_map_add_entry_listener_events[] = {&fil_wire_multi_map_add_entry_listener_entry_event_layout};

const struct fil_wire_message fil_wire_multi_map_messages[] = {
    FIL_WIRE_MESSAGE(multi_map_put, "multi_map.put", 0x020100, false, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_get, "multi_map.get", 0x020200, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_remove, "multi_map.remove", 0x020300, false, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_key_set, "multi_map.key_set", 0x020400, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_values, "multi_map.values", 0x020500, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_entry_set, "multi_map.entry_set", 0x020600, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_contains_key, "multi_map.contains_key", 0x020700, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_contains_value, "multi_map.contains_value", 0x020800, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_contains_entry, "multi_map.contains_entry", 0x020900, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_size, "multi_map.size", 0x020a00, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_clear, "multi_map.clear", 0x020b00, false, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_value_count, "multi_map.value_count", 0x020c00, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_add_entry_listener_to_key, "multi_map.add_entry_listener_to_key", 0x020d00, false, 1, multi_map_add_entry_listener_to_key_events),
    FIL_WIRE_MESSAGE(multi_map_add_entry_listener, "multi_map.add_entry_listener", 0x020e00, false, 1, multi_map_add_entry_listener_events),
    FIL_WIRE_MESSAGE(multi_map_remove_entry_listener, "multi_map.remove_entry_listener", 0x020f00, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_lock, "multi_map.lock", 0x021000, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_try_lock, "multi_map.try_lock", 0x021100, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_is_locked, "multi_map.is_locked", 0x021200, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_unlock, "multi_map.unlock", 0x021300, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_force_unlock, "multi_map.force_unlock", 0x021400, true, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_remove_entry, "multi_map.remove_entry", 0x021500, false, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_delete, "multi_map.delete", 0x021600, false, 0, NULL),
    FIL_WIRE_MESSAGE(multi_map_put_all, "multi_map.put_all", 0x021700, false, 0, NULL),
};
