// SPDX-License-Identifier: Apache-2.0
/**
 * Secondary indexes of a store: from an attribute of an entry to the entry.
 *
 * The extractor takes the attribute out of key and value. Attributes are byte strings; a sorted
 * index orders them as memcmp does, a prefix before what it begins, so extractors write numbers in
 * an order-preserving form. An entry without the attribute is not in the index.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"

enum fil_index_kind {
    FIL_INDEX_HASH,  // equal only
    FIL_INDEX_SORTED // equal and ranges, in order
};

/** The same for the same entry, always. What it gives is borrowed until its next call. */
typedef bool (*fil_index_extract_fn)(void *context, struct fil_bytes key, struct fil_bytes value,
                                     struct fil_bytes *out_attribute);

struct fil_index_definition {
    enum fil_index_kind kind;
    fil_index_extract_fn extract;
    void *context;
};
