// SPDX-License-Identifier: Apache-2.0
/**
 * What the record of a key on a shelf holds: small members themselves, or where the rest is.
 *
 *     kind and flags 1 | count 2 | items of core/items/pack.h, members and values by turns
 *     kind and flags 1 | pointer to a struct fil_collection
 *
 * There may be bytes behind the last item. Nothing in it is aligned.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/shelf/collection.h"
#include "lib/base/assert.h"
#include "lib/base/bytes.h"

#define FIL_VALUE_KIND        0x0FU
#define FIL_VALUE_ODD         0x40U // see fil_collection
#define FIL_VALUE_LARGE       0x80U // the pointer
#define FIL_VALUE_HEAD        3U
#define FIL_VALUE_SMALL_MAX   1024U // bytes of a small one
#define FIL_VALUE_LARGE_BYTES (1U + sizeof(struct fil_collection *))

static inline enum fil_collection_kind fil_value_kind(struct fil_bytes value)
{
    fil_assert(value.size >= FIL_VALUE_HEAD);
    return (enum fil_collection_kind)(value.data[0] & FIL_VALUE_KIND);
}

/** NULL when the value is small. */
static inline struct fil_collection *fil_value_large(struct fil_bytes value)
{
    struct fil_collection *collection = NULL;
    fil_assert(value.size >= FIL_VALUE_HEAD);
    if (value.data[0] & FIL_VALUE_LARGE) {
        fil_assert(value.size == FIL_VALUE_LARGE_BYTES);
        memcpy(&collection, value.data + 1, sizeof(struct fil_collection *));
        fil_assert(collection != NULL);
    }
    return collection;
}

/** Writes the value of a large one. */
static inline void fil_value_refer(uint8_t room[FIL_VALUE_LARGE_BYTES],
                                   struct fil_collection *collection)
{
    room[0] = (uint8_t)(FIL_VALUE_LARGE | (uint32_t)collection->kind);
    memcpy(room + 1, &collection, sizeof(struct fil_collection *));
}

/** Members of a small one. */
static inline uint32_t fil_value_small_count(struct fil_bytes value)
{
    return value.data[1] | (uint32_t)value.data[2] << 8;
}

static inline uint64_t fil_value_count(struct fil_bytes value)
{
    const struct fil_collection *large = fil_value_large(value);
    return large == NULL ? fil_value_small_count(value) : fil_collection_count(large);
}

/** Bytes of memory besides the record. */
static inline uint64_t fil_value_bytes(struct fil_bytes value)
{
    const struct fil_collection *large = fil_value_large(value);
    return large == NULL ? 0 : fil_collection_bytes(large);
}

static inline bool fil_value_is_odd(struct fil_bytes value)
{
    const struct fil_collection *large = fil_value_large(value);
    return large == NULL ? (value.data[0] & FIL_VALUE_ODD) != 0 : large->is_odd;
}
