// SPDX-License-Identifier: Apache-2.0
/**
 * Intrusive doubly linked list: the links live in the items.
 *
 * A head and an unlinked item both point to themselves. The list never owns its items.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/assert.h"

struct fil_list {
    struct fil_list *next;
    struct fil_list *previous;
};

static inline void fil_list_init(struct fil_list *list)
{
    list->next = list;
    list->previous = list;
}

static inline bool fil_list_is_empty(const struct fil_list *list)
{
    return list->next == list;
}

/** Whether an item that was initialised is in a list. */
static inline bool fil_list_is_linked(const struct fil_list *item)
{
    return item->next != item;
}

static inline void fil_list_push_back(struct fil_list *list, struct fil_list *item)
{
    fil_debug_assert(!fil_list_is_linked(item));
    item->previous = list->previous;
    item->next = list;
    list->previous->next = item;
    list->previous = item;
}

static inline void fil_list_push_front(struct fil_list *list, struct fil_list *item)
{
    fil_list_push_back(list->next, item);
}

/** Takes the item out; harmless when it is in no list. */
static inline void fil_list_remove(struct fil_list *item)
{
    item->previous->next = item->next;
    item->next->previous = item->previous;
    fil_list_init(item);
}

/** Takes the first item, or NULL. */
static inline struct fil_list *fil_list_take_front(struct fil_list *list)
{
    if (fil_list_is_empty(list)) {
        return NULL;
    }
    struct fil_list *item = list->next;
    fil_list_remove(item);
    return item;
}

/** Moves all items of `from` to the end of `to`; `from` is empty afterwards. */
static inline void fil_list_append(struct fil_list *to, struct fil_list *from)
{
    if (fil_list_is_empty(from)) {
        return;
    }
    from->next->previous = to->previous;
    to->previous->next = from->next;
    from->previous->next = to;
    to->previous = from->previous;
    fil_list_init(from);
}

#define fil_list_foreach(item, list) \
    for (struct fil_list *item = (list)->next; item != (list); item = item->next)

/** As foreach; the body may remove the item it stands on. */
#define fil_list_foreach_safe(item, following, list)                                    \
    for (struct fil_list *item = (list)->next, *following = item->next; item != (list); \
         item = following, following = item->next)
