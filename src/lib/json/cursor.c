// SPDX-License-Identifier: Apache-2.0
#include "lib/json/cursor.h"

#include <string.h>

#include "lib/base/assert.h"

void fil_json_skip_blanks(struct fil_json_cursor *cursor)
{
    uint8_t next = fil_json_peek(cursor);
    while (next == ' ' || next == '\t' || next == '\n' || next == '\r') {
        cursor->at++;
        next = fil_json_peek(cursor);
    }
    fil_debug_assert(cursor->at <= cursor->text.size);
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(uint8_t c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool skip_escape(struct fil_json_cursor *cursor)
{
    if (!fil_json_skip_if(cursor, 'u')) {
        uint8_t c = fil_json_peek(cursor);
        if (c == 0 || strchr("\"\\/bfnrt", c) == NULL) {
            return false;
        }
        cursor->at++;
        return true;
    }
    for (int i = 0; i < 4; i++) {
        if (!is_hex(fil_json_peek(cursor))) {
            return false;
        }
        cursor->at++;
    }
    return true;
}

bool fil_json_skip_string(struct fil_json_cursor *cursor)
{
    if (!fil_json_skip_if(cursor, '"')) {
        return false;
    }
    while (!fil_json_skip_if(cursor, '"')) {
        if (fil_json_peek(cursor) < ' ') {
            return false; // a control character, or the end of the text
        }
        if (fil_json_skip_if(cursor, '\\')) {
            if (!skip_escape(cursor)) {
                return false;
            }
        } else {
            cursor->at++;
        }
    }
    return true;
}

static bool skip_digits(struct fil_json_cursor *cursor)
{
    size_t start = cursor->at;
    while (is_digit(fil_json_peek(cursor))) {
        cursor->at++;
    }
    return cursor->at > start;
}

bool fil_json_skip_number(struct fil_json_cursor *cursor)
{
    (void)fil_json_skip_if(cursor, '-');
    if (!fil_json_skip_if(cursor, '0') && !skip_digits(cursor)) {
        return false;
    }
    if (fil_json_skip_if(cursor, '.') && !skip_digits(cursor)) {
        return false;
    }
    if (fil_json_skip_if(cursor, 'e') || fil_json_skip_if(cursor, 'E')) {
        if (!fil_json_skip_if(cursor, '+')) {
            (void)fil_json_skip_if(cursor, '-');
        }
        return skip_digits(cursor);
    }
    return true;
}

bool fil_json_skip_word(struct fil_json_cursor *cursor, const char *word)
{
    size_t size = strlen(word);
    fil_debug_assert(cursor->at <= cursor->text.size);
    if (cursor->text.size - cursor->at < size ||
        memcmp(cursor->text.data + cursor->at, word, size) != 0) {
        return false;
    }
    cursor->at += size;
    return true;
}

/** From an opening bracket to the one that closes it. */
static bool skip_brackets(struct fil_json_cursor *cursor)
{
    size_t depth = 0;
    do {
        uint8_t next = fil_json_peek(cursor);
        if (next == '"') {
            if (!fil_json_skip_string(cursor)) {
                return false;
            }
            continue;
        }
        if (cursor->at == cursor->text.size) {
            return false;
        }
        depth += next == '{' || next == '[';
        depth -= next == '}' || next == ']';
        cursor->at++;
    } while (depth > 0);
    return true;
}

bool fil_json_skip_value(struct fil_json_cursor *cursor)
{
    fil_json_skip_blanks(cursor);
    switch (fil_json_peek(cursor)) {
    case '{':
    case '[':
        return skip_brackets(cursor);
    case '"':
        return fil_json_skip_string(cursor);
    case 'n':
        return fil_json_skip_word(cursor, "null");
    case 't':
        return fil_json_skip_word(cursor, "true");
    case 'f':
        return fil_json_skip_word(cursor, "false");
    default:
        return fil_json_skip_number(cursor);
    }
}

static uint32_t hex_of(const uint8_t *digits)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = digits[i];
        value = value * 16 + (is_digit(c) ? c - (uint32_t)'0' : (c | 32U) - (uint32_t)'a' + 10);
    }
    return value;
}

/** The UTF-8 bytes of a character; returns how many. */
static uint32_t encode(uint32_t point, uint8_t out[4])
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xC0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 63));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xE0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 63));
        out[2] = (uint8_t)(0x80 | (point & 63));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 63));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 63));
    out[3] = (uint8_t)(0x80 | (point & 63));
    return 4;
}

static uint32_t take_unicode(struct fil_json_unescaper *unescaper)
{
    fil_debug_assert(unescaper->end - unescaper->at >= 4);
    uint32_t point = hex_of(unescaper->at);
    unescaper->at += 4;
    bool is_high = point >= 0xD800 && point < 0xDC00;
    if (is_high && unescaper->end - unescaper->at >= 6 && unescaper->at[0] == '\\' &&
        unescaper->at[1] == 'u') {
        uint32_t low = hex_of(unescaper->at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            unescaper->at += 6;
            return 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return point;
}

uint32_t fil_json_take_piece(struct fil_json_unescaper *unescaper, uint8_t out[4])
{
    static const char short_forms[] = "b\bf\fn\nr\rt\t";
    if (unescaper->at == unescaper->end) {
        return 0;
    }
    uint8_t c = *unescaper->at++;
    if (c != '\\') {
        out[0] = c;
        return 1;
    }
    fil_debug_assert(unescaper->at < unescaper->end);
    c = *unescaper->at++;
    if (c == 'u') {
        return encode(take_unicode(unescaper), out);
    }
    const char *form = strchr(short_forms, c);
    out[0] = form != NULL && (form - short_forms) % 2 == 0 ? (uint8_t)form[1] : c;
    return 1;
}

bool fil_json_string_equals(struct fil_bytes quoted, struct fil_bytes wanted)
{
    fil_assert(quoted.size >= 2);
    struct fil_json_unescaper unescaper = fil_json_unescape(quoted);
    uint8_t piece[4];
    size_t at = 0;
    for (uint32_t size = fil_json_take_piece(&unescaper, piece); size > 0;
         size = fil_json_take_piece(&unescaper, piece)) {
        if (size > wanted.size - at || memcmp(wanted.data + at, piece, size) != 0) {
            return false;
        }
        at += size;
    }
    return at == wanted.size;
}
