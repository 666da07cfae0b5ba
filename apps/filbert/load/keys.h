// SPDX-License-Identifier: Apache-2.0
/** Which keys are asked for: numbers below a limit, drawn in one of several ways. */
#pragma once

#include <stdint.h>

#include "lib/base/prng.h"

enum load_distribution {
    LOAD_UNIFORM,    // each as likely as the other
    LOAD_ZIPF,       // few are hot: the number n is about as likely as 1 / (n + 1)
    LOAD_SEQUENTIAL, // one after the other, and again from the first
};

struct load_keys {
    enum load_distribution distribution;
    uint64_t count;
    struct fil_prng prng;
    uint64_t next; // of LOAD_SEQUENTIAL

    // Of LOAD_ZIPF, with z(n) the sum of i^-s for i from 1 to n.
    double zeta;  // z(count)
    double scale; // (1 - (2 / count)^(1 - s)) / (1 - z(2) / z(count))
};

void load_keys_init(struct load_keys *keys, enum load_distribution distribution, uint64_t count,
                    uint64_t seed);

/** A number below count. */
uint64_t load_keys_next(struct load_keys *keys);
