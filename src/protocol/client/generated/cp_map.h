// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** CPMap: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_cp_map_number {
    FIL_WIRE_CP_MAP_GET = 0x230100,
    FIL_WIRE_CP_MAP_PUT = 0x230200,
    FIL_WIRE_CP_MAP_SET = 0x230300,
    FIL_WIRE_CP_MAP_REMOVE = 0x230400,
    FIL_WIRE_CP_MAP_DELETE = 0x230500,
    FIL_WIRE_CP_MAP_COMPARE_AND_SET = 0x230600,
    FIL_WIRE_CP_MAP_PUT_IF_ABSENT = 0x230700,
};

struct fil_wire_cp_map_get_request {
    struct fil_wire_part group_id;
    struct fil_bytes name, key;
};
struct fil_wire_cp_map_get_response {
    struct fil_bytes response;
};
struct fil_wire_cp_map_put_request {
    struct fil_wire_part group_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_cp_map_put_response {
    struct fil_bytes response;
};
struct fil_wire_cp_map_set_request {
    struct fil_wire_part group_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_cp_map_set_response {
    struct fil_bytes response;
};
struct fil_wire_cp_map_remove_request {
    struct fil_wire_part group_id;
    struct fil_bytes name, key;
};
struct fil_wire_cp_map_remove_response {
    struct fil_bytes response;
};
struct fil_wire_cp_map_delete_request {
    struct fil_wire_part group_id;
    struct fil_bytes name, key;
};
struct fil_wire_cp_map_delete_response {
    struct fil_bytes response;
};
struct fil_wire_cp_map_compare_and_set_request {
    struct fil_wire_part group_id;
    struct fil_bytes name, key, expected_value, new_value;
};
struct fil_wire_cp_map_compare_and_set_response {
    bool response;
};
struct fil_wire_cp_map_put_if_absent_request {
    struct fil_wire_part group_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_cp_map_put_if_absent_response {
    struct fil_bytes response;
};

FIL_WIRE_DECLARE(cp_map_get);
FIL_WIRE_DECLARE(cp_map_put);
FIL_WIRE_DECLARE(cp_map_set);
FIL_WIRE_DECLARE(cp_map_remove);
FIL_WIRE_DECLARE(cp_map_delete);
FIL_WIRE_DECLARE(cp_map_compare_and_set);
FIL_WIRE_DECLARE(cp_map_put_if_absent);
