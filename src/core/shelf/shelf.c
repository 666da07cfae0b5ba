// SPDX-License-Identifier: Apache-2.0
#include "core/shelf/shelf.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"

static void free_value(struct fil_bytes value)
{
    fil_collection_free(fil_value_large(value));
}

/** The store's callback: a key has expired, or is being cleared. */
static void key_gone(void *context, struct fil_store *store, enum fil_store_reason reason,
                     struct fil_bytes key, struct fil_bytes value)
{
    struct fil_shelf *shelf = context;
    fil_assert(store == &shelf->store);
    fil_assert(reason == FIL_STORE_EXPIRED || shelf->is_clearing);
    free_value(value);
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
    fil_account_join(&shelf->account, &shelf->bytes);
    fil_account_join(&shelf->store.account, &shelf->bytes);
    *out_shelf = shelf;
    return FIL_OK;
}

static void free_visited(void *context, const struct fil_store_view *view)
{
    (void)context;
    free_value(view->value);
}

void fil_shelf_free(struct fil_shelf *shelf)
{
    if (shelf == NULL) {
        return;
    }
    // At time 0 nothing has expired, so that all are visited.
    (void)fil_store_scan(&shelf->store, 0, 0, UINT32_MAX, free_visited, NULL);
    fil_store_fini(&shelf->store);
    fil_assert(shelf->bytes == fil_account_used(&shelf->account));
    struct fil_budget *budget = shelf->account.budget;
    fil_account_fini(&shelf->account);
    fil_budget_free(budget, shelf, sizeof(*shelf));
}

int fil_shelf_add(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                  enum fil_collection_kind kind, uint64_t now_ms, struct fil_collection **out_new)
{
    uint8_t value[FIL_VALUE_LARGE_BYTES];
    struct fil_store_outcome outcome = {0};
    struct fil_store_write how = {.now_ms = now_ms, .condition = FIL_STORE_IF_ABSENT};
    fil_assert(kind == FIL_COLLECTION_LIST || kind == FIL_COLLECTION_STREAM);
    struct fil_collection *made = fil_collection_new(kind, &shelf->account, 0);
    if (made == NULL) {
        return FIL_E_NOMEM;
    }
    fil_value_refer(value, made);
    int error = fil_store_put(&shelf->store, hash, key, fil_bytes_make(value, sizeof(value)), &how,
                              &outcome);
    if (error != FIL_OK) {
        fil_collection_free(made);
        return error;
    }
    fil_assert(outcome.is_written);
    *out_new = made;
    return FIL_OK;
}

/** Puts a value in the place of another, which is freed. */
static int replace(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                   const struct fil_store_write *how, struct fil_bytes value)
{
    struct fil_bytes old;
    struct fil_collection *old_large = NULL;
    if (fil_store_peek(&shelf->store, hash, key, how->now_ms, &old)) {
        old_large = fil_value_large(old);
    }
    int error = fil_store_put(&shelf->store, hash, key, value, how, NULL);
    if (error == FIL_OK) {
        fil_collection_free(old_large);
    }
    return error;
}

static int receive_small(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                         const struct fil_store_write *how, struct fil_bytes value)
{
    // A store must not be given its own bytes.
    uint8_t copy[FIL_VALUE_SMALL_MAX];
    fil_assert(value.size <= sizeof(copy));
    memcpy(copy, value.data, value.size);
    return replace(shelf, hash, key, how, fil_bytes_make(copy, value.size));
}

int fil_shelf_receive(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                      const struct fil_store_write *how, struct fil_bytes value, bool is_move)
{
    uint8_t refer[FIL_VALUE_LARGE_BYTES];
    struct fil_collection *source = fil_value_large(value);
    int error = FIL_OK;
    if (source == NULL) {
        return receive_small(shelf, hash, key, how, value);
    }
    shelf->account.may_borrow = is_move;
    struct fil_collection *target =
        fil_collection_new(source->kind, &shelf->account, fil_collection_seed(source));
    shelf->account.may_borrow = false;
    if (target == NULL) {
        return FIL_E_NOMEM;
    }
    if (is_move) {
        fil_collection_move(source, target);
    } else {
        error = fil_collection_copy(source, target);
    }
    fil_value_refer(refer, target);
    if (error == FIL_OK) {
        error = replace(shelf, hash, key, how, fil_bytes_make(refer, sizeof(refer)));
    }
    if (error != FIL_OK && is_move) {
        fil_collection_move(target, source);
    }
    if (error != FIL_OK) {
        fil_collection_free(target);
    }
    return error;
}

bool fil_shelf_remove(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key, uint64_t now_ms)
{
    struct fil_bytes old;
    if (!fil_store_remove(&shelf->store, hash, key, now_ms, &old)) {
        return false;
    }
    free_value(old);
    return true;
}

bool fil_shelf_inspect(const struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                       uint64_t now_ms, struct fil_store_view *out_view)
{
    return fil_store_inspect(&shelf->store, hash, key, now_ms, out_view);
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
