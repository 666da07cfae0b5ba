// SPDX-License-Identifier: Apache-2.0
/**
 * Objects inside of serialized objects: texts, values of the common types, and which class an
 * object is of. Reading moves the reader only when it succeeds, or ends everything.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/map/processor.h"
#include "lib/base/attr.h"
#include "lib/base/reader.h"
#include "protocol/client/serialization.h"

/** A class that clients and members know by two numbers. */
struct fil_query_class {
    int32_t factory;
    uint32_t number;
};

/** False: cut off, or null. */
bool fil_query_read_text(struct fil_reader *reader, struct fil_bytes *out_text) FIL_NODISCARD;

/** Likewise; null has no data. */
bool fil_query_read_text_or_null(struct fil_reader *reader, struct fil_bytes *out_text)
    FIL_NODISCARD;

/** FIL_E_UNSUPPORTED: of another type. FIL_E_MALFORMED. Four bytes must have been read before. */
int fil_query_read_value(struct fil_reader *reader, struct fil_wire_value *out_value) FIL_NODISCARD;

/** FIL_E_UNSUPPORTED: not an object of that kind. FIL_E_MALFORMED. */
int fil_query_read_class(struct fil_reader *reader, struct fil_query_class *out_class)
    FIL_NODISCARD;

// Writing: an object inside of another is its type and its payload.

/** A value of a common type. */
void fil_query_write_value(struct fil_map_buffer *buffer, const struct fil_wire_value *value);

/** A key or value of the map. */
void fil_query_write_form(struct fil_map_buffer *buffer, struct fil_bytes form);

/** The head of an object of a class of that factory, behind which its fields stand. */
void fil_query_write_class(struct fil_map_buffer *buffer, struct fil_query_class class);
void fil_query_write_u32(struct fil_map_buffer *buffer, uint32_t number);

/** An entry as an object of the class that clients know entries by. */
void fil_query_write_entry(struct fil_map_buffer *buffer, struct fil_bytes key,
                           struct fil_bytes value);
