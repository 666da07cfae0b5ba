// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** FlakeIdGenerator: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_flake_id_generator_number {
    FIL_WIRE_FLAKE_ID_GENERATOR_NEW_ID_BATCH = 0x1c0100,
};

struct fil_wire_flake_id_generator_new_id_batch_request {
    int32_t batch_size;
    struct fil_bytes name;
};
struct fil_wire_flake_id_generator_new_id_batch_response {
    int64_t base, increment;
    int32_t batch_size;
};

FIL_WIRE_DECLARE(flake_id_generator_new_id_batch);
