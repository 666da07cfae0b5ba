// SPDX-License-Identifier: Apache-2.0
/**
 * A set: items that all differ, in no order.
 *
 * Memory:  FIL_E_NOMEM leaves the set as it was.
 * Threads: whoever is inside the set's partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "core/items/choice.h"
#include "core/items/dict.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"

struct fil_set_config {
    uint64_t size_max; // items; 0: as many as memory holds
};

struct fil_set {
    struct fil_container container;
    struct fil_set_config config;
    struct fil_store_options store_options;
    struct fil_dict items; // whoever is inside
};

/** Its config is a struct fil_set_config. */
extern const struct fil_container_type fil_set_type;

static inline struct fil_set *fil_set_of(struct fil_container *container)
{
    return FIL_CONTAINER_OF(container, struct fil_set, container);
}

FIL_INSIDE_PARTITION uint64_t fil_set_size_here(const struct fil_set *set);

/** FIL_E_FULL for a new item beyond the bound, FIL_E_NOMEM, FIL_E_LIMIT for one too large. */
FIL_INSIDE_PARTITION int fil_set_add_here(struct fil_set *set, struct fil_bytes item,
                                          uint64_t now_ms, bool *out_is_new) FIL_NODISCARD;

/** All or none; says whether any was new. FIL_E_FULL, FIL_E_NOMEM, FIL_E_LIMIT. */
FIL_INSIDE_PARTITION int fil_set_add_all_here(struct fil_set *set, const struct fil_bytes *items,
                                              uint64_t count, uint64_t now_ms,
                                              bool *out_has_changed) FIL_NODISCARD;

/** Whether it was there. */
FIL_INSIDE_PARTITION bool fil_set_remove_here(struct fil_set *set, struct fil_bytes item,
                                              uint64_t now_ms);

FIL_INSIDE_PARTITION bool fil_set_contains_here(struct fil_set *set, struct fil_bytes item,
                                                uint64_t now_ms);

/** Removes all items that go; says whether there were any. FIL_E_NOMEM: nothing is removed. */
FIL_INSIDE_PARTITION int fil_set_sift_here(struct fil_set *set, enum fil_sift which,
                                           const struct fil_bytes *items, uint64_t count,
                                           uint64_t now_ms, bool *out_has_changed) FIL_NODISCARD;

/** Must not change the set. */
typedef void (*fil_set_visit_fn)(void *context, struct fil_bytes item);

FIL_INSIDE_PARTITION void fil_set_visit_here(struct fil_set *set, fil_set_visit_fn visit,
                                             void *context);
