// SPDX-License-Identifier: Apache-2.0
/**
 * Records as lines of fields between commas. Texts with commas, quotes or line ends stand between
 * double quotes, quotes inside are doubled; a line end inside a text cannot be read back.
 */
#pragma once

#include "filbert/pipeline.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/** FIL_E_NOT_FOUND: an empty line; FIL_E_MALFORMED: not the type's fields. */
int fil_csv_parse(const struct fil_type *type, struct fil_bytes line, void *out_record)
    FIL_NODISCARD;

/** As above, but an empty line is one, and what is between the fields stays. FIL_E_MALFORMED. */
int fil_csv_parse_fields(const struct fil_type *type, struct fil_bytes line, void *out_record)
    FIL_NODISCARD;

/** A whole text as a number; false when it is none. */
bool fil_csv_parse_real(struct fil_bytes text, double *out_value);

/** Bytes of the line, or more than the capacity when that is too small. */
size_t fil_csv_format(const struct fil_type *type, const void *record, char *out_text,
                      size_t capacity);
