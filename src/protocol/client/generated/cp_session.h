// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** CPSession: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_cp_session_number {
    FIL_WIRE_CP_SESSION_CREATE_SESSION = 0x1f0100,
    FIL_WIRE_CP_SESSION_CLOSE_SESSION = 0x1f0200,
    FIL_WIRE_CP_SESSION_HEARTBEAT_SESSION = 0x1f0300,
    FIL_WIRE_CP_SESSION_GENERATE_THREAD_ID = 0x1f0400,
};

struct fil_wire_cp_session_create_session_request {
    struct fil_wire_part group_id;
    struct fil_bytes endpoint_name;
};
struct fil_wire_cp_session_create_session_response {
    int64_t session_id, ttl_millis, heartbeat_millis;
};
struct fil_wire_cp_session_close_session_request {
    int64_t session_id;
    struct fil_wire_part group_id;
};
struct fil_wire_cp_session_close_session_response {
    bool response;
};
struct fil_wire_cp_session_heartbeat_session_request {
    int64_t session_id;
    struct fil_wire_part group_id;
};
struct fil_wire_cp_session_generate_thread_id_request {
    struct fil_wire_part group_id;
};
struct fil_wire_cp_session_generate_thread_id_response {
    int64_t response;
};

FIL_WIRE_DECLARE(cp_session_create_session);
FIL_WIRE_DECLARE(cp_session_close_session);
FIL_WIRE_DECLARE(cp_session_heartbeat_session);
FIL_WIRE_DECLARE(cp_session_generate_thread_id);
