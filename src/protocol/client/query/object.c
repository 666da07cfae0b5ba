// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/object.h"

#include "filbert/error.h"
#include "lib/base/assert.h"

#define TYPE_IDENTIFIED (-2)
#define IS_IDENTIFIED   1U
#define IS_VERSIONED    2U

bool fil_query_read_text_or_null(struct fil_reader *reader, struct fil_bytes *out_text)
{
    uint32_t size = 0;
    *out_text = (struct fil_bytes){0};
    if (!fil_reader_u32_be(reader, &size)) {
        return false;
    }
    return size == UINT32_MAX || fil_reader_take(reader, size, out_text);
}

bool fil_query_read_text(struct fil_reader *reader, struct fil_bytes *out_text)
{
    return fil_query_read_text_or_null(reader, out_text) && out_text->data != NULL;
}

/** The size of an object's payload; false for a type whose size is not known. */
static bool size_of(int32_t type, struct fil_bytes payload, size_t *out_size)
{
    struct fil_wire_value value = {.type = (enum fil_wire_data_type)type};
    switch (type) {
    case FIL_WIRE_DATA_STRING:
    case FIL_WIRE_DATA_BYTES:
    case FIL_WIRE_DATA_JSON:
        if (payload.size < 4) {
            return false;
        }
        *out_size = 4 + (size_t)fil_load_u32_be(payload.data);
        return true;
    default:
        *out_size = fil_wire_value_size(&value) - FIL_WIRE_DATA_SIZE_MIN;
        return *out_size > 0 || type == FIL_WIRE_DATA_NULL;
    }
}

/** An object inside of another has no hash; the bytes before it stand for one. */
int fil_query_read_value(struct fil_reader *reader, struct fil_wire_value *out_value)
{
    uint32_t type = 0;
    size_t size = 0;
    fil_assert(reader->position >= 4);
    const uint8_t *data = reader->data + reader->position - 4;
    if (!fil_reader_u32_be(reader, &type)) {
        return FIL_E_MALFORMED;
    }
    if (!size_of((int32_t)type, fil_reader_rest(reader), &size)) {
        return FIL_E_UNSUPPORTED;
    }
    if (!fil_reader_skip(reader, size)) {
        return FIL_E_MALFORMED;
    }
    return fil_wire_value_decode(fil_bytes_make(data, FIL_WIRE_DATA_SIZE_MIN + size), out_value);
}

int fil_query_read_class(struct fil_reader *reader, struct fil_query_class *out_class)
{
    uint32_t type = 0;
    uint32_t factory = 0;
    uint8_t header = 0;
    if (!fil_reader_u32_be(reader, &type)) {
        return FIL_E_MALFORMED;
    }
    if ((int32_t)type != TYPE_IDENTIFIED) {
        return FIL_E_UNSUPPORTED;
    }
    if (!fil_reader_u8(reader, &header) || !fil_reader_u32_be(reader, &factory) ||
        !fil_reader_u32_be(reader, &out_class->number)) {
        return FIL_E_MALFORMED;
    }
    out_class->factory = (int32_t)factory;
    if ((header & IS_IDENTIFIED) == 0) {
        return FIL_E_UNSUPPORTED;
    }
    return (header & IS_VERSIONED) == 0 || fil_reader_skip(reader, 2) ? FIL_OK : FIL_E_MALFORMED;
}
