// SPDX-License-Identifier: Apache-2.0
#include "lib/mem/region.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/memory.h"

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static bool is_large(size_t size)
{
    return size >= FIL_MEMORY_LARGE_PAGE;
}

size_t fil_region_bytes(size_t size)
{
    return is_large(size) ? round_up(size, FIL_MEMORY_LARGE_PAGE) : size + FIL_REGION_ALIGNMENT;
}

static int init_large(struct fil_region *region, size_t size)
{
    if (fil_alloc_must_fail()) {
        return FIL_E_NOMEM;
    }
    region->memory = fil_memory_map(size);
    if (region->memory == NULL) {
        return FIL_E_NOMEM;
    }
    fil_memory_prefer_large_pages(region->memory, size);
    return FIL_OK;
}

int fil_region_init(struct fil_region *region, size_t size)
{
    fil_assert(size > 0 && size < SIZE_MAX / 2);
    *region = (struct fil_region){.size = fil_region_bytes(size)};
    if (is_large(size)) {
        return init_large(region, region->size);
    }
    region->block = fil_alloc_zero(1, region->size);
    if (region->block == NULL) {
        return FIL_E_NOMEM;
    }
    size_t before = -(uintptr_t)region->block & (FIL_REGION_ALIGNMENT - 1);
    region->memory = (uint8_t *)region->block + before;
    return FIL_OK;
}

void fil_region_fini(struct fil_region *region)
{
    if (region->block != NULL) {
        fil_free(region->block);
    } else if (region->memory != NULL) {
        fil_memory_unmap(region->memory, region->size);
    }
    *region = (struct fil_region){0};
}
