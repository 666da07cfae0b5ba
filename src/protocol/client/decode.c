// SPDX-License-Identifier: Apache-2.0
/**
 * The decoding half of the codec.
 *
 * One walk serves two purposes: with a struct it fills it, without one (slot NULL) it only checks.
 * A list is checked when its message is decoded, so that walking it later cannot fail.
 */
#include <assert.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/client/codec.h"
#include "protocol/client/generated/types.h"
#include "protocol/client/receiver.h"

static_assert(FIL_WIRE_TYPE_DEPTH <= FIL_WIRE_DEPTH_MAX, "a known message would be refused");

struct decoding {
    struct fil_wire_cursor cursor;
    struct fil_wire_fault fault;
};

static bool read_value(struct decoding *decoding, const struct fil_wire_type *type, void *slot);
static bool read_custom(struct decoding *decoding, const struct fil_wire_layout *layout,
                        void *fields);

/** The innermost field that is wrong is the one to be told of. */
static bool refuse(struct decoding *decoding, const char *field, const char *reason)
{
    if (decoding->fault.reason == NULL) {
        decoding->fault = (struct fil_wire_fault){.field = field, .reason = reason};
    }
    return false;
}

static const char *explain(struct fil_wire_cursor at)
{
    struct fil_wire_frame frame;
    if (!fil_wire_cursor_peek(&at, &frame) || (frame.flags & FIL_WIRE_END) != 0) {
        return "is missing";
    }
    return (frame.flags & FIL_WIRE_NULL) != 0 ? "must not be null" : "is malformed";
}

static size_t header_size(const struct fil_wire_layout *layout)
{
    switch ((enum fil_wire_layout_kind)layout->kind) {
    case FIL_WIRE_LAYOUT_REQUEST:
    case FIL_WIRE_LAYOUT_EVENT:
        return FIL_WIRE_REQUEST_SIZE;
    case FIL_WIRE_LAYOUT_RESPONSE:
        return FIL_WIRE_RESPONSE_SIZE;
    case FIL_WIRE_LAYOUT_CUSTOM:
        break;
    }
    return 0;
}

static void load_fixed(const struct fil_wire_type *type, const uint8_t *from, uint8_t *slot)
{
    if (type->kind == FIL_WIRE_BOOL) {
        bool value = *from != 0;
        memcpy(slot, &value, sizeof(value));
    } else if (type->kind == FIL_WIRE_I8) {
        memcpy(slot, from, sizeof(int8_t));
    } else if (type->kind == FIL_WIRE_I64) {
        uint64_t value = fil_load_u64_le(from);
        memcpy(slot, &value, sizeof(value));
    } else if (type->kind == FIL_WIRE_UUID) {
        struct fil_wire_uuid value = fil_wire_load_uuid(from);
        memcpy(slot, &value, sizeof(value));
    } else {
        fil_assert(type->kind == FIL_WIRE_I32 || type->kind == FIL_WIRE_F32);
        uint32_t value = fil_load_u32_le(from);
        memcpy(slot, &value, sizeof(value));
    }
}

static void set_has(const struct fil_wire_field *field, uint8_t *fields)
{
    if (field->has_offset != 0) {
        const bool has = true;
        memcpy(fields + field->has_offset, &has, sizeof(has));
    }
}

static bool read_fixed_fields(struct decoding *decoding, const struct fil_wire_layout *layout,
                              struct fil_bytes content, uint8_t *fields)
{
    size_t base = header_size(layout);
    if (content.size < base + layout->required_size) {
        return refuse(decoding, layout->name, "has too few bytes of fixed fields");
    }
    for (uint32_t i = 0; fields != NULL && i < layout->fixed_count; i++) {
        const struct fil_wire_field *field = &layout->fields[i];
        size_t position = base + field->position;
        if (position + field->type->item_size <= content.size) {
            load_fixed(field->type, content.data + position, fields + field->offset);
            set_has(field, fields);
        }
    }
    return true;
}

/** Whether no field of what is being read is left. */
static bool is_over(const struct decoding *decoding, const struct fil_wire_layout *layout)
{
    struct fil_wire_frame frame;
    if (layout->kind != FIL_WIRE_LAYOUT_CUSTOM) {
        return fil_wire_cursor_remaining(&decoding->cursor) == 0;
    }
    return fil_wire_cursor_peek(&decoding->cursor, &frame) && (frame.flags & FIL_WIRE_END) != 0;
}

static bool read_variable_fields(struct decoding *decoding, const struct fil_wire_layout *layout,
                                 uint8_t *fields)
{
    for (uint32_t i = layout->fixed_count; i < layout->field_count; i++) {
        const struct fil_wire_field *field = &layout->fields[i];
        struct fil_wire_cursor before = decoding->cursor;
        if (field->has_offset != 0 && is_over(decoding, layout)) {
            return true; // an older version: the fields behind are newer still
        }
        if (!read_value(decoding, field->type, fields == NULL ? NULL : fields + field->offset)) {
            return refuse(decoding, field->name, explain(before));
        }
        if (fields != NULL) {
            set_has(field, fields);
        }
    }
    return true;
}

static bool read_custom(struct decoding *decoding, const struct fil_wire_layout *layout,
                        void *fields)
{
    struct fil_bytes content;
    if (!fil_wire_cursor_skip(&decoding->cursor, FIL_WIRE_BEGIN)) {
        return false;
    }
    if (layout->fixed_count > 0 &&
        (!fil_wire_cursor_bytes(&decoding->cursor, &content) ||
         !read_fixed_fields(decoding, layout, content, (uint8_t *)fields))) {
        return false;
    }
    return read_variable_fields(decoding, layout, (uint8_t *)fields) &&
           fil_wire_cursor_leave(&decoding->cursor);
}

/** BEGIN, items (for a map, keys and items), END. */
static bool read_items(struct decoding *decoding, const struct fil_wire_type *type,
                       uint32_t *out_count)
{
    if (!fil_wire_cursor_skip(&decoding->cursor, FIL_WIRE_BEGIN)) {
        return false;
    }
    while (!fil_wire_cursor_skip(&decoding->cursor, FIL_WIRE_END)) {
        if (type->kind == FIL_WIRE_MAP && !read_value(decoding, type->key, NULL)) {
            return false;
        }
        if (!read_value(decoding, type->item, NULL)) {
            return false;
        }
        (*out_count)++;
    }
    return true;
}

static bool read_keyed(struct decoding *decoding, const struct fil_wire_type *type,
                       struct fil_wire_part *part)
{
    const uint8_t *begin = decoding->cursor.position;
    if (!read_items(decoding, type, &part->count)) {
        return false;
    }
    part->frames = fil_bytes_make(begin, (size_t)(decoding->cursor.position - begin));
    return fil_wire_cursor_bytes(&decoding->cursor, &part->keys) &&
           part->keys.size == (size_t)part->count * type->item_size;
}

static bool read_structure(struct decoding *decoding, const struct fil_wire_type *type,
                           struct fil_wire_part *part)
{
    switch (type->kind) {
    case FIL_WIRE_LIST:
    case FIL_WIRE_MAP:
        return read_items(decoding, type, &part->count);
    case FIL_WIRE_KEYED:
        return read_keyed(decoding, type, part);
    case FIL_WIRE_CUSTOM:
        part->count = 1;
        return read_custom(decoding, type->custom, NULL);
    case FIL_WIRE_OPAQUE:
        part->count = 1;
        return fil_wire_cursor_skip(&decoding->cursor, FIL_WIRE_BEGIN) &&
               fil_wire_cursor_leave(&decoding->cursor);
    case FIL_WIRE_BOOL:
    case FIL_WIRE_I8:
    case FIL_WIRE_I32:
    case FIL_WIRE_I64:
    case FIL_WIRE_F32:
    case FIL_WIRE_UUID:
    case FIL_WIRE_STRING:
    case FIL_WIRE_DATA:
    case FIL_WIRE_PACKED:
        break;
    }
    fil_assert(false);
    return false;
}

static bool read_part(struct decoding *decoding, const struct fil_wire_type *type,
                      struct fil_wire_part *slot)
{
    struct fil_wire_part part = {.kind = FIL_WIRE_PART_FRAMES};
    const uint8_t *begin = decoding->cursor.position;
    if (!read_structure(decoding, type, &part)) {
        return false;
    }
    if (type->kind != FIL_WIRE_KEYED) {
        part.frames = fil_bytes_make(begin, (size_t)(decoding->cursor.position - begin));
    }
    if (slot != NULL) {
        *slot = part;
    }
    return true;
}

static bool read_frame(struct decoding *decoding, const struct fil_wire_type *type,
                       struct fil_bytes *slot)
{
    struct fil_bytes content;
    if (!fil_wire_cursor_bytes(&decoding->cursor, &content)) {
        return false;
    }
    if (type->kind == FIL_WIRE_DATA) {
        bool is_null_allowed = type->is_nullable && content.size >= FIL_WIRE_DATA_SIZE_MIN;
        if (!is_null_allowed && !fil_wire_is_data(content)) {
            return false;
        }
    } else if (type->kind == FIL_WIRE_PACKED && content.size % type->item_size != 0) {
        return false;
    }
    if (slot != NULL) {
        *slot = content;
    }
    return true;
}

/** A slot that is filled was zero before, so that a null needs no more. */
static bool read_value(struct decoding *decoding, const struct fil_wire_type *type, void *slot)
{
    if (type->is_nullable && fil_wire_cursor_skip(&decoding->cursor, FIL_WIRE_NULL)) {
        return true;
    }
    if (type->kind >= FIL_WIRE_LIST) {
        return read_part(decoding, type, (struct fil_wire_part *)slot);
    }
    return read_frame(decoding, type, (struct fil_bytes *)slot);
}

int fil_wire_decode(const struct fil_wire_layout *layout, struct fil_bytes message,
                    void *out_fields, struct fil_wire_fault *out_fault)
{
    struct decoding decoding = {0};
    struct fil_wire_frame frame = {0};
    fil_assert(layout->kind != FIL_WIRE_LAYOUT_CUSTOM);
    if (layout->struct_size > 0) {
        memset(out_fields, 0, layout->struct_size);
    }
    fil_wire_cursor_init(&decoding.cursor, message);
    bool is_good = fil_wire_cursor_next(&decoding.cursor, &frame) &&
                   read_fixed_fields(&decoding, layout, frame.content, (uint8_t *)out_fields) &&
                   read_variable_fields(&decoding, layout, (uint8_t *)out_fields);
    if (!is_good) {
        (void)refuse(&decoding, layout->name, "is malformed");
    }
    if (out_fault != NULL) {
        *out_fault = decoding.fault;
    }
    return is_good ? FIL_OK : FIL_E_MALFORMED;
}

bool fil_wire_decode_item(const struct fil_wire_layout *layout, struct fil_wire_cursor *cursor,
                          void *out_fields)
{
    struct decoding decoding = {.cursor = *cursor};
    fil_assert(layout->kind == FIL_WIRE_LAYOUT_CUSTOM);
    memset(out_fields, 0, layout->struct_size);
    if (!read_custom(&decoding, layout, out_fields)) {
        return false;
    }
    *cursor = decoding.cursor;
    return true;
}

bool fil_wire_decode_part(const struct fil_wire_layout *layout, const struct fil_wire_part *part,
                          void *out_fields)
{
    struct fil_wire_cursor cursor;
    if (part->kind != FIL_WIRE_PART_FRAMES) {
        return false;
    }
    fil_wire_cursor_init(&cursor, part->frames);
    return fil_wire_decode_item(layout, &cursor, out_fields);
}

/** Counts the serialized values up to the END of the structure; false: something else is there. */
static bool read_data_items(struct fil_wire_cursor *cursor, struct fil_wire_part *out_part)
{
    struct fil_bytes item;
    const uint8_t *begin = cursor->position;
    uint32_t count = 0;
    if (!fil_wire_cursor_skip(cursor, FIL_WIRE_BEGIN)) {
        return false;
    }
    while (fil_wire_cursor_bytes(cursor, &item)) {
        if (!fil_wire_is_data(item)) {
            return false;
        }
        count++;
    }
    if (!fil_wire_cursor_skip(cursor, FIL_WIRE_END)) {
        return false;
    }
    *out_part = (struct fil_wire_part){.kind = FIL_WIRE_PART_FRAMES, .count = count};
    out_part->frames = fil_bytes_make(begin, (size_t)(cursor->position - begin));
    return true;
}

bool fil_wire_cursor_data_list(struct fil_wire_cursor *cursor, struct fil_wire_part *out_part)
{
    return read_data_items(cursor, out_part);
}

bool fil_wire_cursor_data_map(struct fil_wire_cursor *cursor, struct fil_wire_part *out_part)
{
    if (!read_data_items(cursor, out_part) || out_part->count % 2 != 0) {
        return false;
    }
    out_part->count /= 2;
    return true;
}
