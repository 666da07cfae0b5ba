// SPDX-License-Identifier: Apache-2.0
#include "keys.h"

#include <math.h>

#include "lib/base/assert.h"

#define EXPONENT 0.99

// So many terms are summed up; an integral stands for the others.
#define TERMS_MAX UINT64_C(100000)

static double zeta(uint64_t count)
{
    double sum = 0;
    uint64_t term_count = count < TERMS_MAX ? count : TERMS_MAX;
    for (uint64_t i = 1; i <= term_count; i++) {
        sum += pow((double)i, -EXPONENT);
    }
    // The trapezoid rule: the curve from the middle of the last term to the middle of the next.
    double rest = 1 - EXPONENT;
    double from = (double)term_count + 0.5;
    double to = (double)count + 0.5;
    return sum + (pow(to, rest) - pow(from, rest)) / rest;
}

void load_keys_init(struct load_keys *keys, enum load_distribution distribution, uint64_t count,
                    uint64_t seed)
{
    fil_assert(count > 0);
    *keys = (struct load_keys){.distribution = distribution, .count = count};
    fil_prng_init(&keys->prng, seed);
    if (distribution == LOAD_ZIPF && count > 2) {
        keys->zeta = zeta(count);
        keys->scale = (1 - pow(2 / (double)count, 1 - EXPONENT)) / (1 - zeta(2) / keys->zeta);
    }
}

/** By inversion of an approximate distribution function; the first two numbers are exact. */
static uint64_t draw_zipf(struct load_keys *keys)
{
    if (keys->count <= 2) {
        return fil_prng_below(&keys->prng, keys->count);
    }
    double share = fil_prng_real(&keys->prng);
    double position = share * keys->zeta;
    if (position < 1) {
        return 0;
    }
    if (position < 1 + pow(2, -EXPONENT)) {
        return 1;
    }
    double part = pow(keys->scale * (share - 1) + 1, 1 / (1 - EXPONENT));
    uint64_t number = (uint64_t)((double)keys->count * part);
    return number < keys->count ? number : keys->count - 1;
}

uint64_t load_keys_next(struct load_keys *keys)
{
    switch (keys->distribution) {
    case LOAD_ZIPF:
        return draw_zipf(keys);
    case LOAD_SEQUENTIAL: {
        uint64_t number = keys->next;
        keys->next = number + 1 == keys->count ? 0 : number + 1;
        return number;
    }
    case LOAD_UNIFORM:
    default:
        return fil_prng_below(&keys->prng, keys->count);
    }
}
