// SPDX-License-Identifier: Apache-2.0
/**
 * A set of serialized objects: what an attribute is in all entries together.
 *
 * Memory: grows; 1 Mi objects or 64 MiB at most.
 */
#pragma once

#include <stdint.h>

#include "grid/map/processor.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_QUERY_DISTINCT_MAX       (UINT32_C(1) << 20)
#define FIL_QUERY_DISTINCT_BYTES_MAX ((size_t)64 << 20)

struct fil_query_distinct_item;

struct fil_query_distinct {
    struct fil_map_buffer objects; // one behind the other
    struct fil_query_distinct_item *items;
    uint32_t *slots; // number of an item + 1; 0: free
    uint32_t count;
    uint32_t capacity; // of items; there are twice as many slots
};

void fil_query_distinct_init(struct fil_query_distinct *set);
void fil_query_distinct_fini(struct fil_query_distinct *set);

/** Adds the object if it is new. FIL_E_NOMEM, FIL_E_LIMIT. */
int fil_query_distinct_add(struct fil_query_distinct *set, struct fil_bytes object) FIL_NODISCARD;
