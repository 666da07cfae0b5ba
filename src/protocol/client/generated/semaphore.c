// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/semaphore.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field semaphore_init_request_fields[] = {
    FIL_WIRE_FIELD(semaphore_init_request, permits, i32, 0),
    FIL_WIRE_FIELD(semaphore_init_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(semaphore_init_request, name, string, 0),
};
static const struct fil_wire_field semaphore_init_response_fields[] = {
    FIL_WIRE_FIELD(semaphore_init_response, response, bool, 0),
};
static const struct fil_wire_field semaphore_acquire_request_fields[] = {
    FIL_WIRE_FIELD(semaphore_acquire_request, session_id, i64, 0),
    FIL_WIRE_FIELD(semaphore_acquire_request, thread_id, i64, 8),
    FIL_WIRE_FIELD(semaphore_acquire_request, invocation_uid, uuid, 16),
    FIL_WIRE_FIELD(semaphore_acquire_request, permits, i32, 33),
    FIL_WIRE_FIELD(semaphore_acquire_request, timeout_ms, i64, 37),
    FIL_WIRE_FIELD(semaphore_acquire_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(semaphore_acquire_request, name, string, 0),
};
static const struct fil_wire_field semaphore_release_request_fields[] = {
    FIL_WIRE_FIELD(semaphore_release_request, session_id, i64, 0),
    FIL_WIRE_FIELD(semaphore_release_request, thread_id, i64, 8),
    FIL_WIRE_FIELD(semaphore_release_request, invocation_uid, uuid, 16),
    FIL_WIRE_FIELD(semaphore_release_request, permits, i32, 33),
    FIL_WIRE_FIELD(semaphore_release_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(semaphore_release_request, name, string, 0),
};
static const struct fil_wire_field semaphore_drain_request_fields[] = {
    FIL_WIRE_FIELD(semaphore_drain_request, session_id, i64, 0),
    FIL_WIRE_FIELD(semaphore_drain_request, thread_id, i64, 8),
    FIL_WIRE_FIELD(semaphore_drain_request, invocation_uid, uuid, 16),
    FIL_WIRE_FIELD(semaphore_drain_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(semaphore_drain_request, name, string, 0),
};
static const struct fil_wire_field semaphore_drain_response_fields[] = {
    FIL_WIRE_FIELD(semaphore_drain_response, response, i32, 0),
};
static const struct fil_wire_field semaphore_available_permits_request_fields[] = {
    FIL_WIRE_FIELD(semaphore_available_permits_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(semaphore_available_permits_request, name, string, 0),
};
static const struct fil_wire_field semaphore_get_semaphore_type_request_fields[] = {
    FIL_WIRE_FIELD(semaphore_get_semaphore_type_request, proxy_name, string, 0),
};

FIL_WIRE_LAYOUT_MAKE(semaphore_init_request, "Semaphore.init", REQUEST, 0x0c0100, semaphore_init_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(semaphore_init_response, "Semaphore.init", RESPONSE, 0x0c0101, semaphore_init_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(semaphore_acquire_request, "Semaphore.acquire", REQUEST, 0x0c0200, semaphore_acquire_request_fields, 5, 45, 45);
FIL_WIRE_LAYOUT_MAKE(semaphore_acquire_response, "Semaphore.acquire", RESPONSE, 0x0c0201, semaphore_init_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(semaphore_release_request, "Semaphore.release", REQUEST, 0x0c0300, semaphore_release_request_fields, 4, 37, 37);
FIL_WIRE_LAYOUT_MAKE(semaphore_release_response, "Semaphore.release", RESPONSE, 0x0c0301, semaphore_init_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(semaphore_drain_request, "Semaphore.drain", REQUEST, 0x0c0400, semaphore_drain_request_fields, 3, 33, 33);
FIL_WIRE_LAYOUT_MAKE(semaphore_drain_response, "Semaphore.drain", RESPONSE, 0x0c0401, semaphore_drain_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(semaphore_change_request, "Semaphore.change", REQUEST, 0x0c0500, semaphore_release_request_fields, 4, 37, 37);
FIL_WIRE_LAYOUT_MAKE(semaphore_change_response, "Semaphore.change", RESPONSE, 0x0c0501, semaphore_init_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(semaphore_available_permits_request, "Semaphore.availablePermits", REQUEST, 0x0c0600, semaphore_available_permits_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(semaphore_available_permits_response, "Semaphore.availablePermits", RESPONSE, 0x0c0601, semaphore_drain_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(semaphore_get_semaphore_type_request, "Semaphore.getSemaphoreType", REQUEST, 0x0c0700, semaphore_get_semaphore_type_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(semaphore_get_semaphore_type_response, "Semaphore.getSemaphoreType", RESPONSE, 0x0c0701, semaphore_init_response_fields, 1, 1, 1);


const struct fil_wire_message fil_wire_semaphore_messages[] = {
    FIL_WIRE_MESSAGE(semaphore_init, "semaphore.init", 0x0c0100, true, 0, NULL),
    FIL_WIRE_MESSAGE(semaphore_acquire, "semaphore.acquire", 0x0c0200, true, 0, NULL),
    FIL_WIRE_MESSAGE(semaphore_release, "semaphore.release", 0x0c0300, true, 0, NULL),
    FIL_WIRE_MESSAGE(semaphore_drain, "semaphore.drain", 0x0c0400, true, 0, NULL),
    FIL_WIRE_MESSAGE(semaphore_change, "semaphore.change", 0x0c0500, true, 0, NULL),
    FIL_WIRE_MESSAGE(semaphore_available_permits, "semaphore.available_permits", 0x0c0600, true, 0, NULL),
    FIL_WIRE_MESSAGE(semaphore_get_semaphore_type, "semaphore.get_semaphore_type", 0x0c0700, true, 0, NULL),
};
