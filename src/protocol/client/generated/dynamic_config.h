// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** DynamicConfig: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_dynamic_config_number {
    FIL_WIRE_DYNAMIC_CONFIG_ADD_MULTI_MAP_CONFIG = 0x1b0100,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_RINGBUFFER_CONFIG = 0x1b0200,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_CARDINALITY_ESTIMATOR_CONFIG = 0x1b0300,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_LIST_CONFIG = 0x1b0400,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_SET_CONFIG = 0x1b0500,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_REPLICATED_MAP_CONFIG = 0x1b0600,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_TOPIC_CONFIG = 0x1b0700,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_EXECUTOR_CONFIG = 0x1b0800,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_DURABLE_EXECUTOR_CONFIG = 0x1b0900,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_SCHEDULED_EXECUTOR_CONFIG = 0x1b0a00,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_QUEUE_CONFIG = 0x1b0b00,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_MAP_CONFIG = 0x1b0c00,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_RELIABLE_TOPIC_CONFIG = 0x1b0d00,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_CACHE_CONFIG = 0x1b0e00,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_FLAKE_ID_GENERATOR_CONFIG = 0x1b0f00,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_PN_COUNTER_CONFIG = 0x1b1000,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_DATA_CONNECTION_CONFIG = 0x1b1100,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_WAN_REPLICATION_CONFIG = 0x1b1200,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_USER_CODE_NAMESPACE_CONFIG = 0x1b1300,
    FIL_WIRE_DYNAMIC_CONFIG_ADD_VECTOR_COLLECTION_CONFIG = 0x1b1400,
};

struct fil_wire_dynamic_config_add_multi_map_config_request {
    bool binary;
    int32_t backup_count, async_backup_count;
    bool statistics_enabled;
    int32_t merge_batch_size;
    struct fil_bytes name, collection_type;
    struct fil_wire_part listener_configs;
    struct fil_bytes split_brain_protection_name, merge_policy, user_code_namespace;
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_ringbuffer_config_request {
    int32_t capacity, backup_count, async_backup_count, time_to_live_seconds, merge_batch_size;
    struct fil_bytes name, in_memory_format;
    struct fil_wire_part ringbuffer_store_config;
    struct fil_bytes split_brain_protection_name, merge_policy, user_code_namespace;
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_cardinality_estimator_config_request {
    int32_t backup_count, async_backup_count, merge_batch_size;
    struct fil_bytes name, split_brain_protection_name, merge_policy;
};
struct fil_wire_dynamic_config_add_list_config_request {
    int32_t backup_count, async_backup_count, max_size;
    bool statistics_enabled;
    int32_t merge_batch_size;
    struct fil_bytes name;
    struct fil_wire_part listener_configs;
    struct fil_bytes split_brain_protection_name, merge_policy, user_code_namespace;
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_set_config_request {
    int32_t backup_count, async_backup_count, max_size;
    bool statistics_enabled;
    int32_t merge_batch_size;
    struct fil_bytes name;
    struct fil_wire_part listener_configs;
    struct fil_bytes split_brain_protection_name, merge_policy, user_code_namespace;
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_replicated_map_config_request {
    bool async_fillup, statistics_enabled;
    int32_t merge_batch_size;
    struct fil_bytes name, in_memory_format, merge_policy;
    struct fil_wire_part listener_configs;
    struct fil_bytes split_brain_protection_name, user_code_namespace;
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_topic_config_request {
    bool global_ordering_enabled, statistics_enabled, multi_threading_enabled;
    struct fil_bytes name;
    struct fil_wire_part listener_configs;
    struct fil_bytes user_code_namespace;
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_executor_config_request {
    int32_t pool_size, queue_capacity;
    bool statistics_enabled;
    struct fil_bytes name, split_brain_protection_name, user_code_namespace;
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_durable_executor_config_request {
    int32_t pool_size, durability, capacity;
    bool statistics_enabled;
    struct fil_bytes name, split_brain_protection_name, user_code_namespace;
    bool has_statistics_enabled; // since 2.1
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_scheduled_executor_config_request {
    int32_t pool_size, durability, capacity, merge_batch_size;
    bool statistics_enabled;
    int8_t capacity_policy;
    struct fil_bytes name, split_brain_protection_name, merge_policy, user_code_namespace;
    bool has_statistics_enabled; // since 2.1
    bool has_capacity_policy; // since 2.5
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_queue_config_request {
    int32_t backup_count, async_backup_count, max_size, empty_queue_ttl;
    bool statistics_enabled;
    int32_t merge_batch_size;
    struct fil_bytes name;
    struct fil_wire_part listener_configs;
    struct fil_bytes split_brain_protection_name;
    struct fil_wire_part queue_store_config;
    struct fil_bytes merge_policy, priority_comparator_class_name, user_code_namespace;
    bool has_priority_comparator_class_name; // since 2.1
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_map_config_request {
    int32_t backup_count, async_backup_count, time_to_live_seconds, max_idle_seconds;
    bool read_backup_data;
    int32_t merge_batch_size;
    bool statistics_enabled;
    int32_t metadata_policy;
    bool per_entry_stats_enabled;
    struct fil_bytes name;
    struct fil_wire_part eviction_config;
    struct fil_bytes cache_deserialized_values, merge_policy, in_memory_format;
    struct fil_wire_part listener_configs, partition_lost_listener_configs;
    struct fil_bytes split_brain_protection_name;
    struct fil_wire_part map_store_config, near_cache_config, wan_replication_ref, index_configs, attribute_configs, query_cache_configs;
    struct fil_bytes partitioning_strategy_class_name, partitioning_strategy_implementation;
    struct fil_wire_part hot_restart_config, event_journal_config, merkle_tree_config, data_persistence_config, tiered_store_config, partitioning_attribute_configs;
    struct fil_bytes user_code_namespace;
    bool has_per_entry_stats_enabled; // since 2.2
    bool has_data_persistence_config; // since 2.5
    bool has_tiered_store_config; // since 2.5
    bool has_partitioning_attribute_configs; // since 2.6
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_reliable_topic_config_request {
    int32_t read_batch_size;
    bool statistics_enabled;
    struct fil_bytes name;
    struct fil_wire_part listener_configs;
    struct fil_bytes topic_overload_policy, executor, user_code_namespace;
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_cache_config_request {
    bool statistics_enabled, management_enabled, read_through, write_through;
    int32_t backup_count, async_backup_count, merge_batch_size;
    bool disable_per_entry_invalidation_events;
    struct fil_bytes name, key_type, value_type, cache_loader_factory, cache_writer_factory, cache_loader, cache_writer, in_memory_format, split_brain_protection_name, merge_policy;
    struct fil_wire_part partition_lost_listener_configs;
    struct fil_bytes expiry_policy_factory_class_name;
    struct fil_wire_part timed_expiry_policy_factory_config, cache_entry_listeners, eviction_config, wan_replication_ref, event_journal_config, hot_restart_config, merkle_tree_config, data_persistence_config;
    struct fil_bytes user_code_namespace;
    bool has_merkle_tree_config; // since 2.3
    bool has_data_persistence_config; // since 2.5
    bool has_user_code_namespace; // since 2.7
};
struct fil_wire_dynamic_config_add_flake_id_generator_config_request {
    int32_t prefetch_count;
    int64_t prefetch_validity;
    bool statistics_enabled;
    int64_t node_id_offset, epoch_start;
    int32_t bits_sequence, bits_node_id;
    int64_t allowed_future_millis;
    struct fil_bytes name;
};
struct fil_wire_dynamic_config_add_pn_counter_config_request {
    int32_t replica_count;
    bool statistics_enabled;
    struct fil_bytes name, split_brain_protection_name;
};
struct fil_wire_dynamic_config_add_data_connection_config_request {
    bool shared;
    struct fil_bytes name, type;
    struct fil_wire_part properties;
};
struct fil_wire_dynamic_config_add_wan_replication_config_request {
    struct fil_bytes name;
    struct fil_wire_part consumer_config, custom_publisher_configs, batch_publisher_configs;
};
struct fil_wire_dynamic_config_add_user_code_namespace_config_request {
    struct fil_bytes name;
    struct fil_wire_part resources;
};
struct fil_wire_dynamic_config_add_vector_collection_config_request {
    int32_t backup_count, async_backup_count, merge_batch_size;
    struct fil_bytes name;
    struct fil_wire_part index_configs;
    struct fil_bytes split_brain_protection_name, merge_policy, user_code_namespace;
    bool has_backup_count; // since 2.9
    bool has_async_backup_count; // since 2.9
    bool has_merge_batch_size; // since 2.9
    bool has_split_brain_protection_name; // since 2.9
    bool has_merge_policy; // since 2.9
    bool has_user_code_namespace; // since 2.9
};

FIL_WIRE_DECLARE(dynamic_config_add_multi_map_config);
FIL_WIRE_DECLARE(dynamic_config_add_ringbuffer_config);
FIL_WIRE_DECLARE(dynamic_config_add_cardinality_estimator_config);
FIL_WIRE_DECLARE(dynamic_config_add_list_config);
FIL_WIRE_DECLARE(dynamic_config_add_set_config);
FIL_WIRE_DECLARE(dynamic_config_add_replicated_map_config);
FIL_WIRE_DECLARE(dynamic_config_add_topic_config);
FIL_WIRE_DECLARE(dynamic_config_add_executor_config);
FIL_WIRE_DECLARE(dynamic_config_add_durable_executor_config);
FIL_WIRE_DECLARE(dynamic_config_add_scheduled_executor_config);
FIL_WIRE_DECLARE(dynamic_config_add_queue_config);
FIL_WIRE_DECLARE(dynamic_config_add_map_config);
FIL_WIRE_DECLARE(dynamic_config_add_reliable_topic_config);
FIL_WIRE_DECLARE(dynamic_config_add_cache_config);
FIL_WIRE_DECLARE(dynamic_config_add_flake_id_generator_config);
FIL_WIRE_DECLARE(dynamic_config_add_pn_counter_config);
FIL_WIRE_DECLARE(dynamic_config_add_data_connection_config);
FIL_WIRE_DECLARE(dynamic_config_add_wan_replication_config);
FIL_WIRE_DECLARE(dynamic_config_add_user_code_namespace_config);
FIL_WIRE_DECLARE(dynamic_config_add_vector_collection_config);
