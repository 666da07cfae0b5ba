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

/**
 * The memory will be used in parts: a page that is not touched must take nothing, so large pages
 * are not wanted, whatever the system does by itself.
 */
void fil_memory_refuse_large_pages(void *memory, size_t size);

/** Gives the pages back but not the addresses; what was there is zeros from now on. */
void fil_memory_discard(void *memory, size_t size);

/** The same memory with another size, perhaps at other addresses; NULL: it is as it was. */
void *fil_memory_remap(void *memory, size_t size, size_t new_size) FIL_NODISCARD;

/** Gives it back, with the size that was asked for. */
void fil_memory_unmap(void *memory, size_t size);
