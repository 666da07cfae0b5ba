// SPDX-License-Identifier: Apache-2.0
/**
 * Murmur3, 32 bits for x86, with the seed of the open client protocol: which partition a key
 * belongs to.
 *
 * It has no secret, because clients compute it too and must agree with the members; inside a
 * partition keys are found by fil_hash, which has one.
 *
 * Inlined, because it is paid for every request of every key.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/endian.h"

#define FIL_MURMUR3_SEED UINT32_C(0x01000193)

/** Bytes of the length that stands before a text when it is hashed. */
#define FIL_MURMUR3_LENGTH_SIZE 4U

static inline uint32_t fil_murmur3_rotate(uint32_t value, uint32_t bits)
{
    return value << bits | value >> (32 - bits);
}

static inline uint32_t fil_murmur3_scramble(uint32_t block)
{
    return fil_murmur3_rotate(block * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
}

static inline uint32_t fil_murmur3_add(uint32_t hash, uint32_t block)
{
    return fil_murmur3_rotate(hash ^ fil_murmur3_scramble(block), 13) * 5 + UINT32_C(0xe6546b64);
}

/** Up to three bytes at the end. */
static inline uint32_t fil_murmur3_add_tail(uint32_t hash, struct fil_bytes tail)
{
    uint32_t block = 0;
    fil_debug_assert(tail.size < 4);
    for (size_t i = tail.size; i > 0; i--) {
        block = block << 8 | tail.data[i - 1];
    }
    return tail.size == 0 ? hash : hash ^ fil_murmur3_scramble(block);
}

/** Goes on from a hash of whole blocks, and ends it; total_size includes those. */
static inline int32_t fil_murmur3_end(uint32_t hash, struct fil_bytes bytes, size_t total_size)
{
    size_t block_end = bytes.size & ~(size_t)3;
    for (size_t i = 0; i < block_end; i += 4) {
        hash = fil_murmur3_add(hash, fil_load_u32_le(bytes.data + i));
    }
    if (block_end < bytes.size) {
        hash = fil_murmur3_add_tail(hash,
                                    fil_bytes_make(bytes.data + block_end, bytes.size - block_end));
    }
    hash ^= (uint32_t)total_size;
    hash = (hash ^ hash >> 16) * UINT32_C(0x85ebca6b);
    hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
    return (int32_t)(hash ^ hash >> 16);
}

static inline int32_t fil_murmur3(struct fil_bytes bytes)
{
    return fil_murmur3_end(FIL_MURMUR3_SEED, bytes, bytes.size);
}

/** Of a text as it is serialized: its length, big-endian, which is one block, and its bytes. */
static inline int32_t fil_murmur3_text(struct fil_bytes text)
{
    uint8_t length[FIL_MURMUR3_LENGTH_SIZE];
    fil_store_u32_be(length, (uint32_t)text.size);
    uint32_t hash = fil_murmur3_add(FIL_MURMUR3_SEED, fil_load_u32_le(length));
    return fil_murmur3_end(hash, text, text.size + FIL_MURMUR3_LENGTH_SIZE);
}

/** The partition of a hash: its absolute value, which the smallest number does not have. */
static inline uint32_t fil_murmur3_partition(int32_t hash, uint32_t partition_count)
{
    fil_debug_assert(partition_count > 0);
    if (FIL_UNLIKELY(hash == INT32_MIN)) {
        return 0;
    }
    return (uint32_t)(hash < 0 ? -hash : hash) % partition_count;
}
