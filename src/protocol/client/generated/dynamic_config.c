// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/dynamic_config.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field dynamic_config_add_multi_map_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_multi_map_config_request, binary, bool, 0),
    FIL_WIRE_FIELD(dynamic_config_add_multi_map_config_request, backup_count, i32, 1),
    FIL_WIRE_FIELD(dynamic_config_add_multi_map_config_request, async_backup_count, i32, 5),
    FIL_WIRE_FIELD(dynamic_config_add_multi_map_config_request, statistics_enabled, bool, 9),
    FIL_WIRE_FIELD(dynamic_config_add_multi_map_config_request, merge_batch_size, i32, 10),
    FIL_WIRE_FIELD(dynamic_config_add_multi_map_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_multi_map_config_request, collection_type, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_multi_map_config_request, listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_multi_map_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_multi_map_config_request, merge_policy, string, 0),
    FIL_WIRE_NEWER(dynamic_config_add_multi_map_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_ringbuffer_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_ringbuffer_config_request, capacity, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_ringbuffer_config_request, backup_count, i32, 4),
    FIL_WIRE_FIELD(dynamic_config_add_ringbuffer_config_request, async_backup_count, i32, 8),
    FIL_WIRE_FIELD(dynamic_config_add_ringbuffer_config_request, time_to_live_seconds, i32, 12),
    FIL_WIRE_FIELD(dynamic_config_add_ringbuffer_config_request, merge_batch_size, i32, 16),
    FIL_WIRE_FIELD(dynamic_config_add_ringbuffer_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_ringbuffer_config_request, in_memory_format, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_ringbuffer_config_request, ringbuffer_store_config, ringbuffer_store_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_ringbuffer_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_ringbuffer_config_request, merge_policy, string, 0),
    FIL_WIRE_NEWER(dynamic_config_add_ringbuffer_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_cardinality_estimator_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_cardinality_estimator_config_request, backup_count, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cardinality_estimator_config_request, async_backup_count, i32, 4),
    FIL_WIRE_FIELD(dynamic_config_add_cardinality_estimator_config_request, merge_batch_size, i32, 8),
    FIL_WIRE_FIELD(dynamic_config_add_cardinality_estimator_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cardinality_estimator_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cardinality_estimator_config_request, merge_policy, string, 0),
};
static const struct fil_wire_field dynamic_config_add_list_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_list_config_request, backup_count, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_list_config_request, async_backup_count, i32, 4),
    FIL_WIRE_FIELD(dynamic_config_add_list_config_request, max_size, i32, 8),
    FIL_WIRE_FIELD(dynamic_config_add_list_config_request, statistics_enabled, bool, 12),
    FIL_WIRE_FIELD(dynamic_config_add_list_config_request, merge_batch_size, i32, 13),
    FIL_WIRE_FIELD(dynamic_config_add_list_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_list_config_request, listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_list_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_list_config_request, merge_policy, string, 0),
    FIL_WIRE_NEWER(dynamic_config_add_list_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_replicated_map_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_replicated_map_config_request, async_fillup, bool, 0),
    FIL_WIRE_FIELD(dynamic_config_add_replicated_map_config_request, statistics_enabled, bool, 1),
    FIL_WIRE_FIELD(dynamic_config_add_replicated_map_config_request, merge_batch_size, i32, 2),
    FIL_WIRE_FIELD(dynamic_config_add_replicated_map_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_replicated_map_config_request, in_memory_format, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_replicated_map_config_request, merge_policy, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_replicated_map_config_request, listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_replicated_map_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_replicated_map_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_topic_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_topic_config_request, global_ordering_enabled, bool, 0),
    FIL_WIRE_FIELD(dynamic_config_add_topic_config_request, statistics_enabled, bool, 1),
    FIL_WIRE_FIELD(dynamic_config_add_topic_config_request, multi_threading_enabled, bool, 2),
    FIL_WIRE_FIELD(dynamic_config_add_topic_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_topic_config_request, listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_topic_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_executor_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_executor_config_request, pool_size, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_executor_config_request, queue_capacity, i32, 4),
    FIL_WIRE_FIELD(dynamic_config_add_executor_config_request, statistics_enabled, bool, 8),
    FIL_WIRE_FIELD(dynamic_config_add_executor_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_executor_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_executor_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_durable_executor_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_durable_executor_config_request, pool_size, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_durable_executor_config_request, durability, i32, 4),
    FIL_WIRE_FIELD(dynamic_config_add_durable_executor_config_request, capacity, i32, 8),
    FIL_WIRE_NEWER(dynamic_config_add_durable_executor_config_request, statistics_enabled, bool, 12),
    FIL_WIRE_FIELD(dynamic_config_add_durable_executor_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_durable_executor_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_durable_executor_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_scheduled_executor_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_scheduled_executor_config_request, pool_size, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_scheduled_executor_config_request, durability, i32, 4),
    FIL_WIRE_FIELD(dynamic_config_add_scheduled_executor_config_request, capacity, i32, 8),
    FIL_WIRE_FIELD(dynamic_config_add_scheduled_executor_config_request, merge_batch_size, i32, 12),
    FIL_WIRE_NEWER(dynamic_config_add_scheduled_executor_config_request, statistics_enabled, bool, 16),
    FIL_WIRE_NEWER(dynamic_config_add_scheduled_executor_config_request, capacity_policy, i8, 17),
    FIL_WIRE_FIELD(dynamic_config_add_scheduled_executor_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_scheduled_executor_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_scheduled_executor_config_request, merge_policy, string, 0),
    FIL_WIRE_NEWER(dynamic_config_add_scheduled_executor_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_queue_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, backup_count, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, async_backup_count, i32, 4),
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, max_size, i32, 8),
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, empty_queue_ttl, i32, 12),
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, statistics_enabled, bool, 16),
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, merge_batch_size, i32, 17),
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, queue_store_config, queue_store_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_queue_config_request, merge_policy, string, 0),
    FIL_WIRE_NEWER(dynamic_config_add_queue_config_request, priority_comparator_class_name, string_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_queue_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_map_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, backup_count, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, async_backup_count, i32, 4),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, time_to_live_seconds, i32, 8),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, max_idle_seconds, i32, 12),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, read_backup_data, bool, 16),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, merge_batch_size, i32, 17),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, statistics_enabled, bool, 21),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, metadata_policy, i32, 22),
    FIL_WIRE_NEWER(dynamic_config_add_map_config_request, per_entry_stats_enabled, bool, 26),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, eviction_config, eviction_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, cache_deserialized_values, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, merge_policy, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, in_memory_format, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, partition_lost_listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, map_store_config, map_store_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, near_cache_config, near_cache_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, wan_replication_ref, wan_replication_ref_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, index_configs, list_index_config_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, attribute_configs, list_attribute_config_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, query_cache_configs, list_query_cache_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, partitioning_strategy_class_name, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, partitioning_strategy_implementation, data_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, hot_restart_config, hot_restart_config_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, event_journal_config, event_journal_config_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_map_config_request, merkle_tree_config, merkle_tree_config_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_map_config_request, data_persistence_config, data_persistence_config, 0),
    FIL_WIRE_NEWER(dynamic_config_add_map_config_request, tiered_store_config, tiered_store_config, 0),
    FIL_WIRE_NEWER(dynamic_config_add_map_config_request, partitioning_attribute_configs, list_partitioning_attribute_config_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_map_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_reliable_topic_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_reliable_topic_config_request, read_batch_size, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_reliable_topic_config_request, statistics_enabled, bool, 4),
    FIL_WIRE_FIELD(dynamic_config_add_reliable_topic_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_reliable_topic_config_request, listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_reliable_topic_config_request, topic_overload_policy, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_reliable_topic_config_request, executor, data_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_reliable_topic_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_cache_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, statistics_enabled, bool, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, management_enabled, bool, 1),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, read_through, bool, 2),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, write_through, bool, 3),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, backup_count, i32, 4),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, async_backup_count, i32, 8),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, merge_batch_size, i32, 12),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, disable_per_entry_invalidation_events, bool, 16),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, key_type, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, value_type, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, cache_loader_factory, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, cache_writer_factory, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, cache_loader, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, cache_writer, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, in_memory_format, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, merge_policy, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, partition_lost_listener_configs, list_listener_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, expiry_policy_factory_class_name, string_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, timed_expiry_policy_factory_config, timed_expiry_policy_factory_config_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, cache_entry_listeners, list_cache_simple_entry_listener_config_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, eviction_config, eviction_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, wan_replication_ref, wan_replication_ref_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, event_journal_config, event_journal_config_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_cache_config_request, hot_restart_config, hot_restart_config_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_cache_config_request, merkle_tree_config, merkle_tree_config_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_cache_config_request, data_persistence_config, data_persistence_config, 0),
    FIL_WIRE_NEWER(dynamic_config_add_cache_config_request, user_code_namespace, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_flake_id_generator_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_flake_id_generator_config_request, prefetch_count, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_flake_id_generator_config_request, prefetch_validity, i64, 4),
    FIL_WIRE_FIELD(dynamic_config_add_flake_id_generator_config_request, statistics_enabled, bool, 12),
    FIL_WIRE_FIELD(dynamic_config_add_flake_id_generator_config_request, node_id_offset, i64, 13),
    FIL_WIRE_FIELD(dynamic_config_add_flake_id_generator_config_request, epoch_start, i64, 21),
    FIL_WIRE_FIELD(dynamic_config_add_flake_id_generator_config_request, bits_sequence, i32, 29),
    FIL_WIRE_FIELD(dynamic_config_add_flake_id_generator_config_request, bits_node_id, i32, 33),
    FIL_WIRE_FIELD(dynamic_config_add_flake_id_generator_config_request, allowed_future_millis, i64, 37),
    FIL_WIRE_FIELD(dynamic_config_add_flake_id_generator_config_request, name, string, 0),
};
static const struct fil_wire_field dynamic_config_add_pn_counter_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_pn_counter_config_request, replica_count, i32, 0),
    FIL_WIRE_FIELD(dynamic_config_add_pn_counter_config_request, statistics_enabled, bool, 4),
    FIL_WIRE_FIELD(dynamic_config_add_pn_counter_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_pn_counter_config_request, split_brain_protection_name, string_or_null, 0),
};
static const struct fil_wire_field dynamic_config_add_data_connection_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_data_connection_config_request, shared, bool, 0),
    FIL_WIRE_FIELD(dynamic_config_add_data_connection_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_data_connection_config_request, type, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_data_connection_config_request, properties, map_string_string, 0),
};
static const struct fil_wire_field dynamic_config_add_wan_replication_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_wan_replication_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_wan_replication_config_request, consumer_config, wan_consumer_config_holder_or_null, 0),
    FIL_WIRE_FIELD(dynamic_config_add_wan_replication_config_request, custom_publisher_configs, list_wan_custom_publisher_config_holder, 0),
    FIL_WIRE_FIELD(dynamic_config_add_wan_replication_config_request, batch_publisher_configs, list_wan_batch_publisher_config_holder, 0),
};
static const struct fil_wire_field dynamic_config_add_user_code_namespace_config_request_fields[] = {
    FIL_WIRE_FIELD(dynamic_config_add_user_code_namespace_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_user_code_namespace_config_request, resources, list_resource_definition, 0),
};
static const struct fil_wire_field dynamic_config_add_vector_collection_config_request_fields[] = {
    FIL_WIRE_NEWER(dynamic_config_add_vector_collection_config_request, backup_count, i32, 0),
    FIL_WIRE_NEWER(dynamic_config_add_vector_collection_config_request, async_backup_count, i32, 4),
    FIL_WIRE_NEWER(dynamic_config_add_vector_collection_config_request, merge_batch_size, i32, 8),
    FIL_WIRE_FIELD(dynamic_config_add_vector_collection_config_request, name, string, 0),
    FIL_WIRE_FIELD(dynamic_config_add_vector_collection_config_request, index_configs, list_vector_index_config, 0),
    FIL_WIRE_NEWER(dynamic_config_add_vector_collection_config_request, split_brain_protection_name, string_or_null, 0),
    FIL_WIRE_NEWER(dynamic_config_add_vector_collection_config_request, merge_policy, string, 0),
    FIL_WIRE_NEWER(dynamic_config_add_vector_collection_config_request, user_code_namespace, string_or_null, 0),
};

FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_multi_map_config_request, "DynamicConfig.addMultiMapConfig", REQUEST, 0x1b0100, dynamic_config_add_multi_map_config_request_fields, 5, 14, 14);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_multi_map_config_response, "DynamicConfig.addMultiMapConfig", RESPONSE, 0x1b0101);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_ringbuffer_config_request, "DynamicConfig.addRingbufferConfig", REQUEST, 0x1b0200, dynamic_config_add_ringbuffer_config_request_fields, 5, 20, 20);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_ringbuffer_config_response, "DynamicConfig.addRingbufferConfig", RESPONSE, 0x1b0201);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_cardinality_estimator_config_request, "DynamicConfig.addCardinalityEstimatorConfig", REQUEST, 0x1b0300, dynamic_config_add_cardinality_estimator_config_request_fields, 3, 12, 12);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_cardinality_estimator_config_response, "DynamicConfig.addCardinalityEstimatorConfig", RESPONSE, 0x1b0301);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_list_config_request, "DynamicConfig.addListConfig", REQUEST, 0x1b0400, dynamic_config_add_list_config_request_fields, 5, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_list_config_response, "DynamicConfig.addListConfig", RESPONSE, 0x1b0401);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_set_config_request, "DynamicConfig.addSetConfig", REQUEST, 0x1b0500, dynamic_config_add_list_config_request_fields, 5, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_set_config_response, "DynamicConfig.addSetConfig", RESPONSE, 0x1b0501);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_replicated_map_config_request, "DynamicConfig.addReplicatedMapConfig", REQUEST, 0x1b0600, dynamic_config_add_replicated_map_config_request_fields, 3, 6, 6);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_replicated_map_config_response, "DynamicConfig.addReplicatedMapConfig", RESPONSE, 0x1b0601);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_topic_config_request, "DynamicConfig.addTopicConfig", REQUEST, 0x1b0700, dynamic_config_add_topic_config_request_fields, 3, 3, 3);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_topic_config_response, "DynamicConfig.addTopicConfig", RESPONSE, 0x1b0701);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_executor_config_request, "DynamicConfig.addExecutorConfig", REQUEST, 0x1b0800, dynamic_config_add_executor_config_request_fields, 3, 9, 9);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_executor_config_response, "DynamicConfig.addExecutorConfig", RESPONSE, 0x1b0801);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_durable_executor_config_request, "DynamicConfig.addDurableExecutorConfig", REQUEST, 0x1b0900, dynamic_config_add_durable_executor_config_request_fields, 4, 12, 13);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_durable_executor_config_response, "DynamicConfig.addDurableExecutorConfig", RESPONSE, 0x1b0901);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_scheduled_executor_config_request, "DynamicConfig.addScheduledExecutorConfig", REQUEST, 0x1b0a00, dynamic_config_add_scheduled_executor_config_request_fields, 6, 16, 18);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_scheduled_executor_config_response, "DynamicConfig.addScheduledExecutorConfig", RESPONSE, 0x1b0a01);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_queue_config_request, "DynamicConfig.addQueueConfig", REQUEST, 0x1b0b00, dynamic_config_add_queue_config_request_fields, 6, 21, 21);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_queue_config_response, "DynamicConfig.addQueueConfig", RESPONSE, 0x1b0b01);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_map_config_request, "DynamicConfig.addMapConfig", REQUEST, 0x1b0c00, dynamic_config_add_map_config_request_fields, 9, 26, 27);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_map_config_response, "DynamicConfig.addMapConfig", RESPONSE, 0x1b0c01);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_reliable_topic_config_request, "DynamicConfig.addReliableTopicConfig", REQUEST, 0x1b0d00, dynamic_config_add_reliable_topic_config_request_fields, 2, 5, 5);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_reliable_topic_config_response, "DynamicConfig.addReliableTopicConfig", RESPONSE, 0x1b0d01);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_cache_config_request, "DynamicConfig.addCacheConfig", REQUEST, 0x1b0e00, dynamic_config_add_cache_config_request_fields, 8, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_cache_config_response, "DynamicConfig.addCacheConfig", RESPONSE, 0x1b0e01);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_flake_id_generator_config_request, "DynamicConfig.addFlakeIdGeneratorConfig", REQUEST, 0x1b0f00, dynamic_config_add_flake_id_generator_config_request_fields, 8, 45, 45);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_flake_id_generator_config_response, "DynamicConfig.addFlakeIdGeneratorConfig", RESPONSE, 0x1b0f01);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_pn_counter_config_request, "DynamicConfig.addPNCounterConfig", REQUEST, 0x1b1000, dynamic_config_add_pn_counter_config_request_fields, 2, 5, 5);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_pn_counter_config_response, "DynamicConfig.addPNCounterConfig", RESPONSE, 0x1b1001);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_data_connection_config_request, "DynamicConfig.addDataConnectionConfig", REQUEST, 0x1b1100, dynamic_config_add_data_connection_config_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_data_connection_config_response, "DynamicConfig.addDataConnectionConfig", RESPONSE, 0x1b1101);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_wan_replication_config_request, "DynamicConfig.addWanReplicationConfig", REQUEST, 0x1b1200, dynamic_config_add_wan_replication_config_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_wan_replication_config_response, "DynamicConfig.addWanReplicationConfig", RESPONSE, 0x1b1201);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_user_code_namespace_config_request, "DynamicConfig.addUserCodeNamespaceConfig", REQUEST, 0x1b1300, dynamic_config_add_user_code_namespace_config_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_user_code_namespace_config_response, "DynamicConfig.addUserCodeNamespaceConfig", RESPONSE, 0x1b1301);
FIL_WIRE_LAYOUT_MAKE(dynamic_config_add_vector_collection_config_request, "DynamicConfig.addVectorCollectionConfig", REQUEST, 0x1b1400, dynamic_config_add_vector_collection_config_request_fields, 3, 0, 12);
FIL_WIRE_LAYOUT_EMPTY(dynamic_config_add_vector_collection_config_response, "DynamicConfig.addVectorCollectionConfig", RESPONSE, 0x1b1401);


const struct fil_wire_message fil_wire_dynamic_config_messages[] = {
    FIL_WIRE_MESSAGE(dynamic_config_add_multi_map_config, "dynamic_config.add_multi_map_config", 0x1b0100, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_ringbuffer_config, "dynamic_config.add_ringbuffer_config", 0x1b0200, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_cardinality_estimator_config, "dynamic_config.add_cardinality_estimator_config", 0x1b0300, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_list_config, "dynamic_config.add_list_config", 0x1b0400, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_set_config, "dynamic_config.add_set_config", 0x1b0500, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_replicated_map_config, "dynamic_config.add_replicated_map_config", 0x1b0600, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_topic_config, "dynamic_config.add_topic_config", 0x1b0700, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_executor_config, "dynamic_config.add_executor_config", 0x1b0800, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_durable_executor_config, "dynamic_config.add_durable_executor_config", 0x1b0900, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_scheduled_executor_config, "dynamic_config.add_scheduled_executor_config", 0x1b0a00, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_queue_config, "dynamic_config.add_queue_config", 0x1b0b00, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_map_config, "dynamic_config.add_map_config", 0x1b0c00, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_reliable_topic_config, "dynamic_config.add_reliable_topic_config", 0x1b0d00, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_cache_config, "dynamic_config.add_cache_config", 0x1b0e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_flake_id_generator_config, "dynamic_config.add_flake_id_generator_config", 0x1b0f00, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_pn_counter_config, "dynamic_config.add_pn_counter_config", 0x1b1000, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_data_connection_config, "dynamic_config.add_data_connection_config", 0x1b1100, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_wan_replication_config, "dynamic_config.add_wan_replication_config", 0x1b1200, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_user_code_namespace_config, "dynamic_config.add_user_code_namespace_config", 0x1b1300, false, 0, NULL),
    FIL_WIRE_MESSAGE(dynamic_config_add_vector_collection_config, "dynamic_config.add_vector_collection_config", 0x1b1400, false, 0, NULL),
};
