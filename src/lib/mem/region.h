// SPDX-License-Identifier: Apache-2.0
/**
 * Zeroed memory for state that grows large and is looked up in no order.
 *
 * From the size of a large page on it comes from the system, begins at such a page, and large ones
 * are asked for: a page fault then brings 2 MiB instead of 4 KiB, and a lookup seldom misses the
 * translation cache. Smaller ones come from the heap. Pages that nobody touches cost nothing.
 *
 * Memory:  counted by nobody here; the owner draws it from its account.
 * Threads: whoever owns it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"

/** Memory begins at a multiple of this, at least. */
#define FIL_REGION_ALIGNMENT 64U

/** All zero: nothing. */
struct fil_region {
    uint8_t *memory;
    void *block; // of the heap; NULL: of the system
    size_t size;
};

/** Bytes that a region of this size really takes. */
size_t fil_region_bytes(size_t size);

/** FIL_OK or FIL_E_NOMEM. */
int fil_region_init(struct fil_region *region, size_t size) FIL_NODISCARD;

/** Gives the memory back; the region is nothing afterwards. */
void fil_region_fini(struct fil_region *region);
