// SPDX-License-Identifier: Apache-2.0
#include "core/items/ranking.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

void fil_ranking_init(struct fil_ranking *ranking, struct fil_account *account, uint64_t seed)
{
    fil_assert(account != NULL);
    *ranking = (struct fil_ranking){.account = account};
    fil_prng_init(&ranking->prng, seed);
}

static size_t node_bytes(uint32_t level_count, size_t member_size)
{
    return sizeof(struct fil_ranking_node) + level_count * sizeof(struct fil_ranking_link) +
           member_size;
}

static void free_node(struct fil_ranking *ranking, struct fil_ranking_node *node)
{
    size_t bytes = node_bytes(node->level_count, node->member_size);
    fil_assert(bytes <= ranking->bytes);
    fil_free(node);
    fil_account_give(ranking->account, bytes);
    ranking->bytes -= bytes;
}

void fil_ranking_fini(struct fil_ranking *ranking)
{
    struct fil_ranking_node *node = ranking->links[0].next;
    while (node != NULL) {
        struct fil_ranking_node *next = node->links[0].next;
        free_node(ranking, node);
        node = next;
    }
    fil_assert(ranking->bytes == 0);
    fil_ranking_init(ranking, ranking->account, 0);
}

int fil_ranking_compare(struct fil_bytes a, struct fil_bytes b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/** The links of a node, or of the beginning when there is none. */
static struct fil_ranking_link *links_of(struct fil_ranking *ranking, struct fil_ranking_node *node)
{
    return node == NULL ? ranking->links : node->links;
}

/** The way to a place: on each level the last node before it, and that one's own place. */
struct path {
    struct fil_ranking_node *nodes[FIL_RANKING_LEVELS]; // NULL: the beginning
    uint64_t places[FIL_RANKING_LEVELS];                // 1 for the first member; 0: the beginning
};

static void find_path(struct fil_ranking *ranking, fil_ranking_below_fn is_below,
                      const void *context, struct path *path)
{
    struct fil_ranking_node *node = NULL;
    uint64_t place = 0;
    for (uint32_t level = FIL_RANKING_LEVELS; level-- > 0;) {
        struct fil_ranking_link *link = &links_of(ranking, node)[level];
        while (link->next != NULL &&
               is_below(context, link->next->score, fil_ranking_member(link->next))) {
            place += link->span;
            node = link->next;
            link = &node->links[level];
        }
        path->nodes[level] = node;
        path->places[level] = place;
    }
}

/** One member and its score, as what others stand before. */
struct mark {
    double score;
    struct fil_bytes member;
};

static bool is_before(const void *context, double score, struct fil_bytes member)
{
    const struct mark *mark = context;
    return score < mark->score ||
           (score == mark->score && fil_ranking_compare(member, mark->member) < 0);
}

static struct fil_ranking_node *new_node(struct fil_ranking *ranking, const struct mark *mark)
{
    uint32_t level_count = 1;
    while (level_count < FIL_RANKING_LEVELS && fil_prng_below(&ranking->prng, 4) == 0) {
        level_count++;
    }
    size_t bytes = node_bytes(level_count, mark->member.size);
    if (!fil_account_take(ranking->account, bytes)) {
        return NULL;
    }
    struct fil_ranking_node *node = fil_alloc(bytes);
    if (node == NULL) {
        fil_account_give(ranking->account, bytes);
        return NULL;
    }
    ranking->bytes += bytes;
    node->score = mark->score;
    node->member_size = (uint32_t)mark->member.size;
    node->level_count = level_count;
    if (mark->member.size > 0) {
        memcpy(&node->links[level_count], mark->member.data, mark->member.size);
    }
    return node;
}

/** Puts the node behind the path's end. */
static void link_node(struct fil_ranking *ranking, const struct path *path,
                      struct fil_ranking_node *node)
{
    for (uint32_t level = 0; level < FIL_RANKING_LEVELS; level++) {
        struct fil_ranking_link *before = &links_of(ranking, path->nodes[level])[level];
        uint64_t skipped = path->places[0] - path->places[level];
        if (level >= node->level_count) {
            before->span += before->next != NULL;
            continue;
        }
        node->links[level].next = before->next;
        node->links[level].span = before->next == NULL ? 0 : before->span - skipped;
        before->next = node;
        before->span = skipped + 1;
    }
    struct fil_ranking_node *next = node->links[0].next;
    node->previous = path->nodes[0];
    if (next == NULL) {
        ranking->last = node;
    } else {
        next->previous = node;
    }
    ranking->count++;
}

int fil_ranking_add(struct fil_ranking *ranking, double score, struct fil_bytes member)
{
    struct mark mark = {.score = score, .member = member};
    struct path path;
    fil_assert(member.size <= UINT32_MAX);
    struct fil_ranking_node *node = new_node(ranking, &mark);
    if (node == NULL) {
        return FIL_E_NOMEM;
    }
    find_path(ranking, is_before, &mark, &path);
    link_node(ranking, &path, node);
    return FIL_OK;
}

static void unlink_node(struct fil_ranking *ranking, const struct path *path,
                        struct fil_ranking_node *node)
{
    for (uint32_t level = 0; level < FIL_RANKING_LEVELS; level++) {
        struct fil_ranking_link *before = &links_of(ranking, path->nodes[level])[level];
        if (level >= node->level_count) {
            before->span -= before->next != NULL;
            continue;
        }
        fil_assert(before->next == node);
        before->next = node->links[level].next;
        before->span = before->next == NULL ? 0 : before->span + node->links[level].span - 1;
    }
    struct fil_ranking_node *next = node->links[0].next;
    if (next == NULL) {
        ranking->last = node->previous;
    } else {
        next->previous = node->previous;
    }
    fil_assert(ranking->count > 0);
    ranking->count--;
}

void fil_ranking_remove(struct fil_ranking *ranking, double score, struct fil_bytes member)
{
    struct mark mark = {.score = score, .member = member};
    struct path path;
    find_path(ranking, is_before, &mark, &path);
    struct fil_ranking_node *node = links_of(ranking, path.nodes[0])[0].next;
    fil_assert(node != NULL);
    fil_assert(fil_bytes_equal(fil_ranking_member(node), member));
    unlink_node(ranking, &path, node);
    free_node(ranking, node);
}

uint64_t fil_ranking_below(const struct fil_ranking *ranking, fil_ranking_below_fn is_below,
                           const void *context)
{
    const struct fil_ranking_link *links = ranking->links;
    uint64_t place = 0;
    for (uint32_t level = FIL_RANKING_LEVELS; level-- > 0;) {
        const struct fil_ranking_node *next = links[level].next;
        while (next != NULL && is_below(context, next->score, fil_ranking_member(next))) {
            place += links[level].span;
            links = next->links;
            next = links[level].next;
        }
    }
    fil_assert(place <= ranking->count);
    return place;
}

struct fil_ranking_node *fil_ranking_at(const struct fil_ranking *ranking, uint64_t place)
{
    const struct fil_ranking_link *links = ranking->links;
    uint64_t left = place + 1;
    struct fil_ranking_node *node = NULL;
    if (place >= ranking->count) {
        return NULL;
    }
    for (uint32_t level = FIL_RANKING_LEVELS; level-- > 0 && left > 0;) {
        while (links[level].next != NULL && links[level].span <= left) {
            left -= links[level].span;
            node = links[level].next;
            links = node->links;
        }
    }
    fil_assert(node != NULL && left == 0);
    return node;
}

void fil_ranking_move(struct fil_ranking *target, struct fil_ranking *source)
{
    struct fil_account *account = target->account;
    fil_assert(target->count == 0);
    if (account != source->account) {
        fil_account_detach(source->account, source->bytes);
        fil_account_attach(account, source->bytes);
    }
    *target = *source;
    target->account = account;
    *source = (struct fil_ranking){.account = source->account, .prng = source->prng};
}

void fil_ranking_check(const struct fil_ranking *ranking)
{
    const struct fil_ranking_node *previous = NULL;
    uint64_t count = 0;
    uint64_t bytes = 0;
    for (const struct fil_ranking_node *node = ranking->links[0].next; node != NULL;
         node = node->links[0].next) {
        struct mark mark = {.score = node->score, .member = fil_ranking_member(node)};
        fil_assert(node->previous == previous);
        fil_assert(previous == NULL ||
                   is_before(&mark, previous->score, fil_ranking_member(previous)));
        fil_assert(fil_ranking_below(ranking, is_before, &mark) == count);
        fil_assert(fil_ranking_at(ranking, count) == node);
        bytes += node_bytes(node->level_count, node->member_size);
        previous = node;
        count++;
    }
    fil_assert(ranking->last == previous);
    fil_assert(ranking->count == count && ranking->bytes == bytes);
}
