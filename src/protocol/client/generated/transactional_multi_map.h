// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** TransactionalMultiMap: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_transactional_multi_map_number {
    FIL_WIRE_TRANSACTIONAL_MULTI_MAP_PUT = 0x0f0100,
    FIL_WIRE_TRANSACTIONAL_MULTI_MAP_GET = 0x0f0200,
    FIL_WIRE_TRANSACTIONAL_MULTI_MAP_REMOVE = 0x0f0300,
    FIL_WIRE_TRANSACTIONAL_MULTI_MAP_REMOVE_ENTRY = 0x0f0400,
    FIL_WIRE_TRANSACTIONAL_MULTI_MAP_VALUE_COUNT = 0x0f0500,
    FIL_WIRE_TRANSACTIONAL_MULTI_MAP_SIZE = 0x0f0600,
};

struct fil_wire_transactional_multi_map_put_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_transactional_multi_map_put_response {
    bool response;
};
struct fil_wire_transactional_multi_map_get_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_transactional_multi_map_get_response {
    struct fil_wire_part response;
};
struct fil_wire_transactional_multi_map_remove_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_transactional_multi_map_remove_response {
    struct fil_wire_part response;
};
struct fil_wire_transactional_multi_map_remove_entry_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key, value;
};
struct fil_wire_transactional_multi_map_remove_entry_response {
    bool response;
};
struct fil_wire_transactional_multi_map_value_count_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, key;
};
struct fil_wire_transactional_multi_map_value_count_response {
    int32_t response;
};
struct fil_wire_transactional_multi_map_size_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name;
};
struct fil_wire_transactional_multi_map_size_response {
    int32_t response;
};

FIL_WIRE_DECLARE(transactional_multi_map_put);
FIL_WIRE_DECLARE(transactional_multi_map_get);
FIL_WIRE_DECLARE(transactional_multi_map_remove);
FIL_WIRE_DECLARE(transactional_multi_map_remove_entry);
FIL_WIRE_DECLARE(transactional_multi_map_value_count);
FIL_WIRE_DECLARE(transactional_multi_map_size);
