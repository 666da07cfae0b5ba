// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/client.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field client_authentication_request_fields[] = {
    FIL_WIRE_FIELD(client_authentication_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(client_authentication_request, serialization_version, i8, 17),
    FIL_WIRE_NEWER(client_authentication_request, routing_mode, i8, 18),
    FIL_WIRE_NEWER(client_authentication_request, cp_direct_to_leader_routing, bool, 19),
    FIL_WIRE_FIELD(client_authentication_request, cluster_name, string, 0),
    FIL_WIRE_FIELD(client_authentication_request, username, string_or_null, 0),
    FIL_WIRE_FIELD(client_authentication_request, password, string_or_null, 0),
    FIL_WIRE_FIELD(client_authentication_request, client_type, string, 0),
    FIL_WIRE_FIELD(client_authentication_request, client_hazelcast_version, string, 0),
    FIL_WIRE_FIELD(client_authentication_request, client_name, string, 0),
    FIL_WIRE_FIELD(client_authentication_request, labels, list_string, 0),
};
static const struct fil_wire_field client_authentication_response_fields[] = {
    FIL_WIRE_FIELD(client_authentication_response, status, i8, 0),
    FIL_WIRE_FIELD(client_authentication_response, member_uuid, uuid, 1),
    FIL_WIRE_FIELD(client_authentication_response, serialization_version, i8, 18),
    FIL_WIRE_FIELD(client_authentication_response, partition_count, i32, 19),
    FIL_WIRE_FIELD(client_authentication_response, cluster_id, uuid, 23),
    FIL_WIRE_FIELD(client_authentication_response, failover_supported, bool, 40),
    FIL_WIRE_NEWER(client_authentication_response, member_list_version, i32, 41),
    FIL_WIRE_NEWER(client_authentication_response, partition_list_version, i32, 45),
    FIL_WIRE_FIELD(client_authentication_response, address, address_or_null, 0),
    FIL_WIRE_FIELD(client_authentication_response, server_hazelcast_version, string, 0),
    FIL_WIRE_NEWER(client_authentication_response, tpc_ports, list_i32_or_null, 0),
    FIL_WIRE_NEWER(client_authentication_response, tpc_token, bytes_or_null, 0),
    FIL_WIRE_NEWER(client_authentication_response, member_infos, list_member_info, 0),
    FIL_WIRE_NEWER(client_authentication_response, partitions, map_uuid_list_i32, 0),
    FIL_WIRE_NEWER(client_authentication_response, key_value_pairs, map_string_string, 0),
};
static const struct fil_wire_field client_authentication_custom_request_fields[] = {
    FIL_WIRE_FIELD(client_authentication_custom_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(client_authentication_custom_request, serialization_version, i8, 17),
    FIL_WIRE_NEWER(client_authentication_custom_request, routing_mode, i8, 18),
    FIL_WIRE_NEWER(client_authentication_custom_request, cp_direct_to_leader_routing, bool, 19),
    FIL_WIRE_FIELD(client_authentication_custom_request, cluster_name, string, 0),
    FIL_WIRE_FIELD(client_authentication_custom_request, credentials, bytes, 0),
    FIL_WIRE_FIELD(client_authentication_custom_request, client_type, string, 0),
    FIL_WIRE_FIELD(client_authentication_custom_request, client_hazelcast_version, string, 0),
    FIL_WIRE_FIELD(client_authentication_custom_request, client_name, string, 0),
    FIL_WIRE_FIELD(client_authentication_custom_request, labels, list_string, 0),
};
static const struct fil_wire_field client_authentication_custom_response_fields[] = {
    FIL_WIRE_FIELD(client_authentication_custom_response, status, i8, 0),
    FIL_WIRE_FIELD(client_authentication_custom_response, member_uuid, uuid, 1),
    FIL_WIRE_FIELD(client_authentication_custom_response, serialization_version, i8, 18),
    FIL_WIRE_FIELD(client_authentication_custom_response, partition_count, i32, 19),
    FIL_WIRE_FIELD(client_authentication_custom_response, cluster_id, uuid, 23),
    FIL_WIRE_FIELD(client_authentication_custom_response, failover_supported, bool, 40),
    FIL_WIRE_NEWER(client_authentication_custom_response, member_list_version, i32, 41),
    FIL_WIRE_NEWER(client_authentication_custom_response, partition_list_version, i32, 45),
    FIL_WIRE_FIELD(client_authentication_custom_response, address, address_or_null, 0),
    FIL_WIRE_FIELD(client_authentication_custom_response, server_hazelcast_version, string, 0),
    FIL_WIRE_NEWER(client_authentication_custom_response, tpc_ports, list_i32_or_null, 0),
    FIL_WIRE_NEWER(client_authentication_custom_response, tpc_token, bytes_or_null, 0),
    FIL_WIRE_NEWER(client_authentication_custom_response, member_infos, list_member_info_or_null, 0),
    FIL_WIRE_NEWER(client_authentication_custom_response, partitions, map_uuid_list_i32_or_null, 0),
    FIL_WIRE_NEWER(client_authentication_custom_response, key_value_pairs, map_string_string, 0),
};
static const struct fil_wire_field client_add_cluster_view_listener_members_view_event_fields[] = {
    FIL_WIRE_FIELD(client_add_cluster_view_listener_members_view_event, version, i32, 0),
    FIL_WIRE_FIELD(client_add_cluster_view_listener_members_view_event, member_infos, list_member_info, 0),
};
static const struct fil_wire_field client_add_cluster_view_listener_partitions_view_event_fields[] = {
    FIL_WIRE_FIELD(client_add_cluster_view_listener_partitions_view_event, version, i32, 0),
    FIL_WIRE_FIELD(client_add_cluster_view_listener_partitions_view_event, partitions, map_uuid_list_i32, 0),
};
static const struct fil_wire_field client_add_cluster_view_listener_member_groups_view_event_fields[] = {
    FIL_WIRE_FIELD(client_add_cluster_view_listener_member_groups_view_event, version, i32, 0),
    FIL_WIRE_FIELD(client_add_cluster_view_listener_member_groups_view_event, member_groups, list_list_uuid, 0),
};
static const struct fil_wire_field client_add_cluster_view_listener_cluster_version_event_fields[] = {
    FIL_WIRE_FIELD(client_add_cluster_view_listener_cluster_version_event, version, version, 0),
};
static const struct fil_wire_field client_create_proxy_request_fields[] = {
    FIL_WIRE_FIELD(client_create_proxy_request, name, string, 0),
    FIL_WIRE_FIELD(client_create_proxy_request, service_name, string, 0),
};
static const struct fil_wire_field client_add_partition_lost_listener_request_fields[] = {
    FIL_WIRE_FIELD(client_add_partition_lost_listener_request, local_only, bool, 0),
};
static const struct fil_wire_field client_add_partition_lost_listener_response_fields[] = {
    FIL_WIRE_FIELD(client_add_partition_lost_listener_response, response, uuid, 0),
};
static const struct fil_wire_field client_add_partition_lost_listener_partition_lost_event_fields[] = {
    FIL_WIRE_FIELD(client_add_partition_lost_listener_partition_lost_event, partition_id, i32, 0),
    FIL_WIRE_FIELD(client_add_partition_lost_listener_partition_lost_event, lost_backup_count, i32, 4),
    FIL_WIRE_FIELD(client_add_partition_lost_listener_partition_lost_event, source, uuid, 8),
};
static const struct fil_wire_field client_remove_partition_lost_listener_request_fields[] = {
    FIL_WIRE_FIELD(client_remove_partition_lost_listener_request, registration_id, uuid, 0),
};
static const struct fil_wire_field client_remove_partition_lost_listener_response_fields[] = {
    FIL_WIRE_FIELD(client_remove_partition_lost_listener_response, response, bool, 0),
};
static const struct fil_wire_field client_get_distributed_objects_response_fields[] = {
    FIL_WIRE_FIELD(client_get_distributed_objects_response, response, list_distributed_object_info, 0),
};
static const struct fil_wire_field client_add_distributed_object_listener_distributed_object_event_fields[] = {
    FIL_WIRE_FIELD(client_add_distributed_object_listener_distributed_object_event, source, uuid, 0),
    FIL_WIRE_FIELD(client_add_distributed_object_listener_distributed_object_event, name, string, 0),
    FIL_WIRE_FIELD(client_add_distributed_object_listener_distributed_object_event, service_name, string, 0),
    FIL_WIRE_FIELD(client_add_distributed_object_listener_distributed_object_event, event_type, string, 0),
};
static const struct fil_wire_field client_statistics_request_fields[] = {
    FIL_WIRE_FIELD(client_statistics_request, timestamp, i64, 0),
    FIL_WIRE_FIELD(client_statistics_request, client_attributes, string, 0),
    FIL_WIRE_FIELD(client_statistics_request, metrics_blob, bytes, 0),
};
static const struct fil_wire_field client_deploy_classes_request_fields[] = {
    FIL_WIRE_FIELD(client_deploy_classes_request, class_definitions, map_string_bytes, 0),
};
static const struct fil_wire_field client_create_proxies_request_fields[] = {
    FIL_WIRE_FIELD(client_create_proxies_request, proxies, map_string_string, 0),
};
static const struct fil_wire_field client_local_backup_listener_backup_event_fields[] = {
    FIL_WIRE_FIELD(client_local_backup_listener_backup_event, source_invocation_correlation_id, i64, 0),
};
static const struct fil_wire_field client_add_migration_listener_migration_event_fields[] = {
    FIL_WIRE_FIELD(client_add_migration_listener_migration_event, type, i32, 0),
    FIL_WIRE_FIELD(client_add_migration_listener_migration_event, migration_state, migration_state, 0),
};
static const struct fil_wire_field client_add_migration_listener_replica_migration_event_fields[] = {
    FIL_WIRE_FIELD(client_add_migration_listener_replica_migration_event, partition_id, i32, 0),
    FIL_WIRE_FIELD(client_add_migration_listener_replica_migration_event, replica_index, i32, 4),
    FIL_WIRE_FIELD(client_add_migration_listener_replica_migration_event, source_uuid, uuid, 8),
    FIL_WIRE_FIELD(client_add_migration_listener_replica_migration_event, dest_uuid, uuid, 25),
    FIL_WIRE_FIELD(client_add_migration_listener_replica_migration_event, success, bool, 42),
    FIL_WIRE_FIELD(client_add_migration_listener_replica_migration_event, elapsed_time, i64, 43),
    FIL_WIRE_FIELD(client_add_migration_listener_replica_migration_event, migration_state, migration_state, 0),
};
static const struct fil_wire_field client_send_schema_request_fields[] = {
    FIL_WIRE_FIELD(client_send_schema_request, schema, schema, 0),
};
static const struct fil_wire_field client_send_schema_response_fields[] = {
    FIL_WIRE_FIELD(client_send_schema_response, replicated_members, list_uuid, 0),
};
static const struct fil_wire_field client_fetch_schema_request_fields[] = {
    FIL_WIRE_FIELD(client_fetch_schema_request, schema_id, i64, 0),
};
static const struct fil_wire_field client_fetch_schema_response_fields[] = {
    FIL_WIRE_FIELD(client_fetch_schema_response, schema, schema_or_null, 0),
};
static const struct fil_wire_field client_send_all_schemas_request_fields[] = {
    FIL_WIRE_FIELD(client_send_all_schemas_request, schemas, list_schema, 0),
};
static const struct fil_wire_field client_tpc_authentication_request_fields[] = {
    FIL_WIRE_FIELD(client_tpc_authentication_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(client_tpc_authentication_request, token, bytes, 0),
};
static const struct fil_wire_field client_add_cp_group_view_listener_groups_view_event_fields[] = {
    FIL_WIRE_FIELD(client_add_cp_group_view_listener_groups_view_event, version, i64, 0),
    FIL_WIRE_FIELD(client_add_cp_group_view_listener_groups_view_event, groups_info, list_raft_group_info, 0),
    FIL_WIRE_FIELD(client_add_cp_group_view_listener_groups_view_event, cp_to_ap_uuids, map_uuid_uuid, 0),
};

FIL_WIRE_LAYOUT_MAKE(client_authentication_request, "Client.authentication", REQUEST, 0x000100, client_authentication_request_fields, 4, 18, 20);
FIL_WIRE_LAYOUT_MAKE(client_authentication_response, "Client.authentication", RESPONSE, 0x000101, client_authentication_response_fields, 8, 41, 49);
FIL_WIRE_LAYOUT_MAKE(client_authentication_custom_request, "Client.authenticationCustom", REQUEST, 0x000200, client_authentication_custom_request_fields, 4, 18, 20);
FIL_WIRE_LAYOUT_MAKE(client_authentication_custom_response, "Client.authenticationCustom", RESPONSE, 0x000201, client_authentication_custom_response_fields, 8, 41, 49);
FIL_WIRE_LAYOUT_EMPTY(client_add_cluster_view_listener_request, "Client.addClusterViewListener", REQUEST, 0x000300);
FIL_WIRE_LAYOUT_EMPTY(client_add_cluster_view_listener_response, "Client.addClusterViewListener", RESPONSE, 0x000301);
FIL_WIRE_LAYOUT_MAKE(client_add_cluster_view_listener_members_view_event, "Client.addClusterViewListener", EVENT, 0x000302, client_add_cluster_view_listener_members_view_event_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(client_add_cluster_view_listener_partitions_view_event, "Client.addClusterViewListener", EVENT, 0x000303, client_add_cluster_view_listener_partitions_view_event_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(client_add_cluster_view_listener_member_groups_view_event, "Client.addClusterViewListener", EVENT, 0x000304, client_add_cluster_view_listener_member_groups_view_event_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(client_add_cluster_view_listener_cluster_version_event, "Client.addClusterViewListener", EVENT, 0x000305, client_add_cluster_view_listener_cluster_version_event_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(client_create_proxy_request, "Client.createProxy", REQUEST, 0x000400, client_create_proxy_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(client_create_proxy_response, "Client.createProxy", RESPONSE, 0x000401);
FIL_WIRE_LAYOUT_MAKE(client_destroy_proxy_request, "Client.destroyProxy", REQUEST, 0x000500, client_create_proxy_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(client_destroy_proxy_response, "Client.destroyProxy", RESPONSE, 0x000501);
FIL_WIRE_LAYOUT_MAKE(client_add_partition_lost_listener_request, "Client.addPartitionLostListener", REQUEST, 0x000600, client_add_partition_lost_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(client_add_partition_lost_listener_response, "Client.addPartitionLostListener", RESPONSE, 0x000601, client_add_partition_lost_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(client_add_partition_lost_listener_partition_lost_event, "Client.addPartitionLostListener", EVENT, 0x000602, client_add_partition_lost_listener_partition_lost_event_fields, 3, 25, 25);
FIL_WIRE_LAYOUT_MAKE(client_remove_partition_lost_listener_request, "Client.removePartitionLostListener", REQUEST, 0x000700, client_remove_partition_lost_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(client_remove_partition_lost_listener_response, "Client.removePartitionLostListener", RESPONSE, 0x000701, client_remove_partition_lost_listener_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(client_get_distributed_objects_request, "Client.getDistributedObjects", REQUEST, 0x000800);
FIL_WIRE_LAYOUT_MAKE(client_get_distributed_objects_response, "Client.getDistributedObjects", RESPONSE, 0x000801, client_get_distributed_objects_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(client_add_distributed_object_listener_request, "Client.addDistributedObjectListener", REQUEST, 0x000900, client_add_partition_lost_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(client_add_distributed_object_listener_response, "Client.addDistributedObjectListener", RESPONSE, 0x000901, client_add_partition_lost_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(client_add_distributed_object_listener_distributed_object_event, "Client.addDistributedObjectListener", EVENT, 0x000902, client_add_distributed_object_listener_distributed_object_event_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(client_remove_distributed_object_listener_request, "Client.removeDistributedObjectListener", REQUEST, 0x000a00, client_remove_partition_lost_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(client_remove_distributed_object_listener_response, "Client.removeDistributedObjectListener", RESPONSE, 0x000a01, client_remove_partition_lost_listener_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(client_ping_request, "Client.ping", REQUEST, 0x000b00);
FIL_WIRE_LAYOUT_EMPTY(client_ping_response, "Client.ping", RESPONSE, 0x000b01);
FIL_WIRE_LAYOUT_MAKE(client_statistics_request, "Client.statistics", REQUEST, 0x000c00, client_statistics_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_EMPTY(client_statistics_response, "Client.statistics", RESPONSE, 0x000c01);
FIL_WIRE_LAYOUT_MAKE(client_deploy_classes_request, "Client.deployClasses", REQUEST, 0x000d00, client_deploy_classes_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(client_deploy_classes_response, "Client.deployClasses", RESPONSE, 0x000d01);
FIL_WIRE_LAYOUT_MAKE(client_create_proxies_request, "Client.createProxies", REQUEST, 0x000e00, client_create_proxies_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(client_create_proxies_response, "Client.createProxies", RESPONSE, 0x000e01);
FIL_WIRE_LAYOUT_EMPTY(client_local_backup_listener_request, "Client.localBackupListener", REQUEST, 0x000f00);
FIL_WIRE_LAYOUT_MAKE(client_local_backup_listener_response, "Client.localBackupListener", RESPONSE, 0x000f01, client_add_partition_lost_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(client_local_backup_listener_backup_event, "Client.localBackupListener", EVENT, 0x000f02, client_local_backup_listener_backup_event_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_EMPTY(client_trigger_partition_assignment_request, "Client.triggerPartitionAssignment", REQUEST, 0x001000);
FIL_WIRE_LAYOUT_EMPTY(client_trigger_partition_assignment_response, "Client.triggerPartitionAssignment", RESPONSE, 0x001001);
FIL_WIRE_LAYOUT_MAKE(client_add_migration_listener_request, "Client.addMigrationListener", REQUEST, 0x001100, client_add_partition_lost_listener_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(client_add_migration_listener_response, "Client.addMigrationListener", RESPONSE, 0x001101, client_add_partition_lost_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(client_add_migration_listener_migration_event, "Client.addMigrationListener", EVENT, 0x001102, client_add_migration_listener_migration_event_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(client_add_migration_listener_replica_migration_event, "Client.addMigrationListener", EVENT, 0x001103, client_add_migration_listener_replica_migration_event_fields, 6, 51, 51);
FIL_WIRE_LAYOUT_MAKE(client_remove_migration_listener_request, "Client.removeMigrationListener", REQUEST, 0x001200, client_remove_partition_lost_listener_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(client_remove_migration_listener_response, "Client.removeMigrationListener", RESPONSE, 0x001201, client_remove_partition_lost_listener_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(client_send_schema_request, "Client.sendSchema", REQUEST, 0x001300, client_send_schema_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(client_send_schema_response, "Client.sendSchema", RESPONSE, 0x001301, client_send_schema_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(client_fetch_schema_request, "Client.fetchSchema", REQUEST, 0x001400, client_fetch_schema_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(client_fetch_schema_response, "Client.fetchSchema", RESPONSE, 0x001401, client_fetch_schema_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(client_send_all_schemas_request, "Client.sendAllSchemas", REQUEST, 0x001500, client_send_all_schemas_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(client_send_all_schemas_response, "Client.sendAllSchemas", RESPONSE, 0x001501);
FIL_WIRE_LAYOUT_MAKE(client_tpc_authentication_request, "Client.tpcAuthentication", REQUEST, 0x001600, client_tpc_authentication_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(client_tpc_authentication_response, "Client.tpcAuthentication", RESPONSE, 0x001601);
FIL_WIRE_LAYOUT_EMPTY(client_add_cp_group_view_listener_request, "Client.addCPGroupViewListener", REQUEST, 0x001700);
FIL_WIRE_LAYOUT_EMPTY(client_add_cp_group_view_listener_response, "Client.addCPGroupViewListener", RESPONSE, 0x001701);
FIL_WIRE_LAYOUT_MAKE(client_add_cp_group_view_listener_groups_view_event, "Client.addCPGroupViewListener", EVENT, 0x001702, client_add_cp_group_view_listener_groups_view_event_fields, 1, 8, 8);

static const struct fil_wire_layout *const client_add_cluster_view_listener_events[] = {&fil_wire_client_add_cluster_view_listener_members_view_event_layout, &fil_wire_client_add_cluster_view_listener_partitions_view_event_layout, &fil_wire_client_add_cluster_view_listener_member_groups_view_event_layout, &fil_wire_client_add_cluster_view_listener_cluster_version_event_layout};
static const struct fil_wire_layout *const client_add_partition_lost_listener_events[] = {&fil_wire_client_add_partition_lost_listener_partition_lost_event_layout};
static const struct fil_wire_layout *const client_add_distributed_object_listener_events[] = {&fil_wire_client_add_distributed_object_listener_distributed_object_event_layout};
static const struct fil_wire_layout *const client_local_backup_listener_events[] = {&fil_wire_client_local_backup_listener_backup_event_layout};
static const struct fil_wire_layout *const client_add_migration_listener_events[] = {&fil_wire_client_add_migration_listener_migration_event_layout, &fil_wire_client_add_migration_listener_replica_migration_event_layout};
static const struct fil_wire_layout *const client_add_cp_group_view_listener_events[] = {&fil_wire_client_add_cp_group_view_listener_groups_view_event_layout};

const struct fil_wire_message fil_wire_client_messages[] = {
    FIL_WIRE_MESSAGE(client_authentication, "client.authentication", 0x000100, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_authentication_custom, "client.authentication_custom", 0x000200, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_add_cluster_view_listener, "client.add_cluster_view_listener", 0x000300, false, 4, client_add_cluster_view_listener_events),
    FIL_WIRE_MESSAGE(client_create_proxy, "client.create_proxy", 0x000400, false, 0, NULL),
    FIL_WIRE_MESSAGE(client_destroy_proxy, "client.destroy_proxy", 0x000500, false, 0, NULL),
    FIL_WIRE_MESSAGE(client_add_partition_lost_listener, "client.add_partition_lost_listener", 0x000600, false, 1, client_add_partition_lost_listener_events),
    FIL_WIRE_MESSAGE(client_remove_partition_lost_listener, "client.remove_partition_lost_listener", 0x000700, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_get_distributed_objects, "client.get_distributed_objects", 0x000800, false, 0, NULL),
    FIL_WIRE_MESSAGE(client_add_distributed_object_listener, "client.add_distributed_object_listener", 0x000900, false, 1, client_add_distributed_object_listener_events),
    FIL_WIRE_MESSAGE(client_remove_distributed_object_listener, "client.remove_distributed_object_listener", 0x000a00, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_ping, "client.ping", 0x000b00, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_statistics, "client.statistics", 0x000c00, false, 0, NULL),
    FIL_WIRE_MESSAGE(client_deploy_classes, "client.deploy_classes", 0x000d00, false, 0, NULL),
    FIL_WIRE_MESSAGE(client_create_proxies, "client.create_proxies", 0x000e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(client_local_backup_listener, "client.local_backup_listener", 0x000f00, false, 1, client_local_backup_listener_events),
    FIL_WIRE_MESSAGE(client_trigger_partition_assignment, "client.trigger_partition_assignment", 0x001000, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_add_migration_listener, "client.add_migration_listener", 0x001100, false, 2, client_add_migration_listener_events),
    FIL_WIRE_MESSAGE(client_remove_migration_listener, "client.remove_migration_listener", 0x001200, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_send_schema, "client.send_schema", 0x001300, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_fetch_schema, "client.fetch_schema", 0x001400, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_send_all_schemas, "client.send_all_schemas", 0x001500, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_tpc_authentication, "client.tpc_authentication", 0x001600, true, 0, NULL),
    FIL_WIRE_MESSAGE(client_add_cp_group_view_listener, "client.add_cp_group_view_listener", 0x001700, false, 1, client_add_cp_group_view_listener_events),
};
