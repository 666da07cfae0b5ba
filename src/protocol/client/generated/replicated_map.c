// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/replicated_map.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field replicated_map_put_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_put_request, ttl, i64, 0),
    FIL_WIRE_FIELD(replicated_map_put_request, name, string, 0),
    FIL_WIRE_FIELD(replicated_map_put_request, key, data, 0),
    FIL_WIRE_FIELD(replicated_map_put_request, value, data, 0),
};
static const struct fil_wire_field replicated_map_put_response_fields[] = {
    FIL_WIRE_FIELD(replicated_map_put_response, response, data_or_null, 0),
};
static const struct fil_wire_field replicated_map_size_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_size_request, name, string, 0),
};
static const struct fil_wire_field replicated_map_size_response_fields[] = {
    FIL_WIRE_FIELD(replicated_map_size_response, response, i32, 0),
};
static const struct fil_wire_field replicated_map_is_empty_response_fields[] = {
    FIL_WIRE_FIELD(replicated_map_is_empty_response, response, bool, 0),
};
static const struct fil_wire_field replicated_map_contains_key_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_contains_key_request, name, string, 0),
    FIL_WIRE_FIELD(replicated_map_contains_key_request, key, data, 0),
};
static const struct fil_wire_field replicated_map_contains_value_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_contains_value_request, name, string, 0),
    FIL_WIRE_FIELD(replicated_map_contains_value_request, value, data, 0),
};
static const struct fil_wire_field replicated_map_put_all_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_put_all_request, name, string, 0),
    FIL_WIRE_FIELD(replicated_map_put_all_request, entries, map_data_data, 0),
};
static const struct fil_wire_field replicated_map_add_entry_listener_to_key_with_predicate_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_request, local_only, bool, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_request, name, string, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_request, key, data, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_request, predicate, data, 0),
};
static const struct fil_wire_field replicated_map_add_entry_listener_to_key_with_predicate_response_fields[] = {
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_response, response, uuid, 0),
};
static const struct fil_wire_field replicated_map_add_entry_listener_to_key_with_predicate_entry_event_fields[] = {
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_entry_event, event_type, i32, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_entry_event, uuid, uuid, 4),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_entry_event, number_of_affected_entries, i32, 21),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_entry_event, key, data_or_null, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_entry_event, value, data_or_null, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_entry_event, old_value, data_or_null, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_with_predicate_entry_event, merging_value, data_or_null, 0),
};
static const struct fil_wire_field replicated_map_add_entry_listener_with_predicate_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_with_predicate_request, local_only, bool, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_with_predicate_request, name, string, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_with_predicate_request, predicate, data, 0),
};
static const struct fil_wire_field replicated_map_add_entry_listener_to_key_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_request, local_only, bool, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_request, name, string, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_to_key_request, key, data, 0),
};
static const struct fil_wire_field replicated_map_add_entry_listener_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_request, local_only, bool, 0),
    FIL_WIRE_FIELD(replicated_map_add_entry_listener_request, name, string, 0),
};
static const struct fil_wire_field replicated_map_remove_entry_listener_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_remove_entry_listener_request, registration_id, uuid, 0),
    FIL_WIRE_FIELD(replicated_map_remove_entry_listener_request, name, string, 0),
};
static const struct fil_wire_field replicated_map_key_set_response_fields[] = {
    FIL_WIRE_FIELD(replicated_map_key_set_response, response, list_data, 0),
};
static const struct fil_wire_field replicated_map_entry_set_response_fields[] = {
    FIL_WIRE_FIELD(replicated_map_entry_set_response, response, map_data_data, 0),
};
static const struct fil_wire_field replicated_map_add_near_cache_entry_listener_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_add_near_cache_entry_listener_request, include_value, bool, 0),
    FIL_WIRE_FIELD(replicated_map_add_near_cache_entry_listener_request, local_only, bool, 1),
    FIL_WIRE_FIELD(replicated_map_add_near_cache_entry_listener_request, name, string, 0),
};
static const struct fil_wire_field replicated_map_put_all_with_metadata_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_put_all_with_metadata_request, partition_id, i32, 0),
    FIL_WIRE_FIELD(replicated_map_put_all_with_metadata_request, name, string, 0),
    FIL_WIRE_FIELD(replicated_map_put_all_with_metadata_request, entries, list_replicated_map_entry_view_holder, 0),
};
static const struct fil_wire_field replicated_map_fetch_entry_views_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_fetch_entry_views_request, cursor_id, uuid, 0),
    FIL_WIRE_FIELD(replicated_map_fetch_entry_views_request, new_iteration, bool, 17),
    FIL_WIRE_FIELD(replicated_map_fetch_entry_views_request, partition_id, i32, 18),
    FIL_WIRE_FIELD(replicated_map_fetch_entry_views_request, batch_size, i32, 22),
    FIL_WIRE_FIELD(replicated_map_fetch_entry_views_request, name, string, 0),
};
static const struct fil_wire_field replicated_map_fetch_entry_views_response_fields[] = {
    FIL_WIRE_FIELD(replicated_map_fetch_entry_views_response, cursor_id, uuid, 0),
    FIL_WIRE_FIELD(replicated_map_fetch_entry_views_response, entry_views, list_replicated_map_entry_view_holder, 0),
};
static const struct fil_wire_field replicated_map_end_entry_view_iteration_request_fields[] = {
    FIL_WIRE_FIELD(replicated_map_end_entry_view_iteration_request, cursor_id, uuid, 0),
    FIL_WIRE_FIELD(replicated_map_end_entry_view_iteration_request, name, string, 0),
};

FIL_WIRE_LAYOUT_MAKE(replicated_map_put_request, "ReplicatedMap.put", REQUEST, 0x0d0100, replicated_map_put_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(replicated_map_put_response, "ReplicatedMap.put", RESPONSE, 0x0d0101, replicated_map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_size_request, "ReplicatedMap.size", REQUEST, 0x0d0200, replicated_map_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_size_response, "ReplicatedMap.size", RESPONSE, 0x0d0201, replicated_map_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(replicated_map_is_empty_request, "ReplicatedMap.isEmpty", REQUEST, 0x0d0300, replicated_map_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_is_empty_response, "ReplicatedMap.isEmpty", RESPONSE, 0x0d0301, replicated_map_is_empty_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(replicated_map_contains_key_request, "ReplicatedMap.containsKey", REQUEST, 0x0d0400, replicated_map_contains_key_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_contains_key_response, "ReplicatedMap.containsKey", RESPONSE, 0x0d0401, replicated_map_is_empty_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(replicated_map_contains_value_request, "ReplicatedMap.containsValue", REQUEST, 0x0d0500, replicated_map_contains_value_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_contains_value_response, "ReplicatedMap.containsValue", RESPONSE, 0x0d0501, replicated_map_is_empty_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(replicated_map_get_request, "ReplicatedMap.get", REQUEST, 0x0d0600, replicated_map_contains_key_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_get_response, "ReplicatedMap.get", RESPONSE, 0x0d0601, replicated_map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_remove_request, "ReplicatedMap.remove", REQUEST, 0x0d0700, replicated_map_contains_key_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_remove_response, "ReplicatedMap.remove", RESPONSE, 0x0d0701, replicated_map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_put_all_request, "ReplicatedMap.putAll", REQUEST, 0x0d0800, replicated_map_put_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(replicated_map_put_all_response, "ReplicatedMap.putAll", RESPONSE, 0x0d0801);
FIL_WIRE_LAYOUT_MAKE(replicated_map_clear_request, "ReplicatedMap.clear", REQUEST, 0x0d0900, replicated_map_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(replicated_map_clear_response, "ReplicatedMap.clear", RESPONSE, 0x0d0901);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_to_key_with_predicate_request, "ReplicatedMap.addEntryListenerToKeyWithPredicate", REQUEST, 0x0d0a00, replicated_map_add_entry_listener_to_key_with_predicate_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_to_key_with_predicate_response, "ReplicatedMap.addEntryListenerToKeyWithPredicate", RESPONSE, 0x0d0a01, replicated_map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_to_key_with_predicate_entry_event, "ReplicatedMap.addEntryListenerToKeyWithPredicate", EVENT, 0x0d0a02, replicated_map_add_entry_listener_to_key_with_predicate_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_with_predicate_request, "ReplicatedMap.addEntryListenerWithPredicate", REQUEST, 0x0d0b00, replicated_map_add_entry_listener_with_predicate_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_with_predicate_response, "ReplicatedMap.addEntryListenerWithPredicate", RESPONSE, 0x0d0b01, replicated_map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_with_predicate_entry_event, "ReplicatedMap.addEntryListenerWithPredicate", EVENT, 0x0d0b02, replicated_map_add_entry_listener_to_key_with_predicate_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_to_key_request, "ReplicatedMap.addEntryListenerToKey", REQUEST, 0x0d0c00, replicated_map_add_entry_listener_to_key_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_to_key_response, "ReplicatedMap.addEntryListenerToKey", RESPONSE, 0x0d0c01, replicated_map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_to_key_entry_event, "ReplicatedMap.addEntryListenerToKey", EVENT, 0x0d0c02, replicated_map_add_entry_listener_to_key_with_predicate_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_request, "ReplicatedMap.addEntryListener", REQUEST, 0x0d0d00, replicated_map_add_entry_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_response, "ReplicatedMap.addEntryListener", RESPONSE, 0x0d0d01, replicated_map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_entry_listener_entry_event, "ReplicatedMap.addEntryListener", EVENT, 0x0d0d02, replicated_map_add_entry_listener_to_key_with_predicate_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(replicated_map_remove_entry_listener_request, "ReplicatedMap.removeEntryListener", REQUEST, 0x0d0e00, replicated_map_remove_entry_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(replicated_map_remove_entry_listener_response, "ReplicatedMap.removeEntryListener", RESPONSE, 0x0d0e01, replicated_map_is_empty_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(replicated_map_key_set_request, "ReplicatedMap.keySet", REQUEST, 0x0d0f00, replicated_map_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_key_set_response, "ReplicatedMap.keySet", RESPONSE, 0x0d0f01, replicated_map_key_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_values_request, "ReplicatedMap.values", REQUEST, 0x0d1000, replicated_map_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_values_response, "ReplicatedMap.values", RESPONSE, 0x0d1001, replicated_map_key_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_entry_set_request, "ReplicatedMap.entrySet", REQUEST, 0x0d1100, replicated_map_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_entry_set_response, "ReplicatedMap.entrySet", RESPONSE, 0x0d1101, replicated_map_entry_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_near_cache_entry_listener_request, "ReplicatedMap.addNearCacheEntryListener", REQUEST, 0x0d1200, replicated_map_add_near_cache_entry_listener_request_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_near_cache_entry_listener_response, "ReplicatedMap.addNearCacheEntryListener", RESPONSE, 0x0d1201, replicated_map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(replicated_map_add_near_cache_entry_listener_entry_event, "ReplicatedMap.addNearCacheEntryListener", EVENT, 0x0d1202, replicated_map_add_entry_listener_to_key_with_predicate_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(replicated_map_put_all_with_metadata_request, "ReplicatedMap.putAllWithMetadata", REQUEST, 0x0d1300, replicated_map_put_all_with_metadata_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_EMPTY(replicated_map_put_all_with_metadata_response, "ReplicatedMap.putAllWithMetadata", RESPONSE, 0x0d1301);
FIL_WIRE_LAYOUT_MAKE(replicated_map_fetch_entry_views_request, "ReplicatedMap.fetchEntryViews", REQUEST, 0x0d1400, replicated_map_fetch_entry_views_request_fields, 4, 26, 26);
FIL_WIRE_LAYOUT_MAKE(replicated_map_fetch_entry_views_response, "ReplicatedMap.fetchEntryViews", RESPONSE, 0x0d1401, replicated_map_fetch_entry_views_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(replicated_map_end_entry_view_iteration_request, "ReplicatedMap.endEntryViewIteration", REQUEST, 0x0d1500, replicated_map_end_entry_view_iteration_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(replicated_map_end_entry_view_iteration_response, "ReplicatedMap.endEntryViewIteration", RESPONSE, 0x0d1501);

static const struct fil_wire_layout *const replicated_map_add_entry_listener_to_key_with_predicate_events[] = {&fil_wire_replicated_map_add_entry_listener_to_key_with_predicate_entry_event_layout};
static const struct fil_wire_layout *const replicated_map_add_entry_listener_with_predicate_events[] = {&fil_wire_replicated_map_add_entry_listener_with_predicate_entry_event_layout};
static const struct fil_wire_layout *const replicated_map_add_entry_listener_to_key_events[] = {&fil_wire_replicated_map_add_entry_listener_to_key_entry_event_layout};
static const struct fil_wire_layout *const replicated_map_add_entry_listener_events[] = {&fil_wire_replicated_map_add_entry_listener_entry_event_layout};
static const struct fil_wire_layout *const replicated_map_add_near_cache_entry_listener_events[] = {&fil_wire_replicated_map_add_near_cache_entry_listener_entry_event_layout};

const struct fil_wire_message fil_wire_replicated_map_messages[] = {
    FIL_WIRE_MESSAGE(replicated_map_put, "replicated_map.put", 0x0d0100, false, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_size, "replicated_map.size", 0x0d0200, true, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_is_empty, "replicated_map.is_empty", 0x0d0300, true, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_contains_key, "replicated_map.contains_key", 0x0d0400, true, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_contains_value, "replicated_map.contains_value", 0x0d0500, true, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_get, "replicated_map.get", 0x0d0600, true, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_remove, "replicated_map.remove", 0x0d0700, false, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_put_all, "replicated_map.put_all", 0x0d0800, false, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_clear, "replicated_map.clear", 0x0d0900, false, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_add_entry_listener_to_key_with_predicate, "replicated_map.add_entry_listener_to_key_with_predicate", 0x0d0a00, false, 1, replicated_map_add_entry_listener_to_key_with_predicate_events),
    FIL_WIRE_MESSAGE(replicated_map_add_entry_listener_with_predicate, "replicated_map.add_entry_listener_with_predicate", 0x0d0b00, false, 1, replicated_map_add_entry_listener_with_predicate_events),
    FIL_WIRE_MESSAGE(replicated_map_add_entry_listener_to_key, "replicated_map.add_entry_listener_to_key", 0x0d0c00, false, 1, replicated_map_add_entry_listener_to_key_events),
    FIL_WIRE_MESSAGE(replicated_map_add_entry_listener, "replicated_map.add_entry_listener", 0x0d0d00, false, 1, replicated_map_add_entry_listener_events),
    FIL_WIRE_MESSAGE(replicated_map_remove_entry_listener, "replicated_map.remove_entry_listener", 0x0d0e00, true, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_key_set, "replicated_map.key_set", 0x0d0f00, true, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_values, "replicated_map.values", 0x0d1000, true, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_entry_set, "replicated_map.entry_set", 0x0d1100, true, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_add_near_cache_entry_listener, "replicated_map.add_near_cache_entry_listener", 0x0d1200, false, 1, replicated_map_add_near_cache_entry_listener_events),
    FIL_WIRE_MESSAGE(replicated_map_put_all_with_metadata, "replicated_map.put_all_with_metadata", 0x0d1300, false, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_fetch_entry_views, "replicated_map.fetch_entry_views", 0x0d1400, true, 0, NULL),
    FIL_WIRE_MESSAGE(replicated_map_end_entry_view_iteration, "replicated_map.end_entry_view_iteration", 0x0d1500, true, 0, NULL),
};
