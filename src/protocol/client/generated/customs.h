// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** The custom types: structures of named fields. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

struct fil_wire_address {
    int32_t port;
    struct fil_bytes host;
};
struct fil_wire_cache_event_data {
    int32_t cache_event_type;
    bool old_value_available;
    struct fil_bytes name, data_key, data_value, data_old_value;
};
struct fil_wire_cache_simple_entry_listener_config {
    bool old_value_required, synchronous;
    struct fil_bytes cache_entry_listener_factory, cache_entry_event_filter_factory;
};
struct fil_wire_distributed_object_info {
    struct fil_bytes service_name, name;
};
struct fil_wire_error_holder {
    int32_t error_code;
    struct fil_bytes class_name, message;
    struct fil_wire_part stack_trace_elements;
};
struct fil_wire_event_journal_config {
    bool enabled;
    int32_t capacity, time_to_live_seconds;
};
struct fil_wire_eviction_config_holder {
    int32_t size;
    struct fil_bytes max_size_policy, eviction_policy, comparator_class_name, comparator;
};
struct fil_wire_hot_restart_config {
    bool enabled, fsync;
};
struct fil_wire_listener_config_holder {
    int32_t listener_type;
    bool include_value, local;
    struct fil_bytes listener_implementation, class_name;
};
struct fil_wire_attribute_config {
    struct fil_bytes name, extractor_class_name;
};
struct fil_wire_index_config {
    int32_t type;
    struct fil_bytes name;
    struct fil_wire_part attributes, bitmap_index_options, b_tree_index_config;
    bool has_b_tree_index_config; // since 2.5
};
struct fil_wire_bitmap_index_options {
    int32_t unique_key_transformation;
    struct fil_bytes unique_key;
};
struct fil_wire_b_tree_index_config {
    struct fil_wire_part page_size, memory_tier_config;
};
struct fil_wire_map_store_config_holder {
    bool enabled, write_coalescing;
    int32_t write_delay_seconds, write_batch_size;
    bool offload;
    struct fil_bytes class_name, implementation, factory_class_name, factory_implementation;
    struct fil_wire_part properties;
    struct fil_bytes initial_load_mode;
    bool has_offload; // since 2.5
};
struct fil_wire_merkle_tree_config {
    bool enabled;
    int32_t depth;
    bool enabled_set;
    bool has_enabled_set; // since 2.3
};
struct fil_wire_near_cache_config_holder {
    bool serialize_keys, invalidate_on_change;
    int32_t time_to_live_seconds, max_idle_seconds;
    bool cache_local_entries;
    struct fil_bytes name, in_memory_format;
    struct fil_wire_part eviction_config_holder;
    struct fil_bytes local_update_policy;
    struct fil_wire_part preloader_config;
};
struct fil_wire_near_cache_preloader_config {
    bool enabled;
    int32_t store_initial_delay_seconds, store_interval_seconds;
    struct fil_bytes directory;
};
struct fil_wire_predicate_config_holder {
    struct fil_bytes class_name, sql, implementation;
};
struct fil_wire_query_cache_config_holder {
    int32_t batch_size, buffer_size, delay_seconds;
    bool include_value, populate, coalesce, serialize_keys;
    struct fil_bytes in_memory_format, name;
    struct fil_wire_part predicate_config_holder, eviction_config_holder, listener_configs, index_configs;
    bool has_serialize_keys; // since 2.4
};
struct fil_wire_query_cache_event_data {
    int64_t sequence;
    int32_t event_type, partition_id;
    struct fil_bytes data_key, data_new_value, map_name;
    bool has_map_name; // since 2.7
};
struct fil_wire_queue_store_config_holder {
    bool enabled;
    struct fil_bytes class_name, factory_class_name, implementation, factory_implementation;
    struct fil_wire_part properties;
};
struct fil_wire_raft_group_id {
    int64_t seed, id;
    struct fil_bytes name;
};
struct fil_wire_ringbuffer_store_config_holder {
    bool enabled;
    struct fil_bytes class_name, factory_class_name, implementation, factory_implementation;
    struct fil_wire_part properties;
};
struct fil_wire_scheduled_task_handler {
    struct fil_wire_uuid uuid;
    int32_t partition_id;
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_simple_entry_view {
    int64_t cost, creation_time, expiration_time, hits, last_access_time, last_stored_time, last_update_time, version, ttl, max_idle;
    struct fil_bytes key, value;
};
struct fil_wire_stack_trace_element {
    int32_t line_number;
    struct fil_bytes class_name, method_name, file_name;
};
struct fil_wire_duration_config {
    int64_t duration_amount;
    int32_t time_unit;
};
struct fil_wire_timed_expiry_policy_factory_config {
    int32_t expiry_policy_type;
    struct fil_wire_part duration_config;
};
struct fil_wire_xid {
    int32_t format_id;
    struct fil_bytes global_transaction_id, branch_qualifier;
};
struct fil_wire_merge_policy_config {
    int32_t batch_size;
    struct fil_bytes policy;
};
struct fil_wire_cache_config_holder {
    int32_t backup_count, async_backup_count;
    bool read_through, write_through, store_by_value, management_enabled, statistics_enabled, disable_per_entry_invalidation_events;
    struct fil_bytes name, manager_prefix, uri_string, in_memory_format;
    struct fil_wire_part eviction_config_holder, wan_replication_ref;
    struct fil_bytes key_class_name, value_class_name, cache_loader_factory, cache_writer_factory, expiry_policy_factory;
    struct fil_wire_part hot_restart_config, event_journal_config;
    struct fil_bytes split_brain_protection_name;
    struct fil_wire_part listener_configurations, merge_policy_config, cache_partition_lost_listener_configs, merkle_tree_config, data_persistence_config;
    struct fil_bytes user_code_namespace;
    bool has_merkle_tree_config; // since 2.3
    bool has_data_persistence_config; // since 2.5
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_client_bw_list_entry {
    int32_t type;
    struct fil_bytes value;
};
struct fil_wire_member_info {
    struct fil_wire_uuid uuid;
    bool lite_member;
    struct fil_wire_part address, attributes, version, address_map;
    bool has_address_map; // since 2.0.1
};
struct fil_wire_endpoint_qualifier {
    int32_t type;
    struct fil_bytes identifier;
};
struct fil_wire_member_version {
    int8_t major, minor, patch;
};
struct fil_wire_mc_event {
    int64_t timestamp;
    int32_t type;
    struct fil_bytes data_json;
};
struct fil_wire_anchor_data_list_holder {
    struct fil_bytes anchor_page_list;
    struct fil_wire_part anchor_data_list;
};
struct fil_wire_paging_predicate_holder {
    int32_t page_size, page;
    int8_t iteration_type_id;
    struct fil_wire_part anchor_data_list_holder;
    struct fil_bytes predicate_data, comparator_data, partition_key_data;
    struct fil_wire_part partition_keys_data;
    bool has_partition_keys_data; // since 2.5
};
struct fil_wire_sql_query_id {
    int64_t member_id_high, member_id_low, local_id_high, local_id_low;
};
struct fil_wire_sql_error {
    int32_t code;
    struct fil_wire_uuid originating_member_id;
    struct fil_bytes message, suggestion, cause_stack_trace;
    bool has_suggestion; // since 2.3
    bool has_cause_stack_trace; // since 2.7
};
struct fil_wire_sql_column_metadata {
    int32_t type;
    bool nullable;
    struct fil_bytes name;
    bool has_nullable; // since 2.2
};
struct fil_wire_cp_member {
    struct fil_wire_uuid uuid;
    bool auto_step_down_when_leader;
    struct fil_wire_part address;
    bool has_auto_step_down_when_leader; // since 2.10
};
struct fil_wire_migration_state {
    int64_t start_time;
    int32_t planned_migrations, completed_migrations;
    int64_t total_elapsed_time;
};
struct fil_wire_field_descriptor {
    int32_t kind;
    struct fil_bytes field_name;
};
struct fil_wire_schema {
    struct fil_bytes type_name;
    struct fil_wire_part fields;
};
struct fil_wire_hazelcast_json_value {
    struct fil_bytes value;
};
struct fil_wire_data_persistence_config {
    bool enabled, fsync;
};
struct fil_wire_capacity {
    int64_t value;
    int32_t unit;
};
struct fil_wire_memory_tier_config {
    struct fil_wire_part capacity;
};
struct fil_wire_disk_tier_config {
    bool enabled;
    struct fil_bytes device_name;
};
struct fil_wire_tiered_store_config {
    bool enabled;
    struct fil_wire_part memory_tier_config, disk_tier_config;
};
struct fil_wire_sql_summary {
    bool unbounded;
    struct fil_bytes query;
};
struct fil_wire_job_and_sql_summary {
    bool light_job;
    int64_t job_id, execution_id;
    int32_t status;
    int64_t submission_time, completion_time;
    bool user_cancelled;
    struct fil_bytes name_or_id, failure_text;
    struct fil_wire_part sql_summary;
    struct fil_bytes suspension_cause;
    bool has_user_cancelled; // since 2.6
    bool has_suspension_cause; // since 2.6
};
struct fil_wire_partitioning_attribute_config {
    struct fil_bytes attribute_name;
};
struct fil_wire_replicated_map_entry_view_holder {
    int64_t creation_time, hits, last_access_time, last_update_time, ttl_millis;
    struct fil_bytes key, value;
};
struct fil_wire_resource_definition {
    int32_t resource_type;
    struct fil_bytes id, payload, resource_url;
};
struct fil_wire_vector_index_config {
    int32_t metric, dimension, max_degree, ef_construction;
    bool use_deduplication;
    struct fil_bytes name;
};
struct fil_wire_vector_pair {
    int8_t type;
    struct fil_bytes name, vector;
};
struct fil_wire_vector_document {
    struct fil_bytes value;
    struct fil_wire_part vectors;
};
struct fil_wire_vector_search_options {
    bool include_value, include_vectors;
    int32_t limit;
    struct fil_wire_part hints;
};
struct fil_wire_vector_search_result {
    float score;
    struct fil_bytes key, value;
    struct fil_wire_part vectors;
};
struct fil_wire_version {
    int8_t major, minor;
};
struct fil_wire_raft_group_info {
    struct fil_wire_part group_id, leader, followers;
};
struct fil_wire_wan_replication_ref {
    bool republishing_enabled;
    struct fil_bytes name, merge_policy_class_name;
    struct fil_wire_part filters;
};
struct fil_wire_wan_consumer_config_holder {
    bool persist_wan_replicated_data;
    struct fil_bytes class_name, implementation;
    struct fil_wire_part properties;
};
struct fil_wire_wan_custom_publisher_config_holder {
    struct fil_bytes publisher_id, class_name, implementation;
    struct fil_wire_part properties;
};
struct fil_wire_wan_batch_publisher_config_holder {
    bool snapshot_enabled;
    int8_t initial_publisher_state;
    int32_t queue_capacity, batch_size, batch_max_delay_millis, response_timeout_millis, queue_full_behavior, acknowledge_type, discovery_period_seconds, max_target_endpoints, max_concurrent_invocations;
    bool use_endpoint_private_address;
    int64_t idle_min_park_ns, idle_max_park_ns;
    struct fil_bytes publisher_id, class_name, implementation;
    struct fil_wire_part properties;
    struct fil_bytes cluster_name, target_endpoints;
    struct fil_wire_part aws_config, gcp_config, azure_config, kubernetes_config, eureka_config, discovery_config, sync_config;
    struct fil_bytes endpoint;
};
struct fil_wire_aws_config {
    bool enabled, use_public_ip;
    struct fil_bytes tag;
    struct fil_wire_part properties;
};
struct fil_wire_gcp_config {
    bool enabled, use_public_ip;
    struct fil_bytes tag;
    struct fil_wire_part properties;
};
struct fil_wire_azure_config {
    bool enabled, use_public_ip;
    struct fil_bytes tag;
    struct fil_wire_part properties;
};
struct fil_wire_kubernetes_config {
    bool enabled, use_public_ip;
    struct fil_bytes tag;
    struct fil_wire_part properties;
};
struct fil_wire_eureka_config {
    bool enabled, use_public_ip;
    struct fil_bytes tag;
    struct fil_wire_part properties;
};
struct fil_wire_discovery_strategy_config {
    struct fil_bytes class_name;
    struct fil_wire_part properties;
};
struct fil_wire_discovery_config {
    struct fil_wire_part discovery_strategy_configs;
    struct fil_bytes discovery_service_provider, node_filter, node_filter_class;
};
struct fil_wire_wan_sync_config {
    int8_t consistency_check_strategy;
};

extern const struct fil_wire_layout fil_wire_address_layout;
extern const struct fil_wire_layout fil_wire_cache_event_data_layout;
extern const struct fil_wire_layout fil_wire_cache_simple_entry_listener_config_layout;
extern const struct fil_wire_layout fil_wire_distributed_object_info_layout;
extern const struct fil_wire_layout fil_wire_error_holder_layout;
extern const struct fil_wire_layout fil_wire_event_journal_config_layout;
extern const struct fil_wire_layout fil_wire_eviction_config_holder_layout;
extern const struct fil_wire_layout fil_wire_hot_restart_config_layout;
extern const struct fil_wire_layout fil_wire_listener_config_holder_layout;
extern const struct fil_wire_layout fil_wire_attribute_config_layout;
extern const struct fil_wire_layout fil_wire_index_config_layout;
extern const struct fil_wire_layout fil_wire_bitmap_index_options_layout;
extern const struct fil_wire_layout fil_wire_b_tree_index_config_layout;
extern const struct fil_wire_layout fil_wire_map_store_config_holder_layout;
extern const struct fil_wire_layout fil_wire_merkle_tree_config_layout;
extern const struct fil_wire_layout fil_wire_near_cache_config_holder_layout;
extern const struct fil_wire_layout fil_wire_near_cache_preloader_config_layout;
extern const struct fil_wire_layout fil_wire_predicate_config_holder_layout;
extern const struct fil_wire_layout fil_wire_query_cache_config_holder_layout;
extern const struct fil_wire_layout fil_wire_query_cache_event_data_layout;
extern const struct fil_wire_layout fil_wire_queue_store_config_holder_layout;
extern const struct fil_wire_layout fil_wire_raft_group_id_layout;
extern const struct fil_wire_layout fil_wire_ringbuffer_store_config_holder_layout;
extern const struct fil_wire_layout fil_wire_scheduled_task_handler_layout;
extern const struct fil_wire_layout fil_wire_simple_entry_view_layout;
extern const struct fil_wire_layout fil_wire_stack_trace_element_layout;
extern const struct fil_wire_layout fil_wire_duration_config_layout;
extern const struct fil_wire_layout fil_wire_timed_expiry_policy_factory_config_layout;
extern const struct fil_wire_layout fil_wire_xid_layout;
extern const struct fil_wire_layout fil_wire_merge_policy_config_layout;
extern const struct fil_wire_layout fil_wire_cache_config_holder_layout;
extern const struct fil_wire_layout fil_wire_client_bw_list_entry_layout;
extern const struct fil_wire_layout fil_wire_member_info_layout;
extern const struct fil_wire_layout fil_wire_endpoint_qualifier_layout;
extern const struct fil_wire_layout fil_wire_member_version_layout;
extern const struct fil_wire_layout fil_wire_mc_event_layout;
extern const struct fil_wire_layout fil_wire_anchor_data_list_holder_layout;
extern const struct fil_wire_layout fil_wire_paging_predicate_holder_layout;
extern const struct fil_wire_layout fil_wire_sql_query_id_layout;
extern const struct fil_wire_layout fil_wire_sql_error_layout;
extern const struct fil_wire_layout fil_wire_sql_column_metadata_layout;
extern const struct fil_wire_layout fil_wire_cp_member_layout;
extern const struct fil_wire_layout fil_wire_migration_state_layout;
extern const struct fil_wire_layout fil_wire_field_descriptor_layout;
extern const struct fil_wire_layout fil_wire_schema_layout;
extern const struct fil_wire_layout fil_wire_hazelcast_json_value_layout;
extern const struct fil_wire_layout fil_wire_data_persistence_config_layout;
extern const struct fil_wire_layout fil_wire_capacity_layout;
extern const struct fil_wire_layout fil_wire_memory_tier_config_layout;
extern const struct fil_wire_layout fil_wire_disk_tier_config_layout;
extern const struct fil_wire_layout fil_wire_tiered_store_config_layout;
extern const struct fil_wire_layout fil_wire_sql_summary_layout;
extern const struct fil_wire_layout fil_wire_job_and_sql_summary_layout;
extern const struct fil_wire_layout fil_wire_partitioning_attribute_config_layout;
extern const struct fil_wire_layout fil_wire_replicated_map_entry_view_holder_layout;
extern const struct fil_wire_layout fil_wire_resource_definition_layout;
extern const struct fil_wire_layout fil_wire_vector_index_config_layout;
extern const struct fil_wire_layout fil_wire_vector_pair_layout;
extern const struct fil_wire_layout fil_wire_vector_document_layout;
extern const struct fil_wire_layout fil_wire_vector_search_options_layout;
extern const struct fil_wire_layout fil_wire_vector_search_result_layout;
extern const struct fil_wire_layout fil_wire_version_layout;
extern const struct fil_wire_layout fil_wire_raft_group_info_layout;
extern const struct fil_wire_layout fil_wire_wan_replication_ref_layout;
extern const struct fil_wire_layout fil_wire_wan_consumer_config_holder_layout;
extern const struct fil_wire_layout fil_wire_wan_custom_publisher_config_holder_layout;
extern const struct fil_wire_layout fil_wire_wan_batch_publisher_config_holder_layout;
extern const struct fil_wire_layout fil_wire_aws_config_layout;
extern const struct fil_wire_layout fil_wire_gcp_config_layout;
extern const struct fil_wire_layout fil_wire_azure_config_layout;
extern const struct fil_wire_layout fil_wire_kubernetes_config_layout;
extern const struct fil_wire_layout fil_wire_eureka_config_layout;
extern const struct fil_wire_layout fil_wire_discovery_strategy_config_layout;
extern const struct fil_wire_layout fil_wire_discovery_config_layout;
extern const struct fil_wire_layout fil_wire_wan_sync_config_layout;
