// SPDX-License-Identifier: Apache-2.0
/**
 * "Did you mean ...?": finds the word of a list that is nearest to a misspelt one.
 *
 * Nearness is the count of edits (a letter inserted, left out, replaced, or two neighbours
 * swapped), upper and lower case being equal. A word that differs in more than a third of its
 * letters is no suggestion: a wrong hint costs more than none.
 *
 * Memory: borrows the words; allocates nothing.
 */
#pragma once

#include <stddef.h>

#include "lib/base/bytes.h"

/** Longer words are neither compared nor suggested. */
#define FIL_SUGGEST_SIZE_MAX 64

struct fil_suggest {
    struct fil_bytes wanted;
    const char *best; // NULL as long as nothing is near enough
    size_t best_distance;
};

void fil_suggest_init(struct fil_suggest *suggest, struct fil_bytes wanted);

/** Keeps the candidate if it is near enough and nearer than those before it. */
void fil_suggest_offer(struct fil_suggest *suggest, const char *candidate);

/** Edits between the two; both are at most FIL_SUGGEST_SIZE_MAX bytes. */
size_t fil_suggest_distance(struct fil_bytes a, struct fil_bytes b);
