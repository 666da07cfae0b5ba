// SPDX-License-Identifier: Apache-2.0
/**
 * A replicated map: entries that every member has, with an optional time to live each.
 *
 * What replaces or removes a value hands out the old one, borrowed until the next change.
 *
 * Memory:  FIL_E_NOMEM leaves it as it was.
 * Threads: whoever is inside its partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "core/store/store.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"

struct fil_replicated {
    struct fil_container container;
    struct fil_store_options store_options;
    struct fil_store store; // whoever is inside
    uint64_t now_ms;        // of the operation that is under way
};

/** It has no settings. */
extern const struct fil_container_type fil_replicated_type;

static inline struct fil_replicated *fil_replicated_of(struct fil_container *container)
{
    return FIL_CONTAINER_OF(container, struct fil_replicated, container);
}

/** Entries that have expired and were not yet removed included. */
FIL_INSIDE_PARTITION uint64_t fil_replicated_size_here(const struct fil_replicated *map);

FIL_INSIDE_PARTITION bool fil_replicated_get_here(struct fil_replicated *map, struct fil_bytes key,
                                                  uint64_t now_ms, struct fil_bytes *out_value);

/** ttl_ms 0: it stays. out_old.data is NULL when there was none. FIL_E_NOMEM, FIL_E_LIMIT. */
FIL_INSIDE_PARTITION int fil_replicated_put_here(struct fil_replicated *map, struct fil_bytes key,
                                                 struct fil_bytes value, uint64_t ttl_ms,
                                                 uint64_t now_ms, struct fil_bytes *out_old)
    FIL_NODISCARD;

/** False when it was not there. */
FIL_INSIDE_PARTITION bool fil_replicated_remove_here(struct fil_replicated *map,
                                                     struct fil_bytes key, uint64_t now_ms,
                                                     struct fil_bytes *out_old);

FIL_INSIDE_PARTITION bool fil_replicated_contains_value_here(struct fil_replicated *map,
                                                             struct fil_bytes value,
                                                             uint64_t now_ms);

FIL_INSIDE_PARTITION void fil_replicated_visit_here(struct fil_replicated *map, uint64_t now_ms,
                                                    fil_store_visit_fn visit, void *context);
