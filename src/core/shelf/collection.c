// SPDX-License-Identifier: Apache-2.0
#include "core/shelf/collection.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

/** Memory of a size, charged; NULL: none. */
static void *take(struct fil_account *account, size_t size)
{
    if (!fil_account_take(account, size)) {
        return NULL;
    }
    void *block = fil_alloc_zero(1, size);
    if (block == NULL) {
        fil_account_give(account, size);
    }
    return block;
}

static void give(struct fil_account *account, void *block, size_t size)
{
    fil_assert(block != NULL);
    fil_free(block);
    fil_account_give(account, size);
}

static struct fil_collection_box *new_box(enum fil_collection_kind kind,
                                          struct fil_account *account, uint64_t seed)
{
    struct fil_collection_box *box = take(account, sizeof(*box));
    if (box != NULL) {
        box->options = (struct fil_store_options){.hash_seed = seed};
        fil_dict_init(&box->dict, account, &box->options, kind != FIL_COLLECTION_SET);
        fil_ranking_init(&box->ranking, account, seed);
    }
    return box;
}

struct fil_collection *fil_collection_new(enum fil_collection_kind kind,
                                          struct fil_account *account, uint64_t seed)
{
    struct fil_collection *collection = take(account, sizeof(*collection));
    if (collection == NULL) {
        return NULL;
    }
    collection->kind = kind;
    if (kind == FIL_COLLECTION_LIST) {
        fil_items_init(&collection->items, account);
        return collection;
    }
    collection->box = new_box(kind, account, seed);
    if (collection->box == NULL) {
        give(account, collection, sizeof(*collection));
        return NULL;
    }
    return collection;
}

void fil_collection_free(struct fil_collection *collection)
{
    if (collection == NULL) {
        return;
    }
    struct fil_account *account = NULL;
    if (collection->kind == FIL_COLLECTION_LIST) {
        account = collection->items.account;
        fil_items_fini(&collection->items);
    } else {
        struct fil_collection_box *box = collection->box;
        account = box->dict.small.account;
        fil_dict_fini(&box->dict);
        fil_ranking_fini(&box->ranking);
        give(account, box, sizeof(*box));
    }
    give(account, collection, sizeof(*collection));
}

static int copy_items(const struct fil_items *source, struct fil_items *target)
{
    struct fil_bytes item;
    int error = FIL_OK;
    struct fil_item_cursor at = fil_items_first(source);
    for (; error == FIL_OK && fil_items_read(&at, &item); fil_items_next(source, &at)) {
        error = fil_items_push_back(target, item);
    }
    return error;
}

/** A copy of members under way. */
struct copying {
    struct fil_collection *target;
    int error;
};

static void copy_member(void *context, struct fil_bytes key, struct fil_bytes value)
{
    struct copying *copying = context;
    struct fil_collection_box *box = copying->target->box;
    bool is_new = false;
    if (copying->error == FIL_OK) {
        copying->error = fil_dict_put(&box->dict, key, value, &is_new);
    }
    if (copying->error == FIL_OK && copying->target->kind == FIL_COLLECTION_ZSET) {
        double score = 0;
        fil_assert(value.size == sizeof(score));
        memcpy(&score, value.data, sizeof(score));
        copying->error = fil_ranking_add(&box->ranking, score, key);
    }
}

int fil_collection_copy(const struct fil_collection *source, struct fil_collection *target)
{
    fil_assert(source != target && source->kind == target->kind);
    fil_assert(fil_collection_count(target) == 0);
    target->is_odd = source->is_odd;
    if (source->kind == FIL_COLLECTION_LIST) {
        return copy_items(&source->items, &target->items);
    }
    struct copying copying = {.target = target, .error = FIL_OK};
    uint64_t end = fil_dict_scan(&source->box->dict, 0, UINT32_MAX, copy_member, &copying);
    fil_assert(end == FIL_STORE_SCAN_END);
    return copying.error;
}

void fil_collection_move(struct fil_collection *source, struct fil_collection *target)
{
    fil_assert(source != target && source->kind == target->kind);
    target->is_odd = source->is_odd;
    if (source->kind == FIL_COLLECTION_LIST) {
        fil_items_move(&target->items, &source->items);
    } else {
        fil_dict_move(&target->box->dict, &source->box->dict);
        fil_ranking_move(&target->box->ranking, &source->box->ranking);
    }
    fil_assert(fil_collection_count(source) == 0);
}

uint64_t fil_collection_seed(const struct fil_collection *collection)
{
    return collection->kind == FIL_COLLECTION_LIST ? 0 : collection->box->options.hash_seed;
}

uint64_t fil_collection_count(const struct fil_collection *collection)
{
    return collection->kind == FIL_COLLECTION_LIST ? collection->items.count
                                                   : fil_dict_count(&collection->box->dict);
}

uint64_t fil_collection_bytes(const struct fil_collection *collection)
{
    if (collection->kind == FIL_COLLECTION_LIST) {
        return sizeof(*collection) + collection->items.bytes;
    }
    const struct fil_collection_box *box = collection->box;
    return sizeof(*collection) + sizeof(*box) + fil_dict_bytes(&box->dict) + box->ranking.bytes;
}
