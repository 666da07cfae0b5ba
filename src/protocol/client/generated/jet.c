// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/jet.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field jet_submit_job_request_fields[] = {
    FIL_WIRE_FIELD(jet_submit_job_request, job_id, i64, 0),
    FIL_WIRE_NEWER(jet_submit_job_request, light_job_coordinator, uuid, 8),
    FIL_WIRE_FIELD(jet_submit_job_request, dag, data, 0),
    FIL_WIRE_FIELD(jet_submit_job_request, job_config, data_or_null, 0),
};
static const struct fil_wire_field jet_terminate_job_request_fields[] = {
    FIL_WIRE_FIELD(jet_terminate_job_request, job_id, i64, 0),
    FIL_WIRE_FIELD(jet_terminate_job_request, terminate_mode, i32, 8),
    FIL_WIRE_NEWER(jet_terminate_job_request, light_job_coordinator, uuid, 12),
};
static const struct fil_wire_field jet_get_job_status_request_fields[] = {
    FIL_WIRE_FIELD(jet_get_job_status_request, job_id, i64, 0),
};
static const struct fil_wire_field jet_get_job_status_response_fields[] = {
    FIL_WIRE_FIELD(jet_get_job_status_response, response, i32, 0),
};
static const struct fil_wire_field jet_get_job_ids_request_fields[] = {
    FIL_WIRE_NEWER(jet_get_job_ids_request, only_job_id, i64, 0),
    FIL_WIRE_NEWER(jet_get_job_ids_request, only_name, string_or_null, 0),
};
static const struct fil_wire_field jet_get_job_ids_response_fields[] = {
    FIL_WIRE_NEWER(jet_get_job_ids_response, response, data, 0),
};
static const struct fil_wire_field jet_join_submitted_job_request_fields[] = {
    FIL_WIRE_FIELD(jet_join_submitted_job_request, job_id, i64, 0),
    FIL_WIRE_NEWER(jet_join_submitted_job_request, light_job_coordinator, uuid, 8),
};
static const struct fil_wire_field jet_get_job_submission_time_response_fields[] = {
    FIL_WIRE_FIELD(jet_get_job_submission_time_response, response, i64, 0),
};
static const struct fil_wire_field jet_get_job_config_request_fields[] = {
    FIL_WIRE_FIELD(jet_get_job_config_request, job_id, i64, 0),
    FIL_WIRE_NEWER(jet_get_job_config_request, light_job_coordinator, uuid, 8),
};
static const struct fil_wire_field jet_get_job_config_response_fields[] = {
    FIL_WIRE_FIELD(jet_get_job_config_response, response, data, 0),
};
static const struct fil_wire_field jet_export_snapshot_request_fields[] = {
    FIL_WIRE_FIELD(jet_export_snapshot_request, job_id, i64, 0),
    FIL_WIRE_FIELD(jet_export_snapshot_request, cancel_job, bool, 8),
    FIL_WIRE_FIELD(jet_export_snapshot_request, name, string, 0),
};
static const struct fil_wire_field jet_exists_distributed_object_request_fields[] = {
    FIL_WIRE_FIELD(jet_exists_distributed_object_request, service_name, string, 0),
    FIL_WIRE_FIELD(jet_exists_distributed_object_request, object_name, string, 0),
};
static const struct fil_wire_field jet_exists_distributed_object_response_fields[] = {
    FIL_WIRE_FIELD(jet_exists_distributed_object_response, response, bool, 0),
};
static const struct fil_wire_field jet_get_job_and_sql_summary_list_response_fields[] = {
    FIL_WIRE_FIELD(jet_get_job_and_sql_summary_list_response, response, list_job_and_sql_summary, 0),
};
static const struct fil_wire_field jet_upload_job_meta_data_request_fields[] = {
    FIL_WIRE_FIELD(jet_upload_job_meta_data_request, session_id, uuid, 0),
    FIL_WIRE_FIELD(jet_upload_job_meta_data_request, jar_on_member, bool, 17),
    FIL_WIRE_FIELD(jet_upload_job_meta_data_request, file_name, string, 0),
    FIL_WIRE_FIELD(jet_upload_job_meta_data_request, sha256_hex, string, 0),
    FIL_WIRE_FIELD(jet_upload_job_meta_data_request, snapshot_name, string_or_null, 0),
    FIL_WIRE_FIELD(jet_upload_job_meta_data_request, job_name, string_or_null, 0),
    FIL_WIRE_FIELD(jet_upload_job_meta_data_request, main_class, string_or_null, 0),
    FIL_WIRE_FIELD(jet_upload_job_meta_data_request, job_parameters, list_string, 0),
};
static const struct fil_wire_field jet_upload_job_multipart_request_fields[] = {
    FIL_WIRE_FIELD(jet_upload_job_multipart_request, session_id, uuid, 0),
    FIL_WIRE_FIELD(jet_upload_job_multipart_request, current_part_number, i32, 17),
    FIL_WIRE_FIELD(jet_upload_job_multipart_request, total_part_number, i32, 21),
    FIL_WIRE_FIELD(jet_upload_job_multipart_request, part_size, i32, 25),
    FIL_WIRE_FIELD(jet_upload_job_multipart_request, part_data, bytes, 0),
    FIL_WIRE_FIELD(jet_upload_job_multipart_request, sha256_hex, string, 0),
};
static const struct fil_wire_field jet_add_job_status_listener_request_fields[] = {
    FIL_WIRE_FIELD(jet_add_job_status_listener_request, job_id, i64, 0),
    FIL_WIRE_FIELD(jet_add_job_status_listener_request, light_job_coordinator, uuid, 8),
    FIL_WIRE_FIELD(jet_add_job_status_listener_request, local_only, bool, 25),
};
static const struct fil_wire_field jet_add_job_status_listener_response_fields[] = {
    FIL_WIRE_FIELD(jet_add_job_status_listener_response, response, uuid, 0),
};
static const struct fil_wire_field jet_add_job_status_listener_job_status_event_fields[] = {
    FIL_WIRE_FIELD(jet_add_job_status_listener_job_status_event, job_id, i64, 0),
    FIL_WIRE_FIELD(jet_add_job_status_listener_job_status_event, previous_status, i32, 8),
    FIL_WIRE_FIELD(jet_add_job_status_listener_job_status_event, new_status, i32, 12),
    FIL_WIRE_FIELD(jet_add_job_status_listener_job_status_event, user_requested, bool, 16),
    FIL_WIRE_FIELD(jet_add_job_status_listener_job_status_event, description, string_or_null, 0),
};
static const struct fil_wire_field jet_remove_job_status_listener_request_fields[] = {
    FIL_WIRE_FIELD(jet_remove_job_status_listener_request, job_id, i64, 0),
    FIL_WIRE_FIELD(jet_remove_job_status_listener_request, registration_id, uuid, 8),
};
static const struct fil_wire_field jet_update_job_config_request_fields[] = {
    FIL_WIRE_FIELD(jet_update_job_config_request, job_id, i64, 0),
    FIL_WIRE_FIELD(jet_update_job_config_request, delta_config, data, 0),
};
static const struct fil_wire_field jet_update_job_config_response_fields[] = {
    FIL_WIRE_FIELD(jet_update_job_config_response, updated_config, data, 0),
};

FIL_WIRE_LAYOUT_MAKE(jet_submit_job_request, "Jet.submitJob", REQUEST, 0xfe0100, jet_submit_job_request_fields, 2, 8, 25);
FIL_WIRE_LAYOUT_EMPTY(jet_submit_job_response, "Jet.submitJob", RESPONSE, 0xfe0101);
FIL_WIRE_LAYOUT_MAKE(jet_terminate_job_request, "Jet.terminateJob", REQUEST, 0xfe0200, jet_terminate_job_request_fields, 3, 12, 29);
FIL_WIRE_LAYOUT_EMPTY(jet_terminate_job_response, "Jet.terminateJob", RESPONSE, 0xfe0201);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_status_request, "Jet.getJobStatus", REQUEST, 0xfe0300, jet_get_job_status_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_status_response, "Jet.getJobStatus", RESPONSE, 0xfe0301, jet_get_job_status_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_ids_request, "Jet.getJobIds", REQUEST, 0xfe0400, jet_get_job_ids_request_fields, 1, 0, 8);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_ids_response, "Jet.getJobIds", RESPONSE, 0xfe0401, jet_get_job_ids_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(jet_join_submitted_job_request, "Jet.joinSubmittedJob", REQUEST, 0xfe0500, jet_join_submitted_job_request_fields, 2, 8, 25);
FIL_WIRE_LAYOUT_EMPTY(jet_join_submitted_job_response, "Jet.joinSubmittedJob", RESPONSE, 0xfe0501);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_submission_time_request, "Jet.getJobSubmissionTime", REQUEST, 0xfe0700, jet_join_submitted_job_request_fields, 2, 8, 25);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_submission_time_response, "Jet.getJobSubmissionTime", RESPONSE, 0xfe0701, jet_get_job_submission_time_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_config_request, "Jet.getJobConfig", REQUEST, 0xfe0800, jet_get_job_config_request_fields, 2, 8, 25);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_config_response, "Jet.getJobConfig", RESPONSE, 0xfe0801, jet_get_job_config_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(jet_resume_job_request, "Jet.resumeJob", REQUEST, 0xfe0900, jet_get_job_status_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_EMPTY(jet_resume_job_response, "Jet.resumeJob", RESPONSE, 0xfe0901);
FIL_WIRE_LAYOUT_MAKE(jet_export_snapshot_request, "Jet.exportSnapshot", REQUEST, 0xfe0a00, jet_export_snapshot_request_fields, 2, 9, 9);
FIL_WIRE_LAYOUT_EMPTY(jet_export_snapshot_response, "Jet.exportSnapshot", RESPONSE, 0xfe0a01);
FIL_WIRE_LAYOUT_EMPTY(jet_get_job_summary_list_request, "Jet.getJobSummaryList", REQUEST, 0xfe0b00);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_summary_list_response, "Jet.getJobSummaryList", RESPONSE, 0xfe0b01, jet_get_job_config_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(jet_exists_distributed_object_request, "Jet.existsDistributedObject", REQUEST, 0xfe0c00, jet_exists_distributed_object_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(jet_exists_distributed_object_response, "Jet.existsDistributedObject", RESPONSE, 0xfe0c01, jet_exists_distributed_object_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_metrics_request, "Jet.getJobMetrics", REQUEST, 0xfe0d00, jet_get_job_status_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_metrics_response, "Jet.getJobMetrics", RESPONSE, 0xfe0d01, jet_get_job_config_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_suspension_cause_request, "Jet.getJobSuspensionCause", REQUEST, 0xfe0e00, jet_get_job_status_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_suspension_cause_response, "Jet.getJobSuspensionCause", RESPONSE, 0xfe0e01, jet_get_job_config_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(jet_get_job_and_sql_summary_list_request, "Jet.getJobAndSqlSummaryList", REQUEST, 0xfe0f00);
FIL_WIRE_LAYOUT_MAKE(jet_get_job_and_sql_summary_list_response, "Jet.getJobAndSqlSummaryList", RESPONSE, 0xfe0f01, jet_get_job_and_sql_summary_list_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(jet_is_job_user_cancelled_request, "Jet.isJobUserCancelled", REQUEST, 0xfe1000, jet_get_job_status_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(jet_is_job_user_cancelled_response, "Jet.isJobUserCancelled", RESPONSE, 0xfe1001, jet_exists_distributed_object_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(jet_upload_job_meta_data_request, "Jet.uploadJobMetaData", REQUEST, 0xfe1100, jet_upload_job_meta_data_request_fields, 2, 18, 18);
FIL_WIRE_LAYOUT_EMPTY(jet_upload_job_meta_data_response, "Jet.uploadJobMetaData", RESPONSE, 0xfe1101);
FIL_WIRE_LAYOUT_MAKE(jet_upload_job_multipart_request, "Jet.uploadJobMultipart", REQUEST, 0xfe1200, jet_upload_job_multipart_request_fields, 4, 29, 29);
FIL_WIRE_LAYOUT_EMPTY(jet_upload_job_multipart_response, "Jet.uploadJobMultipart", RESPONSE, 0xfe1201);
FIL_WIRE_LAYOUT_MAKE(jet_add_job_status_listener_request, "Jet.addJobStatusListener", REQUEST, 0xfe1300, jet_add_job_status_listener_request_fields, 3, 26, 26);
FIL_WIRE_LAYOUT_MAKE(jet_add_job_status_listener_response, "Jet.addJobStatusListener", RESPONSE, 0xfe1301, jet_add_job_status_listener_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(jet_add_job_status_listener_job_status_event, "Jet.addJobStatusListener", EVENT, 0xfe1302, jet_add_job_status_listener_job_status_event_fields, 4, 17, 17);
FIL_WIRE_LAYOUT_MAKE(jet_remove_job_status_listener_request, "Jet.removeJobStatusListener", REQUEST, 0xfe1400, jet_remove_job_status_listener_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(jet_remove_job_status_listener_response, "Jet.removeJobStatusListener", RESPONSE, 0xfe1401, jet_exists_distributed_object_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(jet_update_job_config_request, "Jet.updateJobConfig", REQUEST, 0xfe1500, jet_update_job_config_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(jet_update_job_config_response, "Jet.updateJobConfig", RESPONSE, 0xfe1501, jet_update_job_config_response_fields, 0, 0, 0);

static const struct fil_wire_layout *const jet_add_job_status_listener_events[] = {&fil_wire_jet_add_job_status_listener_job_status_event_layout};

const struct fil_wire_message fil_wire_jet_messages[] = {
    FIL_WIRE_MESSAGE(jet_submit_job, "jet.submit_job", 0xfe0100, false, 0, NULL),
    FIL_WIRE_MESSAGE(jet_terminate_job, "jet.terminate_job", 0xfe0200, false, 0, NULL),
    FIL_WIRE_MESSAGE(jet_get_job_status, "jet.get_job_status", 0xfe0300, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_get_job_ids, "jet.get_job_ids", 0xfe0400, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_join_submitted_job, "jet.join_submitted_job", 0xfe0500, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_get_job_submission_time, "jet.get_job_submission_time", 0xfe0700, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_get_job_config, "jet.get_job_config", 0xfe0800, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_resume_job, "jet.resume_job", 0xfe0900, false, 0, NULL),
    FIL_WIRE_MESSAGE(jet_export_snapshot, "jet.export_snapshot", 0xfe0a00, false, 0, NULL),
    FIL_WIRE_MESSAGE(jet_get_job_summary_list, "jet.get_job_summary_list", 0xfe0b00, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_exists_distributed_object, "jet.exists_distributed_object", 0xfe0c00, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_get_job_metrics, "jet.get_job_metrics", 0xfe0d00, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_get_job_suspension_cause, "jet.get_job_suspension_cause", 0xfe0e00, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_get_job_and_sql_summary_list, "jet.get_job_and_sql_summary_list", 0xfe0f00, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_is_job_user_cancelled, "jet.is_job_user_cancelled", 0xfe1000, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_upload_job_meta_data, "jet.upload_job_meta_data", 0xfe1100, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_upload_job_multipart, "jet.upload_job_multipart", 0xfe1200, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_add_job_status_listener, "jet.add_job_status_listener", 0xfe1300, false, 1, jet_add_job_status_listener_events),
    FIL_WIRE_MESSAGE(jet_remove_job_status_listener, "jet.remove_job_status_listener", 0xfe1400, true, 0, NULL),
    FIL_WIRE_MESSAGE(jet_update_job_config, "jet.update_job_config", 0xfe1500, true, 0, NULL),
};
