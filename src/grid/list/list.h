// SPDX-License-Identifier: Apache-2.0
/**
 * A list: items with an index, equal ones allowed.
 *
 * What replaces or removes an item at an index shows it first (fil_list_get_here), so that an
 * answer can be made of it.
 *
 * Memory:  FIL_E_NOMEM leaves the list as it was; what is given out is borrowed until a change.
 * Threads: whoever is inside the list's partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "core/items/choice.h"
#include "core/items/items.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"

#define FIL_LIST_END UINT64_MAX // the index behind the last item, wherever that is

struct fil_list_config {
    uint64_t size_max; // items; 0: as many as memory holds
};

struct fil_list_container {
    struct fil_container container;
    struct fil_list_config config;
    struct fil_items items; // whoever is inside
};

/** Its config is a struct fil_list_config. */
extern const struct fil_container_type fil_list_type;

static inline struct fil_list_container *fil_list_of(struct fil_container *container)
{
    return FIL_CONTAINER_OF(container, struct fil_list_container, container);
}

FIL_INSIDE_PARTITION uint64_t fil_list_size_here(const struct fil_list_container *list);

/** The item at the index; false when there is none. */
FIL_INSIDE_PARTITION bool fil_list_get_here(struct fil_list_container *list, uint64_t index,
                                            uint64_t now_ms, struct fil_bytes *out_item);

/**
 * Puts items before the index, all or none. FIL_E_FULL beyond the bound, FIL_E_INVALID for an index
 * beyond the end, FIL_E_NOMEM, FIL_E_LIMIT for an item that is too large.
 */
FIL_INSIDE_PARTITION int fil_list_add_here(struct fil_list_container *list, uint64_t index,
                                           const struct fil_bytes *items, uint64_t count,
                                           uint64_t now_ms) FIL_NODISCARD;

/** Another item in its place. FIL_E_INVALID when there is none, FIL_E_NOMEM, FIL_E_LIMIT. */
FIL_INSIDE_PARTITION int fil_list_set_here(struct fil_list_container *list, uint64_t index,
                                           struct fil_bytes item, uint64_t now_ms) FIL_NODISCARD;

/** The item at the index goes; false when there is none. */
FIL_INSIDE_PARTITION bool fil_list_remove_at_here(struct fil_list_container *list, uint64_t index,
                                                  uint64_t now_ms);

/** The first equal item goes; false when there is none. */
FIL_INSIDE_PARTITION bool fil_list_remove_here(struct fil_list_container *list,
                                               struct fil_bytes item, uint64_t now_ms);

/** The index of the first, of the last equal item; FIL_LIST_END when there is none. */
FIL_INSIDE_PARTITION uint64_t fil_list_find_here(struct fil_list_container *list,
                                                 struct fil_bytes item, uint64_t now_ms);
FIL_INSIDE_PARTITION uint64_t fil_list_find_last_here(struct fil_list_container *list,
                                                      struct fil_bytes item, uint64_t now_ms);

/** Whether each of them is in the list. FIL_E_NOMEM. */
FIL_INSIDE_PARTITION int fil_list_contains_all_here(struct fil_list_container *list,
                                                    const struct fil_bytes *items, uint64_t count,
                                                    bool *out_has_all) FIL_NODISCARD;

/** Removes all items that go; says whether there were any. FIL_E_NOMEM: nothing is removed. */
FIL_INSIDE_PARTITION int fil_list_sift_here(struct fil_list_container *list, enum fil_sift which,
                                            const struct fil_bytes *items, uint64_t count,
                                            uint64_t now_ms, bool *out_has_changed) FIL_NODISCARD;

/** Must not change the list; false ends the visit. */
typedef bool (*fil_list_visit_fn)(void *context, struct fil_bytes item);

/** Visits the items from an index on, up to that many. */
FIL_INSIDE_PARTITION void fil_list_visit_here(struct fil_list_container *list, uint64_t from,
                                              uint64_t limit, fil_list_visit_fn visit,
                                              void *context);
