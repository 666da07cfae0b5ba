// SPDX-License-Identifier: Apache-2.0
/**
 * Secondary indexes: trees over the attributes of a store's records.
 *
 * A sorted index orders by the attribute; the first eight bytes lie in the tree, the rest is read
 * from the record where they do not decide. A hash index orders by the attribute's hash alone, so
 * it never reads a record to find its place. Equal attributes are ordered by the hashes of the
 * keys, then by the keys, so every entry has one place and is found again among any number of
 * equals.
 */
#include "core/store/index.h"

#include "core/store/store_internal.h"
#include "core/store/tree.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define PREFIX_BYTES 8U
#define ORDERED_MAX  256U // bytes of an attribute that take part in the order

struct fil_index {
    const struct fil_store *store;
    const struct fil_index_definition *definition;
    struct fil_tree tree;
};

static bool extract(const struct fil_index *index, uint32_t reference, struct fil_bytes *out)
{
    const struct fil_index_definition *definition = index->definition;
    const uint8_t *record = fil_store__record(index->store, reference);
    return definition->extract(definition->context, fil_record_key(record),
                               fil_record_value(record), out);
}

static struct fil_bytes ordered_part(struct fil_bytes attribute)
{
    attribute.size = attribute.size < ORDERED_MAX ? attribute.size : ORDERED_MAX;
    return attribute;
}

/** The first bytes as a number whose order is theirs. */
static uint64_t prefix_of(const struct fil_index *index, struct fil_bytes attribute)
{
    if (index->definition->kind == FIL_INDEX_HASH) {
        return fil_hash(attribute, index->store->options->hash_seed);
    }
    uint64_t prefix = 0;
    for (uint32_t i = 0; i < PREFIX_BYTES; i++) {
        prefix = prefix << 8 | (i < attribute.size ? attribute.data[i] : 0);
    }
    return prefix;
}

static int compare_bytes(struct fil_bytes left, struct fil_bytes right)
{
    size_t common = left.size < right.size ? left.size : right.size;
    int order = common == 0 ? 0 : memcmp(left.data, right.data, common);
    if (order != 0) {
        return order;
    }
    return (left.size > right.size) - (left.size < right.size);
}

static int compare_u64(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

/** A copy, because what an extractor gives lasts until its next call only. */
struct attribute_copy {
    uint8_t data[ORDERED_MAX];
    size_t size;
};

static struct fil_bytes copy_attribute(const struct fil_index *index, uint32_t reference,
                                       struct attribute_copy *copy)
{
    struct fil_bytes attribute = {0};
    bool is_there = extract(index, reference, &attribute);
    fil_assert(is_there);
    attribute = ordered_part(attribute);
    if (attribute.size > 0) {
        memcpy(copy->data, attribute.data, attribute.size);
    }
    return fil_bytes_make(copy->data, attribute.size);
}

static int compare_attributes(const struct fil_index *index, const struct fil_tree_entry *left,
                              const struct fil_tree_entry *right)
{
    if (index->definition->kind == FIL_INDEX_HASH) {
        return 0;
    }
    if (left->size <= PREFIX_BYTES && right->size <= PREFIX_BYTES) {
        return compare_u64(left->size, right->size);
    }
    struct attribute_copy copy;
    struct fil_bytes first = copy_attribute(index, left->reference, &copy);
    struct fil_bytes second = {0};
    bool is_there = extract(index, right->reference, &second);
    fil_assert(is_there);
    return compare_bytes(first, ordered_part(second));
}

static int compare_entries(const void *context, const struct fil_tree_entry *left,
                           const struct fil_tree_entry *right)
{
    const struct fil_index *index = context;
    int order = compare_u64(left->prefix, right->prefix);
    if (order != 0 || left->reference == right->reference) {
        return order;
    }
    order = compare_attributes(index, left, right);
    order = order != 0 ? order : compare_u64(left->hash, right->hash);
    if (order != 0) {
        return order;
    }
    return compare_bytes(fil_record_key(fil_store__record(index->store, left->reference)),
                         fil_record_key(fil_store__record(index->store, right->reference)));
}

static struct fil_tree_order order_of(const struct fil_index *index)
{
    return (struct fil_tree_order){.compare = compare_entries, .context = index};
}

/** The record's entry in the index; false when it has no such attribute. */
static bool entry_of(const struct fil_index *index, uint64_t hash, uint32_t reference,
                     struct fil_tree_entry *out_entry)
{
    struct fil_bytes attribute = {0};
    if (!extract(index, reference, &attribute)) {
        return false;
    }
    size_t size = ordered_part(attribute).size;
    *out_entry = (struct fil_tree_entry){.prefix = prefix_of(index, attribute),
                                         .hash = hash,
                                         .reference = reference,
                                         .size = (uint32_t)size};
    return true;
}

static uint64_t indexes_bytes(const struct fil_store *store)
{
    return store->options->index_count * sizeof(struct fil_index);
}

/** Makes the indexes with the first entry; FIL_E_NOMEM. */
static int prepare(struct fil_store *store)
{
    if (store->indexes != NULL) {
        return FIL_OK;
    }
    if (!fil_account_take(&store->account, indexes_bytes(store))) {
        return FIL_E_NOMEM;
    }
    store->indexes = fil_alloc_zero(store->options->index_count, sizeof(struct fil_index));
    if (store->indexes == NULL) {
        fil_account_give(&store->account, indexes_bytes(store));
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < store->options->index_count; i++) {
        store->indexes[i].store = store;
        store->indexes[i].definition = &store->options->indexes[i];
        fil_tree_init(&store->indexes[i].tree);
    }
    return FIL_OK;
}

void fil_index__fini(struct fil_store *store)
{
    if (store->indexes == NULL) {
        return;
    }
    for (uint32_t i = 0; i < store->options->index_count; i++) {
        fil_tree_fini(&store->indexes[i].tree, &store->account);
    }
    fil_free(store->indexes);
    fil_account_give(&store->account, indexes_bytes(store));
    store->indexes = NULL;
}

static int add_to(struct fil_store *store, uint32_t number, uint64_t hash, uint32_t reference)
{
    struct fil_index *index = &store->indexes[number];
    struct fil_tree_order order = order_of(index);
    struct fil_tree_entry entry;
    if (!entry_of(index, hash, reference, &entry)) {
        return FIL_OK;
    }
    return fil_tree_add(&index->tree, &store->account, &order, &entry);
}

static void remove_from(struct fil_store *store, uint32_t number, uint64_t hash, uint32_t reference)
{
    struct fil_index *index = &store->indexes[number];
    struct fil_tree_order order = order_of(index);
    struct fil_tree_entry entry;
    if (entry_of(index, hash, reference, &entry)) {
        fil_tree_remove(&index->tree, &store->account, &order, &entry);
    }
}

int fil_index__add(struct fil_store *store, uint64_t hash, uint32_t reference)
{
    if (FIL_LIKELY(store->options->index_count == 0)) {
        return FIL_OK;
    }
    int error = prepare(store);
    for (uint32_t i = 0; error == FIL_OK && i < store->options->index_count; i++) {
        error = add_to(store, i, hash, reference);
        for (uint32_t undone = i; error != FIL_OK && undone > 0; undone--) {
            remove_from(store, undone - 1, hash, reference);
        }
    }
    return error;
}

void fil_index__remove(struct fil_store *store, uint64_t hash, uint32_t reference)
{
    for (uint32_t i = 0; i < store->options->index_count; i++) {
        remove_from(store, i, hash, reference);
    }
}

/** Whether both records have the same attribute, or none. */
static bool is_same(const struct fil_index *index, uint32_t left, uint32_t right)
{
    struct attribute_copy copy;
    struct fil_bytes attribute = {0};
    bool has_left = extract(index, left, &attribute);
    size_t left_size = attribute.size;
    attribute = ordered_part(attribute);
    if (has_left && attribute.size > 0) {
        memcpy(copy.data, attribute.data, attribute.size);
    }
    struct fil_bytes first = fil_bytes_make(copy.data, attribute.size);
    struct fil_bytes second = {0};
    bool has_right = extract(index, right, &second);
    if (!has_left || !has_right) {
        return has_left == has_right;
    }
    // The hash is of all bytes; beyond the ordered ones a change cannot be ruled out.
    bool is_compared = left_size <= ORDERED_MAX || index->definition->kind == FIL_INDEX_SORTED;
    return is_compared && (left_size == second.size || left_size > ORDERED_MAX) &&
           fil_bytes_equal(first, ordered_part(second));
}

int fil_index__replace(struct fil_store *store, uint64_t hash, uint32_t from, uint32_t to)
{
    uint32_t count = store->options->index_count;
    for (uint32_t i = 0; i < count; i++) {
        int error = is_same(&store->indexes[i], from, to) ? FIL_OK : add_to(store, i, hash, to);
        for (uint32_t undone = i; error != FIL_OK && undone > 0; undone--) {
            if (!is_same(&store->indexes[undone - 1], from, to)) {
                remove_from(store, undone - 1, hash, to);
            }
        }
        if (error != FIL_OK) {
            return error;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct fil_index *index = &store->indexes[i];
        struct fil_tree_order order = order_of(index);
        struct fil_tree_entry entry;
        if (!entry_of(index, hash, from, &entry)) {
            continue;
        }
        if (is_same(index, from, to)) {
            fil_tree_redirect(&index->tree, &order, &entry, to);
        } else {
            fil_tree_remove(&index->tree, &store->account, &order, &entry);
        }
    }
    return FIL_OK;
}

void fil_index__moved(struct fil_store *store, uint64_t hash, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < store->options->index_count; i++) {
        struct fil_index *index = &store->indexes[i];
        struct fil_tree_order order = order_of(index);
        struct fil_tree_entry entry;
        if (entry_of(index, hash, from, &entry)) {
            fil_tree_redirect(&index->tree, &order, &entry, to);
        }
    }
}

void fil_index__check(const struct fil_store *store)
{
    for (uint32_t i = 0; store->indexes != NULL && i < store->options->index_count; i++) {
        struct fil_tree_order order = order_of(&store->indexes[i]);
        fil_tree_check(&store->indexes[i].tree, &order);
    }
}

// Searching.

struct bound {
    const struct fil_index *index;
    struct fil_bytes attribute;
    uint64_t prefix;
};

/** How an entry's attribute stands to the one looked for. */
static int compare_to(const struct bound *bound, const struct fil_tree_entry *entry)
{
    int order = compare_u64(entry->prefix, bound->prefix);
    if (order != 0 || bound->index->definition->kind == FIL_INDEX_HASH) {
        return order;
    }
    struct fil_bytes attribute = {0};
    bool is_there = extract(bound->index, entry->reference, &attribute);
    fil_assert(is_there);
    return compare_bytes(ordered_part(attribute), ordered_part(bound->attribute));
}

static bool is_below(const void *context, const struct fil_tree_entry *entry)
{
    return compare_to(context, entry) < 0;
}

static struct bound bound_of(const struct fil_index *index, struct fil_bytes attribute)
{
    return (struct bound){
        .index = index, .attribute = attribute, .prefix = prefix_of(index, attribute)};
}

static bool show(const struct fil_store *store, uint32_t reference, uint64_t now_ms,
                 fil_store_match_fn match, void *context)
{
    if (fil_store__is_expired(fil_store__record(store, reference), now_ms)) {
        return true;
    }
    struct fil_store_view view = fil_store__view(store, reference);
    return match(context, &view);
}

void fil_store_find_by(const struct fil_store *store, uint32_t index_number,
                       struct fil_bytes attribute, uint64_t now_ms, fil_store_match_fn match,
                       void *context)
{
    fil_assert(index_number < store->options->index_count);
    if (store->indexes == NULL) {
        return;
    }
    const struct fil_index *index = &store->indexes[index_number];
    struct bound bound = bound_of(index, attribute);
    struct fil_tree_place place = fil_tree_seek(&index->tree, is_below, &bound);
    for (; place.leaf != NULL; fil_tree_advance(&place)) {
        const struct fil_tree_entry *entry = fil_tree_at(&place);
        if (compare_to(&bound, entry) != 0) {
            return;
        }
        // Two attributes may share a hash, or their ordered bytes.
        struct fil_bytes found = {0};
        bool is_match =
            extract(index, entry->reference, &found) && fil_bytes_equal(found, attribute);
        if (is_match && !show(store, entry->reference, now_ms, match, context)) {
            return;
        }
    }
}

static bool is_inside(const struct fil_store_range *range, struct fil_bytes attribute,
                      bool *out_is_past)
{
    int low = range->has_low ? compare_bytes(attribute, range->low) : 1;
    int high = range->has_high ? compare_bytes(attribute, range->high) : -1;
    *out_is_past =
        compare_bytes(ordered_part(attribute), ordered_part(range->high)) > 0 && range->has_high;
    return (range->is_low_excluded ? low > 0 : low >= 0) &&
           (range->is_high_excluded ? high < 0 : high <= 0);
}

void fil_store_find_range(const struct fil_store *store, uint32_t index_number,
                          const struct fil_store_range *range, uint64_t now_ms,
                          fil_store_match_fn match, void *context)
{
    fil_assert(index_number < store->options->index_count);
    fil_assert(store->options->indexes[index_number].kind == FIL_INDEX_SORTED);
    if (store->indexes == NULL) {
        return;
    }
    const struct fil_index *index = &store->indexes[index_number];
    struct bound bound = bound_of(index, range->has_low ? range->low : fil_bytes_make(NULL, 0));
    struct fil_tree_place place = fil_tree_seek(&index->tree, is_below, &bound);
    for (; place.leaf != NULL; fil_tree_advance(&place)) {
        const struct fil_tree_entry *entry = fil_tree_at(&place);
        struct fil_bytes attribute = {0};
        bool is_there = extract(index, entry->reference, &attribute);
        fil_assert(is_there);
        bool is_past = false;
        bool is_match = is_inside(range, attribute, &is_past);
        if (is_past || (is_match && !show(store, entry->reference, now_ms, match, context))) {
            return;
        }
    }
}
