// SPDX-License-Identifier: Apache-2.0
/**
 * Where the key of a record lies, and its hash.
 *
 * Keys of 8 bytes, the common case, are hashed by a mixer that loses nothing: equal hashes mean
 * equal keys, and nobody has to compare them. Keys of 16, short texts mostly, go through it twice;
 * all others go through XXH3.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/base/hash.h"

/** The key of a record; for keys that are no fixed piece of it. */
typedef void (*fil_key_fn)(const void *record, uint32_t size, struct fil_bytes *out_key);

/** All zero: records have no key. */
struct fil_key {
    uint32_t offset;
    uint32_t size;      // bytes of a fixed piece
    fil_key_fn extract; // or this
};

static inline bool fil_key_is_set(const struct fil_key *key)
{
    return key->size != 0 || key->extract != NULL;
}

static inline struct fil_bytes fil_key_of(const struct fil_key *key, const void *record,
                                          uint32_t size)
{
    struct fil_bytes bytes = {0};
    if (key->extract != NULL) {
        key->extract(record, size, &bytes);
    } else {
        bytes = fil_bytes_make((const uint8_t *)record + key->offset, key->size);
    }
    return bytes;
}

/** A bijection of 64-bit numbers whose every output bit depends on every input bit. */
static inline uint64_t fil_key_mix(uint64_t value)
{
    value ^= value >> 32;
    value *= UINT64_C(0xd6e8feb86659fd93);
    value ^= value >> 32;
    value *= UINT64_C(0xd6e8feb86659fd93);
    return value ^ (value >> 32);
}

/** Of a key of two numbers. */
static inline uint64_t fil_key_mix_pair(uint64_t first, uint64_t second)
{
    return fil_key_mix(fil_key_mix(first) + second);
}

static inline uint64_t fil_key_hash_bytes(struct fil_bytes bytes)
{
    if (bytes.size == 2 * sizeof(uint64_t)) {
        uint64_t pair[2];
        memcpy(pair, bytes.data, sizeof(pair));
        return fil_key_mix_pair(pair[0], pair[1]);
    }
    if (bytes.size == sizeof(uint64_t)) {
        uint64_t number;
        memcpy(&number, bytes.data, sizeof(number));
        return fil_key_mix(number);
    }
    return fil_hash(bytes, 0);
}

static inline uint64_t fil_key_hash(const struct fil_key *key, const void *record, uint32_t size)
{
    return fil_key_hash_bytes(fil_key_of(key, record, size));
}

/** The part of n that a hash belongs to; takes the high bits, tables take the low ones. */
static inline uint32_t fil_key_part(uint64_t hash, uint32_t count)
{
    return (uint32_t)(((hash >> 32) * count) >> 32);
}
