// SPDX-License-Identifier: Apache-2.0
/** Taking members out of a ranking, and joining what has become sparse by it. */
#include <string.h>

#include "core/items/ranking_internal.h"

/** Takes the leaf out of the row of leaves and frees it. */
static void drop_leaf(struct fil_ranking *ranking, struct fil_ranking_leaf *leaf)
{
    if (leaf->previous != NULL) {
        leaf->previous->next = leaf->next;
    }
    if (leaf->next != NULL) {
        leaf->next->previous = leaf->previous;
    }
    fil_ranking__free_leaf(ranking, leaf);
}

static void remove_child(struct fil_ranking__inner *inner, uint32_t slot)
{
    uint32_t behind = inner->count - slot - 1;
    memmove(inner->first + slot, inner->first + slot + 1, behind * sizeof(inner->first[0]));
    memmove(inner->children + slot, inner->children + slot + 1,
            behind * sizeof(inner->children[0]));
    memmove(inner->sizes + slot, inner->sizes + slot + 1, behind * sizeof(inner->sizes[0]));
    inner->count--;
}

/** Whether a node and the one behind it, of so many entries in all, should be one. */
static bool is_sparse(uint32_t count, uint32_t most)
{
    return count <= most / 2;
}

static bool join_leaves(struct fil_ranking *ranking, struct fil_ranking__inner *parent,
                        uint32_t slot)
{
    struct fil_ranking_leaf *left = parent->children[slot];
    struct fil_ranking_leaf *right = parent->children[slot + 1];
    if (!is_sparse(left->count + right->count, FIL_RANKING__LEAF_MAX)) {
        return false;
    }
    memcpy(left->entries + left->count, right->entries, right->count * sizeof(left->entries[0]));
    left->count += right->count;
    drop_leaf(ranking, right);
    return true;
}

static bool join_inners(struct fil_ranking *ranking, struct fil_ranking__inner *parent,
                        uint32_t slot)
{
    struct fil_ranking__inner *left = parent->children[slot];
    struct fil_ranking__inner *right = parent->children[slot + 1];
    if (!is_sparse(left->count + right->count, FIL_RANKING__INNER_MAX)) {
        return false;
    }
    fil_ranking__move_children(right, 0, left);
    fil_ranking__give(ranking, right, sizeof(*right));
    return true;
}

/** Joins the way's node on a level with a neighbour where both are sparse; true: it did. */
static bool join_neighbours(struct fil_ranking *ranking, struct fil_ranking__inner *parent,
                            uint32_t slot, bool is_leaf)
{
    uint32_t left = slot + 1 < parent->count ? slot : slot - 1;
    if (parent->count < 2) {
        return false;
    }
    bool is_joined =
        is_leaf ? join_leaves(ranking, parent, left) : join_inners(ranking, parent, left);
    if (is_joined) {
        parent->sizes[left] += parent->sizes[left + 1];
        remove_child(parent, left + 1);
    }
    return is_joined;
}

/** A root with one child is none. */
static void lower_root(struct fil_ranking *ranking)
{
    while (ranking->depth > 0 && ((struct fil_ranking__inner *)ranking->root)->count == 1) {
        struct fil_ranking__inner *root = ranking->root;
        ranking->root = root->children[0];
        ranking->depth--;
        fil_ranking__give(ranking, root, sizeof(*root));
    }
}

/** From the leaf on upwards: joins what has become sparse. */
static void tighten(struct fil_ranking *ranking, const struct fil_ranking__path *path)
{
    for (uint32_t level = ranking->depth; level-- > 0;) {
        bool is_leaf = level + 1 == ranking->depth;
        if (!join_neighbours(ranking, path->nodes[level], path->slots[level], is_leaf)) {
            break;
        }
    }
    lower_root(ranking);
}

/** The way's leaf is empty: it goes, and with it those above that have no other child. */
static void drop_empty(struct fil_ranking *ranking, struct fil_ranking__path *path)
{
    uint32_t level = ranking->depth;
    drop_leaf(ranking, path->leaf);
    while (level > 0 && path->nodes[level - 1]->count == 1) {
        level--;
        fil_ranking__give(ranking, path->nodes[level], sizeof(struct fil_ranking__inner));
    }
    if (level == 0) {
        ranking->root = NULL;
        ranking->depth = 0;
        return;
    }
    remove_child(path->nodes[level - 1], path->slots[level - 1]);
    struct fil_ranking__entry first = path->nodes[level - 1]->first[0];
    bool was_first = path->slots[level - 1] == 0;
    for (level--; level > 0 && was_first; level--) {
        path->nodes[level - 1]->first[path->slots[level - 1]] = first;
        was_first = path->slots[level - 1] == 0;
    }
    lower_root(ranking);
}

void fil_ranking_remove(struct fil_ranking *ranking, const struct fil_ranking_mark *mark)
{
    struct fil_ranking__path path;
    fil_assert(ranking->count > 0);
    fil_ranking__find(ranking, mark, &path);
    struct fil_ranking_leaf *leaf = path.leaf;
    fil_assert(path.slot < leaf->count);
    fil_assert(fil_ranking__order(ranking, &leaf->entries[path.slot], mark) == 0);
    leaf->count--;
    memmove(leaf->entries + path.slot, leaf->entries + path.slot + 1,
            (leaf->count - path.slot) * sizeof(leaf->entries[0]));
    fil_ranking__count(ranking, &path, -1);
    if (leaf->count == 0) {
        drop_empty(ranking, &path);
        return;
    }
    if (path.slot == 0) {
        fil_ranking__renew_first(ranking, &path);
    }
    tighten(ranking, &path);
}

void fil_ranking_redirect(struct fil_ranking *ranking, const struct fil_ranking_mark *mark,
                          uint32_t reference)
{
    struct fil_ranking__path path;
    fil_assert(ranking->count > 0);
    fil_ranking__find(ranking, mark, &path);
    fil_assert(path.slot < path.leaf->count);
    fil_assert(fil_ranking__order(ranking, &path.leaf->entries[path.slot], mark) == 0);
    path.leaf->entries[path.slot].reference = reference;
    if (path.slot == 0) {
        fil_ranking__renew_first(ranking, &path);
    }
}

// All of them.

/** Frees the last child of the lowest inner nodes again and again: no recursion. */
static void free_tree(struct fil_ranking *ranking)
{
    while (ranking->depth > 0) {
        struct fil_ranking__inner *parent = NULL;
        struct fil_ranking__inner *inner = ranking->root;
        uint32_t level = ranking->depth;
        while (level > 1 && inner->count > 0) {
            parent = inner;
            inner = inner->children[inner->count - 1];
            level--;
        }
        while (level == 1 && inner->count > 0) {
            inner->count--;
            fil_ranking__free_leaf(ranking, inner->children[inner->count]);
        }
        fil_ranking__give(ranking, inner, sizeof(*inner));
        if (parent == NULL) {
            ranking->depth = 0;
            ranking->root = NULL;
        } else {
            parent->count--;
        }
    }
    if (ranking->root != NULL) {
        fil_ranking__free_leaf(ranking, ranking->root);
    }
}

void fil_ranking_fini(struct fil_ranking *ranking)
{
    free_tree(ranking);
    fil_assert(ranking->bytes == 0);
    fil_ranking_init(ranking, ranking->account, ranking->members);
}
