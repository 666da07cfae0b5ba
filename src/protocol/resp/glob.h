// SPDX-License-Identifier: Apache-2.0
/**
 * Redis's patterns: * ? [abc] [a-z] [^a] and \ before what shall mean itself.
 *
 * Cost: linear in the text for patterns with one star, at most the product of the sizes otherwise.
 * A match can be made in pieces, so that nobody has to wait for a long one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/bytes.h"

/** Patterns of clients may not be longer: what cannot be made in pieces is bounded by that. */
#define FIL_RESP_PATTERN_BYTES_MAX 4096U

/** A match that is under way; zeroed: it begins. The bytes are the caller's, each time the same. */
struct fil_resp_glob {
    size_t at;             // in the pattern
    size_t text_at;        // in the text
    size_t behind_star;    // in the pattern; 0: there was none
    size_t star_text_from; // where the text behind the star's share begins
    size_t literal_size;   // of what stands behind the star for itself
    bool is_seeking;       // that, in the text
};

enum fil_resp_verdict {
    FIL_RESP_GLOB_MORE, // it is not known yet
    FIL_RESP_GLOB_YES,
    FIL_RESP_GLOB_NO,
};

/** Goes on for as many steps as are left, which are counted down. */
enum fil_resp_verdict fil_resp_glob_go_on(struct fil_resp_glob *glob, struct fil_bytes pattern,
                                          struct fil_bytes text, size_t *steps);

/** In one piece. */
bool fil_resp_glob_matches(struct fil_bytes pattern, struct fil_bytes text);
