// SPDX-License-Identifier: Apache-2.0
#include "lib/base/prng.h"

#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/base/checked.h"
#include "lib/base/endian.h"

static uint64_t rotate_left(uint64_t value, unsigned count)
{
    return (value << count) | (value >> (64 - count));
}

/** One step of splitmix64: spreads a poor seed over all bits. */
static uint64_t split_mix(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

void fil_prng_init(struct fil_prng *prng, uint64_t seed)
{
    for (size_t i = 0; i < FIL_COUNT_OF(prng->state); i++) {
        prng->state[i] = split_mix(&seed);
    }
    // All zeros would stay so for ever; four steps of splitmix64 cannot give them.
    fil_assert((prng->state[0] | prng->state[1] | prng->state[2] | prng->state[3]) != 0);
}

uint64_t fil_prng_next(struct fil_prng *prng)
{
    uint64_t *state = prng->state;
    uint64_t result = rotate_left(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

/** Multiplies into range instead of dividing; the few values that would be favoured are redrawn. */
static uint64_t below_narrow(struct fil_prng *prng, uint32_t limit)
{
    uint64_t product = (fil_prng_next(prng) >> 32) * limit;
    if ((uint32_t)product < limit) {
        uint32_t unfair = (UINT32_C(0) - limit) % limit;
        while ((uint32_t)product < unfair) {
            product = (fil_prng_next(prng) >> 32) * limit;
        }
    }
    return product >> 32;
}

/** Draws as many bits as the limit has until the value is below it: twice at most, on average. */
static uint64_t below_wide(struct fil_prng *prng, uint64_t limit)
{
    uint64_t mask = UINT64_MAX >> __builtin_clzll(limit - 1);
    uint64_t value = fil_prng_next(prng) & mask;
    while (value >= limit) {
        value = fil_prng_next(prng) & mask;
    }
    return value;
}

uint64_t fil_prng_below(struct fil_prng *prng, uint64_t limit)
{
    fil_assert(limit > 0);
    return limit <= UINT32_MAX ? below_narrow(prng, (uint32_t)limit) : below_wide(prng, limit);
}

uint64_t fil_prng_range(struct fil_prng *prng, uint64_t first, uint64_t last)
{
    fil_assert(first <= last);
    uint64_t width = last - first;
    return width == UINT64_MAX ? fil_prng_next(prng) : first + fil_prng_below(prng, width + 1);
}

double fil_prng_real(struct fil_prng *prng)
{
    return (double)(fil_prng_next(prng) >> 11) * 0x1p-53;
}

bool fil_prng_chance(struct fil_prng *prng, double probability)
{
    fil_assert(probability >= 0.0);
    fil_assert(probability <= 1.0);
    return fil_prng_real(prng) < probability;
}

static void swap(uint8_t *a, uint8_t *b, size_t size)
{
    uint8_t parked[64];
    while (size > 0) {
        size_t part = fil_min_size(size, sizeof(parked));
        memcpy(parked, a, part);
        memcpy(a, b, part);
        memcpy(b, parked, part);
        a += part;
        b += part;
        size -= part;
    }
}

void fil_prng_shuffle(struct fil_prng *prng, void *items, size_t count, size_t size)
{
    fil_assert(size > 0);
    uint8_t *bytes = (uint8_t *)items;
    for (size_t left = count; left > 1; left--) {
        size_t chosen = (size_t)fil_prng_below(prng, left);
        if (chosen != left - 1) {
            swap(bytes + chosen * size, bytes + (left - 1) * size, size);
        }
    }
}

void fil_prng_fill(struct fil_prng *prng, void *out_bytes, size_t size)
{
    uint8_t *bytes = (uint8_t *)out_bytes;
    // Little endian, so that a seed gives the same bytes on every machine.
    while (size > 0) {
        uint8_t drawn[sizeof(uint64_t)];
        fil_store_u64_le(drawn, fil_prng_next(prng));
        size_t part = fil_min_size(size, sizeof(drawn));
        memcpy(bytes, drawn, part);
        bytes += part;
        size -= part;
    }
}
