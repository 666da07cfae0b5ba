// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/attribute.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/endian.h"
#include "protocol/client/query/compare.h"

#define NUMBER_BYTES 8U // the class and seven bytes of the double

/** The context of an index. */
struct attribute {
    struct fil_query_path path;
    struct fil_wire_schemas *schemas;
    _Atomic bool is_partial;
    char name[FIL_MAP_INDEX_NAME_MAX + 1]; // of the index
    char text[];                           // of the path, which borrows it
};

/** The double's bits in an order that is that of the numbers. */
static uint64_t ordered_bits(double real)
{
    uint64_t bits = 0;
    real = real == 0 ? 0 : real; // there are two of it
    memcpy(&bits, &real, sizeof(bits));
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

static bool encode_number(double real, struct fil_index_attribute *out_attribute)
{
    if (isnan(real)) {
        return false;
    }
    uint64_t bits = (uint64_t)FIL_QUERY_CLASS_NUMBER << 56 | ordered_bits(real) >> 8;
    fil_store_u64_be(out_attribute->data, bits);
    out_attribute->size = NUMBER_BYTES;
    return true;
}

static bool encode_bytes(enum fil_query_class_byte class, struct fil_bytes bytes,
                         struct fil_index_attribute *out_attribute)
{
    size_t room = FIL_INDEX_ATTRIBUTE_MAX - 1;
    size_t size = bytes.size < room ? bytes.size : room;
    out_attribute->data[0] = (uint8_t) class;
    if (size > 0) {
        memcpy(out_attribute->data + 1, bytes.data, size);
    }
    out_attribute->size = (uint32_t)(size + 1);
    return true;
}

static bool encode_uuid(struct fil_wire_uuid uuid, struct fil_index_attribute *out_attribute)
{
    uint8_t bytes[16];
    fil_store_u64_be(bytes, (uint64_t)uuid.high);
    fil_store_u64_be(bytes + 8, (uint64_t)uuid.low);
    return encode_bytes(FIL_QUERY_CLASS_UUID, fil_bytes_make(bytes, sizeof(bytes)), out_attribute);
}

bool fil_query_attribute_encode(const struct fil_wire_value *value,
                                struct fil_index_attribute *out_attribute)
{
    uint8_t truth = 0;
    if (fil_query_is_number(value)) {
        return encode_number(fil_query_real(value), out_attribute);
    }
    switch (value->type) {
    case FIL_WIRE_DATA_BOOLEAN:
        truth = value->boolean;
        return encode_bytes(FIL_QUERY_CLASS_TRUTH, fil_bytes_make(&truth, 1), out_attribute);
    case FIL_WIRE_DATA_STRING:
        return encode_bytes(FIL_QUERY_CLASS_TEXT, value->text, out_attribute);
    case FIL_WIRE_DATA_UUID:
        return encode_uuid(value->uuid, out_attribute);
    case FIL_WIRE_DATA_NULL:
    case FIL_WIRE_DATA_BYTE:
    case FIL_WIRE_DATA_SHORT:
    case FIL_WIRE_DATA_INTEGER:
    case FIL_WIRE_DATA_LONG:
    case FIL_WIRE_DATA_FLOAT:
    case FIL_WIRE_DATA_DOUBLE:
    case FIL_WIRE_DATA_BYTES:
    case FIL_WIRE_DATA_JSON:
        break;
    }
    return false;
}

/** What is found of an entry. */
struct finding {
    struct fil_index_attribute *out_attribute;
    bool is_there;
    bool is_odd; // a number without a place
};

static bool take(void *context, const struct fil_wire_value *value)
{
    struct finding *finding = context;
    finding->is_there = fil_query_attribute_encode(value, finding->out_attribute);
    finding->is_odd = !finding->is_there && fil_query_is_number(value);
    return true;
}

static bool extract(void *context, struct fil_bytes key, struct fil_bytes value,
                    struct fil_index_attribute *out_attribute)
{
    struct attribute *attribute = context;
    struct finding finding = {.out_attribute = out_attribute};
    struct fil_query_entry entry = {.key = key, .value = value, .schemas = attribute->schemas};
    (void)fil_query_path_visit(&attribute->path, &entry, take, &finding);
    if (FIL_UNLIKELY(entry.is_opaque || finding.is_odd)) {
        // Relaxed: queries that begin later learn of it by entering the partition.
        atomic_store_explicit(&attribute->is_partial, true, memory_order_relaxed);
    }
    return finding.is_there && !entry.is_opaque;
}

static bool has_any(const struct fil_query_path *path)
{
    for (uint32_t i = 0; i < path->step_count; i++) {
        if (path->steps[i].kind == FIL_QUERY_STEP_ANY) {
            return true;
        }
    }
    return false;
}

static int write_name(struct attribute *attribute, enum fil_index_kind kind, struct fil_bytes path)
{
    int size = snprintf(attribute->name, sizeof(attribute->name), "%s:%.*s",
                        kind == FIL_INDEX_HASH ? "hash" : "sorted", (int)path.size,
                        (const char *)path.data);
    return size > 0 && (size_t)size < sizeof(attribute->name) ? FIL_OK : FIL_E_LIMIT;
}

int fil_query_attribute_index(struct fil_bytes path, enum fil_index_kind kind,
                              struct fil_wire_schemas *schemas,
                              struct fil_map_index_setup *out_setup)
{
    if (path.size == 0 || path.size > FIL_MAP_INDEX_NAME_MAX) {
        return FIL_E_LIMIT;
    }
    struct attribute *attribute = fil_alloc_zero(1, sizeof(*attribute) + path.size);
    if (attribute == NULL) {
        return FIL_E_NOMEM;
    }
    memcpy(attribute->text, path.data, path.size);
    attribute->schemas = schemas;
    atomic_init(&attribute->is_partial, false);
    int error = fil_query_path_parse(fil_bytes_make(attribute->text, path.size), &attribute->path);
    if (error == FIL_OK && has_any(&attribute->path)) {
        error = FIL_E_UNSUPPORTED;
    }
    error = error == FIL_OK ? write_name(attribute, kind, path) : error;
    if (error != FIL_OK) {
        fil_free(attribute);
        return error;
    }
    *out_setup = (struct fil_map_index_setup){.name = fil_bytes_of(attribute->name),
                                              .kind = kind,
                                              .extract = extract,
                                              .context = attribute,
                                              .free_context = fil_free};
    return FIL_OK;
}

const struct fil_query_path *fil_query_attribute_path(const struct fil_map_index *index)
{
    if (index->definition.extract != extract || !fil_map_index_is_ready(index)) {
        return NULL;
    }
    const struct attribute *attribute = index->definition.context;
    bool is_partial = atomic_load_explicit(&attribute->is_partial, memory_order_relaxed);
    return is_partial ? NULL : &attribute->path;
}

/** The kind that a word before the attribute says; the word is taken off. */
static enum fil_index_kind take_kind(struct fil_bytes *item)
{
    static const struct {
        const char *word;
        enum fil_index_kind kind;
    } kinds[] = {{"hash:", FIL_INDEX_HASH}, {"sorted:", FIL_INDEX_SORTED}};
    for (size_t i = 0; i < FIL_COUNT_OF(kinds); i++) {
        struct fil_bytes word = fil_bytes_of(kinds[i].word);
        if (item->size > word.size && memcmp(item->data, word.data, word.size) == 0) {
            *item = fil_bytes_make(item->data + word.size, item->size - word.size);
            return kinds[i].kind;
        }
    }
    return FIL_INDEX_SORTED;
}

static int declare(struct fil_bytes item, struct fil_wire_schemas *schemas, struct fil_map *map)
{
    struct fil_map_index_setup setup;
    enum fil_index_kind kind = take_kind(&item);
    int error = fil_query_attribute_index(item, kind, schemas, &setup);
    if (error != FIL_OK) {
        return error;
    }
    if (map != NULL) {
        return fil_map_index_declare(map, &setup);
    }
    setup.free_context(setup.context);
    return FIL_OK;
}

int fil_query_declare_indexes(struct fil_bytes list, struct fil_wire_schemas *schemas,
                              struct fil_map *map)
{
    int error = FIL_OK;
    while (error == FIL_OK && list.size > 0) {
        size_t comma = fil_bytes_find(list, ',');
        error = declare(fil_bytes_make(list.data, comma), schemas, map);
        size_t taken = comma < list.size ? comma + 1 : comma;
        list = fil_bytes_make(list.data + taken, list.size - taken);
    }
    return error;
}
