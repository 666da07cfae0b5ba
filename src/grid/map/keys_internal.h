// SPDX-License-Identifier: Apache-2.0
/** Copies of keys, for work that changes the entries it has found. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/map/map.h"

struct fil_map__keys {
    struct fil_map_shard *shard;
    uint8_t *bytes; // all keys, one behind the other
    size_t bytes_used;
    size_t bytes_capacity;
    size_t *ends; // where each key ends
    uint32_t count;
    uint32_t capacity;
    bool is_out_of_memory; // and so some are missing
};

void fil_map__keys_init(struct fil_map__keys *keys, struct fil_map_shard *shard);
void fil_map__keys_fini(struct fil_map__keys *keys);
void fil_map__keys_add(struct fil_map__keys *keys, struct fil_bytes key);
/** The key with its place. */
struct fil_map_key fil_map__keys_place(const struct fil_map__keys *keys, uint32_t index);
struct fil_bytes fil_map__keys_at(const struct fil_map__keys *keys, uint32_t index);
