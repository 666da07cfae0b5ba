// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** TransactionalQueue: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_transactional_queue_number {
    FIL_WIRE_TRANSACTIONAL_QUEUE_OFFER = 0x120100,
    FIL_WIRE_TRANSACTIONAL_QUEUE_TAKE = 0x120200,
    FIL_WIRE_TRANSACTIONAL_QUEUE_POLL = 0x120300,
    FIL_WIRE_TRANSACTIONAL_QUEUE_PEEK = 0x120400,
    FIL_WIRE_TRANSACTIONAL_QUEUE_SIZE = 0x120500,
};

struct fil_wire_transactional_queue_offer_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id, timeout;
    struct fil_bytes name, item;
};
struct fil_wire_transactional_queue_offer_response {
    bool response;
};
struct fil_wire_transactional_queue_take_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name;
};
struct fil_wire_transactional_queue_take_response {
    struct fil_bytes response;
};
struct fil_wire_transactional_queue_poll_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id, timeout;
    struct fil_bytes name;
};
struct fil_wire_transactional_queue_poll_response {
    struct fil_bytes response;
};
struct fil_wire_transactional_queue_peek_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id, timeout;
    struct fil_bytes name;
};
struct fil_wire_transactional_queue_peek_response {
    struct fil_bytes response;
};
struct fil_wire_transactional_queue_size_request {
    struct fil_wire_uuid txn_id;
    int64_t thread_id;
    struct fil_bytes name;
};
struct fil_wire_transactional_queue_size_response {
    int32_t response;
};

FIL_WIRE_DECLARE(transactional_queue_offer);
FIL_WIRE_DECLARE(transactional_queue_take);
FIL_WIRE_DECLARE(transactional_queue_poll);
FIL_WIRE_DECLARE(transactional_queue_peek);
FIL_WIRE_DECLARE(transactional_queue_size);
