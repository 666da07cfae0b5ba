// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/transactional_queue.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field transactional_queue_offer_request_fields[] = {
    FIL_WIRE_FIELD(transactional_queue_offer_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_queue_offer_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_queue_offer_request, timeout, i64, 25),
    FIL_WIRE_FIELD(transactional_queue_offer_request, name, string, 0),
    FIL_WIRE_FIELD(transactional_queue_offer_request, item, data, 0),
};
static const struct fil_wire_field transactional_queue_offer_response_fields[] = {
    FIL_WIRE_FIELD(transactional_queue_offer_response, response, bool, 0),
};
static const struct fil_wire_field transactional_queue_take_request_fields[] = {
    FIL_WIRE_FIELD(transactional_queue_take_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_queue_take_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_queue_take_request, name, string, 0),
};
static const struct fil_wire_field transactional_queue_take_response_fields[] = {
    FIL_WIRE_FIELD(transactional_queue_take_response, response, data_or_null, 0),
};
static const struct fil_wire_field transactional_queue_poll_request_fields[] = {
    FIL_WIRE_FIELD(transactional_queue_poll_request, txn_id, uuid, 0),
    FIL_WIRE_FIELD(transactional_queue_poll_request, thread_id, i64, 17),
    FIL_WIRE_FIELD(transactional_queue_poll_request, timeout, i64, 25),
    FIL_WIRE_FIELD(transactional_queue_poll_request, name, string, 0),
};
static const struct fil_wire_field transactional_queue_size_response_fields[] = {
    FIL_WIRE_FIELD(transactional_queue_size_response, response, i32, 0),
};

FIL_WIRE_LAYOUT_MAKE(transactional_queue_offer_request, "TransactionalQueue.offer", REQUEST, 0x120100, transactional_queue_offer_request_fields, 3, 33, 33);
FIL_WIRE_LAYOUT_MAKE(transactional_queue_offer_response, "TransactionalQueue.offer", RESPONSE, 0x120101, transactional_queue_offer_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(transactional_queue_take_request, "TransactionalQueue.take", REQUEST, 0x120200, transactional_queue_take_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_queue_take_response, "TransactionalQueue.take", RESPONSE, 0x120201, transactional_queue_take_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_queue_poll_request, "TransactionalQueue.poll", REQUEST, 0x120300, transactional_queue_poll_request_fields, 3, 33, 33);
FIL_WIRE_LAYOUT_MAKE(transactional_queue_poll_response, "TransactionalQueue.poll", RESPONSE, 0x120301, transactional_queue_take_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_queue_peek_request, "TransactionalQueue.peek", REQUEST, 0x120400, transactional_queue_poll_request_fields, 3, 33, 33);
FIL_WIRE_LAYOUT_MAKE(transactional_queue_peek_response, "TransactionalQueue.peek", RESPONSE, 0x120401, transactional_queue_take_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(transactional_queue_size_request, "TransactionalQueue.size", REQUEST, 0x120500, transactional_queue_take_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(transactional_queue_size_response, "TransactionalQueue.size", RESPONSE, 0x120501, transactional_queue_size_response_fields, 1, 4, 4);


const struct fil_wire_message fil_wire_transactional_queue_messages[] = {
    FIL_WIRE_MESSAGE(transactional_queue_offer, "transactional_queue.offer", 0x120100, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_queue_take, "transactional_queue.take", 0x120200, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_queue_poll, "transactional_queue.poll", 0x120300, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_queue_peek, "transactional_queue.peek", 0x120400, false, 0, NULL),
    FIL_WIRE_MESSAGE(transactional_queue_size, "transactional_queue.size", 0x120500, false, 0, NULL),
};
