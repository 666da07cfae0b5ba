// SPDX-License-Identifier: Apache-2.0
/**
 * Memory of a member's data in whole pages, which really goes back to the system when it is freed.
 *
 * A heap keeps what was freed between blocks that are still there; a member whose entries change
 * their sizes would grow far beyond its limit by that. Here addresses are what is wasted instead: a
 * block lies in a place of the next power of two, and only the pages it needs are ever touched. A
 * freed block's pages are given back, but for a few of every size, which the next block of that
 * size gets without asking the system.
 *
 * Memory:   a block takes fil_pages_bytes of its size, which its owner draws from the budget; the
 *           blocks kept for the next are FIL_PAGES_KEPT_BYTES of every size at most.
 * Progress: a mutex for each size, held for a few instructions and, now and then, a system call.
 * Threads:  any, but new and free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"

#define FIL_PAGES_UNIT       ((size_t)4096)
#define FIL_PAGES_KEPT_BYTES ((size_t)512 << 10)

struct fil_pages;

/** NULL when memory is out. */
struct fil_pages *fil_pages_new(void) FIL_NODISCARD;

/** Gives all of it back, whoever has it; free(NULL) is fine. */
void fil_pages_free(struct fil_pages *pages);

/** What a block of this size takes. */
static inline size_t fil_pages_bytes(size_t size)
{
    return (size + FIL_PAGES_UNIT - 1) & ~(FIL_PAGES_UNIT - 1);
}

/** A block that begins at a page, not cleared; NULL when there is none to be had. Without pages
 * (NULL) it comes from the heap. */
FIL_ANY_THREAD void *fil_pages_take(struct fil_pages *pages, size_t size) FIL_NODISCARD;

/** With the size that was asked for. */
FIL_ANY_THREAD void fil_pages_give(struct fil_pages *pages, void *block, size_t size);

/** A block as large as wanted, with as many of the bytes as fit: mostly the same one. NULL: the old
 * block is as it was. */
FIL_ANY_THREAD void *fil_pages_resize(struct fil_pages *pages, void *block, size_t old_size,
                                      size_t size) FIL_NODISCARD;

/** Bytes that are kept for the next blocks. */
FIL_ANY_THREAD uint64_t fil_pages_kept_bytes(struct fil_pages *pages);
