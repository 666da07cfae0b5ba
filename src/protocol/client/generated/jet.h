// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Jet: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_jet_number {
    FIL_WIRE_JET_SUBMIT_JOB = 0xfe0100,
    FIL_WIRE_JET_TERMINATE_JOB = 0xfe0200,
    FIL_WIRE_JET_GET_JOB_STATUS = 0xfe0300,
    FIL_WIRE_JET_GET_JOB_IDS = 0xfe0400,
    FIL_WIRE_JET_JOIN_SUBMITTED_JOB = 0xfe0500,
    FIL_WIRE_JET_GET_JOB_SUBMISSION_TIME = 0xfe0700,
    FIL_WIRE_JET_GET_JOB_CONFIG = 0xfe0800,
    FIL_WIRE_JET_RESUME_JOB = 0xfe0900,
    FIL_WIRE_JET_EXPORT_SNAPSHOT = 0xfe0a00,
    FIL_WIRE_JET_GET_JOB_SUMMARY_LIST = 0xfe0b00,
    FIL_WIRE_JET_EXISTS_DISTRIBUTED_OBJECT = 0xfe0c00,
    FIL_WIRE_JET_GET_JOB_METRICS = 0xfe0d00,
    FIL_WIRE_JET_GET_JOB_SUSPENSION_CAUSE = 0xfe0e00,
    FIL_WIRE_JET_GET_JOB_AND_SQL_SUMMARY_LIST = 0xfe0f00,
    FIL_WIRE_JET_IS_JOB_USER_CANCELLED = 0xfe1000,
    FIL_WIRE_JET_UPLOAD_JOB_META_DATA = 0xfe1100,
    FIL_WIRE_JET_UPLOAD_JOB_MULTIPART = 0xfe1200,
    FIL_WIRE_JET_ADD_JOB_STATUS_LISTENER = 0xfe1300,
    FIL_WIRE_JET_ADD_JOB_STATUS_LISTENER_JOB_STATUS_EVENT = 0xfe1302,
    FIL_WIRE_JET_REMOVE_JOB_STATUS_LISTENER = 0xfe1400,
    FIL_WIRE_JET_UPDATE_JOB_CONFIG = 0xfe1500,
};

struct fil_wire_jet_submit_job_request {
    int64_t job_id;
    struct fil_wire_uuid light_job_coordinator;
    struct fil_bytes dag, job_config;
    bool has_light_job_coordinator; // since 2.3
};
struct fil_wire_jet_terminate_job_request {
    int64_t job_id;
    int32_t terminate_mode;
    struct fil_wire_uuid light_job_coordinator;
    bool has_light_job_coordinator; // since 2.3
};
struct fil_wire_jet_get_job_status_request {
    int64_t job_id;
};
struct fil_wire_jet_get_job_status_response {
    int32_t response;
};
struct fil_wire_jet_get_job_ids_request {
    int64_t only_job_id;
    struct fil_bytes only_name;
    bool has_only_job_id; // since 2.3
    bool has_only_name; // since 2.3
};
struct fil_wire_jet_get_job_ids_response {
    struct fil_bytes response;
    bool has_response; // since 2.3
};
struct fil_wire_jet_join_submitted_job_request {
    int64_t job_id;
    struct fil_wire_uuid light_job_coordinator;
    bool has_light_job_coordinator; // since 2.3
};
struct fil_wire_jet_get_job_submission_time_request {
    int64_t job_id;
    struct fil_wire_uuid light_job_coordinator;
    bool has_light_job_coordinator; // since 2.3
};
struct fil_wire_jet_get_job_submission_time_response {
    int64_t response;
};
struct fil_wire_jet_get_job_config_request {
    int64_t job_id;
    struct fil_wire_uuid light_job_coordinator;
    bool has_light_job_coordinator; // since 2.4
};
struct fil_wire_jet_get_job_config_response {
    struct fil_bytes response;
};
struct fil_wire_jet_resume_job_request {
    int64_t job_id;
};
struct fil_wire_jet_export_snapshot_request {
    int64_t job_id;
    bool cancel_job;
    struct fil_bytes name;
};
struct fil_wire_jet_get_job_summary_list_response {
    struct fil_bytes response;
};
struct fil_wire_jet_exists_distributed_object_request {
    struct fil_bytes service_name, object_name;
};
struct fil_wire_jet_exists_distributed_object_response {
    bool response;
};
struct fil_wire_jet_get_job_metrics_request {
    int64_t job_id;
};
struct fil_wire_jet_get_job_metrics_response {
    struct fil_bytes response;
};
struct fil_wire_jet_get_job_suspension_cause_request {
    int64_t job_id;
};
struct fil_wire_jet_get_job_suspension_cause_response {
    struct fil_bytes response;
};
struct fil_wire_jet_get_job_and_sql_summary_list_response {
    struct fil_wire_part response;
};
struct fil_wire_jet_is_job_user_cancelled_request {
    int64_t job_id;
};
struct fil_wire_jet_is_job_user_cancelled_response {
    bool response;
};
struct fil_wire_jet_upload_job_meta_data_request {
    struct fil_wire_uuid session_id;
    bool jar_on_member;
    struct fil_bytes file_name, sha256_hex, snapshot_name, job_name, main_class;
    struct fil_wire_part job_parameters;
};
struct fil_wire_jet_upload_job_multipart_request {
    struct fil_wire_uuid session_id;
    int32_t current_part_number, total_part_number, part_size;
    struct fil_bytes part_data, sha256_hex;
};
struct fil_wire_jet_add_job_status_listener_request {
    int64_t job_id;
    struct fil_wire_uuid light_job_coordinator;
    bool local_only;
};
struct fil_wire_jet_add_job_status_listener_response {
    struct fil_wire_uuid response;
};
struct fil_wire_jet_add_job_status_listener_job_status_event {
    int64_t job_id;
    int32_t previous_status, new_status;
    bool user_requested;
    struct fil_bytes description;
};
struct fil_wire_jet_remove_job_status_listener_request {
    int64_t job_id;
    struct fil_wire_uuid registration_id;
};
struct fil_wire_jet_remove_job_status_listener_response {
    bool response;
};
struct fil_wire_jet_update_job_config_request {
    int64_t job_id;
    struct fil_bytes delta_config;
};
struct fil_wire_jet_update_job_config_response {
    struct fil_bytes updated_config;
};

FIL_WIRE_DECLARE(jet_submit_job);
FIL_WIRE_DECLARE(jet_terminate_job);
FIL_WIRE_DECLARE(jet_get_job_status);
FIL_WIRE_DECLARE(jet_get_job_ids);
FIL_WIRE_DECLARE(jet_join_submitted_job);
FIL_WIRE_DECLARE(jet_get_job_submission_time);
FIL_WIRE_DECLARE(jet_get_job_config);
FIL_WIRE_DECLARE(jet_resume_job);
FIL_WIRE_DECLARE(jet_export_snapshot);
FIL_WIRE_DECLARE(jet_get_job_summary_list);
FIL_WIRE_DECLARE(jet_exists_distributed_object);
FIL_WIRE_DECLARE(jet_get_job_metrics);
FIL_WIRE_DECLARE(jet_get_job_suspension_cause);
FIL_WIRE_DECLARE(jet_get_job_and_sql_summary_list);
FIL_WIRE_DECLARE(jet_is_job_user_cancelled);
FIL_WIRE_DECLARE(jet_upload_job_meta_data);
FIL_WIRE_DECLARE(jet_upload_job_multipart);
FIL_WIRE_DECLARE(jet_add_job_status_listener);
extern const struct fil_wire_layout fil_wire_jet_add_job_status_listener_job_status_event_layout;
FIL_WIRE_DECLARE(jet_remove_job_status_listener);
FIL_WIRE_DECLARE(jet_update_job_config);
