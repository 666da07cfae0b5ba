// SPDX-License-Identifier: Apache-2.0
#include "core/stream/order.h"

#include <math.h>
#include <string.h>

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/** A double as a whole number of the same order; one that is no number comes last. */
static int64_t rank_of(const uint8_t *at)
{
    int64_t bits;
    double real;
    memcpy(&bits, at, sizeof(bits));
    memcpy(&real, at, sizeof(real));
    if (isnan(real)) {
        return INT64_MAX;
    }
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static int64_t number_at(const uint8_t *at)
{
    int64_t number;
    memcpy(&number, at, sizeof(number));
    return number;
}

static int compare_field(const struct fil_order_field *field, const uint8_t *a, const uint8_t *b)
{
    a += field->offset;
    b += field->offset;
    switch (field->kind) {
    case FIL_ORDER_I64:
        return compare_numbers(number_at(a), number_at(b));
    case FIL_ORDER_F64:
        return compare_numbers(rank_of(a), rank_of(b));
    case FIL_ORDER_TEXT:
        break;
    }
    return memcmp(a, b, field->size);
}

int fil_order_compare(const void *order, const void *a, const void *b)
{
    const struct fil_order *by = order;
    for (uint32_t i = 0; i < by->field_count; i++) {
        int result = compare_field(&by->fields[i], a, b);
        if (result != 0) {
            return by->fields[i].is_descending ? -result : result;
        }
    }
    return memcmp(a, b, by->record_size);
}

/** Two sorted stretches of numbers become one. */
static void merge(const struct fil_order *order, const uint8_t *records, const uint32_t *from,
                  uint32_t middle, uint32_t end, uint32_t *to)
{
    size_t size = order->record_size;
    uint32_t left = 0;
    uint32_t right = middle;
    for (uint32_t i = 0; i < end; i++) {
        bool is_left =
            right == end || (left < middle && fil_order_compare(order, records + from[left] * size,
                                                                records + from[right] * size) <= 0);
        to[i] = is_left ? from[left++] : from[right++];
    }
}

void fil_order_sort(const struct fil_order *order, const void *records, uint32_t count,
                    uint32_t *out_numbers, uint32_t *scratch)
{
    for (uint32_t i = 0; i < count; i++) {
        out_numbers[i] = i;
    }
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t first = 0; first < count; first += 2 * width) {
            uint32_t rest = count - first;
            uint32_t end = rest < 2 * width ? rest : 2 * width;
            merge(order, records, out_numbers + first, rest < width ? rest : width, end,
                  scratch + first);
        }
        memcpy(out_numbers, scratch, count * sizeof(*out_numbers));
    }
}
