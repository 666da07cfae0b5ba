// SPDX-License-Identifier: Apache-2.0
/** What filbert bench resp and its kin were told. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "load/measure.h"

struct load_flags {
    struct load_measure_options options;
    uint64_t connections;
    uint64_t pipeline;
    uint64_t key_size;
    uint64_t value_size;
    uint64_t batch;
    uint64_t threads;
    uint64_t requests; // 0: not given
    uint64_t rate;     // 0: not given
    uint64_t reads;
    uint64_t rounds;
    struct fil_address other; // of --compare
    const char *plot;         // NULL: no picture
    bool has_duration;
    bool has_other;
    bool is_null;
    bool is_json;
};

/** Reads the words, of which the first is the protocol; false after a message. */
bool load_flags_take(struct load_flags *flags, int count, char **words);
