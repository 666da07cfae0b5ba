// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** MC: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_mc_number {
    FIL_WIRE_MC_READ_METRICS = 0x200100,
    FIL_WIRE_MC_CHANGE_CLUSTER_STATE = 0x200200,
    FIL_WIRE_MC_GET_MAP_CONFIG = 0x200300,
    FIL_WIRE_MC_UPDATE_MAP_CONFIG = 0x200400,
    FIL_WIRE_MC_GET_MEMBER_CONFIG = 0x200500,
    FIL_WIRE_MC_RUN_GC = 0x200600,
    FIL_WIRE_MC_GET_THREAD_DUMP = 0x200700,
    FIL_WIRE_MC_SHUTDOWN_MEMBER = 0x200800,
    FIL_WIRE_MC_PROMOTE_LITE_MEMBER = 0x200900,
    FIL_WIRE_MC_GET_SYSTEM_PROPERTIES = 0x200a00,
    FIL_WIRE_MC_GET_TIMED_MEMBER_STATE = 0x200b00,
    FIL_WIRE_MC_MATCH_MC_CONFIG = 0x200c00,
    FIL_WIRE_MC_APPLY_MC_CONFIG = 0x200d00,
    FIL_WIRE_MC_GET_CLUSTER_METADATA = 0x200e00,
    FIL_WIRE_MC_SHUTDOWN_CLUSTER = 0x200f00,
    FIL_WIRE_MC_CHANGE_CLUSTER_VERSION = 0x201000,
    FIL_WIRE_MC_RUN_SCRIPT = 0x201100,
    FIL_WIRE_MC_RUN_CONSOLE_COMMAND = 0x201200,
    FIL_WIRE_MC_CHANGE_WAN_REPLICATION_STATE = 0x201300,
    FIL_WIRE_MC_CLEAR_WAN_QUEUES = 0x201400,
    FIL_WIRE_MC_ADD_WAN_BATCH_PUBLISHER_CONFIG = 0x201500,
    FIL_WIRE_MC_WAN_SYNC_MAP = 0x201600,
    FIL_WIRE_MC_CHECK_WAN_CONSISTENCY = 0x201700,
    FIL_WIRE_MC_POLL_MC_EVENTS = 0x201800,
    FIL_WIRE_MC_GET_CP_MEMBERS = 0x201900,
    FIL_WIRE_MC_PROMOTE_TO_CP_MEMBER = 0x201a00,
    FIL_WIRE_MC_REMOVE_CP_MEMBER = 0x201b00,
    FIL_WIRE_MC_RESET_CP_SUBSYSTEM = 0x201c00,
    FIL_WIRE_MC_TRIGGER_PARTIAL_START = 0x201d00,
    FIL_WIRE_MC_TRIGGER_FORCE_START = 0x201e00,
    FIL_WIRE_MC_TRIGGER_HOT_RESTART_BACKUP = 0x201f00,
    FIL_WIRE_MC_INTERRUPT_HOT_RESTART_BACKUP = 0x202000,
    FIL_WIRE_MC_RESET_QUEUE_AGE_STATISTICS = 0x202100,
    FIL_WIRE_MC_RELOAD_CONFIG = 0x202200,
    FIL_WIRE_MC_UPDATE_CONFIG = 0x202300,
    FIL_WIRE_MC_FORCE_CLOSE_CP_SESSION = 0x202400,
    FIL_WIRE_MC_DEMOTE_DATA_MEMBER = 0x202500,
    FIL_WIRE_MC_GET_CONFIG_FILE_CONTENT = 0x202600,
    FIL_WIRE_MC_SET_DIAGNOSTICS_CONFIG = 0x202700,
    FIL_WIRE_MC_GET_DIAGNOSTICS_CONFIG = 0x202800,
};

struct fil_wire_mc_read_metrics_request {
    struct fil_wire_uuid uuid;
    int64_t from_sequence;
};
struct fil_wire_mc_read_metrics_response {
    int64_t next_sequence;
    struct fil_wire_part elements;
};
struct fil_wire_mc_change_cluster_state_request {
    int32_t new_state;
};
struct fil_wire_mc_get_map_config_request {
    struct fil_bytes map_name;
};
struct fil_wire_mc_get_map_config_response {
    int32_t in_memory_format, backup_count, async_backup_count, time_to_live_seconds, max_idle_seconds, max_size, max_size_policy;
    bool read_backup_data;
    int32_t eviction_policy;
    struct fil_bytes merge_policy;
    struct fil_wire_part global_indexes, wan_replication_ref;
    bool has_global_indexes; // since 2.4
    bool has_wan_replication_ref; // since 2.7
};
struct fil_wire_mc_update_map_config_request {
    int32_t time_to_live_seconds, max_idle_seconds, eviction_policy;
    bool read_backup_data;
    int32_t max_size, max_size_policy;
    struct fil_bytes map_name;
    struct fil_wire_part wan_replication_ref;
    bool has_wan_replication_ref; // since 2.7
};
struct fil_wire_mc_get_member_config_response {
    struct fil_bytes config_xml;
};
struct fil_wire_mc_get_thread_dump_request {
    bool dump_dead_locks;
};
struct fil_wire_mc_get_thread_dump_response {
    struct fil_bytes thread_dump;
};
struct fil_wire_mc_get_system_properties_response {
    struct fil_wire_part system_properties;
};
struct fil_wire_mc_get_timed_member_state_response {
    struct fil_bytes timed_member_state_json;
};
struct fil_wire_mc_match_mc_config_request {
    struct fil_bytes e_tag;
};
struct fil_wire_mc_match_mc_config_response {
    bool result;
};
struct fil_wire_mc_apply_mc_config_request {
    int32_t client_bw_list_mode;
    struct fil_bytes e_tag;
    struct fil_wire_part client_bw_list_entries;
};
struct fil_wire_mc_get_cluster_metadata_response {
    int8_t current_state;
    int64_t cluster_time;
    struct fil_wire_uuid cluster_id;
    struct fil_bytes member_version, jet_version;
    bool has_cluster_id; // since 2.5
};
struct fil_wire_mc_change_cluster_version_request {
    int8_t major_version, minor_version;
};
struct fil_wire_mc_run_script_request {
    struct fil_bytes engine, script;
};
struct fil_wire_mc_run_script_response {
    struct fil_bytes result;
};
struct fil_wire_mc_run_console_command_request {
    struct fil_bytes namespace, command;
};
struct fil_wire_mc_run_console_command_response {
    struct fil_bytes result;
};
struct fil_wire_mc_change_wan_replication_state_request {
    int8_t new_state;
    struct fil_bytes wan_replication_name, wan_publisher_id;
};
struct fil_wire_mc_clear_wan_queues_request {
    struct fil_bytes wan_replication_name, wan_publisher_id;
};
struct fil_wire_mc_add_wan_batch_publisher_config_request {
    int32_t queue_capacity, batch_size, batch_max_delay_millis, response_timeout_millis, ack_type, queue_full_behavior;
    int8_t consistency_check_strategy;
    struct fil_bytes name, target_cluster, publisher_id, endpoints;
    bool has_consistency_check_strategy; // since 2.7
};
struct fil_wire_mc_add_wan_batch_publisher_config_response {
    struct fil_wire_part added_publisher_ids, ignored_publisher_ids;
};
struct fil_wire_mc_wan_sync_map_request {
    int32_t wan_sync_type;
    struct fil_bytes wan_replication_name, wan_publisher_id, map_name;
};
struct fil_wire_mc_wan_sync_map_response {
    struct fil_wire_uuid uuid;
};
struct fil_wire_mc_check_wan_consistency_request {
    struct fil_bytes wan_replication_name, wan_publisher_id, map_name;
};
struct fil_wire_mc_check_wan_consistency_response {
    struct fil_wire_uuid uuid;
};
struct fil_wire_mc_poll_mc_events_response {
    struct fil_wire_part events;
};
struct fil_wire_mc_get_cp_members_response {
    struct fil_bytes cp_members;
};
struct fil_wire_mc_remove_cp_member_request {
    struct fil_wire_uuid cp_member_uuid;
};
struct fil_wire_mc_trigger_partial_start_response {
    bool result;
};
struct fil_wire_mc_trigger_force_start_response {
    bool result;
};
struct fil_wire_mc_reset_queue_age_statistics_request {
    struct fil_bytes name;
};
struct fil_wire_mc_reload_config_response {
    struct fil_wire_uuid config_reload_process_id;
};
struct fil_wire_mc_update_config_request {
    struct fil_bytes configuration;
};
struct fil_wire_mc_update_config_response {
    struct fil_wire_uuid config_update_process_id;
};
struct fil_wire_mc_force_close_cp_session_request {
    int64_t session_id;
    struct fil_bytes group_name;
};
struct fil_wire_mc_force_close_cp_session_response {
    bool result;
};
struct fil_wire_mc_get_config_file_content_response {
    struct fil_bytes config_file_content;
};
struct fil_wire_mc_set_diagnostics_config_request {
    bool enabled, include_epoch_time;
    float max_rolled_file_size_in_mb;
    int32_t max_rolled_file_count, auto_off_duration_in_minutes;
    struct fil_bytes output_type, log_directory, file_name_prefix;
    struct fil_wire_part properties;
};
struct fil_wire_mc_get_diagnostics_config_response {
    bool enabled, include_epoch_time;
    float max_rolled_file_size_in_mb;
    int32_t max_rolled_file_count, auto_off_duration_in_minutes;
    bool can_be_configured_dynamically;
    struct fil_bytes output_type, log_directory, file_name_prefix;
    struct fil_wire_part properties;
};

FIL_WIRE_DECLARE(mc_read_metrics);
FIL_WIRE_DECLARE(mc_change_cluster_state);
FIL_WIRE_DECLARE(mc_get_map_config);
FIL_WIRE_DECLARE(mc_update_map_config);
FIL_WIRE_DECLARE(mc_get_member_config);
FIL_WIRE_DECLARE(mc_run_gc);
FIL_WIRE_DECLARE(mc_get_thread_dump);
FIL_WIRE_DECLARE(mc_shutdown_member);
FIL_WIRE_DECLARE(mc_promote_lite_member);
FIL_WIRE_DECLARE(mc_get_system_properties);
FIL_WIRE_DECLARE(mc_get_timed_member_state);
FIL_WIRE_DECLARE(mc_match_mc_config);
FIL_WIRE_DECLARE(mc_apply_mc_config);
FIL_WIRE_DECLARE(mc_get_cluster_metadata);
FIL_WIRE_DECLARE(mc_shutdown_cluster);
FIL_WIRE_DECLARE(mc_change_cluster_version);
FIL_WIRE_DECLARE(mc_run_script);
FIL_WIRE_DECLARE(mc_run_console_command);
FIL_WIRE_DECLARE(mc_change_wan_replication_state);
FIL_WIRE_DECLARE(mc_clear_wan_queues);
FIL_WIRE_DECLARE(mc_add_wan_batch_publisher_config);
FIL_WIRE_DECLARE(mc_wan_sync_map);
FIL_WIRE_DECLARE(mc_check_wan_consistency);
FIL_WIRE_DECLARE(mc_poll_mc_events);
FIL_WIRE_DECLARE(mc_get_cp_members);
FIL_WIRE_DECLARE(mc_promote_to_cp_member);
FIL_WIRE_DECLARE(mc_remove_cp_member);
FIL_WIRE_DECLARE(mc_reset_cp_subsystem);
FIL_WIRE_DECLARE(mc_trigger_partial_start);
FIL_WIRE_DECLARE(mc_trigger_force_start);
FIL_WIRE_DECLARE(mc_trigger_hot_restart_backup);
FIL_WIRE_DECLARE(mc_interrupt_hot_restart_backup);
FIL_WIRE_DECLARE(mc_reset_queue_age_statistics);
FIL_WIRE_DECLARE(mc_reload_config);
FIL_WIRE_DECLARE(mc_update_config);
FIL_WIRE_DECLARE(mc_force_close_cp_session);
FIL_WIRE_DECLARE(mc_demote_data_member);
FIL_WIRE_DECLARE(mc_get_config_file_content);
FIL_WIRE_DECLARE(mc_set_diagnostics_config);
FIL_WIRE_DECLARE(mc_get_diagnostics_config);
