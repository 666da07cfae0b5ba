// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/transactional_multi_map.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field transactional_multi_map_put_request_fields[] = {
    FIL_WIRE_FIELD(transactional_multi_map_put_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_multi_map_put_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_multi_map_put_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_multi_map_put_request, key, data, 0),
    FIL_WIRE_FIELD(transactional_multi_map_put_request, value, data, 0),
};
static const struct fil_wire_field transactional_multi_map_put_response_fields[] = {
    FIL_WIRE_FIELD(transactional_multi_map_put_response, response, bool, 0),
};
static const struct fil_wire_field transactional_multi_map_get_request_fields[] = {
    FIL_WIRE_FIELD(transactional_multi_map_get_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_multi_map_get_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_multi_map_get_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_multi_map_get_request, key, data, 0),
};
static const struct fil_wire_field transactional_multi_map_get_response_fields[] = {
    FIL_WIRE_FIELD(transactional_multi_map_get_response, response, list_data, 0),
};
static const struct fil_wire_field transactional_multi_map_value_count_response_fields[] = {
    FIL_WIRE_FIELD(transactional_multi_map_value_count_response, response, i32, 0),
};
static const struct fil_wire_field transactional_multi_map_size_request_fields[] = {
    FIL_WIRE_FIELD(transactional_multi_map_size_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_multi_map_size_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_multi_map_size_request, name, string, 0),
};

FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_put_request, "TransactionalMultiMap.put", REQUEST, 0x0f0100, transactional_multi_map_put_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_put_response, "TransactionalMultiMap.put", RESPONSE, 0x0f0101, transactional_multi_map_put_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_get_request, "TransactionalMultiMap.get", REQUEST, 0x0f0200, transactional_multi_map_get_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_get_response, "TransactionalMultiMap.get", RESPONSE, 0x0f0201, transactional_multi_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_remove_request, "TransactionalMultiMap.remove", REQUEST, 0x0f0300, transactional_multi_map_get_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_remove_response, "TransactionalMultiMap.remove", RESPONSE, 0x0f0301, transactional_multi_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_remove_entry_request, "TransactionalMultiMap.removeEntry", REQUEST, 0x0f0400, transactional_multi_map_put_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_remove_entry_response, "TransactionalMultiMap.removeEntry", RESPONSE, 0x0f0401, transactional_multi_map_put_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_value_count_request, "TransactionalMultiMap.valueCount", REQUEST, 0x0f0500, transactional_multi_map_get_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_value_count_response, "TransactionalMultiMap.valueCount", RESPONSE, 0x0f0501, transactional_multi_map_value_count_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_size_request, "TransactionalMultiMap.size", REQUEST, 0x0f0600, transactional_multi_map_size_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_multi_map_size_response, "TransactionalMultiMap.size", RESPONSE, 0x0f0601, transactional_multi_map_value_count_response_fields, 1, 4, 4);


const struct fil_wire_message fil_wire_transactional_multi_map_messages[] = {
    FIL_WIRE_MESSAGE(transactional_multi_map_put, "transactional_multi_map.put", 0x0f0100, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_multi_map_get, "transactional_multi_map.get", 0x0f0200, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_multi_map_remove, "transactional_multi_map.remove", 0x0f0300, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_multi_map_remove_entry, "transactional_multi_map.remove_entry", 0x0f0400, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_multi_map_value_count, "transactional_multi_map.value_count", 0x0f0500, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_multi_map_size, "transactional_multi_map.size", 0x0f0600, false, 0, NULL),
};
