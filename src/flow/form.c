// SPDX-License-Identifier: Apache-2.0
#include "flow/form.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/pipeline/csv.h"
#include "core/stream/batch.h"
#include "filbert/error.h"
#include "grid/map/form.h"
#include "lib/base/assert.h"
#include "lib/base/utf8.h"

#define NUMBER_BYTES_MAX 40U
#define KEY_SHOWN_MAX    64U

// Types of Hazelcast's serialization that are numbers.
enum {
    SERIALIZED_I8 = -3,
    SERIALIZED_I16 = -6,
    SERIALIZED_I32 = -7,
    SERIALIZED_I64 = -8,
    SERIALIZED_F64 = -10,
};

static bool is_plain_text(const struct fil_type *type)
{
    return type->field_count == 1 && type->fields[0].kind == FIL_FIELD_TEXT;
}

size_t fil_form_size_max(const struct fil_type *type)
{
    size_t size = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct fil_field *field = &type->fields[i];
        // Quotes may double every byte of a text.
        size += field->kind == FIL_FIELD_TEXT ? 2 * (size_t)field->size + 3 : NUMBER_BYTES_MAX;
    }
    return size + 1;
}

static size_t write_text(const struct fil_field *field, const void *record, char *out_bytes)
{
    const char *text = (const char *)record + field->offset;
    size_t size = strnlen(text, field->size);
    memcpy(out_bytes, text, size);
    return size;
}

size_t fil_form_write_key(const struct fil_field *key, const void *record, char *out_bytes)
{
    fil_assert(key->kind != FIL_FIELD_F64);
    if (key->kind == FIL_FIELD_TEXT) {
        return write_text(key, record, out_bytes);
    }
    int64_t number = 0;
    memcpy(&number, (const uint8_t *)record + key->offset, sizeof(number));
    int size = snprintf(out_bytes, NUMBER_BYTES_MAX, "%" PRId64, number);
    fil_assert(size > 0 && (size_t)size < NUMBER_BYTES_MAX);
    return (size_t)size;
}

size_t fil_form_write_value(const struct fil_type *type, const void *record, char *out_bytes,
                            size_t capacity)
{
    if (is_plain_text(type)) {
        return write_text(&type->fields[0], record, out_bytes);
    }
    size_t size = fil_csv_format(type, record, out_bytes, capacity);
    fil_assert(size <= capacity);
    return size;
}

static int read_text(const struct fil_field *field, struct fil_bytes bytes, void *record)
{
    char *out = (char *)record + field->offset;
    if (bytes.size > field->size || fil_map_form_is_serialized(bytes)) {
        return FIL_E_MALFORMED;
    }
    memset(out, 0, field->size);
    if (bytes.size > 0) {
        memcpy(out, bytes.data, bytes.size);
    }
    return FIL_OK;
}

/** A number as a Hazelcast client has serialized it. */
static bool read_serialized(struct fil_bytes bytes, bool is_real, int64_t *out_number,
                            double *out_real)
{
    int32_t type = (int32_t)fil_load_u32_be(bytes.data + 4);
    const uint8_t *payload = bytes.data + FIL_MAP_FORM_HEAD;
    size_t size = bytes.size - FIL_MAP_FORM_HEAD;
    if (type == SERIALIZED_F64 && size == 8) {
        uint64_t bits = fil_load_u64_be(payload);
        memcpy(out_real, &bits, sizeof(bits));
        return is_real;
    }
    if (type == SERIALIZED_I64 && size == 8) {
        *out_number = (int64_t)fil_load_u64_be(payload);
    } else if (type == SERIALIZED_I32 && size == 4) {
        *out_number = (int32_t)fil_load_u32_be(payload);
    } else if (type == SERIALIZED_I16 && size == 2) {
        *out_number = (int16_t)fil_load_u16_be(payload);
    } else if (type == SERIALIZED_I8 && size == 1) {
        *out_number = (int64_t)(payload[0] ^ 0x80U) - 0x80; // its sign, carried over
    } else {
        return false;
    }
    *out_real = (double)*out_number;
    return true;
}

static int read_number(const struct fil_field *field, struct fil_bytes bytes, void *record)
{
    int64_t number = 0;
    double real = 0;
    bool is_real = field->kind == FIL_FIELD_F64;
    uint8_t *out = (uint8_t *)record + field->offset;
    if (!read_serialized(bytes, is_real, &number, &real)) {
        return FIL_E_MALFORMED;
    }
    memcpy(out, is_real ? (const void *)&real : (const void *)&number, 8);
    return FIL_OK;
}

int fil_form_read_key(const struct fil_field *key, struct fil_bytes bytes, void *record)
{
    int64_t number = 0;
    if (key->kind == FIL_FIELD_TEXT) {
        return read_text(key, bytes, record);
    }
    if (fil_map_form_is_serialized(bytes)) {
        return read_number(key, bytes, record);
    }
    if (!fil_bytes_to_i64(bytes, &number)) {
        return FIL_E_MALFORMED;
    }
    memcpy((uint8_t *)record + key->offset, &number, sizeof(number));
    return FIL_OK;
}

int fil_form_read_value(const struct fil_type *type, struct fil_bytes bytes, void *record)
{
    if (type->field_count == 0) {
        return FIL_OK;
    }
    if (is_plain_text(type)) {
        return read_text(&type->fields[0], bytes, record);
    }
    if (fil_map_form_is_serialized(bytes)) {
        return type->field_count == 1 ? read_number(&type->fields[0], bytes, record)
                                      : FIL_E_MALFORMED;
    }
    return fil_csv_parse_fields(type, bytes, record);
}

int64_t fil_form_time(const struct fil_connection *connection, const void *record)
{
    int64_t time = FIL_TIME_NONE;
    if (connection->time_field != NULL) {
        memcpy(&time, (const uint8_t *)record + connection->time_field->offset, sizeof(time));
    }
    return time;
}

int fil_form_blame(struct fil_processor_context *context, const char *map, struct fil_bytes key)
{
    char excerpt[KEY_SHOWN_MAX];
    return fil_processor_blame(context, FIL_E_MALFORMED,
                               "map '%s' has an entry that is not as the type says: key '%s'", map,
                               fil_utf8_excerpt(key, excerpt, sizeof(excerpt)));
}
