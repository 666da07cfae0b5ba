// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/cp_session.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field cp_session_create_session_request_fields[] = {
    FIL_WIRE_FIELD(cp_session_create_session_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(cp_session_create_session_request, endpoint_name, string, 0),
};
static const struct fil_wire_field cp_session_create_session_response_fields[] = {
    FIL_WIRE_FIELD(cp_session_create_session_response, session_id, i64, 0),
    FIL_WIRE_FIELD(cp_session_create_session_response, ttl_millis, i64, 8),
    FIL_WIRE_FIELD(cp_session_create_session_response, heartbeat_millis, i64, 16),
};
static const struct fil_wire_field cp_session_close_session_request_fields[] = {
    FIL_WIRE_FIELD(cp_session_close_session_request, session_id, i64, 0),
    FIL_WIRE_FIELD(cp_session_close_session_request, group_id, raft_group_id, 0),
};
static const struct fil_wire_field cp_session_close_session_response_fields[] = {
    FIL_WIRE_FIELD(cp_session_close_session_response, response, bool, 0),
};
static const struct fil_wire_field cp_session_generate_thread_id_request_fields[] = {
    FIL_WIRE_FIELD(cp_session_generate_thread_id_request, group_id, raft_group_id, 0),
};
static const struct fil_wire_field cp_session_generate_thread_id_response_fields[] = {
    FIL_WIRE_FIELD(cp_session_generate_thread_id_response, response, i64, 0),
};

FIL_WIRE_LAYOUT_MAKE(cp_session_create_session_request, "CPSession.createSession", REQUEST, 0x1f0100, cp_session_create_session_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_session_create_session_response, "CPSession.createSession", RESPONSE, 0x1f0101, cp_session_create_session_response_fields, 3, 24, 24);
FIL_WIRE_LAYOUT_MAKE(cp_session_close_session_request, "CPSession.closeSession", REQUEST, 0x1f0200, cp_session_close_session_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(cp_session_close_session_response, "CPSession.closeSession", RESPONSE, 0x1f0201, cp_session_close_session_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cp_session_heartbeat_session_request, "CPSession.heartbeatSession", REQUEST, 0x1f0300, cp_session_close_session_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_EMPTY(cp_session_heartbeat_session_response, "CPSession.heartbeatSession", RESPONSE, 0x1f0301);
FIL_WIRE_LAYOUT_MAKE(cp_session_generate_thread_id_request, "CPSession.generateThreadId", REQUEST, 0x1f0400, cp_session_generate_thread_id_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_session_generate_thread_id_response, "CPSession.generateThreadId", RESPONSE, 0x1f0401, cp_session_generate_thread_id_response_fields, 1, 8, 8);


const struct fil_wire_message fil_wire_cp_session_messages[] = {
    FIL_WIRE_MESSAGE(cp_session_create_session, "cp_session.create_session", 0x1f0100, true, 0, NULL),
    FIL_WIRE_MESSAGE(cp_session_close_session, "cp_session.close_session", 0x1f0200, true, 0, NULL),
    FIL_WIRE_MESSAGE(cp_session_heartbeat_session, "cp_session.heartbeat_session", 0x1f0300, true, 0, NULL),
    FIL_WIRE_MESSAGE(cp_session_generate_thread_id, "cp_session.generate_thread_id", 0x1f0400, true, 0, NULL),
};
