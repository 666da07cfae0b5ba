// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/cp_map.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field cp_map_get_request_fields[] = {
    FIL_WIRE_FIELD(cp_map_get_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(cp_map_get_request, name, string, 0),
    FIL_WIRE_FIELD(cp_map_get_request, key, data, 0),
};
static const struct fil_wire_field cp_map_get_response_fields[] = {
    FIL_WIRE_FIELD(cp_map_get_response, response, data_or_null, 0),
};
static const struct fil_wire_field cp_map_put_request_fields[] = {
    FIL_WIRE_FIELD(cp_map_put_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(cp_map_put_request, name, string, 0),
    FIL_WIRE_FIELD(cp_map_put_request, key, data, 0),
    FIL_WIRE_FIELD(cp_map_put_request, value, data, 0),
};
static const struct fil_wire_field cp_map_compare_and_set_request_fields[] = {
    FIL_WIRE_FIELD(cp_map_compare_and_set_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(cp_map_compare_and_set_request, name, string, 0),
    FIL_WIRE_FIELD(cp_map_compare_and_set_request, key, data, 0),
    FIL_WIRE_FIELD(cp_map_compare_and_set_request, expected_value, data, 0),
    FIL_WIRE_FIELD(cp_map_compare_and_set_request, new_value, data, 0),
};
static const struct fil_wire_field cp_map_compare_and_set_response_fields[] = {
    FIL_WIRE_FIELD(cp_map_compare_and_set_response, response, bool, 0),
};

FIL_WIRE_LAYOUT_MAKE(cp_map_get_request, "CPMap.get", REQUEST, 0x230100, cp_map_get_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_get_response, "CPMap.get", RESPONSE, 0x230101, cp_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_put_request, "CPMap.put", REQUEST, 0x230200, cp_map_put_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_put_response, "CPMap.put", RESPONSE, 0x230201, cp_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_set_request, "CPMap.set", REQUEST, 0x230300, cp_map_put_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_set_response, "CPMap.set", RESPONSE, 0x230301, cp_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_remove_request, "CPMap.remove", REQUEST, 0x230400, cp_map_get_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_remove_response, "CPMap.remove", RESPONSE, 0x230401, cp_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_delete_request, "CPMap.delete", REQUEST, 0x230500, cp_map_get_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_delete_response, "CPMap.delete", RESPONSE, 0x230501, cp_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_compare_and_set_request, "CPMap.compareAndSet", REQUEST, 0x230600, cp_map_compare_and_set_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_compare_and_set_response, "CPMap.compareAndSet", RESPONSE, 0x230601, cp_map_compare_and_set_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(cp_map_put_if_absent_request, "CPMap.putIfAbsent", REQUEST, 0x230700, cp_map_put_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(cp_map_put_if_absent_response, "CPMap.putIfAbsent", RESPONSE, 0x230701, cp_map_get_response_fields, 0, 0, 0);


const struct fil_wire_message fil_wire_cp_map_messages[] = {
    FIL_WIRE_MESSAGE(cp_map_get, "cp_map.get", 0x230100, false, 0, NULL),
    FIL_WIRE_MESSAGE(cp_map_put, "cp_map.put", 0x230200, false, 0, NULL),
    FIL_WIRE_MESSAGE(cp_map_set, "cp_map.set", 0x230300, false, 0, NULL),
    FIL_WIRE_MESSAGE(cp_map_remove, "cp_map.remove", 0x230400, false, 0, NULL),
    FIL_WIRE_MESSAGE(cp_map_delete, "cp_map.delete", 0x230500, false, 0, NULL),
    FIL_WIRE_MESSAGE(cp_map_compare_and_set, "cp_map.compare_and_set", 0x230600, false, 0, NULL),
    FIL_WIRE_MESSAGE(cp_map_put_if_absent, "cp_map.put_if_absent", 0x230700, false, 0, NULL),
};
