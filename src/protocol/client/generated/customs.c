// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/customs.h"

#include <stddef.h>

#include "protocol/client/generated/types.h"

static const struct fil_wire_field address_fields[] = {
    FIL_WIRE_FIELD(address, port, i32, 0),
    FIL_WIRE_FIELD(address, host, string, 0),
};
static const struct fil_wire_field cache_event_data_fields[] = {
    FIL_WIRE_FIELD(cache_event_data, cache_event_type, i32, 0),
    FIL_WIRE_FIELD(cache_event_data, old_value_available, bool, 4),
    FIL_WIRE_FIELD(cache_event_data, name, string, 0),
    FIL_WIRE_FIELD(cache_event_data, data_key, data_or_null, 0),
    FIL_WIRE_FIELD(cache_event_data, data_value, data_or_null, 0),
    FIL_WIRE_FIELD(cache_event_data, data_old_value, data_or_null, 0),
};
static const struct fil_wire_field cache_simple_entry_listener_config_fields[] = {
    FIL_WIRE_FIELD(cache_simple_entry_listener_config, old_value_required, bool, 0),
    FIL_WIRE_FIELD(cache_simple_entry_listener_config, synchronous, bool, 1),
    FIL_WIRE_FIELD(cache_simple_entry_listener_config, cache_entry_listener_factory, string_or_null, 0),
    FIL_WIRE_FIELD(cache_simple_entry_listener_config, cache_entry_event_filter_factory, string_or_null, 0),
};
static const struct fil_wire_field distributed_object_info_fields[] = {
    FIL_WIRE_FIELD(distributed_object_info, service_name, string, 0),
    FIL_WIRE_FIELD(distributed_object_info, name, string, 0),
};
static const struct fil_wire_field error_holder_fields[] = {
    FIL_WIRE_FIELD(error_holder, error_code, i32, 0),
    FIL_WIRE_FIELD(error_holder, class_name, string, 0),
    FIL_WIRE_FIELD(error_holder, message, string_or_null, 0),
    FIL_WIRE_FIELD(error_holder, stack_trace_elements, list_stack_trace_element, 0),
};
static const struct fil_wire_field event_journal_config_fields[] = {
    FIL_WIRE_FIELD(event_journal_config, enabled, bool, 0),
    FIL_WIRE_FIELD(event_journal_config, capacity, i32, 1),
    FIL_WIRE_FIELD(event_journal_config, time_to_live_seconds, i32, 5),
};
static const struct fil_wire_field eviction_config_holder_fields[] = {
    FIL_WIRE_FIELD(eviction_config_holder, size, i32, 0),
    FIL_WIRE_FIELD(eviction_config_holder, max_size_policy, string, 0),
    FIL_WIRE_FIELD(eviction_config_holder, eviction_policy, string, 0),
    FIL_WIRE_FIELD(eviction_config_holder, comparator_class_name, string_or_null, 0),
    FIL_WIRE_FIELD(eviction_config_holder, comparator, data_or_null, 0),
};
static const struct fil_wire_field hot_restart_config_fields[] = {
    FIL_WIRE_FIELD(hot_restart_config, enabled, bool, 0),
    FIL_WIRE_FIELD(hot_restart_config, fsync, bool, 1),
};
static const struct fil_wire_field listener_config_holder_fields[] = {
    FIL_WIRE_FIELD(listener_config_holder, listener_type, i32, 0),
    FIL_WIRE_FIELD(listener_config_holder, include_value, bool, 4),
    FIL_WIRE_FIELD(listener_config_holder, local, bool, 5),
    FIL_WIRE_FIELD(listener_config_holder, listener_implementation, data_or_null, 0),
    FIL_WIRE_FIELD(listener_config_holder, class_name, string_or_null, 0),
};
static const struct fil_wire_field attribute_config_fields[] = {
    FIL_WIRE_FIELD(attribute_config, name, string, 0),
    FIL_WIRE_FIELD(attribute_config, extractor_class_name, string, 0),
};
static const struct fil_wire_field index_config_fields[] = {
    FIL_WIRE_FIELD(index_config, type, i32, 0),
    FIL_WIRE_FIELD(index_config, name, string_or_null, 0),
    FIL_WIRE_FIELD(index_config, attributes, list_string, 0),
    FIL_WIRE_FIELD(index_config, bitmap_index_options, bitmap_index_options_or_null, 0),
    FIL_WIRE_NEWER(index_config, b_tree_index_config, b_tree_index_config_or_null, 0),
};
static const struct fil_wire_field bitmap_index_options_fields[] = {
    FIL_WIRE_FIELD(bitmap_index_options, unique_key_transformation, i32, 0),
    FIL_WIRE_FIELD(bitmap_index_options, unique_key, string, 0),
};
static const struct fil_wire_field b_tree_index_config_fields[] = {
    FIL_WIRE_FIELD(b_tree_index_config, page_size, capacity, 0),
    FIL_WIRE_FIELD(b_tree_index_config, memory_tier_config, memory_tier_config, 0),
};
static const struct fil_wire_field map_store_config_holder_fields[] = {
    FIL_WIRE_FIELD(map_store_config_holder, enabled, bool, 0),
    FIL_WIRE_FIELD(map_store_config_holder, write_coalescing, bool, 1),
    FIL_WIRE_FIELD(map_store_config_holder, write_delay_seconds, i32, 2),
    FIL_WIRE_FIELD(map_store_config_holder, write_batch_size, i32, 6),
    FIL_WIRE_NEWER(map_store_config_holder, offload, bool, 10),
    FIL_WIRE_FIELD(map_store_config_holder, class_name, string_or_null, 0),
    FIL_WIRE_FIELD(map_store_config_holder, implementation, data_or_null, 0),
    FIL_WIRE_FIELD(map_store_config_holder, factory_class_name, string_or_null, 0),
    FIL_WIRE_FIELD(map_store_config_holder, factory_implementation, data_or_null, 0),
    FIL_WIRE_FIELD(map_store_config_holder, properties, map_string_string_or_null, 0),
    FIL_WIRE_FIELD(map_store_config_holder, initial_load_mode, string, 0),
};
static const struct fil_wire_field merkle_tree_config_fields[] = {
    FIL_WIRE_FIELD(merkle_tree_config, enabled, bool, 0),
    FIL_WIRE_FIELD(merkle_tree_config, depth, i32, 1),
    FIL_WIRE_NEWER(merkle_tree_config, enabled_set, bool, 5),
};
static const struct fil_wire_field near_cache_config_holder_fields[] = {
    FIL_WIRE_FIELD(near_cache_config_holder, serialize_keys, bool, 0),
    FIL_WIRE_FIELD(near_cache_config_holder, invalidate_on_change, bool, 1),
    FIL_WIRE_FIELD(near_cache_config_holder, time_to_live_seconds, i32, 2),
    FIL_WIRE_FIELD(near_cache_config_holder, max_idle_seconds, i32, 6),
    FIL_WIRE_FIELD(near_cache_config_holder, cache_local_entries, bool, 10),
    FIL_WIRE_FIELD(near_cache_config_holder, name, string, 0),
    FIL_WIRE_FIELD(near_cache_config_holder, in_memory_format, string, 0),
    FIL_WIRE_FIELD(near_cache_config_holder, eviction_config_holder, eviction_config_holder, 0),
    FIL_WIRE_FIELD(near_cache_config_holder, local_update_policy, string, 0),
    FIL_WIRE_FIELD(near_cache_config_holder, preloader_config, near_cache_preloader_config_or_null, 0),
};
static const struct fil_wire_field near_cache_preloader_config_fields[] = {
    FIL_WIRE_FIELD(near_cache_preloader_config, enabled, bool, 0),
    FIL_WIRE_FIELD(near_cache_preloader_config, store_initial_delay_seconds, i32, 1),
    FIL_WIRE_FIELD(near_cache_preloader_config, store_interval_seconds, i32, 5),
    FIL_WIRE_FIELD(near_cache_preloader_config, directory, string, 0),
};
static const struct fil_wire_field predicate_config_holder_fields[] = {
    FIL_WIRE_FIELD(predicate_config_holder, class_name, string_or_null, 0),
    FIL_WIRE_FIELD(predicate_config_holder, sql, string_or_null, 0),
    FIL_WIRE_FIELD(predicate_config_holder, implementation, data_or_null, 0),
};
static const struct fil_wire_field query_cache_config_holder_fields[] = {
    FIL_WIRE_FIELD(query_cache_config_holder, batch_size, i32, 0),
    FIL_WIRE_FIELD(query_cache_config_holder, buffer_size, i32, 4),
    FIL_WIRE_FIELD(query_cache_config_holder, delay_seconds, i32, 8),
    FIL_WIRE_FIELD(query_cache_config_holder, include_value, bool, 12),
    FIL_WIRE_FIELD(query_cache_config_holder, populate, bool, 13),
    FIL_WIRE_FIELD(query_cache_config_holder, coalesce, bool, 14),
    FIL_WIRE_NEWER(query_cache_config_holder, serialize_keys, bool, 15),
    FIL_WIRE_FIELD(query_cache_config_holder, in_memory_format, string, 0),
    FIL_WIRE_FIELD(query_cache_config_holder, name, string, 0),
    FIL_WIRE_FIELD(query_cache_config_holder, predicate_config_holder, predicate_config_holder, 0),
    FIL_WIRE_FIELD(query_cache_config_holder, eviction_config_holder, eviction_config_holder, 0),
    FIL_WIRE_FIELD(query_cache_config_holder, listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_FIELD(query_cache_config_holder, index_configs, list_index_config_or_null, 0),
};
static const struct fil_wire_field query_cache_event_data_fields[] = {
    FIL_WIRE_FIELD(query_cache_event_data, sequence, i64, 0),
    FIL_WIRE_FIELD(query_cache_event_data, event_type, i32, 8),
    FIL_WIRE_FIELD(query_cache_event_data, partition_id, i32, 12),
    FIL_WIRE_FIELD(query_cache_event_data, data_key, data_or_null, 0),
    FIL_WIRE_FIELD(query_cache_event_data, data_new_value, data_or_null, 0),
    FIL_WIRE_NEWER(query_cache_event_data, map_name, string, 0),
};
static const struct fil_wire_field queue_store_config_holder_fields[] = {
    FIL_WIRE_FIELD(queue_store_config_holder, enabled, bool, 0),
    FIL_WIRE_FIELD(queue_store_config_holder, class_name, string_or_null, 0),
    FIL_WIRE_FIELD(queue_store_config_holder, factory_class_name, string_or_null, 0),
    FIL_WIRE_FIELD(queue_store_config_holder, implementation, data_or_null, 0),
    FIL_WIRE_FIELD(queue_store_config_holder, factory_implementation, data_or_null, 0),
    FIL_WIRE_FIELD(queue_store_config_holder, properties, map_string_string_or_null, 0),
};
static const struct fil_wire_field raft_group_id_fields[] = {
    FIL_WIRE_FIELD(raft_group_id, seed, i64, 0),
    FIL_WIRE_FIELD(raft_group_id, id, i64, 8),
    FIL_WIRE_FIELD(raft_group_id, name, string, 0),
};
static const struct fil_wire_field scheduled_task_handler_fields[] = {
    FIL_WIRE_FIELD(scheduled_task_handler, uuid, uuid, 0),
    FIL_WIRE_FIELD(scheduled_task_handler, partition_id, i32, 17),
    FIL_WIRE_FIELD(scheduled_task_handler, scheduler_name, string, 0),
    FIL_WIRE_FIELD(scheduled_task_handler, task_name, string, 0),
};
static const struct fil_wire_field simple_entry_view_fields[] = {
    FIL_WIRE_FIELD(simple_entry_view, cost, i64, 0),
    FIL_WIRE_FIELD(simple_entry_view, creation_time, i64, 8),
    FIL_WIRE_FIELD(simple_entry_view, expiration_time, i64, 16),
    FIL_WIRE_FIELD(simple_entry_view, hits, i64, 24),
    FIL_WIRE_FIELD(simple_entry_view, last_access_time, i64, 32),
    FIL_WIRE_FIELD(simple_entry_view, last_stored_time, i64, 40),
    FIL_WIRE_FIELD(simple_entry_view, last_update_time, i64, 48),
    FIL_WIRE_FIELD(simple_entry_view, version, i64, 56),
    FIL_WIRE_FIELD(simple_entry_view, ttl, i64, 64),
    FIL_WIRE_FIELD(simple_entry_view, max_idle, i64, 72),
    FIL_WIRE_FIELD(simple_entry_view, key, data, 0),
    FIL_WIRE_FIELD(simple_entry_view, value, data, 0),
};
static const struct fil_wire_field stack_trace_element_fields[] = {
    FIL_WIRE_FIELD(stack_trace_element, line_number, i32, 0),
    FIL_WIRE_FIELD(stack_trace_element, class_name, string, 0),
    FIL_WIRE_FIELD(stack_trace_element, method_name, string, 0),
    FIL_WIRE_FIELD(stack_trace_element, file_name, string_or_null, 0),
};
static const struct fil_wire_field duration_config_fields[] = {
    FIL_WIRE_FIELD(duration_config, duration_amount, i64, 0),
    FIL_WIRE_FIELD(duration_config, time_unit, i32, 8),
};
static const struct fil_wire_field timed_expiry_policy_factory_config_fields[] = {
    FIL_WIRE_FIELD(timed_expiry_policy_factory_config, expiry_policy_type, i32, 0),
    FIL_WIRE_FIELD(timed_expiry_policy_factory_config, duration_config, duration_config, 0),
};
static const struct fil_wire_field xid_fields[] = {
    FIL_WIRE_FIELD(xid, format_id, i32, 0),
    FIL_WIRE_FIELD(xid, global_transaction_id, bytes, 0),
    FIL_WIRE_FIELD(xid, branch_qualifier, bytes, 0),
};
static const struct fil_wire_field merge_policy_config_fields[] = {
    FIL_WIRE_FIELD(merge_policy_config, batch_size, i32, 0),
    FIL_WIRE_FIELD(merge_policy_config, policy, string, 0),
};
static const struct fil_wire_field cache_config_holder_fields[] = {
    FIL_WIRE_FIELD(cache_config_holder, backup_count, i32, 0),
    FIL_WIRE_FIELD(cache_config_holder, async_backup_count, i32, 4),
    FIL_WIRE_FIELD(cache_config_holder, read_through, bool, 8),
    FIL_WIRE_FIELD(cache_config_holder, write_through, bool, 9),
    FIL_WIRE_FIELD(cache_config_holder, store_by_value, bool, 10),
    FIL_WIRE_FIELD(cache_config_holder, management_enabled, bool, 11),
    FIL_WIRE_FIELD(cache_config_holder, statistics_enabled, bool, 12),
    FIL_WIRE_FIELD(cache_config_holder, disable_per_entry_invalidation_events, bool, 13),
    FIL_WIRE_FIELD(cache_config_holder, name, string, 0),
    FIL_WIRE_FIELD(cache_config_holder, manager_prefix, string_or_null, 0),
    FIL_WIRE_FIELD(cache_config_holder, uri_string, string_or_null, 0),
    FIL_WIRE_FIELD(cache_config_holder, in_memory_format, string, 0),
    FIL_WIRE_FIELD(cache_config_holder, eviction_config_holder, eviction_config_holder, 0),
    FIL_WIRE_FIELD(cache_config_holder, wan_replication_ref, wan_replication_ref_or_null, 0),
    FIL_WIRE_FIELD(cache_config_holder, key_class_name, string, 0),
    FIL_WIRE_FIELD(cache_config_holder, value_class_name, string, 0),
    FIL_WIRE_FIELD(cache_config_holder, cache_loader_factory, data_or_null, 0),
    FIL_WIRE_FIELD(cache_config_holder, cache_writer_factory, data_or_null, 0),
    FIL_WIRE_FIELD(cache_config_holder, expiry_policy_factory, data, 0),
    FIL_WIRE_FIELD(cache_config_holder, hot_restart_config, hot_restart_config_or_null, 0),
    FIL_WIRE_FIELD(cache_config_holder, event_journal_config, event_journal_config_or_null, 0),
    FIL_WIRE_FIELD(cache_config_holder, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_FIELD(cache_config_holder, listener_configurations, list_data_or_null, 0),
    FIL_WIRE_FIELD(cache_config_holder, merge_policy_config, merge_policy_config, 0),
    FIL_WIRE_FIELD(cache_config_holder, cache_partition_lost_listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_NEWER(cache_config_holder, merkle_tree_config, merkle_tree_config_or_null, 0),
    FIL_WIRE_NEWER(cache_config_holder, data_persistence_config, data_persistence_config, 0),
    FIL_WIRE_NEWER(cache_config_holder, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field client_bw_list_entry_fields[] = {
    FIL_WIRE_FIELD(client_bw_list_entry, type, i32, 0),
    FIL_WIRE_FIELD(client_bw_list_entry, value, string, 0),
};
static const struct fil_wire_field member_info_fields[] = {
    FIL_WIRE_FIELD(member_info, uuid, uuid, 0),
    FIL_WIRE_FIELD(member_info, lite_member, bool, 17),
    FIL_WIRE_FIELD(member_info, address, address, 0),
    FIL_WIRE_FIELD(member_info, attributes, map_string_string, 0),
    FIL_WIRE_FIELD(member_info, version, member_version, 0),
    FIL_WIRE_NEWER(member_info, address_map, map_endpoint_qualifier_address, 0),
};
static const struct fil_wire_field endpoint_qualifier_fields[] = {
    FIL_WIRE_FIELD(endpoint_qualifier, type, i32, 0),
    FIL_WIRE_FIELD(endpoint_qualifier, identifier, string_or_null, 0),
};
static const struct fil_wire_field member_version_fields[] = {
    FIL_WIRE_FIELD(member_version, major, i8, 0),
    FIL_WIRE_FIELD(member_version, minor, i8, 1),
    FIL_WIRE_FIELD(member_version, patch, i8, 2),
};
static const struct fil_wire_field mc_event_fields[] = {
    FIL_WIRE_FIELD(mc_event, timestamp, i64, 0),
    FIL_WIRE_FIELD(mc_event, type, i32, 8),
    FIL_WIRE_FIELD(mc_event, data_json, string, 0),
};
static const struct fil_wire_field anchor_data_list_holder_fields[] = {
    FIL_WIRE_FIELD(anchor_data_list_holder, anchor_page_list, list_i32, 0),
    FIL_WIRE_FIELD(anchor_data_list_holder, anchor_data_list, map_data_data, 0),
};
static const struct fil_wire_field paging_predicate_holder_fields[] = {
    FIL_WIRE_FIELD(paging_predicate_holder, page_size, i32, 0),
    FIL_WIRE_FIELD(paging_predicate_holder, page, i32, 4),
    FIL_WIRE_FIELD(paging_predicate_holder, iteration_type_id, i8, 8),
    FIL_WIRE_FIELD(paging_predicate_holder, anchor_data_list_holder, anchor_data_list_holder, 0),
    FIL_WIRE_FIELD(paging_predicate_holder, predicate_data, data_or_null, 0),
    FIL_WIRE_FIELD(paging_predicate_holder, comparator_data, data_or_null, 0),
    FIL_WIRE_FIELD(paging_predicate_holder, partition_key_data, data_or_null, 0),
    FIL_WIRE_NEWER(paging_predicate_holder, partition_keys_data, list_data_or_null, 0),
};
static const struct fil_wire_field sql_query_id_fields[] = {
    FIL_WIRE_FIELD(sql_query_id, member_id_high, i64, 0),
    FIL_WIRE_FIELD(sql_query_id, member_id_low, i64, 8),
    FIL_WIRE_FIELD(sql_query_id, local_id_high, i64, 16),
    FIL_WIRE_FIELD(sql_query_id, local_id_low, i64, 24),
};
static const struct fil_wire_field sql_error_fields[] = {
    FIL_WIRE_FIELD(sql_error, code, i32, 0),
    FIL_WIRE_FIELD(sql_error, originating_member_id, uuid, 4),
    FIL_WIRE_FIELD(sql_error, message, string_or_null, 0),
    FIL_WIRE_NEWER(sql_error, suggestion, string_or_null, 0),
    FIL_WIRE_NEWER(sql_error, cause_stack_trace, string_or_null, 0),
};
static const struct fil_wire_field sql_column_metadata_fields[] = {
    FIL_WIRE_FIELD(sql_column_metadata, type, i32, 0),
    FIL_WIRE_NEWER(sql_column_metadata, nullable, bool, 4),
    FIL_WIRE_FIELD(sql_column_metadata, name, string, 0),
};
static const struct fil_wire_field cp_member_fields[] = {
    FIL_WIRE_FIELD(cp_member, uuid, uuid, 0),
    FIL_WIRE_NEWER(cp_member, auto_step_down_when_leader, bool, 17),
    FIL_WIRE_FIELD(cp_member, address, address, 0),
};
static const struct fil_wire_field migration_state_fields[] = {
    FIL_WIRE_FIELD(migration_state, start_time, i64, 0),
    FIL_WIRE_FIELD(migration_state, planned_migrations, i32, 8),
    FIL_WIRE_FIELD(migration_state, completed_migrations, i32, 12),
    FIL_WIRE_FIELD(migration_state, total_elapsed_time, i64, 16),
};
static const struct fil_wire_field field_descriptor_fields[] = {
    FIL_WIRE_FIELD(field_descriptor, kind, i32, 0),
    FIL_WIRE_FIELD(field_descriptor, field_name, string, 0),
};
static const struct fil_wire_field schema_fields[] = {
    FIL_WIRE_FIELD(schema, type_name, string, 0),
    FIL_WIRE_FIELD(schema, fields, list_field_descriptor, 0),
};
static const struct fil_wire_field hazelcast_json_value_fields[] = {
    FIL_WIRE_FIELD(hazelcast_json_value, value, string, 0),
};
static const struct fil_wire_field capacity_fields[] = {
    FIL_WIRE_FIELD(capacity, value, i64, 0),
    FIL_WIRE_FIELD(capacity, unit, i32, 8),
};
static const struct fil_wire_field memory_tier_config_fields[] = {
    FIL_WIRE_FIELD(memory_tier_config, capacity, capacity, 0),
};
static const struct fil_wire_field disk_tier_config_fields[] = {
    FIL_WIRE_FIELD(disk_tier_config, enabled, bool, 0),
    FIL_WIRE_FIELD(disk_tier_config, device_name, string, 0),
};
static const struct fil_wire_field tiered_store_config_fields[] = {
    FIL_WIRE_FIELD(tiered_store_config, enabled, bool, 0),
    FIL_WIRE_FIELD(tiered_store_config, memory_tier_config, memory_tier_config, 0),
    FIL_WIRE_FIELD(tiered_store_config, disk_tier_config, disk_tier_config, 0),
};
static const struct fil_wire_field sql_summary_fields[] = {
    FIL_WIRE_FIELD(sql_summary, unbounded, bool, 0),
    FIL_WIRE_FIELD(sql_summary, query, string, 0),
};
static const struct fil_wire_field job_and_sql_summary_fields[] = {
    FIL_WIRE_FIELD(job_and_sql_summary, light_job, bool, 0),
    FIL_WIRE_FIELD(job_and_sql_summary, job_id, i64, 1),
    FIL_WIRE_FIELD(job_and_sql_summary, execution_id, i64, 9),
    FIL_WIRE_FIELD(job_and_sql_summary, status, i32, 17),
    FIL_WIRE_FIELD(job_and_sql_summary, submission_time, i64, 21),
    FIL_WIRE_FIELD(job_and_sql_summary, completion_time, i64, 29),
    FIL_WIRE_NEWER(job_and_sql_summary, user_cancelled, bool, 37),
    FIL_WIRE_FIELD(job_and_sql_summary, name_or_id, string, 0),
    FIL_WIRE_FIELD(job_and_sql_summary, failure_text, string_or_null, 0),
    FIL_WIRE_FIELD(job_and_sql_summary, sql_summary, sql_summary_or_null, 0),
    FIL_WIRE_NEWER(job_and_sql_summary, suspension_cause, string_or_null, 0),
};
static const struct fil_wire_field partitioning_attribute_config_fields[] = {
    FIL_WIRE_FIELD(partitioning_attribute_config, attribute_name, string, 0),
};
static const struct fil_wire_field replicated_map_entry_view_holder_fields[] = {
    FIL_WIRE_FIELD(replicated_map_entry_view_holder, creation_time, i64, 0),
    FIL_WIRE_FIELD(replicated_map_entry_view_holder, hits, i64, 8),
    FIL_WIRE_FIELD(replicated_map_entry_view_holder, last_access_time, i64, 16),
    FIL_WIRE_FIELD(replicated_map_entry_view_holder, last_update_time, i64, 24),
    FIL_WIRE_FIELD(replicated_map_entry_view_holder, ttl_millis, i64, 32),
    FIL_WIRE_FIELD(replicated_map_entry_view_holder, key, data, 0),
    FIL_WIRE_FIELD(replicated_map_entry_view_holder, value, data, 0),
};
static const struct fil_wire_field resource_definition_fields[] = {
    FIL_WIRE_FIELD(resource_definition, resource_type, i32, 0),
    FIL_WIRE_FIELD(resource_definition, id, string, 0),
    FIL_WIRE_FIELD(resource_definition, payload, bytes_or_null, 0),
    FIL_WIRE_FIELD(resource_definition, resource_url, string_or_null, 0),
};
static const struct fil_wire_field vector_index_config_fields[] = {
    FIL_WIRE_FIELD(vector_index_config, metric, i32, 0),
    FIL_WIRE_FIELD(vector_index_config, dimension, i32, 4),
    FIL_WIRE_FIELD(vector_index_config, max_degree, i32, 8),
    FIL_WIRE_FIELD(vector_index_config, ef_construction, i32, 12),
    FIL_WIRE_FIELD(vector_index_config, use_deduplication, bool, 16),
    FIL_WIRE_FIELD(vector_index_config, name, string_or_null, 0),
};
static const struct fil_wire_field vector_pair_fields[] = {
    FIL_WIRE_FIELD(vector_pair, type, i8, 0),
    FIL_WIRE_FIELD(vector_pair, name, string, 0),
    FIL_WIRE_FIELD(vector_pair, vector, list_f32_or_null, 0),
};
static const struct fil_wire_field vector_document_fields[] = {
    FIL_WIRE_FIELD(vector_document, value, data, 0),
    FIL_WIRE_FIELD(vector_document, vectors, list_vector_pair, 0),
};
static const struct fil_wire_field vector_search_options_fields[] = {
    FIL_WIRE_FIELD(vector_search_options, include_value, bool, 0),
    FIL_WIRE_FIELD(vector_search_options, include_vectors, bool, 1),
    FIL_WIRE_FIELD(vector_search_options, limit, i32, 2),
    FIL_WIRE_FIELD(vector_search_options, hints, map_string_string_or_null, 0),
};
static const struct fil_wire_field vector_search_result_fields[] = {
    FIL_WIRE_FIELD(vector_search_result, score, f32, 0),
    FIL_WIRE_FIELD(vector_search_result, key, data, 0),
    FIL_WIRE_FIELD(vector_search_result, value, data_or_null, 0),
    FIL_WIRE_FIELD(vector_search_result, vectors, list_vector_pair_or_null, 0),
};
static const struct fil_wire_field version_fields[] = {
    FIL_WIRE_FIELD(version, major, i8, 0),
    FIL_WIRE_FIELD(version, minor, i8, 1),
};
static const struct fil_wire_field raft_group_info_fields[] = {
    FIL_WIRE_FIELD(raft_group_info, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(raft_group_info, leader, cp_member, 0),
    FIL_WIRE_FIELD(raft_group_info, followers, list_cp_member, 0),
};
static const struct fil_wire_field wan_replication_ref_fields[] = {
    FIL_WIRE_FIELD(wan_replication_ref, republishing_enabled, bool, 0),
    FIL_WIRE_FIELD(wan_replication_ref, name, string, 0),
    FIL_WIRE_FIELD(wan_replication_ref, merge_policy_class_name, string, 0),
    FIL_WIRE_FIELD(wan_replication_ref, filters, list_string_or_null, 0),
};
static const struct fil_wire_field wan_consumer_config_holder_fields[] = {
    FIL_WIRE_FIELD(wan_consumer_config_holder, persist_wan_replicated_data, bool, 0),
    FIL_WIRE_FIELD(wan_consumer_config_holder, class_name, string_or_null, 0),
    FIL_WIRE_FIELD(wan_consumer_config_holder, implementation, data_or_null, 0),
    FIL_WIRE_FIELD(wan_consumer_config_holder, properties, map_string_data, 0),
};
static const struct fil_wire_field wan_custom_publisher_config_holder_fields[] = {
    FIL_WIRE_FIELD(wan_custom_publisher_config_holder, publisher_id, string_or_null, 0),
    FIL_WIRE_FIELD(wan_custom_publisher_config_holder, class_name, string_or_null, 0),
    FIL_WIRE_FIELD(wan_custom_publisher_config_holder, implementation, data_or_null, 0),
    FIL_WIRE_FIELD(wan_custom_publisher_config_holder, properties, map_string_data, 0),
};
static const struct fil_wire_field wan_batch_publisher_config_holder_fields[] = {
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, snapshot_enabled, bool, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, initial_publisher_state, i8, 1),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, queue_capacity, i32, 2),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, batch_size, i32, 6),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, batch_max_delay_millis, i32, 10),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, response_timeout_millis, i32, 14),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, queue_full_behavior, i32, 18),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, acknowledge_type, i32, 22),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, discovery_period_seconds, i32, 26),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, max_target_endpoints, i32, 30),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, max_concurrent_invocations, i32, 34),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, use_endpoint_private_address, bool, 38),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, idle_min_park_ns, i64, 39),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, idle_max_park_ns, i64, 47),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, publisher_id, string_or_null, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, class_name, string_or_null, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, implementation, data_or_null, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, properties, map_string_data, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, cluster_name, string_or_null, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, target_endpoints, string, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, aws_config, aws_config, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, gcp_config, gcp_config, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, azure_config, azure_config, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, kubernetes_config, kubernetes_config, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, eureka_config, eureka_config, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, discovery_config, discovery_config, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, sync_config, wan_sync_config, 0),
    FIL_WIRE_FIELD(wan_batch_publisher_config_holder, endpoint, string_or_null, 0),
};
static const struct fil_wire_field aws_config_fields[] = {
    FIL_WIRE_FIELD(aws_config, enabled, bool, 0),
    FIL_WIRE_FIELD(aws_config, use_public_ip, bool, 1),
    FIL_WIRE_FIELD(aws_config, tag, string, 0),
    FIL_WIRE_FIELD(aws_config, properties, map_string_string, 0),
};
static const struct fil_wire_field discovery_strategy_config_fields[] = {
    FIL_WIRE_FIELD(discovery_strategy_config, class_name, string, 0),
    FIL_WIRE_FIELD(discovery_strategy_config, properties, map_string_data, 0),
};
static const struct fil_wire_field discovery_config_fields[] = {
    FIL_WIRE_FIELD(discovery_config, discovery_strategy_configs, list_discovery_strategy_config, 0),
    FIL_WIRE_FIELD(discovery_config, discovery_service_provider, data, 0),
    FIL_WIRE_FIELD(discovery_config, node_filter, data, 0),
    FIL_WIRE_FIELD(discovery_config, node_filter_class, string, 0),
};
static const struct fil_wire_field wan_sync_config_fields[] = {
    FIL_WIRE_FIELD(wan_sync_config, consistency_check_strategy, i8, 0),
};

FIL_WIRE_LAYOUT_MAKE(address, "Address", CUSTOM, 0x000000, address_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_event_data, "CacheEventData", CUSTOM, 0x000000, cache_event_data_fields, 2, 5, 5);
FIL_WIRE_LAYOUT_MAKE(cache_simple_entry_listener_config, "CacheSimpleEntryListenerConfig", CUSTOM, 0x000000, cache_simple_entry_listener_config_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(distributed_object_info, "DistributedObjectInfo", CUSTOM, 0x000000, distributed_object_info_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(error_holder, "ErrorHolder", CUSTOM, 0x000000, error_holder_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(event_journal_config, "EventJournalConfig", CUSTOM, 0x000000, event_journal_config_fields, 3, 9, 9);
FIL_WIRE_LAYOUT_MAKE(eviction_config_holder, "EvictionConfigHolder", CUSTOM, 0x000000, eviction_config_holder_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(hot_restart_config, "HotRestartConfig", CUSTOM, 0x000000, hot_restart_config_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(listener_config_holder, "ListenerConfigHolder", CUSTOM, 0x000000, listener_config_holder_fields, 3, 6, 6);
FIL_WIRE_LAYOUT_MAKE(attribute_config, "AttributeConfig", CUSTOM, 0x000000, attribute_config_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(index_config, "IndexConfig", CUSTOM, 0x000000, index_config_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(bitmap_index_options, "BitmapIndexOptions", CUSTOM, 0x000000, bitmap_index_options_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(b_tree_index_config, "BTreeIndexConfig", CUSTOM, 0x000000, b_tree_index_config_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(map_store_config_holder, "MapStoreConfigHolder", CUSTOM, 0x000000, map_store_config_holder_fields, 5, 10, 11);
FIL_WIRE_LAYOUT_MAKE(merkle_tree_config, "MerkleTreeConfig", CUSTOM, 0x000000, merkle_tree_config_fields, 3, 5, 6);
FIL_WIRE_LAYOUT_MAKE(near_cache_config_holder, "NearCacheConfigHolder", CUSTOM, 0x000000, near_cache_config_holder_fields, 5, 11, 11);
FIL_WIRE_LAYOUT_MAKE(near_cache_preloader_config, "NearCachePreloaderConfig", CUSTOM, 0x000000, near_cache_preloader_config_fields, 3, 9, 9);
FIL_WIRE_LAYOUT_MAKE(predicate_config_holder, "PredicateConfigHolder", CUSTOM, 0x000000, predicate_config_holder_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(query_cache_config_holder, "QueryCacheConfigHolder", CUSTOM, 0x000000, query_cache_config_holder_fields, 7, 15, 16);
FIL_WIRE_LAYOUT_MAKE(query_cache_event_data, "QueryCacheEventData", CUSTOM, 0x000000, query_cache_event_data_fields, 3, 16, 16);
FIL_WIRE_LAYOUT_MAKE(queue_store_config_holder, "QueueStoreConfigHolder", CUSTOM, 0x000000, queue_store_config_holder_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(raft_group_id, "RaftGroupId", CUSTOM, 0x000000, raft_group_id_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_store_config_holder, "RingbufferStoreConfigHolder", CUSTOM, 0x000000, queue_store_config_holder_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(scheduled_task_handler, "ScheduledTaskHandler", CUSTOM, 0x000000, scheduled_task_handler_fields, 2, 21, 21);
FIL_WIRE_LAYOUT_MAKE(simple_entry_view, "SimpleEntryView", CUSTOM, 0x000000, simple_entry_view_fields, 10, 80, 80);
FIL_WIRE_LAYOUT_MAKE(stack_trace_element, "StackTraceElement", CUSTOM, 0x000000, stack_trace_element_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(duration_config, "DurationConfig", CUSTOM, 0x000000, duration_config_fields, 2, 12, 12);
FIL_WIRE_LAYOUT_MAKE(timed_expiry_policy_factory_config, "TimedExpiryPolicyFactoryConfig", CUSTOM, 0x000000, timed_expiry_policy_factory_config_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(xid, "Xid", CUSTOM, 0x000000, xid_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(merge_policy_config, "MergePolicyConfig", CUSTOM, 0x000000, merge_policy_config_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(cache_config_holder, "CacheConfigHolder", CUSTOM, 0x000000, cache_config_holder_fields, 8, 14, 14);
FIL_WIRE_LAYOUT_MAKE(client_bw_list_entry, "ClientBwListEntry", CUSTOM, 0x000000, client_bw_list_entry_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(member_info, "MemberInfo", CUSTOM, 0x000000, member_info_fields, 2, 18, 18);
FIL_WIRE_LAYOUT_MAKE(endpoint_qualifier, "EndpointQualifier", CUSTOM, 0x000000, endpoint_qualifier_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(member_version, "MemberVersion", CUSTOM, 0x000000, member_version_fields, 3, 3, 3);
FIL_WIRE_LAYOUT_MAKE(mc_event, "MCEvent", CUSTOM, 0x000000, mc_event_fields, 2, 12, 12);
FIL_WIRE_LAYOUT_MAKE(anchor_data_list_holder, "AnchorDataListHolder", CUSTOM, 0x000000, anchor_data_list_holder_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(paging_predicate_holder, "PagingPredicateHolder", CUSTOM, 0x000000, paging_predicate_holder_fields, 3, 9, 9);
FIL_WIRE_LAYOUT_MAKE(sql_query_id, "SqlQueryId", CUSTOM, 0x000000, sql_query_id_fields, 4, 32, 32);
FIL_WIRE_LAYOUT_MAKE(sql_error, "SqlError", CUSTOM, 0x000000, sql_error_fields, 2, 21, 21);
FIL_WIRE_LAYOUT_MAKE(sql_column_metadata, "SqlColumnMetadata", CUSTOM, 0x000000, sql_column_metadata_fields, 2, 4, 5);
FIL_WIRE_LAYOUT_MAKE(cp_member, "CPMember", CUSTOM, 0x000000, cp_member_fields, 2, 17, 18);
FIL_WIRE_LAYOUT_MAKE(migration_state, "MigrationState", CUSTOM, 0x000000, migration_state_fields, 4, 24, 24);
FIL_WIRE_LAYOUT_MAKE(field_descriptor, "FieldDescriptor", CUSTOM, 0x000000, field_descriptor_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(schema, "Schema", CUSTOM, 0x000000, schema_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(hazelcast_json_value, "HazelcastJsonValue", CUSTOM, 0x000000, hazelcast_json_value_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(data_persistence_config, "DataPersistenceConfig", CUSTOM, 0x000000, hot_restart_config_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(capacity, "Capacity", CUSTOM, 0x000000, capacity_fields, 2, 12, 12);
FIL_WIRE_LAYOUT_MAKE(memory_tier_config, "MemoryTierConfig", CUSTOM, 0x000000, memory_tier_config_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(disk_tier_config, "DiskTierConfig", CUSTOM, 0x000000, disk_tier_config_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(tiered_store_config, "TieredStoreConfig", CUSTOM, 0x000000, tiered_store_config_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(sql_summary, "SqlSummary", CUSTOM, 0x000000, sql_summary_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(job_and_sql_summary, "JobAndSqlSummary", CUSTOM, 0x000000, job_and_sql_summary_fields, 7, 37, 38);
FIL_WIRE_LAYOUT_MAKE(partitioning_attribute_config, "PartitioningAttributeConfig", CUSTOM, 0x000000, partitioning_attribute_config_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(replicated_map_entry_view_holder, "ReplicatedMapEntryViewHolder", CUSTOM, 0x000000, replicated_map_entry_view_holder_fields, 5, 40, 40);
FIL_WIRE_LAYOUT_MAKE(resource_definition, "ResourceDefinition", CUSTOM, 0x000000, resource_definition_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(vector_index_config, "VectorIndexConfig", CUSTOM, 0x000000, vector_index_config_fields, 5, 17, 17);
FIL_WIRE_LAYOUT_MAKE(vector_pair, "VectorPair", CUSTOM, 0x000000, vector_pair_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(vector_document, "VectorDocument", CUSTOM, 0x000000, vector_document_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(vector_search_options, "VectorSearchOptions", CUSTOM, 0x000000, vector_search_options_fields, 3, 6, 6);
FIL_WIRE_LAYOUT_MAKE(vector_search_result, "VectorSearchResult", CUSTOM, 0x000000, vector_search_result_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(version, "Version", CUSTOM, 0x000000, version_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(raft_group_info, "RaftGroupInfo", CUSTOM, 0x000000, raft_group_info_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(wan_replication_ref, "WanReplicationRef", CUSTOM, 0x000000, wan_replication_ref_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(wan_consumer_config_holder, "WanConsumerConfigHolder", CUSTOM, 0x000000, wan_consumer_config_holder_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(wan_custom_publisher_config_holder, "WanCustomPublisherConfigHolder", CUSTOM, 0x000000, wan_custom_publisher_config_holder_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(wan_batch_publisher_config_holder, "WanBatchPublisherConfigHolder", CUSTOM, 0x000000, wan_batch_publisher_config_holder_fields, 14, 55, 55);
FIL_WIRE_LAYOUT_MAKE(aws_config, "AwsConfig", CUSTOM, 0x000000, aws_config_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(gcp_config, "GcpConfig", CUSTOM, 0x000000, aws_config_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(azure_config, "AzureConfig", CUSTOM, 0x000000, aws_config_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(kubernetes_config, "KubernetesConfig", CUSTOM, 0x000000, aws_config_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(eureka_config, "EurekaConfig", CUSTOM, 0x000000, aws_config_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_MAKE(discovery_strategy_config, "DiscoveryStrategyConfig", CUSTOM, 0x000000, discovery_strategy_config_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(discovery_config, "DiscoveryConfig", CUSTOM, 0x000000, discovery_config_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(wan_sync_config, "WanSyncConfig", CUSTOM, 0x000000, wan_sync_config_fields, 1, 1, 1);
