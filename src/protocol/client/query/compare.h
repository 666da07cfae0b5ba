// SPDX-License-Identifier: Apache-2.0
/**
 * How values stand to each other, as queries see them.
 *
 * Numbers compare across their types. A text that an attribute is compared with is read as a number
 * or a truth if the attribute is one: an expression has no types but those of its attributes. A
 * text is equal to a whole number that is written so, and neither less nor greater. Null is equal
 * to null and neither less nor greater than anything.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/serialization.h"

/** False when the two cannot be compared; the attribute's type decides. */
bool fil_query_compare(const struct fil_wire_value *attribute, const struct fil_wire_value *wanted,
                       int *out_order) FIL_NODISCARD;

bool fil_query_equals(const struct fil_wire_value *attribute, const struct fil_wire_value *wanted);

/** An order of all values, for sorting: what cannot be compared is ordered by type. */
int fil_query_order(const struct fil_wire_value *left, const struct fil_wire_value *right);

/** The order of bytes; a prefix comes before what it begins. */
int fil_query_order_bytes(struct fil_bytes left, struct fil_bytes right);

bool fil_query_is_integer(const struct fil_wire_value *value);
bool fil_query_is_number(const struct fil_wire_value *value);

/** Of a number. */
double fil_query_real(const struct fil_wire_value *value);

/** Reads a whole text as a number: LONG if it is an integer that fits, else DOUBLE. */
bool fil_query_number_of(struct fil_bytes text, struct fil_wire_value *out_value) FIL_NODISCARD;

/** % stands for any characters, _ for one, a backslash takes the next one as it is. */
bool fil_query_is_like(struct fil_bytes text, struct fil_bytes pattern, bool is_any_case);
