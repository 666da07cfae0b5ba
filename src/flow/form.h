// SPDX-License-Identifier: Apache-2.0
/** Records as entries and items: see core/pipeline/connection.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/pipeline/connection.h"
#include "core/stream/processor.h"
#include "filbert/pipeline.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/** Rounded up to where a record may be. */
static inline size_t fil_form_align(size_t size)
{
    return (size + 7U) & ~(size_t)7U;
}

/** Bytes that a value of the type takes at most. */
size_t fil_form_size_max(const struct fil_type *type);

/** Writes the key; returns its size. There is room for fil_form_size_max of it. */
size_t fil_form_write_key(const struct fil_field *key, const void *record, char *out_bytes);
size_t fil_form_write_value(const struct fil_type *type, const void *record, char *out_bytes,
                            size_t capacity);

/** FIL_E_MALFORMED when the bytes are not what the fields say. Other fields are left alone. */
int fil_form_read_key(const struct fil_field *key, struct fil_bytes bytes, void *record)
    FIL_NODISCARD;
int fil_form_read_value(const struct fil_type *type, struct fil_bytes bytes, void *record)
    FIL_NODISCARD;

/** The record's event time. */
int64_t fil_form_time(const struct fil_connection *connection, const void *record);

/** Says that an entry of a map is not as the type says. FIL_E_MALFORMED. */
int fil_form_blame(struct fil_processor_context *context, const char *map, struct fil_bytes key);
