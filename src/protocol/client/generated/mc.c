// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/mc.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field mc_read_metrics_request_fields[] = {
    FIL_WIRE_FIELD(mc_read_metrics_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(mc_read_metrics_request, from_sequence, i64, 17),
};
static const struct fil_wire_field mc_read_metrics_response_fields[] = {
    FIL_WIRE_FIELD(mc_read_metrics_response, next_sequence, i64, 0),
    FIL_WIRE_FIELD(mc_read_metrics_response, elements, map_i64_bytes, 0),
};
static const struct fil_wire_field mc_change_cluster_state_request_fields[] = {
    FIL_WIRE_FIELD(mc_change_cluster_state_request, new_state, i32, 0),
};
static const struct fil_wire_field mc_get_map_config_request_fields[] = {
    FIL_WIRE_FIELD(mc_get_map_config_request, map_name, string, 0),
};
static const struct fil_wire_field mc_get_map_config_response_fields[] = {
    FIL_WIRE_FIELD(mc_get_map_config_response, in_memory_format, i32, 0),
    FIL_WIRE_FIELD(mc_get_map_config_response, backup_count, i32, 4),
    FIL_WIRE_FIELD(mc_get_map_config_response, async_backup_count, i32, 8),
    FIL_WIRE_FIELD(mc_get_map_config_response, time_to_live_seconds, i32, 12),
    FIL_WIRE_FIELD(mc_get_map_config_response, max_idle_seconds, i32, 16),
    FIL_WIRE_FIELD(mc_get_map_config_response, max_size, i32, 20),
    FIL_WIRE_FIELD(mc_get_map_config_response, max_size_policy, i32, 24),
    FIL_WIRE_FIELD(mc_get_map_config_response, read_backup_data, bool, 28),
    FIL_WIRE_FIELD(mc_get_map_config_response, eviction_policy, i32, 29),
    FIL_WIRE_FIELD(mc_get_map_config_response, merge_policy, string, 0),
    FIL_WIRE_NEWER(mc_get_map_config_response, global_indexes, list_index_config, 0),
    FIL_WIRE_NEWER(mc_get_map_config_response, wan_replication_ref, wan_replication_ref_or_null, 0),
};
static const struct fil_wire_field mc_update_map_config_request_fields[] = {
    FIL_WIRE_FIELD(mc_update_map_config_request, time_to_live_seconds, i32, 0),
    FIL_WIRE_FIELD(mc_update_map_config_request, max_idle_seconds, i32, 4),
    FIL_WIRE_FIELD(mc_update_map_config_request, eviction_policy, i32, 8),
    FIL_WIRE_FIELD(mc_update_map_config_request, read_backup_data, bool, 12),
    FIL_WIRE_FIELD(mc_update_map_config_request, max_size, i32, 13),
    FIL_WIRE_FIELD(mc_update_map_config_request, max_size_policy, i32, 17),
    FIL_WIRE_FIELD(mc_update_map_config_request, map_name, string, 0),
    FIL_WIRE_NEWER(mc_update_map_config_request, wan_replication_ref, wan_replication_ref_or_null, 0),
};
static const struct fil_wire_field mc_get_member_config_response_fields[] = {
    FIL_WIRE_FIELD(mc_get_member_config_response, config_xml, string, 0),
};
static const struct fil_wire_field mc_get_thread_dump_request_fields[] = {
    FIL_WIRE_FIELD(mc_get_thread_dump_request, dump_dead_locks, bool, 0),
};
static const struct fil_wire_field mc_get_thread_dump_response_fields[] = {
    FIL_WIRE_FIELD(mc_get_thread_dump_response, thread_dump, string, 0),
};
static const struct fil_wire_field mc_get_system_properties_response_fields[] = {
    FIL_WIRE_FIELD(mc_get_system_properties_response, system_properties, map_string_string, 0),
};
static const struct fil_wire_field mc_get_timed_member_state_response_fields[] = {
    FIL_WIRE_FIELD(mc_get_timed_member_state_response, timed_member_state_json, string_or_null, 0),
};
static const struct fil_wire_field mc_match_mc_config_request_fields[] = {
    FIL_WIRE_FIELD(mc_match_mc_config_request, e_tag, string, 0),
};
static const struct fil_wire_field mc_match_mc_config_response_fields[] = {
    FIL_WIRE_FIELD(mc_match_mc_config_response, result, bool, 0),
};
static const struct fil_wire_field mc_apply_mc_config_request_fields[] = {
    FIL_WIRE_FIELD(mc_apply_mc_config_request, client_bw_list_mode, i32, 0),
    FIL_WIRE_FIELD(mc_apply_mc_config_request, e_tag, string, 0),
    FIL_WIRE_FIELD(mc_apply_mc_config_request, client_bw_list_entries, list_client_bw_list_entry, 0),
};
static const struct fil_wire_field mc_get_cluster_metadata_response_fields[] = {
    FIL_WIRE_FIELD(mc_get_cluster_metadata_response, current_state, i8, 0),
    FIL_WIRE_FIELD(mc_get_cluster_metadata_response, cluster_time, i64, 1),
    FIL_WIRE_NEWER(mc_get_cluster_metadata_response, cluster_id, uuid, 9),
    FIL_WIRE_FIELD(mc_get_cluster_metadata_response, member_version, string, 0),
    FIL_WIRE_FIELD(mc_get_cluster_metadata_response, jet_version, string_or_null, 0),
};
static const struct fil_wire_field mc_change_cluster_version_request_fields[] = {
    FIL_WIRE_FIELD(mc_change_cluster_version_request, major_version, i8, 0),
    FIL_WIRE_FIELD(mc_change_cluster_version_request, minor_version, i8, 1),
};
static const struct fil_wire_field mc_run_script_request_fields[] = {
    FIL_WIRE_FIELD(mc_run_script_request, engine, string, 0),
    FIL_WIRE_FIELD(mc_run_script_request, script, string, 0),
};
static const struct fil_wire_field mc_run_script_response_fields[] = {
    FIL_WIRE_FIELD(mc_run_script_response, result, string_or_null, 0),
};
static const struct fil_wire_field mc_run_console_command_request_fields[] = {
    FIL_WIRE_FIELD(mc_run_console_command_request, namespace, string_or_null, 0),
    FIL_WIRE_FIELD(mc_run_console_command_request, command, string, 0),
};
static const struct fil_wire_field mc_run_console_command_response_fields[] = {
    FIL_WIRE_FIELD(mc_run_console_command_response, result, string, 0),
};
static const struct fil_wire_field mc_change_wan_replication_state_request_fields[] = {
    FIL_WIRE_FIELD(mc_change_wan_replication_state_request, new_state, i8, 0),
    FIL_WIRE_FIELD(mc_change_wan_replication_state_request, wan_replication_name, string, 0),
    FIL_WIRE_FIELD(mc_change_wan_replication_state_request, wan_publisher_id, string, 0),
};
static const struct fil_wire_field mc_clear_wan_queues_request_fields[] = {
    FIL_WIRE_FIELD(mc_clear_wan_queues_request, wan_replication_name, string, 0),
    FIL_WIRE_FIELD(mc_clear_wan_queues_request, wan_publisher_id, string, 0),
};
static const struct fil_wire_field mc_add_wan_batch_publisher_config_request_fields[] = {
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_request, queue_capacity, i32, 0),
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_request, batch_size, i32, 4),
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_request, batch_max_delay_millis, i32, 8),
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_request, response_timeout_millis, i32, 12),
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_request, ack_type, i32, 16),
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_request, queue_full_behavior, i32, 20),
    FIL_WIRE_NEWER(mc_add_wan_batch_publisher_config_request, consistency_check_strategy, i8, 24),
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_request, name, string, 0),
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_request, target_cluster, string, 0),
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_request, publisher_id, string_or_null, 0),
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_request, endpoints, string, 0),
};
static const struct fil_wire_field mc_add_wan_batch_publisher_config_response_fields[] = {
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_response, added_publisher_ids, list_string, 0),
    FIL_WIRE_FIELD(mc_add_wan_batch_publisher_config_response, ignored_publisher_ids, list_string, 0),
};
static const struct fil_wire_field mc_wan_sync_map_request_fields[] = {
    FIL_WIRE_FIELD(mc_wan_sync_map_request, wan_sync_type, i32, 0),
    FIL_WIRE_FIELD(mc_wan_sync_map_request, wan_replication_name, string, 0),
    FIL_WIRE_FIELD(mc_wan_sync_map_request, wan_publisher_id, string, 0),
    FIL_WIRE_FIELD(mc_wan_sync_map_request, map_name, string_or_null, 0),
};
static const struct fil_wire_field mc_wan_sync_map_response_fields[] = {
    FIL_WIRE_FIELD(mc_wan_sync_map_response, uuid, uuid, 0),
};
static const struct fil_wire_field mc_check_wan_consistency_request_fields[] = {
    FIL_WIRE_FIELD(mc_check_wan_consistency_request, wan_replication_name, string, 0),
    FIL_WIRE_FIELD(mc_check_wan_consistency_request, wan_publisher_id, string, 0),
    FIL_WIRE_FIELD(mc_check_wan_consistency_request, map_name, string_or_null, 0),
};
static const struct fil_wire_field mc_check_wan_consistency_response_fields[] = {
    FIL_WIRE_FIELD(mc_check_wan_consistency_response, uuid, uuid, 0),
};
static const struct fil_wire_field mc_poll_mc_events_response_fields[] = {
    FIL_WIRE_FIELD(mc_poll_mc_events_response, events, list_mc_event, 0),
};
static const struct fil_wire_field mc_get_cp_members_response_fields[] = {
    FIL_WIRE_FIELD(mc_get_cp_members_response, cp_members, map_uuid_uuid, 0),
};
static const struct fil_wire_field mc_remove_cp_member_request_fields[] = {
    FIL_WIRE_FIELD(mc_remove_cp_member_request, cp_member_uuid, uuid, 0),
};
static const struct fil_wire_field mc_reset_queue_age_statistics_request_fields[] = {
    FIL_WIRE_FIELD(mc_reset_queue_age_statistics_request, name, string, 0),
};
static const struct fil_wire_field mc_reload_config_response_fields[] = {
    FIL_WIRE_FIELD(mc_reload_config_response, config_reload_process_id, uuid, 0),
};
static const struct fil_wire_field mc_update_config_request_fields[] = {
    FIL_WIRE_FIELD(mc_update_config_request, configuration, string, 0),
};
static const struct fil_wire_field mc_update_config_response_fields[] = {
    FIL_WIRE_FIELD(mc_update_config_response, config_update_process_id, uuid, 0),
};
static const struct fil_wire_field mc_force_close_cp_session_request_fields[] = {
    FIL_WIRE_FIELD(mc_force_close_cp_session_request, session_id, i64, 0),
    FIL_WIRE_FIELD(mc_force_close_cp_session_request, group_name, string, 0),
};
static const struct fil_wire_field mc_get_config_file_content_response_fields[] = {
    FIL_WIRE_FIELD(mc_get_config_file_content_response, config_file_content, string_or_null, 0),
};
static const struct fil_wire_field mc_set_diagnostics_config_request_fields[] = {
    FIL_WIRE_FIELD(mc_set_diagnostics_config_request, enabled, bool, 0),
    FIL_WIRE_FIELD(mc_set_diagnostics_config_request, include_epoch_time, bool, 1),
    FIL_WIRE_FIELD(mc_set_diagnostics_config_request, max_rolled_file_size_in_mb, f32, 2),
    FIL_WIRE_FIELD(mc_set_diagnostics_config_request, max_rolled_file_count, i32, 6),
    FIL_WIRE_FIELD(mc_set_diagnostics_config_request, auto_off_duration_in_minutes, i32, 10),
    FIL_WIRE_FIELD(mc_set_diagnostics_config_request, output_type, string, 0),
    FIL_WIRE_FIELD(mc_set_diagnostics_config_request, log_directory, string, 0),
    FIL_WIRE_FIELD(mc_set_diagnostics_config_request, file_name_prefix, string_or_null, 0),
    FIL_WIRE_FIELD(mc_set_diagnostics_config_request, properties, map_string_string_or_null, 0),
};
static const struct fil_wire_field mc_get_diagnostics_config_response_fields[] = {
    FIL_WIRE_FIELD(mc_get_diagnostics_config_response, enabled, bool, 0),
    FIL_WIRE_FIELD(mc_get_diagnostics_config_response, include_epoch_time, bool, 1),
    FIL_WIRE_FIELD(mc_get_diagnostics_config_response, max_rolled_file_size_in_mb, f32, 2),
    FIL_WIRE_FIELD(mc_get_diagnostics_config_response, max_rolled_file_count, i32, 6),
    FIL_WIRE_FIELD(mc_get_diagnostics_config_response, auto_off_duration_in_minutes, i32, 10),
    FIL_WIRE_FIELD(mc_get_diagnostics_config_response, can_be_configured_dynamically, bool, 14),
    FIL_WIRE_FIELD(mc_get_diagnostics_config_response, output_type, string, 0),
    FIL_WIRE_FIELD(mc_get_diagnostics_config_response, log_directory, string, 0),
    FIL_WIRE_FIELD(mc_get_diagnostics_config_response, file_name_prefix, string_or_null, 0),
    FIL_WIRE_FIELD(mc_get_diagnostics_config_response, properties, map_string_string_or_null, 0),
};

FIL_WIRE_LAYOUT_MAKE(mc_read_metrics_request, "MC.readMetrics", REQUEST, 0x200100, mc_read_metrics_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(mc_read_metrics_response, "MC.readMetrics", RESPONSE, 0x200101, mc_read_metrics_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(mc_change_cluster_state_request, "MC.changeClusterState", REQUEST, 0x200200, mc_change_cluster_state_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_EMPTY(mc_change_cluster_state_response, "MC.changeClusterState", RESPONSE, 0x200201);
FIL_WIRE_LAYOUT_MAKE(mc_get_map_config_request, "MC.getMapConfig", REQUEST, 0x200300, mc_get_map_config_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_get_map_config_response, "MC.getMapConfig", RESPONSE, 0x200301, mc_get_map_config_response_fields, 9, 33, 33);
FIL_WIRE_LAYOUT_MAKE(mc_update_map_config_request, "MC.updateMapConfig", REQUEST, 0x200400, mc_update_map_config_request_fields, 6, 21, 21);
FIL_WIRE_LAYOUT_EMPTY(mc_update_map_config_response, "MC.updateMapConfig", RESPONSE, 0x200401);
FIL_WIRE_LAYOUT_EMPTY(mc_get_member_config_request, "MC.getMemberConfig", REQUEST, 0x200500);
FIL_WIRE_LAYOUT_MAKE(mc_get_member_config_response, "MC.getMemberConfig", RESPONSE, 0x200501, mc_get_member_config_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(mc_run_gc_request, "MC.runGc", REQUEST, 0x200600);
FIL_WIRE_LAYOUT_EMPTY(mc_run_gc_response, "MC.runGc", RESPONSE, 0x200601);
FIL_WIRE_LAYOUT_MAKE(mc_get_thread_dump_request, "MC.getThreadDump", REQUEST, 0x200700, mc_get_thread_dump_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(mc_get_thread_dump_response, "MC.getThreadDump", RESPONSE, 0x200701, mc_get_thread_dump_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(mc_shutdown_member_request, "MC.shutdownMember", REQUEST, 0x200800);
FIL_WIRE_LAYOUT_EMPTY(mc_shutdown_member_response, "MC.shutdownMember", RESPONSE, 0x200801);
FIL_WIRE_LAYOUT_EMPTY(mc_promote_lite_member_request, "MC.promoteLiteMember", REQUEST, 0x200900);
FIL_WIRE_LAYOUT_EMPTY(mc_promote_lite_member_response, "MC.promoteLiteMember", RESPONSE, 0x200901);
FIL_WIRE_LAYOUT_EMPTY(mc_get_system_properties_request, "MC.getSystemProperties", REQUEST, 0x200a00);
FIL_WIRE_LAYOUT_MAKE(mc_get_system_properties_response, "MC.getSystemProperties", RESPONSE, 0x200a01, mc_get_system_properties_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(mc_get_timed_member_state_request, "MC.getTimedMemberState", REQUEST, 0x200b00);
FIL_WIRE_LAYOUT_MAKE(mc_get_timed_member_state_response, "MC.getTimedMemberState", RESPONSE, 0x200b01, mc_get_timed_member_state_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_match_mc_config_request, "MC.matchMCConfig", REQUEST, 0x200c00, mc_match_mc_config_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_match_mc_config_response, "MC.matchMCConfig", RESPONSE, 0x200c01, mc_match_mc_config_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(mc_apply_mc_config_request, "MC.applyMCConfig", REQUEST, 0x200d00, mc_apply_mc_config_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_EMPTY(mc_apply_mc_config_response, "MC.applyMCConfig", RESPONSE, 0x200d01);
FIL_WIRE_LAYOUT_EMPTY(mc_get_cluster_metadata_request, "MC.getClusterMetadata", REQUEST, 0x200e00);
FIL_WIRE_LAYOUT_MAKE(mc_get_cluster_metadata_response, "MC.getClusterMetadata", RESPONSE, 0x200e01, mc_get_cluster_metadata_response_fields, 3, 9, 26);
FIL_WIRE_LAYOUT_EMPTY(mc_shutdown_cluster_request, "MC.shutdownCluster", REQUEST, 0x200f00);
FIL_WIRE_LAYOUT_EMPTY(mc_shutdown_cluster_response, "MC.shutdownCluster", RESPONSE, 0x200f01);
FIL_WIRE_LAYOUT_MAKE(mc_change_cluster_version_request, "MC.changeClusterVersion", REQUEST, 0x201000, mc_change_cluster_version_request_fields, 2, 2, 2);
FIL_WIRE_LAYOUT_EMPTY(mc_change_cluster_version_response, "MC.changeClusterVersion", RESPONSE, 0x201001);
FIL_WIRE_LAYOUT_MAKE(mc_run_script_request, "MC.runScript", REQUEST, 0x201100, mc_run_script_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_run_script_response, "MC.runScript", RESPONSE, 0x201101, mc_run_script_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_run_console_command_request, "MC.runConsoleCommand", REQUEST, 0x201200, mc_run_console_command_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_run_console_command_response, "MC.runConsoleCommand", RESPONSE, 0x201201, mc_run_console_command_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_change_wan_replication_state_request, "MC.changeWanReplicationState", REQUEST, 0x201300, mc_change_wan_replication_state_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(mc_change_wan_replication_state_response, "MC.changeWanReplicationState", RESPONSE, 0x201301);
FIL_WIRE_LAYOUT_MAKE(mc_clear_wan_queues_request, "MC.clearWanQueues", REQUEST, 0x201400, mc_clear_wan_queues_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(mc_clear_wan_queues_response, "MC.clearWanQueues", RESPONSE, 0x201401);
FIL_WIRE_LAYOUT_MAKE(mc_add_wan_batch_publisher_config_request, "MC.addWanBatchPublisherConfig", REQUEST, 0x201500, mc_add_wan_batch_publisher_config_request_fields, 7, 24, 25);
FIL_WIRE_LAYOUT_MAKE(mc_add_wan_batch_publisher_config_response, "MC.addWanBatchPublisherConfig", RESPONSE, 0x201501, mc_add_wan_batch_publisher_config_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_wan_sync_map_request, "MC.wanSyncMap", REQUEST, 0x201600, mc_wan_sync_map_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(mc_wan_sync_map_response, "MC.wanSyncMap", RESPONSE, 0x201601, mc_wan_sync_map_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(mc_check_wan_consistency_request, "MC.checkWanConsistency", REQUEST, 0x201700, mc_check_wan_consistency_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_check_wan_consistency_response, "MC.checkWanConsistency", RESPONSE, 0x201701, mc_check_wan_consistency_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(mc_poll_mc_events_request, "MC.pollMCEvents", REQUEST, 0x201800);
FIL_WIRE_LAYOUT_MAKE(mc_poll_mc_events_response, "MC.pollMCEvents", RESPONSE, 0x201801, mc_poll_mc_events_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(mc_get_cp_members_request, "MC.getCPMembers", REQUEST, 0x201900);
FIL_WIRE_LAYOUT_MAKE(mc_get_cp_members_response, "MC.getCPMembers", RESPONSE, 0x201901, mc_get_cp_members_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(mc_promote_to_cp_member_request, "MC.promoteToCPMember", REQUEST, 0x201a00);
FIL_WIRE_LAYOUT_EMPTY(mc_promote_to_cp_member_response, "MC.promoteToCPMember", RESPONSE, 0x201a01);
FIL_WIRE_LAYOUT_MAKE(mc_remove_cp_member_request, "MC.removeCPMember", REQUEST, 0x201b00, mc_remove_cp_member_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(mc_remove_cp_member_response, "MC.removeCPMember", RESPONSE, 0x201b01);
FIL_WIRE_LAYOUT_EMPTY(mc_reset_cp_subsystem_request, "MC.resetCPSubsystem", REQUEST, 0x201c00);
FIL_WIRE_LAYOUT_EMPTY(mc_reset_cp_subsystem_response, "MC.resetCPSubsystem", RESPONSE, 0x201c01);
FIL_WIRE_LAYOUT_EMPTY(mc_trigger_partial_start_request, "MC.triggerPartialStart", REQUEST, 0x201d00);
FIL_WIRE_LAYOUT_MAKE(mc_trigger_partial_start_response, "MC.triggerPartialStart", RESPONSE, 0x201d01, mc_match_mc_config_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(mc_trigger_force_start_request, "MC.triggerForceStart", REQUEST, 0x201e00);
FIL_WIRE_LAYOUT_MAKE(mc_trigger_force_start_response, "MC.triggerForceStart", RESPONSE, 0x201e01, mc_match_mc_config_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(mc_trigger_hot_restart_backup_request, "MC.triggerHotRestartBackup", REQUEST, 0x201f00);
FIL_WIRE_LAYOUT_EMPTY(mc_trigger_hot_restart_backup_response, "MC.triggerHotRestartBackup", RESPONSE, 0x201f01);
FIL_WIRE_LAYOUT_EMPTY(mc_interrupt_hot_restart_backup_request, "MC.interruptHotRestartBackup", REQUEST, 0x202000);
FIL_WIRE_LAYOUT_EMPTY(mc_interrupt_hot_restart_backup_response, "MC.interruptHotRestartBackup", RESPONSE, 0x202001);
FIL_WIRE_LAYOUT_MAKE(mc_reset_queue_age_statistics_request, "MC.resetQueueAgeStatistics", REQUEST, 0x202100, mc_reset_queue_age_statistics_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(mc_reset_queue_age_statistics_response, "MC.resetQueueAgeStatistics", RESPONSE, 0x202101);
FIL_WIRE_LAYOUT_EMPTY(mc_reload_config_request, "MC.reloadConfig", REQUEST, 0x202200);
FIL_WIRE_LAYOUT_MAKE(mc_reload_config_response, "MC.reloadConfig", RESPONSE, 0x202201, mc_reload_config_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(mc_update_config_request, "MC.updateConfig", REQUEST, 0x202300, mc_update_config_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_update_config_response, "MC.updateConfig", RESPONSE, 0x202301, mc_update_config_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(mc_force_close_cp_session_request, "MC.forceCloseCPSession", REQUEST, 0x202400, mc_force_close_cp_session_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(mc_force_close_cp_session_response, "MC.forceCloseCPSession", RESPONSE, 0x202401, mc_match_mc_config_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(mc_demote_data_member_request, "MC.demoteDataMember", REQUEST, 0x202500);
FIL_WIRE_LAYOUT_EMPTY(mc_demote_data_member_response, "MC.demoteDataMember", RESPONSE, 0x202501);
FIL_WIRE_LAYOUT_EMPTY(mc_get_config_file_content_request, "MC.getConfigFileContent", REQUEST, 0x202600);
FIL_WIRE_LAYOUT_MAKE(mc_get_config_file_content_response, "MC.getConfigFileContent", RESPONSE, 0x202601, mc_get_config_file_content_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(mc_set_diagnostics_config_request, "MC.setDiagnosticsConfig", REQUEST, 0x202700, mc_set_diagnostics_config_request_fields, 5, 14, 14);
FIL_WIRE_LAYOUT_EMPTY(mc_set_diagnostics_config_response, "MC.setDiagnosticsConfig", RESPONSE, 0x202701);
FIL_WIRE_LAYOUT_EMPTY(mc_get_diagnostics_config_request, "MC.getDiagnosticsConfig", REQUEST, 0x202800);
FIL_WIRE_LAYOUT_MAKE(mc_get_diagnostics_config_response, "MC.getDiagnosticsConfig", RESPONSE, 0x202801, mc_get_diagnostics_config_response_fields, 6, 15, 15);


const struct fil_wire_message fil_wire_mc_messages[] = {
    FIL_WIRE_MESSAGE(mc_read_metrics, "mc.read_metrics", 0x200100, true, 0, NULL),
    FIL_WIRE_MESSAGE(mc_change_cluster_state, "mc.change_cluster_state", 0x200200, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_get_map_config, "mc.get_map_config", 0x200300, true, 0, NULL),
    FIL_WIRE_MESSAGE(mc_update_map_config, "mc.update_map_config", 0x200400, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_get_member_config, "mc.get_member_config", 0x200500, true, 0, NULL),
    FIL_WIRE_MESSAGE(mc_run_gc, "mc.run_gc", 0x200600, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_get_thread_dump, "mc.get_thread_dump", 0x200700, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_shutdown_member, "mc.shutdown_member", 0x200800, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_promote_lite_member, "mc.promote_lite_member", 0x200900, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_get_system_properties, "mc.get_system_properties", 0x200a00, true, 0, NULL),
    FIL_WIRE_MESSAGE(mc_get_timed_member_state, "mc.get_timed_member_state", 0x200b00, true, 0, NULL),
    FIL_WIRE_MESSAGE(mc_match_mc_config, "mc.match_mc_config", 0x200c00, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_apply_mc_config, "mc.apply_mc_config", 0x200d00, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_get_cluster_metadata, "mc.get_cluster_metadata", 0x200e00, true, 0, NULL),
    FIL_WIRE_MESSAGE(mc_shutdown_cluster, "mc.shutdown_cluster", 0x200f00, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_change_cluster_version, "mc.change_cluster_version", 0x201000, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_run_script, "mc.run_script", 0x201100, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_run_console_command, "mc.run_console_command", 0x201200, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_change_wan_replication_state, "mc.change_wan_replication_state", 0x201300, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_clear_wan_queues, "mc.clear_wan_queues", 0x201400, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_add_wan_batch_publisher_config, "mc.add_wan_batch_publisher_config", 0x201500, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_wan_sync_map, "mc.wan_sync_map", 0x201600, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_check_wan_consistency, "mc.check_wan_consistency", 0x201700, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_poll_mc_events, "mc.poll_mc_events", 0x201800, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_get_cp_members, "mc.get_cp_members", 0x201900, true, 0, NULL),
    FIL_WIRE_MESSAGE(mc_promote_to_cp_member, "mc.promote_to_cp_member", 0x201a00, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_remove_cp_member, "mc.remove_cp_member", 0x201b00, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_reset_cp_subsystem, "mc.reset_cp_subsystem", 0x201c00, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_trigger_partial_start, "mc.trigger_partial_start", 0x201d00, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_trigger_force_start, "mc.trigger_force_start", 0x201e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_trigger_hot_restart_backup, "mc.trigger_hot_restart_backup", 0x201f00, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_interrupt_hot_restart_backup, "mc.interrupt_hot_restart_backup", 0x202000, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_reset_queue_age_statistics, "mc.reset_queue_age_statistics", 0x202100, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_reload_config, "mc.reload_config", 0x202200, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_update_config, "mc.update_config", 0x202300, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_force_close_cp_session, "mc.force_close_cp_session", 0x202400, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_demote_data_member, "mc.demote_data_member", 0x202500, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_get_config_file_content, "mc.get_config_file_content", 0x202600, true, 0, NULL),
    FIL_WIRE_MESSAGE(mc_set_diagnostics_config, "mc.set_diagnostics_config", 0x202700, false, 0, NULL),
    FIL_WIRE_MESSAGE(mc_get_diagnostics_config, "mc.get_diagnostics_config", 0x202800, true, 0, NULL),
};
