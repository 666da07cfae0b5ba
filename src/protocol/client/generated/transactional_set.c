// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/transactional_set.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field transactional_set_add_request_fields[] = {
    FIL_WIRE_FIELD(transactional_set_add_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_set_add_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_set_add_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_set_add_request, item, data, 0),
};
static const struct fil_wire_field transactional_set_add_response_fields[] = {
    FIL_WIRE_FIELD(transactional_set_add_response, response, bool, 0),
};
static const struct fil_wire_field transactional_set_size_request_fields[] = {
    FIL_WIRE_FIELD(transactional_set_size_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_set_size_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_set_size_request, name, string, 0),
};
static const struct fil_wire_field transactional_set_size_response_fields[] = {
    FIL_WIRE_FIELD(transactional_set_size_response, response, i32, 0),
};

FIL_WIRE_LAYOUT_MAKE(transactional_set_add_request, "TransactionalSet.add", REQUEST, 0x100100, transactional_set_add_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_set_add_response, "TransactionalSet.add", RESPONSE, 0x100101, transactional_set_add_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_set_remove_request, "TransactionalSet.remove", REQUEST, 0x100200, transactional_set_add_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_set_remove_response, "TransactionalSet.remove", RESPONSE, 0x100201, transactional_set_add_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_set_size_request, "TransactionalSet.size", REQUEST, 0x100300, transactional_set_size_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_set_size_response, "TransactionalSet.size", RESPONSE, 0x100301, transactional_set_size_response_fields, 1, 4, 4);


const struct fil_wire_message fil_wire_transactional_set_messages[] = {
    FIL_WIRE_MESSAGE(transactional_set_add, "transactional_set.add", 0x100100, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_set_remove, "transactional_set.remove", 0x100200, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_set_size, "transactional_set.size", 0x100300, false, 0, NULL),
};
