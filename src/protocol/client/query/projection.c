// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/projection.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/reader.h"
#include "protocol/client/query/object.h"

#define FACTORY    (-30)
#define TYPE_ARRAY (-28) // of objects

enum class {
    CLASS_SINGLE,
    CLASS_MANY,
    CLASS_ENTRY,
};

static int refuse(struct fil_wire_fault *out_fault, int error, const char *reason)
{
    *out_fault = (struct fil_wire_fault){.field = "projection", .reason = reason};
    return error;
}

static int read_paths(struct fil_query_projection *projection, struct fil_reader *reader,
                      uint32_t count, struct fil_wire_fault *out_fault)
{
    if (count > FIL_QUERY_PROJECTED_MAX) {
        return refuse(out_fault, FIL_E_UNSUPPORTED, "has too many attributes");
    }
    for (uint32_t i = 0; i < count; i++) {
        struct fil_bytes text;
        if (!fil_query_read_text(reader, &text) ||
            fil_query_path_parse(text, &projection->paths[i]) != FIL_OK) {
            return refuse(out_fault, FIL_E_MALFORMED, "is about what is no attribute");
        }
    }
    projection->path_count = count;
    return FIL_OK;
}

int fil_query_projection_init(struct fil_query_projection *projection, struct fil_bytes data,
                              struct fil_wire_fault *out_fault)
{
    struct fil_reader reader;
    struct fil_query_class class = {0};
    uint32_t count = 1;
    *projection = (struct fil_query_projection){0};
    fil_reader_init(&reader, data);
    int error = fil_reader_skip(&reader, 4) // the hash
                    ? fil_query_read_class(&reader, &class)
                    : FIL_E_MALFORMED;
    projection->is_many = class.number == CLASS_MANY;
    projection->is_entry = class.number == CLASS_ENTRY;
    if (error == FIL_E_MALFORMED ||
        (error == FIL_OK && projection->is_many && !fil_reader_u32_be(&reader, &count))) {
        return refuse(out_fault, FIL_E_MALFORMED, "is cut off or not what it says");
    }
    if (error != FIL_OK || class.factory != FACTORY || class.number > CLASS_ENTRY) {
        return refuse(out_fault, FIL_E_UNSUPPORTED, "is of a kind that is not supported");
    }
    return projection->is_entry ? FIL_OK : read_paths(projection, &reader, count, out_fault);
}

/** What is asked of an attribute, which has one value. */
struct wanted {
    struct fil_map_buffer *data;
    bool is_null;
};

static bool write_value(void *context, const struct fil_wire_value *value)
{
    struct wanted *wanted = context;
    wanted->is_null = value->type == FIL_WIRE_DATA_NULL;
    fil_query_write_value(wanted->data, value);
    return true; // the first one, if there are more
}

struct fil_query_projection *fil_query_projection_new(struct fil_bytes data)
{
    struct fil_query_projection *projection = fil_alloc(sizeof(*projection));
    struct fil_wire_fault fault;
    if (projection != NULL && fil_query_projection_init(projection, data, &fault) != FIL_OK) {
        fil_free(projection);
        return NULL;
    }
    return projection;
}

/** Appends the attribute as an object. */
static bool write_attribute(const struct fil_query_path *path, struct fil_query_entry *entry,
                            struct fil_map_buffer *out_data)
{
    bool is_whole = path->step_count == 0;
    struct wanted wanted = {.data = out_data};
    if (is_whole) {
        fil_query_write_form(out_data, path->is_key ? entry->key : entry->value);
    } else if (!fil_query_path_visit(path, entry, write_value, &wanted)) {
        struct fil_wire_value null = {.type = FIL_WIRE_DATA_NULL}; // an [any] of nothing
        (void)write_value(&wanted, &null);
    }
    return !wanted.is_null;
}

bool fil_query_projection_write(const struct fil_query_projection *projection,
                                struct fil_query_entry *entry, struct fil_map_buffer *out_data)
{
    size_t start = out_data->size;
    fil_query_write_u32(out_data, 0); // the hash
    if (projection->is_entry) {
        fil_query_write_entry(out_data, entry->key, entry->value);
        return true;
    }
    if (!projection->is_many) {
        bool is_there = write_attribute(&projection->paths[0], entry, out_data);
        out_data->size = is_there ? out_data->size : start;
        return is_there;
    }
    fil_query_write_u32(out_data, (uint32_t)TYPE_ARRAY);
    fil_query_write_u32(out_data, projection->path_count);
    for (uint32_t i = 0; i < projection->path_count; i++) {
        (void)write_attribute(&projection->paths[i], entry, out_data);
    }
    fil_assert(out_data->is_out_of_memory || out_data->size > start);
    return true;
}
