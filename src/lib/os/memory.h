// SPDX-License-Identifier: Apache-2.0
/** Memory in pages, straight from the system, and advice to it about memory. */
#pragma once

#include <stddef.h>

#include "lib/base/attr.h"

/**
 * The memory will be used as a whole and in no order: large pages, where the system gives them to
 * those who ask, save most of the address translations and faults. Does nothing to parts that are
 * smaller than such a page. Before the memory is touched.
 */
void fil_memory_prefer_large_pages(void *memory, size_t size);

/** Bytes of a large page; what is not as large as one has none. */
#define FIL_MEMORY_LARGE_PAGE ((size_t)2 << 20)

/**
 * Memory of zeros that begins at a large page. The size is a multiple of a large page. NULL when
 * there is none to be had.
 */
void *fil_memory_map(size_t size) FIL_NODISCARD;

/** Gives it back, with the size that was asked for. */
void fil_memory_unmap(void *memory, size_t size);
