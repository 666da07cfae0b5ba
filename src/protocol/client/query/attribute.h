// SPDX-License-Identifier: Apache-2.0
/**
 * Attributes as the indexes of a map keep them: bytes whose order is that of the values.
 *
 * A byte says the class, then come the bytes of the value: of a number the first seven of the
 * double it is, so that eight bytes tell nearly all numbers apart and the rest is found with its
 * neighbours; of a text as many as there is room for. Null and what has no class is not kept.
 *
 * An entry whose attribute cannot be told (portable objects, NaN, which is equal to every number)
 * makes the index partial, for good: queries then look at all entries again, and say what they said
 * without the index.
 */
#pragma once

#include <stdbool.h>

#include "core/store/index.h"
#include "grid/map/index.h"
#include "lib/base/attr.h"
#include "protocol/client/query/path.h"

enum fil_query_class_byte {
    FIL_QUERY_CLASS_NUMBER = 1,
    FIL_QUERY_CLASS_TRUTH = 2,
    FIL_QUERY_CLASS_TEXT = 3,
    FIL_QUERY_CLASS_UUID = 4,
};

/** False: it has no class, or no place among the others. */
bool fil_query_attribute_encode(const struct fil_wire_value *value,
                                struct fil_index_attribute *out_attribute) FIL_NODISCARD;

/**
 * How to make an index of the attribute, by its path. FIL_E_MALFORMED, FIL_E_LIMIT: it is no path;
 * FIL_E_UNSUPPORTED: it has an [any], so that entries have many of it; FIL_E_NOMEM. The context is
 * the map's from fil_map_index_add on.
 */
int fil_query_attribute_index(struct fil_bytes path, enum fil_index_kind kind,
                              struct fil_wire_schemas *schemas,
                              struct fil_map_index_setup *out_setup) FIL_NODISCARD;

/**
 * Declares the indexes of a list such as `age,sorted:name,hash:city`; without a word before it an
 * attribute is sorted. With no map it is only checked. FIL_E_MALFORMED, FIL_E_LIMIT, FIL_E_NOMEM,
 * FIL_E_UNSUPPORTED as above.
 */
int fil_query_declare_indexes(struct fil_bytes list, struct fil_wire_schemas *schemas,
                              struct fil_map *map) FIL_NODISCARD;

/** The path of an index that was made so; NULL: it was not, or cannot be used. */
const struct fil_query_path *fil_query_attribute_path(const struct fil_map_index *index);
