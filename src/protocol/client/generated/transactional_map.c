// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/transactional_map.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field transactional_map_contains_key_request_fields[] = {
    FIL_WIRE_FIELD(transactional_map_contains_key_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_map_contains_key_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_map_contains_key_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_map_contains_key_request, key, data, 0),
};
static const struct fil_wire_field transactional_map_contains_key_response_fields[] = {
    FIL_WIRE_FIELD(transactional_map_contains_key_response, response, bool, 0),
};
static const struct fil_wire_field transactional_map_get_response_fields[] = {
    FIL_WIRE_FIELD(transactional_map_get_response, response, data_or_null, 0),
};
static const struct fil_wire_field transactional_map_size_request_fields[] = {
    FIL_WIRE_FIELD(transactional_map_size_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_map_size_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_map_size_request, name, string, 0),
};
static const struct fil_wire_field transactional_map_size_response_fields[] = {
    FIL_WIRE_FIELD(transactional_map_size_response, response, i32, 0),
};
static const struct fil_wire_field transactional_map_put_request_fields[] = {
    FIL_WIRE_FIELD(transactional_map_put_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_map_put_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_map_put_request, ttl, i64, 25),
    FIL_WIRE_FIELD(transactional_map_put_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_map_put_request, key, data, 0),
    FIL_WIRE_FIELD(transactional_map_put_request, value, data, 0),
};
static const struct fil_wire_field transactional_map_set_request_fields[] = {
    FIL_WIRE_FIELD(transactional_map_set_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_map_set_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_map_set_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_map_set_request, key, data, 0),
    FIL_WIRE_FIELD(transactional_map_set_request, value, data, 0),
};
static const struct fil_wire_field transactional_map_replace_if_same_request_fields[] = {
    FIL_WIRE_FIELD(transactional_map_replace_if_same_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_map_replace_if_same_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_map_replace_if_same_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_map_replace_if_same_request, key, data, 0),
    FIL_WIRE_FIELD(transactional_map_replace_if_same_request, old_value, data, 0),
    FIL_WIRE_FIELD(transactional_map_replace_if_same_request, new_value, data, 0),
};
static const struct fil_wire_field transactional_map_key_set_response_fields[] = {
    FIL_WIRE_FIELD(transactional_map_key_set_response, response, list_data, 0),
};
static const struct fil_wire_field transactional_map_key_set_with_predicate_request_fields[] = {
    FIL_WIRE_FIELD(transactional_map_key_set_with_predicate_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_map_key_set_with_predicate_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_map_key_set_with_predicate_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_map_key_set_with_predicate_request, predicate, data, 0),
};
static const struct fil_wire_field transactional_map_contains_value_request_fields[] = {
    FIL_WIRE_FIELD(transactional_map_contains_value_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_map_contains_value_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_map_contains_value_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_map_contains_value_request, value, data, 0),
};

FIL_WIRE_LAYOUT_MAKE(transactional_map_contains_key_request, "TransactionalMap.containsKey", REQUEST, 0x0e0100, transactional_map_contains_key_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_contains_key_response, "TransactionalMap.containsKey", RESPONSE, 0x0e0101, transactional_map_contains_key_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_map_get_request, "TransactionalMap.get", REQUEST, 0x0e0200, transactional_map_contains_key_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_get_response, "TransactionalMap.get", RESPONSE, 0x0e0201, transactional_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_map_get_for_update_request, "TransactionalMap.getForUpdate", REQUEST, 0x0e0300, transactional_map_contains_key_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_get_for_update_response, "TransactionalMap.getForUpdate", RESPONSE, 0x0e0301, transactional_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_map_size_request, "TransactionalMap.size", REQUEST, 0x0e0400, transactional_map_size_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_size_response, "TransactionalMap.size", RESPONSE, 0x0e0401, transactional_map_size_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(transactional_map_is_empty_request, "TransactionalMap.isEmpty", REQUEST, 0x0e0500, transactional_map_size_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_is_empty_response, "TransactionalMap.isEmpty", RESPONSE, 0x0e0501, transactional_map_contains_key_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_map_put_request, "TransactionalMap.put", REQUEST, 0x0e0600, transactional_map_put_request_fields, 3, 33, 33);
FIL_WIRE_LAYOUT_MAKE(transactional_map_put_response, "TransactionalMap.put", RESPONSE, 0x0e0601, transactional_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_map_set_request, "TransactionalMap.set", REQUEST, 0x0e0700, transactional_map_set_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_EMPTY(transactional_map_set_response, "TransactionalMap.set", RESPONSE, 0x0e0701);
FIL_WIRE_LAYOUT_MAKE(transactional_map_put_if_absent_request, "TransactionalMap.putIfAbsent", REQUEST, 0x0e0800, transactional_map_set_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_put_if_absent_response, "TransactionalMap.putIfAbsent", RESPONSE, 0x0e0801, transactional_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_map_replace_request, "TransactionalMap.replace", REQUEST, 0x0e0900, transactional_map_set_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_replace_response, "TransactionalMap.replace", RESPONSE, 0x0e0901, transactional_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_map_replace_if_same_request, "TransactionalMap.replaceIfSame", REQUEST, 0x0e0a00, transactional_map_replace_if_same_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_replace_if_same_response, "TransactionalMap.replaceIfSame", RESPONSE, 0x0e0a01, transactional_map_contains_key_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_map_remove_request, "TransactionalMap.remove", REQUEST, 0x0e0b00, transactional_map_contains_key_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_remove_response, "TransactionalMap.remove", RESPONSE, 0x0e0b01, transactional_map_get_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_map_delete_request, "TransactionalMap.delete", REQUEST, 0x0e0c00, transactional_map_contains_key_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_EMPTY(transactional_map_delete_response, "TransactionalMap.delete", RESPONSE, 0x0e0c01);
FIL_WIRE_LAYOUT_MAKE(transactional_map_remove_if_same_request, "TransactionalMap.removeIfSame", REQUEST, 0x0e0d00, transactional_map_set_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_remove_if_same_response, "TransactionalMap.removeIfSame", RESPONSE, 0x0e0d01, transactional_map_contains_key_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_map_key_set_request, "TransactionalMap.keySet", REQUEST, 0x0e0e00, transactional_map_size_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_key_set_response, "TransactionalMap.keySet", RESPONSE, 0x0e0e01, transactional_map_key_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_map_key_set_with_predicate_request, "TransactionalMap.keySetWithPredicate", REQUEST, 0x0e0f00, transactional_map_key_set_with_predicate_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_key_set_with_predicate_response, "TransactionalMap.keySetWithPredicate", RESPONSE, 0x0e0f01, transactional_map_key_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_map_values_request, "TransactionalMap.values", REQUEST, 0x0e1000, transactional_map_size_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_values_response, "TransactionalMap.values", RESPONSE, 0x0e1001, transactional_map_key_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_map_values_with_predicate_request, "TransactionalMap.valuesWithPredicate", REQUEST, 0x0e1100, transactional_map_key_set_with_predicate_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_values_with_predicate_response, "TransactionalMap.valuesWithPredicate", RESPONSE, 0x0e1101, transactional_map_key_set_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_map_contains_value_request, "TransactionalMap.containsValue", REQUEST, 0x0e1200, transactional_map_contains_value_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_map_contains_value_response, "TransactionalMap.containsValue", RESPONSE, 0x0e1201, transactional_map_contains_key_response_fields, 1, 1, 1);


const struct fil_wire_message fil_wire_transactional_map_messages[] = {
    FIL_WIRE_MESSAGE(transactional_map_contains_key, "transactional_map.contains_key", 0x0e0100, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_get, "transactional_map.get", 0x0e0200, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_get_for_update, "transactional_map.get_for_update", 0x0e0300, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_size, "transactional_map.size", 0x0e0400, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_is_empty, "transactional_map.is_empty", 0x0e0500, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_put, "transactional_map.put", 0x0e0600, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_set, "transactional_map.set", 0x0e0700, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_put_if_absent, "transactional_map.put_if_absent", 0x0e0800, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_replace, "transactional_map.replace", 0x0e0900, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_replace_if_same, "transactional_map.replace_if_same", 0x0e0a00, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_remove, "transactional_map.remove", 0x0e0b00, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_delete, "transactional_map.delete", 0x0e0c00, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_remove_if_same, "transactional_map.remove_if_same", 0x0e0d00, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_key_set, "transactional_map.key_set", 0x0e0e00, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_key_set_with_predicate, "transactional_map.key_set_with_predicate", 0x0e0f00, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_values, "transactional_map.values", 0x0e1000, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_values_with_predicate, "transactional_map.values_with_predicate", 0x0e1100, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_map_contains_value, "transactional_map.contains_value", 0x0e1200, false, 0, NULL),
};
