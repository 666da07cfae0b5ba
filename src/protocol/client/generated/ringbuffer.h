// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Ringbuffer: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_ringbuffer_number {
    FIL_WIRE_RINGBUFFER_SIZE = 0x170100,
    FIL_WIRE_RINGBUFFER_TAIL_SEQUENCE = 0x170200,
    FIL_WIRE_RINGBUFFER_HEAD_SEQUENCE = 0x170300,
    FIL_WIRE_RINGBUFFER_CAPACITY = 0x170400,
    FIL_WIRE_RINGBUFFER_REMAINING_CAPACITY = 0x170500,
    FIL_WIRE_RINGBUFFER_ADD = 0x170600,
    FIL_WIRE_RINGBUFFER_READ_ONE = 0x170700,
    FIL_WIRE_RINGBUFFER_ADD_ALL = 0x170800,
    FIL_WIRE_RINGBUFFER_READ_MANY = 0x170900,
};

struct fil_wire_ringbuffer_size_request {
    struct fil_bytes name;
};
struct fil_wire_ringbuffer_size_response {
    int64_t response;
};
struct fil_wire_ringbuffer_tail_sequence_request {
    struct fil_bytes name;
};
struct fil_wire_ringbuffer_tail_sequence_response {
    int64_t response;
};
struct fil_wire_ringbuffer_head_sequence_request {
    struct fil_bytes name;
};
struct fil_wire_ringbuffer_head_sequence_response {
    int64_t response;
};
struct fil_wire_ringbuffer_capacity_request {
    struct fil_bytes name;
};
struct fil_wire_ringbuffer_capacity_response {
    int64_t response;
};
struct fil_wire_ringbuffer_remaining_capacity_request {
    struct fil_bytes name;
};
struct fil_wire_ringbuffer_remaining_capacity_response {
    int64_t response;
};
struct fil_wire_ringbuffer_add_request {
    int32_t overflow_policy;
    struct fil_bytes name, value;
};
struct fil_wire_ringbuffer_add_response {
    int64_t response;
};
struct fil_wire_ringbuffer_read_one_request {
    int64_t sequence;
    struct fil_bytes name;
};
struct fil_wire_ringbuffer_read_one_response {
    struct fil_bytes response;
};
struct fil_wire_ringbuffer_add_all_request {
    int32_t overflow_policy;
    struct fil_bytes name;
    struct fil_wire_part value_list;
};
struct fil_wire_ringbuffer_add_all_response {
    int64_t response;
};
struct fil_wire_ringbuffer_read_many_request {
    int64_t start_sequence;
    int32_t min_count, max_count;
    struct fil_bytes name, filter;
};
struct fil_wire_ringbuffer_read_many_response {
    int32_t read_count;
    int64_t next_seq;
    struct fil_wire_part items;
    struct fil_bytes item_seqs;
};

FIL_WIRE_DECLARE(ringbuffer_size);
FIL_WIRE_DECLARE(ringbuffer_tail_sequence);
FIL_WIRE_DECLARE(ringbuffer_head_sequence);
FIL_WIRE_DECLARE(ringbuffer_capacity);
FIL_WIRE_DECLARE(ringbuffer_remaining_capacity);
FIL_WIRE_DECLARE(ringbuffer_add);
FIL_WIRE_DECLARE(ringbuffer_read_one);
FIL_WIRE_DECLARE(ringbuffer_add_all);
FIL_WIRE_DECLARE(ringbuffer_read_many);
