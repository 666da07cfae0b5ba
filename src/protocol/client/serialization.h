// SPDX-License-Identifier: Apache-2.0
/**
 * Serialized values ("data"): what keys and values are to a member, and the common types of them.
 *
 * Data is four bytes of partition hash, four of type and the payload, all big-endian. A member
 * never needs to look into a payload to store, compare or place it; this is for those that make or
 * show values: the C client, the command line, the other protocols.
 *
 * Numbers of different clients differ in type: what Python writes as an integer, Node.js writes as
 * a double. They are different keys.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/murmur3.h"
#include "lib/base/writer.h"
#include "protocol/client/part.h"

/** Types of data; those that are missing here are opaque to us. */
enum fil_wire_data_type {
    FIL_WIRE_DATA_NULL = 0,
    FIL_WIRE_DATA_BYTE = -3,
    FIL_WIRE_DATA_BOOLEAN = -4,
    FIL_WIRE_DATA_SHORT = -6,
    FIL_WIRE_DATA_INTEGER = -7,
    FIL_WIRE_DATA_LONG = -8,
    FIL_WIRE_DATA_FLOAT = -9,
    FIL_WIRE_DATA_DOUBLE = -10,
    FIL_WIRE_DATA_STRING = -11,
    FIL_WIRE_DATA_BYTES = -12,
    FIL_WIRE_DATA_UUID = -21,
    FIL_WIRE_DATA_JSON = -130,
};

/** A value of one of the types above. */
struct fil_wire_value {
    enum fil_wire_data_type type;
    union {
        bool boolean;
        int64_t integer;       // BYTE, SHORT, INTEGER, LONG
        double real;           // FLOAT, DOUBLE
        struct fil_bytes text; // STRING, BYTES, JSON
        struct fil_wire_uuid uuid;
    };
};

/** The type of data of at least FIL_WIRE_DATA_SIZE_MIN bytes, also of one that is opaque. */
static inline int32_t fil_wire_data_type(struct fil_bytes data)
{
    return (int32_t)fil_load_u32_be(data.data + 4);
}

/** What makes a key the same key: type and payload, not the hash. */
static inline struct fil_bytes fil_wire_data_identity(struct fil_bytes data)
{
    return fil_bytes_make(data.data + 4, data.size - 4);
}

/** The hash that places a key: the one it brings, or else that of its payload. */
int32_t fil_wire_data_hash(struct fil_bytes data);

/** The partition of a key, and of an object that lives in one partition by its name. */
uint32_t fil_wire_partition_of_key(struct fil_bytes data, uint32_t partition_count);
uint32_t fil_wire_partition_of_name(struct fil_bytes name, uint32_t partition_count);

/** FIL_E_UNSUPPORTED: another type. FIL_E_MALFORMED: the payload is not of its type. */
int fil_wire_value_decode(struct fil_bytes data, struct fil_wire_value *out_value) FIL_NODISCARD;

/** The bytes of data that the value needs. */
size_t fil_wire_value_size(const struct fil_wire_value *value);

/** Appends the data. FIL_E_FULL: there is no room. An integer is cut to the size of its type. */
int fil_wire_value_encode(const struct fil_wire_value *value, struct fil_writer *writer)
    FIL_NODISCARD;

// The makers of values.

static inline struct fil_wire_value fil_wire_value_text(enum fil_wire_data_type type,
                                                        struct fil_bytes text)
{
    return (struct fil_wire_value){.type = type, .text = text};
}

static inline struct fil_wire_value fil_wire_value_integer(enum fil_wire_data_type type,
                                                           int64_t integer)
{
    return (struct fil_wire_value){.type = type, .integer = integer};
}

static inline struct fil_wire_value fil_wire_value_real(enum fil_wire_data_type type, double real)
{
    return (struct fil_wire_value){.type = type, .real = real};
}

static inline struct fil_wire_value fil_wire_value_boolean(bool boolean)
{
    return (struct fil_wire_value){.type = FIL_WIRE_DATA_BOOLEAN, .boolean = boolean};
}
