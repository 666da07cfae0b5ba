// SPDX-License-Identifier: Apache-2.0
/** Advice to the kernel about memory that is there already. */
#pragma once

#include <stddef.h>

/**
 * The memory will be used as a whole and in no order: large pages, where the system gives them to
 * those who ask, save most of the address translations and faults. Does nothing to parts that are
 * smaller than such a page. Before the memory is touched.
 */
void fil_memory_prefer_large_pages(void *memory, size_t size);
