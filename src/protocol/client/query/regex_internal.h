// SPDX-License-Identifier: Apache-2.0
/**
 * The steps of an expression, as Thompson and Pike have them: a step takes a character, or splits
 * the way in two, or jumps.
 *
 *     a|b     split 1 3; take a; jump 4; take b; match
 *     a*      split 1 3; take a; jump 0; match
 */
#pragma once

#include "lib/base/assert.h"
#include "protocol/client/query/regex.h"

enum fil_query__step_kind {
    FIL_QUERY__CHARACTER,
    FIL_QUERY__ANY,
    FIL_QUERY__CLASS,
    FIL_QUERY__SPLIT, // to first, and to second
    FIL_QUERY__JUMP,  // to first
    FIL_QUERY__START,
    FIL_QUERY__END,
    FIL_QUERY__MATCH,
};

struct fil_query__range {
    uint32_t low;
    uint32_t high;
};

struct fil_query__regex_step {
    enum fil_query__step_kind kind;
    bool is_negated; // a class
    uint32_t first;  // step, character, or the first range
    uint32_t second; // step, or the number of ranges
};

struct fil_query_regex {
    uint32_t step_count;
    uint32_t range_count;
    struct fil_query__regex_step steps[FIL_QUERY_REGEX_STEPS_MAX];
    struct fil_query__range ranges[FIL_QUERY_REGEX_STEPS_MAX];
};

/** The character there, and steps over it. */
static inline uint32_t fil_query__take_character(struct fil_bytes text, size_t *at)
{
    fil_debug_assert(*at < text.size);
    uint8_t lead = text.data[*at];
    uint32_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    uint32_t point = more == 0 ? lead : lead & (0x3FU >> more);
    (*at)++;
    for (; more > 0 && *at < text.size; more--, (*at)++) {
        point = point << 6 | (text.data[*at] & 0x3FU);
    }
    return point;
}
