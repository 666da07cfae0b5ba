// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/aggregate.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/reader.h"
#include "protocol/client/query/compare.h"
#include "protocol/client/query/object.h"

#define FACTORY   (-29)
#define CLASS_SET 19U // what distinct values come in

static int refuse(struct fil_wire_fault *out_fault, int error, const char *reason)
{
    *out_fault = (struct fil_wire_fault){.field = "aggregator", .reason = reason};
    return error;
}

/** By the numbers of the classes in their factory; those of big numbers are missing. */
static bool kind_of(uint32_t number, enum fil_query_aggregate_kind *out_kind)
{
    static const struct {
        uint32_t number;
        enum fil_query_aggregate_kind kind;
    } kinds[] = {
        {4, FIL_QUERY_COUNT},        {5, FIL_QUERY_DISTINCT},       {6, FIL_QUERY_AVERAGE},
        {7, FIL_QUERY_SUM_REAL},     {8, FIL_QUERY_SUM_INTEGER},    {9, FIL_QUERY_SUM_REAL},
        {10, FIL_QUERY_AVERAGE},     {11, FIL_QUERY_SUM_INTEGER},   {12, FIL_QUERY_AVERAGE},
        {13, FIL_QUERY_SUM_INTEGER}, {14, FIL_QUERY_LARGEST},       {15, FIL_QUERY_SMALLEST},
        {16, FIL_QUERY_AVERAGE},     {17, FIL_QUERY_LARGEST_ENTRY}, {18, FIL_QUERY_SMALLEST_ENTRY},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(kinds); i++) {
        if (kinds[i].number == number) {
            *out_kind = kinds[i].kind;
            return true;
        }
    }
    return false;
}

/** The attribute; what stands behind it is the state of an empty aggregator. */
static int read_path(struct fil_query_aggregate *aggregate, struct fil_reader *reader,
                     struct fil_wire_fault *out_fault)
{
    struct fil_bytes text;
    if (!fil_query_read_text_or_null(reader, &text)) {
        return refuse(out_fault, FIL_E_MALFORMED, "is cut off or not what it says");
    }
    aggregate->has_path = text.data != NULL;
    if (!aggregate->has_path) {
        return aggregate->kind == FIL_QUERY_COUNT
                   ? FIL_OK
                   : refuse(out_fault, FIL_E_UNSUPPORTED, "has no attribute");
    }
    return fil_query_path_parse(text, &aggregate->path) == FIL_OK
               ? FIL_OK
               : refuse(out_fault, FIL_E_MALFORMED, "is about what is no attribute");
}

int fil_query_aggregate_init(struct fil_query_aggregate *aggregate, struct fil_bytes data,
                             struct fil_wire_fault *out_fault)
{
    struct fil_reader reader;
    struct fil_query_class class = {0};
    *aggregate = (struct fil_query_aggregate){0};
    fil_reader_init(&reader, data);
    int error = fil_reader_skip(&reader, 4) // the hash
                    ? fil_query_read_class(&reader, &class)
                    : FIL_E_MALFORMED;
    if (error == FIL_E_MALFORMED) {
        return refuse(out_fault, error, "is cut off or not what it says");
    }
    if (error != FIL_OK || class.factory != FACTORY || !kind_of(class.number, &aggregate->kind)) {
        return refuse(out_fault, FIL_E_UNSUPPORTED, "is of a kind that is not supported");
    }
    error = read_path(aggregate, &reader, out_fault);
    fil_map_buffer_init(&aggregate->best_text);
    fil_map_buffer_init(&aggregate->best_entry);
    fil_map_buffer_init(&aggregate->scratch);
    fil_query_distinct_init(&aggregate->distinct);
    return error;
}

void fil_query_aggregate_fini(struct fil_query_aggregate *aggregate)
{
    fil_map_buffer_fini(&aggregate->best_text);
    fil_map_buffer_fini(&aggregate->best_entry);
    fil_map_buffer_fini(&aggregate->scratch);
    fil_query_distinct_fini(&aggregate->distinct);
}

static bool has_text(const struct fil_wire_value *value)
{
    return value->type == FIL_WIRE_DATA_STRING || value->type == FIL_WIRE_DATA_BYTES ||
           value->type == FIL_WIRE_DATA_JSON;
}

/** Empties a buffer; its memory stays. */
static void reset(struct fil_map_buffer *buffer)
{
    buffer->size = 0;
}

static int keep_best(struct fil_query_aggregate *aggregate, const struct fil_wire_value *value)
{
    aggregate->best = *value;
    aggregate->has_best = true;
    if (has_text(value)) {
        reset(&aggregate->best_text);
        fil_map_buffer_add(&aggregate->best_text, value->text);
        aggregate->best.text = fil_map_buffer_bytes(&aggregate->best_text);
    }
    if (aggregate->kind == FIL_QUERY_LARGEST_ENTRY || aggregate->kind == FIL_QUERY_SMALLEST_ENTRY) {
        reset(&aggregate->best_entry);
        fil_query_write_entry(&aggregate->best_entry, aggregate->entry->key,
                              aggregate->entry->value);
    }
    bool is_kept =
        !aggregate->best_text.is_out_of_memory && !aggregate->best_entry.is_out_of_memory;
    return is_kept ? FIL_OK : FIL_E_NOMEM;
}

static int add_extreme(struct fil_query_aggregate *aggregate, const struct fil_wire_value *value)
{
    if (value->type == FIL_WIRE_DATA_NULL) {
        return FIL_OK;
    }
    bool is_largest =
        aggregate->kind == FIL_QUERY_LARGEST || aggregate->kind == FIL_QUERY_LARGEST_ENTRY;
    int order = aggregate->has_best ? fil_query_order(value, &aggregate->best) : 0;
    bool is_better = !aggregate->has_best || (is_largest ? order > 0 : order < 0);
    return is_better ? keep_best(aggregate, value) : FIL_OK;
}

static int add_number(struct fil_query_aggregate *aggregate, const struct fil_wire_value *value)
{
    if (value->type == FIL_WIRE_DATA_NULL) {
        return FIL_OK;
    }
    if (!fil_query_is_number(value)) {
        return FIL_E_INVALID;
    }
    double real = fil_query_real(value);
    bool fits = real >= -9223372036854775808.0 && real < 9223372036854775808.0;
    int64_t whole = fits ? (int64_t)real : 0;
    aggregate->count++;
    aggregate->real_sum += real;
    aggregate->integer_sum += (uint64_t)(fil_query_is_integer(value) ? value->integer : whole);
    return FIL_OK;
}

static int add_distinct(struct fil_query_aggregate *aggregate, const struct fil_wire_value *value)
{
    reset(&aggregate->scratch);
    fil_query_write_value(&aggregate->scratch, value);
    if (aggregate->scratch.is_out_of_memory) {
        return FIL_E_NOMEM;
    }
    return fil_query_distinct_add(&aggregate->distinct, fil_map_buffer_bytes(&aggregate->scratch));
}

static bool add_value(void *context, const struct fil_wire_value *value)
{
    struct fil_query_aggregate *aggregate = context;
    int error = FIL_OK;
    switch (aggregate->kind) {
    case FIL_QUERY_COUNT:
        aggregate->count++;
        break;
    case FIL_QUERY_DISTINCT:
        error = add_distinct(aggregate, value);
        break;
    case FIL_QUERY_SUM_INTEGER:
    case FIL_QUERY_SUM_REAL:
    case FIL_QUERY_AVERAGE:
        error = add_number(aggregate, value);
        break;
    case FIL_QUERY_LARGEST:
    case FIL_QUERY_SMALLEST:
    case FIL_QUERY_LARGEST_ENTRY:
    case FIL_QUERY_SMALLEST_ENTRY:
        error = add_extreme(aggregate, value);
        break;
    }
    aggregate->error = error;
    return error != FIL_OK;
}

int fil_query_aggregate_add(struct fil_query_aggregate *aggregate, struct fil_query_entry *entry)
{
    fil_assert(aggregate->error == FIL_OK);
    if (!aggregate->has_path) {
        aggregate->count++;
        return FIL_OK;
    }
    aggregate->entry = entry;
    (void)fil_query_path_visit(&aggregate->path, entry, add_value, aggregate);
    return aggregate->error;
}

static void write_distinct(const struct fil_query_distinct *set, struct fil_map_buffer *out_data)
{
    fil_query_write_class(out_data, (struct fil_query_class){FACTORY, CLASS_SET});
    fil_query_write_u32(out_data, set->count);
    fil_map_buffer_add(out_data, fil_map_buffer_bytes(&set->objects));
}

static struct fil_wire_value value_of(const struct fil_query_aggregate *aggregate)
{
    switch (aggregate->kind) {
    case FIL_QUERY_SUM_INTEGER:
        return fil_wire_value_integer(FIL_WIRE_DATA_LONG, (int64_t)aggregate->integer_sum);
    case FIL_QUERY_SUM_REAL:
        return fil_wire_value_real(FIL_WIRE_DATA_DOUBLE, aggregate->real_sum);
    case FIL_QUERY_AVERAGE:
        return fil_wire_value_real(FIL_WIRE_DATA_DOUBLE,
                                   aggregate->real_sum / (double)aggregate->count);
    case FIL_QUERY_LARGEST:
    case FIL_QUERY_SMALLEST:
        return aggregate->best;
    case FIL_QUERY_COUNT:
    case FIL_QUERY_DISTINCT:
    case FIL_QUERY_LARGEST_ENTRY:
    case FIL_QUERY_SMALLEST_ENTRY:
        break;
    }
    return fil_wire_value_integer(FIL_WIRE_DATA_LONG, (int64_t)aggregate->count);
}

bool fil_query_aggregate_result(struct fil_query_aggregate *aggregate,
                                struct fil_map_buffer *out_data)
{
    enum fil_query_aggregate_kind kind = aggregate->kind;
    bool is_entry = kind == FIL_QUERY_LARGEST_ENTRY || kind == FIL_QUERY_SMALLEST_ENTRY;
    bool is_extreme = is_entry || kind == FIL_QUERY_LARGEST || kind == FIL_QUERY_SMALLEST;
    if ((is_extreme && !aggregate->has_best) ||
        (kind == FIL_QUERY_AVERAGE && aggregate->count == 0)) {
        return false;
    }
    fil_query_write_u32(out_data, 0); // the hash
    if (kind == FIL_QUERY_DISTINCT) {
        write_distinct(&aggregate->distinct, out_data);
    } else if (is_entry) {
        fil_map_buffer_add(out_data, fil_map_buffer_bytes(&aggregate->best_entry));
    } else {
        struct fil_wire_value value = value_of(aggregate);
        fil_query_write_value(out_data, &value);
    }
    return true;
}
