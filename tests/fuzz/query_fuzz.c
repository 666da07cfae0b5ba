// SPDX-License-Identifier: Apache-2.0
/**
 * What clients ask of entries, whatever it is: predicates, expressions in text, regular
 * expressions, aggregators, projections, and values that attributes are looked for in. Nothing
 * reads beyond its bytes, and all memory comes back.
 *
 * The first byte says what the input is; up to the next zero byte it is that, the rest is the value
 * of the entry it is tried with.
 */
#include <stdint.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/query/aggregate.h"
#include "protocol/client/query/predicate.h"
#include "protocol/client/query/projection.h"
#include "protocol/client/query/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum kind {
    KIND_PREDICATE,
    KIND_WHERE,
    KIND_REGEX,
    KIND_PATH,
    KIND_AGGREGATOR,
    KIND_PROJECTION,
    KINDS,
};

static const uint8_t where_head[] = {0,    0,    0,    0,    0xff, 0xff, 0xff, 0xfe, 1,
                                     0xff, 0xff, 0xff, 0xec, 0,    0,    0,    0};

static void try_predicate(struct fil_bytes data, struct fil_query_entry *entry)
{
    struct fil_query_predicate predicate;
    struct fil_wire_fault fault = {0};
    int error = fil_query_predicate_init(&predicate, data, &fault);
    fil_assert(error == FIL_OK || fault.reason != NULL);
    if (error == FIL_OK) {
        (void)fil_query_predicate_test(&predicate, entry);
        fil_query_predicate_fini(&predicate);
    }
}

/** An expression in text, as the object that clients wrap it in. */
static void try_where(struct fil_bytes text, struct fil_query_entry *entry)
{
    size_t size = sizeof(where_head) + 4 + text.size;
    uint8_t *object = fil_alloc(size);
    fil_assert(object != NULL);
    memcpy(object, where_head, sizeof(where_head));
    fil_store_u32_be(object + sizeof(where_head), (uint32_t)text.size);
    if (text.size > 0) {
        memcpy(object + sizeof(where_head) + 4, text.data, text.size);
    }
    try_predicate(fil_bytes_make(object, size), entry);
    fil_free(object);
}

static void try_regex(struct fil_bytes pattern, struct fil_bytes text)
{
    const struct fil_query_regex *regex = NULL;
    struct fil_arena arena;
    fil_arena_init(&arena, 4096, (size_t)1 << 20);
    if (fil_query_regex_compile(pattern, &arena, &regex) == FIL_OK) {
        (void)fil_query_regex_matches(regex, text);
    }
    fil_arena_fini(&arena);
}

static bool count_value(void *context, const struct fil_wire_value *value)
{
    fil_assert(value != NULL);
    (*(uint32_t *)context)++;
    return false;
}

static void try_path(struct fil_bytes text, struct fil_query_entry *entry)
{
    struct fil_query_path path;
    uint32_t count = 0;
    if (fil_query_path_parse(text, &path) == FIL_OK) {
        (void)fil_query_path_visit(&path, entry, count_value, &count);
        fil_assert(count <= entry->value.size + 1);
    }
}

static void try_aggregator(struct fil_bytes data, struct fil_query_entry *entry)
{
    struct fil_query_aggregate aggregate;
    struct fil_wire_fault fault;
    struct fil_map_buffer result;
    if (fil_query_aggregate_init(&aggregate, data, &fault) != FIL_OK) {
        return;
    }
    fil_map_buffer_init(&result);
    if (fil_query_aggregate_add(&aggregate, entry) == FIL_OK) {
        (void)!fil_query_aggregate_result(&aggregate, &result);
    }
    fil_map_buffer_fini(&result);
    fil_query_aggregate_fini(&aggregate);
}

static void try_projection(struct fil_bytes data, struct fil_query_entry *entry)
{
    struct fil_query_projection projection;
    struct fil_wire_fault fault;
    struct fil_map_buffer result;
    if (fil_query_projection_init(&projection, data, &fault) == FIL_OK) {
        fil_map_buffer_init(&result);
        (void)!fil_query_projection_write(&projection, entry, &result);
        fil_map_buffer_fini(&result);
    }
}

static void try_kind(enum kind kind, struct fil_bytes data, struct fil_query_entry *entry)
{
    switch (kind) {
    case KIND_PREDICATE:
        try_predicate(data, entry);
        break;
    case KIND_WHERE:
        try_where(data, entry);
        break;
    case KIND_REGEX:
        try_regex(data, entry->value);
        break;
    case KIND_PATH:
        try_path(data, entry);
        break;
    case KIND_AGGREGATOR:
        try_aggregator(data, entry);
        break;
    case KIND_PROJECTION:
    case KINDS:
        try_projection(data, entry);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t person[] = "{\"n\":5,\"s\":\"x\\ty\",\"a\":[1,{\"b\":null}],\"t\":true}";
    if (size < 2) {
        return 0;
    }
    enum kind kind = (enum kind)(data[0] % KINDS);
    struct fil_bytes input = fil_bytes_make(data + 1, size - 1);
    struct fil_query_entry entry = {.key = fil_bytes_of("k"),
                                    .value = fil_bytes_make(person, sizeof(person) - 1)};
    // Serialized objects have zero bytes everywhere, so only texts bring a value.
    size_t end = fil_bytes_find(input, 0);
    bool is_text = kind == KIND_WHERE || kind == KIND_REGEX || kind == KIND_PATH;
    if (is_text && end + 1 < input.size) {
        entry.value = fil_bytes_make(input.data + end + 1, input.size - end - 1);
    }
    try_kind(kind, is_text ? fil_bytes_make(input.data, end) : input, &entry);
    return 0;
}
