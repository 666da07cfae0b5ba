// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** ScheduledExecutor: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_scheduled_executor_number {
    FIL_WIRE_SCHEDULED_EXECUTOR_SHUTDOWN = 0x1a0100,
    FIL_WIRE_SCHEDULED_EXECUTOR_SUBMIT_TO_PARTITION = 0x1a0200,
    FIL_WIRE_SCHEDULED_EXECUTOR_SUBMIT_TO_MEMBER = 0x1a0300,
    FIL_WIRE_SCHEDULED_EXECUTOR_GET_ALL_SCHEDULED_FUTURES = 0x1a0400,
    FIL_WIRE_SCHEDULED_EXECUTOR_GET_STATS_FROM_PARTITION = 0x1a0500,
    FIL_WIRE_SCHEDULED_EXECUTOR_GET_STATS_FROM_MEMBER = 0x1a0600,
    FIL_WIRE_SCHEDULED_EXECUTOR_GET_DELAY_FROM_PARTITION = 0x1a0700,
    FIL_WIRE_SCHEDULED_EXECUTOR_GET_DELAY_FROM_MEMBER = 0x1a0800,
    FIL_WIRE_SCHEDULED_EXECUTOR_CANCEL_FROM_PARTITION = 0x1a0900,
    FIL_WIRE_SCHEDULED_EXECUTOR_CANCEL_FROM_MEMBER = 0x1a0a00,
    FIL_WIRE_SCHEDULED_EXECUTOR_IS_CANCELLED_FROM_PARTITION = 0x1a0b00,
    FIL_WIRE_SCHEDULED_EXECUTOR_IS_CANCELLED_FROM_MEMBER = 0x1a0c00,
    FIL_WIRE_SCHEDULED_EXECUTOR_IS_DONE_FROM_PARTITION = 0x1a0d00,
    FIL_WIRE_SCHEDULED_EXECUTOR_IS_DONE_FROM_MEMBER = 0x1a0e00,
    FIL_WIRE_SCHEDULED_EXECUTOR_GET_RESULT_FROM_PARTITION = 0x1a0f00,
    FIL_WIRE_SCHEDULED_EXECUTOR_GET_RESULT_FROM_MEMBER = 0x1a1000,
    FIL_WIRE_SCHEDULED_EXECUTOR_DISPOSE_FROM_PARTITION = 0x1a1100,
    FIL_WIRE_SCHEDULED_EXECUTOR_DISPOSE_FROM_MEMBER = 0x1a1200,
};

struct fil_wire_scheduled_executor_shutdown_request {
    struct fil_wire_uuid member_uuid;
    struct fil_bytes scheduler_name;
};
struct fil_wire_scheduled_executor_submit_to_partition_request {
    int8_t type;
    int64_t initial_delay_in_millis, period_in_millis;
    bool auto_disposable;
    struct fil_bytes scheduler_name, task_name, task;
    bool has_auto_disposable; // since 2.1
};
struct fil_wire_scheduled_executor_submit_to_member_request {
    struct fil_wire_uuid member_uuid;
    int8_t type;
    int64_t initial_delay_in_millis, period_in_millis;
    bool auto_disposable;
    struct fil_bytes scheduler_name, task_name, task;
    bool has_auto_disposable; // since 2.1
};
struct fil_wire_scheduled_executor_get_all_scheduled_futures_request {
    struct fil_bytes scheduler_name;
};
struct fil_wire_scheduled_executor_get_all_scheduled_futures_response {
    struct fil_wire_part handlers;
};
struct fil_wire_scheduled_executor_get_stats_from_partition_request {
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_get_stats_from_partition_response {
    int64_t last_idle_time_nanos, total_idle_time_nanos, total_runs, total_run_time_nanos, last_run_duration_nanos;
};
struct fil_wire_scheduled_executor_get_stats_from_member_request {
    struct fil_wire_uuid member_uuid;
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_get_stats_from_member_response {
    int64_t last_idle_time_nanos, total_idle_time_nanos, total_runs, total_run_time_nanos, last_run_duration_nanos;
};
struct fil_wire_scheduled_executor_get_delay_from_partition_request {
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_get_delay_from_partition_response {
    int64_t response;
};
struct fil_wire_scheduled_executor_get_delay_from_member_request {
    struct fil_wire_uuid member_uuid;
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_get_delay_from_member_response {
    int64_t response;
};
struct fil_wire_scheduled_executor_cancel_from_partition_request {
    bool may_interrupt_if_running;
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_cancel_from_partition_response {
    bool response;
};
struct fil_wire_scheduled_executor_cancel_from_member_request {
    struct fil_wire_uuid member_uuid;
    bool may_interrupt_if_running;
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_cancel_from_member_response {
    bool response;
};
struct fil_wire_scheduled_executor_is_cancelled_from_partition_request {
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_is_cancelled_from_partition_response {
    bool response;
};
struct fil_wire_scheduled_executor_is_cancelled_from_member_request {
    struct fil_wire_uuid member_uuid;
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_is_cancelled_from_member_response {
    bool response;
};
struct fil_wire_scheduled_executor_is_done_from_partition_request {
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_is_done_from_partition_response {
    bool response;
};
struct fil_wire_scheduled_executor_is_done_from_member_request {
    struct fil_wire_uuid member_uuid;
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_is_done_from_member_response {
    bool response;
};
struct fil_wire_scheduled_executor_get_result_from_partition_request {
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_get_result_from_partition_response {
    struct fil_bytes response;
};
struct fil_wire_scheduled_executor_get_result_from_member_request {
    struct fil_wire_uuid member_uuid;
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_get_result_from_member_response {
    struct fil_bytes response;
};
struct fil_wire_scheduled_executor_dispose_from_partition_request {
    struct fil_bytes scheduler_name, task_name;
};
struct fil_wire_scheduled_executor_dispose_from_member_request {
    struct fil_wire_uuid member_uuid;
    struct fil_bytes scheduler_name, task_name;
};

FIL_WIRE_DECLARE(scheduled_executor_shutdown);
FIL_WIRE_DECLARE(scheduled_executor_submit_to_partition);
FIL_WIRE_DECLARE(scheduled_executor_submit_to_member);
FIL_WIRE_DECLARE(scheduled_executor_get_all_scheduled_futures);
FIL_WIRE_DECLARE(scheduled_executor_get_stats_from_partition);
FIL_WIRE_DECLARE(scheduled_executor_get_stats_from_member);
FIL_WIRE_DECLARE(scheduled_executor_get_delay_from_partition);
FIL_WIRE_DECLARE(scheduled_executor_get_delay_from_member);
FIL_WIRE_DECLARE(scheduled_executor_cancel_from_partition);
FIL_WIRE_DECLARE(scheduled_executor_cancel_from_member);
FIL_WIRE_DECLARE(scheduled_executor_is_cancelled_from_partition);
FIL_WIRE_DECLARE(scheduled_executor_is_cancelled_from_member);
FIL_WIRE_DECLARE(scheduled_executor_is_done_from_partition);
FIL_WIRE_DECLARE(scheduled_executor_is_done_from_member);
FIL_WIRE_DECLARE(scheduled_executor_get_result_from_partition);
FIL_WIRE_DECLARE(scheduled_executor_get_result_from_member);
FIL_WIRE_DECLARE(scheduled_executor_dispose_from_partition);
FIL_WIRE_DECLARE(scheduled_executor_dispose_from_member);
