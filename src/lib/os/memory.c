// SPDX-License-Identifier: Apache-2.0
#include "lib/os/memory.h"

#include <stdint.h>
#include <sys/mman.h>

#define LARGE_PAGE_BYTES ((uintptr_t)2 << 20)

void fil_memory_prefer_large_pages(void *memory, size_t size)
{
    uintptr_t first = ((uintptr_t)memory + LARGE_PAGE_BYTES - 1) & ~(LARGE_PAGE_BYTES - 1);
    uintptr_t end = ((uintptr_t)memory + size) & ~(LARGE_PAGE_BYTES - 1);
    if (first < end) {
        // The result is ignored: without large pages it works as well, only slower.
        (void)madvise((uint8_t *)memory + (first - (uintptr_t)memory), end - first, MADV_HUGEPAGE);
    }
}
