// SPDX-License-Identifier: Apache-2.0
/**
 * What a client wants to be run, as it stands in a request: a serialized value that names a
 * function of the member and has its argument.
 *
 *     string   "echo hello"                             name, blank, argument
 *     JSON     {"function": "echo", "argument": "hello"}
 *     object   an IdentifiedDataSerializable            factory and class id, then its fields
 *
 * A Runnable comes wrapped in an object of Hazelcast's own, which is opened.
 *
 * Memory: borrows, but for the name in JSON; the argument points into the data.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_WIRE_CALLABLE_NAME_MAX 63U

struct fil_wire_callable {
    bool has_ids; // ids instead of a name; the argument is the object's fields
    int32_t factory_id;
    int32_t class_id;
    struct fil_bytes name;
    struct fil_bytes argument;
    bool is_quoted;                                // the argument is a string of JSON, as written
    uint8_t name_room[FIL_WIRE_CALLABLE_NAME_MAX]; // where a name in JSON is put
};

/**
 * FIL_E_MALFORMED, FIL_E_UNSUPPORTED for another type of value, FIL_E_NOMEM; the reason, a static
 * text, goes on behind "the callable". The callable stays where it is.
 */
int fil_wire_callable_decode(struct fil_bytes data, struct fil_wire_callable *out_callable,
                             const char **out_reason) FIL_NODISCARD;

/** The characters of an argument that is quoted, into room of its size; returns how many. */
size_t fil_wire_callable_unquote(const struct fil_wire_callable *callable, uint8_t *out_bytes);
