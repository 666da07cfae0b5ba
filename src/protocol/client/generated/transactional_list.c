// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/transactional_list.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field transactional_list_add_request_fields[] = {
    FIL_WIRE_FIELD(transactional_list_add_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_list_add_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_list_add_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_list_add_request, item, data, 0),
};
static const struct fil_wire_field transactional_list_add_response_fields[] = {
    FIL_WIRE_FIELD(transactional_list_add_response, response, bool, 0),
};
static const struct fil_wire_field transactional_list_size_request_fields[] = {
    FIL_WIRE_FIELD(transactional_list_size_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_list_size_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_list_size_request, name, string, 0),
};
static const struct fil_wire_field transactional_list_size_response_fields[] = {
    FIL_WIRE_FIELD(transactional_list_size_response, response, i32, 0),
};

FIL_WIRE_LAYOUT_MAKE(transactional_list_add_request, "TransactionalList.add", REQUEST, 0x110100, transactional_list_add_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_list_add_response, "TransactionalList.add", RESPONSE, 0x110101, transactional_list_add_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_list_remove_request, "TransactionalList.remove", REQUEST, 0x110200, transactional_list_add_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_list_remove_response, "TransactionalList.remove", RESPONSE, 0x110201, transactional_list_add_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_list_size_request, "TransactionalList.size", REQUEST, 0x110300, transactional_list_size_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_list_size_response, "TransactionalList.size", RESPONSE, 0x110301, transactional_list_size_response_fields, 1, 4, 4);


const struct fil_wire_message fil_wire_transactional_list_messages[] = {
    FIL_WIRE_MESSAGE(transactional_list_add, "transactional_list.add", 0x110100, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_list_remove, "transactional_list.remove", 0x110200, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_list_size, "transactional_list.size", 0x110300, false, 0, NULL),
};
