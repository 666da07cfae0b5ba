// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/scheduled_executor.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field scheduled_executor_shutdown_request_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_shutdown_request, member_uuid, uuid, 0),
    FIL_WIRE_FIELD(scheduled_executor_shutdown_request, scheduler_name, string, 0),
};
static const struct fil_wire_field scheduled_executor_submit_to_partition_request_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_submit_to_partition_request, type, i8, 0),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_partition_request, initial_delay_in_millis, i64, 1),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_partition_request, period_in_millis, i64, 9),
    FIL_WIRE_NEWER(scheduled_executor_submit_to_partition_request, auto_disposable, bool, 17),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_partition_request, scheduler_name, string, 0),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_partition_request, task_name, string, 0),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_partition_request, task, data, 0),
};
static const struct fil_wire_field scheduled_executor_submit_to_member_request_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_submit_to_member_request, member_uuid, uuid, 0),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_member_request, type, i8, 17),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_member_request, initial_delay_in_millis, i64, 18),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_member_request, period_in_millis, i64, 26),
    FIL_WIRE_NEWER(scheduled_executor_submit_to_member_request, auto_disposable, bool, 34),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_member_request, scheduler_name, string, 0),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_member_request, task_name, string, 0),
    FIL_WIRE_FIELD(scheduled_executor_submit_to_member_request, task, data, 0),
};
static const struct fil_wire_field scheduled_executor_get_all_scheduled_futures_request_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_get_all_scheduled_futures_request, scheduler_name, string, 0),
};
static const struct fil_wire_field scheduled_executor_get_all_scheduled_futures_response_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_get_all_scheduled_futures_response, handlers, list_scheduled_task_handler, 0),
};
static const struct fil_wire_field scheduled_executor_get_stats_from_partition_request_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_get_stats_from_partition_request, scheduler_name, string, 0),
    FIL_WIRE_FIELD(scheduled_executor_get_stats_from_partition_request, task_name, string, 0),
};
static const struct fil_wire_field scheduled_executor_get_stats_from_partition_response_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_get_stats_from_partition_response, last_idle_time_nanos, i64, 0),
    FIL_WIRE_FIELD(scheduled_executor_get_stats_from_partition_response, total_idle_time_nanos, i64, 8),
    FIL_WIRE_FIELD(scheduled_executor_get_stats_from_partition_response, total_runs, i64, 16),
    FIL_WIRE_FIELD(scheduled_executor_get_stats_from_partition_response, total_run_time_nanos, i64, 24),
    FIL_WIRE_FIELD(scheduled_executor_get_stats_from_partition_response, last_run_duration_nanos, i64, 32),
};
static const struct fil_wire_field scheduled_executor_get_stats_from_member_request_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_get_stats_from_member_request, member_uuid, uuid, 0),
    FIL_WIRE_FIELD(scheduled_executor_get_stats_from_member_request, scheduler_name, string, 0),
    FIL_WIRE_FIELD(scheduled_executor_get_stats_from_member_request, task_name, string, 0),
};
static const struct fil_wire_field scheduled_executor_get_delay_from_partition_response_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_get_delay_from_partition_response, response, i64, 0),
};
static const struct fil_wire_field scheduled_executor_cancel_from_partition_request_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_cancel_from_partition_request, may_interrupt_if_running, bool, 0),
    FIL_WIRE_FIELD(scheduled_executor_cancel_from_partition_request, scheduler_name, string, 0),
    FIL_WIRE_FIELD(scheduled_executor_cancel_from_partition_request, task_name, string, 0),
};
static const struct fil_wire_field scheduled_executor_cancel_from_partition_response_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_cancel_from_partition_response, response, bool, 0),
};
static const struct fil_wire_field scheduled_executor_cancel_from_member_request_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_cancel_from_member_request, member_uuid, uuid, 0),
    FIL_WIRE_FIELD(scheduled_executor_cancel_from_member_request, may_interrupt_if_running, bool, 17),
    FIL_WIRE_FIELD(scheduled_executor_cancel_from_member_request, scheduler_name, string, 0),
    FIL_WIRE_FIELD(scheduled_executor_cancel_from_member_request, task_name, string, 0),
};
static const struct fil_wire_field scheduled_executor_get_result_from_partition_response_fields[] = {
    FIL_WIRE_FIELD(scheduled_executor_get_result_from_partition_response, response, data_or_null, 0),
};

FIL_WIRE_LAYOUT_MAKE(scheduled_executor_shutdown_request, "ScheduledExecutor.shutdown", REQUEST, 0x1a0100, scheduled_executor_shutdown_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(scheduled_executor_shutdown_response, "ScheduledExecutor.shutdown", RESPONSE, 0x1a0101);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_submit_to_partition_request, "ScheduledExecutor.submitToPartition", REQUEST, 0x1a0200, scheduled_executor_submit_to_partition_request_fields, 4, 17, 18);
FIL_WIRE_LAYOUT_EMPTY(scheduled_executor_submit_to_partition_response, "ScheduledExecutor.submitToPartition", RESPONSE, 0x1a0201);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_submit_to_member_request, "ScheduledExecutor.submitToMember", REQUEST, 0x1a0300, scheduled_executor_submit_to_member_request_fields, 5, 34, 35);
FIL_WIRE_LAYOUT_EMPTY(scheduled_executor_submit_to_member_response, "ScheduledExecutor.submitToMember", RESPONSE, 0x1a0301);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_all_scheduled_futures_request, "ScheduledExecutor.getAllScheduledFutures", REQUEST, 0x1a0400, scheduled_executor_get_all_scheduled_futures_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_all_scheduled_futures_response, "ScheduledExecutor.getAllScheduledFutures", RESPONSE, 0x1a0401, scheduled_executor_get_all_scheduled_futures_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_stats_from_partition_request, "ScheduledExecutor.getStatsFromPartition", REQUEST, 0x1a0500, scheduled_executor_get_stats_from_partition_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_stats_from_partition_response, "ScheduledExecutor.getStatsFromPartition", RESPONSE, 0x1a0501, scheduled_executor_get_stats_from_partition_response_fields, 5, 40, 40);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_stats_from_member_request, "ScheduledExecutor.getStatsFromMember", REQUEST, 0x1a0600, scheduled_executor_get_stats_from_member_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_stats_from_member_response, "ScheduledExecutor.getStatsFromMember", RESPONSE, 0x1a0601, scheduled_executor_get_stats_from_partition_response_fields, 5, 40, 40);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_delay_from_partition_request, "ScheduledExecutor.getDelayFromPartition", REQUEST, 0x1a0700, scheduled_executor_get_stats_from_partition_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_delay_from_partition_response, "ScheduledExecutor.getDelayFromPartition", RESPONSE, 0x1a0701, scheduled_executor_get_delay_from_partition_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_delay_from_member_request, "ScheduledExecutor.getDelayFromMember", REQUEST, 0x1a0800, scheduled_executor_get_stats_from_member_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_delay_from_member_response, "ScheduledExecutor.getDelayFromMember", RESPONSE, 0x1a0801, scheduled_executor_get_delay_from_partition_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_cancel_from_partition_request, "ScheduledExecutor.cancelFromPartition", REQUEST, 0x1a0900, scheduled_executor_cancel_from_partition_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_cancel_from_partition_response, "ScheduledExecutor.cancelFromPartition", RESPONSE, 0x1a0901, scheduled_executor_cancel_from_partition_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_cancel_from_member_request, "ScheduledExecutor.cancelFromMember", REQUEST, 0x1a0a00, scheduled_executor_cancel_from_member_request_fields, 2, 18, 18);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_cancel_from_member_response, "ScheduledExecutor.cancelFromMember", RESPONSE, 0x1a0a01, scheduled_executor_cancel_from_partition_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_is_cancelled_from_partition_request, "ScheduledExecutor.isCancelledFromPartition", REQUEST, 0x1a0b00, scheduled_executor_get_stats_from_partition_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_is_cancelled_from_partition_response, "ScheduledExecutor.isCancelledFromPartition", RESPONSE, 0x1a0b01, scheduled_executor_cancel_from_partition_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_is_cancelled_from_member_request, "ScheduledExecutor.isCancelledFromMember", REQUEST, 0x1a0c00, scheduled_executor_get_stats_from_member_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_is_cancelled_from_member_response, "ScheduledExecutor.isCancelledFromMember", RESPONSE, 0x1a0c01, scheduled_executor_cancel_from_partition_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_is_done_from_partition_request, "ScheduledExecutor.isDoneFromPartition", REQUEST, 0x1a0d00, scheduled_executor_get_stats_from_partition_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_is_done_from_partition_response, "ScheduledExecutor.isDoneFromPartition", RESPONSE, 0x1a0d01, scheduled_executor_cancel_from_partition_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_is_done_from_member_request, "ScheduledExecutor.isDoneFromMember", REQUEST, 0x1a0e00, scheduled_executor_get_stats_from_member_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_is_done_from_member_response, "ScheduledExecutor.isDoneFromMember", RESPONSE, 0x1a0e01, scheduled_executor_cancel_from_partition_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_result_from_partition_request, "ScheduledExecutor.getResultFromPartition", REQUEST, 0x1a0f00, scheduled_executor_get_stats_from_partition_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_result_from_partition_response, "ScheduledExecutor.getResultFromPartition", RESPONSE, 0x1a0f01, scheduled_executor_get_result_from_partition_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_result_from_member_request, "ScheduledExecutor.getResultFromMember", REQUEST, 0x1a1000, scheduled_executor_get_stats_from_member_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_get_result_from_member_response, "ScheduledExecutor.getResultFromMember", RESPONSE, 0x1a1001, scheduled_executor_get_result_from_partition_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_dispose_from_partition_request, "ScheduledExecutor.disposeFromPartition", REQUEST, 0x1a1100, scheduled_executor_get_stats_from_partition_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(scheduled_executor_dispose_from_partition_response, "ScheduledExecutor.disposeFromPartition", RESPONSE, 0x1a1101);
FIL_WIRE_LAYOUT_MAKE(scheduled_executor_dispose_from_member_request, "ScheduledExecutor.disposeFromMember", REQUEST, 0x1a1200, scheduled_executor_get_stats_from_member_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(scheduled_executor_dispose_from_member_response, "ScheduledExecutor.disposeFromMember", RESPONSE, 0x1a1201);


const struct fil_wire_message fil_wire_scheduled_executor_messages[] = {
    FIL_WIRE_MESSAGE(scheduled_executor_shutdown, "scheduled_executor.shutdown", 0x1a0100, false, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_submit_to_partition, "scheduled_executor.submit_to_partition", 0x1a0200, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_submit_to_member, "scheduled_executor.submit_to_member", 0x1a0300, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_get_all_scheduled_futures, "scheduled_executor.get_all_scheduled_futures", 0x1a0400, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_get_stats_from_partition, "scheduled_executor.get_stats_from_partition", 0x1a0500, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_get_stats_from_member, "scheduled_executor.get_stats_from_member", 0x1a0600, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_get_delay_from_partition, "scheduled_executor.get_delay_from_partition", 0x1a0700, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_get_delay_from_member, "scheduled_executor.get_delay_from_member", 0x1a0800, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_cancel_from_partition, "scheduled_executor.cancel_from_partition", 0x1a0900, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_cancel_from_member, "scheduled_executor.cancel_from_member", 0x1a0a00, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_is_cancelled_from_partition, "scheduled_executor.is_cancelled_from_partition", 0x1a0b00, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_is_cancelled_from_member, "scheduled_executor.is_cancelled_from_member", 0x1a0c00, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_is_done_from_partition, "scheduled_executor.is_done_from_partition", 0x1a0d00, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_is_done_from_member, "scheduled_executor.is_done_from_member", 0x1a0e00, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_get_result_from_partition, "scheduled_executor.get_result_from_partition", 0x1a0f00, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_get_result_from_member, "scheduled_executor.get_result_from_member", 0x1a1000, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_dispose_from_partition, "scheduled_executor.dispose_from_partition", 0x1a1100, true, 0, NULL),
    FIL_WIRE_MESSAGE(scheduled_executor_dispose_from_member, "scheduled_executor.dispose_from_member", 0x1a1200, true, 0, NULL),
};
