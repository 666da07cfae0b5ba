// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Semaphore: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_semaphore_number {
    FIL_WIRE_SEMAPHORE_INIT = 0x0c0100,
    FIL_WIRE_SEMAPHORE_ACQUIRE = 0x0c0200,
    FIL_WIRE_SEMAPHORE_RELEASE = 0x0c0300,
    FIL_WIRE_SEMAPHORE_DRAIN = 0x0c0400,
    FIL_WIRE_SEMAPHORE_CHANGE = 0x0c0500,
    FIL_WIRE_SEMAPHORE_AVAILABLE_PERMITS = 0x0c0600,
    FIL_WIRE_SEMAPHORE_GET_SEMAPHORE_TYPE = 0x0c0700,
};

struct fil_wire_semaphore_init_request {
    int32_t permits;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_semaphore_init_response {
    bool response;
};
struct fil_wire_semaphore_acquire_request {
    int64_t session_id, thread_id;
    struct fil_wire_uuid invocation_uid;
    int32_t permits;
    int64_t timeout_ms;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_semaphore_acquire_response {
    bool response;
};
struct fil_wire_semaphore_release_request {
    int64_t session_id, thread_id;
    struct fil_wire_uuid invocation_uid;
    int32_t permits;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_semaphore_release_response {
    bool response;
};
struct fil_wire_semaphore_drain_request {
    int64_t session_id, thread_id;
    struct fil_wire_uuid invocation_uid;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_semaphore_drain_response {
    int32_t response;
};
struct fil_wire_semaphore_change_request {
    int64_t session_id, thread_id;
    struct fil_wire_uuid invocation_uid;
    int32_t permits;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_semaphore_change_response {
    bool response;
};
struct fil_wire_semaphore_available_permits_request {
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_semaphore_available_permits_response {
    int32_t response;
};
struct fil_wire_semaphore_get_semaphore_type_request {
    struct fil_bytes proxy_name;
};
struct fil_wire_semaphore_get_semaphore_type_response {
    bool response;
};

FIL_WIRE_DECLARE(semaphore_init);
FIL_WIRE_DECLARE(semaphore_acquire);
FIL_WIRE_DECLARE(semaphore_release);
FIL_WIRE_DECLARE(semaphore_drain);
FIL_WIRE_DECLARE(semaphore_change);
FIL_WIRE_DECLARE(semaphore_available_permits);
FIL_WIRE_DECLARE(semaphore_get_semaphore_type);
