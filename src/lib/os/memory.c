// SPDX-License-Identifier: Apache-2.0
#include "lib/os/memory.h"

#include <stdint.h>
#include <sys/mman.h>

#include "lib/base/assert.h"

#define LARGE_PAGE_BYTES ((uintptr_t)FIL_MEMORY_LARGE_PAGE)

void fil_memory_prefer_large_pages(void *memory, size_t size)
{
    uintptr_t first = ((uintptr_t)memory + LARGE_PAGE_BYTES - 1) & ~(LARGE_PAGE_BYTES - 1);
    uintptr_t end = ((uintptr_t)memory + size) & ~(LARGE_PAGE_BYTES - 1);
    if (first < end) {
        // The result is ignored: without large pages it works as well, only slower.
        (void)madvise((uint8_t *)memory + (first - (uintptr_t)memory), end - first, MADV_HUGEPAGE);
    }
}

void *fil_memory_map(size_t size)
{
    fil_assert(size > 0 && size % FIL_MEMORY_LARGE_PAGE == 0);
    // A large page more than is wanted has a place in it to begin; what is around goes back.
    size_t mapped = size + FIL_MEMORY_LARGE_PAGE;
    uint8_t *memory =
        mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    size_t before = (size_t)(-(uintptr_t)memory & (LARGE_PAGE_BYTES - 1));
    if (before > 0) {
        fil_memory_unmap(memory, before);
    }
    fil_memory_unmap(memory + before + size, mapped - before - size);
    return memory + before;
}

void fil_memory_refuse_large_pages(void *memory, size_t size)
{
    // The result is ignored: a system without large pages knows no such advice.
    (void)madvise(memory, size, MADV_NOHUGEPAGE);
}

void fil_memory_discard(void *memory, size_t size)
{
    // Refused only for memory that is locked or not mapped; then it stays, as it would without.
    (void)madvise(memory, size, MADV_DONTNEED);
}

void *fil_memory_remap(void *memory, size_t size, size_t new_size)
{
    void *moved = mremap(memory, size, new_size, MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : moved;
}

void fil_memory_unmap(void *memory, size_t size)
{
    // It can fail only for a range that was never mapped.
    int result = munmap(memory, size);
    fil_assert(result == 0);
}
