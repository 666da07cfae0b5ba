// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Transaction: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_transaction_number {
    FIL_WIRE_TRANSACTION_COMMIT = 0x150100,
    FIL_WIRE_TRANSACTION_CREATE = 0x150200,
    FIL_WIRE_TRANSACTION_ROLLBACK = 0x150300,
};

struct fil_wire_transaction_commit_request {
    struct fil_wire_uuid transaction_id;
    int64_t thread_id;
};
struct fil_wire_transaction_create_request {
    int64_t timeout;
    int32_t durability, transaction_type;
    int64_t thread_id;
};
struct fil_wire_transaction_create_response {
    struct fil_wire_uuid response;
};
struct fil_wire_transaction_rollback_request {
    struct fil_wire_uuid transaction_id;
    int64_t thread_id;
};

FIL_WIRE_DECLARE(transaction_commit);
FIL_WIRE_DECLARE(transaction_create);
FIL_WIRE_DECLARE(transaction_rollback);
