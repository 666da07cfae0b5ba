// SPDX-License-Identifier: Apache-2.0
/**
 * The hash of keys inside one process: XXH3, 64 bits, seeded.
 *
 * Inlined, because the common key is short and the call would cost as much as the hash. The result
 * is the same on every machine and build, but nothing outside the process may depend on it: which
 * partition a key belongs to is decided by the protocol's own hash.
 */
#pragma once

#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/base/bytes.h"

static inline uint64_t fil_hash(struct fil_bytes bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes.data, bytes.size, seed);
}
