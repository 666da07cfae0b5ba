// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/cp_group.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field cp_group_create_cp_group_request_fields[] = {
    FIL_WIRE_FIELD(cp_group_create_cp_group_request, proxy_name, string, 0),
};
static const struct fil_wire_field cp_group_create_cp_group_response_fields[] = {
    FIL_WIRE_FIELD(cp_group_create_cp_group_response, group_id, raft_group_id, 0),
};
static const struct fil_wire_field cp_group_destroy_cp_object_request_fields[] = {
    FIL_WIRE_FIELD(cp_group_destroy_cp_object_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(cp_group_destroy_cp_object_request, service_name, string, 0),
    FIL_WIRE_FIELD(cp_group_destroy_cp_object_request, object_name, string, 0),
};

FIL_WIRE_LAYOUT_MAKE(cp_group_create_cp_group_request, "CPGroup.createCPGroup", REQUEST, 0x1e0100, cp_group_create_cp_group_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_group_create_cp_group_response, "CPGroup.createCPGroup", RESPONSE, 0x1e0101, cp_group_create_cp_group_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_group_destroy_cp_object_request, "CPGroup.destroyCPObject", REQUEST, 0x1e0200, cp_group_destroy_cp_object_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(cp_group_destroy_cp_object_response, "CPGroup.destroyCPObject", RESPONSE, 0x1e0201);


const struct fil_wire_message fil_wire_cp_group_messages[] = {
    FIL_WIRE_MESSAGE(cp_group_create_cp_group, "cp_group.create_cp_group", 0x1e0100, true, 0, NULL),
    FIL_WIRE_MESSAGE(cp_group_destroy_cp_object, "cp_group.destroy_cp_object", 0x1e0200, true, 0, NULL),
};
