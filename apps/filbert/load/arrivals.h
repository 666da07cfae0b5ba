// SPDX-License-Identifier: Apache-2.0
/**
 * When the requests of an open loop are due: in even steps, or as if many people who know nothing
 * of each other made them (Poisson). What was not taken yet stays due.
 *
 * Threads: one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/prng.h"

struct load_arrivals {
    double interval_ns; // on average; 0: there are none
    bool is_random;
    struct fil_prng prng;
    uint64_t begin_ns;
    uint64_t length_ns; // nothing is due later; 0: no such limit
    uint64_t taken;
    double offset_ns; // of the next one, from the begin
};

/** The first one is due at once. */
void load_arrivals_init(struct load_arrivals *arrivals, uint64_t begin_ns, uint64_t length_ns,
                        double interval_ns);

/** They come at random from now on. */
void load_arrivals_scatter(struct load_arrivals *arrivals, uint64_t seed);

/** False: nothing is due any more. */
bool load_arrivals_has_next(const struct load_arrivals *arrivals);

/** When the next one is due. */
uint64_t load_arrivals_next_ns(const struct load_arrivals *arrivals);

/** How many are due and not taken; at random, whether there is one. */
uint32_t load_arrivals_count(const struct load_arrivals *arrivals, uint64_t now_ns);

/** Takes the next one; returns when it was due. */
uint64_t load_arrivals_take(struct load_arrivals *arrivals);

/** How many are due before the end and were not taken. */
uint64_t load_arrivals_rest(const struct load_arrivals *arrivals);
