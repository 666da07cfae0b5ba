// SPDX-License-Identifier: Apache-2.0
#include "grid/list/list.h"

#include "core/container/listen.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

uint64_t fil_list_size_here(const struct fil_list_container *list)
{
    return list->items.count;
}

static void note_size(struct fil_list_container *list)
{
    fil_container_note_size_here(&list->container, list->items.count, list->items.bytes);
}

static void note_read(struct fil_list_container *list, uint64_t now_ms)
{
    fil_counter_add(&list->container.counters.reads, 1);
    fil_container_note_read_here(&list->container, now_ms);
}

static void tell(struct fil_list_container *list, enum fil_container_event_kind kind,
                 struct fil_bytes item, uint64_t now_ms)
{
    bool is_added = kind == FIL_CONTAINER_ADDED;
    struct fil_container_counters *counters = &list->container.counters;
    fil_counter_add(is_added ? &counters->adds : &counters->removes, 1);
    fil_container_note_update_here(&list->container, now_ms);
    fil_container_tell_here(&list->container, &(struct fil_container_event){
                                                  .kind = kind, .item = item, .time_ms = now_ms});
}

bool fil_list_get_here(struct fil_list_container *list, uint64_t index, uint64_t now_ms,
                       struct fil_bytes *out_item)
{
    struct fil_item_cursor cursor = fil_items_at(&list->items, index);
    note_read(list, now_ms);
    return fil_items_read(&cursor, out_item);
}

/** Puts the items in, one behind the other; on failure those that were put in go again. */
static int insert_all(struct fil_list_container *list, uint64_t index,
                      const struct fil_bytes *items, uint64_t count)
{
    struct fil_item_cursor cursor = fil_items_at(&list->items, index);
    for (uint64_t i = 0; i < count; i++) {
        int error = fil_items_insert(&list->items, &cursor, items[i]);
        if (error != FIL_OK) {
            cursor = fil_items_at(&list->items, index);
            for (; i > 0; i--) {
                fil_items_remove(&list->items, &cursor);
            }
            return error;
        }
        fil_items_next(&list->items, &cursor);
    }
    return FIL_OK;
}

int fil_list_add_here(struct fil_list_container *list, uint64_t index,
                      const struct fil_bytes *items, uint64_t count, uint64_t now_ms)
{
    uint64_t size = list->items.count;
    index = index == FIL_LIST_END ? size : index;
    if (index > size) {
        return FIL_E_INVALID;
    }
    bool has_room = list->config.size_max == 0 || count <= list->config.size_max - size;
    int error = has_room ? insert_all(list, index, items, count) : FIL_E_FULL;
    if (error != FIL_OK) {
        fil_counter_add(&list->container.counters.refused, count);
        return error;
    }
    fil_assert(list->items.count == size + count);
    for (uint64_t i = 0; i < count; i++) {
        tell(list, FIL_CONTAINER_ADDED, items[i], now_ms);
    }
    note_size(list);
    return FIL_OK;
}

static bool remove_at(struct fil_list_container *list, struct fil_item_cursor *cursor,
                      uint64_t now_ms)
{
    struct fil_bytes item;
    if (!fil_items_read(cursor, &item)) {
        return false;
    }
    tell(list, FIL_CONTAINER_REMOVED, item, now_ms);
    fil_items_remove(&list->items, cursor);
    note_size(list);
    return true;
}

int fil_list_set_here(struct fil_list_container *list, uint64_t index, struct fil_bytes item,
                      uint64_t now_ms)
{
    struct fil_item_cursor cursor = fil_items_at(&list->items, index);
    struct fil_bytes old;
    if (!fil_items_read(&cursor, &old)) {
        return FIL_E_INVALID;
    }
    // The new one goes in before the old one, which can still be told of then.
    int error = fil_items_insert(&list->items, &cursor, item);
    if (error != FIL_OK) {
        fil_counter_add(&list->container.counters.refused, 1);
        return error;
    }
    fil_items_next(&list->items, &cursor);
    bool is_removed = remove_at(list, &cursor, now_ms);
    fil_assert(is_removed);
    tell(list, FIL_CONTAINER_ADDED, item, now_ms);
    return FIL_OK;
}

bool fil_list_remove_at_here(struct fil_list_container *list, uint64_t index, uint64_t now_ms)
{
    struct fil_item_cursor cursor = fil_items_at(&list->items, index);
    return remove_at(list, &cursor, now_ms);
}

bool fil_list_remove_here(struct fil_list_container *list, struct fil_bytes item, uint64_t now_ms)
{
    struct fil_item_cursor cursor = fil_items_find(&list->items, item);
    return remove_at(list, &cursor, now_ms);
}

uint64_t fil_list_find_here(struct fil_list_container *list, struct fil_bytes item, uint64_t now_ms)
{
    struct fil_item_cursor cursor = fil_items_find(&list->items, item);
    note_read(list, now_ms);
    return cursor.block == NULL ? FIL_LIST_END : cursor.index;
}

uint64_t fil_list_find_last_here(struct fil_list_container *list, struct fil_bytes item,
                                 uint64_t now_ms)
{
    struct fil_item_cursor cursor = fil_items_find_last(&list->items, item);
    note_read(list, now_ms);
    return cursor.block == NULL ? FIL_LIST_END : cursor.index;
}

int fil_list_contains_all_here(struct fil_list_container *list, const struct fil_bytes *items,
                               uint64_t count, bool *out_has_all)
{
    struct fil_choice choice;
    fil_counter_add(&list->container.counters.reads, 1);
    int error = fil_choice_init(&choice, items, count, fil_container_seed(&list->container));
    if (error == FIL_OK) {
        *out_has_all = fil_choice_is_covered(&choice, &list->items, 0);
        fil_choice_fini(&choice);
    }
    return error;
}

/** What an item that is sifted out needs to be told. */
struct leaving {
    struct fil_list_container *list;
    uint64_t now_ms;
};

static void leave(void *context, struct fil_bytes item)
{
    const struct leaving *leaving = context;
    tell(leaving->list, FIL_CONTAINER_REMOVED, item, leaving->now_ms);
}

int fil_list_sift_here(struct fil_list_container *list, enum fil_sift which,
                       const struct fil_bytes *items, uint64_t count, uint64_t now_ms,
                       bool *out_has_changed)
{
    struct fil_choice choice;
    struct leaving leaving = {.list = list, .now_ms = now_ms};
    int error = fil_choice_init(&choice, items, count, fil_container_seed(&list->container));
    if (error != FIL_OK) {
        return error;
    }
    *out_has_changed = fil_choice_sift(&choice, which, &list->items, 0, leave, &leaving) > 0;
    fil_choice_fini(&choice);
    note_size(list);
    return FIL_OK;
}

void fil_list_visit_here(struct fil_list_container *list, uint64_t from, uint64_t limit,
                         fil_list_visit_fn visit, void *context)
{
    struct fil_item_cursor cursor = fil_items_at(&list->items, from);
    struct fil_bytes item;
    fil_counter_add(&list->container.counters.reads, 1);
    for (uint64_t i = 0; i < limit && fil_items_read(&cursor, &item); i++) {
        if (!visit(context, item)) {
            return;
        }
        fil_items_next(&list->items, &cursor);
    }
}

static int open_list(struct fil_container *container, const void *config)
{
    struct fil_list_container *list = fil_list_of(container);
    list->config = *(const struct fil_list_config *)config;
    fil_items_init(&list->items, container->account);
    return FIL_OK;
}

static void close_list(struct fil_container *container)
{
    fil_items_fini(&fil_list_of(container)->items);
}

static void clear_list(struct fil_container *container, uint64_t now_ms)
{
    struct fil_list_container *list = fil_list_of(container);
    struct fil_bytes item;
    while (container->listener_count > 0 && fil_items_front(&list->items, &item)) {
        tell(list, FIL_CONTAINER_REMOVED, item, now_ms);
        fil_items_drop_front(&list->items);
    }
    fil_counter_add(&container->counters.removes, list->items.count);
    fil_items_clear(&list->items);
    note_size(list);
}

static const struct fil_list_config default_config = {.size_max = 0};

const struct fil_container_type fil_list_type = {
    .name = "list",
    .size = sizeof(struct fil_list_container),
    .config = &default_config,
    .open = open_list,
    .close = close_list,
    .clear = clear_list,
};
