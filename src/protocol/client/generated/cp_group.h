// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** CPGroup: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_cp_group_number {
    FIL_WIRE_CP_GROUP_CREATE_CP_GROUP = 0x1e0100,
    FIL_WIRE_CP_GROUP_DESTROY_CP_OBJECT = 0x1e0200,
};

struct fil_wire_cp_group_create_cp_group_request {
    struct fil_bytes proxy_name;
};
struct fil_wire_cp_group_create_cp_group_response {
    struct fil_wire_part group_id;
};
struct fil_wire_cp_group_destroy_cp_object_request {
    struct fil_wire_part group_id;
    struct fil_bytes service_name, object_name;
};

FIL_WIRE_DECLARE(cp_group_create_cp_group);
FIL_WIRE_DECLARE(cp_group_destroy_cp_object);
