// SPDX-License-Identifier: Apache-2.0
#include "grid/map/map.h"

#include <stdalign.h>

#include "core/store/table.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/os/mutex.h"

struct partition {
    alignas(FIL_CACHE_LINE) struct fil_mutex mutex;
    struct fil_table table; // touched with the mutex held
};

struct fil_map {
    uint64_t seed;
    uint32_t partition_count;
    struct partition partitions[];
};

static void init_partition(struct partition *partition,
                           struct fil_budget *budget) FIL_BEFORE_SHARING
{
    fil_mutex_init(&partition->mutex);
    fil_table_init(&partition->table, budget);
}

static void fini_partition(struct partition *partition) FIL_BEFORE_SHARING
{
    fil_table_fini(&partition->table);
    fil_mutex_fini(&partition->mutex);
}

int fil_map_new(struct fil_map **out_map, struct fil_budget *budget, uint32_t partition_count,
                uint64_t seed)
{
    fil_assert(partition_count > 0);
    size_t bytes = sizeof(struct fil_map) + partition_count * sizeof(struct partition);
    struct fil_map *map = fil_alloc_aligned(FIL_CACHE_LINE, bytes);
    if (map == NULL) {
        return FIL_E_NOMEM;
    }
    map->seed = seed;
    map->partition_count = partition_count;
    for (uint32_t i = 0; i < partition_count; i++) {
        init_partition(&map->partitions[i], budget);
    }
    *out_map = map;
    return FIL_OK;
}

void fil_map_free(struct fil_map *map)
{
    if (map == NULL) {
        return;
    }
    for (uint32_t i = 0; i < map->partition_count; i++) {
        fini_partition(&map->partitions[i]);
    }
    fil_free(map);
}

/** High bits choose the partition; the table uses the low ones. */
static struct partition *partition_of(struct fil_map *map, uint64_t hash)
{
    uint64_t index = ((hash >> 32) * map->partition_count) >> 32;
    return &map->partitions[index];
}

bool fil_map_get(struct fil_map *map, struct fil_bytes key, fil_map_value_fn found, void *context)
{
    uint64_t hash = fil_hash(key, map->seed);
    struct partition *partition = partition_of(map, hash);
    struct fil_bytes value;
    fil_mutex_lock(&partition->mutex);
    bool is_found = fil_table_get(&partition->table, hash, key, &value);
    if (is_found) {
        found(context, value);
    }
    fil_mutex_unlock(&partition->mutex);
    return is_found;
}

int fil_map_set(struct fil_map *map, struct fil_bytes key, struct fil_bytes value)
{
    uint64_t hash = fil_hash(key, map->seed);
    struct partition *partition = partition_of(map, hash);
    fil_mutex_lock(&partition->mutex);
    int error = fil_table_put(&partition->table, hash, key, value);
    fil_mutex_unlock(&partition->mutex);
    return error;
}

bool fil_map_remove(struct fil_map *map, struct fil_bytes key)
{
    uint64_t hash = fil_hash(key, map->seed);
    struct partition *partition = partition_of(map, hash);
    fil_mutex_lock(&partition->mutex);
    bool is_found = fil_table_remove(&partition->table, hash, key);
    fil_mutex_unlock(&partition->mutex);
    return is_found;
}

static void ignore_value(void *context, struct fil_bytes value)
{
    (void)context;
    (void)value;
}

bool fil_map_contains(struct fil_map *map, struct fil_bytes key)
{
    return fil_map_get(map, key, ignore_value, NULL);
}

uint64_t fil_map_size(struct fil_map *map)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        struct partition *partition = &map->partitions[i];
        fil_mutex_lock(&partition->mutex);
        size += partition->table.count;
        fil_mutex_unlock(&partition->mutex);
    }
    return size;
}

uint64_t fil_map_bytes(struct fil_map *map)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        struct partition *partition = &map->partitions[i];
        fil_mutex_lock(&partition->mutex);
        bytes += fil_account_used(&partition->table.account);
        fil_mutex_unlock(&partition->mutex);
    }
    return bytes;
}
