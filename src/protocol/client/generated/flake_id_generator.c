// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/flake_id_generator.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field flake_id_generator_new_id_batch_request_fields[] = {
    FIL_WIRE_FIELD(flake_id_generator_new_id_batch_request, batch_size, i32, 0),
    FIL_WIRE_FIELD(flake_id_generator_new_id_batch_request, name, string, 0),
};
static const struct fil_wire_field flake_id_generator_new_id_batch_response_fields[] = {
    FIL_WIRE_FIELD(flake_id_generator_new_id_batch_response, base, i64, 0),
    FIL_WIRE_FIELD(flake_id_generator_new_id_batch_response, increment, i64, 8),
    FIL_WIRE_FIELD(flake_id_generator_new_id_batch_response, batch_size, i32, 16),
};

FIL_WIRE_LAYOUT_MAKE(flake_id_generator_new_id_batch_request, "FlakeIdGenerator.newIdBatch", REQUEST, 0x1c0100, flake_id_generator_new_id_batch_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(flake_id_generator_new_id_batch_response, "FlakeIdGenerator.newIdBatch", RESPONSE, 0x1c0101, flake_id_generator_new_id_batch_response_fields, 3, 20, 20);


const struct fil_wire_message fil_wire_flake_id_generator_messages[] = {
    FIL_WIRE_MESSAGE(flake_id_generator_new_id_batch, "flake_id_generator.new_id_batch", 0x1c0100, true, 0, NULL),
};
