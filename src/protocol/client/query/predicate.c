// SPDX-License-Identifier: Apache-2.0
/** The parts of predicates, and testing entries with them. */
#include "protocol/client/query/predicate.h"

#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/client/query/compare.h"
#include "protocol/client/query/node_internal.h"

#define CHUNK_BYTES     2048U
#define ARENA_BYTES_MAX ((size_t)1 << 20)

// Nodes.

int fil_query__refuse(struct fil_query__maker *maker, int error, const char *reason)
{
    fil_assert(error != FIL_OK);
    maker->fault = (struct fil_wire_fault){.field = "predicate", .reason = reason};
    return error;
}

int fil_query__refuse_memory(struct fil_query__maker *maker)
{
    return fil_query__refuse(maker, FIL_E_NOMEM, "is too large");
}

struct fil_query_node *fil_query__node(struct fil_query__maker *maker,
                                       enum fil_query_node_kind kind)
{
    struct fil_query_node *node = fil_arena_alloc_zero(maker->arena, 1, sizeof(*node));
    if (node != NULL) {
        node->kind = kind;
    }
    return node;
}

int fil_query__set_path(struct fil_query__maker *maker, struct fil_query_node *node,
                        struct fil_bytes text)
{
    struct fil_query_path *path = fil_arena_alloc_zero(maker->arena, 1, sizeof(*path));
    if (path == NULL) {
        return fil_query__refuse_memory(maker);
    }
    node->path = path;
    return fil_query_path_parse(text, path) == FIL_OK
               ? FIL_OK
               : fil_query__refuse(maker, FIL_E_MALFORMED, "is about what is no attribute");
}

int fil_query__set_operands(struct fil_query__maker *maker, struct fil_query_node *node,
                            uint32_t count)
{
    if (count > FIL_QUERY__OPERANDS_MAX) {
        return fil_query__refuse(maker, FIL_E_UNSUPPORTED, "has too many parts");
    }
    if (count == 0) {
        return FIL_OK;
    }
    node->operands = fil_arena_alloc_zero(maker->arena, count, sizeof(*node->operands));
    node->operand_count = count;
    return node->operands == NULL ? fil_query__refuse_memory(maker) : FIL_OK;
}

int fil_query__set_regex(struct fil_query__maker *maker, struct fil_query_node *node,
                         struct fil_bytes pattern)
{
    int error = fil_query_regex_compile(pattern, maker->arena, &node->regex);
    switch (error) {
    case FIL_OK:
        return FIL_OK;
    case FIL_E_MALFORMED:
        return fil_query__refuse(maker, error, "has no regular expression");
    case FIL_E_NOMEM:
        return fil_query__refuse_memory(maker);
    default:
        return fil_query__refuse(maker, FIL_E_UNSUPPORTED,
                                 "has a regular expression that is too large or not supported");
    }
}

typedef int (*make_fn)(struct fil_query__maker *maker, struct fil_bytes bytes,
                       struct fil_query_node **out_node);

static int make(struct fil_query_predicate *predicate, make_fn read, struct fil_bytes bytes,
                struct fil_wire_fault *out_fault)
{
    struct fil_query__maker maker = {.arena = &predicate->arena};
    struct fil_query_node *root = NULL;
    fil_arena_init(&predicate->arena, CHUNK_BYTES, ARENA_BYTES_MAX);
    int error = read(&maker, bytes, &root);
    predicate->root = root;
    predicate->key_hashes = maker.key_hashes;
    predicate->key_hash_count = maker.key_hash_count;
    if (error != FIL_OK) {
        *out_fault = maker.fault;
        fil_query_predicate_fini(predicate);
    }
    return error;
}

int fil_query_predicate_init(struct fil_query_predicate *predicate, struct fil_bytes data,
                             struct fil_wire_fault *out_fault)
{
    return make(predicate, fil_query__read, data, out_fault);
}

int fil_query_filter_init(struct fil_query_predicate *filter, struct fil_bytes data,
                          struct fil_wire_fault *out_fault)
{
    struct fil_wire_value text;
    if (fil_wire_data_type(data) != FIL_WIRE_DATA_STRING) {
        return make(filter, fil_query__read, data, out_fault);
    }
    if (fil_wire_value_decode(data, &text) != FIL_OK || text.text.data == NULL) {
        *out_fault = (struct fil_wire_fault){.field = "filter", .reason = "is no text"};
        return FIL_E_MALFORMED;
    }
    return make(filter, fil_query__parse_where, text.text, out_fault);
}

void fil_query_predicate_fini(struct fil_query_predicate *predicate)
{
    if (predicate->arena.chunk_bytes > 0) {
        fil_arena_fini(&predicate->arena);
    }
    predicate->root = NULL;
    predicate->key_hashes = NULL;
    predicate->key_hash_count = 0;
}

int fil_query_predicate_check(struct fil_bytes data, struct fil_wire_fault *out_fault)
{
    struct fil_query_predicate predicate;
    int error = fil_query_predicate_init(&predicate, data, out_fault);
    if (error == FIL_OK) {
        fil_query_predicate_fini(&predicate);
    }
    return error;
}

// Testing.

static bool is_equal_to_one(const struct fil_query_node *node, const struct fil_wire_value *value)
{
    for (uint32_t i = 0; i < node->operand_count; i++) {
        if (fil_query_equals(value, &node->operands[i])) {
            return true;
        }
    }
    return false;
}

/** Whether the value stands to the operand as wanted: -1 below it, 1 above. */
static bool is_beyond(const struct fil_wire_value *value, const struct fil_wire_value *operand,
                      int wanted, bool includes_equal)
{
    int order = 0;
    if (!fil_query_compare(value, operand, &order)) {
        return false;
    }
    return order == 0 ? includes_equal : (order > 0) == (wanted > 0);
}

static bool test_value(void *context, const struct fil_wire_value *value)
{
    const struct fil_query_node *node = context;
    switch (node->kind) {
    case FIL_QUERY_EQUAL:
        return is_equal_to_one(node, value);
    case FIL_QUERY_LESS:
        return is_beyond(value, &node->operands[0], -1, node->includes_equal);
    case FIL_QUERY_GREATER:
        return is_beyond(value, &node->operands[0], 1, node->includes_equal);
    case FIL_QUERY_BETWEEN:
        return is_beyond(value, &node->operands[0], 1, true) &&
               is_beyond(value, &node->operands[1], -1, true);
    case FIL_QUERY_LIKE:
        return value->type == FIL_WIRE_DATA_STRING &&
               fil_query_is_like(value->text, node->operands[0].text, node->is_any_case);
    case FIL_QUERY_REGEX:
        return value->type == FIL_WIRE_DATA_STRING &&
               fil_query_regex_matches(node->regex, value->text);
    case FIL_QUERY_TRUE:
    case FIL_QUERY_FALSE:
    case FIL_QUERY_AND:
    case FIL_QUERY_OR:
    case FIL_QUERY_NOT:
        break;
    }
    fil_assert(false); // those have no attribute
    return false;
}

/** Bounded: it goes as deep as the predicate. */
static bool test(const struct fil_query_node *node, struct fil_query_entry *entry)
{
    bool is_and = node->kind == FIL_QUERY_AND;
    if (node->path != NULL) {
        // The visitor does not change it.
        return fil_query_path_visit(node->path, entry, test_value, (void *)(uintptr_t)node);
    }
    if (node->kind == FIL_QUERY_NOT) {
        return !test(node->first, entry);
    }
    if (!is_and && node->kind != FIL_QUERY_OR) {
        return node->kind == FIL_QUERY_TRUE;
    }
    for (const struct fil_query_node *part = node->first; part != NULL; part = part->next) {
        if (test(part, entry) != is_and) {
            return !is_and;
        }
    }
    return is_and;
}

bool fil_query_predicate_test(const struct fil_query_predicate *predicate,
                              struct fil_query_entry *entry)
{
    return predicate->root == NULL || test(predicate->root, entry);
}
