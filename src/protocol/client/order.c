// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/order.h"

#include <string.h>

#include "filbert/error.h"
#include "grid/map/form.h"
#include "protocol/client/serialization.h"

/** What is compared: the rank of the kind first, then within it. */
struct measure {
    int rank;
    double number;
    struct fil_bytes text;
};

enum rank {
    RANK_NUMBER,
    RANK_TEXT,
    RANK_OTHER
};

static struct measure measure(struct fil_bytes form)
{
    struct fil_wire_value value;
    if (!fil_map_form_is_serialized(form)) {
        return (struct measure){.rank = RANK_TEXT, .text = form};
    }
    if (fil_wire_value_decode(form, &value) != FIL_OK) {
        return (struct measure){.rank = RANK_OTHER};
    }
    switch (value.type) {
    case FIL_WIRE_DATA_BYTE:
    case FIL_WIRE_DATA_SHORT:
    case FIL_WIRE_DATA_INTEGER:
    case FIL_WIRE_DATA_LONG:
        return (struct measure){.rank = RANK_NUMBER, .number = (double)value.integer};
    case FIL_WIRE_DATA_FLOAT:
    case FIL_WIRE_DATA_DOUBLE:
        return (struct measure){.rank = RANK_NUMBER, .number = value.real};
    case FIL_WIRE_DATA_STRING:
    case FIL_WIRE_DATA_JSON:
        return (struct measure){.rank = RANK_TEXT, .text = value.text};
    case FIL_WIRE_DATA_NULL:
    case FIL_WIRE_DATA_BOOLEAN:
    case FIL_WIRE_DATA_BYTES:
    case FIL_WIRE_DATA_UUID:
        break;
    }
    return (struct measure){.rank = RANK_OTHER};
}

static int compare_texts(struct fil_bytes left, struct fil_bytes right)
{
    size_t shorter = left.size < right.size ? left.size : right.size;
    int sign = shorter == 0 ? 0 : memcmp(left.data, right.data, shorter);
    return sign != 0 ? sign : (left.size > right.size) - (left.size < right.size);
}

int fil_wire_order_compare(void *context, struct fil_bytes left, struct fil_bytes right)
{
    const struct fil_wire_order *order = context;
    struct measure a = measure(left);
    struct measure b = measure(right);
    int sign = 0;
    if (a.rank != b.rank) {
        return a.rank - b.rank; // whichever way the order goes
    }
    if (a.rank == RANK_NUMBER) {
        sign = (a.number > b.number) - (a.number < b.number);
    } else if (a.rank == RANK_TEXT) {
        sign = compare_texts(a.text, b.text);
    }
    return order->is_descending ? -sign : sign;
}
