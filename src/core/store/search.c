// SPDX-License-Identifier: Apache-2.0
/** Searching in the indexes of a store. */
#include "core/store/index_internal.h"
#include "core/store/store_internal.h"
#include "lib/base/assert.h"

/** One end of a range; or no end. */
struct bound {
    const struct fil_index *index;
    struct fil_bytes attribute; // cut as those of the entries are
    uint64_t prefix;
    bool is_there;
    bool is_excluded;
};

static struct bound bound_of(const struct fil_index *index, struct fil_bytes attribute,
                             bool is_there, bool is_excluded)
{
    bool is_cut = attribute.size > FIL_INDEX_ATTRIBUTE_MAX;
    attribute.size = is_cut ? FIL_INDEX_ATTRIBUTE_MAX : attribute.size;
    return (struct bound){.index = index,
                          .attribute = attribute,
                          .prefix = is_there ? fil_index__prefix(index, attribute) : 0,
                          .is_there = is_there,
                          .is_excluded = is_excluded && !is_cut}; // those that begin so may be in
}

/** How an entry's attribute stands to the one looked for. */
static int compare_to(const struct bound *bound, const struct fil_tree_entry *entry)
{
    int order = fil_index__compare_u64(entry->prefix, bound->prefix);
    if (order != 0 || bound->index->definition->kind == FIL_INDEX_HASH) {
        return order;
    }
    if (entry->size <= FIL_INDEX__PREFIX && bound->attribute.size <= FIL_INDEX__PREFIX) {
        return fil_index__compare_u64(entry->size, bound->attribute.size);
    }
    struct fil_index_attribute attribute;
    bool is_there = fil_index__extract(bound->index, entry->reference, &attribute);
    fil_assert(is_there);
    return fil_index__compare(fil_index_attribute_bytes(&attribute), bound->attribute);
}

static bool is_below(const void *context, const struct fil_tree_entry *entry)
{
    const struct bound *low = context;
    if (!low->is_there) {
        return false;
    }
    int order = compare_to(low, entry);
    return low->is_excluded ? order <= 0 : order < 0;
}

static bool is_above(const struct bound *high, const struct fil_tree_entry *entry)
{
    if (!high->is_there) {
        return false;
    }
    int order = compare_to(high, entry);
    return high->is_excluded ? order >= 0 : order > 0;
}

/** The entries of a range, one after the other. */
struct search {
    const struct fil_index *index;
    struct bound high;
    struct fil_tree_place place;
};

static void open_search(struct search *search, const struct fil_store *store,
                        const struct fil_index_definition *definition,
                        const struct fil_store_range *range)
{
    const struct fil_index *index = fil_index__find(store, definition);
    fil_assert(index != NULL);
    struct bound low = bound_of(index, range->low, range->has_low, range->is_low_excluded);
    search->index = index;
    search->high = bound_of(index, range->high, range->has_high, range->is_high_excluded);
    search->place = fil_tree_seek(&index->tree, is_below, &low);
}

/** The next entry; NULL at the end of the range. */
static const struct fil_tree_entry *next_entry(struct search *search)
{
    const struct fil_tree_entry *entry = fil_tree_at(&search->place);
    if (entry == NULL || is_above(&search->high, entry)) {
        return NULL;
    }
    fil_tree_advance(&search->place);
    return entry;
}

static bool show(const struct fil_store *store, uint32_t reference, uint64_t now_ms,
                 fil_store_match_fn match, void *context)
{
    if (fil_store__is_expired(fil_store__record(store, reference), now_ms)) {
        return true;
    }
    struct fil_store_view view = fil_store__view(store, reference, now_ms);
    return match(context, &view);
}

/** Two attributes may share a hash. */
static bool has_attribute(const struct fil_index *index, uint32_t reference,
                          struct fil_bytes attribute)
{
    struct fil_index_attribute found;
    return fil_index__extract(index, reference, &found) &&
           fil_bytes_equal(fil_index_attribute_bytes(&found), attribute);
}

static struct fil_store_range point_at(struct fil_bytes attribute)
{
    return (struct fil_store_range){
        .low = attribute, .high = attribute, .has_low = true, .has_high = true};
}

void fil_store_find_by(const struct fil_store *store, const struct fil_index_definition *definition,
                       struct fil_bytes attribute, uint64_t now_ms, fil_store_match_fn match,
                       void *context)
{
    struct search search;
    struct fil_store_range range = point_at(attribute);
    open_search(&search, store, definition, &range);
    for (const struct fil_tree_entry *entry = next_entry(&search); entry != NULL;
         entry = next_entry(&search)) {
        if (has_attribute(search.index, entry->reference, search.high.attribute) &&
            !show(store, entry->reference, now_ms, match, context)) {
            return;
        }
    }
}

void fil_store_find_range(const struct fil_store *store,
                          const struct fil_index_definition *definition,
                          const struct fil_store_range *range, uint64_t now_ms,
                          fil_store_match_fn match, void *context)
{
    struct search search;
    fil_assert(definition->kind == FIL_INDEX_SORTED);
    open_search(&search, store, definition, range);
    for (const struct fil_tree_entry *entry = next_entry(&search); entry != NULL;
         entry = next_entry(&search)) {
        if (!show(store, entry->reference, now_ms, match, context)) {
            return;
        }
    }
}

bool fil_store_collect(const struct fil_store *store, const struct fil_index_definition *definition,
                       const struct fil_store_range *range, struct fil_store_hashes *hashes)
{
    struct search search;
    fil_assert(definition->kind == FIL_INDEX_SORTED || fil_bytes_equal(range->low, range->high));
    open_search(&search, store, definition, range);
    for (const struct fil_tree_entry *entry = next_entry(&search); entry != NULL;
         entry = next_entry(&search)) {
        if (hashes->count == hashes->capacity) {
            return false;
        }
        hashes->items[hashes->count] = entry->hash;
        hashes->count++;
    }
    return true;
}

void fil_store_visit_hash(const struct fil_store *store, uint64_t hash, uint64_t now_ms,
                          fil_store_visit_fn visit, void *context)
{
    if (store->table.bucket_count == 0) {
        return;
    }
    struct fil_table_probe probe = fil_table_find(&store->table, hash);
    for (;;) {
        uint32_t reference = fil_table_next(&probe, &store->slab);
        if (reference == FIL_SLAB_NONE) {
            return;
        }
        // The tags of other hashes may be the same.
        if (fil_store__hash(store, reference) == hash &&
            !fil_store__is_expired(fil_store__record(store, reference), now_ms)) {
            struct fil_store_view view = fil_store__view(store, reference, now_ms);
            visit(context, &view);
        }
    }
}
