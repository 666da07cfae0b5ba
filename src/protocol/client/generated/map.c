// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/map.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field map_put_request_fields[] = {
    FIL_WIRE_FIELD(map_put_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_put_request, ttl, i64, 8),
    FIL_WIRE_FIELD(map_put_request, name, string, 0),
    FIL_WIRE_FIELD(map_put_request, key, data, 0),
    FIL_WIRE_FIELD(map_put_request, value, data, 0),
};
static const struct fil_wire_field map_put_response_fields[] = {
    FIL_WIRE_FIELD(map_put_response, response, data_or_null, 0),
};
static const struct fil_wire_field map_get_request_fields[] = {
    FIL_WIRE_FIELD(map_get_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_get_request, name, string, 0),
    FIL_WIRE_FIELD(map_get_request, key, data, 0),
};
static const struct fil_wire_field map_replace_request_fields[] = {
    FIL_WIRE_FIELD(map_replace_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_replace_request, name, string, 0),
    FIL_WIRE_FIELD(map_replace_request, key, data, 0),
    FIL_WIRE_FIELD(map_replace_request, value, data, 0),
};
static const struct fil_wire_field map_replace_if_same_request_fields[] = {
    FIL_WIRE_FIELD(map_replace_if_same_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_replace_if_same_request, name, string, 0),
    FIL_WIRE_FIELD(map_replace_if_same_request, key, data, 0),
    FIL_WIRE_FIELD(map_replace_if_same_request, test_value, data, 0),
    FIL_WIRE_FIELD(map_replace_if_same_request, value, data, 0),
};
static const struct fil_wire_field map_replace_if_same_response_fields[] = {
    FIL_WIRE_FIELD(map_replace_if_same_response, response, bool, 0),
};
static const struct fil_wire_field map_contains_value_request_fields[] = {
    FIL_WIRE_FIELD(map_contains_value_request, name, string, 0),
    FIL_WIRE_FIELD(map_contains_value_request, value, data, 0),
};
static const struct fil_wire_field map_delete_response_fields[] = {
    FIL_WIRE_NEWER(map_delete_response, response, bool, 0),
};
static const struct fil_wire_field map_flush_request_fields[] = {
    FIL_WIRE_FIELD(map_flush_request, name, string, 0),
};
static const struct fil_wire_field map_try_remove_request_fields[] = {
    FIL_WIRE_FIELD(map_try_remove_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_try_remove_request, timeout, i64, 8),
    FIL_WIRE_FIELD(map_try_remove_request, name, string, 0),
    FIL_WIRE_FIELD(map_try_remove_request, key, data, 0),
};
static const struct fil_wire_field map_try_put_request_fields[] = {
    FIL_WIRE_FIELD(map_try_put_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_try_put_request, timeout, i64, 8),
    FIL_WIRE_FIELD(map_try_put_request, name, string, 0),
    FIL_WIRE_FIELD(map_try_put_request, key, data, 0),
    FIL_WIRE_FIELD(map_try_put_request, value, data, 0),
};
static const struct fil_wire_field map_lock_request_fields[] = {
    FIL_WIRE_FIELD(map_lock_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_lock_request, ttl, i64, 8),
    FIL_WIRE_FIELD(map_lock_request, reference_id, i64, 16),
    FIL_WIRE_FIELD(map_lock_request, name, string, 0),
    FIL_WIRE_FIELD(map_lock_request, key, data, 0),
};
static const struct fil_wire_field map_try_lock_request_fields[] = {
    FIL_WIRE_FIELD(map_try_lock_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_try_lock_request, lease, i64, 8),
    FIL_WIRE_FIELD(map_try_lock_request, timeout, i64, 16),
    FIL_WIRE_FIELD(map_try_lock_request, reference_id, i64, 24),
    FIL_WIRE_FIELD(map_try_lock_request, name, string, 0),
    FIL_WIRE_FIELD(map_try_lock_request, key, data, 0),
};
static const struct fil_wire_field map_is_locked_request_fields[] = {
    FIL_WIRE_FIELD(map_is_locked_request, name, string, 0),
    FIL_WIRE_FIELD(map_is_locked_request, key, data, 0),
};
static const struct fil_wire_field map_unlock_request_fields[] = {
    FIL_WIRE_FIELD(map_unlock_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_unlock_request, reference_id, i64, 8),
    FIL_WIRE_FIELD(map_unlock_request, name, string, 0),
    FIL_WIRE_FIELD(map_unlock_request, key, data, 0),
};
static const struct fil_wire_field map_add_interceptor_request_fields[] = {
    FIL_WIRE_FIELD(map_add_interceptor_request, name, string, 0),
    FIL_WIRE_FIELD(map_add_interceptor_request, interceptor, data, 0),
};
static const struct fil_wire_field map_add_interceptor_response_fields[] = {
    FIL_WIRE_FIELD(map_add_interceptor_response, response, string, 0),
};
static const struct fil_wire_field map_remove_interceptor_request_fields[] = {
    FIL_WIRE_FIELD(map_remove_interceptor_request, name, string, 0),
    FIL_WIRE_FIELD(map_remove_interceptor_request, id, string, 0),
};
static const struct fil_wire_field map_add_entry_listener_to_key_with_predicate_request_fields[] = {
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_request, include_value, bool, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_request, listener_flags, i32, 1),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_request, local_only, bool, 5),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_request, name, string, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_request, key, data, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_request, predicate, data, 0),
};
static const struct fil_wire_field map_add_entry_listener_to_key_with_predicate_response_fields[] = {
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_response, response, uuid, 0),
};
static const struct fil_wire_field map_add_entry_listener_to_key_with_predicate_entry_event_fields[] = {
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_entry_event, event_type, i32, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_entry_event, uuid, uuid, 4),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_entry_event, number_of_affected_entries, i32, 21),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_entry_event, key, data_or_null, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_entry_event, value, data_or_null, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_entry_event, old_value, data_or_null, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_with_predicate_entry_event, merging_value, data_or_null, 0),
};
static const struct fil_wire_field map_add_entry_listener_with_predicate_request_fields[] = {
    FIL_WIRE_FIELD(map_add_entry_listener_with_predicate_request, include_value, bool, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_with_predicate_request, listener_flags, i32, 1),
    FIL_WIRE_FIELD(map_add_entry_listener_with_predicate_request, local_only, bool, 5),
    FIL_WIRE_FIELD(map_add_entry_listener_with_predicate_request, name, string, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_with_predicate_request, predicate, data, 0),
};
static const struct fil_wire_field map_add_entry_listener_to_key_request_fields[] = {
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_request, include_value, bool, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_request, listener_flags, i32, 1),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_request, local_only, bool, 5),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_request, name, string, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_to_key_request, key, data, 0),
};
static const struct fil_wire_field map_add_entry_listener_request_fields[] = {
    FIL_WIRE_FIELD(map_add_entry_listener_request, include_value, bool, 0),
    FIL_WIRE_FIELD(map_add_entry_listener_request, listener_flags, i32, 1),
    FIL_WIRE_FIELD(map_add_entry_listener_request, local_only, bool, 5),
    FIL_WIRE_FIELD(map_add_entry_listener_request, name, string, 0),
};
static const struct fil_wire_field map_remove_entry_listener_request_fields[] = {
    FIL_WIRE_FIELD(map_remove_entry_listener_request, registration_id, uuid, 0),
    FIL_WIRE_FIELD(map_remove_entry_listener_request, name, string, 0),
};
static const struct fil_wire_field map_add_partition_lost_listener_request_fields[] = {
    FIL_WIRE_FIELD(map_add_partition_lost_listener_request, local_only, bool, 0),
    FIL_WIRE_FIELD(map_add_partition_lost_listener_request, name, string, 0),
};
static const struct fil_wire_field map_add_partition_lost_listener_map_partition_lost_event_fields[] = {
    FIL_WIRE_FIELD(map_add_partition_lost_listener_map_partition_lost_event, partition_id, i32, 0),
    FIL_WIRE_FIELD(map_add_partition_lost_listener_map_partition_lost_event, uuid, uuid, 4),
};
static const struct fil_wire_field map_get_entry_view_response_fields[] = {
    FIL_WIRE_FIELD(map_get_entry_view_response, max_idle, i64, 0),
    FIL_WIRE_FIELD(map_get_entry_view_response, response, simple_entry_view_or_null, 0),
};
static const struct fil_wire_field map_load_all_request_fields[] = {
    FIL_WIRE_FIELD(map_load_all_request, replace_existing_values, bool, 0),
    FIL_WIRE_FIELD(map_load_all_request, name, string, 0),
};
static const struct fil_wire_field map_load_given_keys_request_fields[] = {
    FIL_WIRE_FIELD(map_load_given_keys_request, replace_existing_values, bool, 0),
    FIL_WIRE_FIELD(map_load_given_keys_request, name, string, 0),
    FIL_WIRE_FIELD(map_load_given_keys_request, keys, list_data, 0),
};
static const struct fil_wire_field map_key_set_response_fields[] = {
    FIL_WIRE_FIELD(map_key_set_response, response, list_data, 0),
};
static const struct fil_wire_field map_get_all_request_fields[] = {
    FIL_WIRE_FIELD(map_get_all_request, name, string, 0),
    FIL_WIRE_FIELD(map_get_all_request, keys, list_data, 0),
};
static const struct fil_wire_field map_get_all_response_fields[] = {
    FIL_WIRE_FIELD(map_get_all_response, response, map_data_data, 0),
};
static const struct fil_wire_field map_key_set_with_predicate_request_fields[] = {
    FIL_WIRE_FIELD(map_key_set_with_predicate_request, name, string, 0),
    FIL_WIRE_FIELD(map_key_set_with_predicate_request, predicate, data, 0),
};
static const struct fil_wire_field map_add_index_request_fields[] = {
    FIL_WIRE_FIELD(map_add_index_request, name, string, 0),
    FIL_WIRE_FIELD(map_add_index_request, index_config, index_config, 0),
};
static const struct fil_wire_field map_size_response_fields[] = {
    FIL_WIRE_FIELD(map_size_response, response, i32, 0),
};
static const struct fil_wire_field map_put_all_request_fields[] = {
    FIL_WIRE_NEWER(map_put_all_request, trigger_map_loader, bool, 0),
    FIL_WIRE_FIELD(map_put_all_request, name, string, 0),
    FIL_WIRE_FIELD(map_put_all_request, entries, map_data_data, 0),
};
static const struct fil_wire_field map_execute_on_key_request_fields[] = {
    FIL_WIRE_FIELD(map_execute_on_key_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_execute_on_key_request, name, string, 0),
    FIL_WIRE_FIELD(map_execute_on_key_request, entry_processor, data, 0),
    FIL_WIRE_FIELD(map_execute_on_key_request, key, data, 0),
};
static const struct fil_wire_field map_execute_on_all_keys_request_fields[] = {
    FIL_WIRE_FIELD(map_execute_on_all_keys_request, name, string, 0),
    FIL_WIRE_FIELD(map_execute_on_all_keys_request, entry_processor, data, 0),
};
static const struct fil_wire_field map_execute_with_predicate_request_fields[] = {
    FIL_WIRE_FIELD(map_execute_with_predicate_request, name, string, 0),
    FIL_WIRE_FIELD(map_execute_with_predicate_request, entry_processor, data, 0),
    FIL_WIRE_FIELD(map_execute_with_predicate_request, predicate, data, 0),
};
static const struct fil_wire_field map_execute_on_keys_request_fields[] = {
    FIL_WIRE_FIELD(map_execute_on_keys_request, name, string, 0),
    FIL_WIRE_FIELD(map_execute_on_keys_request, entry_processor, data, 0),
    FIL_WIRE_FIELD(map_execute_on_keys_request, keys, list_data, 0),
};
static const struct fil_wire_field map_force_unlock_request_fields[] = {
    FIL_WIRE_FIELD(map_force_unlock_request, reference_id, i64, 0),
    FIL_WIRE_FIELD(map_force_unlock_request, name, string, 0),
    FIL_WIRE_FIELD(map_force_unlock_request, key, data, 0),
};
static const struct fil_wire_field map_key_set_with_paging_predicate_request_fields[] = {
    FIL_WIRE_FIELD(map_key_set_with_paging_predicate_request, name, string, 0),
    FIL_WIRE_FIELD(map_key_set_with_paging_predicate_request, predicate, paging_predicate_holder, 0),
};
static const struct fil_wire_field map_key_set_with_paging_predicate_response_fields[] = {
    FIL_WIRE_FIELD(map_key_set_with_paging_predicate_response, response, list_data, 0),
    FIL_WIRE_FIELD(map_key_set_with_paging_predicate_response, anchor_data_list, anchor_data_list_holder, 0),
};
static const struct fil_wire_field map_entries_with_paging_predicate_response_fields[] = {
    FIL_WIRE_FIELD(map_entries_with_paging_predicate_response, response, map_data_data, 0),
    FIL_WIRE_FIELD(map_entries_with_paging_predicate_response, anchor_data_list, anchor_data_list_holder, 0),
};
static const struct fil_wire_field map_fetch_keys_request_fields[] = {
    FIL_WIRE_FIELD(map_fetch_keys_request, batch, i32, 0),
    FIL_WIRE_FIELD(map_fetch_keys_request, name, string, 0),
    FIL_WIRE_FIELD(map_fetch_keys_request, iteration_pointers, map_i32_i32, 0),
};
static const struct fil_wire_field map_fetch_keys_response_fields[] = {
    FIL_WIRE_FIELD(map_fetch_keys_response, iteration_pointers, map_i32_i32, 0),
    FIL_WIRE_FIELD(map_fetch_keys_response, keys, list_data, 0),
};
static const struct fil_wire_field map_fetch_entries_response_fields[] = {
    FIL_WIRE_FIELD(map_fetch_entries_response, iteration_pointers, map_i32_i32, 0),
    FIL_WIRE_FIELD(map_fetch_entries_response, entries, map_data_data, 0),
};
static const struct fil_wire_field map_aggregate_request_fields[] = {
    FIL_WIRE_FIELD(map_aggregate_request, name, string, 0),
    FIL_WIRE_FIELD(map_aggregate_request, aggregator, data, 0),
};
static const struct fil_wire_field map_aggregate_with_predicate_request_fields[] = {
    FIL_WIRE_FIELD(map_aggregate_with_predicate_request, name, string, 0),
    FIL_WIRE_FIELD(map_aggregate_with_predicate_request, aggregator, data, 0),
    FIL_WIRE_FIELD(map_aggregate_with_predicate_request, predicate, data, 0),
};
static const struct fil_wire_field map_project_request_fields[] = {
    FIL_WIRE_FIELD(map_project_request, name, string, 0),
    FIL_WIRE_FIELD(map_project_request, projection, data, 0),
};
static const struct fil_wire_field map_project_response_fields[] = {
    FIL_WIRE_FIELD(map_project_response, response, list_data_or_null, 0),
};
static const struct fil_wire_field map_project_with_predicate_request_fields[] = {
    FIL_WIRE_FIELD(map_project_with_predicate_request, name, string, 0),
    FIL_WIRE_FIELD(map_project_with_predicate_request, projection, data, 0),
    FIL_WIRE_FIELD(map_project_with_predicate_request, predicate, data, 0),
};
static const struct fil_wire_field map_fetch_near_cache_invalidation_metadata_request_fields[] = {
    FIL_WIRE_FIELD(map_fetch_near_cache_invalidation_metadata_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(map_fetch_near_cache_invalidation_metadata_request, names, list_string, 0),
};
static const struct fil_wire_field map_fetch_near_cache_invalidation_metadata_response_fields[] = {
    FIL_WIRE_FIELD(map_fetch_near_cache_invalidation_metadata_response, name_partition_sequence_list, map_string_map_i32_i64, 0),
    FIL_WIRE_FIELD(map_fetch_near_cache_invalidation_metadata_response, partition_uuid_list, map_i32_uuid, 0),
};
static const struct fil_wire_field map_add_near_cache_invalidation_listener_request_fields[] = {
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_request, listener_flags, i32, 0),
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_request, local_only, bool, 4),
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_request, name, string, 0),
};
static const struct fil_wire_field map_add_near_cache_invalidation_listener_i_map_invalidation_event_fields[] = {
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_i_map_invalidation_event, source_uuid, uuid, 0),
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_i_map_invalidation_event, partition_uuid, uuid, 17),
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_i_map_invalidation_event, sequence, i64, 34),
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_i_map_invalidation_event, key, data_or_null, 0),
};
static const struct fil_wire_field map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event_fields[] = {
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event, keys, list_data, 0),
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event, source_uuids, list_uuid, 0),
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event, partition_uuids, list_uuid, 0),
    FIL_WIRE_FIELD(map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event, sequences, list_i64, 0),
};
static const struct fil_wire_field map_fetch_with_query_request_fields[] = {
    FIL_WIRE_FIELD(map_fetch_with_query_request, batch, i32, 0),
    FIL_WIRE_FIELD(map_fetch_with_query_request, name, string, 0),
    FIL_WIRE_FIELD(map_fetch_with_query_request, iteration_pointers, map_i32_i32, 0),
    FIL_WIRE_FIELD(map_fetch_with_query_request, projection, data, 0),
    FIL_WIRE_FIELD(map_fetch_with_query_request, predicate, data, 0),
};
static const struct fil_wire_field map_fetch_with_query_response_fields[] = {
    FIL_WIRE_FIELD(map_fetch_with_query_response, results, list_data_or_null, 0),
    FIL_WIRE_FIELD(map_fetch_with_query_response, iteration_pointers, map_i32_i32, 0),
};
static const struct fil_wire_field map_event_journal_subscribe_response_fields[] = {
    FIL_WIRE_FIELD(map_event_journal_subscribe_response, oldest_sequence, i64, 0),
    FIL_WIRE_FIELD(map_event_journal_subscribe_response, newest_sequence, i64, 8),
};
static const struct fil_wire_field map_event_journal_read_request_fields[] = {
    FIL_WIRE_FIELD(map_event_journal_read_request, start_sequence, i64, 0),
    FIL_WIRE_FIELD(map_event_journal_read_request, min_size, i32, 8),
    FIL_WIRE_FIELD(map_event_journal_read_request, max_size, i32, 12),
    FIL_WIRE_FIELD(map_event_journal_read_request, name, string, 0),
    FIL_WIRE_FIELD(map_event_journal_read_request, predicate, data_or_null, 0),
    FIL_WIRE_FIELD(map_event_journal_read_request, projection, data_or_null, 0),
};
static const struct fil_wire_field map_event_journal_read_response_fields[] = {
    FIL_WIRE_FIELD(map_event_journal_read_response, read_count, i32, 0),
    FIL_WIRE_FIELD(map_event_journal_read_response, next_seq, i64, 4),
    FIL_WIRE_FIELD(map_event_journal_read_response, items, list_data, 0),
    FIL_WIRE_FIELD(map_event_journal_read_response, item_seqs, list_i64_or_null, 0),
};
static const struct fil_wire_field map_set_ttl_request_fields[] = {
    FIL_WIRE_FIELD(map_set_ttl_request, ttl, i64, 0),
    FIL_WIRE_FIELD(map_set_ttl_request, name, string, 0),
    FIL_WIRE_FIELD(map_set_ttl_request, key, data, 0),
};
static const struct fil_wire_field map_put_with_max_idle_request_fields[] = {
    FIL_WIRE_FIELD(map_put_with_max_idle_request, thread_id, i64, 0),
    FIL_WIRE_FIELD(map_put_with_max_idle_request, ttl, i64, 8),
    FIL_WIRE_FIELD(map_put_with_max_idle_request, max_idle, i64, 16),
    FIL_WIRE_FIELD(map_put_with_max_idle_request, name, string, 0),
    FIL_WIRE_FIELD(map_put_with_max_idle_request, key, data, 0),
    FIL_WIRE_FIELD(map_put_with_max_idle_request, value, data, 0),
};
static const struct fil_wire_field map_replace_all_request_fields[] = {
    FIL_WIRE_FIELD(map_replace_all_request, name, string, 0),
    FIL_WIRE_FIELD(map_replace_all_request, function, data, 0),
};
static const struct fil_wire_field map_put_all_with_metadata_request_fields[] = {
    FIL_WIRE_FIELD(map_put_all_with_metadata_request, name, string, 0),
    FIL_WIRE_FIELD(map_put_all_with_metadata_request, entries, list_simple_entry_view, 0),
};

FIL_WIRE_LAYOUT_MAKE(map_put_request, "Map.put", REQUEST, 0x010100, map_put_request_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_MAKE(map_put_response, "Map.put", RESPONSE, 0x010101, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_get_request, "Map.get", REQUEST, 0x010200, map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_get_response, "Map.get", RESPONSE, 0x010201, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_remove_request, "Map.remove", REQUEST, 0x010300, map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_remove_response, "Map.remove", RESPONSE, 0x010301, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_replace_request, "Map.replace", REQUEST, 0x010400, map_replace_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_replace_response, "Map.replace", RESPONSE, 0x010401, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_replace_if_same_request, "Map.replaceIfSame", REQUEST, 0x010500, map_replace_if_same_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_replace_if_same_response, "Map.replaceIfSame", RESPONSE, 0x010501, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_contains_key_request, "Map.containsKey", REQUEST, 0x010600, map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_contains_key_response, "Map.containsKey", RESPONSE, 0x010601, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_contains_value_request, "Map.containsValue", REQUEST, 0x010700, map_contains_value_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_contains_value_response, "Map.containsValue", RESPONSE, 0x010701, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_remove_if_same_request, "Map.removeIfSame", REQUEST, 0x010800, map_replace_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_remove_if_same_response, "Map.removeIfSame", RESPONSE, 0x010801, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_delete_request, "Map.delete", REQUEST, 0x010900, map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_delete_response, "Map.delete", RESPONSE, 0x010901, map_delete_response_fields, 1, 0, 1);
FIL_WIRE_LAYOUT_MAKE(map_flush_request, "Map.flush", REQUEST, 0x010a00, map_flush_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(map_flush_response, "Map.flush", RESPONSE, 0x010a01);
FIL_WIRE_LAYOUT_MAKE(map_try_remove_request, "Map.tryRemove", REQUEST, 0x010b00, map_try_remove_request_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_MAKE(map_try_remove_response, "Map.tryRemove", RESPONSE, 0x010b01, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_try_put_request, "Map.tryPut", REQUEST, 0x010c00, map_try_put_request_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_MAKE(map_try_put_response, "Map.tryPut", RESPONSE, 0x010c01, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_put_transient_request, "Map.putTransient", REQUEST, 0x010d00, map_put_request_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_EMPTY(map_put_transient_response, "Map.putTransient", RESPONSE, 0x010d01);
FIL_WIRE_LAYOUT_MAKE(map_put_if_absent_request, "Map.putIfAbsent", REQUEST, 0x010e00, map_put_request_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_MAKE(map_put_if_absent_response, "Map.putIfAbsent", RESPONSE, 0x010e01, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_set_request, "Map.set", REQUEST, 0x010f00, map_put_request_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_EMPTY(map_set_response, "Map.set", RESPONSE, 0x010f01);
FIL_WIRE_LAYOUT_MAKE(map_lock_request, "Map.lock", REQUEST, 0x011000, map_lock_request_fields, 3, 24, 24);
FIL_WIRE_LAYOUT_EMPTY(map_lock_response, "Map.lock", RESPONSE, 0x011001);
FIL_WIRE_LAYOUT_MAKE(map_try_lock_request, "Map.tryLock", REQUEST, 0x011100, map_try_lock_request_fields, 4, 32, 32);
FIL_WIRE_LAYOUT_MAKE(map_try_lock_response, "Map.tryLock", RESPONSE, 0x011101, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_is_locked_request, "Map.isLocked", REQUEST, 0x011200, map_is_locked_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_is_locked_response, "Map.isLocked", RESPONSE, 0x011201, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_unlock_request, "Map.unlock", REQUEST, 0x011300, map_unlock_request_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_EMPTY(map_unlock_response, "Map.unlock", RESPONSE, 0x011301);
FIL_WIRE_LAYOUT_MAKE(map_add_interceptor_request, "Map.addInterceptor", REQUEST, 0x011400, map_add_interceptor_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_add_interceptor_response, "Map.addInterceptor", RESPONSE, 0x011401, map_add_interceptor_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_remove_interceptor_request, "Map.removeInterceptor", REQUEST, 0x011500, map_remove_interceptor_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_remove_interceptor_response, "Map.removeInterceptor", RESPONSE, 0x011501, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_to_key_with_predicate_request, "Map.addEntryListenerToKeyWithPredicate", REQUEST, 0x011600, map_add_entry_listener_to_key_with_predicate_request_fields, 3, 6, 6);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_to_key_with_predicate_response, "Map.addEntryListenerToKeyWithPredicate", RESPONSE, 0x011601, map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_to_key_with_predicate_entry_event, "Map.addEntryListenerToKeyWithPredicate", EVENT, 0x011602, map_add_entry_listener_to_key_with_predicate_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_with_predicate_request, "Map.addEntryListenerWithPredicate", REQUEST, 0x011700, map_add_entry_listener_with_predicate_request_fields, 3, 6, 6);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_with_predicate_response, "Map.addEntryListenerWithPredicate", RESPONSE, 0x011701, map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_with_predicate_entry_event, "Map.addEntryListenerWithPredicate", EVENT, 0x011702, map_add_entry_listener_to_key_with_predicate_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_to_key_request, "Map.addEntryListenerToKey", REQUEST, 0x011800, map_add_entry_listener_to_key_request_fields, 3, 6, 6);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_to_key_response, "Map.addEntryListenerToKey", RESPONSE, 0x011801, map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_to_key_entry_event, "Map.addEntryListenerToKey", EVENT, 0x011802, map_add_entry_listener_to_key_with_predicate_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_request, "Map.addEntryListener", REQUEST, 0x011900, map_add_entry_listener_request_fields, 3, 6, 6);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_response, "Map.addEntryListener", RESPONSE, 0x011901, map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(map_add_entry_listener_entry_event, "Map.addEntryListener", EVENT, 0x011902, map_add_entry_listener_to_key_with_predicate_entry_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(map_remove_entry_listener_request, "Map.removeEntryListener", REQUEST, 0x011a00, map_remove_entry_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(map_remove_entry_listener_response, "Map.removeEntryListener", RESPONSE, 0x011a01, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_add_partition_lost_listener_request, "Map.addPartitionLostListener", REQUEST, 0x011b00, map_add_partition_lost_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_add_partition_lost_listener_response, "Map.addPartitionLostListener", RESPONSE, 0x011b01, map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(map_add_partition_lost_listener_map_partition_lost_event, "Map.addPartitionLostListener", EVENT, 0x011b02, map_add_partition_lost_listener_map_partition_lost_event_fields, 2, 21, 21);
FIL_WIRE_LAYOUT_MAKE(map_remove_partition_lost_listener_request, "Map.removePartitionLostListener", REQUEST, 0x011c00, map_remove_entry_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(map_remove_partition_lost_listener_response, "Map.removePartitionLostListener", RESPONSE, 0x011c01, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_get_entry_view_request, "Map.getEntryView", REQUEST, 0x011d00, map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_get_entry_view_response, "Map.getEntryView", RESPONSE, 0x011d01, map_get_entry_view_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_evict_request, "Map.evict", REQUEST, 0x011e00, map_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_evict_response, "Map.evict", RESPONSE, 0x011e01, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_evict_all_request, "Map.evictAll", REQUEST, 0x011f00, map_flush_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(map_evict_all_response, "Map.evictAll", RESPONSE, 0x011f01);
FIL_WIRE_LAYOUT_MAKE(map_load_all_request, "Map.loadAll", REQUEST, 0x012000, map_load_all_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(map_load_all_response, "Map.loadAll", RESPONSE, 0x012001);
FIL_WIRE_LAYOUT_MAKE(map_load_given_keys_request, "Map.loadGivenKeys", REQUEST, 0x012100, map_load_given_keys_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(map_load_given_keys_response, "Map.loadGivenKeys", RESPONSE, 0x012101);
FIL_WIRE_LAYOUT_MAKE(map_key_set_request, "Map.keySet", REQUEST, 0x012200, map_flush_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_key_set_response, "Map.keySet", RESPONSE, 0x012201, map_key_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_get_all_request, "Map.getAll", REQUEST, 0x012300, map_get_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_get_all_response, "Map.getAll", RESPONSE, 0x012301, map_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_values_request, "Map.values", REQUEST, 0x012400, map_flush_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_values_response, "Map.values", RESPONSE, 0x012401, map_key_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_entry_set_request, "Map.entrySet", REQUEST, 0x012500, map_flush_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_entry_set_response, "Map.entrySet", RESPONSE, 0x012501, map_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_key_set_with_predicate_request, "Map.keySetWithPredicate", REQUEST, 0x012600, map_key_set_with_predicate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_key_set_with_predicate_response, "Map.keySetWithPredicate", RESPONSE, 0x012601, map_key_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_values_with_predicate_request, "Map.valuesWithPredicate", REQUEST, 0x012700, map_key_set_with_predicate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_values_with_predicate_response, "Map.valuesWithPredicate", RESPONSE, 0x012701, map_key_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_entries_with_predicate_request, "Map.entriesWithPredicate", REQUEST, 0x012800, map_key_set_with_predicate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_entries_with_predicate_response, "Map.entriesWithPredicate", RESPONSE, 0x012801, map_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_add_index_request, "Map.addIndex", REQUEST, 0x012900, map_add_index_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(map_add_index_response, "Map.addIndex", RESPONSE, 0x012901);
FIL_WIRE_LAYOUT_MAKE(map_size_request, "Map.size", REQUEST, 0x012a00, map_flush_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_size_response, "Map.size", RESPONSE, 0x012a01, map_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(map_is_empty_request, "Map.isEmpty", REQUEST, 0x012b00, map_flush_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_is_empty_response, "Map.isEmpty", RESPONSE, 0x012b01, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_put_all_request, "Map.putAll", REQUEST, 0x012c00, map_put_all_request_fields, 1, 0, 1);
FIL_WIRE_LAYOUT_EMPTY(map_put_all_response, "Map.putAll", RESPONSE, 0x012c01);
FIL_WIRE_LAYOUT_MAKE(map_clear_request, "Map.clear", REQUEST, 0x012d00, map_flush_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(map_clear_response, "Map.clear", RESPONSE, 0x012d01);
FIL_WIRE_LAYOUT_MAKE(map_execute_on_key_request, "Map.executeOnKey", REQUEST, 0x012e00, map_execute_on_key_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_execute_on_key_response, "Map.executeOnKey", RESPONSE, 0x012e01, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_submit_to_key_request, "Map.submitToKey", REQUEST, 0x012f00, map_execute_on_key_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_submit_to_key_response, "Map.submitToKey", RESPONSE, 0x012f01, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_execute_on_all_keys_request, "Map.executeOnAllKeys", REQUEST, 0x013000, map_execute_on_all_keys_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_execute_on_all_keys_response, "Map.executeOnAllKeys", RESPONSE, 0x013001, map_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_execute_with_predicate_request, "Map.executeWithPredicate", REQUEST, 0x013100, map_execute_with_predicate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_execute_with_predicate_response, "Map.executeWithPredicate", RESPONSE, 0x013101, map_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_execute_on_keys_request, "Map.executeOnKeys", REQUEST, 0x013200, map_execute_on_keys_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_execute_on_keys_response, "Map.executeOnKeys", RESPONSE, 0x013201, map_get_all_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_force_unlock_request, "Map.forceUnlock", REQUEST, 0x013300, map_force_unlock_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_EMPTY(map_force_unlock_response, "Map.forceUnlock", RESPONSE, 0x013301);
FIL_WIRE_LAYOUT_MAKE(map_key_set_with_paging_predicate_request, "Map.keySetWithPagingPredicate", REQUEST, 0x013400, map_key_set_with_paging_predicate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_key_set_with_paging_predicate_response, "Map.keySetWithPagingPredicate", RESPONSE, 0x013401, map_key_set_with_paging_predicate_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_values_with_paging_predicate_request, "Map.valuesWithPagingPredicate", REQUEST, 0x013500, map_key_set_with_paging_predicate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_values_with_paging_predicate_response, "Map.valuesWithPagingPredicate", RESPONSE, 0x013501, map_key_set_with_paging_predicate_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_entries_with_paging_predicate_request, "Map.entriesWithPagingPredicate", REQUEST, 0x013600, map_key_set_with_paging_predicate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_entries_with_paging_predicate_response, "Map.entriesWithPagingPredicate", RESPONSE, 0x013601, map_entries_with_paging_predicate_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_fetch_keys_request, "Map.fetchKeys", REQUEST, 0x013700, map_fetch_keys_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(map_fetch_keys_response, "Map.fetchKeys", RESPONSE, 0x013701, map_fetch_keys_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_fetch_entries_request, "Map.fetchEntries", REQUEST, 0x013800, map_fetch_keys_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(map_fetch_entries_response, "Map.fetchEntries", RESPONSE, 0x013801, map_fetch_entries_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_aggregate_request, "Map.aggregate", REQUEST, 0x013900, map_aggregate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_aggregate_response, "Map.aggregate", RESPONSE, 0x013901, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_aggregate_with_predicate_request, "Map.aggregateWithPredicate", REQUEST, 0x013a00, map_aggregate_with_predicate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_aggregate_with_predicate_response, "Map.aggregateWithPredicate", RESPONSE, 0x013a01, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_project_request, "Map.project", REQUEST, 0x013b00, map_project_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_project_response, "Map.project", RESPONSE, 0x013b01, map_project_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_project_with_predicate_request, "Map.projectWithPredicate", REQUEST, 0x013c00, map_project_with_predicate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_project_with_predicate_response, "Map.projectWithPredicate", RESPONSE, 0x013c01, map_project_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_fetch_near_cache_invalidation_metadata_request, "Map.fetchNearCacheInvalidationMetadata", REQUEST, 0x013d00, map_fetch_near_cache_invalidation_metadata_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(map_fetch_near_cache_invalidation_metadata_response, "Map.fetchNearCacheInvalidationMetadata", RESPONSE, 0x013d01, map_fetch_near_cache_invalidation_metadata_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_remove_all_request, "Map.removeAll", REQUEST, 0x013e00, map_key_set_with_predicate_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(map_remove_all_response, "Map.removeAll", RESPONSE, 0x013e01);
FIL_WIRE_LAYOUT_MAKE(map_add_near_cache_invalidation_listener_request, "Map.addNearCacheInvalidationListener", REQUEST, 0x013f00, map_add_near_cache_invalidation_listener_request_fields, 2, 5, 5);
FIL_WIRE_LAYOUT_MAKE(map_add_near_cache_invalidation_listener_response, "Map.addNearCacheInvalidationListener", RESPONSE, 0x013f01, map_add_entry_listener_to_key_with_predicate_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(map_add_near_cache_invalidation_listener_i_map_invalidation_event, "Map.addNearCacheInvalidationListener", EVENT, 0x013f02, map_add_near_cache_invalidation_listener_i_map_invalidation_event_fields, 3, 42, 42);
FIL_WIRE_LAYOUT_MAKE(map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event, "Map.addNearCacheInvalidationListener", EVENT, 0x013f03, map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_fetch_with_query_request, "Map.fetchWithQuery", REQUEST, 0x014000, map_fetch_with_query_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(map_fetch_with_query_response, "Map.fetchWithQuery", RESPONSE, 0x014001, map_fetch_with_query_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_event_journal_subscribe_request, "Map.eventJournalSubscribe", REQUEST, 0x014100, map_flush_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_event_journal_subscribe_response, "Map.eventJournalSubscribe", RESPONSE, 0x014101, map_event_journal_subscribe_response_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_MAKE(map_event_journal_read_request, "Map.eventJournalRead", REQUEST, 0x014200, map_event_journal_read_request_fields, 3, 16, 16);
FIL_WIRE_LAYOUT_MAKE(map_event_journal_read_response, "Map.eventJournalRead", RESPONSE, 0x014201, map_event_journal_read_response_fields, 2, 12, 12);
FIL_WIRE_LAYOUT_MAKE(map_set_ttl_request, "Map.setTtl", REQUEST, 0x014300, map_set_ttl_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(map_set_ttl_response, "Map.setTtl", RESPONSE, 0x014301, map_replace_if_same_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(map_put_with_max_idle_request, "Map.putWithMaxIdle", REQUEST, 0x014400, map_put_with_max_idle_request_fields, 3, 24, 24);
FIL_WIRE_LAYOUT_MAKE(map_put_with_max_idle_response, "Map.putWithMaxIdle", RESPONSE, 0x014401, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_put_transient_with_max_idle_request, "Map.putTransientWithMaxIdle", REQUEST, 0x014500, map_put_with_max_idle_request_fields, 3, 24, 24);
FIL_WIRE_LAYOUT_MAKE(map_put_transient_with_max_idle_response, "Map.putTransientWithMaxIdle", RESPONSE, 0x014501, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_put_if_absent_with_max_idle_request, "Map.putIfAbsentWithMaxIdle", REQUEST, 0x014600, map_put_with_max_idle_request_fields, 3, 24, 24);
FIL_WIRE_LAYOUT_MAKE(map_put_if_absent_with_max_idle_response, "Map.putIfAbsentWithMaxIdle", RESPONSE, 0x014601, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_set_with_max_idle_request, "Map.setWithMaxIdle", REQUEST, 0x014700, map_put_with_max_idle_request_fields, 3, 24, 24);
FIL_WIRE_LAYOUT_MAKE(map_set_with_max_idle_response, "Map.setWithMaxIdle", RESPONSE, 0x014701, map_put_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_replace_all_request, "Map.replaceAll", REQUEST, 0x014800, map_replace_all_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(map_replace_all_response, "Map.replaceAll", RESPONSE, 0x014801);
FIL_WIRE_LAYOUT_MAKE(map_put_all_with_metadata_request, "Map.putAllWithMetadata", REQUEST, 0x014900, map_put_all_with_metadata_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(map_put_all_with_metadata_response, "Map.putAllWithMetadata", RESPONSE, 0x014901);

static const struct fil_wire_layout *const map_add_entry_listener_to_key_with_predicate_events[] = {&fil_wire_map_add_entry_listener_to_key_with_predicate_entry_event_layout};
static const struct fil_wire_layout *const map_add_entry_listener_with_predicate_events[] = {&fil_wire_map_add_entry_listener_with_predicate_entry_event_layout};
static const struct fil_wire_layout *const map_add_entry_listener_to_key_events[] = {&fil_wire_map_add_entry_listener_to_key_entry_event_layout};
static const struct fil_wire_layout *const map_add_entry_listener_events[] = {&fil_wire_map_add_entry_listener_entry_event_layout};
static const struct fil_wire_layout *const map_add_partition_lost_listener_events[] = {&fil_wire_map_add_partition_lost_listener_map_partition_lost_event_layout};
static const struct fil_wire_layout *const map_add_near_cache_invalidation_listener_events[] = {&fil_wire_map_add_near_cache_invalidation_listener_i_map_invalidation_event_layout, &fil_wire_map_add_near_cache_invalidation_listener_i_map_batch_invalidation_event_layout};

const struct fil_wire_message fil_wire_map_messages[] = {
    FIL_WIRE_MESSAGE(map_put, "map.put", 0x010100, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_get, "map.get", 0x010200, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_remove, "map.remove", 0x010300, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_replace, "map.replace", 0x010400, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_replace_if_same, "map.replace_if_same", 0x010500, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_contains_key, "map.contains_key", 0x010600, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_contains_value, "map.contains_value", 0x010700, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_remove_if_same, "map.remove_if_same", 0x010800, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_delete, "map.delete", 0x010900, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_flush, "map.flush", 0x010a00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_try_remove, "map.try_remove", 0x010b00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_try_put, "map.try_put", 0x010c00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_put_transient, "map.put_transient", 0x010d00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_put_if_absent, "map.put_if_absent", 0x010e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_set, "map.set", 0x010f00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_lock, "map.lock", 0x011000, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_try_lock, "map.try_lock", 0x011100, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_is_locked, "map.is_locked", 0x011200, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_unlock, "map.unlock", 0x011300, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_add_interceptor, "map.add_interceptor", 0x011400, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_remove_interceptor, "map.remove_interceptor", 0x011500, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_add_entry_listener_to_key_with_predicate, "map.add_entry_listener_to_key_with_predicate", 0x011600, false, 1, map_add_entry_listener_to_key_with_predicate_events),
    FIL_WIRE_MESSAGE(map_add_entry_listener_with_predicate, "map.add_entry_listener_with_predicate", 0x011700, false, 1, map_add_entry_listener_with_predicate_events),
    FIL_WIRE_MESSAGE(map_add_entry_listener_to_key, "map.add_entry_listener_to_key", 0x011800, false, 1, map_add_entry_listener_to_key_events),
    FIL_WIRE_MESSAGE(map_add_entry_listener, "map.add_entry_listener", 0x011900, false, 1, map_add_entry_listener_events),
    FIL_WIRE_MESSAGE(map_remove_entry_listener, "map.remove_entry_listener", 0x011a00, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_add_partition_lost_listener, "map.add_partition_lost_listener", 0x011b00, false, 1, map_add_partition_lost_listener_events),
    FIL_WIRE_MESSAGE(map_remove_partition_lost_listener, "map.remove_partition_lost_listener", 0x011c00, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_get_entry_view, "map.get_entry_view", 0x011d00, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_evict, "map.evict", 0x011e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_evict_all, "map.evict_all", 0x011f00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_load_all, "map.load_all", 0x012000, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_load_given_keys, "map.load_given_keys", 0x012100, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_key_set, "map.key_set", 0x012200, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_get_all, "map.get_all", 0x012300, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_values, "map.values", 0x012400, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_entry_set, "map.entry_set", 0x012500, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_key_set_with_predicate, "map.key_set_with_predicate", 0x012600, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_values_with_predicate, "map.values_with_predicate", 0x012700, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_entries_with_predicate, "map.entries_with_predicate", 0x012800, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_add_index, "map.add_index", 0x012900, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_size, "map.size", 0x012a00, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_is_empty, "map.is_empty", 0x012b00, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_put_all, "map.put_all", 0x012c00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_clear, "map.clear", 0x012d00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_execute_on_key, "map.execute_on_key", 0x012e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_submit_to_key, "map.submit_to_key", 0x012f00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_execute_on_all_keys, "map.execute_on_all_keys", 0x013000, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_execute_with_predicate, "map.execute_with_predicate", 0x013100, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_execute_on_keys, "map.execute_on_keys", 0x013200, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_force_unlock, "map.force_unlock", 0x013300, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_key_set_with_paging_predicate, "map.key_set_with_paging_predicate", 0x013400, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_values_with_paging_predicate, "map.values_with_paging_predicate", 0x013500, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_entries_with_paging_predicate, "map.entries_with_paging_predicate", 0x013600, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_fetch_keys, "map.fetch_keys", 0x013700, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_fetch_entries, "map.fetch_entries", 0x013800, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_aggregate, "map.aggregate", 0x013900, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_aggregate_with_predicate, "map.aggregate_with_predicate", 0x013a00, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_project, "map.project", 0x013b00, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_project_with_predicate, "map.project_with_predicate", 0x013c00, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_fetch_near_cache_invalidation_metadata, "map.fetch_near_cache_invalidation_metadata", 0x013d00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_remove_all, "map.remove_all", 0x013e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_add_near_cache_invalidation_listener, "map.add_near_cache_invalidation_listener", 0x013f00, false, 2, map_add_near_cache_invalidation_listener_events),
    FIL_WIRE_MESSAGE(map_fetch_with_query, "map.fetch_with_query", 0x014000, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_event_journal_subscribe, "map.event_journal_subscribe", 0x014100, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_event_journal_read, "map.event_journal_read", 0x014200, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_set_ttl, "map.set_ttl", 0x014300, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_put_with_max_idle, "map.put_with_max_idle", 0x014400, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_put_transient_with_max_idle, "map.put_transient_with_max_idle", 0x014500, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_put_if_absent_with_max_idle, "map.put_if_absent_with_max_idle", 0x014600, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_set_with_max_idle, "map.set_with_max_idle", 0x014700, false, 0, NULL),
    FIL_WIRE_MESSAGE(map_replace_all, "map.replace_all", 0x014800, true, 0, NULL),
    FIL_WIRE_MESSAGE(map_put_all_with_metadata, "map.put_all_with_metadata", 0x014900, false, 0, NULL),
};
