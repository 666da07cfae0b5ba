// SPDX-License-Identifier: Apache-2.0
/** The encoding half of the codec. */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/client/codec.h"

size_t fil_wire_slot_size(const struct fil_wire_type *type)
{
    if (type->kind == FIL_WIRE_CUSTOM) {
        return type->custom->struct_size;
    }
    return type->kind >= FIL_WIRE_LIST ? sizeof(struct fil_wire_part) : sizeof(struct fil_bytes);
}

static void store_fixed(const struct fil_wire_type *type, const uint8_t *slot, uint8_t *to)
{
    if (type->kind == FIL_WIRE_BOOL || type->kind == FIL_WIRE_I8) {
        *to = *slot;
    } else if (type->kind == FIL_WIRE_I64) {
        uint64_t value;
        memcpy(&value, slot, sizeof(value));
        fil_store_u64_le(to, value);
    } else if (type->kind == FIL_WIRE_UUID) {
        struct fil_wire_uuid value;
        memcpy(&value, slot, sizeof(value));
        fil_wire_store_uuid(to, value);
    } else {
        fil_assert(type->kind == FIL_WIRE_I32 || type->kind == FIL_WIRE_F32);
        uint32_t value;
        memcpy(&value, slot, sizeof(value));
        fil_store_u32_le(to, value);
    }
}

static void write_fixed_fields(const struct fil_wire_layout *layout, const uint8_t *fields,
                               uint8_t *to)
{
    for (uint32_t i = 0; i < layout->fixed_count; i++) {
        const struct fil_wire_field *field = &layout->fields[i];
        fil_assert(field->position + field->type->item_size <= layout->fixed_size);
        store_fixed(field->type, fields + field->offset, to + field->position);
    }
}

static void write_variable_fields(struct fil_wire_writer *writer,
                                  const struct fil_wire_layout *layout, const uint8_t *fields)
{
    for (uint32_t i = layout->fixed_count; i < layout->field_count; i++) {
        const struct fil_wire_field *field = &layout->fields[i];
        const struct fil_wire_type *type = field->type;
        const uint8_t *slot = fields + field->offset;
        const struct fil_wire_part *part = (const struct fil_wire_part *)(const void *)slot;
        if (type->kind != FIL_WIRE_CUSTOM || part->kind != FIL_WIRE_PART_ITEMS) {
            fil_wire_encode_value(writer, type, slot);
        } else {
            fil_assert(part->count == 1);
            fil_wire_encode_item(type->custom, writer, part->items);
        }
    }
}

void fil_wire_encode_item(const struct fil_wire_layout *layout, struct fil_wire_writer *writer,
                          const void *fields)
{
    fil_assert(layout->kind == FIL_WIRE_LAYOUT_CUSTOM);
    fil_wire_writer_begin(writer);
    if (layout->fixed_count > 0) {
        uint8_t *content = fil_wire_writer_frame(writer, 0, layout->fixed_size);
        if (content == NULL) {
            return;
        }
        write_fixed_fields(layout, (const uint8_t *)fields, content);
    }
    write_variable_fields(writer, layout, (const uint8_t *)fields);
    fil_wire_writer_end(writer);
}

/** An item of an array: a custom type stands there itself, not as a part. */
static void write_item(struct fil_wire_writer *writer, const struct fil_wire_type *type,
                       const void *slot)
{
    if (type->kind == FIL_WIRE_CUSTOM) {
        fil_wire_encode_item(type->custom, writer, slot);
    } else {
        fil_wire_encode_value(writer, type, slot);
    }
}

static void write_items(struct fil_wire_writer *writer, const struct fil_wire_type *type,
                        const struct fil_wire_part *part)
{
    const uint8_t *at = (const uint8_t *)part->items;
    size_t item_size = fil_wire_slot_size(type->item);
    size_t key_size = type->kind == FIL_WIRE_MAP ? fil_wire_slot_size(type->key) : 0;
    for (uint32_t i = 0; i < part->count && writer->error == FIL_OK; i++) {
        if (key_size > 0) {
            write_item(writer, type->key, at);
            at += key_size;
        }
        write_item(writer, type->item, at);
        at += item_size;
    }
}

/** A structure that no received frames stand for. */
static void write_structure(struct fil_wire_writer *writer, const struct fil_wire_type *type,
                            const struct fil_wire_part *part)
{
    bool has_items =
        type->kind == FIL_WIRE_LIST || type->kind == FIL_WIRE_MAP || type->kind == FIL_WIRE_KEYED;
    if (!has_items) {
        (void)fil_wire_writer_refuse(writer, FIL_E_INVALID);
        return;
    }
    fil_wire_writer_begin(writer);
    if (part->kind == FIL_WIRE_PART_ITEMS) {
        write_items(writer, type, part);
    } else if (part->kind == FIL_WIRE_PART_STREAM) {
        part->stream.write(writer, part->stream.context);
    }
    fil_wire_writer_end(writer);
}

static void write_part(struct fil_wire_writer *writer, const struct fil_wire_type *type,
                       const struct fil_wire_part *part)
{
    if (part->kind == FIL_WIRE_PART_NONE && type->is_nullable) {
        fil_wire_writer_null(writer);
        return;
    }
    if (part->kind == FIL_WIRE_PART_FRAMES) {
        fil_wire_writer_frames(writer, part->frames);
    } else {
        write_structure(writer, type, part);
    }
    if (type->kind == FIL_WIRE_KEYED) {
        fil_wire_writer_bytes(writer, part->keys);
    }
}

void fil_wire_encode_value(struct fil_wire_writer *writer, const struct fil_wire_type *type,
                           const void *slot)
{
    if (type->kind >= FIL_WIRE_LIST) {
        write_part(writer, type, (const struct fil_wire_part *)slot);
        return;
    }
    struct fil_bytes bytes = *(const struct fil_bytes *)slot;
    if (type->is_nullable) {
        fil_wire_writer_bytes_or_null(writer, bytes);
    } else if (type->kind == FIL_WIRE_DATA && !fil_wire_is_data(bytes)) {
        (void)fil_wire_writer_refuse(writer, FIL_E_INVALID);
    } else {
        fil_wire_writer_bytes(writer, bytes);
    }
}

static uint8_t *open_message(const struct fil_wire_layout *layout, struct fil_wire_writer *writer,
                             const struct fil_wire_header *header)
{
    struct fil_wire_header typed = *header;
    typed.type = layout->id;
    switch ((enum fil_wire_layout_kind)layout->kind) {
    case FIL_WIRE_LAYOUT_REQUEST:
        return fil_wire_writer_open_request(writer, &typed, layout->fixed_size);
    case FIL_WIRE_LAYOUT_RESPONSE:
        return fil_wire_writer_open_response(writer, &typed, layout->fixed_size);
    case FIL_WIRE_LAYOUT_EVENT:
        return fil_wire_writer_open_event(writer, &typed, layout->fixed_size);
    case FIL_WIRE_LAYOUT_CUSTOM:
        break;
    }
    fil_assert(false);
    return NULL;
}

int fil_wire_encode(const struct fil_wire_layout *layout, struct fil_wire_writer *writer,
                    const struct fil_wire_header *header, const void *fields)
{
    uint8_t *fixed = open_message(layout, writer, header);
    if (fixed != NULL) {
        write_fixed_fields(layout, (const uint8_t *)fields, fixed);
        write_variable_fields(writer, layout, (const uint8_t *)fields);
    }
    return fil_wire_writer_finish(writer);
}
