// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/atomic_ref.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field atomic_ref_apply_request_fields[] = {
    FIL_WIRE_FIELD(atomic_ref_apply_request, return_value_type, i32, 0),
    FIL_WIRE_FIELD(atomic_ref_apply_request, alter, bool, 4),
    FIL_WIRE_FIELD(atomic_ref_apply_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_ref_apply_request, name, string, 0),
    FIL_WIRE_FIELD(atomic_ref_apply_request, function, data, 0),
};
static const struct fil_wire_field atomic_ref_apply_response_fields[] = {
    FIL_WIRE_FIELD(atomic_ref_apply_response, response, data_or_null, 0),
};
static const struct fil_wire_field atomic_ref_compare_and_set_request_fields[] = {
    FIL_WIRE_FIELD(atomic_ref_compare_and_set_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_ref_compare_and_set_request, name, string, 0),
    FIL_WIRE_FIELD(atomic_ref_compare_and_set_request, old_value, data_or_null, 0),
    FIL_WIRE_FIELD(atomic_ref_compare_and_set_request, new_value, data_or_null, 0),
};
static const struct fil_wire_field atomic_ref_compare_and_set_response_fields[] = {
    FIL_WIRE_FIELD(atomic_ref_compare_and_set_response, response, bool, 0),
};
static const struct fil_wire_field atomic_ref_contains_request_fields[] = {
    FIL_WIRE_FIELD(atomic_ref_contains_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_ref_contains_request, name, string, 0),
    FIL_WIRE_FIELD(atomic_ref_contains_request, value, data_or_null, 0),
};
static const struct fil_wire_field atomic_ref_get_request_fields[] = {
    FIL_WIRE_FIELD(atomic_ref_get_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_ref_get_request, name, string, 0),
};
static const struct fil_wire_field atomic_ref_set_request_fields[] = {
    FIL_WIRE_FIELD(atomic_ref_set_request, return_old_value, bool, 0),
    FIL_WIRE_FIELD(atomic_ref_set_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_ref_set_request, name, string, 0),
    FIL_WIRE_FIELD(atomic_ref_set_request, new_value, data_or_null, 0),
};

FIL_WIRE_LAYOUT_MAKE(atomic_ref_apply_request, "AtomicRef.apply", REQUEST, 0x0a0100, atomic_ref_apply_request_fields, 2, 5, 5);
FIL_WIRE_LAYOUT_MAKE(atomic_ref_apply_response, "AtomicRef.apply", RESPONSE, 0x0a0101, atomic_ref_apply_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(atomic_ref_compare_and_set_request, "AtomicRef.compareAndSet", REQUEST, 0x0a0200, atomic_ref_compare_and_set_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(atomic_ref_compare_and_set_response, "AtomicRef.compareAndSet", RESPONSE, 0x0a0201, atomic_ref_compare_and_set_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(atomic_ref_contains_request, "AtomicRef.contains", REQUEST, 0x0a0300, atomic_ref_contains_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(atomic_ref_contains_response, "AtomicRef.contains", RESPONSE, 0x0a0301, atomic_ref_compare_and_set_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(atomic_ref_get_request, "AtomicRef.get", REQUEST, 0x0a0400, atomic_ref_get_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(atomic_ref_get_response, "AtomicRef.get", RESPONSE, 0x0a0401, atomic_ref_apply_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(atomic_ref_set_request, "AtomicRef.set", REQUEST, 0x0a0500, atomic_ref_set_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(atomic_ref_set_response, "AtomicRef.set", RESPONSE, 0x0a0501, atomic_ref_apply_response_fields, 0, 0, 0);


const struct fil_wire_message fil_wire_atomic_ref_messages[] = {
    FIL_WIRE_MESSAGE(atomic_ref_apply, "atomic_ref.apply", 0x0a0100, false, 0, NULL),
    FIL_WIRE_MESSAGE(atomic_ref_compare_and_set, "atomic_ref.compare_and_set", 0x0a0200, false, 0, NULL),
    FIL_WIRE_MESSAGE(atomic_ref_contains, "atomic_ref.contains", 0x0a0300, true, 0, NULL),
    FIL_WIRE_MESSAGE(atomic_ref_get, "atomic_ref.get", 0x0a0400, true, 0, NULL),
    FIL_WIRE_MESSAGE(atomic_ref_set, "atomic_ref.set", 0x0a0500, false, 0, NULL),
};
