// SPDX-License-Identifier: Apache-2.0
/**
 * Pseudo-random numbers that can be repeated: the same seed gives the same sequence everywhere.
 *
 * For simulations, sampling and jitter; not for secrets (the environment's random() is). The
 * generator is xoshiro256**, its state filled by splitmix64. One owner a generator.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fil_prng {
    uint64_t state[4];
};

/** Any seed is good, zero too. */
void fil_prng_init(struct fil_prng *prng, uint64_t seed);

uint64_t fil_prng_next(struct fil_prng *prng);

/** 0 to limit - 1, each as likely as the other; the limit is at least 1. */
uint64_t fil_prng_below(struct fil_prng *prng, uint64_t limit);

/** First to last, both included. */
uint64_t fil_prng_range(struct fil_prng *prng, uint64_t first, uint64_t last);

/** 0 included, 1 excluded, in steps of 2^-53. */
double fil_prng_real(struct fil_prng *prng);

/** True with the given probability: never at 0, always at 1. */
bool fil_prng_chance(struct fil_prng *prng, double probability);

/** Puts `count` items of `size` bytes each into a random order, all orders being as likely. */
void fil_prng_shuffle(struct fil_prng *prng, void *items, size_t count, size_t size);

void fil_prng_fill(struct fil_prng *prng, void *out_bytes, size_t size);
