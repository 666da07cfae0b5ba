// SPDX-License-Identifier: Apache-2.0
#include "core/shelf/shelf.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

/** The value of a record is the pointer; records are not aligned. */
static struct fil_collection *collection_of(struct fil_bytes value)
{
    struct fil_collection *collection = NULL;
    fil_assert(value.size == sizeof(void *));
    memcpy(&collection, value.data, sizeof(void *));
    fil_assert(collection != NULL);
    return collection;
}

static struct fil_collection *new_collection(struct fil_shelf *shelf, enum fil_collection_kind kind)
{
    if (!fil_account_take(&shelf->account, sizeof(struct fil_collection))) {
        return NULL;
    }
    struct fil_collection *collection = fil_alloc(sizeof(*collection));
    if (collection == NULL) {
        fil_account_give(&shelf->account, sizeof(*collection));
        return NULL;
    }
    collection->kind = kind;
    fil_items_init(&collection->items, &shelf->account);
    return collection;
}

static void free_collection(struct fil_shelf *shelf, struct fil_collection *collection)
{
    fil_assert(collection->items.account == &shelf->account);
    fil_items_fini(&collection->items);
    fil_free(collection);
    fil_account_give(&shelf->account, sizeof(*collection));
}

/** The store's callback: a key has expired, or is being cleared. */
static void key_gone(void *context, struct fil_store *store, enum fil_store_reason reason,
                     struct fil_bytes key, struct fil_bytes value)
{
    struct fil_shelf *shelf = context;
    fil_assert(store == &shelf->store);
    fil_assert(reason == FIL_STORE_EXPIRED || shelf->is_clearing);
    free_collection(shelf, collection_of(value));
    if (reason == FIL_STORE_EXPIRED && shelf->gone != NULL) {
        shelf->gone(shelf->context, key);
    }
}

/** The store's callback: eviction is how a shelf is cleared in slices, and nothing else. */
static bool can_evict(void *context, struct fil_store *store, struct fil_bytes key)
{
    const struct fil_shelf *shelf = context;
    (void)store;
    (void)key;
    return shelf->is_clearing;
}

int fil_shelf_new(struct fil_shelf **out_shelf, struct fil_budget *budget, uint64_t hash_seed)
{
    struct fil_shelf *shelf = fil_budget_alloc(budget, sizeof(*shelf));
    if (shelf == NULL) {
        return FIL_E_NOMEM;
    }
    shelf->options = (struct fil_store_options){
        .hash_seed = hash_seed,
        .eviction = FIL_EVICTION_RANDOM,
        .gone = key_gone,
        .can_evict = can_evict,
        .context = shelf,
    };
    fil_account_init_data(&shelf->account, budget);
    fil_store_init(&shelf->store, budget, &shelf->options);
    *out_shelf = shelf;
    return FIL_OK;
}

static void free_visited(void *context, const struct fil_store_view *view)
{
    free_collection(context, collection_of(view->value));
}

void fil_shelf_free(struct fil_shelf *shelf)
{
    if (shelf == NULL) {
        return;
    }
    // At time 0 nothing has expired, so that all are visited.
    (void)fil_store_scan(&shelf->store, 0, 0, UINT32_MAX, free_visited, shelf);
    fil_store_fini(&shelf->store);
    struct fil_budget *budget = shelf->account.budget;
    fil_account_fini(&shelf->account);
    fil_budget_free(budget, shelf, sizeof(*shelf));
}

struct fil_collection *fil_shelf_find(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                                      uint64_t now_ms)
{
    struct fil_bytes value;
    bool is_there = fil_store_get(&shelf->store, hash, key, now_ms, &value);
    return is_there ? collection_of(value) : NULL;
}

int fil_shelf_add(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key, uint64_t now_ms,
                  enum fil_collection_kind kind, struct fil_collection **out_new)
{
    struct fil_store_outcome outcome = {0};
    struct fil_store_write how = {.now_ms = now_ms, .condition = FIL_STORE_IF_ABSENT};
    struct fil_collection *collection = new_collection(shelf, kind);
    if (collection == NULL) {
        return FIL_E_NOMEM;
    }
    int error = fil_store_put(&shelf->store, hash, key, fil_bytes_make(&collection, sizeof(void *)),
                              &how, &outcome);
    if (error != FIL_OK) {
        free_collection(shelf, collection);
        return error;
    }
    fil_assert(outcome.is_written);
    *out_new = collection;
    return FIL_OK;
}

bool fil_shelf_remove(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key, uint64_t now_ms)
{
    struct fil_bytes old;
    if (!fil_store_remove(&shelf->store, hash, key, now_ms, &old)) {
        return false;
    }
    free_collection(shelf, collection_of(old));
    return true;
}

bool fil_shelf_inspect(const struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                       uint64_t now_ms, struct fil_store_view *out_view)
{
    return fil_store_inspect(&shelf->store, hash, key, now_ms, out_view);
}

struct fil_collection *fil_shelf_read(const struct fil_store_view *view)
{
    return collection_of(view->value);
}

int fil_shelf_set_expiry(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                         const struct fil_store_write *how)
{
    return fil_store_set_expiry(&shelf->store, hash, key, how);
}

bool fil_shelf_clear(struct fil_shelf *shelf, uint32_t budget)
{
    fil_assert(budget > 0);
    fil_assert(!shelf->is_clearing);
    shelf->is_clearing = true;
    (void)fil_store_evict(&shelf->store, 0, budget);
    shelf->is_clearing = false;
    return fil_shelf_count(shelf) > 0;
}

int fil_collection_copy(const struct fil_collection *source, struct fil_collection *target)
{
    struct fil_bytes item;
    struct fil_items copy;
    fil_assert(source != target);
    fil_assert(source->kind == target->kind);
    fil_items_init(&copy, target->items.account);
    struct fil_item_cursor at = fil_items_first(&source->items);
    for (; fil_items_read(&at, &item); fil_items_next(&source->items, &at)) {
        int error = fil_items_push_back(&copy, item);
        if (error != FIL_OK) {
            fil_items_clear(&copy);
            return error;
        }
    }
    fil_items_clear(&target->items);
    fil_items_move(&target->items, &copy);
    fil_assert(target->items.count == source->items.count);
    return FIL_OK;
}

void fil_collection_move(struct fil_collection *source, struct fil_collection *target)
{
    fil_assert(source != target);
    fil_assert(source->kind == target->kind);
    fil_items_clear(&target->items);
    fil_items_move(&target->items, &source->items);
    fil_assert(source->items.count == 0);
}

uint64_t fil_collection_count(const struct fil_collection *collection)
{
    return collection->items.count;
}

uint64_t fil_collection_bytes(const struct fil_collection *collection)
{
    return sizeof(*collection) + collection->items.bytes;
}
