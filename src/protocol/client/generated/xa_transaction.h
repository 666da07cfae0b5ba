// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** XATransaction: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_xa_transaction_number {
    FIL_WIRE_XA_TRANSACTION_CLEAR_REMOTE = 0x140100,
    FIL_WIRE_XA_TRANSACTION_COLLECT_TRANSACTIONS = 0x140200,
    FIL_WIRE_XA_TRANSACTION_FINALIZE = 0x140300,
    FIL_WIRE_XA_TRANSACTION_COMMIT = 0x140400,
    FIL_WIRE_XA_TRANSACTION_CREATE = 0x140500,
    FIL_WIRE_XA_TRANSACTION_PREPARE = 0x140600,
    FIL_WIRE_XA_TRANSACTION_ROLLBACK = 0x140700,
};

struct fil_wire_xa_transaction_clear_remote_request {
    struct fil_wire_part xid;
};
struct fil_wire_xa_transaction_collect_transactions_response {
    struct fil_wire_part response;
};
struct fil_wire_xa_transaction_finalize_request {
    bool is_commit;
    struct fil_wire_part xid;
};
struct fil_wire_xa_transaction_commit_request {
    struct fil_wire_uuid transaction_id;
    bool one_phase;
};
struct fil_wire_xa_transaction_create_request {
    int64_t timeout;
    struct fil_wire_part xid;
};
struct fil_wire_xa_transaction_create_response {
    struct fil_wire_uuid response;
};
struct fil_wire_xa_transaction_prepare_request {
    struct fil_wire_uuid transaction_id;
};
struct fil_wire_xa_transaction_rollback_request {
    struct fil_wire_uuid transaction_id;
};

FIL_WIRE_DECLARE(xa_transaction_clear_remote);
FIL_WIRE_DECLARE(xa_transaction_collect_transactions);
FIL_WIRE_DECLARE(xa_transaction_finalize);
FIL_WIRE_DECLARE(xa_transaction_commit);
FIL_WIRE_DECLARE(xa_transaction_create);
FIL_WIRE_DECLARE(xa_transaction_prepare);
FIL_WIRE_DECLARE(xa_transaction_rollback);
