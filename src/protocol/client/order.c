// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/order.h"

#include <string.h>

#include "filbert/error.h"
#include "grid/map/form.h"
#include "protocol/client/serialization.h"

#define TEXT_MAX 128U // bytes of an attribute that are compared

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

static struct measure measure_value(const struct fil_wire_value *value)
{
    switch (value->type) {
    case FIL_WIRE_DATA_BYTE:
    case FIL_WIRE_DATA_SHORT:
    case FIL_WIRE_DATA_INTEGER:
    case FIL_WIRE_DATA_LONG:
        return (struct measure){.rank = RANK_NUMBER, .number = (double)value->integer};
    case FIL_WIRE_DATA_FLOAT:
    case FIL_WIRE_DATA_DOUBLE:
        return (struct measure){.rank = RANK_NUMBER, .number = value->real};
    case FIL_WIRE_DATA_STRING:
    case FIL_WIRE_DATA_JSON:
        return (struct measure){.rank = RANK_TEXT, .text = value->text};
    case FIL_WIRE_DATA_NULL:
    case FIL_WIRE_DATA_BOOLEAN:
    case FIL_WIRE_DATA_BYTES:
    case FIL_WIRE_DATA_UUID:
        break;
    }
    return (struct measure){.rank = RANK_OTHER};
}

/** The first value of the attribute; a text is copied, for it may be shown only now. */
struct attribute {
    struct measure measure;
    char text[TEXT_MAX];
};

static bool take_attribute(void *context, const struct fil_wire_value *value)
{
    struct attribute *attribute = context;
    attribute->measure = measure_value(value);
    size_t size = attribute->measure.text.size;
    size = size < TEXT_MAX ? size : TEXT_MAX;
    if (size > 0) {
        memcpy(attribute->text, attribute->measure.text.data, size);
    }
    attribute->measure.text = fil_bytes_make(attribute->text, size);
    return true;
}

static struct measure measure(const struct fil_wire_order *order, struct fil_bytes form,
                              struct attribute *room)
{
    struct fil_wire_value value;
    if (order->has_attribute) {
        struct fil_query_entry entry = {.value = form};
        room->measure = (struct measure){.rank = RANK_OTHER};
        (void)fil_query_path_visit(&order->path, &entry, take_attribute, room);
        return room->measure;
    }
    if (!fil_map_form_is_serialized(form)) {
        return (struct measure){.rank = RANK_TEXT, .text = form};
    }
    return fil_wire_value_decode(form, &value) == FIL_OK ? measure_value(&value)
                                                         : (struct measure){.rank = RANK_OTHER};
}

int fil_wire_order_by(struct fil_wire_order *order, const char *attribute)
{
    size_t size = strlen(attribute);
    if (size > FIL_WIRE_ORDER_ATTRIBUTE_MAX) {
        return FIL_E_INVALID;
    }
    memcpy(order->attribute, attribute, size + 1);
    int error = fil_query_path_parse(fil_bytes_make(order->attribute, size), &order->path);
    order->has_attribute = error == FIL_OK && !order->path.is_key && order->path.step_count > 0;
    return order->has_attribute ? FIL_OK : FIL_E_INVALID;
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
    struct attribute rooms[2];
    struct measure a = measure(order, left, &rooms[0]);
    struct measure b = measure(order, right, &rooms[1]);
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
