// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** TransactionalMap: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_transactional_map_number {
    FIL_WIRE_TRANSACTIONAL_MAP_CONTAINS_KEY = 0x0e0100,
    FIL_WIRE_TRANSACTIONAL_MAP_GET = 0x0e0200,
    FIL_WIRE_TRANSACTIONAL_MAP_GET_FOR_UPDATE = 0x0e0300,
    FIL_WIRE_TRANSACTIONAL_MAP_SIZE = 0x0e0400,
    FIL_WIRE_TRANSACTIONAL_MAP_IS_EMPTY = 0x0e0500,
    FIL_WIRE_TRANSACTIONAL_MAP_PUT = 0x0e0600,
    FIL_WIRE_TRANSACTIONAL_MAP_SET = 0x0e0700,
    FIL_WIRE_TRANSACTIONAL_MAP_PUT_IF_ABSENT = 0x0e0800,
    FIL_WIRE_TRANSACTIONAL_MAP_REPLACE = 0x0e0900,
    FIL_WIRE_TRANSACTIONAL_MAP_REPLACE_IF_SAME = 0x0e0a00,
    FIL_WIRE_TRANSACTIONAL_MAP_REMOVE = 0x0e0b00,
    FIL_WIRE_TRANSACTIONAL_MAP_DELETE = 0x0e0c00,
    FIL_WIRE_TRANSACTIONAL_MAP_REMOVE_IF_SAME = 0x0e0d00,
    FIL_WIRE_TRANSACTIONAL_MAP_KEY_SET = 0x0e0e00,
    FIL_WIRE_TRANSACTIONAL_MAP_KEY_SET_WITH_PREDICATE = 0x0e0f00,
    FIL_WIRE_TRANSACTIONAL_MAP_VALUES = 0x0e1000,
    FIL_WIRE_TRANSACTIONAL_MAP_VALUES_WITH_PREDICATE = 0x0e1100,
    FIL_WIRE_TRANSACTIONAL_MAP_CONTAINS_VALUE = 0x0e1200,
};

struct fil_wire_transactional_map_contains_key_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_transactional_map_contains_key_response {
    bool response;
};
struct fil_wire_transactional_map_get_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_transactional_map_get_response {
    struct fil_bytes response;
};
struct fil_wire_transactional_map_get_for_update_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_transactional_map_get_for_update_response {
    struct fil_bytes response;
};
struct fil_wire_transactional_map_size_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name;
};
struct fil_wire_transactional_map_size_response {
    int32_t response;
};
struct fil_wire_transactional_map_is_empty_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name;
};
struct fil_wire_transactional_map_is_empty_response {
    bool response;
};
struct fil_wire_transactional_map_put_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id, ttl;
    struct fil_bytes name, key, value;
};
struct fil_wire_transactional_map_put_response {
    struct fil_bytes response;
};
struct fil_wire_transactional_map_set_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_transactional_map_put_if_absent_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_transactional_map_put_if_absent_response {
    struct fil_bytes response;
};
struct fil_wire_transactional_map_replace_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_transactional_map_replace_response {
    struct fil_bytes response;
};
struct fil_wire_transactional_map_replace_if_same_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key, old_value, new_value;
};
struct fil_wire_transactional_map_replace_if_same_response {
    bool response;
};
struct fil_wire_transactional_map_remove_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_transactional_map_remove_response {
    struct fil_bytes response;
};
struct fil_wire_transactional_map_delete_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_transactional_map_remove_if_same_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_transactional_map_remove_if_same_response {
    bool response;
};
struct fil_wire_transactional_map_key_set_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name;
};
struct fil_wire_transactional_map_key_set_response {
    struct fil_wire_part response;
};
struct fil_wire_transactional_map_key_set_with_predicate_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, predicate;
};
struct fil_wire_transactional_map_key_set_with_predicate_response {
    struct fil_wire_part response;
};
struct fil_wire_transactional_map_values_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name;
};
struct fil_wire_transactional_map_values_response {
    struct fil_wire_part response;
};
struct fil_wire_transactional_map_values_with_predicate_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, predicate;
};
struct fil_wire_transactional_map_values_with_predicate_response {
    struct fil_wire_part response;
};
struct fil_wire_transactional_map_contains_value_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, value;
};
struct fil_wire_transactional_map_contains_value_response {
    bool response;
};

FIL_WIRE_DECLARE(transactional_map_contains_key);
FIL_WIRE_DECLARE(transactional_map_get);
FIL_WIRE_DECLARE(transactional_map_get_for_update);
FIL_WIRE_DECLARE(transactional_map_size);
FIL_WIRE_DECLARE(transactional_map_is_empty);
FIL_WIRE_DECLARE(transactional_map_put);
FIL_WIRE_DECLARE(transactional_map_set);
FIL_WIRE_DECLARE(transactional_map_put_if_absent);
FIL_WIRE_DECLARE(transactional_map_replace);
FIL_WIRE_DECLARE(transactional_map_replace_if_same);
FIL_WIRE_DECLARE(transactional_map_remove);
FIL_WIRE_DECLARE(transactional_map_delete);
FIL_WIRE_DECLARE(transactional_map_remove_if_same);
FIL_WIRE_DECLARE(transactional_map_key_set);
FIL_WIRE_DECLARE(transactional_map_key_set_with_predicate);
FIL_WIRE_DECLARE(transactional_map_values);
FIL_WIRE_DECLARE(transactional_map_values_with_predicate);
FIL_WIRE_DECLARE(transactional_map_contains_value);
