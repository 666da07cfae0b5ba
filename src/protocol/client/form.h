// SPDX-License-Identifier: Apache-2.0
/**
 * Serialized keys and values ("data") into the form that a map keeps (grid/map/form.h), and back.
 *
 * Strings lose their head of twelve bytes, and so do arrays of bytes that are no UTF-8: other
 * protocols read and write the same. Everything else stays as it is. What a map has of other
 * protocols becomes a string or an array of bytes when a client reads it. The two directions are
 * inverse to each other, so that values are equal when their forms are.
 *
 * Memory: borrows; a form points into its data.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/writer.h"

/** The form of a key. */
struct fil_bytes fil_wire_form_of_key(struct fil_bytes data);

/**
 * The form of a value. False for one that has a hash, which only keys need, and a type of a
 * client's own: it could be taken for text.
 */
bool fil_wire_form_of_value(struct fil_bytes data, struct fil_bytes *out_form) FIL_NODISCARD;

/** The type that a form has for clients. */
int32_t fil_wire_form_type(struct fil_bytes form);

/** Writes a form as data. */
void fil_wire_writer_form(struct fil_wire_writer *writer, struct fil_bytes form);

/** Likewise; bytes without data are null. */
static inline void fil_wire_writer_form_or_null(struct fil_wire_writer *writer,
                                                struct fil_bytes form)
{
    if (form.data == NULL) {
        fil_wire_writer_null(writer);
    } else {
        fil_wire_writer_form(writer, form);
    }
}

/** Where a key was found, which tells one that brings its hash and is of a client's own type. */
struct fil_wire_form_place {
    uint32_t partition_id;
    uint32_t partition_count;
};

void fil_wire_writer_form_key(struct fil_wire_writer *writer, struct fil_bytes form,
                              struct fil_wire_form_place place);
