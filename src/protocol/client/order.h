// SPDX-License-Identifier: Apache-2.0
/**
 * An order of items in their stored forms, for queues that are not in arrival order: by the item
 * itself, or by an attribute of items that are JSON. Numbers of any type stand before texts, texts
 * before everything else; what cannot be compared, or has no such attribute, is equal.
 *
 * Threads: any; it does not change once it is made.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/query/path.h"

#define FIL_WIRE_ORDER_ATTRIBUTE_MAX 63U

struct fil_wire_order {
    bool is_descending;
    bool has_attribute;
    struct fil_query_path path; // into the text
    char attribute[FIL_WIRE_ORDER_ATTRIBUTE_MAX + 1];
};

/** By this attribute from now on; the order must stay where it is. FIL_E_INVALID for no path. */
int fil_wire_order_by(struct fil_wire_order *order, const char *attribute) FIL_NODISCARD;

/** A fil_items_compare_fn; the context is a struct fil_wire_order. */
int fil_wire_order_compare(void *context, struct fil_bytes left, struct fil_bytes right);
