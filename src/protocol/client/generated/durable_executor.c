// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/durable_executor.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field durable_executor_shutdown_request_fields[] = {
    FIL_WIRE_FIELD(durable_executor_shutdown_request, name, string, 0),
};
static const struct fil_wire_field durable_executor_is_shutdown_response_fields[] = {
    FIL_WIRE_FIELD(durable_executor_is_shutdown_response, response, bool, 0),
};
static const struct fil_wire_field durable_executor_submit_to_partition_request_fields[] = {
    FIL_WIRE_FIELD(durable_executor_submit_to_partition_request, name, string, 0),
    FIL_WIRE_FIELD(durable_executor_submit_to_partition_request, callable, data, 0),
};
static const struct fil_wire_field durable_executor_submit_to_partition_response_fields[] = {
    FIL_WIRE_FIELD(durable_executor_submit_to_partition_response, response, i32, 0),
};
static const struct fil_wire_field durable_executor_retrieve_result_request_fields[] = {
    FIL_WIRE_FIELD(durable_executor_retrieve_result_request, sequence, i32, 0),
    FIL_WIRE_FIELD(durable_executor_retrieve_result_request, name, string, 0),
};
static const struct fil_wire_field durable_executor_retrieve_result_response_fields[] = {
    FIL_WIRE_FIELD(durable_executor_retrieve_result_response, response, data_or_null, 0),
};

FIL_WIRE_LAYOUT_MAKE(durable_executor_shutdown_request, "DurableExecutor.shutdown", REQUEST, 0x180100, durable_executor_shutdown_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(durable_executor_shutdown_response, "DurableExecutor.shutdown", RESPONSE, 0x180101);
FIL_WIRE_LAYOUT_MAKE(durable_executor_is_shutdown_request, "DurableExecutor.isShutdown", REQUEST, 0x180200, durable_executor_shutdown_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(durable_executor_is_shutdown_response, "DurableExecutor.isShutdown", RESPONSE, 0x180201, durable_executor_is_shutdown_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(durable_executor_submit_to_partition_request, "DurableExecutor.submitToPartition", REQUEST, 0x180300, durable_executor_submit_to_partition_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(durable_executor_submit_to_partition_response, "DurableExecutor.submitToPartition", RESPONSE, 0x180301, durable_executor_submit_to_partition_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(durable_executor_retrieve_result_request, "DurableExecutor.retrieveResult", REQUEST, 0x180400, durable_executor_retrieve_result_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(durable_executor_retrieve_result_response, "DurableExecutor.retrieveResult", RESPONSE, 0x180401, durable_executor_retrieve_result_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(durable_executor_dispose_result_request, "DurableExecutor.disposeResult", REQUEST, 0x180500, durable_executor_retrieve_result_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_EMPTY(durable_executor_dispose_result_response, "DurableExecutor.disposeResult", RESPONSE, 0x180501);
FIL_WIRE_LAYOUT_MAKE(durable_executor_retrieve_and_dispose_result_request, "DurableExecutor.retrieveAndDisposeResult", REQUEST, 0x180600, durable_executor_retrieve_result_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(durable_executor_retrieve_and_dispose_result_response, "DurableExecutor.retrieveAndDisposeResult", RESPONSE, 0x180601, durable_executor_retrieve_result_response_fields, 0, 0, 0);


const struct fil_wire_message fil_wire_durable_executor_messages[] = {
    FIL_WIRE_MESSAGE(durable_executor_shutdown, "durable_executor.shutdown", 0x180100, false, 0, NULL),
    FIL_WIRE_MESSAGE(durable_executor_is_shutdown, "durable_executor.is_shutdown", 0x180200, false, 0, NULL),
    FIL_WIRE_MESSAGE(durable_executor_submit_to_partition, "durable_executor.submit_to_partition", 0x180300, true, 0, NULL),
    FIL_WIRE_MESSAGE(durable_executor_retrieve_result, "durable_executor.retrieve_result", 0x180400, true, 0, NULL),
    FIL_WIRE_MESSAGE(durable_executor_dispose_result, "durable_executor.dispose_result", 0x180500, true, 0, NULL),
    FIL_WIRE_MESSAGE(durable_executor_retrieve_and_dispose_result, "durable_executor.retrieve_and_dispose_result", 0x180600, true, 0, NULL),
};
