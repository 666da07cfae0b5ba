// SPDX-License-Identifier: Apache-2.0
/**
 * Where the fields of a compact record stand: what a schema says, worked out once.
 *
 * Fields of a fixed size come first, the larger ones before the smaller ones, and after them the
 * truths, a bit each; all others are found through a table of offsets at the record's end.
 *
 * Memory:  one block; it does not point to the schema.
 * Threads: constant once it is made.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/generated/customs.h"

/** The kinds of fields that are looked into. */
enum fil_compact_kind {
    FIL_COMPACT_BOOLEAN = 1,
    FIL_COMPACT_INT8 = 3,
    FIL_COMPACT_INT16 = 7,
    FIL_COMPACT_INT32 = 9,
    FIL_COMPACT_INT64 = 11,
    FIL_COMPACT_FLOAT32 = 13,
    FIL_COMPACT_FLOAT64 = 15,
    FIL_COMPACT_STRING = 17,
    FIL_COMPACT_COMPACT = 29,
    FIL_COMPACT_NULLABLE_BOOLEAN = 33,
    FIL_COMPACT_NULLABLE_INT8 = 35,
    FIL_COMPACT_NULLABLE_INT16 = 37,
    FIL_COMPACT_NULLABLE_INT32 = 39,
    FIL_COMPACT_NULLABLE_INT64 = 41,
    FIL_COMPACT_NULLABLE_FLOAT32 = 43,
    FIL_COMPACT_NULLABLE_FLOAT64 = 45,
};

/** The kind of an array of a kind. */
#define FIL_COMPACT_ARRAY_OF(kind) ((int32_t)(kind) + 1)

struct fil_compact_field {
    struct fil_bytes name;
    int32_t kind;
    bool is_variable;
    uint8_t bit;       // of a truth
    uint32_t position; // of a fixed one: its offset; of another: its number in the table
};

struct fil_compact_layout {
    size_t size_bytes; // of the block
    uint32_t field_count;
    uint32_t variable_count;
    uint32_t fixed_bytes;
    struct fil_compact_field fields[]; // in the order of their names
};

/** NULL with *out_error: FIL_E_NOMEM, FIL_E_LIMIT, FIL_E_MALFORMED. */
struct fil_compact_layout *fil_compact_layout_new(const struct fil_wire_schema *schema,
                                                  int *out_error) FIL_NODISCARD;
void fil_compact_layout_free(struct fil_compact_layout *layout);

/** NULL when there is none of that name. */
const struct fil_compact_field *fil_compact_layout_find(const struct fil_compact_layout *layout,
                                                        struct fil_bytes name);
