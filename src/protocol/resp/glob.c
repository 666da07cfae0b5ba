// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/glob.h"

#include <stddef.h>
#include <string.h>

/** Whether the byte is between the ends, whichever of them is larger. */
static bool is_between(uint8_t byte, uint8_t one, uint8_t other)
{
    return one <= other ? one <= byte && byte <= other : other <= byte && byte <= one;
}

/** The set behind a bracket at *at, which is moved behind the closing one; a set may be open. */
static bool is_in_set(struct fil_bytes pattern, size_t *at, uint8_t byte)
{
    size_t i = *at + 1;
    bool is_negated = i < pattern.size && pattern.data[i] == '^';
    bool is_found = false;
    i += is_negated;
    while (i < pattern.size && pattern.data[i] != ']') {
        if (pattern.data[i] == '\\' && i + 1 < pattern.size) {
            is_found |= pattern.data[i + 1] == byte;
            i += 2;
        } else if (i + 2 < pattern.size && pattern.data[i + 1] == '-') {
            is_found |= is_between(byte, pattern.data[i], pattern.data[i + 2]);
            i += 3;
        } else {
            is_found |= pattern.data[i] == byte;
            i++;
        }
    }
    *at = i < pattern.size ? i + 1 : i;
    return is_found != is_negated;
}

/** Whether the byte is what the pattern has at *at (no star), which is moved behind it. */
static bool takes(struct fil_bytes pattern, size_t *at, uint8_t byte)
{
    switch (pattern.data[*at]) {
    case '?':
        (*at)++;
        return true;
    case '[':
        return is_in_set(pattern, at, byte);
    case '\\':
        *at += *at + 1 < pattern.size;
        break;
    default:
        break;
    }
    (*at)++;
    return pattern.data[*at - 1] == byte;
}

/** The bytes of the pattern from there on that stand for themselves. */
static struct fil_bytes literal_at(struct fil_bytes pattern, size_t at)
{
    size_t end = at;
    while (end < pattern.size && memchr("*?[\\", pattern.data[end], 4) == NULL) {
        end++;
    }
    return fil_bytes_make(pattern.data + at, end - at);
}

/** Of the star's share and what it leaves, this many bytes are looked through at a time. */
#define WINDOW_BYTES ((size_t)64 << 10)

/** Of these bytes one step looks through so many. */
#define BYTES_PER_STEP 64U

/** What follows the star begins here: goes on from there. */
static void settle(struct fil_resp_glob *glob)
{
    glob->is_seeking = false;
    glob->text_at = glob->star_text_from;
    glob->at = glob->behind_star;
}

/** Moves the end of a star's share to where what follows the star may be; false: nowhere. */
static bool seek(struct fil_resp_glob *glob, struct fil_bytes pattern, struct fil_bytes text,
                 size_t *cost)
{
    size_t size = glob->literal_size;
    size_t left = text.size - glob->star_text_from;
    size_t room = left < WINDOW_BYTES + size ? left : WINDOW_BYTES + size;
    const uint8_t *from = text.data + glob->star_text_from;
    const uint8_t *found =
        size == 0 ? from : memmem(from, room, pattern.data + glob->behind_star, size);
    if (found != NULL) {
        *cost += (size_t)(found - from) / BYTES_PER_STEP;
        glob->star_text_from += (size_t)(found - from);
        settle(glob);
        return true;
    }
    *cost += room / BYTES_PER_STEP;
    glob->star_text_from += room - size + 1;
    return room < left;
}

static void begin_star(struct fil_resp_glob *glob, struct fil_bytes pattern, size_t *cost)
{
    glob->at++;
    glob->behind_star = glob->at;
    glob->star_text_from = glob->text_at;
    glob->literal_size = literal_at(pattern, glob->at).size;
    glob->is_seeking = true;
    *cost += glob->literal_size;
}

/** One step; false: the text does not match. */
static bool step(struct fil_resp_glob *glob, struct fil_bytes pattern, struct fil_bytes text,
                 size_t *cost)
{
    size_t before = glob->at;
    (*cost)++;
    if (glob->is_seeking) {
        return seek(glob, pattern, text, cost);
    }
    if (before < pattern.size && pattern.data[before] == '*') {
        begin_star(glob, pattern, cost);
        return true;
    }
    if (before < pattern.size && takes(pattern, &glob->at, text.data[glob->text_at])) {
        *cost += glob->at - before;
        glob->text_at++;
        return true;
    }
    *cost += glob->at - before;
    // The star takes one byte more, and what cannot be followed by the rest.
    glob->star_text_from++;
    glob->is_seeking = true;
    return glob->behind_star > 0;
}

/** The text is over: only stars may be left. */
static bool ends_well(const struct fil_resp_glob *glob, struct fil_bytes pattern,
                      struct fil_bytes text)
{
    size_t at = glob->at;
    if (text.size == 0 && pattern.size > 1) {
        return false; // as Redis has it, also for several stars
    }
    while (at < pattern.size && pattern.data[at] == '*') {
        at++;
    }
    return at == pattern.size;
}

enum fil_resp_verdict fil_resp_glob_go_on(struct fil_resp_glob *glob, struct fil_bytes pattern,
                                          struct fil_bytes text, size_t *steps)
{
    size_t cost = 0;
    enum fil_resp_verdict verdict = FIL_RESP_GLOB_MORE;
    while (verdict == FIL_RESP_GLOB_MORE && cost < *steps) {
        if (glob->text_at >= text.size && !glob->is_seeking) {
            verdict = ends_well(glob, pattern, text) ? FIL_RESP_GLOB_YES : FIL_RESP_GLOB_NO;
        } else if (!step(glob, pattern, text, &cost)) {
            verdict = FIL_RESP_GLOB_NO;
        }
    }
    *steps -= cost < *steps ? cost : *steps;
    return verdict;
}

bool fil_resp_glob_matches(struct fil_bytes pattern, struct fil_bytes text)
{
    struct fil_resp_glob glob = {0};
    size_t steps = SIZE_MAX;
    return fil_resp_glob_go_on(&glob, pattern, text, &steps) == FIL_RESP_GLOB_YES;
}
