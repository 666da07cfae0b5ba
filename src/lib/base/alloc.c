// SPDX-License-Identifier: Apache-2.0
#include "lib/base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/assert.h"

#define NO_FAULT INT64_C(-1)

static _Atomic uint64_t alloc_count;
static _Atomic int64_t fault_countdown = NO_FAULT;

bool fil_alloc_must_fail(void)
{
    // Relaxed: statistics and single-threaded tests, nothing is published by it.
    atomic_fetch_add_explicit(&alloc_count, 1, memory_order_relaxed);
    int64_t left = atomic_load_explicit(&fault_countdown, memory_order_relaxed);
    if (FIL_LIKELY(left < 0)) {
        return false;
    }
    atomic_store_explicit(&fault_countdown, left - 1, memory_order_relaxed);
    return left == 0;
}

void fil_free(void *memory)
{
    free(memory);
}

void *fil_alloc(size_t size)
{
    fil_assert(size > 0);
    return fil_alloc_must_fail() ? NULL : malloc(size);
}

void *fil_alloc_zero(size_t count, size_t size)
{
    fil_assert(count > 0);
    fil_assert(size > 0);
    // Asked for first, because sanitizers take an overflow in calloc for a bug.
    if (fil_alloc_must_fail() || size > SIZE_MAX / count) {
        return NULL;
    }
    return calloc(count, size);
}

void *fil_alloc_aligned(size_t alignment, size_t size)
{
    fil_assert(alignment > 0);
    fil_assert((alignment & (alignment - 1)) == 0);
    if (fil_alloc_must_fail() || size > SIZE_MAX - alignment) {
        return NULL;
    }
    size_t rounded = (size + alignment - 1) & ~(alignment - 1);
    void *memory = aligned_alloc(alignment, rounded);
    if (memory != NULL) {
        memset(memory, 0, rounded);
    }
    return memory;
}

void *fil_realloc(void *memory, size_t size)
{
    fil_assert(size > 0);
    return fil_alloc_must_fail() ? NULL : realloc(memory, size);
}

uint64_t fil_alloc_count(void)
{
    return atomic_load_explicit(&alloc_count, memory_order_relaxed);
}

void fil_alloc_fail_after(int64_t after)
{
    atomic_store_explicit(&fault_countdown, after, memory_order_relaxed);
}
