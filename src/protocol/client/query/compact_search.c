// SPDX-License-Identifier: Apache-2.0
/**
 * Following a path into a compact record.
 *
 * A record comes from a client, so every offset in it is checked against its bytes; what does not
 * fit is null, as what is not there.
 */
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/endian.h"
#include "lib/base/reader.h"
#include "protocol/client/query/compact.h"
#include "protocol/client/query/path_internal.h"
#include "protocol/client/serve/schemas.h"

#define NULL_OFFSET UINT32_MAX

/** Data of a record, or of an array of items of various sizes, with its table of offsets. */
struct area {
    struct fil_bytes data;
    struct fil_bytes offsets;
    uint32_t offset_bytes; // of each
};

/** The size of an offset follows from the size of the data. */
static bool open_area(struct fil_bytes bytes, uint32_t data_bytes, struct area *out_area)
{
    if (data_bytes > bytes.size) {
        return false;
    }
    *out_area = (struct area){
        .data = fil_bytes_make(bytes.data, data_bytes),
        .offsets = fil_bytes_make(bytes.data + data_bytes, bytes.size - data_bytes),
        .offset_bytes = data_bytes < 255     ? 1
                        : data_bytes < 65535 ? 2
                                             : 4,
    };
    return true;
}

/** What stands at the place of that number; false: null, or nothing. */
static bool find_item(const struct area *area, uint32_t number, struct fil_bytes *out_item)
{
    if (number >= area->offsets.size / area->offset_bytes) {
        return false;
    }
    const uint8_t *from = area->offsets.data + (size_t)number * area->offset_bytes;
    uint32_t offset = area->offset_bytes == 1   ? (*from == UINT8_MAX ? NULL_OFFSET : *from)
                      : area->offset_bytes == 2 ? fil_load_u16_be(from)
                                                : fil_load_u32_be(from);
    if (area->offset_bytes == 2 && offset == UINT16_MAX) {
        offset = NULL_OFFSET;
    }
    if (offset >= area->data.size) {
        return false;
    }
    *out_item = fil_bytes_make(area->data.data + offset, area->data.size - offset);
    return true;
}

/** The common type of a kind; NULL when it has none, or is a text. */
static enum fil_wire_data_type type_of(int32_t kind, size_t *out_size)
{
    switch (kind) {
    case FIL_COMPACT_BOOLEAN:
    case FIL_COMPACT_NULLABLE_BOOLEAN:
        *out_size = 1;
        return FIL_WIRE_DATA_BOOLEAN;
    case FIL_COMPACT_INT8:
    case FIL_COMPACT_NULLABLE_INT8:
        *out_size = 1;
        return FIL_WIRE_DATA_BYTE;
    case FIL_COMPACT_INT16:
    case FIL_COMPACT_NULLABLE_INT16:
        *out_size = 2;
        return FIL_WIRE_DATA_SHORT;
    case FIL_COMPACT_INT32:
    case FIL_COMPACT_NULLABLE_INT32:
        *out_size = 4;
        return FIL_WIRE_DATA_INTEGER;
    case FIL_COMPACT_INT64:
    case FIL_COMPACT_NULLABLE_INT64:
        *out_size = 8;
        return FIL_WIRE_DATA_LONG;
    case FIL_COMPACT_FLOAT32:
    case FIL_COMPACT_NULLABLE_FLOAT32:
        *out_size = 4;
        return FIL_WIRE_DATA_FLOAT;
    case FIL_COMPACT_FLOAT64:
    case FIL_COMPACT_NULLABLE_FLOAT64:
        *out_size = 8;
        return FIL_WIRE_DATA_DOUBLE;
    default:
        *out_size = 0;
        return FIL_WIRE_DATA_NULL;
    }
}

/** The item as a value; what is behind its bytes does not matter. */
static bool visit_number(const struct fil_query__search *search, int32_t kind,
                         struct fil_bytes item)
{
    uint8_t data[FIL_WIRE_DATA_SIZE_MIN + 8] = {0};
    size_t size = 0;
    struct fil_wire_value value;
    enum fil_wire_data_type type = type_of(kind, &size);
    if (size == 0) {
        search->entry->is_opaque = true; // a date, a decimal
        return fil_query__visit_null(search);
    }
    if (item.size < size) {
        return fil_query__visit_null(search);
    }
    fil_store_u32_be(data + 4, (uint32_t)type);
    memcpy(data + FIL_WIRE_DATA_SIZE_MIN, item.data, size);
    int error = fil_wire_value_decode(fil_bytes_make(data, FIL_WIRE_DATA_SIZE_MIN + size), &value);
    fil_assert(error == 0);
    return search->visit(search->context, &value);
}

static bool visit_text(const struct fil_query__search *search, struct fil_bytes item)
{
    struct fil_reader reader;
    uint32_t size = 0;
    struct fil_bytes text;
    fil_reader_init(&reader, item);
    if (!fil_reader_u32_be(&reader, &size) || !fil_reader_take(&reader, size, &text)) {
        return fil_query__visit_null(search);
    }
    struct fil_wire_value value = fil_wire_value_text(FIL_WIRE_DATA_STRING, text);
    return search->visit(search->context, &value);
}

/** An item that was found: the value itself, or where the path goes on. */
static bool search_item(const struct fil_query__search *search, int32_t kind, struct fil_bytes item)
{
    if (kind == FIL_COMPACT_COMPACT && search->step_count > 0) {
        return fil_query__search_compact(search, item);
    }
    if (search->step_count > 0) {
        return fil_query__visit_null(search);
    }
    return kind == FIL_COMPACT_STRING ? visit_text(search, item) : visit_number(search, kind, item);
}

/** An array, however its items are laid out. */
struct array {
    int32_t kind; // of an item
    uint32_t count;
    size_t item_bytes; // 0: they are found through offsets, or are bits
    struct fil_bytes items;
    struct area area;
};

static bool open_array(int32_t kind, struct fil_bytes bytes, struct array *out_array)
{
    struct fil_reader reader;
    uint32_t data_bytes = 0;
    fil_reader_init(&reader, bytes);
    *out_array = (struct array){.kind = kind};
    bool is_fixed = kind <= FIL_COMPACT_FLOAT64;
    if ((!is_fixed && !fil_reader_u32_be(&reader, &data_bytes)) ||
        !fil_reader_u32_be(&reader, &out_array->count)) {
        return false;
    }
    out_array->items = fil_reader_rest(&reader);
    if (!is_fixed) {
        return open_area(out_array->items, data_bytes, &out_array->area);
    }
    (void)type_of(kind, &out_array->item_bytes);
    out_array->item_bytes = kind == FIL_COMPACT_BOOLEAN ? 0 : out_array->item_bytes;
    size_t needed = kind == FIL_COMPACT_BOOLEAN ? ((size_t)out_array->count + 7) / 8
                                                : out_array->count * out_array->item_bytes;
    return needed <= out_array->items.size;
}

static bool search_at(const struct fil_query__search *search, const struct array *array,
                      uint32_t index)
{
    struct fil_bytes item;
    if (index >= array->count) {
        return fil_query__visit_null(search);
    }
    if (array->kind == FIL_COMPACT_BOOLEAN) {
        uint8_t truth = array->items.data[index / 8] >> (index % 8) & 1;
        return search_item(search, array->kind, fil_bytes_make(&truth, 1));
    }
    if (array->item_bytes > 0) {
        item = fil_bytes_make(array->items.data + index * array->item_bytes, array->item_bytes);
        return search_item(search, array->kind, item);
    }
    return find_item(&array->area, index, &item) ? search_item(search, array->kind, item)
                                                 : fil_query__visit_null(search);
}

static bool search_array(const struct fil_query__search *search, int32_t kind,
                         struct fil_bytes bytes)
{
    struct array array;
    if (search->step_count == 0 || search->steps->kind == FIL_QUERY_STEP_NAME ||
        !open_array(kind - 1, bytes, &array)) {
        return fil_query__visit_null(search);
    }
    struct fil_query__search next = fil_query__next(search);
    if (search->steps->kind == FIL_QUERY_STEP_INDEX) {
        return search_at(&next, &array, search->steps->index);
    }
    bool is_enough = false;
    // The count was checked against the bytes, or each item takes an offset.
    uint32_t limit = array.kind <= FIL_COMPACT_FLOAT64
                         ? array.count
                         : (uint32_t)(array.area.offsets.size / array.area.offset_bytes);
    for (uint32_t i = 0; i < array.count && i < limit && !is_enough; i++) {
        is_enough = search_at(&next, &array, i);
    }
    return is_enough;
}

static bool search_variable(const struct fil_query__search *search,
                            const struct fil_compact_layout *layout,
                            const struct fil_compact_field *field, struct fil_bytes record)
{
    struct area area;
    struct fil_bytes item;
    if (record.size < 4 ||
        !open_area(fil_bytes_make(record.data + 4, record.size - 4), fil_load_u32_be(record.data),
                   &area) ||
        field->position >= layout->variable_count || !find_item(&area, field->position, &item)) {
        return fil_query__visit_null(search);
    }
    bool is_array = field->kind % 2 == 0;
    return is_array ? search_array(search, field->kind, item)
                    : search_item(search, field->kind, item);
}

static bool search_fixed(const struct fil_query__search *search,
                         const struct fil_compact_layout *layout,
                         const struct fil_compact_field *field, struct fil_bytes record)
{
    size_t head = layout->variable_count > 0 ? 4 : 0;
    size_t size = 0;
    (void)type_of(field->kind, &size);
    if (record.size < head + field->position + size) {
        return fil_query__visit_null(search);
    }
    const uint8_t *from = record.data + head + field->position;
    uint8_t truth = *from >> field->bit & 1;
    bool is_truth = field->kind == FIL_COMPACT_BOOLEAN;
    return search_item(search, field->kind, fil_bytes_make(is_truth ? &truth : from, size));
}

bool fil_query__search_compact(const struct fil_query__search *search, struct fil_bytes payload)
{
    struct fil_wire_schemas *schemas = search->entry->schemas;
    fil_assert(search->step_count > 0);
    const struct fil_compact_layout *layout =
        schemas == NULL || payload.size < 8
            ? NULL
            : fil_wire_schemas_layout(schemas, (int64_t)fil_load_u64_be(payload.data));
    if (layout == NULL) {
        search->entry->is_opaque = true;
        return fil_query__visit_null(search);
    }
    const struct fil_compact_field *field =
        search->steps->kind == FIL_QUERY_STEP_NAME
            ? fil_compact_layout_find(layout, search->steps->name)
            : NULL;
    if (field == NULL) {
        return fil_query__visit_null(search);
    }
    struct fil_bytes record = fil_bytes_make(payload.data + 8, payload.size - 8);
    struct fil_query__search next = fil_query__next(search);
    return field->is_variable ? search_variable(&next, layout, field, record)
                              : search_fixed(&next, layout, field, record);
}
