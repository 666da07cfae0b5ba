// SPDX-License-Identifier: Apache-2.0
#include "grid/map/map.h"

#include <stdalign.h>

#include "core/store/table.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/conc/counter.h"

/** One partition's part of the map. */
struct shard {
    // Whoever is inside the partition.
    alignas(FIL_CACHE_LINE) struct fil_table table;

    // Written there, read by anyone.
    struct fil_counter entries;
};

struct fil_map {
    uint64_t seed;
    uint32_t partition_count;
    struct shard shards[];
};

int fil_map_new(struct fil_map **out_map, struct fil_budget *budget, uint32_t partition_count,
                uint64_t seed)
{
    fil_assert(partition_count > 0);
    size_t bytes = sizeof(struct fil_map) + partition_count * sizeof(struct shard);
    struct fil_map *map = fil_alloc_aligned(FIL_CACHE_LINE, bytes);
    if (map == NULL) {
        return FIL_E_NOMEM;
    }
    map->seed = seed;
    map->partition_count = partition_count;
    for (uint32_t i = 0; i < partition_count; i++) {
        fil_table_init(&map->shards[i].table, budget);
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
        fil_table_fini(&map->shards[i].table);
    }
    fil_free(map);
}

struct fil_map_key fil_map_place(const struct fil_map *map, struct fil_bytes key)
{
    uint64_t hash = fil_hash(key, map->seed);
    // High bits choose the partition; the table uses the low ones.
    uint64_t partition_id = ((hash >> 32) * map->partition_count) >> 32;
    return (struct fil_map_key){
        .bytes = key, .hash = hash, .partition_id = (fil_partition_id)partition_id};
}

void fil_map_prefetch(const struct fil_map *map, const struct fil_map_key *key)
{
    FIL_PREFETCH(&map->shards[key->partition_id].table);
}

static struct shard *shard_of(struct fil_map *map, const struct fil_map_key *key)
{
    fil_debug_assert(key->partition_id < map->partition_count);
    return &map->shards[key->partition_id];
}

bool fil_map_get_here(struct fil_map *map, const struct fil_map_key *key,
                      struct fil_bytes *out_value)
{
    return fil_table_get(&shard_of(map, key)->table, key->hash, key->bytes, out_value);
}

/** The table's count as a counter that others may read; single writer: whoever
 * is inside. */
static void publish_count(struct shard *shard)
{
    atomic_store_explicit(&shard->entries.value, shard->table.count, memory_order_relaxed);
}

int fil_map_set_here(struct fil_map *map, const struct fil_map_key *key, struct fil_bytes value)
{
    struct shard *shard = shard_of(map, key);
    int error = fil_table_put(&shard->table, key->hash, key->bytes, value);
    publish_count(shard);
    return error;
}

bool fil_map_remove_here(struct fil_map *map, const struct fil_map_key *key)
{
    struct shard *shard = shard_of(map, key);
    bool is_found = fil_table_remove(&shard->table, key->hash, key->bytes);
    publish_count(shard);
    return is_found;
}

uint64_t fil_map_size(const struct fil_map *map)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        size += fil_counter_read(&map->shards[i].entries);
    }
    return size;
}

uint64_t fil_map_bytes(const struct fil_map *map)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        bytes += fil_account_used(&map->shards[i].table.account);
    }
    return bytes;
}
