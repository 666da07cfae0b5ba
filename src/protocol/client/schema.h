// SPDX-License-Identifier: Apache-2.0
/**
 * The number of a compact schema: a fingerprint of its type name and its fields in their order.
 *
 * Clients send schemas without their number and ask for them by it, so a member must come to the
 * same one. The order of fields is that of their names in UTF-16, whatever order they came in.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/generated/customs.h"

/** They are sorted on the stack. */
#define FIL_WIRE_SCHEMA_FIELDS_MAX 1024U

struct fil_wire_schema_field {
    struct fil_bytes name;
    int32_t kind;
};

/** The fields in their order. Errors as below. */
int fil_wire_schema_sort(const struct fil_wire_schema *schema,
                         struct fil_wire_schema_field out_fields[FIL_WIRE_SCHEMA_FIELDS_MAX])
    FIL_NODISCARD;

/** FIL_E_LIMIT: too many fields. FIL_E_MALFORMED: two of one name, or not a decoded schema. */
int fil_wire_schema_id(const struct fil_wire_schema *schema, int64_t *out_id) FIL_NODISCARD;
