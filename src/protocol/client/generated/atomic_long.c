// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/atomic_long.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field atomic_long_apply_request_fields[] = {
    FIL_WIRE_FIELD(atomic_long_apply_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_long_apply_request, name, string, 0),
    FIL_WIRE_FIELD(atomic_long_apply_request, function, data, 0),
};
static const struct fil_wire_field atomic_long_apply_response_fields[] = {
    FIL_WIRE_FIELD(atomic_long_apply_response, response, data_or_null, 0),
};
static const struct fil_wire_field atomic_long_alter_request_fields[] = {
    FIL_WIRE_FIELD(atomic_long_alter_request, return_value_type, i32, 0),
    FIL_WIRE_FIELD(atomic_long_alter_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_long_alter_request, name, string, 0),
    FIL_WIRE_FIELD(atomic_long_alter_request, function, data, 0),
};
static const struct fil_wire_field atomic_long_alter_response_fields[] = {
    FIL_WIRE_FIELD(atomic_long_alter_response, response, i64, 0),
};
static const struct fil_wire_field atomic_long_add_and_get_request_fields[] = {
    FIL_WIRE_FIELD(atomic_long_add_and_get_request, delta, i64, 0),
    FIL_WIRE_FIELD(atomic_long_add_and_get_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_long_add_and_get_request, name, string, 0),
};
static const struct fil_wire_field atomic_long_compare_and_set_request_fields[] = {
    FIL_WIRE_FIELD(atomic_long_compare_and_set_request, expected, i64, 0),
    FIL_WIRE_FIELD(atomic_long_compare_and_set_request, updated, i64, 8),
    FIL_WIRE_FIELD(atomic_long_compare_and_set_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_long_compare_and_set_request, name, string, 0),
};
static const struct fil_wire_field atomic_long_compare_and_set_response_fields[] = {
    FIL_WIRE_FIELD(atomic_long_compare_and_set_response, response, bool, 0),
};
static const struct fil_wire_field atomic_long_get_request_fields[] = {
    FIL_WIRE_FIELD(atomic_long_get_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_long_get_request, name, string, 0),
};
static const struct fil_wire_field atomic_long_get_and_set_request_fields[] = {
    FIL_WIRE_FIELD(atomic_long_get_and_set_request, new_value, i64, 0),
    FIL_WIRE_FIELD(atomic_long_get_and_set_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(atomic_long_get_and_set_request, name, string, 0),
};

FIL_WIRE_LAYOUT_MAKE(atomic_long_apply_request, "AtomicLong.apply", REQUEST, 0x090100, atomic_long_apply_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(atomic_long_apply_response, "AtomicLong.apply", RESPONSE, 0x090101, atomic_long_apply_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(atomic_long_alter_request, "AtomicLong.alter", REQUEST, 0x090200, atomic_long_alter_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(atomic_long_alter_response, "AtomicLong.alter", RESPONSE, 0x090201, atomic_long_alter_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(atomic_long_add_and_get_request, "AtomicLong.addAndGet", REQUEST, 0x090300, atomic_long_add_and_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(atomic_long_add_and_get_response, "AtomicLong.addAndGet", RESPONSE, 0x090301, atomic_long_alter_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(atomic_long_compare_and_set_request, "AtomicLong.compareAndSet", REQUEST, 0x090400, atomic_long_compare_and_set_request_fields, 2, 16, 16);
FIL_WIRE_LAYOUT_MAKE(atomic_long_compare_and_set_response, "AtomicLong.compareAndSet", RESPONSE, 0x090401, atomic_long_compare_and_set_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(atomic_long_get_request, "AtomicLong.get", REQUEST, 0x090500, atomic_long_get_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(atomic_long_get_response, "AtomicLong.get", RESPONSE, 0x090501, atomic_long_alter_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(atomic_long_get_and_add_request, "AtomicLong.getAndAdd", REQUEST, 0x090600, atomic_long_add_and_get_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(atomic_long_get_and_add_response, "AtomicLong.getAndAdd", RESPONSE, 0x090601, atomic_long_alter_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(atomic_long_get_and_set_request, "AtomicLong.getAndSet", REQUEST, 0x090700, atomic_long_get_and_set_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(atomic_long_get_and_set_response, "AtomicLong.getAndSet", RESPONSE, 0x090701, atomic_long_alter_response_fields, 1, 8, 8);


const struct fil_wire_message fil_wire_atomic_long_messages[] = {
    FIL_WIRE_MESSAGE(atomic_long_apply, "atomic_long.apply", 0x090100, false, 0, NULL),
    FIL_WIRE_MESSAGE(atomic_long_alter, "atomic_long.alter", 0x090200, false, 0, NULL),
    FIL_WIRE_MESSAGE(atomic_long_add_and_get, "atomic_long.add_and_get", 0x090300, false, 0, NULL),
    FIL_WIRE_MESSAGE(atomic_long_compare_and_set, "atomic_long.compare_and_set", 0x090400, false, 0, NULL),
    FIL_WIRE_MESSAGE(atomic_long_get, "atomic_long.get", 0x090500, true, 0, NULL),
    FIL_WIRE_MESSAGE(atomic_long_get_and_add, "atomic_long.get_and_add", 0x090600, false, 0, NULL),
    FIL_WIRE_MESSAGE(atomic_long_get_and_set, "atomic_long.get_and_set", 0x090700, false, 0, NULL),
};
