// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** FencedLock: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_fenced_lock_number {
    FIL_WIRE_FENCED_LOCK_LOCK = 0x070100,
    FIL_WIRE_FENCED_LOCK_TRY_LOCK = 0x070200,
    FIL_WIRE_FENCED_LOCK_UNLOCK = 0x070300,
    FIL_WIRE_FENCED_LOCK_GET_LOCK_OWNERSHIP = 0x070400,
};

struct fil_wire_fenced_lock_lock_request {
    int64_t session_id, thread_id;
    struct fil_wire_uuid invocation_uid;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_fenced_lock_lock_response {
    int64_t response;
};
struct fil_wire_fenced_lock_try_lock_request {
    int64_t session_id, thread_id;
    struct fil_wire_uuid invocation_uid;
    int64_t timeout_ms;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_fenced_lock_try_lock_response {
    int64_t response;
};
struct fil_wire_fenced_lock_unlock_request {
    int64_t session_id, thread_id;
    struct fil_wire_uuid invocation_uid;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_fenced_lock_unlock_response {
    bool response;
};
struct fil_wire_fenced_lock_get_lock_ownership_request {
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_fenced_lock_get_lock_ownership_response {
    int64_t fence;
    int32_t lock_count;
    int64_t session_id, thread_id;
};

FIL_WIRE_DECLARE(fenced_lock_lock);
FIL_WIRE_DECLARE(fenced_lock_try_lock);
FIL_WIRE_DECLARE(fenced_lock_unlock);
FIL_WIRE_DECLARE(fenced_lock_get_lock_ownership);
