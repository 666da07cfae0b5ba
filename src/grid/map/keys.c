// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "grid/map/keys_internal.h"
#include "grid/map/map_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

#define FIRST_COUNT 64U
#define FIRST_BYTES 2048U

void fil_map__keys_init(struct fil_map__keys *keys, struct fil_map_shard *shard)
{
    *keys = (struct fil_map__keys){.shard = shard};
}

void fil_map__keys_fini(struct fil_map__keys *keys)
{
    fil_free(keys->bytes);
    fil_free(keys->ends);
}

static bool grow_count(struct fil_map__keys *keys)
{
    if (keys->count < keys->capacity) {
        return true;
    }
    uint32_t capacity = keys->capacity == 0 ? FIRST_COUNT : keys->capacity * 2;
    size_t *ends = fil_realloc(keys->ends, capacity * sizeof(*ends));
    if (ends == NULL) {
        return false;
    }
    keys->ends = ends;
    keys->capacity = capacity;
    return true;
}

static bool grow_bytes(struct fil_map__keys *keys, size_t size)
{
    size_t needed = keys->bytes_used + size;
    if (needed <= keys->bytes_capacity) {
        return true;
    }
    size_t capacity = needed * 2 > FIRST_BYTES ? needed * 2 : FIRST_BYTES;
    uint8_t *bytes = fil_realloc(keys->bytes, capacity);
    if (bytes == NULL) {
        return false;
    }
    keys->bytes = bytes;
    keys->bytes_capacity = capacity;
    return true;
}

void fil_map__keys_add(struct fil_map__keys *keys, struct fil_bytes key)
{
    if (!grow_count(keys) || !grow_bytes(keys, key.size)) {
        keys->is_out_of_memory = true;
        return;
    }
    if (key.size > 0) {
        memcpy(keys->bytes + keys->bytes_used, key.data, key.size);
    }
    keys->bytes_used += key.size;
    keys->ends[keys->count] = keys->bytes_used;
    keys->count++;
}

struct fil_bytes fil_map__keys_at(const struct fil_map__keys *keys, uint32_t index)
{
    fil_assert(index < keys->count);
    size_t start = index == 0 ? 0 : keys->ends[index - 1];
    return fil_bytes_make(keys->bytes == NULL ? (const uint8_t *)"" : keys->bytes + start,
                          keys->ends[index] - start);
}

struct fil_map_key fil_map__keys_place(const struct fil_map__keys *keys, uint32_t index)
{
    const struct fil_map_shard *shard = keys->shard;
    struct fil_bytes bytes = fil_map__keys_at(keys, index);
    return (struct fil_map_key){.bytes = bytes,
                                .hash = fil_hash(bytes, shard->map->seed),
                                .partition_id = fil_map__id(shard)};
}
