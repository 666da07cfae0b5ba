// SPDX-License-Identifier: Apache-2.0
#include "grid/set/set.h"

#include "core/container/listen.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

uint64_t fil_set_size_here(const struct fil_set *set)
{
    return fil_dict_count(&set->items);
}

static void note_size(struct fil_set *set)
{
    fil_container_note_size_here(&set->container, fil_dict_count(&set->items),
                                 fil_dict_bytes(&set->items));
}

static void tell(struct fil_set *set, enum fil_container_event_kind kind, struct fil_bytes item,
                 uint64_t now_ms)
{
    bool is_added = kind == FIL_CONTAINER_ADDED;
    struct fil_container_counters *counters = &set->container.counters;
    fil_counter_add(is_added ? &counters->adds : &counters->removes, 1);
    fil_container_note_update_here(&set->container, now_ms);
    fil_container_tell_here(&set->container, &(struct fil_container_event){
                                                 .kind = kind, .item = item, .time_ms = now_ms});
}

/** Without telling anybody. */
static int insert(struct fil_set *set, struct fil_bytes item, bool *out_is_new)
{
    bool is_full = set->config.size_max != 0 && fil_set_size_here(set) >= set->config.size_max;
    if (is_full) {
        *out_is_new = false;
        return fil_dict_find(&set->items, item, NULL) ? FIL_OK : FIL_E_FULL;
    }
    return fil_dict_put(&set->items, item, (struct fil_bytes){0}, out_is_new);
}

/** All items of a sequence out of the set. */
static void remove_all(struct fil_set *set, const struct fil_items *items)
{
    struct fil_item_cursor cursor = fil_items_first(items);
    struct fil_bytes item;
    while (fil_items_read(&cursor, &item)) {
        bool was_there = fil_dict_remove(&set->items, item);
        fil_assert(was_there);
        fil_items_next(items, &cursor);
    }
}

static void tell_all(struct fil_set *set, enum fil_container_event_kind kind,
                     const struct fil_items *items, uint64_t now_ms)
{
    struct fil_item_cursor cursor = fil_items_first(items);
    struct fil_bytes item;
    while (fil_items_read(&cursor, &item)) {
        tell(set, kind, item, now_ms);
        fil_items_next(items, &cursor);
    }
}

/** Puts the items in and writes down which were new. */
static int insert_all(struct fil_set *set, const struct fil_bytes *items, uint64_t count,
                      struct fil_items *out_fresh)
{
    int error = FIL_OK;
    for (uint64_t i = 0; i < count && error == FIL_OK; i++) {
        bool is_new = false;
        error = insert(set, items[i], &is_new);
        if (error != FIL_OK || !is_new) {
            continue;
        }
        error = fil_items_push_back(out_fresh, items[i]);
        if (error != FIL_OK) {
            (void)fil_dict_remove(&set->items, items[i]); // it was put in just now
        }
    }
    return error;
}

/** One item needs no note of what is to be taken back. */
static int add_one(struct fil_set *set, struct fil_bytes item, uint64_t now_ms, bool *out_is_new)
{
    int error = insert(set, item, out_is_new);
    if (error == FIL_OK && *out_is_new) {
        tell(set, FIL_CONTAINER_ADDED, item, now_ms);
    }
    return error;
}

static int add_many(struct fil_set *set, const struct fil_bytes *items, uint64_t count,
                    uint64_t now_ms, bool *out_has_changed)
{
    struct fil_items fresh;
    fil_items_init(&fresh, set->container.account);
    int error = insert_all(set, items, count, &fresh);
    *out_has_changed = error == FIL_OK && fresh.count > 0;
    if (error == FIL_OK) {
        tell_all(set, FIL_CONTAINER_ADDED, &fresh, now_ms);
    } else {
        remove_all(set, &fresh);
    }
    fil_items_fini(&fresh);
    return error;
}

int fil_set_add_all_here(struct fil_set *set, const struct fil_bytes *items, uint64_t count,
                         uint64_t now_ms, bool *out_has_changed)
{
    int error = count == 1 ? add_one(set, items[0], now_ms, out_has_changed)
                           : add_many(set, items, count, now_ms, out_has_changed);
    if (error != FIL_OK) {
        fil_counter_add(&set->container.counters.refused, count);
    }
    note_size(set);
    return error;
}

int fil_set_add_here(struct fil_set *set, struct fil_bytes item, uint64_t now_ms, bool *out_is_new)
{
    return fil_set_add_all_here(set, &item, 1, now_ms, out_is_new);
}

bool fil_set_remove_here(struct fil_set *set, struct fil_bytes item, uint64_t now_ms)
{
    bool was_there = fil_dict_remove(&set->items, item);
    if (was_there) {
        tell(set, FIL_CONTAINER_REMOVED, item, now_ms);
        note_size(set);
    }
    return was_there;
}

bool fil_set_contains_here(struct fil_set *set, struct fil_bytes item, uint64_t now_ms)
{
    fil_counter_add(&set->container.counters.reads, 1);
    fil_container_note_read_here(&set->container, now_ms);
    return fil_dict_find(&set->items, item, NULL);
}

/** Collects the items that go. */
struct sieve {
    const struct fil_choice *choice;
    enum fil_sift which;
    struct fil_items going;
    int error;
};

static void sieve_item(void *context, struct fil_bytes item, struct fil_bytes value)
{
    struct sieve *sieve = context;
    (void)value;
    if (sieve->error == FIL_OK && fil_choice_drops(sieve->choice, sieve->which, item)) {
        sieve->error = fil_items_push_back(&sieve->going, item);
    }
}

static void visit_all(struct fil_set *set, fil_dict_visit_fn visit, void *context)
{
    for (uint64_t cursor = 0; cursor != FIL_STORE_SCAN_END;) {
        cursor = fil_dict_scan(&set->items, cursor, UINT32_MAX, visit, context);
    }
}

int fil_set_sift_here(struct fil_set *set, enum fil_sift which, const struct fil_bytes *items,
                      uint64_t count, uint64_t now_ms, bool *out_has_changed)
{
    struct fil_choice choice;
    int error = fil_choice_init(&choice, items, count, fil_container_seed(&set->container));
    if (error != FIL_OK) {
        return error;
    }
    struct sieve sieve = {.choice = &choice, .which = which};
    fil_items_init(&sieve.going, set->container.account);
    visit_all(set, sieve_item, &sieve);
    *out_has_changed = sieve.error == FIL_OK && sieve.going.count > 0;
    if (sieve.error == FIL_OK) {
        remove_all(set, &sieve.going);
        tell_all(set, FIL_CONTAINER_REMOVED, &sieve.going, now_ms);
    }
    fil_items_fini(&sieve.going);
    fil_choice_fini(&choice);
    note_size(set);
    return sieve.error;
}

struct visitor {
    fil_set_visit_fn visit;
    void *context;
};

static void visit_item(void *context, struct fil_bytes item, struct fil_bytes value)
{
    const struct visitor *visitor = context;
    (void)value;
    visitor->visit(visitor->context, item);
}

void fil_set_visit_here(struct fil_set *set, fil_set_visit_fn visit, void *context)
{
    struct visitor visitor = {.visit = visit, .context = context};
    fil_counter_add(&set->container.counters.reads, 1);
    visit_all(set, visit_item, &visitor);
}

static int open_set(struct fil_container *container, const void *config)
{
    struct fil_set *set = fil_set_of(container);
    set->config = *(const struct fil_set_config *)config;
    set->store_options.hash_seed = fil_container_seed(container);
    fil_dict_init(&set->items, container->account, &set->store_options, false);
    return FIL_OK;
}

static void close_set(struct fil_container *container)
{
    fil_dict_fini(&fil_set_of(container)->items);
}

/** Context: the set, at the time when it was last changed. */
static void tell_removed(void *context, struct fil_bytes item)
{
    struct fil_set *set = context;
    tell(set, FIL_CONTAINER_REMOVED, item, fil_counter_read(&set->container.counters.updated_ms));
}

static void clear_set(struct fil_container *container, uint64_t now_ms)
{
    struct fil_set *set = fil_set_of(container);
    fil_container_note_update_here(container, now_ms);
    fil_set_visit_here(set, tell_removed, set);
    fil_dict_clear(&set->items);
    note_size(set);
}

static const struct fil_set_config default_config = {.size_max = 0};

const struct fil_container_type fil_set_type = {
    .name = "set",
    .size = sizeof(struct fil_set),
    .config = &default_config,
    .open = open_set,
    .close = close_set,
    .clear = clear_set,
};
