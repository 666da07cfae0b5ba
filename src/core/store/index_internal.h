// SPDX-License-Identifier: Apache-2.0
/** What the files of the indexes share. */
#pragma once

#include "core/store/index.h"
#include "core/store/store.h"
#include "core/store/tree.h"

#define FIL_INDEX__PREFIX 8U // bytes of an attribute that lie in the tree

struct fil_index {
    const struct fil_store *store;
    const struct fil_index_definition *definition;
    struct fil_tree tree;
};

/** The index of that definition; NULL when it was not opened. */
struct fil_index *fil_index__find(const struct fil_store *store,
                                  const struct fil_index_definition *definition);

/** The attribute of a record; false when it has none. */
bool fil_index__extract(const struct fil_index *index, uint32_t reference,
                        struct fil_index_attribute *out_attribute);

/** The first bytes as a number whose order is theirs; or the hash of all. */
uint64_t fil_index__prefix(const struct fil_index *index, struct fil_bytes attribute);

/** The order of attributes. */
int fil_index__compare(struct fil_bytes left, struct fil_bytes right);

static inline int fil_index__compare_u64(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}
