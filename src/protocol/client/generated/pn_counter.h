// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** PNCounter: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_pn_counter_number {
    FIL_WIRE_PN_COUNTER_GET = 0x1d0100,
    FIL_WIRE_PN_COUNTER_ADD = 0x1d0200,
    FIL_WIRE_PN_COUNTER_GET_CONFIGURED_REPLICA_COUNT = 0x1d0300,
};

struct fil_wire_pn_counter_get_request {
    struct fil_wire_uuid target_replica_uuid;
    struct fil_bytes name, replica_timestamps;
};
struct fil_wire_pn_counter_get_response {
    int64_t value;
    int32_t replica_count;
    struct fil_bytes replica_timestamps;
};
struct fil_wire_pn_counter_add_request {
    int64_t delta;
    bool get_before_update;
    struct fil_wire_uuid target_replica_uuid;
    struct fil_bytes name, replica_timestamps;
};
struct fil_wire_pn_counter_add_response {
    int64_t value;
    int32_t replica_count;
    struct fil_bytes replica_timestamps;
};
struct fil_wire_pn_counter_get_configured_replica_count_request {
    struct fil_bytes name;
};
struct fil_wire_pn_counter_get_configured_replica_count_response {
    int32_t response;
};

FIL_WIRE_DECLARE(pn_counter_get);
FIL_WIRE_DECLARE(pn_counter_add);
FIL_WIRE_DECLARE(pn_counter_get_configured_replica_count);
