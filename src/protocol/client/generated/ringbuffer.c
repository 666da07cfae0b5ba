// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
#include "protocol/client/generated/ringbuffer.h"

#include <stddef.h>

#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"

static const struct fil_wire_field ringbuffer_size_request_fields[] = {
    FIL_WIRE_FIELD(ringbuffer_size_request, name, string, 0),
};
static const struct fil_wire_field ringbuffer_size_response_fields[] = {
    FIL_WIRE_FIELD(ringbuffer_size_response, response, i64, 0),
};
static const struct fil_wire_field ringbuffer_add_request_fields[] = {
    FIL_WIRE_FIELD(ringbuffer_add_request, overflow_policy, i32, 0),
    FIL_WIRE_FIELD(ringbuffer_add_request, name, string, 0),
    FIL_WIRE_FIELD(ringbuffer_add_request, value, data, 0),
};
static const struct fil_wire_field ringbuffer_read_one_request_fields[] = {
    FIL_WIRE_FIELD(ringbuffer_read_one_request, sequence, i64, 0),
    FIL_WIRE_FIELD(ringbuffer_read_one_request, name, string, 0),
};
static const struct fil_wire_field ringbuffer_read_one_response_fields[] = {
    FIL_WIRE_FIELD(ringbuffer_read_one_response, response, data_or_null, 0),
};
static const struct fil_wire_field ringbuffer_add_all_request_fields[] = {
    FIL_WIRE_FIELD(ringbuffer_add_all_request, overflow_policy, i32, 0),
    FIL_WIRE_FIELD(ringbuffer_add_all_request, name, string, 0),
    FIL_WIRE_FIELD(ringbuffer_add_all_request, value_list, list_data, 0),
};
static const struct fil_wire_field ringbuffer_read_many_request_fields[] = {
    FIL_WIRE_FIELD(ringbuffer_read_many_request, start_sequence, i64, 0),
    FIL_WIRE_FIELD(ringbuffer_read_many_request, min_count, i32, 8),
    FIL_WIRE_FIELD(ringbuffer_read_many_request, max_count, i32, 12),
    FIL_WIRE_FIELD(ringbuffer_read_many_request, name, string, 0),
    FIL_WIRE_FIELD(ringbuffer_read_many_request, filter, data_or_null, 0),
};
static const struct fil_wire_field ringbuffer_read_many_response_fields[] = {
    FIL_WIRE_FIELD(ringbuffer_read_many_response, read_count, i32, 0),
    FIL_WIRE_FIELD(ringbuffer_read_many_response, next_seq, i64, 4),
    FIL_WIRE_FIELD(ringbuffer_read_many_response, items, list_data, 0),
    FIL_WIRE_FIELD(ringbuffer_read_many_response, item_seqs, list_i64_or_null, 0),
};

FIL_WIRE_LAYOUT_MAKE(ringbuffer_size_request, "Ringbuffer.size", REQUEST, 0x170100, ringbuffer_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_size_response, "Ringbuffer.size", RESPONSE, 0x170101, ringbuffer_size_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_tail_sequence_request, "Ringbuffer.tailSequence", REQUEST, 0x170200, ringbuffer_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_tail_sequence_response, "Ringbuffer.tailSequence", RESPONSE, 0x170201, ringbuffer_size_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_head_sequence_request, "Ringbuffer.headSequence", REQUEST, 0x170300, ringbuffer_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_head_sequence_response, "Ringbuffer.headSequence", RESPONSE, 0x170301, ringbuffer_size_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_capacity_request, "Ringbuffer.capacity", REQUEST, 0x170400, ringbuffer_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_capacity_response, "Ringbuffer.capacity", RESPONSE, 0x170401, ringbuffer_size_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_remaining_capacity_request, "Ringbuffer.remainingCapacity", REQUEST, 0x170500, ringbuffer_size_request_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_remaining_capacity_response, "Ringbuffer.remainingCapacity", RESPONSE, 0x170501, ringbuffer_size_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_add_request, "Ringbuffer.add", REQUEST, 0x170600, ringbuffer_add_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_add_response, "Ringbuffer.add", RESPONSE, 0x170601, ringbuffer_size_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_read_one_request, "Ringbuffer.readOne", REQUEST, 0x170700, ringbuffer_read_one_request_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_read_one_response, "Ringbuffer.readOne", RESPONSE, 0x170701, ringbuffer_read_one_response_fields, 0, 0, 0);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_add_all_request, "Ringbuffer.addAll", REQUEST, 0x170800, ringbuffer_add_all_request_fields, 1, 4, 4);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_add_all_response, "Ringbuffer.addAll", RESPONSE, 0x170801, ringbuffer_size_response_fields, 1, 8, 8);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_read_many_request, "Ringbuffer.readMany", REQUEST, 0x170900, ringbuffer_read_many_request_fields, 3, 16, 16);
FIL_WIRE_LAYOUT_MAKE(ringbuffer_read_many_response, "Ringbuffer.readMany", RESPONSE, 0x170901, ringbuffer_read_many_response_fields, 2, 12, 12);


const struct fil_wire_message fil_wire_ringbuffer_messages[] = {
    FIL_WIRE_MESSAGE(ringbuffer_size, "ringbuffer.size", 0x170100, true, 0, NULL),
    FIL_WIRE_MESSAGE(ringbuffer_tail_sequence, "ringbuffer.tail_sequence", 0x170200, true, 0, NULL),
    FIL_WIRE_MESSAGE(ringbuffer_head_sequence, "ringbuffer.head_sequence", 0x170300, true, 0, NULL),
    FIL_WIRE_MESSAGE(ringbuffer_capacity, "ringbuffer.capacity", 0x170400, true, 0, NULL),
    FIL_WIRE_MESSAGE(ringbuffer_remaining_capacity, "ringbuffer.remaining_capacity", 0x170500, true, 0, NULL),
    FIL_WIRE_MESSAGE(ringbuffer_add, "ringbuffer.add", 0x170600, false, 0, NULL),
    FIL_WIRE_MESSAGE(ringbuffer_read_one, "ringbuffer.read_one", 0x170700, true, 0, NULL),
    FIL_WIRE_MESSAGE(ringbuffer_add_all, "ringbuffer.add_all", 0x170800, false, 0, NULL),
    FIL_WIRE_MESSAGE(ringbuffer_read_many, "ringbuffer.read_many", 0x170900, true, 0, NULL),
};
