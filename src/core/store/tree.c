// SPDX-License-Identifier: Apache-2.0
#include "core/store/tree.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define ENTRIES_MAX 32U // of a leaf; an inner node has as many children
#define ENTRIES_MIN (ENTRIES_MAX / 4)
#define DEPTH_MAX   16U

struct fil_tree_node {
    uint32_t count;                              // entries of a leaf, children of an inner node
    struct fil_tree_entry entries[ENTRIES_MAX];  // of an inner node: separators, one fewer
    struct fil_tree_node *children[ENTRIES_MAX]; // of a leaf: the first is the next leaf
};

/** The way from the root down to a leaf. */
struct path {
    struct fil_tree_node *nodes[DEPTH_MAX];
    uint32_t children[DEPTH_MAX]; // which child of each
};

void fil_tree_init(struct fil_tree *tree)
{
    *tree = (struct fil_tree){0};
}

static struct fil_tree_node *new_node(struct fil_account *account)
{
    if (!fil_account_take(account, sizeof(struct fil_tree_node))) {
        return NULL;
    }
    struct fil_tree_node *node = fil_alloc_zero(1, sizeof(*node));
    if (node == NULL) {
        fil_account_give(account, sizeof(*node));
    }
    return node;
}

static void free_node(struct fil_account *account, struct fil_tree_node *node)
{
    fil_free(node);
    fil_account_give(account, sizeof(*node));
}

static struct fil_tree_node *leftmost(struct fil_tree_node *node, uint32_t depth)
{
    for (; depth > 0; depth--) {
        node = node->children[0];
    }
    return node;
}

/** Frees level by level along first children: no recursion, no stack. */
void fil_tree_fini(struct fil_tree *tree, struct fil_account *account)
{
    while (tree->root != NULL) {
        struct fil_tree_node *node = tree->root;
        if (tree->depth == 0) {
            free_node(account, node);
            break;
        }
        // The parent of the leaves at the left edge gives its children up, then itself.
        struct path path;
        uint32_t level = 0;
        for (; level + 1 < tree->depth; level++) {
            path.nodes[level] = node;
            node = node->children[node->count - 1];
        }
        for (uint32_t i = 0; i < node->count; i++) {
            free_node(account, node->children[i]);
        }
        free_node(account, node);
        while (level > 0 && path.nodes[level - 1]->count == 1) {
            level--;
            free_node(account, path.nodes[level]);
        }
        if (level == 0) {
            break;
        }
        path.nodes[level - 1]->count--;
    }
    fil_tree_init(tree);
}

static uint32_t entry_count(const struct fil_tree_node *node, bool is_leaf)
{
    return is_leaf ? node->count : node->count - 1;
}

/** How many entries are not above the given one. */
static uint32_t count_up_to(const struct fil_tree_node *node, uint32_t count,
                            const struct fil_tree_order *order, const struct fil_tree_entry *entry)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (order->compare(order->context, &node->entries[middle], entry) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void open_gap(struct fil_tree_entry *entries, uint32_t count, uint32_t slot)
{
    memmove(entries + slot + 1, entries + slot, (count - slot) * sizeof(*entries));
}

static void close_gap(struct fil_tree_entry *entries, uint32_t count, uint32_t slot)
{
    memmove(entries + slot, entries + slot + 1, (count - slot - 1) * sizeof(*entries));
}

static void insert_child(struct fil_tree_node *parent, uint32_t slot,
                         const struct fil_tree_entry *separator, struct fil_tree_node *child)
{
    fil_assert(parent->count < ENTRIES_MAX);
    open_gap(parent->entries, parent->count - 1, slot - 1);
    parent->entries[slot - 1] = *separator;
    memmove(parent->children + slot + 1, parent->children + slot,
            (parent->count - slot) * sizeof(struct fil_tree_node *));
    parent->children[slot] = child;
    parent->count++;
}

static void remove_child(struct fil_tree_node *parent, uint32_t slot)
{
    fil_assert(slot > 0);
    close_gap(parent->entries, parent->count - 1, slot - 1);
    memmove(parent->children + slot, parent->children + slot + 1,
            (parent->count - slot - 1) * sizeof(struct fil_tree_node *));
    parent->count--;
}

/** Splits a full child in two; the parent has room. */
static bool split_child(struct fil_account *account, struct fil_tree_node *parent, uint32_t slot,
                        bool is_leaf)
{
    struct fil_tree_node *left = parent->children[slot];
    struct fil_tree_node *right = new_node(account);
    if (right == NULL) {
        return false;
    }
    uint32_t half = ENTRIES_MAX / 2;
    right->count = ENTRIES_MAX - half;
    left->count = half;
    struct fil_tree_entry separator;
    if (is_leaf) {
        memcpy(right->entries, left->entries + half, right->count * sizeof(separator));
        separator = right->entries[0];
        right->children[0] = left->children[0];
        left->children[0] = right;
    } else {
        separator = left->entries[half - 1];
        memcpy(right->entries, left->entries + half, (right->count - 1) * sizeof(separator));
        memcpy(right->children, left->children + half,
               right->count * sizeof(struct fil_tree_node *));
    }
    insert_child(parent, slot + 1, &separator, right);
    return true;
}

static int grow_root(struct fil_tree *tree, struct fil_account *account)
{
    struct fil_tree_node *root = new_node(account);
    if (root == NULL) {
        return FIL_E_NOMEM;
    }
    if (tree->root == NULL) {
        tree->root = root;
        return FIL_OK;
    }
    fil_assert(tree->depth + 1 < DEPTH_MAX);
    root->count = 1;
    root->children[0] = tree->root;
    if (!split_child(account, root, 0, tree->depth == 0)) {
        free_node(account, root);
        return FIL_E_NOMEM;
    }
    tree->root = root;
    tree->depth++;
    return FIL_OK;
}

int fil_tree_add(struct fil_tree *tree, struct fil_account *account,
                 const struct fil_tree_order *order, const struct fil_tree_entry *entry)
{
    // Full nodes are split on the way down, so no split ever has to go back up.
    if (tree->root == NULL || tree->root->count == ENTRIES_MAX) {
        int error = grow_root(tree, account);
        if (error != FIL_OK) {
            return error;
        }
    }
    struct fil_tree_node *node = tree->root;
    for (uint32_t level = tree->depth; level > 0; level--) {
        uint32_t slot = count_up_to(node, node->count - 1, order, entry);
        if (node->children[slot]->count == ENTRIES_MAX) {
            if (!split_child(account, node, slot, level == 1)) {
                return FIL_E_NOMEM;
            }
            slot = count_up_to(node, node->count - 1, order, entry);
        }
        node = node->children[slot];
    }
    uint32_t slot = count_up_to(node, node->count, order, entry);
    open_gap(node->entries, node->count, slot);
    node->entries[slot] = *entry;
    node->count++;
    tree->count++;
    return FIL_OK;
}

static struct fil_tree_node *descend(const struct fil_tree *tree,
                                     const struct fil_tree_order *order,
                                     const struct fil_tree_entry *entry, struct path *out_path)
{
    struct fil_tree_node *node = tree->root;
    for (uint32_t level = 0; level < tree->depth; level++) {
        out_path->nodes[level] = node;
        out_path->children[level] = count_up_to(node, node->count - 1, order, entry);
        node = node->children[out_path->children[level]];
    }
    return node;
}

/** The entry's slot in its leaf; false when it is not there. */
static bool find_slot(const struct fil_tree_node *leaf, const struct fil_tree_order *order,
                      const struct fil_tree_entry *entry, uint32_t *out_slot)
{
    uint32_t count = leaf == NULL ? 0 : count_up_to(leaf, leaf->count, order, entry);
    if (count == 0 || leaf->entries[count - 1].reference != entry->reference) {
        return false;
    }
    *out_slot = count - 1;
    return true;
}

bool fil_tree_has(const struct fil_tree *tree, const struct fil_tree_order *order,
                  const struct fil_tree_entry *entry)
{
    struct path path;
    uint32_t slot = 0;
    return find_slot(descend(tree, order, entry, &path), order, entry, &slot);
}

/** Two neighbours under one parent, laid out as one long node. */
struct pair {
    struct fil_tree_entry entries[2 * ENTRIES_MAX];
    struct fil_tree_node *children[2 * ENTRIES_MAX];
    uint32_t count;
};

static void gather(struct pair *pair, const struct fil_tree_node *parent, uint32_t slot,
                   bool is_leaf)
{
    const struct fil_tree_node *left = parent->children[slot];
    const struct fil_tree_node *right = parent->children[slot + 1];
    uint32_t count = entry_count(left, is_leaf);
    memcpy(pair->entries, left->entries, count * sizeof(*pair->entries));
    if (!is_leaf) {
        pair->entries[count] = parent->entries[slot];
        count++;
        memcpy(pair->children, left->children, left->count * sizeof(struct fil_tree_node *));
        memcpy(pair->children + left->count, right->children,
               right->count * sizeof(struct fil_tree_node *));
    }
    memcpy(pair->entries + count, right->entries,
           entry_count(right, is_leaf) * sizeof(*pair->entries));
    pair->count = left->count + right->count;
}

/** Writes a part of the pair into a node. */
static void deal(const struct pair *pair, struct fil_tree_node *node, uint32_t first,
                 uint32_t count, bool is_leaf)
{
    node->count = count;
    memcpy(node->entries, pair->entries + first,
           entry_count(node, is_leaf) * sizeof(*pair->entries));
    if (!is_leaf) {
        memcpy(node->children, pair->children + first, count * sizeof(struct fil_tree_node *));
    }
}

/** Joins two neighbours, or evens them out where they do not fit in one. */
static void balance(struct fil_account *account, struct fil_tree_node *parent, uint32_t slot,
                    bool is_leaf)
{
    struct pair pair;
    struct fil_tree_node *left = parent->children[slot];
    struct fil_tree_node *right = parent->children[slot + 1];
    gather(&pair, parent, slot, is_leaf);
    if (pair.count <= ENTRIES_MAX) {
        deal(&pair, left, 0, pair.count, is_leaf);
        if (is_leaf) {
            left->children[0] = right->children[0];
        }
        remove_child(parent, slot + 1);
        free_node(account, right);
        return;
    }
    uint32_t half = pair.count / 2;
    deal(&pair, left, 0, half, is_leaf);
    deal(&pair, right, half, pair.count - half, is_leaf);
    parent->entries[slot] = is_leaf ? right->entries[0] : pair.entries[half - 1];
}

static void shrink_root(struct fil_tree *tree, struct fil_account *account)
{
    struct fil_tree_node *root = tree->root;
    if (tree->depth > 0 && root->count == 1) {
        tree->root = root->children[0];
        tree->depth--;
        free_node(account, root);
    } else if (tree->depth == 0 && root->count == 0) {
        tree->root = NULL;
        free_node(account, root);
    }
}

/** The separator that equals the entry, if there is one, becomes what is smallest now. */
static void refresh(struct fil_tree *tree, const struct fil_tree_order *order,
                    const struct fil_tree_entry *entry)
{
    struct fil_tree_node *node = tree->root;
    for (uint32_t level = tree->depth; level > 0; level--) {
        uint32_t slot = count_up_to(node, node->count - 1, order, entry);
        struct fil_tree_node *child = node->children[slot];
        if (slot > 0 && node->entries[slot - 1].reference == entry->reference) {
            node->entries[slot - 1] = leftmost(child, level - 1)->entries[0];
            return;
        }
        node = child;
    }
}

bool fil_tree_remove(struct fil_tree *tree, struct fil_account *account,
                     const struct fil_tree_order *order, const struct fil_tree_entry *entry)
{
    struct path path;
    uint32_t place = 0;
    struct fil_tree_node *leaf = descend(tree, order, entry, &path);
    if (!find_slot(leaf, order, entry, &place)) {
        return false;
    }
    fil_assert(tree->count > 0);
    close_gap(leaf->entries, leaf->count, place);
    leaf->count--;
    tree->count--;
    const struct fil_tree_node *node = leaf;
    for (uint32_t level = tree->depth; level > 0 && node->count < ENTRIES_MIN; level--) {
        struct fil_tree_node *parent = path.nodes[level - 1];
        uint32_t slot = path.children[level - 1];
        if (parent->count > 1) {
            balance(account, parent, slot == parent->count - 1 ? slot - 1 : slot,
                    level == tree->depth);
        }
        node = parent;
    }
    shrink_root(tree, account);
    if (tree->root != NULL) {
        refresh(tree, order, entry);
    }
    return true;
}

bool fil_tree_redirect(struct fil_tree *tree, const struct fil_tree_order *order,
                       const struct fil_tree_entry *entry, uint32_t reference)
{
    struct path path;
    uint32_t place = 0;
    struct fil_tree_node *leaf = descend(tree, order, entry, &path);
    if (!find_slot(leaf, order, entry, &place)) {
        return false;
    }
    leaf->entries[place].reference = reference;
    for (uint32_t level = 0; level < tree->depth; level++) {
        uint32_t slot = path.children[level];
        struct fil_tree_node *node = path.nodes[level];
        if (slot > 0 && node->entries[slot - 1].reference == entry->reference) {
            node->entries[slot - 1].reference = reference;
        }
    }
    return true;
}

static uint32_t count_below(const struct fil_tree_node *node, uint32_t count,
                            fil_tree_below_fn is_below, const void *context)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (is_below(context, &node->entries[middle])) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct fil_tree_place fil_tree_seek(const struct fil_tree *tree, fil_tree_below_fn is_below,
                                    const void *context)
{
    const struct fil_tree_node *node = tree->root;
    if (node == NULL) {
        return (struct fil_tree_place){0};
    }
    for (uint32_t level = tree->depth; level > 0; level--) {
        node = node->children[count_below(node, node->count - 1, is_below, context)];
    }
    struct fil_tree_place place = {.leaf = node,
                                   .slot = count_below(node, node->count, is_below, context)};
    if (place.slot == node->count) {
        place = (struct fil_tree_place){.leaf = node->children[0]};
    }
    return place;
}

const struct fil_tree_entry *fil_tree_at(const struct fil_tree_place *place)
{
    return place->leaf == NULL ? NULL : &place->leaf->entries[place->slot];
}

void fil_tree_advance(struct fil_tree_place *place)
{
    fil_assert(place->leaf != NULL);
    place->slot++;
    if (place->slot == place->leaf->count) {
        *place = (struct fil_tree_place){.leaf = place->leaf->children[0]};
    }
}

void fil_tree_check(const struct fil_tree *tree, const struct fil_tree_order *order)
{
    if (tree->root == NULL) {
        fil_assert(tree->count == 0);
        return;
    }
    uint32_t count = 0;
    struct fil_tree_place place = {.leaf = leftmost(tree->root, tree->depth)};
    const struct fil_tree_entry *previous = NULL;
    for (; place.leaf != NULL; fil_tree_advance(&place)) {
        const struct fil_tree_entry *entry = fil_tree_at(&place);
        fil_assert(previous == NULL || order->compare(order->context, previous, entry) < 0);
        struct path path;
        fil_assert(descend(tree, order, entry, &path) == place.leaf);
        previous = entry;
        count++;
    }
    fil_assert(count == tree->count);
}
