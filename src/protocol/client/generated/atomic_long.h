// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** AtomicLong: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_atomic_long_number {
    FIL_WIRE_ATOMIC_LONG_APPLY = 0x090100,
    FIL_WIRE_ATOMIC_LONG_ALTER = 0x090200,
    FIL_WIRE_ATOMIC_LONG_ADD_AND_GET = 0x090300,
    FIL_WIRE_ATOMIC_LONG_COMPARE_AND_SET = 0x090400,
    FIL_WIRE_ATOMIC_LONG_GET = 0x090500,
    FIL_WIRE_ATOMIC_LONG_GET_AND_ADD = 0x090600,
    FIL_WIRE_ATOMIC_LONG_GET_AND_SET = 0x090700,
};

struct fil_wire_atomic_long_apply_request {
    struct fil_wire_part group_id;
    struct fil_bytes name, function;
};
struct fil_wire_atomic_long_apply_response {
    struct fil_bytes response;
};
struct fil_wire_atomic_long_alter_request {
    int32_t return_value_type;
    struct fil_wire_part group_id;
    struct fil_bytes name, function;
};
struct fil_wire_atomic_long_alter_response {
    int64_t response;
};
struct fil_wire_atomic_long_add_and_get_request {
    int64_t delta;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_atomic_long_add_and_get_response {
    int64_t response;
};
struct fil_wire_atomic_long_compare_and_set_request {
    int64_t expected, updated;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_atomic_long_compare_and_set_response {
    bool response;
};
struct fil_wire_atomic_long_get_request {
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_atomic_long_get_response {
    int64_t response;
};
struct fil_wire_atomic_long_get_and_add_request {
    int64_t delta;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_atomic_long_get_and_add_response {
    int64_t response;
};
struct fil_wire_atomic_long_get_and_set_request {
    int64_t new_value;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_atomic_long_get_and_set_response {
    int64_t response;
};

FIL_WIRE_DECLARE(atomic_long_apply);
FIL_WIRE_DECLARE(atomic_long_alter);
FIL_WIRE_DECLARE(atomic_long_add_and_get);
FIL_WIRE_DECLARE(atomic_long_compare_and_set);
FIL_WIRE_DECLARE(atomic_long_get);
FIL_WIRE_DECLARE(atomic_long_get_and_add);
FIL_WIRE_DECLARE(atomic_long_get_and_set);
