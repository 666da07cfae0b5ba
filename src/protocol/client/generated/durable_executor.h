// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** DurableExecutor: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_durable_executor_number {
    FIL_WIRE_DURABLE_EXECUTOR_SHUTDOWN = 0x180100,
    FIL_WIRE_DURABLE_EXECUTOR_IS_SHUTDOWN = 0x180200,
    FIL_WIRE_DURABLE_EXECUTOR_SUBMIT_TO_PARTITION = 0x180300,
    FIL_WIRE_DURABLE_EXECUTOR_RETRIEVE_RESULT = 0x180400,
    FIL_WIRE_DURABLE_EXECUTOR_DISPOSE_RESULT = 0x180500,
    FIL_WIRE_DURABLE_EXECUTOR_RETRIEVE_AND_DISPOSE_RESULT = 0x180600,
};

struct fil_wire_durable_executor_shutdown_request {
    struct fil_bytes name;
};
struct fil_wire_durable_executor_is_shutdown_request {
    struct fil_bytes name;
};
struct fil_wire_durable_executor_is_shutdown_response {
    bool response;
};
struct fil_wire_durable_executor_submit_to_partition_request {
    struct fil_bytes name, callable;
};
struct fil_wire_durable_executor_submit_to_partition_response {
    int32_t response;
};
struct fil_wire_durable_executor_retrieve_result_request {
    int32_t sequence;
    struct fil_bytes name;
};
struct fil_wire_durable_executor_retrieve_result_response {
    struct fil_bytes response;
};
struct fil_wire_durable_executor_dispose_result_request {
    int32_t sequence;
    struct fil_bytes name;
};
struct fil_wire_durable_executor_retrieve_and_dispose_result_request {
    int32_t sequence;
    struct fil_bytes name;
};
struct fil_wire_durable_executor_retrieve_and_dispose_result_response {
    struct fil_bytes response;
};

FIL_WIRE_DECLARE(durable_executor_shutdown);
FIL_WIRE_DECLARE(durable_executor_is_shutdown);
FIL_WIRE_DECLARE(durable_executor_submit_to_partition);
FIL_WIRE_DECLARE(durable_executor_retrieve_result);
FIL_WIRE_DECLARE(durable_executor_dispose_result);
FIL_WIRE_DECLARE(durable_executor_retrieve_and_dispose_result);
