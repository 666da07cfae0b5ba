// SPDX-License-Identifier: Apache-2.0
#include "core/items/dict.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

void fil_dict_init(struct fil_dict *dict, struct fil_account *account,
                   const struct fil_store_options *options, bool has_values)
{
    *dict = (struct fil_dict){.options = options, .has_values = has_values};
    fil_assert(options != NULL);
    fil_items_init(&dict->small, account);
}

void fil_dict_fini(struct fil_dict *dict)
{
    fil_dict_clear(dict);
}

static void free_store(struct fil_dict *dict, struct fil_store *store)
{
    fil_store_fini(store);
    fil_account_give(dict->small.account, sizeof(*store));
    fil_free(store);
}

void fil_dict_clear(struct fil_dict *dict)
{
    fil_items_clear(&dict->small);
    if (dict->large != NULL) {
        free_store(dict, dict->large);
        dict->large = NULL;
    }
}

uint64_t fil_dict_count(const struct fil_dict *dict)
{
    if (dict->large != NULL) {
        return fil_store_count(dict->large);
    }
    return dict->has_values ? dict->small.count / 2 : dict->small.count;
}

uint64_t fil_dict_bytes(const struct fil_dict *dict)
{
    return dict->large == NULL ? dict->small.bytes
                               : fil_store_bytes(dict->large) + sizeof(*dict->large);
}

static uint64_t hash_of(const struct fil_dict *dict, struct fil_bytes key)
{
    return fil_hash(key, dict->options->hash_seed);
}

/** On the value of an entry whose key the cursor stands on, or behind the key of a set. */
static void skip(const struct fil_dict *dict, struct fil_item_cursor *cursor)
{
    fil_items_next(&dict->small, cursor);
    if (dict->has_values) {
        fil_items_next(&dict->small, cursor);
    }
}

static struct fil_item_cursor find_small(const struct fil_dict *dict, struct fil_bytes key)
{
    struct fil_item_cursor cursor = fil_items_first(&dict->small);
    struct fil_bytes item;
    while (fil_items_read(&cursor, &item) && !fil_bytes_equal(item, key)) {
        skip(dict, &cursor);
    }
    return cursor;
}

/** The value of the entry whose key the cursor stands on; empty in a set. */
static struct fil_bytes value_at(const struct fil_dict *dict, struct fil_item_cursor cursor)
{
    struct fil_bytes value = {0};
    if (dict->has_values) {
        fil_items_next(&dict->small, &cursor);
        bool is_there = fil_items_read(&cursor, &value);
        fil_assert(is_there);
    }
    return value;
}

bool fil_dict_find(const struct fil_dict *dict, struct fil_bytes key, struct fil_bytes *out_value)
{
    struct fil_bytes value = {0};
    if (dict->large != NULL) {
        bool is_found = fil_store_peek(dict->large, hash_of(dict, key), key, 0, &value);
        if (out_value != NULL) {
            *out_value = value;
        }
        return is_found;
    }
    struct fil_item_cursor cursor = find_small(dict, key);
    if (cursor.block != NULL && out_value != NULL) {
        *out_value = value_at(dict, cursor);
    }
    return cursor.block != NULL;
}

static int put_large(struct fil_dict *dict, struct fil_store *store, struct fil_bytes key,
                     struct fil_bytes value, bool *out_is_new)
{
    const struct fil_store_write how = {0};
    struct fil_store_outcome outcome = {0};
    int error = fil_store_put(store, hash_of(dict, key), key, value, &how, &outcome);
    *out_is_new = !outcome.was_there;
    return error;
}

static struct fil_store *new_store(struct fil_dict *dict)
{
    struct fil_account *account = dict->small.account;
    if (!fil_account_take(account, sizeof(struct fil_store))) {
        return NULL;
    }
    struct fil_store *store = fil_alloc_zero(1, sizeof(*store));
    if (store == NULL) {
        fil_account_give(account, sizeof(*store));
        return NULL;
    }
    fil_store_init(store, account->budget, dict->options);
    fil_account_join(&store->account, account->sum);
    return store;
}

/** From a sequence to a store. */
static int enlarge(struct fil_dict *dict)
{
    struct fil_store *store = new_store(dict);
    struct fil_bytes key;
    int error = store == NULL ? FIL_E_NOMEM : FIL_OK;
    struct fil_item_cursor cursor = fil_items_first(&dict->small);
    while (error == FIL_OK && fil_items_read(&cursor, &key)) {
        bool is_new = false;
        error = put_large(dict, store, key, value_at(dict, cursor), &is_new);
        skip(dict, &cursor);
    }
    if (error != FIL_OK) {
        if (store != NULL) {
            free_store(dict, store);
        }
        return error;
    }
    fil_items_clear(&dict->small);
    dict->large = store;
    return FIL_OK;
}

static int put_small(struct fil_dict *dict, struct fil_item_cursor cursor, struct fil_bytes key,
                     struct fil_bytes value)
{
    if (cursor.block != NULL) {
        if (!dict->has_values) {
            return FIL_OK;
        }
        fil_items_next(&dict->small, &cursor);
        return fil_items_replace(&dict->small, &cursor, value);
    }
    int error = fil_items_push_back(&dict->small, key);
    if (error == FIL_OK && dict->has_values) {
        error = fil_items_push_back(&dict->small, value);
        if (error != FIL_OK) {
            fil_items_drop_back(&dict->small);
        }
    }
    return error;
}

int fil_dict_put(struct fil_dict *dict, struct fil_bytes key, struct fil_bytes value,
                 bool *out_is_new)
{
    fil_assert(dict->has_values || value.size == 0);
    if (dict->large == NULL) {
        struct fil_item_cursor cursor = find_small(dict, key);
        bool is_small = key.size <= FIL_DICT_SMALL_BYTES && value.size <= FIL_DICT_SMALL_BYTES;
        *out_is_new = cursor.block == NULL;
        if (is_small && (!*out_is_new || fil_dict_count(dict) < FIL_DICT_SMALL_ENTRIES)) {
            return put_small(dict, cursor, key, value);
        }
        int error = enlarge(dict);
        if (error != FIL_OK) {
            return error;
        }
    }
    return put_large(dict, dict->large, key, value, out_is_new);
}

bool fil_dict_remove(struct fil_dict *dict, struct fil_bytes key)
{
    if (dict->large != NULL) {
        return fil_store_remove(dict->large, hash_of(dict, key), key, 0, NULL);
    }
    struct fil_item_cursor cursor = find_small(dict, key);
    bool is_there = cursor.block != NULL;
    if (is_there) {
        fil_items_remove(&dict->small, &cursor);
    }
    if (is_there && dict->has_values) {
        fil_items_remove(&dict->small, &cursor);
    }
    return is_there;
}

void fil_dict_move(struct fil_dict *target, struct fil_dict *source)
{
    fil_assert(target != source && fil_dict_count(target) == 0);
    fil_assert(target->has_values == source->has_values);
    fil_assert(target->options->hash_seed == source->options->hash_seed);
    fil_dict_clear(target);
    fil_items_move(&target->small, &source->small);
    if (source->large != NULL) {
        fil_account_detach(source->small.account, sizeof(*source->large));
        fil_account_attach(target->small.account, sizeof(*source->large));
        target->large = source->large;
        target->large->options = target->options;
        fil_account_join(&target->large->account, target->small.account->sum);
        source->large = NULL;
    }
}

struct visitor {
    fil_dict_visit_fn visit;
    void *context;
};

static void visit_view(void *context, const struct fil_store_view *view)
{
    const struct visitor *visitor = context;
    visitor->visit(visitor->context, view->key, view->value);
}

uint64_t fil_dict_scan(const struct fil_dict *dict, uint64_t cursor, uint32_t budget,
                       fil_dict_visit_fn visit, void *context)
{
    struct fil_bytes key;
    if (dict->large != NULL) {
        struct visitor visitor = {.visit = visit, .context = context};
        return fil_store_scan(dict->large, cursor, 0, budget, visit_view, &visitor);
    }
    struct fil_item_cursor place = fil_items_first(&dict->small);
    while (fil_items_read(&place, &key)) {
        visit(context, key, value_at(dict, place));
        skip(dict, &place);
    }
    return FIL_STORE_SCAN_END;
}

bool fil_dict_pick(struct fil_dict *dict, uint64_t random, struct fil_bytes *out_key,
                   struct fil_bytes *out_value)
{
    struct fil_store_view view;
    uint64_t count = fil_dict_count(dict);
    if (dict->large != NULL) {
        bool is_found = fil_store_pick(dict->large, 0, &view);
        *out_key = is_found ? view.key : (struct fil_bytes){0};
        *out_value = is_found ? view.value : (struct fil_bytes){0};
        return is_found;
    }
    if (count == 0) {
        return false;
    }
    uint64_t index = random % count * (dict->has_values ? 2 : 1);
    struct fil_item_cursor cursor = fil_items_at(&dict->small, index);
    *out_value = value_at(dict, cursor);
    return fil_items_read(&cursor, out_key);
}
