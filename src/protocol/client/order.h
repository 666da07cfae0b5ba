// SPDX-License-Identifier: Apache-2.0
/**
 * An order of items in their stored forms, for queues that are not in arrival order: by the item
 * itself. Numbers of any type stand before texts, texts before everything else; what cannot be
 * compared is equal.
 *
 * Threads: any; it does not change once it is made.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/bytes.h"

struct fil_wire_order {
    bool is_descending;
};

/** A fil_items_compare_fn; the context is a struct fil_wire_order. */
int fil_wire_order_compare(void *context, struct fil_bytes left, struct fil_bytes right);
