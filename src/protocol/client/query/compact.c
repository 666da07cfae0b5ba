// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/compact.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/schema.h"

/** The bytes of a kind of a fixed size that is no truth; 0 for all others. */
static uint32_t fixed_bytes_of(int32_t kind)
{
    switch (kind) {
    case FIL_COMPACT_INT8:
        return 1;
    case FIL_COMPACT_INT16:
        return 2;
    case FIL_COMPACT_INT32:
    case FIL_COMPACT_FLOAT32:
        return 4;
    case FIL_COMPACT_INT64:
    case FIL_COMPACT_FLOAT64:
        return 8;
    default:
        return 0;
    }
}

static void place_fixed(struct fil_compact_layout *layout)
{
    for (uint32_t size = 8; size > 0; size /= 2) {
        for (uint32_t i = 0; i < layout->field_count; i++) {
            struct fil_compact_field *field = &layout->fields[i];
            if (fixed_bytes_of(field->kind) == size) {
                field->position = layout->fixed_bytes;
                layout->fixed_bytes += size;
            }
        }
    }
}

static void place_truths(struct fil_compact_layout *layout)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < layout->field_count; i++) {
        struct fil_compact_field *field = &layout->fields[i];
        if (field->kind == FIL_COMPACT_BOOLEAN) {
            field->position = layout->fixed_bytes + bits / 8;
            field->bit = (uint8_t)(bits % 8);
            bits++;
        }
    }
    layout->fixed_bytes += (bits + 7) / 8;
}

static void place_variable(struct fil_compact_layout *layout)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        struct fil_compact_field *field = &layout->fields[i];
        field->is_variable = field->kind != FIL_COMPACT_BOOLEAN && fixed_bytes_of(field->kind) == 0;
        if (field->is_variable) {
            field->position = layout->variable_count;
            layout->variable_count++;
        }
    }
}

static size_t names_bytes(const struct fil_wire_schema_field *fields, uint32_t count)
{
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        size += fields[i].name.size;
    }
    return size;
}

static void copy_fields(struct fil_compact_layout *layout,
                        const struct fil_wire_schema_field *fields)
{
    uint8_t *room = (uint8_t *)&layout->fields[layout->field_count];
    for (uint32_t i = 0; i < layout->field_count; i++) {
        struct fil_bytes name = fields[i].name;
        if (name.size > 0) {
            memcpy(room, name.data, name.size);
        }
        layout->fields[i] = (struct fil_compact_field){.name = fil_bytes_make(room, name.size),
                                                       .kind = fields[i].kind};
        room += name.size;
    }
    fil_assert(room == (uint8_t *)layout + layout->size_bytes);
}

struct fil_compact_layout *fil_compact_layout_new(const struct fil_wire_schema *schema,
                                                  int *out_error)
{
    struct fil_wire_schema_field fields[FIL_WIRE_SCHEMA_FIELDS_MAX];
    *out_error = fil_wire_schema_sort(schema, fields);
    if (*out_error != FIL_OK) {
        return NULL;
    }
    uint32_t count = schema->fields.count;
    size_t size = sizeof(struct fil_compact_layout) + count * sizeof(struct fil_compact_field) +
                  names_bytes(fields, count);
    struct fil_compact_layout *layout = fil_alloc_zero(1, size);
    if (layout == NULL) {
        *out_error = FIL_E_NOMEM;
        return NULL;
    }
    layout->size_bytes = size;
    layout->field_count = count;
    copy_fields(layout, fields);
    place_fixed(layout);
    place_truths(layout);
    place_variable(layout);
    return layout;
}

void fil_compact_layout_free(struct fil_compact_layout *layout)
{
    fil_free(layout);
}

const struct fil_compact_field *fil_compact_layout_find(const struct fil_compact_layout *layout,
                                                        struct fil_bytes name)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        if (fil_bytes_equal(layout->fields[i].name, name)) {
            return &layout->fields[i];
        }
    }
    return NULL;
}
