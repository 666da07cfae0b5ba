// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/executor_service.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field executor_service_shutdown_request_fields[] = {
    FIL_WIRE_FIELD(executor_service_shutdown_request, name, string, 0),
};
static const struct fil_wire_field executor_service_is_shutdown_response_fields[] = {
    FIL_WIRE_FIELD(executor_service_is_shutdown_response, response, bool, 0),
};
static const struct fil_wire_field executor_service_cancel_on_partition_request_fields[] = {
    FIL_WIRE_FIELD(executor_service_cancel_on_partition_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(executor_service_cancel_on_partition_request, interrupt, bool, 17),
};
static const struct fil_wire_field executor_service_cancel_on_member_request_fields[] = {
    FIL_WIRE_FIELD(executor_service_cancel_on_member_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(executor_service_cancel_on_member_request, member_uuid, uuid, 17),
    FIL_WIRE_FIELD(executor_service_cancel_on_member_request, interrupt, bool, 34),
};
static const struct fil_wire_field executor_service_submit_to_partition_request_fields[] = {
    FIL_WIRE_FIELD(executor_service_submit_to_partition_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(executor_service_submit_to_partition_request, name, string, 0),
    FIL_WIRE_FIELD(executor_service_submit_to_partition_request, callable, data, 0),
};
static const struct fil_wire_field executor_service_submit_to_partition_response_fields[] = {
    FIL_WIRE_FIELD(executor_service_submit_to_partition_response, response, data_or_null, 0),
};
static const struct fil_wire_field executor_service_submit_to_member_request_fields[] = {
    FIL_WIRE_FIELD(executor_service_submit_to_member_request, uuid, uuid, 0),
    FIL_WIRE_FIELD(executor_service_submit_to_member_request, member_uuid, uuid, 17),
    FIL_WIRE_FIELD(executor_service_submit_to_member_request, name, string, 0),
    FIL_WIRE_FIELD(executor_service_submit_to_member_request, callable, data, 0),
};

FIL_WIRE_LAYOUT_MAKE(executor_service_shutdown_request, "ExecutorService.shutdown", REQUEST, 0x080100, executor_service_shutdown_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(executor_service_shutdown_response, "ExecutorService.shutdown", RESPONSE, 0x080101);
FIL_WIRE_LAYOUT_MAKE(executor_service_is_shutdown_request, "ExecutorService.isShutdown", REQUEST, 0x080200, executor_service_shutdown_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(executor_service_is_shutdown_response, "ExecutorService.isShutdown", RESPONSE, 0x080201, executor_service_is_shutdown_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(executor_service_cancel_on_partition_request, "ExecutorService.cancelOnPartition", REQUEST, 0x080300, executor_service_cancel_on_partition_request_fields, 2, 18, 18);
FIL_WIRE_LAYOUT_MAKE(executor_service_cancel_on_partition_response, "ExecutorService.cancelOnPartition", RESPONSE, 0x080301, executor_service_is_shutdown_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(executor_service_cancel_on_member_request, "ExecutorService.cancelOnMember", REQUEST, 0x080400, executor_service_cancel_on_member_request_fields, 3, 35, 35);
FIL_WIRE_LAYOUT_MAKE(executor_service_cancel_on_member_response, "ExecutorService.cancelOnMember", RESPONSE, 0x080401, executor_service_is_shutdown_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(executor_service_submit_to_partition_request, "ExecutorService.submitToPartition", REQUEST, 0x080500, executor_service_submit_to_partition_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(executor_service_submit_to_partition_response, "ExecutorService.submitToPartition", RESPONSE, 0x080501, executor_service_submit_to_partition_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(executor_service_submit_to_member_request, "ExecutorService.submitToMember", REQUEST, 0x080600, executor_service_submit_to_member_request_fields, 2, 34, 34);
FIL_WIRE_LAYOUT_MAKE(executor_service_submit_to_member_response, "ExecutorService.submitToMember", RESPONSE, 0x080601, executor_service_submit_to_partition_response_fields, 0, 0, 0);


const struct fil_wire_message fil_wire_executor_service_messages[] = {
    FIL_WIRE_MESSAGE(executor_service_shutdown, "executor_service.shutdown", 0x080100, false, 0, NULL),
    FIL_WIRE_MESSAGE(executor_service_is_shutdown, "executor_service.is_shutdown", 0x080200, false, 0, NULL),
    FIL_WIRE_MESSAGE(executor_service_cancel_on_partition, "executor_service.cancel_on_partition", 0x080300, false, 0, NULL),
    FIL_WIRE_MESSAGE(executor_service_cancel_on_member, "executor_service.cancel_on_member", 0x080400, false, 0, NULL),
    FIL_WIRE_MESSAGE(executor_service_submit_to_partition, "executor_service.submit_to_partition", 0x080500, false, 0, NULL),
    FIL_WIRE_MESSAGE(executor_service_submit_to_member, "executor_service.submit_to_member", 0x080600, false, 0, NULL),
};
