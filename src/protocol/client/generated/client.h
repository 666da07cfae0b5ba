// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Client: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_client_number {
    FIL_WIRE_CLIENT_AUTHENTICATION = 0x000100,
    FIL_WIRE_CLIENT_AUTHENTICATION_CUSTOM = 0x000200,
    FIL_WIRE_CLIENT_ADD_CLUSTER_VIEW_LISTENER = 0x000300,
    FIL_WIRE_CLIENT_ADD_CLUSTER_VIEW_LISTENER_MEMBERS_VIEW_EVENT = 0x000302,
    FIL_WIRE_CLIENT_ADD_CLUSTER_VIEW_LISTENER_PARTITIONS_VIEW_EVENT = 0x000303,
    FIL_WIRE_CLIENT_ADD_CLUSTER_VIEW_LISTENER_MEMBER_GROUPS_VIEW_EVENT = 0x000304,
    FIL_WIRE_CLIENT_ADD_CLUSTER_VIEW_LISTENER_CLUSTER_VERSION_EVENT = 0x000305,
    FIL_WIRE_CLIENT_CREATE_PROXY = 0x000400,
    FIL_WIRE_CLIENT_DESTROY_PROXY = 0x000500,
    FIL_WIRE_CLIENT_ADD_PARTITION_LOST_LISTENER = 0x000600,
    FIL_WIRE_CLIENT_ADD_PARTITION_LOST_LISTENER_PARTITION_LOST_EVENT = 0x000602,
    FIL_WIRE_CLIENT_REMOVE_PARTITION_LOST_LISTENER = 0x000700,
    FIL_WIRE_CLIENT_GET_DISTRIBUTED_OBJECTS = 0x000800,
    FIL_WIRE_CLIENT_ADD_DISTRIBUTED_OBJECT_LISTENER = 0x000900,
    FIL_WIRE_CLIENT_ADD_DISTRIBUTED_OBJECT_LISTENER_DISTRIBUTED_OBJECT_EVENT = 0x000902,
    FIL_WIRE_CLIENT_REMOVE_DISTRIBUTED_OBJECT_LISTENER = 0x000a00,
    FIL_WIRE_CLIENT_PING = 0x000b00,
    FIL_WIRE_CLIENT_STATISTICS = 0x000c00,
    FIL_WIRE_CLIENT_DEPLOY_CLASSES = 0x000d00,
    FIL_WIRE_CLIENT_CREATE_PROXIES = 0x000e00,
    FIL_WIRE_CLIENT_LOCAL_BACKUP_LISTENER = 0x000f00,
    FIL_WIRE_CLIENT_LOCAL_BACKUP_LISTENER_BACKUP_EVENT = 0x000f02,
    FIL_WIRE_CLIENT_TRIGGER_PARTITION_ASSIGNMENT = 0x001000,
    FIL_WIRE_CLIENT_ADD_MIGRATION_LISTENER = 0x001100,
    FIL_WIRE_CLIENT_ADD_MIGRATION_LISTENER_MIGRATION_EVENT = 0x001102,
    FIL_WIRE_CLIENT_ADD_MIGRATION_LISTENER_REPLICA_MIGRATION_EVENT = 0x001103,
    FIL_WIRE_CLIENT_REMOVE_MIGRATION_LISTENER = 0x001200,
    FIL_WIRE_CLIENT_SEND_SCHEMA = 0x001300,
    FIL_WIRE_CLIENT_FETCH_SCHEMA = 0x001400,
    FIL_WIRE_CLIENT_SEND_ALL_SCHEMAS = 0x001500,
    FIL_WIRE_CLIENT_TPC_AUTHENTICATION = 0x001600,
    FIL_WIRE_CLIENT_ADD_CP_GROUP_VIEW_LISTENER = 0x001700,
    FIL_WIRE_CLIENT_ADD_CP_GROUP_VIEW_LISTENER_GROUPS_VIEW_EVENT = 0x001702,
};

struct fil_wire_client_authentication_request {
    struct fil_wire_uuid uuid;
    int8_t serialization_version, routing_mode;
    bool cp_direct_to_leader_routing;
    struct fil_bytes cluster_name, username, password, client_type, client_hazelcast_version, client_name;
    struct fil_wire_part labels;
    bool has_routing_mode; // since 2.8
    bool has_cp_direct_to_leader_routing; // since 2.8
};
struct fil_wire_client_authentication_response {
    int8_t status;
    struct fil_wire_uuid member_uuid;
    int8_t serialization_version;
    int32_t partition_count;
    struct fil_wire_uuid cluster_id;
    bool failover_supported;
    int32_t member_list_version, partition_list_version;
    struct fil_wire_part address;
    struct fil_bytes server_hazelcast_version, tpc_ports, tpc_token;
    struct fil_wire_part member_infos, partitions, key_value_pairs;
    bool has_member_list_version; // since 2.7
    bool has_partition_list_version; // since 2.7
    bool has_tpc_ports; // since 2.7
    bool has_tpc_token; // since 2.7
    bool has_member_infos; // since 2.7
    bool has_partitions; // since 2.7
    bool has_key_value_pairs; // since 2.8
};
struct fil_wire_client_authentication_custom_request {
    struct fil_wire_uuid uuid;
    int8_t serialization_version, routing_mode;
    bool cp_direct_to_leader_routing;
    struct fil_bytes cluster_name, credentials, client_type, client_hazelcast_version, client_name;
    struct fil_wire_part labels;
    bool has_routing_mode; // since 2.8
    bool has_cp_direct_to_leader_routing; // since 2.8
};
struct fil_wire_client_authentication_custom_response {
    int8_t status;
    struct fil_wire_uuid member_uuid;
    int8_t serialization_version;
    int32_t partition_count;
    struct fil_wire_uuid cluster_id;
    bool failover_supported;
    int32_t member_list_version, partition_list_version;
    struct fil_wire_part address;
    struct fil_bytes server_hazelcast_version, tpc_ports, tpc_token;
    struct fil_wire_part member_infos, partitions, key_value_pairs;
    bool has_member_list_version; // since 2.7
    bool has_partition_list_version; // since 2.7
    bool has_tpc_ports; // since 2.7
    bool has_tpc_token; // since 2.7
    bool has_member_infos; // since 2.7
    bool has_partitions; // since 2.7
    bool has_key_value_pairs; // since 2.8
};
struct fil_wire_client_add_cluster_view_listener_members_view_event {
    int32_t version;
    struct fil_wire_part member_infos;
};
struct fil_wire_client_add_cluster_view_listener_partitions_view_event {
    int32_t version;
    struct fil_wire_part partitions;
};
struct fil_wire_client_add_cluster_view_listener_member_groups_view_event {
    int32_t version;
    struct fil_wire_part member_groups;
};
struct fil_wire_client_add_cluster_view_listener_cluster_version_event {
    struct fil_wire_part version;
};
struct fil_wire_client_create_proxy_request {
    struct fil_bytes name, service_name;
};
struct fil_wire_client_destroy_proxy_request {
    struct fil_bytes name, service_name;
};
struct fil_wire_client_add_partition_lost_listener_request {
    bool local_only;
};
struct fil_wire_client_add_partition_lost_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_client_add_partition_lost_listener_partition_lost_event {
    int32_t partition_id, lost_backup_count;
    struct fil_wire_uuid source;
};
struct fil_wire_client_remove_partition_lost_listener_request {
    struct fil_wire_uuid registration_id;
};
struct fil_wire_client_remove_partition_lost_listener_response {
    bool response;
};
struct fil_wire_client_get_distributed_objects_response {
    struct fil_wire_part response;
};
struct fil_wire_client_add_distributed_object_listener_request {
    bool local_only;
};
struct fil_wire_client_add_distributed_object_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_client_add_distributed_object_listener_distributed_object_event {
    struct fil_wire_uuid source;
    struct fil_bytes name, service_name, event_type;
};
struct fil_wire_client_remove_distributed_object_listener_request {
    struct fil_wire_uuid registration_id;
};
struct fil_wire_client_remove_distributed_object_listener_response {
    bool response;
};
struct fil_wire_client_statistics_request {
    int64_t timestamp;
    struct fil_bytes client_attributes, metrics_blob;
};
struct fil_wire_client_deploy_classes_request {
    struct fil_wire_part class_definitions;
};
struct fil_wire_client_create_proxies_request {
    struct fil_wire_part proxies;
};
struct fil_wire_client_local_backup_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_client_local_backup_listener_backup_event {
    int64_t source_invocation_correlation_id;
};
struct fil_wire_client_add_migration_listener_request {
    bool local_only;
};
struct fil_wire_client_add_migration_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_client_add_migration_listener_migration_event {
    int32_t type;
    struct fil_wire_part migration_state;
};
struct fil_wire_client_add_migration_listener_replica_migration_event {
    int32_t partition_id, replica_index;
    struct fil_wire_uuid source_uuid, dest_uuid;
    bool success;
    int64_t elapsed_time;
    struct fil_wire_part migration_state;
};
struct fil_wire_client_remove_migration_listener_request {
    struct fil_wire_uuid registration_id;
};
struct fil_wire_client_remove_migration_listener_response {
    bool response;
};
struct fil_wire_client_send_schema_request {
    struct fil_wire_part schema;
};
struct fil_wire_client_send_schema_response {
    struct fil_bytes replicated_members;
};
struct fil_wire_client_fetch_schema_request {
    int64_t schema_id;
};
struct fil_wire_client_fetch_schema_response {
    struct fil_wire_part schema;
};
struct fil_wire_client_send_all_schemas_request {
    struct fil_wire_part schemas;
};
struct fil_wire_client_tpc_authentication_request {
    struct fil_wire_uuid uuid;
    struct fil_bytes token;
};
struct fil_wire_client_add_cp_group_view_listener_groups_view_event {
    int64_t version;
    struct fil_wire_part groups_info;
    struct fil_bytes cp_to_ap_uuids;
};

FIL_WIRE_DECLARE(client_authentication);
FIL_WIRE_DECLARE(client_authentication_custom);
FIL_WIRE_DECLARE(client_add_cluster_view_listener);
extern const struct fil_wire_layout fil_wire_client_add_cluster_view_listener_members_view_event_layout;
extern const struct fil_wire_layout fil_wire_client_add_cluster_view_listener_partitions_view_event_layout;
extern const struct fil_wire_layout fil_wire_client_add_cluster_view_listener_member_groups_view_event_layout;
extern const struct fil_wire_layout fil_wire_client_add_cluster_view_listener_cluster_version_event_layout;
FIL_WIRE_DECLARE(client_create_proxy);
FIL_WIRE_DECLARE(client_destroy_proxy);
FIL_WIRE_DECLARE(client_add_partition_lost_listener);
extern const struct fil_wire_layout fil_wire_client_add_partition_lost_listener_partition_lost_event_layout;
FIL_WIRE_DECLARE(client_remove_partition_lost_listener);
FIL_WIRE_DECLARE(client_get_distributed_objects);
FIL_WIRE_DECLARE(client_add_distributed_object_listener);
extern const struct fil_wire_layout fil_wire_client_add_distributed_object_listener_distributed_object_event_layout;
FIL_WIRE_DECLARE(client_remove_distributed_object_listener);
FIL_WIRE_DECLARE(client_ping);
FIL_WIRE_DECLARE(client_statistics);
FIL_WIRE_DECLARE(client_deploy_classes);
FIL_WIRE_DECLARE(client_create_proxies);
FIL_WIRE_DECLARE(client_local_backup_listener);
extern const struct fil_wire_layout fil_wire_client_local_backup_listener_backup_event_layout;
FIL_WIRE_DECLARE(client_trigger_partition_assignment);
FIL_WIRE_DECLARE(client_add_migration_listener);
extern const struct fil_wire_layout fil_wire_client_add_migration_listener_migration_event_layout;
extern const struct fil_wire_layout fil_wire_client_add_migration_listener_replica_migration_event_layout;
FIL_WIRE_DECLARE(client_remove_migration_listener);
FIL_WIRE_DECLARE(client_send_schema);
FIL_WIRE_DECLARE(client_fetch_schema);
FIL_WIRE_DECLARE(client_send_all_schemas);
FIL_WIRE_DECLARE(client_tpc_authentication);
FIL_WIRE_DECLARE(client_add_cp_group_view_listener);
extern const struct fil_wire_layout fil_wire_client_add_cp_group_view_listener_groups_view_event_layout;
