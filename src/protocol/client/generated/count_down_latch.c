// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/count_down_latch.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field count_down_latch_try_set_count_request_fields[] = {
    FIL_WIRE_FIELD(count_down_latch_try_set_count_request, count, i32, 0),
    FIL_WIRE_FIELD(count_down_latch_try_set_count_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(count_down_latch_try_set_count_request, name, string, 0),
};
static const struct fil_wire_field count_down_latch_try_set_count_response_fields[] = {
    FIL_WIRE_FIELD(count_down_latch_try_set_count_response, response, bool, 0),
};
static const struct fil_wire_field count_down_latch_await_request_fields[] = {
    FIL_WIRE_FIELD(count_down_latch_await_request, invocation_uid, uuid, 0),
    FIL_WIRE_FIELD(count_down_latch_await_request, timeout_ms, i64, 17),
    FIL_WIRE_FIELD(count_down_latch_await_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(count_down_latch_await_request, name, string, 0),
};
static const struct fil_wire_field count_down_latch_count_down_request_fields[] = {
    FIL_WIRE_FIELD(count_down_latch_count_down_request, invocation_uid, uuid, 0),
    FIL_WIRE_FIELD(count_down_latch_count_down_request, expected_round, i32, 17),
    FIL_WIRE_FIELD(count_down_latch_count_down_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(count_down_latch_count_down_request, name, string, 0),
};
static const struct fil_wire_field count_down_latch_get_count_request_fields[] = {
    FIL_WIRE_FIELD(count_down_latch_get_count_request, group_id, raft_group_id, 0),
    FIL_WIRE_FIELD(count_down_latch_get_count_request, name, string, 0),
};
static const struct fil_wire_field count_down_latch_get_count_response_fields[] = {
    FIL_WIRE_FIELD(count_down_latch_get_count_response, response, i32, 0),
};

FIL_WIRE_LAYOUT_MAKE(count_down_latch_try_set_count_request, "CountDownLatch.trySetCount", REQUEST, 0x0b0100, count_down_latch_try_set_count_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(count_down_latch_try_set_count_response, "CountDownLatch.trySetCount", RESPONSE, 0x0b0101, count_down_latch_try_set_count_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(count_down_latch_await_request, "CountDownLatch.await", REQUEST, 0x0b0200, count_down_latch_await_request_fields, 2, 25, 25);
FIL_WIRE_LAYOUT_MAKE(count_down_latch_await_response, "CountDownLatch.await", RESPONSE, 0x0b0201, count_down_latch_try_set_count_response_fields, 1, 1, 1);
FIL_WIRE_LAYOUT_MAKE(count_down_latch_count_down_request, "CountDownLatch.countDown", REQUEST, 0x0b0300, count_down_latch_count_down_request_fields, 2, 21, 21);
FIL_WIRE_LAYOUT_EMPTY(count_down_latch_count_down_response, "CountDownLatch.countDown", RESPONSE, 0x0b0301);
FIL_WIRE_LAYOUT_MAKE(count_down_latch_get_count_request, "CountDownLatch.getCount", REQUEST, 0x0b0400, count_down_latch_get_count_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(count_down_latch_get_count_response, "CountDownLatch.getCount", RESPONSE, 0x0b0401, count_down_latch_get_count_response_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(count_down_latch_get_round_request, "CountDownLatch.getRound", REQUEST, 0x0b0500, count_down_latch_get_count_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(count_down_latch_get_round_response, "CountDownLatch.getRound", RESPONSE, 0x0b0501, count_down_latch_get_count_response_fields, 1, 4, 4);


const struct fil_wire_message fil_wire_count_down_latch_messages[] = {
    FIL_WIRE_MESSAGE(count_down_latch_try_set_count, "count_down_latch.try_set_count", 0x0b0100, true, 0, NULL),
    FIL_WIRE_MESSAGE(count_down_latch_await, "count_down_latch.await", 0x0b0200, true, 0, NULL),
    FIL_WIRE_MESSAGE(count_down_latch_count_down, "count_down_latch.count_down", 0x0b0300, true, 0, NULL),
    FIL_WIRE_MESSAGE(count_down_latch_get_count, "count_down_latch.get_count", 0x0b0400, true, 0, NULL),
    FIL_WIRE_MESSAGE(count_down_latch_get_round, "count_down_latch.get_round", 0x0b0500, true, 0, NULL),
};
