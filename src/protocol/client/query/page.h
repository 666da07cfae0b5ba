// SPDX-License-Identifier: Apache-2.0
/**
 * One page of entries in the order of their keys or values.
 *
 * Kept are the smallest entries up to the wanted page, in a heap; those that a page before it ended
 * with (anchors) let everything before them be passed over. The order is that of compare.h, equal
 * ones by their keys.
 *
 * Memory: copies of the entries that are kept, 65536 at most.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_QUERY_PAGE_ENTRIES_MAX 65536U

/** An entry that is kept, in the forms of the map. */
struct fil_query_kept {
    uint32_t partition_id; // of its key
    uint32_t key_size;
    size_t value_size;
    uint8_t bytes[]; // key, value
};

struct fil_query_page {
    bool is_by_value;
    uint32_t page_size;
    uint32_t first_page; // of those that are kept
    uint32_t page;
    bool has_anchor; // entries up to it are passed over
    struct fil_bytes anchor_key;
    struct fil_bytes anchor_value;

    uint32_t limit; // entries that are kept
    uint32_t count;
    struct fil_query_kept **kept; // a heap with the largest one first; sorted in the end
};

/** page_size, page and the anchor are set. FIL_E_LIMIT, FIL_E_NOMEM. */
int fil_query_page_start(struct fil_query_page *page) FIL_NODISCARD;
void fil_query_page_fini(struct fil_query_page *page);

/** FIL_E_NOMEM. */
int fil_query_page_add(struct fil_query_page *page, uint32_t partition_id, struct fil_bytes key,
                       struct fil_bytes value) FIL_NODISCARD;

/** Sorts what was kept; nothing is added afterwards. */
void fil_query_page_sort(struct fil_query_page *page);

static inline struct fil_bytes fil_query_kept_key(const struct fil_query_kept *kept)
{
    return fil_bytes_make(kept->bytes, kept->key_size);
}

static inline struct fil_bytes fil_query_kept_value(const struct fil_query_kept *kept)
{
    return fil_bytes_make(kept->bytes + kept->key_size, kept->value_size);
}
