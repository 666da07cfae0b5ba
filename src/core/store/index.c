// SPDX-License-Identifier: Apache-2.0
/**
 * Secondary indexes: trees over the attributes of a store's records.
 *
 * A sorted index orders by the attribute; the first eight bytes lie in the tree, the rest is read
 * from the record where they do not decide. A hash index orders by the attribute's hash alone, so
 * it never reads a record to find its place. Equal attributes are ordered by the hashes of the
 * keys, then by the keys, so every entry has one place and is found again among any number of
 * equals.
 *
 * An entry need not be in an index: while it is being filled, and when its attribute could not be
 * told at first. So whoever takes an entry out or moves it does not insist.
 */
#include "core/store/index.h"

#include "core/store/index_internal.h"
#include "core/store/store_internal.h"
#include "core/store/tree.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

/** A record with its attribute at hand, so that comparisons need not take it out each time. */
struct subject {
    const struct fil_index *index;
    uint32_t reference;
    bool is_there; // it has the attribute
    struct fil_index_attribute attribute;
};

void fil_index_attribute_set(struct fil_index_attribute *attribute, struct fil_bytes bytes)
{
    size_t size = bytes.size < FIL_INDEX_ATTRIBUTE_MAX ? bytes.size : FIL_INDEX_ATTRIBUTE_MAX;
    if (size > 0) {
        memcpy(attribute->data, bytes.data, size);
    }
    attribute->size = (uint32_t)size;
}

bool fil_index__extract(const struct fil_index *index, uint32_t reference,
                        struct fil_index_attribute *out_attribute)
{
    const struct fil_index_definition *definition = index->definition;
    const uint8_t *record = fil_store__record(index->store, reference);
    bool is_there = definition->extract(definition->context, fil_record_key(record),
                                        fil_record_value(record), out_attribute);
    fil_assert(!is_there || out_attribute->size <= FIL_INDEX_ATTRIBUTE_MAX);
    return is_there;
}

static void load(struct subject *subject, const struct fil_index *index, uint32_t reference)
{
    subject->index = index;
    subject->reference = reference;
    subject->attribute.size = 0;
    subject->is_there = fil_index__extract(index, reference, &subject->attribute);
}

uint64_t fil_index__prefix(const struct fil_index *index, struct fil_bytes attribute)
{
    if (index->definition->kind == FIL_INDEX_HASH) {
        return fil_hash(attribute, index->store->options->hash_seed);
    }
    uint64_t prefix = 0;
    for (uint32_t i = 0; i < FIL_INDEX__PREFIX; i++) {
        prefix = prefix << 8 | (i < attribute.size ? attribute.data[i] : 0);
    }
    return prefix;
}

int fil_index__compare(struct fil_bytes left, struct fil_bytes right)
{
    size_t common = left.size < right.size ? left.size : right.size;
    int order = common == 0 ? 0 : memcmp(left.data, right.data, common);
    if (order != 0) {
        return order;
    }
    return (left.size > right.size) - (left.size < right.size);
}

/** The attribute of an entry that is in the tree. */
static struct fil_bytes attribute_at(const struct subject *subject, uint32_t reference,
                                     struct fil_index_attribute *room)
{
    if (reference == subject->reference) {
        return fil_index_attribute_bytes(&subject->attribute);
    }
    bool is_there = fil_index__extract(subject->index, reference, room);
    fil_assert(is_there);
    return fil_index_attribute_bytes(room);
}

static int compare_attributes(const struct subject *subject, const struct fil_tree_entry *left,
                              const struct fil_tree_entry *right)
{
    if (subject->index->definition->kind == FIL_INDEX_HASH) {
        return 0;
    }
    if (left->size <= FIL_INDEX__PREFIX && right->size <= FIL_INDEX__PREFIX) {
        return fil_index__compare_u64(left->size, right->size);
    }
    struct fil_index_attribute rooms[2];
    return fil_index__compare(attribute_at(subject, left->reference, &rooms[0]),
                              attribute_at(subject, right->reference, &rooms[1]));
}

static int compare_entries(const void *context, const struct fil_tree_entry *left,
                           const struct fil_tree_entry *right)
{
    const struct subject *subject = context;
    const struct fil_store *store = subject->index->store;
    int order = fil_index__compare_u64(left->prefix, right->prefix);
    if (order != 0 || left->reference == right->reference) {
        return order;
    }
    order = compare_attributes(subject, left, right);
    order = order != 0 ? order : fil_index__compare_u64(left->hash, right->hash);
    if (order != 0) {
        return order;
    }
    return fil_index__compare(fil_record_key(fil_store__record(store, left->reference)),
                              fil_record_key(fil_store__record(store, right->reference)));
}

static struct fil_tree_order order_of(const struct subject *subject)
{
    return (struct fil_tree_order){.compare = compare_entries, .context = subject};
}

/** The subject's entry in the index; it has the attribute. */
static struct fil_tree_entry entry_of(const struct subject *subject, uint64_t hash)
{
    fil_assert(subject->is_there);
    struct fil_bytes attribute = fil_index_attribute_bytes(&subject->attribute);
    return (struct fil_tree_entry){.prefix = fil_index__prefix(subject->index, attribute),
                                   .hash = hash,
                                   .reference = subject->reference,
                                   .size = subject->attribute.size};
}

// Opening and ending.

struct fil_index *fil_index__find(const struct fil_store *store,
                                  const struct fil_index_definition *definition)
{
    for (uint32_t i = 0; i < store->index_count; i++) {
        if (store->indexes[i].definition == definition) {
            return &store->indexes[i];
        }
    }
    return NULL;
}

static struct fil_index *alloc_indexes(struct fil_store *store, uint32_t count)
{
    uint64_t bytes = count * sizeof(struct fil_index);
    if (!fil_account_take(&store->account, bytes)) {
        return NULL;
    }
    struct fil_index *indexes = fil_alloc_zero(count, sizeof(struct fil_index));
    if (indexes == NULL) {
        fil_account_give(&store->account, bytes);
    }
    return indexes;
}

static void free_indexes(struct fil_store *store)
{
    fil_free(store->indexes);
    fil_account_give(&store->account, store->index_count * sizeof(struct fil_index));
    store->indexes = NULL;
}

int fil_store_index_open(struct fil_store *store, const struct fil_index_definition *definition)
{
    fil_assert(definition->extract != NULL);
    if (fil_index__find(store, definition) != NULL) {
        return FIL_OK;
    }
    if (store->index_count == FIL_INDEXES_MAX) {
        return FIL_E_LIMIT;
    }
    struct fil_index *indexes = alloc_indexes(store, store->index_count + 1);
    if (indexes == NULL) {
        return FIL_E_NOMEM;
    }
    if (store->indexes != NULL) {
        memcpy(indexes, store->indexes, store->index_count * sizeof(*indexes));
        free_indexes(store);
    }
    struct fil_index *index = &indexes[store->index_count];
    index->store = store;
    index->definition = definition;
    fil_tree_init(&index->tree);
    store->indexes = indexes;
    store->index_count++;
    return FIL_OK;
}

void fil_index__fini(struct fil_store *store)
{
    for (uint32_t i = 0; i < store->index_count; i++) {
        fil_tree_fini(&store->indexes[i].tree, &store->account);
    }
    if (store->indexes != NULL) {
        free_indexes(store);
    }
    store->index_count = 0;
}

// Following changes.

static int add_subject(struct fil_store *store, struct fil_index *index,
                       const struct subject *subject, uint64_t hash)
{
    if (!subject->is_there) {
        return FIL_OK;
    }
    struct fil_tree_order order = order_of(subject);
    struct fil_tree_entry entry = entry_of(subject, hash);
    return fil_tree_add(&index->tree, &store->account, &order, &entry);
}

static void remove_subject(struct fil_store *store, struct fil_index *index,
                           const struct subject *subject, uint64_t hash)
{
    if (subject->is_there) {
        struct fil_tree_order order = order_of(subject);
        struct fil_tree_entry entry = entry_of(subject, hash);
        (void)fil_tree_remove(&index->tree, &store->account, &order, &entry);
    }
}

static int add_to(struct fil_store *store, struct fil_index *index, uint64_t hash,
                  uint32_t reference)
{
    struct subject subject;
    load(&subject, index, reference);
    return add_subject(store, index, &subject, hash);
}

static void remove_from(struct fil_store *store, struct fil_index *index, uint64_t hash,
                        uint32_t reference)
{
    struct subject subject;
    load(&subject, index, reference);
    remove_subject(store, index, &subject, hash);
}

int fil_index__add(struct fil_store *store, uint64_t hash, uint32_t reference)
{
    int error = FIL_OK;
    for (uint32_t i = 0; error == FIL_OK && i < store->index_count; i++) {
        error = add_to(store, &store->indexes[i], hash, reference);
        for (uint32_t undone = i; error != FIL_OK && undone > 0; undone--) {
            remove_from(store, &store->indexes[undone - 1], hash, reference);
        }
    }
    return error;
}

void fil_index__remove(struct fil_store *store, uint64_t hash, uint32_t reference)
{
    for (uint32_t i = 0; i < store->index_count; i++) {
        remove_from(store, &store->indexes[i], hash, reference);
    }
}

/** Whether both have the attribute, and it is the same. */
static bool is_same(const struct subject *left, const struct subject *right)
{
    return left->is_there && right->is_there &&
           fil_bytes_equal(fil_index_attribute_bytes(&left->attribute),
                           fil_index_attribute_bytes(&right->attribute));
}

/** The entry of one record becomes that of another; false when it is not there. */
static bool redirect(struct fil_index *index, const struct subject *from, uint64_t hash,
                     uint32_t to)
{
    struct fil_tree_order order = order_of(from);
    struct fil_tree_entry entry = entry_of(from, hash);
    return fil_tree_redirect(&index->tree, &order, &entry, to);
}

/**
 * The first half of a replacement: the new record is in the index. The old one still is, unless
 * they share an attribute and so a place.
 */
static int enter_new(struct fil_store *store, struct fil_index *index, uint64_t hash,
                     const uint32_t records[2])
{
    struct subject from;
    struct subject to;
    load(&from, index, records[0]);
    load(&to, index, records[1]);
    if (is_same(&from, &to) && redirect(index, &from, hash, to.reference)) {
        return FIL_OK;
    }
    return add_subject(store, index, &to, hash);
}

/** Takes the first half back. */
static void leave_new(struct fil_store *store, struct fil_index *index, uint64_t hash,
                      const uint32_t records[2])
{
    struct subject from;
    struct subject to;
    load(&from, index, records[0]);
    load(&to, index, records[1]);
    if (is_same(&from, &to)) {
        (void)redirect(index, &to, hash, from.reference);
    } else {
        remove_subject(store, index, &to, hash);
    }
}

int fil_index__replace(struct fil_store *store, uint64_t hash, uint32_t from, uint32_t to)
{
    const uint32_t records[2] = {from, to};
    for (uint32_t i = 0; i < store->index_count; i++) {
        int error = enter_new(store, &store->indexes[i], hash, records);
        for (uint32_t undone = i; error != FIL_OK && undone > 0; undone--) {
            leave_new(store, &store->indexes[undone - 1], hash, records);
        }
        if (error != FIL_OK) {
            return error;
        }
    }
    // What shared its place with the new record is not there any more.
    fil_index__remove(store, hash, from);
    return FIL_OK;
}

void fil_index__moved(struct fil_store *store, uint64_t hash, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < store->index_count; i++) {
        struct subject subject;
        load(&subject, &store->indexes[i], from);
        if (subject.is_there) {
            (void)redirect(&store->indexes[i], &subject, hash, to);
        }
    }
}

// Filling.

struct filling {
    struct fil_store *store;
    struct fil_index *index;
    int error;
};

static void fill_one(void *context, const struct fil_store_view *view)
{
    struct filling *filling = context;
    struct fil_store *store = filling->store;
    struct subject subject;
    uint64_t hash = fil_store__hash_key(store, view->key);
    load(&subject, filling->index, fil_store__find(store, hash, view->key));
    if (filling->error != FIL_OK || !subject.is_there) {
        return;
    }
    struct fil_tree_order order = order_of(&subject);
    struct fil_tree_entry entry = entry_of(&subject, hash);
    if (!fil_tree_has(&filling->index->tree, &order, &entry)) {
        filling->error = fil_tree_add(&filling->index->tree, &store->account, &order, &entry);
    }
}

int fil_store_index_fill(struct fil_store *store, const struct fil_index_definition *definition,
                         uint64_t *cursor, uint32_t budget)
{
    struct filling filling = {.store = store, .index = fil_index__find(store, definition)};
    fil_assert(filling.index != NULL);
    // Entries whose time has come are still in all indexes, so none is passed over.
    uint64_t next = fil_store_scan(store, *cursor, 0, budget, fill_one, &filling);
    *cursor = filling.error == FIL_OK ? next : *cursor;
    return filling.error;
}

void fil_index__check(const struct fil_store *store)
{
    for (uint32_t i = 0; i < store->index_count; i++) {
        struct subject nobody = {.index = &store->indexes[i], .reference = FIL_SLAB_NONE};
        struct fil_tree_order order = order_of(&nobody);
        fil_tree_check(&store->indexes[i].tree, &order);
    }
}
