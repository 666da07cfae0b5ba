// SPDX-License-Identifier: Apache-2.0
/** The nodes of a ranking: shared by those who change it and those who read it. */
#pragma once

#include "core/items/ranking.h"
#include "core/store/record.h"
#include "lib/base/assert.h"

#define FIL_RANKING__LEAF_MAX  62U // entries; a leaf is about a KiB
#define FIL_RANKING__INNER_MAX 32U // children
#define FIL_RANKING__DEPTH_MAX 16U // a node is split when it is full, so this is never reached

struct fil_ranking__entry {
    double score;
    uint32_t reference;
};

struct fil_ranking_leaf {
    struct fil_ranking_leaf *next; // NULL: the last
    struct fil_ranking_leaf *previous;
    uint32_t count;
    uint32_t capacity; // of the only leaf it grows, others have FIL_RANKING__LEAF_MAX
    struct fil_ranking__entry entries[];
};

struct fil_ranking__inner {
    uint32_t count;
    struct fil_ranking__entry first[FIL_RANKING__INNER_MAX]; // the smallest entry of each child
    void *children[FIL_RANKING__INNER_MAX];                  // leaves on the lowest level
    uint64_t sizes[FIL_RANKING__INNER_MAX];                  // members below each
};

/** The way from the root to a place in a leaf. */
struct fil_ranking__path {
    struct fil_ranking__inner *nodes[FIL_RANKING__DEPTH_MAX];
    uint32_t slots[FIL_RANKING__DEPTH_MAX];
    struct fil_ranking_leaf *leaf;
    uint32_t slot;
};

static inline struct fil_bytes fil_ranking__member(const struct fil_ranking *ranking,
                                                   const struct fil_ranking__entry *entry)
{
    return fil_record_key(fil_slab_at(&ranking->members->slab, entry->reference));
}

/** Less than, equal to or greater than 0, as the entry stands before, on or behind the mark. */
static inline int fil_ranking__order(const struct fil_ranking *ranking,
                                     const struct fil_ranking__entry *entry,
                                     const struct fil_ranking_mark *mark)
{
    if (entry->score != mark->score) {
        return entry->score < mark->score ? -1 : 1;
    }
    return fil_ranking_compare(fil_ranking__member(ranking, entry), mark->member);
}

/** Frees a node of that size. */
void fil_ranking__give(struct fil_ranking *ranking, void *node, size_t bytes);
void fil_ranking__free_leaf(struct fil_ranking *ranking, struct fil_ranking_leaf *leaf);

/** Where the mark stands or belongs; the ranking is not empty. */
void fil_ranking__find(const struct fil_ranking *ranking, const struct fil_ranking_mark *mark,
                       struct fil_ranking__path *path);

/** The leaf begins with another entry: so do those above it whose first child it is. */
void fil_ranking__renew_first(const struct fil_ranking *ranking,
                              const struct fil_ranking__path *path);

/** So many members more, or with a negative number fewer, are below each node of the way. */
void fil_ranking__count(struct fil_ranking *ranking, const struct fil_ranking__path *path,
                        int64_t more);

/** The children from a slot on go to the end of another node. */
void fil_ranking__move_children(struct fil_ranking__inner *from, uint32_t slot,
                                struct fil_ranking__inner *to);
