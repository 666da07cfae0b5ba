// SPDX-License-Identifier: Apache-2.0
#include "core/shelf/collection.h"

#include <string.h>

#include "core/store/record.h"
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

/** The store's callback: the ranking follows. */
static void member_moved(void *context, struct fil_store *store, uint32_t from, uint32_t to)
{
    struct fil_collection_box *box = context;
    const uint8_t *record = fil_slab_at(&store->slab, to);
    struct fil_ranking_mark mark = {.score = fil_collection_score(fil_record_value(record)),
                                    .member = fil_record_key(record)};
    fil_assert(store == &box->store && from != to);
    fil_ranking_redirect(&box->ranking, &mark, to);
}

static struct fil_collection_box *new_box(enum fil_collection_kind kind,
                                          struct fil_account *account, uint64_t seed)
{
    struct fil_collection_box *box = take(account, sizeof(*box));
    if (box != NULL) {
        box->account = account;
        box->options = (struct fil_store_options){
            .hash_seed = seed,
            .moved = kind == FIL_COLLECTION_ZSET ? member_moved : NULL,
            .context = box,
        };
        fil_store_init(&box->store, account->budget, &box->options);
        fil_account_join(&box->store.account, account->sum);
        fil_ranking_init(&box->ranking, account, &box->store);
    }
    return box;
}

static struct fil_xstream *new_stream(struct fil_account *account)
{
    struct fil_xstream *stream = take(account, sizeof(*stream));
    if (stream != NULL) {
        fil_items_init(&stream->entries, account);
    }
    return stream;
}

/** What belongs to it by its kind; false: no memory. */
static bool furnish(struct fil_collection *collection, struct fil_account *account, uint64_t seed)
{
    if (collection->kind == FIL_COLLECTION_LIST) {
        fil_items_init(&collection->items, account);
        return true;
    }
    if (collection->kind == FIL_COLLECTION_STREAM) {
        collection->stream = new_stream(account);
        return collection->stream != NULL;
    }
    collection->box = new_box(collection->kind, account, seed);
    return collection->box != NULL;
}

struct fil_collection *fil_collection_new(enum fil_collection_kind kind,
                                          struct fil_account *account, uint64_t seed)
{
    struct fil_collection *collection = take(account, sizeof(*collection));
    if (collection == NULL) {
        return NULL;
    }
    collection->kind = kind;
    if (!furnish(collection, account, seed)) {
        give(account, collection, sizeof(*collection));
        return NULL;
    }
    return collection;
}

static struct fil_account *free_items(struct fil_items *items)
{
    struct fil_account *account = items->account;
    fil_items_fini(items);
    return account;
}

static struct fil_account *free_stream(struct fil_xstream *stream)
{
    struct fil_account *account = free_items(&stream->entries);
    give(account, stream, sizeof(*stream));
    return account;
}

static struct fil_account *free_box(struct fil_collection_box *box)
{
    struct fil_account *account = box->account;
    fil_ranking_fini(&box->ranking);
    fil_store_fini(&box->store);
    give(account, box, sizeof(*box));
    return account;
}

void fil_collection_free(struct fil_collection *collection)
{
    if (collection == NULL) {
        return;
    }
    struct fil_account *account = NULL;
    if (collection->kind == FIL_COLLECTION_LIST) {
        account = free_items(&collection->items);
    } else if (collection->kind == FIL_COLLECTION_STREAM) {
        account = free_stream(collection->stream);
    } else {
        account = free_box(collection->box);
    }
    give(account, collection, sizeof(*collection));
}

/** The items of a list or a stream; NULL of others. */
static struct fil_items *items_of(struct fil_collection *collection)
{
    if (collection->kind == FIL_COLLECTION_STREAM) {
        return &collection->stream->entries;
    }
    return collection->kind == FIL_COLLECTION_LIST ? &collection->items : NULL;
}

static const struct fil_items *items_in(const struct fil_collection *collection)
{
    if (collection->kind == FIL_COLLECTION_STREAM) {
        return &collection->stream->entries;
    }
    return collection->kind == FIL_COLLECTION_LIST ? &collection->items : NULL;
}

/** What a stream knows besides its entries. */
static void copy_head(const struct fil_collection *source, struct fil_collection *target)
{
    target->is_odd = source->is_odd;
    if (source->kind == FIL_COLLECTION_STREAM) {
        target->stream->last = source->stream->last;
        target->stream->max_removed = source->stream->max_removed;
        target->stream->added_count = source->stream->added_count;
    }
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

static int add_score(struct fil_collection_box *box, uint64_t hash, struct fil_bytes member,
                     struct fil_bytes value)
{
    struct fil_ranking_mark mark = {.score = fil_collection_score(value), .member = member};
    struct fil_store_spot spot;
    bool is_there = fil_store_find(&box->store, hash, member, 0, &spot);
    fil_assert(is_there);
    int error = fil_ranking_add(&box->ranking, &mark, spot.reference);
    if (error != FIL_OK) {
        (void)fil_store_remove(&box->store, hash, member, 0, NULL);
    }
    return error;
}

int fil_collection_add(struct fil_collection *collection, uint64_t hash, struct fil_bytes member,
                       struct fil_bytes value)
{
    const struct fil_store_write how = {.condition = FIL_STORE_IF_ABSENT};
    struct fil_store_outcome outcome;
    struct fil_collection_box *box = collection->box;
    int error = fil_store_put(&box->store, hash, member, value, &how, &outcome);
    if (error != FIL_OK) {
        return error;
    }
    fil_assert(outcome.is_written);
    return collection->kind == FIL_COLLECTION_ZSET ? add_score(box, hash, member, value) : FIL_OK;
}

/** A copy of members under way. */
struct copying {
    struct fil_collection *target;
    int error;
};

static void copy_member(void *context, const struct fil_store_view *view)
{
    struct copying *copying = context;
    if (copying->error == FIL_OK) {
        copying->error =
            fil_collection_add(copying->target, fil_collection_hash(copying->target, view->key),
                               view->key, view->value);
    }
}

int fil_collection_copy(const struct fil_collection *source, struct fil_collection *target)
{
    fil_assert(source != target && source->kind == target->kind);
    fil_assert(fil_collection_count(target) == 0);
    copy_head(source, target);
    if (items_in(source) != NULL) {
        return copy_items(items_in(source), items_of(target));
    }
    struct copying copying = {.target = target, .error = FIL_OK};
    uint64_t end = fil_store_scan(&source->box->store, 0, 0, UINT32_MAX, copy_member, &copying);
    fil_assert(end == FIL_STORE_SCAN_END);
    return copying.error;
}

/** All memory of the box is another account's from now on. */
static void hand_over(struct fil_collection_box *box, struct fil_account *account)
{
    fil_account_detach(box->account, sizeof(*box));
    fil_account_attach(account, sizeof(*box));
    fil_ranking_hand_over(&box->ranking, account);
    fil_account_join(&box->store.account, account->sum);
    box->account = account;
}

/** The boxes change places, so that nothing that points into one has to follow. */
static void swap_boxes(struct fil_collection *source, struct fil_collection *target)
{
    struct fil_collection_box *box = source->box;
    struct fil_account *account = box->account;
    fil_assert(box->options.hash_seed == target->box->options.hash_seed);
    source->box = target->box;
    target->box = box;
    if (account != source->box->account) {
        hand_over(box, source->box->account);
        hand_over(source->box, account);
    }
}

void fil_collection_move(struct fil_collection *source, struct fil_collection *target)
{
    fil_assert(source != target && source->kind == target->kind);
    fil_assert(fil_collection_count(target) == 0);
    copy_head(source, target);
    if (items_in(source) != NULL) {
        fil_items_move(items_of(target), items_of(source));
    } else {
        swap_boxes(source, target);
    }
    fil_assert(fil_collection_count(source) == 0);
}

uint64_t fil_collection_seed(const struct fil_collection *collection)
{
    return items_in(collection) != NULL ? 0 : collection->box->options.hash_seed;
}

uint64_t fil_collection_count(const struct fil_collection *collection)
{
    const struct fil_items *items = items_in(collection);
    return items != NULL ? items->count : fil_store_count(&collection->box->store);
}

uint64_t fil_collection_bytes(const struct fil_collection *collection)
{
    const struct fil_items *items = items_in(collection);
    uint64_t bytes = sizeof(*collection);
    if (items != NULL) {
        bool is_stream = collection->kind == FIL_COLLECTION_STREAM;
        return bytes + items->bytes + (is_stream ? sizeof(struct fil_xstream) : 0);
    }
    const struct fil_collection_box *box = collection->box;
    return bytes + sizeof(*box) + fil_store_bytes(&box->store) + box->ranking.bytes;
}
