// SPDX-License-Identifier: Apache-2.0
/** Changing a ranking: the way to a place, splitting what is full, joining what is not. */
#include "core/items/ranking.h"

#include <string.h>

#include "core/items/ranking_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"

#define LEAF_FIRST 8U // entries that the first leaf has room for

void fil_ranking_init(struct fil_ranking *ranking, struct fil_account *account,
                      const struct fil_store *members)
{
    fil_assert(account != NULL && members != NULL);
    *ranking = (struct fil_ranking){.account = account, .members = members};
}

// Memory.

static size_t leaf_bytes(uint32_t capacity)
{
    return sizeof(struct fil_ranking_leaf) + capacity * sizeof(struct fil_ranking__entry);
}

static void *take(struct fil_ranking *ranking, size_t bytes)
{
    if (!fil_account_take(ranking->account, bytes)) {
        return NULL;
    }
    void *node = fil_alloc(bytes);
    if (node == NULL) {
        fil_account_give(ranking->account, bytes);
        return NULL;
    }
    ranking->bytes += bytes;
    return node;
}

void fil_ranking__give(struct fil_ranking *ranking, void *node, size_t bytes)
{
    fil_assert(bytes <= ranking->bytes);
    fil_free(node);
    fil_account_give(ranking->account, bytes);
    ranking->bytes -= bytes;
}

static struct fil_ranking_leaf *new_leaf(struct fil_ranking *ranking, uint32_t capacity)
{
    struct fil_ranking_leaf *leaf = take(ranking, leaf_bytes(capacity));
    if (leaf != NULL) {
        leaf->next = NULL;
        leaf->previous = NULL;
        leaf->count = 0;
        leaf->capacity = capacity;
    }
    return leaf;
}

static struct fil_ranking__inner *new_inner(struct fil_ranking *ranking)
{
    struct fil_ranking__inner *inner = take(ranking, sizeof(*inner));
    if (inner != NULL) {
        inner->count = 0;
    }
    return inner;
}

void fil_ranking__free_leaf(struct fil_ranking *ranking, struct fil_ranking_leaf *leaf)
{
    fil_ranking__give(ranking, leaf, leaf_bytes(leaf->capacity));
}

void fil_ranking_hand_over(struct fil_ranking *ranking, struct fil_account *account)
{
    fil_account_detach(ranking->account, ranking->bytes);
    fil_account_attach(account, ranking->bytes);
    ranking->account = account;
}

// The way.

int fil_ranking_compare(struct fil_bytes a, struct fil_bytes b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/** How many entries stand before the mark, or on it where that counts. */
static uint32_t count_before(const struct fil_ranking *ranking,
                             const struct fil_ranking__entry *entries, uint32_t count,
                             const struct fil_ranking_mark *mark, bool counts_equal)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = fil_ranking__order(ranking, &entries[middle], mark);
        if (order < 0 || (counts_equal && order == 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/** Where the mark stands or belongs; the ranking is not empty. */
void fil_ranking__find(const struct fil_ranking *ranking, const struct fil_ranking_mark *mark,
                       struct fil_ranking__path *path)
{
    void *node = ranking->root;
    for (uint32_t level = 0; level < ranking->depth; level++) {
        struct fil_ranking__inner *inner = node;
        uint32_t before = count_before(ranking, inner->first, inner->count, mark, true);
        path->nodes[level] = inner;
        path->slots[level] = before == 0 ? 0 : before - 1;
        node = inner->children[path->slots[level]];
    }
    path->leaf = node;
    path->slot = count_before(ranking, path->leaf->entries, path->leaf->count, mark, false);
}

/** The leaf begins with another entry: so do those above it whose first child it is. */
void fil_ranking__renew_first(const struct fil_ranking *ranking,
                              const struct fil_ranking__path *path)
{
    for (uint32_t level = ranking->depth; level-- > 0;) {
        path->nodes[level]->first[path->slots[level]] = path->leaf->entries[0];
        if (path->slots[level] > 0) {
            return;
        }
    }
}

/** So many members more, or with a negative number fewer, are below each node of the way. */
void fil_ranking__count(struct fil_ranking *ranking, const struct fil_ranking__path *path,
                        int64_t more)
{
    for (uint32_t level = 0; level < ranking->depth; level++) {
        path->nodes[level]->sizes[path->slots[level]] += (uint64_t)more;
    }
    ranking->count += (uint64_t)more;
}

// Adding.

static void insert_child(struct fil_ranking__inner *inner, uint32_t slot,
                         struct fil_ranking__entry first, void *child)
{
    uint32_t behind = inner->count - slot;
    fil_assert(inner->count < FIL_RANKING__INNER_MAX);
    memmove(inner->first + slot + 1, inner->first + slot, behind * sizeof(inner->first[0]));
    memmove(inner->children + slot + 1, inner->children + slot,
            behind * sizeof(inner->children[0]));
    memmove(inner->sizes + slot + 1, inner->sizes + slot, behind * sizeof(inner->sizes[0]));
    inner->first[slot] = first;
    inner->children[slot] = child;
    inner->count++;
}

static uint64_t sum_of(const struct fil_ranking__inner *inner)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < inner->count; i++) {
        sum += inner->sizes[i];
    }
    return sum;
}

/** The children from a slot on go to the end of another node. */
void fil_ranking__move_children(struct fil_ranking__inner *from, uint32_t slot,
                                struct fil_ranking__inner *to)
{
    uint32_t count = from->count - slot;
    fil_assert(to->count + count <= FIL_RANKING__INNER_MAX);
    memcpy(to->first + to->count, from->first + slot, count * sizeof(to->first[0]));
    memcpy(to->children + to->count, from->children + slot, count * sizeof(to->children[0]));
    memcpy(to->sizes + to->count, from->sizes + slot, count * sizeof(to->sizes[0]));
    to->count += count;
    from->count = slot;
}

/** What a split on the way of an addition needs. */
struct spares {
    struct fil_ranking_leaf *leaf;
    struct fil_ranking__inner *inners[FIL_RANKING__DEPTH_MAX + 1];
    uint32_t inner_count;
};

static void free_spares(struct fil_ranking *ranking, struct spares *spares)
{
    if (spares->leaf != NULL) {
        fil_ranking__free_leaf(ranking, spares->leaf);
    }
    while (spares->inner_count > 0) {
        spares->inner_count--;
        fil_ranking__give(ranking, spares->inners[spares->inner_count],
                          sizeof(struct fil_ranking__inner));
    }
}

/** All nodes that splitting the way's leaf takes; false without memory, and there are none. */
static bool take_spares(struct fil_ranking *ranking, const struct fil_ranking__path *path,
                        struct spares *spares)
{
    uint32_t level = ranking->depth;
    uint32_t wanted = 0;
    while (level > 0 && path->nodes[level - 1]->count == FIL_RANKING__INNER_MAX) {
        wanted++;
        level--;
    }
    wanted += level == 0; // a new root
    spares->inner_count = 0;
    spares->leaf = new_leaf(ranking, FIL_RANKING__LEAF_MAX);
    while (spares->leaf != NULL && spares->inner_count < wanted) {
        struct fil_ranking__inner *inner = new_inner(ranking);
        if (inner == NULL) {
            free_spares(ranking, spares);
            return false;
        }
        spares->inners[spares->inner_count] = inner;
        spares->inner_count++;
    }
    return spares->leaf != NULL;
}

static struct fil_ranking__inner *use_inner(struct spares *spares)
{
    fil_assert(spares->inner_count > 0);
    spares->inner_count--;
    return spares->inners[spares->inner_count];
}

/** A new root above two nodes. */
static void add_root(struct fil_ranking *ranking, struct spares *spares, void *second,
                     struct fil_ranking__entry first, uint64_t second_size)
{
    struct fil_ranking__inner *root = use_inner(spares);
    struct fil_ranking__entry least = ranking->depth == 0
                                          ? ((struct fil_ranking_leaf *)ranking->root)->entries[0]
                                          : ((struct fil_ranking__inner *)ranking->root)->first[0];
    fil_assert(ranking->depth < FIL_RANKING__DEPTH_MAX - 1);
    insert_child(root, 0, least, ranking->root);
    insert_child(root, 1, first, second);
    root->sizes[0] = ranking->count - second_size;
    root->sizes[1] = second_size;
    ranking->root = root;
    ranking->depth++;
}

/** Hangs a node in behind the way's on the level below `level`; splits what is full above. */
static void hang_in(struct fil_ranking *ranking, const struct fil_ranking__path *path,
                    struct spares *spares, struct fil_ranking_leaf *leaf)
{
    void *child = leaf;
    struct fil_ranking__entry first = leaf->entries[0];
    uint64_t size = leaf->count;
    for (uint32_t level = ranking->depth; level-- > 0;) {
        struct fil_ranking__inner *inner = path->nodes[level];
        uint32_t slot = path->slots[level];
        inner->sizes[slot] -= size;
        if (inner->count < FIL_RANKING__INNER_MAX) {
            insert_child(inner, slot + 1, first, child);
            inner->sizes[slot + 1] = size;
            return;
        }
        struct fil_ranking__inner *second = use_inner(spares);
        uint32_t middle = FIL_RANKING__INNER_MAX / 2;
        fil_ranking__move_children(inner, middle, second);
        struct fil_ranking__inner *target = slot < middle ? inner : second;
        uint32_t behind = slot < middle ? slot + 1 : slot + 1 - middle;
        insert_child(target, behind, first, child);
        target->sizes[behind] = size;
        child = second;
        first = second->first[0];
        size = sum_of(second);
    }
    add_root(ranking, spares, child, first, size);
}

/** Splits the full leaf of the way in two. What comes at the very end leaves it full, so that who
 * adds in order fills leaves. FIL_E_NOMEM. */
static int split_leaf(struct fil_ranking *ranking, const struct fil_ranking__path *path,
                      const struct fil_ranking__entry *entry)
{
    struct spares spares;
    struct fil_ranking_leaf *leaf = path->leaf;
    bool is_end = leaf->next == NULL && path->slot == leaf->count;
    uint32_t kept = is_end ? leaf->count : leaf->count / 2;
    if (!take_spares(ranking, path, &spares)) {
        return FIL_E_NOMEM;
    }
    struct fil_ranking_leaf *second = spares.leaf;
    bool is_second = path->slot >= kept;
    struct fil_ranking_leaf *target = is_second ? second : leaf;
    uint32_t slot = is_second ? path->slot - kept : path->slot;
    second->count = leaf->count - kept;
    memcpy(second->entries, leaf->entries + kept, second->count * sizeof(second->entries[0]));
    leaf->count = kept;
    memmove(target->entries + slot + 1, target->entries + slot,
            (target->count - slot) * sizeof(target->entries[0]));
    target->entries[slot] = *entry;
    target->count++;
    second->next = leaf->next;
    second->previous = leaf;
    if (leaf->next != NULL) {
        leaf->next->previous = second;
    }
    leaf->next = second;
    fil_ranking__count(ranking, path, 1);
    if (target == leaf && slot == 0) {
        fil_ranking__renew_first(ranking, path);
    }
    hang_in(ranking, path, &spares, second);
    fil_assert(spares.inner_count == 0);
    return FIL_OK;
}

/** The only leaf with room for more; NULL: no memory, it is as it was. */
static struct fil_ranking_leaf *grow_leaf(struct fil_ranking *ranking,
                                          struct fil_ranking_leaf *leaf)
{
    uint32_t doubled = leaf->capacity * 2;
    uint32_t capacity = doubled < FIL_RANKING__LEAF_MAX ? doubled : FIL_RANKING__LEAF_MAX;
    struct fil_ranking_leaf *larger = new_leaf(ranking, capacity);
    fil_assert(ranking->root == leaf);
    if (larger == NULL) {
        return NULL;
    }
    larger->count = leaf->count;
    memcpy(larger->entries, leaf->entries, leaf->count * sizeof(leaf->entries[0]));
    fil_ranking__free_leaf(ranking, leaf);
    ranking->root = larger;
    return larger;
}

static int add_first(struct fil_ranking *ranking, const struct fil_ranking__entry *entry)
{
    struct fil_ranking_leaf *leaf = new_leaf(ranking, LEAF_FIRST);
    if (leaf == NULL) {
        return FIL_E_NOMEM;
    }
    leaf->entries[0] = *entry;
    leaf->count = 1;
    ranking->root = leaf;
    ranking->count = 1;
    return FIL_OK;
}

int fil_ranking_add(struct fil_ranking *ranking, const struct fil_ranking_mark *mark,
                    uint32_t reference)
{
    struct fil_ranking__entry entry = {.score = mark->score, .reference = reference};
    struct fil_ranking__path path;
    if (ranking->root == NULL) {
        return add_first(ranking, &entry);
    }
    fil_ranking__find(ranking, mark, &path);
    struct fil_ranking_leaf *leaf = path.leaf;
    if (leaf->count == FIL_RANKING__LEAF_MAX) {
        return split_leaf(ranking, &path, &entry);
    }
    if (leaf->count == leaf->capacity) {
        leaf = grow_leaf(ranking, leaf);
        if (leaf == NULL) {
            return FIL_E_NOMEM;
        }
        path.leaf = leaf;
    }
    memmove(leaf->entries + path.slot + 1, leaf->entries + path.slot,
            (leaf->count - path.slot) * sizeof(entry));
    leaf->entries[path.slot] = entry;
    leaf->count++;
    fil_ranking__count(ranking, &path, 1);
    if (path.slot == 0) {
        fil_ranking__renew_first(ranking, &path);
    }
    return FIL_OK;
}
