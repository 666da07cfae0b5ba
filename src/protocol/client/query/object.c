// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/object.h"

#include "filbert/error.h"
#include "grid/map/form.h"
#include "lib/base/assert.h"
#include "lib/base/writer.h"
#include "protocol/client/form.h"

#define TYPE_IDENTIFIED (-2)
#define IS_IDENTIFIED   1U
#define IS_VERSIONED    2U
#define FACTORY_ENTRY   (-4)
#define CLASS_ENTRY     120U

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

void fil_query_write_u32(struct fil_map_buffer *buffer, uint32_t number)
{
    uint8_t bytes[4];
    fil_store_u32_be(bytes, number);
    fil_map_buffer_add(buffer, fil_bytes_make(bytes, sizeof(bytes)));
}

static void write_text(struct fil_map_buffer *buffer, int32_t type, struct fil_bytes text)
{
    fil_query_write_u32(buffer, (uint32_t)type);
    fil_query_write_u32(buffer, (uint32_t)text.size);
    fil_map_buffer_add(buffer, text);
}

void fil_query_write_value(struct fil_map_buffer *buffer, const struct fil_wire_value *value)
{
    uint8_t data[FIL_WIRE_DATA_SIZE_MIN + sizeof(struct fil_wire_uuid)];
    struct fil_writer writer;
    if (value->type == FIL_WIRE_DATA_STRING || value->type == FIL_WIRE_DATA_BYTES ||
        value->type == FIL_WIRE_DATA_JSON) {
        write_text(buffer, value->type, value->text);
        return;
    }
    fil_writer_init(&writer, data, sizeof(data));
    int error = fil_wire_value_encode(value, &writer);
    fil_assert(error == FIL_OK); // there is room for all that have a fixed size
    fil_map_buffer_add(buffer, fil_wire_data_identity(fil_writer_written(&writer)));
}

void fil_query_write_form(struct fil_map_buffer *buffer, struct fil_bytes form)
{
    if (fil_map_form_is_serialized(form)) {
        fil_map_buffer_add(buffer, fil_wire_data_identity(form));
    } else {
        write_text(buffer, fil_wire_form_type(form), form);
    }
}

void fil_query_write_class(struct fil_map_buffer *buffer, struct fil_query_class class)
{
    uint8_t header = IS_IDENTIFIED;
    fil_query_write_u32(buffer, (uint32_t)TYPE_IDENTIFIED);
    fil_map_buffer_add(buffer, fil_bytes_make(&header, 1));
    fil_query_write_u32(buffer, (uint32_t) class.factory);
    fil_query_write_u32(buffer, class.number);
}

void fil_query_write_entry(struct fil_map_buffer *buffer, struct fil_bytes key,
                           struct fil_bytes value)
{
    fil_query_write_class(buffer, (struct fil_query_class){FACTORY_ENTRY, CLASS_ENTRY});
    fil_query_write_form(buffer, key);
    fil_query_write_form(buffer, value);
}
