// SPDX-License-Identifier: Apache-2.0
/**
 * Records as lines of JSON, one object each: members by the names of the fields, in any order. What
 * has no field is passed over, a field without a member, or with null, is zero or empty; true and
 * false are 1 and 0.
 */
#pragma once

#include "filbert/pipeline.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/** FIL_E_NOT_FOUND: an empty line; FIL_E_MALFORMED: no object, or a value that does not fit. */
int fil_json_lines_parse(const struct fil_type *type, struct fil_bytes line, void *out_record)
    FIL_NODISCARD;

/** Bytes that a line of the type takes at most. */
size_t fil_json_lines_size_max(const struct fil_type *type);

/** Bytes of the line, or more than the capacity when that is too small. */
size_t fil_json_lines_format(const struct fil_type *type, const void *record, char *out_text,
                             size_t capacity);
