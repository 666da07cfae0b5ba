// SPDX-License-Identifier: Apache-2.0
/** Predicates of serialized objects. */
#include "filbert/error.h"
#include "lib/base/murmur3.h"
#include "lib/base/reader.h"
#include "protocol/client/query/node_internal.h"
#include "protocol/client/query/object.h"

#define FACTORY (-20)

// The types of sets; two of them have an order, which is code unless it is null.
#define TYPE_HASH_SET      (-37)
#define TYPE_TREE_SET      (-38)
#define TYPE_SKIP_LIST_SET (-41)

// The numbers of predicates in their factory.
enum class {
    CLASS_SQL = 0,
    CLASS_AND = 1,
    CLASS_BETWEEN = 2,
    CLASS_EQUAL = 3,
    CLASS_GREATER_LESS = 4,
    CLASS_LIKE = 5,
    CLASS_ILIKE = 6,
    CLASS_IN = 7,
    CLASS_INSTANCE_OF = 8,
    CLASS_NOT_EQUAL = 9,
    CLASS_NOT = 10,
    CLASS_OR = 11,
    CLASS_REGEX = 12,
    CLASS_FALSE = 13,
    CLASS_TRUE = 14,
    CLASS_PARTITION = 16,
    CLASS_PARTITIONS = 21,
};

struct source {
    struct fil_query__maker maker;
    struct fil_reader reader;
};

static int malformed(struct source *source)
{
    return fil_query__refuse(&source->maker, FIL_E_MALFORMED, "is cut off or not what it says");
}

static int make(struct source *source, uint32_t depth, struct fil_query_node **out_node);

static int read_path(struct source *source, struct fil_query_node *node)
{
    struct fil_bytes text;
    if (!fil_query_read_text(&source->reader, &text)) {
        return malformed(source);
    }
    return fil_query__set_path(&source->maker, node, text);
}

static int read_operand(struct source *source, struct fil_wire_value *out_value)
{
    int error = fil_query_read_value(&source->reader, out_value);
    if (error == FIL_E_UNSUPPORTED) {
        return fil_query__refuse(&source->maker, error,
                                 "compares with a type that is not supported");
    }
    return error == FIL_OK ? FIL_OK : malformed(source);
}

static int read_operands(struct source *source, struct fil_query_node *node, uint32_t count)
{
    int error = fil_query__set_operands(&source->maker, node, count);
    for (uint32_t i = 0; error == FIL_OK && i < count; i++) {
        error = read_operand(source, &node->operands[i]);
    }
    return error;
}

/** An attribute and so many values. */
static int make_comparison(struct source *source, struct fil_query_node *node, uint32_t count)
{
    int error = read_path(source, node);
    return error == FIL_OK ? read_operands(source, node, count) : error;
}

static int make_greater_less(struct source *source, struct fil_query_node *node)
{
    uint8_t includes_equal = 0;
    uint8_t is_less = 0;
    int error = make_comparison(source, node, 1);
    if (error != FIL_OK) {
        return error;
    }
    if (!fil_reader_u8(&source->reader, &includes_equal) ||
        !fil_reader_u8(&source->reader, &is_less)) {
        return malformed(source);
    }
    node->kind = is_less != 0 ? FIL_QUERY_LESS : FIL_QUERY_GREATER;
    node->includes_equal = includes_equal != 0;
    return FIL_OK;
}

/** The upper end comes first. */
static int make_between(struct source *source, struct fil_query_node *node)
{
    int error = make_comparison(source, node, 2);
    if (error == FIL_OK) {
        struct fil_wire_value to = node->operands[0];
        node->operands[0] = node->operands[1];
        node->operands[1] = to;
    }
    return error;
}

static int make_in(struct source *source, struct fil_query_node *node)
{
    uint32_t count = 0;
    int error = read_path(source, node);
    if (error == FIL_OK && !fil_reader_u32_be(&source->reader, &count)) {
        error = malformed(source);
    }
    return error == FIL_OK ? read_operands(source, node, count) : error;
}

/** An attribute and a pattern. */
static int make_pattern(struct source *source, struct fil_query_node *node)
{
    struct fil_bytes pattern;
    int error = read_path(source, node);
    if (error != FIL_OK) {
        return error;
    }
    if (!fil_query_read_text(&source->reader, &pattern)) {
        return malformed(source);
    }
    if (node->kind == FIL_QUERY_REGEX) {
        return fil_query__set_regex(&source->maker, node, pattern);
    }
    error = fil_query__set_operands(&source->maker, node, 1);
    if (error == FIL_OK) {
        node->operands[0] = fil_wire_value_text(FIL_WIRE_DATA_STRING, pattern);
    }
    return error;
}

static int make_children(struct source *source, struct fil_query_node *node, uint32_t count,
                         uint32_t depth)
{
    struct fil_query_node **last = &node->first;
    int error = count <= FIL_QUERY__OPERANDS_MAX
                    ? FIL_OK
                    : fil_query__refuse(&source->maker, FIL_E_UNSUPPORTED, "has too many parts");
    for (uint32_t i = 0; error == FIL_OK && i < count; i++) {
        error = make(source, depth + 1, last);
        if (error == FIL_OK) {
            last = &(*last)->next;
        }
    }
    return error;
}

static int make_many(struct source *source, struct fil_query_node *node, uint32_t depth)
{
    uint32_t count = 0;
    if (!fil_reader_u32_be(&source->reader, &count)) {
        return malformed(source);
    }
    return make_children(source, node, count, depth);
}

static int make_where(struct source *source, struct fil_query_node *node)
{
    struct fil_bytes text;
    if (!fil_query_read_text(&source->reader, &text)) {
        return malformed(source);
    }
    return fil_query__parse_where(&source->maker, text, &node->first);
}

static int fill(struct source *source, struct fil_query_node *node, uint32_t number, uint32_t depth)
{
    switch (number) {
    case CLASS_TRUE:
    case CLASS_FALSE:
        return FIL_OK;
    case CLASS_SQL:
        return make_where(source, node);
    case CLASS_EQUAL:
        return make_comparison(source, node, 1);
    case CLASS_NOT:
        return make_children(source, node, 1, depth);
    case CLASS_AND:
    case CLASS_OR:
        return make_many(source, node, depth);
    case CLASS_GREATER_LESS:
        return make_greater_less(source, node);
    case CLASS_BETWEEN:
        return make_between(source, node);
    case CLASS_IN:
        return make_in(source, node);
    case CLASS_INSTANCE_OF:
        return fil_query__refuse(&source->maker, FIL_E_UNSUPPORTED,
                                 "is about a Java class, and there are none here");
    default:
        node->is_any_case = number == CLASS_ILIKE;
        return make_pattern(source, node);
    }
}

/** The hash of a key that is an object inside of the predicate. */
static int read_key_hash(struct source *source, int32_t *out_hash)
{
    struct fil_wire_value value;
    const uint8_t *start = source->reader.data + source->reader.position;
    int error = read_operand(source, &value);
    if (error == FIL_OK) {
        const uint8_t *payload = start + sizeof(uint32_t); // behind the type
        const uint8_t *end = source->reader.data + source->reader.position;
        *out_hash = fil_murmur3(fil_bytes_make(payload, (size_t)(end - payload)));
    }
    return error;
}

/** How many keys there are: one, or those of a set. */
static int read_key_count(struct source *source, uint32_t number, uint32_t *out_count)
{
    uint32_t type = 0;
    uint32_t order = 0;
    *out_count = 1;
    if (number == CLASS_PARTITION) {
        return FIL_OK;
    }
    if (!fil_reader_u32_be(&source->reader, &type)) {
        return malformed(source);
    }
    bool has_order = (int32_t)type == TYPE_TREE_SET || (int32_t)type == TYPE_SKIP_LIST_SET;
    if ((int32_t)type > TYPE_HASH_SET || (int32_t)type < TYPE_SKIP_LIST_SET ||
        (has_order && fil_reader_u32_be(&source->reader, &order) && order != 0)) {
        return fil_query__refuse(&source->maker, FIL_E_UNSUPPORTED,
                                 "has its keys in an object that is not known");
    }
    if (!fil_reader_u32_be(&source->reader, out_count) || *out_count == 0) {
        return malformed(source);
    }
    return *out_count <= FIL_QUERY__OPERANDS_MAX
               ? FIL_OK
               : fil_query__refuse(&source->maker, FIL_E_UNSUPPORTED, "has too many keys");
}

/** Keys, and what is meant in their partitions. Inside of another it means what it has inside, as
 * in Hazelcast. */
static int make_limited(struct source *source, uint32_t number, uint32_t depth,
                        struct fil_query_node **out_node)
{
    uint32_t count = 0;
    int32_t *hashes = NULL;
    int error = read_key_count(source, number, &count);
    if (error == FIL_OK) {
        hashes = fil_arena_alloc_zero(source->maker.arena, count, sizeof(*hashes));
        if (hashes == NULL) {
            return fil_query__refuse_memory(&source->maker);
        }
    }
    for (uint32_t i = 0; error == FIL_OK && i < count; i++) {
        error = read_key_hash(source, &hashes[i]);
    }
    if (error == FIL_OK && depth == 0) {
        source->maker.key_hashes = hashes;
        source->maker.key_hash_count = count;
    }
    return error == FIL_OK ? make(source, depth + 1, out_node) : error;
}

/** -1: not supported. The kind of a text is that of an "and" of one part. */
static int kind_of(uint32_t number)
{
    static const int kinds[] = {
        [CLASS_SQL] = FIL_QUERY_AND,           [CLASS_AND] = FIL_QUERY_AND,
        [CLASS_BETWEEN] = FIL_QUERY_BETWEEN,   [CLASS_EQUAL] = FIL_QUERY_EQUAL,
        [CLASS_GREATER_LESS] = FIL_QUERY_LESS, [CLASS_LIKE] = FIL_QUERY_LIKE,
        [CLASS_ILIKE] = FIL_QUERY_LIKE,        [CLASS_IN] = FIL_QUERY_EQUAL,
        [CLASS_INSTANCE_OF] = FIL_QUERY_FALSE, [CLASS_NOT_EQUAL] = FIL_QUERY_NOT,
        [CLASS_NOT] = FIL_QUERY_NOT,           [CLASS_OR] = FIL_QUERY_OR,
        [CLASS_REGEX] = FIL_QUERY_REGEX,       [CLASS_FALSE] = FIL_QUERY_FALSE,
        [CLASS_TRUE] = FIL_QUERY_TRUE,
    };
    return number < FIL_COUNT_OF(kinds) ? kinds[number] : -1;
}

/** Not equal is a "not" with an "equal" inside. */
static int make_not_equal(struct source *source, struct fil_query_node *node)
{
    node->first = fil_query__node(&source->maker, FIL_QUERY_EQUAL);
    return node->first == NULL ? fil_query__refuse_memory(&source->maker)
                               : make_comparison(source, node->first, 1);
}

static int make(struct source *source, uint32_t depth, struct fil_query_node **out_node)
{
    struct fil_query_class class;
    if (depth >= FIL_QUERY__DEPTH_MAX) {
        return fil_query__refuse(&source->maker, FIL_E_UNSUPPORTED, "is nested too deep");
    }
    int error = fil_query_read_class(&source->reader, &class);
    if (error == FIL_E_MALFORMED) {
        return malformed(source);
    }
    if (error != FIL_OK || class.factory != FACTORY) {
        return fil_query__refuse(&source->maker, FIL_E_UNSUPPORTED,
                                 "is not one of the clients' own");
    }
    if (class.number == CLASS_PARTITION || class.number == CLASS_PARTITIONS) {
        return make_limited(source, class.number, depth, out_node);
    }
    int kind = kind_of(class.number);
    if (kind < 0) {
        return fil_query__refuse(&source->maker, FIL_E_UNSUPPORTED,
                                 "is of a kind that is not supported");
    }
    *out_node = fil_query__node(&source->maker, (enum fil_query_node_kind)kind);
    if (*out_node == NULL) {
        return fil_query__refuse_memory(&source->maker);
    }
    return class.number == CLASS_NOT_EQUAL ? make_not_equal(source, *out_node)
                                           : fill(source, *out_node, class.number, depth);
}

int fil_query__read(struct fil_query__maker *maker, struct fil_bytes data,
                    struct fil_query_node **out_node)
{
    struct source source = {.maker = *maker};
    fil_reader_init(&source.reader, data);
    int error = fil_reader_skip(&source.reader, 4) // the hash
                    ? make(&source, 0, out_node)
                    : malformed(&source);
    *maker = source.maker;
    return error;
}
