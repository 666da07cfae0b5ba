// SPDX-License-Identifier: Apache-2.0
/**
 * Secondary indexes of a store: from an attribute of an entry to the entry.
 *
 * The extractor takes the attribute out of key and value. Attributes are byte strings; a sorted
 * index orders them as memcmp does, a prefix before what it begins, so extractors write numbers in
 * an order-preserving form. An entry without the attribute is not in the index. Longer attributes
 * are cut, so that an index finds all that are meant and perhaps some that are not: who looks for
 * long ones tests what is found.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"

enum fil_index_kind {
    FIL_INDEX_HASH,  // equal only
    FIL_INDEX_SORTED // equal and ranges, in order
};

#define FIL_INDEXES_MAX         32U  // of a store
#define FIL_INDEX_ATTRIBUTE_MAX 256U // bytes

struct fil_index_attribute {
    uint32_t size;
    uint8_t data[FIL_INDEX_ATTRIBUTE_MAX];
};

static inline struct fil_bytes
fil_index_attribute_bytes(const struct fil_index_attribute *attribute)
{
    return fil_bytes_make(attribute->data, attribute->size);
}

/** Sets the attribute to the bytes, or to as many of them as there is room for. */
void fil_index_attribute_set(struct fil_index_attribute *attribute, struct fil_bytes bytes);

/**
 * False: the entry has no such attribute. The same for the same entry, except that one without it
 * may have it later. Runs inside of the partition, of several at the same time.
 */
typedef bool (*fil_index_extract_fn)(void *context, struct fil_bytes key, struct fil_bytes value,
                                     struct fil_index_attribute *out_attribute);

struct fil_index_definition {
    enum fil_index_kind kind;
    fil_index_extract_fn extract;
    void *context;
};
