// SPDX-License-Identifier: Apache-2.0
/**
 * The one door to the heap.
 *
 * Everything that allocates comes through here, so that allocations can be counted (a steady state
 * makes none) and made to fail by position in tests. Returns NULL when memory is out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"

void fil_free(void *memory);

void *fil_alloc(size_t size) FIL_GIVES(fil_free);

/** Zeroed memory for count items; NULL also when count * size overflows. */
void *fil_alloc_zero(size_t count, size_t size) FIL_GIVES(fil_free);

/** Zeroed memory at a multiple of alignment (a power of two). */
void *fil_alloc_aligned(size_t alignment, size_t size) FIL_GIVES(fil_free);

/** As realloc: on failure the old block stays as it is. */
void *fil_realloc(void *memory, size_t size) FIL_NODISCARD;

/**
 * For memory that comes from the system without this heap (lib/mem/region.h): counts the block, and
 * tells whether a test wants it to fail.
 */
bool fil_alloc_must_fail(void) FIL_NODISCARD;

/** How many blocks this process has allocated so far, on all threads. */
uint64_t fil_alloc_count(void);

/** Tests only: lets `after` allocations pass and fails the one behind; < 0 turns it off. */
void fil_alloc_fail_after(int64_t after);
