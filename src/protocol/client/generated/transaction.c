// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/transaction.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field transaction_commit_request_fields[] = {
    FIL_WIRE_FIELD(transaction_commit_request, transaction_id, uuid, 0),
    FIL_WIRE_FIELD(transaction_commit_request, thread_id, i64, 17),
};
static const struct fil_wire_field transaction_create_request_fields[] = {
    FIL_WIRE_FIELD(transaction_create_request, timeout, i64, 0),
    FIL_WIRE_FIELD(transaction_create_request, durability, i32, 8),
    FIL_WIRE_FIELD(transaction_create_request, transaction_type, i32, 12),
    FIL_WIRE_FIELD(transaction_create_request, thread_id, i64, 16),
};
static const struct fil_wire_field transaction_create_response_fields[] = {
    FIL_WIRE_FIELD(transaction_create_response, response, uuid, 0),
};

FIL_WIRE_LAYOUT_MAKE(transaction_commit_request, "Transaction.commit", REQUEST, 0x150100, transaction_commit_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_EMPTY(transaction_commit_response, "Transaction.commit", RESPONSE, 0x150101);
FIL_WIRE_LAYOUT_MAKE(transaction_create_request, "Transaction.create", REQUEST, 0x150200, transaction_create_request_fields, 4, 24, 24);
FIL_WIRE_LAYOUT_MAKE(transaction_create_response, "Transaction.create", RESPONSE, 0x150201, transaction_create_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(transaction_rollback_request, "Transaction.rollback", REQUEST, 0x150300, transaction_commit_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_EMPTY(transaction_rollback_response, "Transaction.rollback", RESPONSE, 0x150301);


const struct fil_wire_message fil_wire_transaction_messages[] = {
    FIL_WIRE_MESSAGE(transaction_commit, "transaction.commit", 0x150100, false, 0, NULL),
    FIL_WIRE_MESSAGE(transaction_create, "transaction.create", 0x150200, false, 0, NULL),
    FIL_WIRE_MESSAGE(transaction_rollback, "transaction.rollback", 0x150300, false, 0, NULL),
};
