// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** ExecutorService: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_executor_service_number {
    FIL_WIRE_EXECUTOR_SERVICE_SHUTDOWN = 0x080100,
    FIL_WIRE_EXECUTOR_SERVICE_IS_SHUTDOWN = 0x080200,
    FIL_WIRE_EXECUTOR_SERVICE_CANCEL_ON_PARTITION = 0x080300,
    FIL_WIRE_EXECUTOR_SERVICE_CANCEL_ON_MEMBER = 0x080400,
    FIL_WIRE_EXECUTOR_SERVICE_SUBMIT_TO_PARTITION = 0x080500,
    FIL_WIRE_EXECUTOR_SERVICE_SUBMIT_TO_MEMBER = 0x080600,
};

struct fil_wire_executor_service_shutdown_request {
    struct fil_bytes name;
};
struct fil_wire_executor_service_is_shutdown_request {
    struct fil_bytes name;
};
struct fil_wire_executor_service_is_shutdown_response {
    bool response;
};
struct fil_wire_executor_service_cancel_on_partition_request {
    struct fil_wire_uuid uuid;
    bool interrupt;
};
struct fil_wire_executor_service_cancel_on_partition_response {
    bool response;
};
struct fil_wire_executor_service_cancel_on_member_request {
    struct fil_wire_uuid uuid, member_uuid;
    bool interrupt;
};
struct fil_wire_executor_service_cancel_on_member_response {
    bool response;
};
struct fil_wire_executor_service_submit_to_partition_request {
    struct fil_wire_uuid uuid;
    struct fil_bytes name, callable;
};
struct fil_wire_executor_service_submit_to_partition_response {
    struct fil_bytes response;
};
struct fil_wire_executor_service_submit_to_member_request {
    struct fil_wire_uuid uuid, member_uuid;
    struct fil_bytes name, callable;
};
struct fil_wire_executor_service_submit_to_member_response {
    struct fil_bytes response;
};

FIL_WIRE_DECLARE(executor_service_shutdown);
FIL_WIRE_DECLARE(executor_service_is_shutdown);
FIL_WIRE_DECLARE(executor_service_cancel_on_partition);
FIL_WIRE_DECLARE(executor_service_cancel_on_member);
FIL_WIRE_DECLARE(executor_service_submit_to_partition);
FIL_WIRE_DECLARE(executor_service_submit_to_member);
