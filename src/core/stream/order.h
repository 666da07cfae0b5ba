// SPDX-License-Identifier: Apache-2.0
/**
 * An order of records by some of their fields.
 *
 * Records that are equal in all of these are ordered by their bytes, so that the order of a set of
 * records is one, however they came.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FIL_ORDER_FIELDS_MAX 4U

enum fil_order_kind {
    FIL_ORDER_I64,
    FIL_ORDER_F64, // what is no number comes behind all that are
    FIL_ORDER_TEXT // by bytes
};

struct fil_order_field {
    enum fil_order_kind kind;
    uint32_t offset;
    uint32_t size; // of a text
    bool is_descending;
};

struct fil_order {
    struct fil_order_field fields[FIL_ORDER_FIELDS_MAX];
    uint32_t field_count;
    uint32_t record_size;
};

/** As in qsort; `order` is a struct fil_order: it fits where functions have a context. */
int fil_order_compare(const void *order, const void *a, const void *b);

/** The numbers 0 to count - 1 of records that lie one behind the other, in their order; stable
 * because no two records are equal but in all of their bytes. `scratch` has room for count. */
void fil_order_sort(const struct fil_order *order, const void *records, uint32_t count,
                    uint32_t *out_numbers, uint32_t *scratch);
