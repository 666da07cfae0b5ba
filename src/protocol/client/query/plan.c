// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/plan.h"

#include <math.h>
#include <stdlib.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/writer.h"
#include "protocol/client/query/attribute.h"
#include "protocol/client/query/compare.h"
#include "protocol/client/query/node_internal.h"

#define RANGES_MAX 4096U // more, and looking at all entries is as good
#define CLASSES    3U    // in which values have an order

/** What the parts of an AND say of one attribute. */
struct wish {
    const struct fil_query_node *equal;
    struct fil_bytes prefix; // of a LIKE; data is NULL: there is none
    const struct fil_wire_value *low;
    const struct fil_wire_value *high;
};

enum rank {
    RANK_NONE,
    RANK_OPEN, // a range with one end
    RANK_PREFIX,
    RANK_CLOSED,
    RANK_EQUAL,
};

struct maker {
    struct fil_arena *arena;
    const struct fil_map *map;
    struct fil_map_index *index; // of the ranges that are added
    struct fil_map_search_part *parts;
    uint32_t count;
    uint32_t capacity;
    bool may_repeat;
    bool is_odd; // there are ranges that cannot be told
};

static bool is_same_step(const struct fil_query_step *left, const struct fil_query_step *right)
{
    return left->kind == right->kind && left->index == right->index &&
           fil_bytes_equal(left->name, right->name);
}

static bool is_same_path(const struct fil_query_path *left, const struct fil_query_path *right)
{
    if (left->is_key != right->is_key || left->step_count != right->step_count) {
        return false;
    }
    for (uint32_t i = 0; i < left->step_count; i++) {
        if (!is_same_step(&left->steps[i], &right->steps[i])) {
            return false;
        }
    }
    return true;
}

// What is wished.

/** What a LIKE begins with, up to the first letter that has a meaning of its own. */
static struct fil_bytes prefix_of(const struct fil_query_node *like)
{
    struct fil_bytes pattern = like->operands[0].text;
    size_t size = 0;
    while (!like->is_any_case && size < pattern.size && pattern.data[size] != '%' &&
           pattern.data[size] != '_' && pattern.data[size] != '\\') {
        size++;
    }
    return fil_bytes_make(size == 0 ? NULL : pattern.data, size);
}

static void take_part(struct wish *wish, const struct fil_query_node *node)
{
    switch (node->kind) {
    case FIL_QUERY_EQUAL:
        // Of several, that with the fewest values.
        if (wish->equal == NULL || node->operand_count < wish->equal->operand_count) {
            wish->equal = node;
        }
        return;
    case FIL_QUERY_LESS:
        wish->high = &node->operands[0];
        return;
    case FIL_QUERY_GREATER:
        wish->low = &node->operands[0];
        return;
    case FIL_QUERY_BETWEEN:
        wish->low = &node->operands[0];
        wish->high = &node->operands[1];
        return;
    case FIL_QUERY_LIKE:
        // Of several, the longest.
        wish->prefix = prefix_of(node).size > wish->prefix.size ? prefix_of(node) : wish->prefix;
        return;
    case FIL_QUERY_TRUE:
    case FIL_QUERY_FALSE:
    case FIL_QUERY_AND:
    case FIL_QUERY_OR:
    case FIL_QUERY_NOT:
    case FIL_QUERY_REGEX:
        return;
    }
}

/** Bounded: it goes as deep as the predicate. */
static void take_parts(struct wish *wish, const struct fil_query_node *node,
                       const struct fil_query_path *path)
{
    if (node->kind == FIL_QUERY_AND) {
        for (const struct fil_query_node *part = node->first; part != NULL; part = part->next) {
            take_parts(wish, part, path);
        }
    } else if (node->path != NULL && is_same_path(node->path, path)) {
        take_part(wish, node);
    }
}

static enum rank rank_of(const struct wish *wish, enum fil_index_kind kind)
{
    if (wish->equal != NULL) {
        return RANK_EQUAL;
    }
    if (kind == FIL_INDEX_HASH) {
        return RANK_NONE;
    }
    if (wish->low != NULL && wish->high != NULL) {
        return RANK_CLOSED;
    }
    if (wish->prefix.data != NULL) {
        return RANK_PREFIX;
    }
    return wish->low != NULL || wish->high != NULL ? RANK_OPEN : RANK_NONE;
}

/** The index that leaves the fewest entries, as far as can be told; NULL: none is of use. */
static struct fil_map_index *choose(const struct fil_query_node *root, const struct fil_map *map,
                                    struct wish *out_wish)
{
    struct fil_map_index *best = NULL;
    enum rank best_rank = RANK_NONE;
    for (uint32_t i = 0; i < fil_map_index_count(map); i++) {
        struct fil_map_index *index = fil_map_index_at(map, i);
        const struct fil_query_path *path = fil_query_attribute_path(index);
        if (path == NULL) {
            continue;
        }
        struct wish wish = {0};
        take_parts(&wish, root, path);
        enum rank rank = rank_of(&wish, index->definition.kind);
        if (rank > best_rank) {
            best = index;
            best_rank = rank;
            *out_wish = wish;
        }
    }
    return best;
}

// Ranges.

static bool truth_of(const struct fil_wire_value *wanted, bool *out_truth)
{
    if (wanted->type == FIL_WIRE_DATA_BOOLEAN) {
        *out_truth = wanted->boolean;
        return true;
    }
    *out_truth = wanted->type == FIL_WIRE_DATA_STRING &&
                 fil_bytes_equal_nocase(wanted->text, fil_bytes_of("true"));
    return *out_truth || (wanted->type == FIL_WIRE_DATA_STRING &&
                          fil_bytes_equal_nocase(wanted->text, fil_bytes_of("false")));
}

/** The wanted value as attributes of a class see it (compare.h); false: those never match it. */
static bool see_as(struct maker *maker, const struct fil_wire_value *wanted,
                   enum fil_query_class_byte class, struct fil_index_attribute *out_attribute)
{
    struct fil_wire_value seen = *wanted;
    bool truth = false;
    switch (class) {
    case FIL_QUERY_CLASS_NUMBER:
        if (!fil_query_is_number(wanted) &&
            (wanted->type != FIL_WIRE_DATA_STRING || !fil_query_number_of(wanted->text, &seen))) {
            return false;
        }
        maker->is_odd = maker->is_odd || isnan(fil_query_real(&seen));
        break;
    case FIL_QUERY_CLASS_TRUTH:
        if (!truth_of(wanted, &truth)) {
            return false;
        }
        seen = fil_wire_value_boolean(truth);
        break;
    case FIL_QUERY_CLASS_TEXT:
    case FIL_QUERY_CLASS_UUID:
        if (wanted->type !=
            (class == FIL_QUERY_CLASS_TEXT ? FIL_WIRE_DATA_STRING : FIL_WIRE_DATA_UUID)) {
            return false;
        }
        break;
    }
    return fil_query_attribute_encode(&seen, out_attribute);
}

static struct fil_store_range *add_range(struct maker *maker)
{
    if (maker->count == maker->capacity) {
        maker->is_odd = true;
        return NULL;
    }
    struct fil_map_search_part *part = &maker->parts[maker->count];
    *part = (struct fil_map_search_part){.index = maker->index,
                                         .range = {.has_low = true, .has_high = true}};
    maker->count++;
    return &part->range;
}

/** A copy in the arena. */
static struct fil_bytes keep(struct maker *maker, struct fil_bytes bytes)
{
    struct fil_bytes copy = {0};
    if (fil_arena_copy(maker->arena, bytes, &copy) != FIL_OK) {
        maker->is_odd = true;
    }
    return copy;
}

static void add_point(struct maker *maker, const struct fil_index_attribute *attribute)
{
    struct fil_store_range *range = add_range(maker);
    if (range != NULL) {
        range->low = keep(maker, fil_index_attribute_bytes(attribute));
        range->high = range->low;
    }
}

/** A whole number is also equal to the text it is written as. */
static void add_written(struct maker *maker, const struct fil_wire_value *wanted)
{
    uint8_t digits[24];
    struct fil_index_attribute attribute;
    struct fil_writer writer;
    fil_writer_init(&writer, digits, sizeof(digits));
    bool is_written = fil_writer_decimal_i64(&writer, wanted->integer);
    fil_assert(is_written);
    struct fil_wire_value text =
        fil_wire_value_text(FIL_WIRE_DATA_STRING, fil_writer_written(&writer));
    if (fil_query_attribute_encode(&text, &attribute)) {
        add_point(maker, &attribute);
    }
}

static void add_equal(struct maker *maker, const struct fil_wire_value *wanted)
{
    struct fil_index_attribute attribute;
    uint32_t before = maker->count;
    for (enum fil_query_class_byte class = FIL_QUERY_CLASS_NUMBER; class <= FIL_QUERY_CLASS_UUID;
         class ++) {
        if (see_as(maker, wanted, class, &attribute)) {
            add_point(maker, &attribute);
        }
    }
    if (fil_query_is_integer(wanted)) {
        add_written(maker, wanted);
    }
    // Null, and what indexes do not keep.
    maker->is_odd = maker->is_odd || maker->count == before;
}

/** The range of a class; an end that the class cannot see leaves nothing of it. */
static void add_between(struct maker *maker, const struct wish *wish,
                        enum fil_query_class_byte class)
{
    struct fil_index_attribute low = {.size = 1, .data = {(uint8_t) class}};
    struct fil_index_attribute high = {.size = 1, .data = {(uint8_t)(class + 1)}};
    if ((wish->low != NULL && !see_as(maker, wish->low, class, &low)) ||
        (wish->high != NULL && !see_as(maker, wish->high, class, &high))) {
        return;
    }
    struct fil_store_range *range = add_range(maker);
    if (range != NULL) {
        range->low = keep(maker, fil_index_attribute_bytes(&low));
        range->high = keep(maker, fil_index_attribute_bytes(&high));
        range->is_high_excluded = wish->high == NULL; // it is the next class
    }
}

/** Texts that begin so; the end is the first that does not. */
static void add_prefix(struct maker *maker, struct fil_bytes prefix)
{
    struct fil_index_attribute low;
    struct fil_wire_value text = fil_wire_value_text(FIL_WIRE_DATA_STRING, prefix);
    bool is_encoded = fil_query_attribute_encode(&text, &low);
    fil_assert(is_encoded);
    struct fil_index_attribute high = low;
    while (high.data[high.size - 1] == UINT8_MAX) {
        high.size--; // never the class, which is less
    }
    high.data[high.size - 1]++;
    struct fil_store_range *range = add_range(maker);
    if (range != NULL) {
        range->low = keep(maker, fil_index_attribute_bytes(&low));
        range->high = keep(maker, fil_index_attribute_bytes(&high));
        range->is_high_excluded = true;
    }
}

static int compare_parts(const void *left, const void *right)
{
    const struct fil_map_search_part *a = left;
    const struct fil_map_search_part *b = right;
    return fil_query_order_bytes(a->range.low, b->range.low);
}

/** Values that are wanted twice are looked for once. */
static void drop_doubles(struct maker *maker, uint32_t first)
{
    struct fil_map_search_part *parts = maker->parts + first;
    uint32_t count = maker->count - first;
    uint32_t kept = 0;
    qsort(parts, count, sizeof(parts[0]), compare_parts);
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = kept == 0 || compare_parts(&parts[kept - 1], &parts[i]) != 0;
        parts[kept] = is_new ? parts[i] : parts[kept];
        kept += is_new;
    }
    maker->count = first + kept;
}

static void add_equals(struct maker *maker, const struct fil_query_node *equal)
{
    uint32_t first = maker->count;
    for (uint32_t i = 0; i < equal->operand_count; i++) {
        add_equal(maker, &equal->operands[i]);
    }
    if (!maker->is_odd) {
        drop_doubles(maker, first);
    }
}

static void add_ranges(struct maker *maker, const struct wish *wish)
{
    if (wish->equal != NULL) {
        add_equals(maker, wish->equal);
        return;
    }
    if (wish->prefix.data != NULL && (wish->low == NULL || wish->high == NULL)) {
        add_prefix(maker, wish->prefix);
        return;
    }
    for (uint32_t i = 0; i < CLASSES; i++) {
        add_between(maker, wish, (enum fil_query_class_byte)(FIL_QUERY_CLASS_NUMBER + i));
    }
}

// Covering: parts in which everything is that a predicate means.

static bool cover(struct maker *maker, const struct fil_query_node *node);

/** All of an OR's parts must be covered. */
static bool cover_or(struct maker *maker, const struct fil_query_node *node)
{
    for (const struct fil_query_node *part = node->first; part != NULL; part = part->next) {
        if (!cover(maker, part)) {
            return false;
        }
    }
    maker->may_repeat = true;
    return node->first != NULL;
}

/** One of an AND's parts is enough: an OR, since no index is of use for the others. */
static bool cover_one_of(struct maker *maker, const struct fil_query_node *node)
{
    struct maker before = *maker;
    for (const struct fil_query_node *part = node->first; part != NULL; part = part->next) {
        if ((part->kind == FIL_QUERY_OR || part->kind == FIL_QUERY_AND) && cover(maker, part)) {
            return true;
        }
        *maker = before;
    }
    return false;
}

/** Bounded: it goes as deep as the predicate. */
static bool cover(struct maker *maker, const struct fil_query_node *node)
{
    struct wish wish = {0};
    uint32_t before = maker->count;
    if (node->kind == FIL_QUERY_OR) {
        return cover_or(maker, node);
    }
    maker->index = choose(node, maker->map, &wish);
    if (maker->index == NULL) {
        return node->kind == FIL_QUERY_AND && cover_one_of(maker, node);
    }
    add_ranges(maker, &wish);
    return !maker->is_odd && maker->count > before;
}

/** At most so many parts. */
static uint32_t count_parts(const struct fil_query_node *node)
{
    uint32_t count = node->operand_count == 0 ? 1 : node->operand_count;
    count = count < RANGES_MAX / CLASSES ? count * CLASSES : RANGES_MAX;
    for (const struct fil_query_node *part = node->first; part != NULL; part = part->next) {
        count += count_parts(part);
        count = count < RANGES_MAX ? count : RANGES_MAX;
    }
    return count;
}

static bool make_parts(struct maker *maker, const struct fil_query_node *root)
{
    // Most queries find no index: they need no room.
    if (fil_map_index_count(maker->map) == 0) {
        return false;
    }
    maker->capacity = count_parts(root);
    maker->parts = fil_arena_alloc_zero(maker->arena, maker->capacity, sizeof(maker->parts[0]));
    return maker->parts != NULL && cover(maker, root);
}

struct fil_map_search *fil_query_plan(struct fil_query_predicate *predicate,
                                      const struct fil_map *map)
{
    struct maker maker = {.arena = &predicate->arena, .map = map};
    if (predicate->root == NULL || !make_parts(&maker, predicate->root)) {
        return NULL;
    }
    struct fil_map_search *search = fil_arena_alloc_zero(maker.arena, 1, sizeof(*search));
    if (search != NULL) {
        fil_map_search_init(search, maker.parts, maker.count, maker.may_repeat);
    }
    return search;
}
