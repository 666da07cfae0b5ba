// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** AtomicRef: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_atomic_ref_number {
    FIL_WIRE_ATOMIC_REF_APPLY = 0x0a0100,
    FIL_WIRE_ATOMIC_REF_COMPARE_AND_SET = 0x0a0200,
    FIL_WIRE_ATOMIC_REF_CONTAINS = 0x0a0300,
    FIL_WIRE_ATOMIC_REF_GET = 0x0a0400,
    FIL_WIRE_ATOMIC_REF_SET = 0x0a0500,
};

struct fil_wire_atomic_ref_apply_request {
    int32_t return_value_type;
    bool alter;
    struct fil_wire_part group_id;
    struct fil_bytes name, function;
};
struct fil_wire_atomic_ref_apply_response {
    struct fil_bytes response;
};
struct fil_wire_atomic_ref_compare_and_set_request {
    struct fil_wire_part group_id;
    struct fil_bytes name, old_value, new_value;
};
struct fil_wire_atomic_ref_compare_and_set_response {
    bool response;
};
struct fil_wire_atomic_ref_contains_request {
    struct fil_wire_part group_id;
    struct fil_bytes name, value;
};
struct fil_wire_atomic_ref_contains_response {
    bool response;
};
struct fil_wire_atomic_ref_get_request {
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_atomic_ref_get_response {
    struct fil_bytes response;
};
struct fil_wire_atomic_ref_set_request {
    bool return_old_value;
    struct fil_wire_part group_id;
    struct fil_bytes name, new_value;
};
struct fil_wire_atomic_ref_set_response {
    struct fil_bytes response;
};

FIL_WIRE_DECLARE(atomic_ref_apply);
FIL_WIRE_DECLARE(atomic_ref_compare_and_set);
FIL_WIRE_DECLARE(atomic_ref_contains);
FIL_WIRE_DECLARE(atomic_ref_get);
FIL_WIRE_DECLARE(atomic_ref_set);
