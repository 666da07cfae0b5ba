// SPDX-License-Identifier: Apache-2.0
/** Looking at a ranking: places, neighbours, and whether all of it is as it should be. */
#include "core/items/ranking_internal.h"

/** How many of the entries are below. */
static uint32_t count_below(const struct fil_ranking *ranking,
                            const struct fil_ranking__entry *entries, uint32_t count,
                            fil_ranking_below_fn is_below, const void *context)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct fil_ranking__entry *entry = &entries[middle];
        if (is_below(context, entry->score, fil_ranking__member(ranking, entry))) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint64_t fil_ranking_below(const struct fil_ranking *ranking, fil_ranking_below_fn is_below,
                           const void *context)
{
    const void *node = ranking->root;
    uint64_t place = 0;
    for (uint32_t level = 0; level < ranking->depth; level++) {
        const struct fil_ranking__inner *inner = node;
        uint32_t begun = count_below(ranking, inner->first, inner->count, is_below, context);
        if (begun == 0) {
            return place;
        }
        for (uint32_t i = 0; i + 1 < begun; i++) {
            place += inner->sizes[i];
        }
        node = inner->children[begun - 1];
    }
    const struct fil_ranking_leaf *leaf = node;
    return leaf == NULL
               ? 0
               : place + count_below(ranking, leaf->entries, leaf->count, is_below, context);
}

static inline void ask_for(const void *memory, size_t size)
{
    for (size_t at = 0; at < size; at += FIL_CACHE_LINE) {
        FIL_PREFETCH((const uint8_t *)memory + at);
    }
}

FIL_PREFETCHES void fil_ranking_prefetch(const struct fil_ranking *ranking)
{
    // Of an inner node what is compared; the rest is one or two lines.
    if (ranking->root != NULL) {
        ask_for(ranking->root, ranking->depth == 0
                                   ? sizeof(struct fil_ranking_leaf)
                                   : sizeof(((struct fil_ranking__inner *)0)->first));
    }
}

FIL_PREFETCHES void fil_ranking_prefetch_leaf(const struct fil_ranking *ranking, double score)
{
    const void *node = ranking->root;
    for (uint32_t level = 0; level < ranking->depth; level++) {
        const struct fil_ranking__inner *inner = node;
        uint32_t low = 0;
        for (uint32_t high = inner->count; low + 1 < high;) {
            uint32_t middle = (low + high) / 2;
            bool is_before = inner->first[middle].score <= score;
            low = is_before ? middle : low;
            high = is_before ? high : middle;
        }
        node = inner->children[low];
    }
    if (node != NULL) {
        const struct fil_ranking_leaf *leaf = node;
        uint32_t capacity = ranking->depth == 0 ? leaf->capacity : FIL_RANKING__LEAF_MAX;
        ask_for(leaf, sizeof(*leaf) + capacity * sizeof(leaf->entries[0]));
    }
}

struct fil_ranking_cursor fil_ranking_at(const struct fil_ranking *ranking, uint64_t place)
{
    const void *node = ranking->root;
    if (place >= ranking->count) {
        return (struct fil_ranking_cursor){.leaf = NULL};
    }
    for (uint32_t level = 0; level < ranking->depth; level++) {
        const struct fil_ranking__inner *inner = node;
        uint32_t slot = 0;
        while (place >= inner->sizes[slot]) {
            place -= inner->sizes[slot];
            slot++;
            fil_assert(slot < inner->count);
        }
        node = inner->children[slot];
    }
    const struct fil_ranking_leaf *leaf = node;
    fil_assert(place < leaf->count);
    return (struct fil_ranking_cursor){.leaf = leaf, .slot = (uint32_t)place};
}

void fil_ranking_next(struct fil_ranking_cursor *cursor)
{
    fil_assert(cursor->leaf != NULL);
    cursor->slot++;
    if (cursor->slot == cursor->leaf->count) {
        *cursor = (struct fil_ranking_cursor){.leaf = cursor->leaf->next};
    }
}

void fil_ranking_previous(struct fil_ranking_cursor *cursor)
{
    fil_assert(cursor->leaf != NULL);
    if (cursor->slot > 0) {
        cursor->slot--;
        return;
    }
    const struct fil_ranking_leaf *previous = cursor->leaf->previous;
    *cursor = (struct fil_ranking_cursor){.leaf = previous,
                                          .slot = previous == NULL ? 0 : previous->count - 1};
}

struct fil_ranking_mark fil_ranking_read(const struct fil_ranking *ranking,
                                         const struct fil_ranking_cursor *cursor)
{
    fil_assert(cursor->leaf != NULL && cursor->slot < cursor->leaf->count);
    const struct fil_ranking__entry *entry = &cursor->leaf->entries[cursor->slot];
    return (struct fil_ranking_mark){.score = entry->score,
                                     .member = fil_ranking__member(ranking, entry)};
}

static bool is_same(const struct fil_ranking__entry *a, const struct fil_ranking__entry *b)
{
    return a->score == b->score && a->reference == b->reference;
}

/** What a check has seen so far. */
struct census {
    const struct fil_ranking_leaf *last;
    uint64_t count;
    uint64_t bytes;
};

static void check_leaf(const struct fil_ranking *ranking, const struct fil_ranking_leaf *leaf,
                       struct census *census)
{
    fil_assert(leaf->count > 0 && leaf->count <= leaf->capacity);
    fil_assert(leaf->previous == census->last);
    fil_assert(census->last == NULL || census->last->next == leaf);
    for (uint32_t i = 0; i < leaf->count; i++) {
        struct fil_ranking_cursor cursor = {.leaf = leaf, .slot = i};
        struct fil_ranking_mark mark = fil_ranking_read(ranking, &cursor);
        fil_ranking_previous(&cursor);
        if (cursor.leaf != NULL) {
            const struct fil_ranking__entry *before = &cursor.leaf->entries[cursor.slot];
            fil_assert(fil_ranking__order(ranking, before, &mark) < 0);
        }
    }
    census->last = leaf;
    census->count += leaf->count;
    census->bytes += sizeof(*leaf) + leaf->capacity * sizeof(leaf->entries[0]);
}

/** Checks an inner node against its children; no deeper. */
static void check_inner(const struct fil_ranking__inner *inner, bool is_lowest,
                        struct census *census)
{
    fil_assert(inner->count > 0 && inner->count <= FIL_RANKING__INNER_MAX);
    for (uint32_t i = 0; i < inner->count; i++) {
        const struct fil_ranking_leaf *leaf = is_lowest ? inner->children[i] : NULL;
        const struct fil_ranking__inner *below = is_lowest ? NULL : inner->children[i];
        uint64_t size = is_lowest ? leaf->count : 0;
        for (uint32_t j = 0; !is_lowest && j < below->count; j++) {
            size += below->sizes[j];
        }
        fil_assert(inner->sizes[i] == size);
        fil_assert(is_same(&inner->first[i], is_lowest ? &leaf->entries[0] : &below->first[0]));
    }
    census->bytes += sizeof(*inner);
}

/** Visits the tree in order, without recursion. */
void fil_ranking_check(const struct fil_ranking *ranking)
{
    const void *nodes[FIL_RANKING__DEPTH_MAX + 1] = {ranking->root};
    uint32_t slots[FIL_RANKING__DEPTH_MAX + 1] = {0};
    struct census census = {.count = 0};
    uint32_t level = 0;
    while (ranking->root != NULL) {
        if (level == ranking->depth) {
            check_leaf(ranking, nodes[level], &census);
        } else {
            const struct fil_ranking__inner *inner = nodes[level];
            if (slots[level] == 0) {
                check_inner(inner, level + 1 == ranking->depth, &census);
            }
            if (slots[level] < inner->count) {
                nodes[level + 1] = inner->children[slots[level]];
                slots[level]++;
                level++;
                slots[level] = 0;
                continue;
            }
        }
        if (level == 0) {
            break;
        }
        level--;
    }
    fil_assert(census.last == NULL || census.last->next == NULL);
    fil_assert(census.count == ranking->count && census.bytes == ranking->bytes);
}
