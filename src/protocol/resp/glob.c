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

/** Moves the end of a star's share to where what follows the star may be; false: nowhere. */
static bool seek(struct fil_bytes literal, struct fil_bytes text, size_t *from)
{
    if (literal.size == 0) {
        return true;
    }
    const uint8_t *found = memmem(text.data + *from, text.size - *from, literal.data, literal.size);
    if (found == NULL) {
        return false;
    }
    *from = (size_t)(found - text.data);
    return true;
}

bool fil_resp_glob_matches(struct fil_bytes pattern, struct fil_bytes text)
{
    struct fil_bytes literal = {0}; // behind the star
    size_t at = 0;                  // in the pattern
    size_t behind_star = 0;         // 0: there was none
    size_t star_text_from = 0;      // where the text behind the star's share begins
    if (text.size == 0 && pattern.size > 1) {
        return false; // as Redis has it, also for several stars
    }
    for (size_t i = 0; i < text.size;) {
        if (at < pattern.size && pattern.data[at] == '*') {
            at++;
            behind_star = at;
            star_text_from = i;
            literal = literal_at(pattern, at);
            if (!seek(literal, text, &star_text_from)) {
                return false;
            }
            i = star_text_from;
        } else if (at < pattern.size && takes(pattern, &at, text.data[i])) {
            i++;
        } else if (behind_star > 0) {
            // The star takes one byte more, and what cannot be followed by the rest.
            star_text_from++;
            if (!seek(literal, text, &star_text_from)) {
                return false;
            }
            i = star_text_from;
            at = behind_star;
        } else {
            return false;
        }
    }
    while (at < pattern.size && pattern.data[at] == '*') {
        at++;
    }
    return at == pattern.size;
}
