// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/cache.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field cache_add_entry_listener_request_fields[] = {
    FIL_WIRE_FIELD(cache_add_entry_listener_request, local_only, bool, 0),
    FIL_WIRE_FIELD(cache_add_entry_listener_request, name, string, 0),
};
static const struct fil_wire_field cache_add_entry_listener_response_fields[] = {
    FIL_WIRE_FIELD(cache_add_entry_listener_response, response, uuid, 0),
};
static const struct fil_wire_field cache_add_entry_listener_cache_event_fields[] = {
    FIL_WIRE_FIELD(cache_add_entry_listener_cache_event, type, i32, 0),
    FIL_WIRE_FIELD(cache_add_entry_listener_cache_event, completion_id, i32, 4),
    FIL_WIRE_FIELD(cache_add_entry_listener_cache_event, keys, list_cache_event_data, 0),
};
static const struct fil_wire_field cache_clear_request_fields[] = {
    FIL_WIRE_FIELD(cache_clear_request, name, string, 0),
};
static const struct fil_wire_field cache_remove_all_keys_request_fields[] = {
    FIL_WIRE_FIELD(cache_remove_all_keys_request, completion_id, i32, 0),
    FIL_WIRE_FIELD(cache_remove_all_keys_request, name, string, 0),
    FIL_WIRE_FIELD(cache_remove_all_keys_request, keys, list_data, 0),
};
static const struct fil_wire_field cache_remove_all_request_fields[] = {
    FIL_WIRE_FIELD(cache_remove_all_request, completion_id, i32, 0),
    FIL_WIRE_FIELD(cache_remove_all_request, name, string, 0),
};
static const struct fil_wire_field cache_contains_key_request_fields[] = {
    FIL_WIRE_FIELD(cache_contains_key_request, name, string, 0),
    FIL_WIRE_FIELD(cache_contains_key_request, key, data, 0),
};
static const struct fil_wire_field cache_contains_key_response_fields[] = {
    FIL_WIRE_FIELD(cache_contains_key_response, response, bool, 0),
};
static const struct fil_wire_field cache_create_config_request_fields[] = {
    FIL_WIRE_FIELD(cache_create_config_request, create_also_on_others, bool, 0),
    FIL_WIRE_FIELD(cache_create_config_request, cache_config, cache_config_holder, 0),
};
static const struct fil_wire_field cache_create_config_response_fields[] = {
    FIL_WIRE_FIELD(cache_create_config_response, response, cache_config_holder_or_null, 0),
};
static const struct fil_wire_field cache_entry_processor_request_fields[] = {
    FIL_WIRE_FIELD(cache_entry_processor_request, completion_id, i32, 0),
    FIL_WIRE_FIELD(cache_entry_processor_request, name, string, 0),
    FIL_WIRE_FIELD(cache_entry_processor_request, key, data, 0),
    FIL_WIRE_FIELD(cache_entry_processor_request, entry_processor, data, 0),
    FIL_WIRE_FIELD(cache_entry_processor_request, arguments, list_data, 0),
};
static const struct fil_wire_field cache_entry_processor_response_fields[] = {
    FIL_WIRE_FIELD(cache_entry_processor_response, response, data_or_null, 0),
};
static const struct fil_wire_field cache_get_all_request_fields[] = {
    FIL_WIRE_FIELD(cache_get_all_request, name, string, 0),
    FIL_WIRE_FIELD(cache_get_all_request, keys, list_data, 0),
    FIL_WIRE_FIELD(cache_get_all_request, expiry_policy, data_or_null, 0),
};
static const struct fil_wire_field cache_get_all_response_fields[] = {
    FIL_WIRE_FIELD(cache_get_all_response, response, map_data_data, 0),
};
static const struct fil_wire_field cache_get_and_remove_request_fields[] = {
    FIL_WIRE_FIELD(cache_get_and_remove_request, completion_id, i32, 0),
    FIL_WIRE_FIELD(cache_get_and_remove_request, name, string, 0),
    FIL_WIRE_FIELD(cache_get_and_remove_request, key, data, 0),
};
static const struct fil_wire_field cache_get_and_replace_request_fields[] = {
    FIL_WIRE_FIELD(cache_get_and_replace_request, completion_id, i32, 0),
    FIL_WIRE_FIELD(cache_get_and_replace_request, name, string, 0),
    FIL_WIRE_FIELD(cache_get_and_replace_request, key, data, 0),
    FIL_WIRE_FIELD(cache_get_and_replace_request, value, data, 0),
    FIL_WIRE_FIELD(cache_get_and_replace_request, expiry_policy, data_or_null, 0),
};
static const struct fil_wire_field cache_get_config_request_fields[] = {
    FIL_WIRE_FIELD(cache_get_config_request, name, string, 0),
    FIL_WIRE_FIELD(cache_get_config_request, simple_name, string, 0),
};
static const struct fil_wire_field cache_get_request_fields[] = {
    FIL_WIRE_FIELD(cache_get_request, name, string, 0),
    FIL_WIRE_FIELD(cache_get_request, key, data, 0),
    FIL_WIRE_FIELD(cache_get_request, expiry_policy, data_or_null, 0),
};
static const struct fil_wire_field cache_iterate_request_fields[] = {
    FIL_WIRE_FIELD(cache_iterate_request, batch, i32, 0),
    FIL_WIRE_FIELD(cache_iterate_request, name, string, 0),
    FIL_WIRE_FIELD(cache_iterate_request, iteration_pointers, map_i32_i32, 0),
};
static const struct fil_wire_field cache_iterate_response_fields[] = {
    FIL_WIRE_FIELD(cache_iterate_response, iteration_pointers, map_i32_i32, 0),
    FIL_WIRE_FIELD(cache_iterate_response, keys, list_data, 0),
};
static const struct fil_wire_field cache_listener_registration_request_fields[] = {
    FIL_WIRE_FIELD(cache_listener_registration_request, should_register, bool, 0),
    FIL_WIRE_FIELD(cache_listener_registration_request, uuid, uuid, 1),
    FIL_WIRE_FIELD(cache_listener_registration_request, name, string, 0),
    FIL_WIRE_FIELD(cache_listener_registration_request, listener_config, data, 0),
};
static const struct fil_wire_field cache_load_all_request_fields[] = {
    FIL_WIRE_FIELD(cache_load_all_request, replace_existing_values, bool, 0),
    FIL_WIRE_FIELD(cache_load_all_request, name, string, 0),
    FIL_WIRE_FIELD(cache_load_all_request, keys, list_data, 0),
};
static const struct fil_wire_field cache_management_config_request_fields[] = {
    FIL_WIRE_FIELD(cache_management_config_request, is_stat, bool, 0),
    FIL_WIRE_FIELD(cache_management_config_request, enabled, bool, 1),
    FIL_WIRE_FIELD(cache_management_config_request, uuid, uuid, 2),
    FIL_WIRE_FIELD(cache_management_config_request, name, string, 0),
};
static const struct fil_wire_field cache_put_request_fields[] = {
    FIL_WIRE_FIELD(cache_put_request, get, bool, 0),
    FIL_WIRE_FIELD(cache_put_request, completion_id, i32, 1),
    FIL_WIRE_FIELD(cache_put_request, name, string, 0),
    FIL_WIRE_FIELD(cache_put_request, key, data, 0),
    FIL_WIRE_FIELD(cache_put_request, value, data, 0),
    FIL_WIRE_FIELD(cache_put_request, expiry_policy, data_or_null, 0),
};
static const struct fil_wire_field cache_remove_entry_listener_request_fields[] = {
    FIL_WIRE_FIELD(cache_remove_entry_listener_request, registration_id, uuid, 0),
    FIL_WIRE_FIELD(cache_remove_entry_listener_request, name, string, 0),
};
static const struct fil_wire_field cache_remove_request_fields[] = {
    FIL_WIRE_FIELD(cache_remove_request, completion_id, i32, 0),
    FIL_WIRE_FIELD(cache_remove_request, name, string, 0),
    FIL_WIRE_FIELD(cache_remove_request, key, data, 0),
    FIL_WIRE_FIELD(cache_remove_request, current_value, data_or_null, 0),
};
static const struct fil_wire_field cache_replace_request_fields[] = {
    FIL_WIRE_FIELD(cache_replace_request, completion_id, i32, 0),
    FIL_WIRE_FIELD(cache_replace_request, name, string, 0),
    FIL_WIRE_FIELD(cache_replace_request, key, data, 0),
    FIL_WIRE_FIELD(cache_replace_request, old_value, data_or_null, 0),
    FIL_WIRE_FIELD(cache_replace_request, new_value, data, 0),
    FIL_WIRE_FIELD(cache_replace_request, expiry_policy, data_or_null, 0),
};
static const struct fil_wire_field cache_size_response_fields[] = {
    FIL_WIRE_FIELD(cache_size_response, response, i32, 0),
};
static const struct fil_wire_field cache_add_partition_lost_listener_cache_partition_lost_event_fields[] = {
    FIL_WIRE_FIELD(cache_add_partition_lost_listener_cache_partition_lost_event, partition_id, i32, 0),
    FIL_WIRE_FIELD(cache_add_partition_lost_listener_cache_partition_lost_event, uuid, uuid, 4),
};
static const struct fil_wire_field cache_put_all_request_fields[] = {
    FIL_WIRE_FIELD(cache_put_all_request, completion_id, i32, 0),
    FIL_WIRE_FIELD(cache_put_all_request, name, string, 0),
    FIL_WIRE_FIELD(cache_put_all_request, entries, map_data_data, 0),
    FIL_WIRE_FIELD(cache_put_all_request, expiry_policy, data_or_null, 0),
};
static const struct fil_wire_field cache_iterate_entries_response_fields[] = {
    FIL_WIRE_FIELD(cache_iterate_entries_response, iteration_pointers, map_i32_i32, 0),
    FIL_WIRE_FIELD(cache_iterate_entries_response, entries, map_data_data, 0),
};
static const struct fil_wire_field cache_add_near_cache_invalidation_listener_cache_invalidation_event_fields[] = {
    FIL_WIRE_FIELD(cache_add_near_cache_invalidation_listener_cache_invalidation_event, source_uuid, uuid, 0),
    FIL_WIRE_FIELD(cache_add_near_cache_invalidation_listener_cache_invalidation_event, partition_uuid, uuid, 17),
    FIL_WIRE_FIELD(cache_add_near_cache_invalidation_listener_cache_invalidation_event, sequence, i64, 34),
    FIL_WIRE_FIELD(cache_add_near_cache_invalidation_listener_cache_invalidation_event, name, string, 0),
    FIL_WIRE_FIELD(cache_add_near_cache_invalidation_listener_cache_invalidation_event, key, data_or_null, 0),
};
static const struct fil_wire_field cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event_fields[] = {
    FIL_WIRE_FIELD(cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event, name, string, 0),
    FIL_WIRE_FIELD(cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event, keys, list_data, 0),
    FIL_WIRE_FIELD(cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event, source_uuids, list_uuid, 0),
    FIL_WIRE_FIELD(cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event, partition_uuids, list_uuid, 0),
    FIL_WIRE_FIELD(cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event, sequences, list_i64, 0),
};
static const struct fil_wire_field cache_fetch_near_cache_invalidation_metadata_request_fields[] = {
    FIL_WIRE_FIELD(cache_fetch_near_cache_invalidation_metadata_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(cache_fetch_near_cache_invalidation_metadata_request, names, list_string, 0),
};
static const struct fil_wire_field cache_fetch_near_cache_invalidation_metadata_response_fields[] = {
    FIL_WIRE_FIELD(cache_fetch_near_cache_invalidation_metadata_response, name_partition_sequence_list, map_string_map_i32_i64, 0),
    FIL_WIRE_FIELD(cache_fetch_near_cache_invalidation_metadata_response, partition_uuid_list, map_i32_uuid, 0),
};
static const struct fil_wire_field cache_event_journal_subscribe_response_fields[] = {
    FIL_WIRE_FIELD(cache_event_journal_subscribe_response, oldest_sequence, i64, 0),
    FIL_WIRE_FIELD(cache_event_journal_subscribe_response, newest_sequence, i64, 8),
};
static const struct fil_wire_field cache_event_journal_read_request_fields[] = {
    FIL_WIRE_FIELD(cache_event_journal_read_request, start_sequence, i64, 0),
    FIL_WIRE_FIELD(cache_event_journal_read_request, min_size, i32, 8),
    FIL_WIRE_FIELD(cache_event_journal_read_request, max_size, i32, 12),
    FIL_WIRE_FIELD(cache_event_journal_read_request, name, string, 0),
    FIL_WIRE_FIELD(cache_event_journal_read_request, predicate, data_or_null, 0),
    FIL_WIRE_FIELD(cache_event_journal_read_request, projection, data_or_null, 0),
};
static const struct fil_wire_field cache_event_journal_read_response_fields[] = {
    FIL_WIRE_FIELD(cache_event_journal_read_response, read_count, i32, 0),
    FIL_WIRE_FIELD(cache_event_journal_read_response, next_seq, i64, 4),
    FIL_WIRE_FIELD(cache_event_journal_read_response, items, list_data, 0),
    FIL_WIRE_FIELD(cache_event_journal_read_response, item_seqs, list_i64_or_null, 0),
};
static const struct fil_wire_field cache_set_expiry_policy_request_fields[] = {
    FIL_WIRE_FIELD(cache_set_expiry_policy_request, name, string, 0),
    FIL_WIRE_FIELD(cache_set_expiry_policy_request, keys, list_data, 0),
    FIL_WIRE_FIELD(cache_set_expiry_policy_request, expiry_policy, data, 0),
};

FIL_WIRE_LAYOUT_MAKE(cache_add_entry_listener_request, "Cache.addEntryListener", REQUEST, 0x130100, cache_add_entry_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cache_add_entry_listener_response, "Cache.addEntryListener", RESPONSE, 0x130101, cache_add_entry_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cache_add_entry_listener_cache_event, "Cache.addEntryListener", EVENT, 0x130102, cache_add_entry_listener_cache_event_fields, 2, 8, 8);
FIL_WIRE_LAYOUT_MAKE(cache_clear_request, "Cache.clear", REQUEST, 0x130200, cache_clear_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(cache_clear_response, "Cache.clear", RESPONSE, 0x130201);
FIL_WIRE_LAYOUT_MAKE(cache_remove_all_keys_request, "Cache.removeAllKeys", REQUEST, 0x130300, cache_remove_all_keys_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_EMPTY(cache_remove_all_keys_response, "Cache.removeAllKeys", RESPONSE, 0x130301);
FIL_WIRE_LAYOUT_MAKE(cache_remove_all_request, "Cache.removeAll", REQUEST, 0x130400, cache_remove_all_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_EMPTY(cache_remove_all_response, "Cache.removeAll", RESPONSE, 0x130401);
FIL_WIRE_LAYOUT_MAKE(cache_contains_key_request, "Cache.containsKey", REQUEST, 0x130500, cache_contains_key_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_contains_key_response, "Cache.containsKey", RESPONSE, 0x130501, cache_contains_key_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cache_create_config_request, "Cache.createConfig", REQUEST, 0x130600, cache_create_config_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cache_create_config_response, "Cache.createConfig", RESPONSE, 0x130601, cache_create_config_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_destroy_request, "Cache.destroy", REQUEST, 0x130700, cache_clear_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(cache_destroy_response, "Cache.destroy", RESPONSE, 0x130701);
FIL_WIRE_LAYOUT_MAKE(cache_entry_processor_request, "Cache.entryProcessor", REQUEST, 0x130800, cache_entry_processor_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_entry_processor_response, "Cache.entryProcessor", RESPONSE, 0x130801, cache_entry_processor_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_get_all_request, "Cache.getAll", REQUEST, 0x130900, cache_get_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_get_all_response, "Cache.getAll", RESPONSE, 0x130901, cache_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_get_and_remove_request, "Cache.getAndRemove", REQUEST, 0x130a00, cache_get_and_remove_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_get_and_remove_response, "Cache.getAndRemove", RESPONSE, 0x130a01, cache_entry_processor_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_get_and_replace_request, "Cache.getAndReplace", REQUEST, 0x130b00, cache_get_and_replace_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_get_and_replace_response, "Cache.getAndReplace", RESPONSE, 0x130b01, cache_entry_processor_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_get_config_request, "Cache.getConfig", REQUEST, 0x130c00, cache_get_config_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_get_config_response, "Cache.getConfig", RESPONSE, 0x130c01, cache_create_config_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_get_request, "Cache.get", REQUEST, 0x130d00, cache_get_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_get_response, "Cache.get", RESPONSE, 0x130d01, cache_entry_processor_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_iterate_request, "Cache.iterate", REQUEST, 0x130e00, cache_iterate_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_iterate_response, "Cache.iterate", RESPONSE, 0x130e01, cache_iterate_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_listener_registration_request, "Cache.listenerRegistration", REQUEST, 0x130f00, cache_listener_registration_request_fields, 2, 18, 18);
FIL_WIRE_LAYOUT_EMPTY(cache_listener_registration_response, "Cache.listenerRegistration", RESPONSE, 0x130f01);
FIL_WIRE_LAYOUT_MAKE(cache_load_all_request, "Cache.loadAll", REQUEST, 0x131000, cache_load_all_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(cache_load_all_response, "Cache.loadAll", RESPONSE, 0x131001);
FIL_WIRE_LAYOUT_MAKE(cache_management_config_request, "Cache.managementConfig", REQUEST, 0x131100, cache_management_config_request_fields, 3, 19, 19);
FIL_WIRE_LAYOUT_EMPTY(cache_management_config_response, "Cache.managementConfig", RESPONSE, 0x131101);
FIL_WIRE_LAYOUT_MAKE(cache_put_if_absent_request, "Cache.putIfAbsent", REQUEST, 0x131200, cache_get_and_replace_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_put_if_absent_response, "Cache.putIfAbsent", RESPONSE, 0x131201, cache_contains_key_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cache_put_request, "Cache.put", REQUEST, 0x131300, cache_put_request_fields, 2, 5, 5);
FIL_WIRE_LAYOUT_MAKE(cache_put_response, "Cache.put", RESPONSE, 0x131301, cache_entry_processor_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_remove_entry_listener_request, "Cache.removeEntryListener", REQUEST, 0x131400, cache_remove_entry_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cache_remove_entry_listener_response, "Cache.removeEntryListener", RESPONSE, 0x131401, cache_contains_key_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cache_remove_invalidation_listener_request, "Cache.removeInvalidationListener", REQUEST, 0x131500, cache_remove_entry_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cache_remove_invalidation_listener_response, "Cache.removeInvalidationListener", RESPONSE, 0x131501, cache_contains_key_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cache_remove_request, "Cache.remove", REQUEST, 0x131600, cache_remove_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_remove_response, "Cache.remove", RESPONSE, 0x131601, cache_contains_key_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cache_replace_request, "Cache.replace", REQUEST, 0x131700, cache_replace_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_replace_response, "Cache.replace", RESPONSE, 0x131701, cache_entry_processor_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_size_request, "Cache.size", REQUEST, 0x131800, cache_clear_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_size_response, "Cache.size", RESPONSE, 0x131801, cache_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_add_partition_lost_listener_request, "Cache.addPartitionLostListener", REQUEST, 0x131900, cache_add_entry_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cache_add_partition_lost_listener_response, "Cache.addPartitionLostListener", RESPONSE, 0x131901, cache_add_entry_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cache_add_partition_lost_listener_cache_partition_lost_event, "Cache.addPartitionLostListener", EVENT, 0x131902, cache_add_partition_lost_listener_cache_partition_lost_event_fields, 2, 21, 21);
FIL_WIRE_LAYOUT_MAKE(cache_remove_partition_lost_listener_request, "Cache.removePartitionLostListener", REQUEST, 0x131a00, cache_remove_entry_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cache_remove_partition_lost_listener_response, "Cache.removePartitionLostListener", RESPONSE, 0x131a01, cache_contains_key_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cache_put_all_request, "Cache.putAll", REQUEST, 0x131b00, cache_put_all_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_EMPTY(cache_put_all_response, "Cache.putAll", RESPONSE, 0x131b01);
FIL_WIRE_LAYOUT_MAKE(cache_iterate_entries_request, "Cache.iterateEntries", REQUEST, 0x131c00, cache_iterate_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_iterate_entries_response, "Cache.iterateEntries", RESPONSE, 0x131c01, cache_iterate_entries_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_add_near_cache_invalidation_listener_request, "Cache.addNearCacheInvalidationListener", REQUEST, 0x131d00, cache_add_entry_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cache_add_near_cache_invalidation_listener_response, "Cache.addNearCacheInvalidationListener", RESPONSE, 0x131d01, cache_add_entry_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cache_add_near_cache_invalidation_listener_cache_invalidation_event, "Cache.addNearCacheInvalidationListener", EVENT, 0x131d02, cache_add_near_cache_invalidation_listener_cache_invalidation_event_fields, 3, 42, 42);
FIL_WIRE_LAYOUT_MAKE(cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event, "Cache.addNearCacheInvalidationListener", EVENT, 0x131d03, cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_fetch_near_cache_invalidation_metadata_request, "Cache.fetchNearCacheInvalidationMetadata", REQUEST, 0x131e00, cache_fetch_near_cache_invalidation_metadata_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(cache_fetch_near_cache_invalidation_metadata_response, "Cache.fetchNearCacheInvalidationMetadata", RESPONSE, 0x131e01, cache_fetch_near_cache_invalidation_metadata_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_event_journal_subscribe_request, "Cache.eventJournalSubscribe", REQUEST, 0x131f00, cache_clear_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_event_journal_subscribe_response, "Cache.eventJournalSubscribe", RESPONSE, 0x131f01, cache_event_journal_subscribe_response_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_MAKE(cache_event_journal_read_request, "Cache.eventJournalRead", REQUEST, 0x132000, cache_event_journal_read_request_fields, 3, 16, 16);
FIL_WIRE_LAYOUT_MAKE(cache_event_journal_read_response, "Cache.eventJournalRead", RESPONSE, 0x132001, cache_event_journal_read_response_fields, 2, 12, 12);
FIL_WIRE_LAYOUT_MAKE(cache_set_expiry_policy_request, "Cache.setExpiryPolicy", REQUEST, 0x132100, cache_set_expiry_policy_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cache_set_expiry_policy_response, "Cache.setExpiryPolicy", RESPONSE, 0x132101, cache_contains_key_response_fields, 1, 1, 1);

static const struct fil_wire_layout *const cache_add_entry_listener_events[] = {&fil_wire_cache_add_entry_listener_cache_event_layout};
static const struct fil_wire_layout *const cache_add_partition_lost_listener_events[] = {&fil_wire_cache_add_partition_lost_listener_cache_partition_lost_event_layout};
static const struct fil_wire_layout *const cache_add_near_cache_invalidation_listener_events[] = {&fil_wire_cache_add_near_cache_invalidation_listener_cache_invalidation_event_layout, &fil_wire_cache_add_near_cache_invalidation_listener_cache_batch_invalidation_event_layout};

const struct fil_wire_message fil_wire_cache_messages[] = {
    FIL_WIRE_MESSAGE(cache_add_entry_listener, "cache.add_entry_listener", 0x130100, false, 1, cache_add_entry_listener_events),
    FIL_WIRE_MESSAGE(cache_clear, "cache.clear", 0x130200, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_remove_all_keys, "cache.remove_all_keys", 0x130300, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_remove_all, "cache.remove_all", 0x130400, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_contains_key, "cache.contains_key", 0x130500, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_create_config, "cache.create_config", 0x130600, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_destroy, "cache.destroy", 0x130700, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_entry_processor, "cache.entry_processor", 0x130800, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_get_all, "cache.get_all", 0x130900, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_get_and_remove, "cache.get_and_remove", 0x130a00, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_get_and_replace, "cache.get_and_replace", 0x130b00, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_get_config, "cache.get_config", 0x130c00, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_get, "cache.get", 0x130d00, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_iterate, "cache.iterate", 0x130e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_listener_registration, "cache.listener_registration", 0x130f00, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_load_all, "cache.load_all", 0x131000, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_management_config, "cache.management_config", 0x131100, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_put_if_absent, "cache.put_if_absent", 0x131200, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_put, "cache.put", 0x131300, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_remove_entry_listener, "cache.remove_entry_listener", 0x131400, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_remove_invalidation_listener, "cache.remove_invalidation_listener", 0x131500, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_remove, "cache.remove", 0x131600, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_replace, "cache.replace", 0x131700, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_size, "cache.size", 0x131800, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_add_partition_lost_listener, "cache.add_partition_lost_listener", 0x131900, false, 1, cache_add_partition_lost_listener_events),
    FIL_WIRE_MESSAGE(cache_remove_partition_lost_listener, "cache.remove_partition_lost_listener", 0x131a00, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_put_all, "cache.put_all", 0x131b00, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_iterate_entries, "cache.iterate_entries", 0x131c00, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_add_near_cache_invalidation_listener, "cache.add_near_cache_invalidation_listener", 0x131d00, false, 2, cache_add_near_cache_invalidation_listener_events),
    FIL_WIRE_MESSAGE(cache_fetch_near_cache_invalidation_metadata, "cache.fetch_near_cache_invalidation_metadata", 0x131e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(cache_event_journal_subscribe, "cache.event_journal_subscribe", 0x131f00, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_event_journal_read, "cache.event_journal_read", 0x132000, true, 0, NULL),
    FIL_WIRE_MESSAGE(cache_set_expiry_policy, "cache.set_expiry_policy", 0x132100, false, 0, NULL),
};
