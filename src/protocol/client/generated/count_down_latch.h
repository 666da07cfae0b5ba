// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** CountDownLatch: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_count_down_latch_number {
    FIL_WIRE_COUNT_DOWN_LATCH_TRY_SET_COUNT = 0x0b0100,
    FIL_WIRE_COUNT_DOWN_LATCH_AWAIT = 0x0b0200,
    FIL_WIRE_COUNT_DOWN_LATCH_COUNT_DOWN = 0x0b0300,
    FIL_WIRE_COUNT_DOWN_LATCH_GET_COUNT = 0x0b0400,
    FIL_WIRE_COUNT_DOWN_LATCH_GET_ROUND = 0x0b0500,
};

struct fil_wire_count_down_latch_try_set_count_request {
    int32_t count;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_count_down_latch_try_set_count_response {
    bool response;
};
struct fil_wire_count_down_latch_await_request {
    struct fil_wire_uuid invocation_uid;
    int64_t timeout_ms;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_count_down_latch_await_response {
    bool response;
};
struct fil_wire_count_down_latch_count_down_request {
    struct fil_wire_uuid invocation_uid;
    int32_t expected_round;
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_count_down_latch_get_count_request {
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_count_down_latch_get_count_response {
    int32_t response;
};
struct fil_wire_count_down_latch_get_round_request {
    struct fil_wire_part group_id;
    struct fil_bytes name;
};
struct fil_wire_count_down_latch_get_round_response {
    int32_t response;
};

FIL_WIRE_DECLARE(count_down_latch_try_set_count);
FIL_WIRE_DECLARE(count_down_latch_await);
FIL_WIRE_DECLARE(count_down_latch_count_down);
FIL_WIRE_DECLARE(count_down_latch_get_count);
FIL_WIRE_DECLARE(count_down_latch_get_round);
