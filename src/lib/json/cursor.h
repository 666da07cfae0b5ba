// SPDX-License-Identifier: Apache-2.0
/**
 * Steps over JSON text: blanks, strings, numbers, whole values, and the characters of a string.
 *
 * A step that returns false may have moved; the text is then not what the step is about. Nothing
 * leaves the bytes that were given. Strings and numbers are strict, whole values are not: a value
 * is what stands between its brackets, whatever else is wrong inside.
 *
 * Memory: none; everything points into the text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

struct fil_json_cursor {
    struct fil_bytes text;
    size_t at;
};

/** The next byte; 0 at the end. */
static inline uint8_t fil_json_peek(const struct fil_json_cursor *cursor)
{
    return cursor->at < cursor->text.size ? cursor->text.data[cursor->at] : 0;
}

/** Steps over the byte if it is the next one. */
static inline bool fil_json_skip_if(struct fil_json_cursor *cursor, uint8_t wanted)
{
    if (cursor->at < cursor->text.size && cursor->text.data[cursor->at] == wanted) {
        cursor->at++;
        return true;
    }
    return false;
}

void fil_json_skip_blanks(struct fil_json_cursor *cursor);

/** A string with its quotes. */
bool fil_json_skip_string(struct fil_json_cursor *cursor) FIL_NODISCARD;
bool fil_json_skip_number(struct fil_json_cursor *cursor) FIL_NODISCARD;

/** A word such as null. */
bool fil_json_skip_word(struct fil_json_cursor *cursor, const char *word) FIL_NODISCARD;

/** Any value, with blanks before it. */
bool fil_json_skip_value(struct fil_json_cursor *cursor) FIL_NODISCARD;

/** A string's characters as UTF-8, without escapes, piece by piece. */
struct fil_json_unescaper {
    const uint8_t *at;
    const uint8_t *end;
};

/** Of a string that was stepped over, with its quotes. */
static inline struct fil_json_unescaper fil_json_unescape(struct fil_bytes quoted)
{
    return (struct fil_json_unescaper){.at = quoted.data + 1, .end = quoted.data + quoted.size - 1};
}

/** The next bytes; returns how many, 0 at the end. A lone surrogate has some of its own. */
uint32_t fil_json_take_piece(struct fil_json_unescaper *unescaper, uint8_t out[4]);

/** Whether the characters of a string, with its quotes, are those bytes. */
bool fil_json_string_equals(struct fil_bytes quoted, struct fil_bytes wanted);
