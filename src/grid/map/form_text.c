// SPDX-License-Identifier: Apache-2.0
#include "grid/map/form_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/writer.h"

// As clients number them (protocol/client/serialization.h has all that they have).
enum type {
    TYPE_BYTE = -3,
    TYPE_BOOLEAN = -4,
    TYPE_SHORT = -6,
    TYPE_INTEGER = -7,
    TYPE_LONG = -8,
    TYPE_FLOAT = -9,
    TYPE_DOUBLE = -10,
    TYPE_JSON = -130,
};

static struct fil_bytes decimal(int64_t number, char room[FIL_MAP_FORM_TEXT_MAX])
{
    struct fil_writer writer;
    fil_writer_init(&writer, room, FIL_MAP_FORM_TEXT_MAX);
    bool is_written = fil_writer_decimal_i64(&writer, number);
    fil_assert(is_written);
    return fil_writer_written(&writer);
}

static struct fil_bytes real_of_double(struct fil_bytes payload, char room[FIL_MAP_FORM_TEXT_MAX])
{
    uint64_t raw = fil_load_u64_be(payload.data);
    double value;
    memcpy(&value, &raw, sizeof(value));
    int size = snprintf(room, FIL_MAP_FORM_TEXT_MAX, "%.15g", value);
    // Few need more digits; what is not a number is no digits at all.
    for (int digits = 16; digits <= 17 && strtod(room, NULL) != value && !isnan(value); digits++) {
        size = snprintf(room, FIL_MAP_FORM_TEXT_MAX, "%.*g", digits, value);
    }
    fil_assert(size > 0 && size < (int)FIL_MAP_FORM_TEXT_MAX);
    return fil_bytes_make(room, (size_t)size);
}

static struct fil_bytes real_of_float(struct fil_bytes payload, char room[FIL_MAP_FORM_TEXT_MAX])
{
    uint32_t raw = fil_load_u32_be(payload.data);
    float value;
    memcpy(&value, &raw, sizeof(value));
    int size = snprintf(room, FIL_MAP_FORM_TEXT_MAX, "%.6g", (double)value);
    for (int digits = 7; digits <= 9 && strtof(room, NULL) != value && !isnan(value); digits++) {
        size = snprintf(room, FIL_MAP_FORM_TEXT_MAX, "%.*g", digits, (double)value);
    }
    fil_assert(size > 0 && size < (int)FIL_MAP_FORM_TEXT_MAX);
    return fil_bytes_make(room, (size_t)size);
}

/** Of a payload of one, two, four or eight bytes, with its sign. */
static int64_t integer_of(struct fil_bytes payload)
{
    uint64_t value = 0;
    for (size_t i = 0; i < payload.size; i++) {
        value = value << 8 | payload.data[i];
    }
    uint32_t unused = 64 - 8 * (uint32_t)payload.size;
    return (int64_t)(value << unused) >> unused;
}

/** The size that a payload of the type must have; 0: another type. */
static size_t size_of(int32_t type)
{
    switch (type) {
    case TYPE_BYTE:
    case TYPE_BOOLEAN:
        return 1;
    case TYPE_SHORT:
        return 2;
    case TYPE_INTEGER:
    case TYPE_FLOAT:
        return 4;
    case TYPE_LONG:
    case TYPE_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

static struct fil_bytes json_of(struct fil_bytes form, struct fil_bytes payload)
{
    if (payload.size < 4 || fil_load_u32_be(payload.data) != payload.size - 4) {
        return form;
    }
    return fil_bytes_make(payload.data + 4, payload.size - 4);
}

struct fil_bytes fil_map_form_text_of(struct fil_bytes form, char room[FIL_MAP_FORM_TEXT_MAX])
{
    fil_assert(form.size > FIL_MAP_FORM_HEAD);
    struct fil_bytes payload =
        fil_bytes_make(form.data + FIL_MAP_FORM_HEAD, form.size - FIL_MAP_FORM_HEAD);
    int32_t type = (int32_t)fil_load_u32_be(form.data + 4);
    if (fil_load_u32_be(form.data) != 0) {
        return form;
    }
    if (type == TYPE_JSON) {
        return json_of(form, payload);
    }
    if (size_of(type) != payload.size) {
        return form;
    }
    switch (type) {
    case TYPE_BOOLEAN:
        return fil_bytes_of(payload.data[0] != 0 ? "true" : "false");
    case TYPE_FLOAT:
        return real_of_float(payload, room);
    case TYPE_DOUBLE:
        return real_of_double(payload, room);
    default:
        return decimal(integer_of(payload), room);
    }
}
