// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/fenced_lock.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field fenced_lock_lock_request_fields[] = {
    FIL_WIRE_FIELD(fenced_lock_lock_request, session_id, i64, 0),
    FIL_WIRE_FIELD(fenced_lock_lock_request, thread_id, i64, 8),
    FIL_WIRE_FIELD(fenced_lock_lock_request, invocation_uid, uuid, 16),
    FIL_WIRE_FIELD(fenced_lock_lock_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(fenced_lock_lock_request, name, string, 0),
};
static const struct fil_wire_field fenced_lock_lock_response_fields[] = {
    FIL_WIRE_FIELD(fenced_lock_lock_response, response, i64, 0),
};
static const struct fil_wire_field fenced_lock_try_lock_request_fields[] = {
    FIL_WIRE_FIELD(fenced_lock_try_lock_request, session_id, i64, 0),
    FIL_WIRE_FIELD(fenced_lock_try_lock_request, thread_id, i64, 8),
    FIL_WIRE_FIELD(fenced_lock_try_lock_request, invocation_uid, uuid, 16),
    FIL_WIRE_FIELD(fenced_lock_try_lock_request, timeout_ms, i64, 33),
    FIL_WIRE_FIELD(fenced_lock_try_lock_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(fenced_lock_try_lock_request, name, string, 0),
};
static const struct fil_wire_field fenced_lock_unlock_response_fields[] = {
    FIL_WIRE_FIELD(fenced_lock_unlock_response, response, bool, 0),
};
static const struct fil_wire_field fenced_lock_get_lock_ownership_request_fields[] = {
    FIL_WIRE_FIELD(fenced_lock_get_lock_ownership_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(fenced_lock_get_lock_ownership_request, name, string, 0),
};
static const struct fil_wire_field fenced_lock_get_lock_ownership_response_fields[] = {
    FIL_WIRE_FIELD(fenced_lock_get_lock_ownership_response, fence, i64, 0),
    FIL_WIRE_FIELD(fenced_lock_get_lock_ownership_response, lock_count, i32, 8),
    FIL_WIRE_FIELD(fenced_lock_get_lock_ownership_response, session_id, i64, 12),
    FIL_WIRE_FIELD(fenced_lock_get_lock_ownership_response, thread_id, i64, 20),
};

FIL_WIRE_LAYOUT_MAKE(fenced_lock_lock_request, "FencedLock.lock", REQUEST, 0x070100, fenced_lock_lock_request_fields, 3, 33, 33);
FIL_WIRE_LAYOUT_MAKE(fenced_lock_lock_response, "FencedLock.lock", RESPONSE, 0x070101, fenced_lock_lock_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(fenced_lock_try_lock_request, "FencedLock.tryLock", REQUEST, 0x070200, fenced_lock_try_lock_request_fields, 4, 41, 41);
FIL_WIRE_LAYOUT_MAKE(fenced_lock_try_lock_response, "FencedLock.tryLock", RESPONSE, 0x070201, fenced_lock_lock_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(fenced_lock_unlock_request, "FencedLock.unlock", REQUEST, 0x070300, fenced_lock_lock_request_fields, 3, 33, 33);
FIL_WIRE_LAYOUT_MAKE(fenced_lock_unlock_response, "FencedLock.unlock", RESPONSE, 0x070301, fenced_lock_unlock_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(fenced_lock_get_lock_ownership_request, "FencedLock.getLockOwnership", REQUEST, 0x070400, fenced_lock_get_lock_ownership_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(fenced_lock_get_lock_ownership_response, "FencedLock.getLockOwnership", RESPONSE, 0x070401, fenced_lock_get_lock_ownership_response_fields, 4, 28, 28);


const struct fil_wire_message fil_wire_fenced_lock_messages[] = {
    FIL_WIRE_MESSAGE(fenced_lock_lock, "fenced_lock.lock", 0x070100, true, 0, NULL),
    FIL_WIRE_MESSAGE(fenced_lock_try_lock, "fenced_lock.try_lock", 0x070200, true, 0, NULL),
    FIL_WIRE_MESSAGE(fenced_lock_unlock, "fenced_lock.unlock", 0x070300, true, 0, NULL),
    FIL_WIRE_MESSAGE(fenced_lock_get_lock_ownership, "fenced_lock.get_lock_ownership", 0x070400, true, 0, NULL),
};
