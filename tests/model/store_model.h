// SPDX-License-Identifier: Apache-2.0
/**
 * A store beside a plain array that should hold the same, driven by a script of steps.
 *
 * A step is five numbers and means the same wherever it stands, so a script can be cut down and run
 * again. Running tells the first step after which the two differ.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/store/store.h"

#define MODEL_KEYS_MAX 4096U

enum model_verb {
    MODEL_PUT,
    MODEL_GET,
    MODEL_REMOVE,
    MODEL_EDIT,
    MODEL_EXPIRY, // set_expiry
    MODEL_MANY,   // find_many
    MODEL_INSPECT,
    MODEL_WAIT,
    MODEL_EXPIRE,
    MODEL_SCAN,
    MODEL_CLEAR,
    MODEL_CUT,    // begins a snapshot, goes on with it, or ends it
    MODEL_INDEX,  // finds by attribute
    MODEL_RANGE,  // finds by a range of attributes
    MODEL_STARVE, // a put that may find no memory
    MODEL_FILL,   // puts many
    MODEL_DRAIN,  // removes many
    MODEL_CHECK,  // everything at once
    MODEL_LIE,    // the array is told a falsehood: for the test of the test
    MODEL_VERBS
};

struct model_step {
    enum model_verb verb;
    uint32_t key;
    uint32_t size;
    uint32_t time;
    uint32_t choice;
};

/** What kind of store a script runs on. */
struct model_setting {
    enum fil_eviction eviction;
    uint32_t entry_count_max;
    uint32_t byte_count_max;
    uint32_t key_count;
    uint64_t hash_mask; // all ones: good hashes; few bits: nearly all collide
    bool has_statistics;
    bool has_indexes;
};

/** The setting and the script of a seed. */
struct model_setting model_setting_of(uint64_t seed);
void model_write(uint64_t seed, struct model_step *out_steps, uint32_t count);

/** Index of the first step that shows a difference, or count; out_problem says what it was. */
uint32_t model_run(const struct model_setting *setting, const struct model_step *steps,
                   uint32_t count, const char **out_problem);

/** Leaves out steps as long as the difference stays; returns how many are left. */
uint32_t model_shrink(const struct model_setting *setting, struct model_step *steps,
                      uint32_t count);

void model_print(const struct model_setting *setting, const struct model_step *steps,
                 uint32_t count);
