// SPDX-License-Identifier: Apache-2.0
#include "core/service/slow_ring.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/assert.h"

void fil_slow_ring_init(struct fil_slow_ring *ring)
{
    *ring = (struct fil_slow_ring){.count = 0};
    fil_mutex_init(&ring->mutex);
}

void fil_slow_ring_fini(struct fil_slow_ring *ring)
{
    fil_mutex_fini(&ring->mutex);
}

void fil_slow_ring_add(struct fil_slow_ring *ring, const struct fil_slow_request *request,
                       struct fil_bytes path)
{
    fil_assert(request->route != NULL);
    size_t size =
        path.size < FIL_SLOW_RING_PATH_MAX ? path.size : (size_t)FIL_SLOW_RING_PATH_MAX - 1;
    fil_mutex_lock(&ring->mutex);
    struct fil_slow_request *entry = &ring->entries[ring->count % FIL_SLOW_RING_MAX];
    ring->count++;
    *entry = *request;
    entry->serial = ring->count;
    memcpy(entry->path, path.data, size);
    entry->path[size] = '\0';
    fil_mutex_unlock(&ring->mutex);
}

static int compare_totals(const void *a, const void *b)
{
    const struct fil_slow_request *left = a;
    const struct fil_slow_request *right = b;
    return left->total_ns < right->total_ns ? 1 : -(left->total_ns > right->total_ns);
}

uint32_t fil_slow_ring_read(struct fil_slow_ring *ring,
                            struct fil_slow_request out_entries[FIL_SLOW_RING_MAX])
{
    fil_mutex_lock(&ring->mutex);
    uint64_t count = ring->count < FIL_SLOW_RING_MAX ? ring->count : FIL_SLOW_RING_MAX;
    memcpy(out_entries, ring->entries, count * sizeof(out_entries[0]));
    fil_mutex_unlock(&ring->mutex);
    qsort(out_entries, count, sizeof(out_entries[0]), compare_totals);
    return (uint32_t)count;
}
