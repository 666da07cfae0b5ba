// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/xa_transaction.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field xa_transaction_clear_remote_request_fields[] = {
    FIL_WIRE_FIELD(xa_transaction_clear_remote_request, xid, xid, 0),
};
static const struct fil_wire_field xa_transaction_collect_transactions_response_fields[] = {
    FIL_WIRE_FIELD(xa_transaction_collect_transactions_response, response, list_xid, 0),
};
static const struct fil_wire_field xa_transaction_finalize_request_fields[] = {
    FIL_WIRE_FIELD(xa_transaction_finalize_request, is_commit, bool, 0),
    FIL_WIRE_FIELD(xa_transaction_finalize_request, xid, xid, 0),
};
static const struct fil_wire_field xa_transaction_commit_request_fields[] = {
    FIL_WIRE_FIELD(xa_transaction_commit_request, transaction_id, uuid, 0),
    FIL_WIRE_FIELD(xa_transaction_commit_request, one_phase, bool, 17),
};
static const struct fil_wire_field xa_transaction_create_request_fields[] = {
    FIL_WIRE_FIELD(xa_transaction_create_request, timeout, i64, 0),
    FIL_WIRE_FIELD(xa_transaction_create_request, xid, xid, 0),
};
static const struct fil_wire_field xa_transaction_create_response_fields[] = {
    FIL_WIRE_FIELD(xa_transaction_create_response, response, uuid, 0),
};
static const struct fil_wire_field xa_transaction_prepare_request_fields[] = {
    FIL_WIRE_FIELD(xa_transaction_prepare_request, transaction_id, uuid, 0),
};

FIL_WIRE_LAYOUT_MAKE(xa_transaction_clear_remote_request, "XATransaction.clearRemote", REQUEST, 0x140100, xa_transaction_clear_remote_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_EMPTY(xa_transaction_clear_remote_response, "XATransaction.clearRemote", RESPONSE, 0x140101);
FIL_WIRE_LAYOUT_EMPTY(xa_transaction_collect_transactions_request, "XATransaction.collectTransactions", REQUEST, 0x140200);
FIL_WIRE_LAYOUT_MAKE(xa_transaction_collect_transactions_response, "XATransaction.collectTransactions", RESPONSE, 0x140201, xa_transaction_collect_transactions_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(xa_transaction_finalize_request, "XATransaction.finalize", REQUEST, 0x140300, xa_transaction_finalize_request_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_EMPTY(xa_transaction_finalize_response, "XATransaction.finalize", RESPONSE, 0x140301);
FIL_WIRE_LAYOUT_MAKE(xa_transaction_commit_request, "XATransaction.commit", REQUEST, 0x140400, xa_transaction_commit_request_fields, 2, 18, 18);
FIL_WIRE_LAYOUT_EMPTY(xa_transaction_commit_response, "XATransaction.commit", RESPONSE, 0x140401);
FIL_WIRE_LAYOUT_MAKE(xa_transaction_create_request, "XATransaction.create", REQUEST, 0x140500, xa_transaction_create_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(xa_transaction_create_response, "XATransaction.create", RESPONSE, 0x140501, xa_transaction_create_response_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_MAKE(xa_transaction_prepare_request, "XATransaction.prepare", REQUEST, 0x140600, xa_transaction_prepare_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(xa_transaction_prepare_response, "XATransaction.prepare", RESPONSE, 0x140601);
FIL_WIRE_LAYOUT_MAKE(xa_transaction_rollback_request, "XATransaction.rollback", REQUEST, 0x140700, xa_transaction_prepare_request_fields, 1, 17, 17);
FIL_WIRE_LAYOUT_EMPTY(xa_transaction_rollback_response, "XATransaction.rollback", RESPONSE, 0x140701);


const struct fil_wire_message fil_wire_xa_transaction_messages[] = {
    FIL_WIRE_MESSAGE(xa_transaction_clear_remote, "xa_transaction.clear_remote", 0x140100, false, 0, NULL),
    FIL_WIRE_MESSAGE(xa_transaction_collect_transactions, "xa_transaction.collect_transactions", 0x140200, false, 0, NULL),
    FIL_WIRE_MESSAGE(xa_transaction_finalize, "xa_transaction.finalize", 0x140300, false, 0, NULL),
    FIL_WIRE_MESSAGE(xa_transaction_commit, "xa_transaction.commit", 0x140400, false, 0, NULL),
    FIL_WIRE_MESSAGE(xa_transaction_create, "xa_transaction.create", 0x140500, false, 0, NULL),
    FIL_WIRE_MESSAGE(xa_transaction_prepare, "xa_transaction.prepare", 0x140600, false, 0, NULL),
    FIL_WIRE_MESSAGE(xa_transaction_rollback, "xa_transaction.rollback", 0x140700, false, 0, NULL),
};
