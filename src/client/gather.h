// SPDX-License-Identifier: Apache-2.0
/**
 * Collects values of several answers into one block that the application owns.
 *
 * Memory: grows while it collects; finish moves all into the block, or frees all after an error.
 */
#pragma once

#include "filbert/value.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

struct fil_gather {
    struct fil_value *items; // of texts the place in bytes instead of a pointer
    size_t count;
    size_t capacity;
    uint8_t *bytes;
    size_t bytes_size;
    size_t bytes_capacity;
};

/** Makes places for so many null values at once, to be set in any order. FIL_E_NOMEM. */
int fil_gather_reserve(struct fil_gather *gather, size_t count) FIL_NODISCARD;

/** Sets a place to the value of serialized bytes. FIL_E_NOMEM. */
int fil_gather_set(struct fil_gather *gather, size_t index, struct fil_bytes data) FIL_NODISCARD;

/** One more at the end. FIL_E_NOMEM. */
int fil_gather_add(struct fil_gather *gather, struct fil_bytes data) FIL_NODISCARD;

/** One block with all values, to be freed with fil_free; NULL with FIL_E_NOMEM. */
int fil_gather_finish(struct fil_gather *gather, struct fil_value **out_items) FIL_NODISCARD;

void fil_gather_fini(struct fil_gather *gather);
