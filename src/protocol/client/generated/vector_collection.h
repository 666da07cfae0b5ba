// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** VectorCollection: its messages' numbers, structs and layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocol/client/layout.h"
#include "protocol/client/part.h"

/** Numbers of requests and events; that of a response is its request's and one. */
enum fil_wire_vector_collection_number {
    FIL_WIRE_VECTOR_COLLECTION_PUT = 0x240100,
    FIL_WIRE_VECTOR_COLLECTION_PUT_IF_ABSENT = 0x240200,
    FIL_WIRE_VECTOR_COLLECTION_PUT_ALL = 0x240300,
    FIL_WIRE_VECTOR_COLLECTION_GET = 0x240400,
    FIL_WIRE_VECTOR_COLLECTION_REMOVE = 0x240500,
    FIL_WIRE_VECTOR_COLLECTION_SET = 0x240600,
    FIL_WIRE_VECTOR_COLLECTION_DELETE = 0x240700,
    FIL_WIRE_VECTOR_COLLECTION_SEARCH_NEAR_VECTOR = 0x240800,
    FIL_WIRE_VECTOR_COLLECTION_OPTIMIZE = 0x240900,
    FIL_WIRE_VECTOR_COLLECTION_CLEAR = 0x240a00,
    FIL_WIRE_VECTOR_COLLECTION_SIZE = 0x240b00,
};

struct fil_wire_vector_collection_put_request {
    struct fil_bytes name, key;
    struct fil_wire_part value;
};
struct fil_wire_vector_collection_put_response {
    struct fil_wire_part value;
};
struct fil_wire_vector_collection_put_if_absent_request {
    struct fil_bytes name, key;
    struct fil_wire_part value;
};
struct fil_wire_vector_collection_put_if_absent_response {
    struct fil_wire_part value;
};
struct fil_wire_vector_collection_put_all_request {
    struct fil_bytes name;
    struct fil_wire_part entries;
};
struct fil_wire_vector_collection_get_request {
    struct fil_bytes name, key;
};
struct fil_wire_vector_collection_get_response {
    struct fil_wire_part value;
};
struct fil_wire_vector_collection_remove_request {
    struct fil_bytes name, key;
};
struct fil_wire_vector_collection_remove_response {
    struct fil_wire_part value;
};
struct fil_wire_vector_collection_set_request {
    struct fil_bytes name, key;
    struct fil_wire_part value;
};
struct fil_wire_vector_collection_delete_request {
    struct fil_bytes name, key;
};
struct fil_wire_vector_collection_search_near_vector_request {
    struct fil_bytes name;
    struct fil_wire_part vectors, options;
};
struct fil_wire_vector_collection_search_near_vector_response {
    struct fil_wire_part result;
};
struct fil_wire_vector_collection_optimize_request {
    struct fil_wire_uuid uuid;
    struct fil_bytes name, index_name;
    bool has_uuid; // since 2.9
};
struct fil_wire_vector_collection_clear_request {
    struct fil_bytes name;
};
struct fil_wire_vector_collection_size_request {
    struct fil_bytes name;
};
struct fil_wire_vector_collection_size_response {
    int64_t response;
};

FIL_WIRE_DECLARE(vector_collection_put);
FIL_WIRE_DECLARE(vector_collection_put_if_absent);
FIL_WIRE_DECLARE(vector_collection_put_all);
FIL_WIRE_DECLARE(vector_collection_get);
FIL_WIRE_DECLARE(vector_collection_remove);
FIL_WIRE_DECLARE(vector_collection_set);
FIL_WIRE_DECLARE(vector_collection_delete);
FIL_WIRE_DECLARE(vector_collection_search_near_vector);
FIL_WIRE_DECLARE(vector_collection_optimize);
FIL_WIRE_DECLARE(vector_collection_clear);
FIL_WIRE_DECLARE(vector_collection_size);
