// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** TransactionalList: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_transactional_list_number {
    FIL_WIRE_TRANSACTIONAL_LIST_ADD = 0x110100,
    FIL_WIRE_TRANSACTIONAL_LIST_REMOVE = 0x110200,
    FIL_WIRE_TRANSACTIONAL_LIST_SIZE = 0x110300,
};

struct fil_wire_transactional_list_add_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, item;
};
struct fil_wire_transactional_list_add_response {
    bool response;
};
struct fil_wire_transactional_list_remove_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name, item;
};
struct fil_wire_transactional_list_remove_response {
    bool response;
};
struct fil_wire_transactional_list_size_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name;
};
struct fil_wire_transactional_list_size_response {
    int32_t response;
};

FIL_WIRE_DECLARE(transactional_list_add);
FIL_WIRE_DECLARE(transactional_list_remove);
FIL_WIRE_DECLARE(transactional_list_size);
