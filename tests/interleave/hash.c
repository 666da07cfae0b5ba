// SPDX-License-Identifier: Apache-2.0
// In a file of its own: the library's hash, which takes the widest vectors that the machine has,
// does not go together with the inlined one. Most of the explorer's time is spent here.
#include <xxhash.h>
#if defined(__x86_64__)
#include <xxh_x86dispatch.h>
#endif

#include "tests/interleave/explorer_internal.h"

uint64_t fil_explorer__hash(const void *memory, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(memory, size, seed);
}
