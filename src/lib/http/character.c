// SPDX-License-Identifier: Apache-2.0
#include "lib/http/character_internal.h"

#include "lib/base/endian.h"

#define TOKEN      FIL_HTTP_CHARACTER_TOKEN
#define TEXT       FIL_HTTP_CHARACTER_TEXT
#define TARGET     FIL_HTTP_CHARACTER_TARGET
#define HOST       FIL_HTTP_CHARACTER_HOST
#define UNRESERVED FIL_HTTP_CHARACTER_UNRESERVED

#define LETTER (TOKEN | TEXT | TARGET | HOST | UNRESERVED)
#define MARK   (TOKEN | TEXT | TARGET | HOST) // delimiters that tokens allow too
#define PART   (TEXT | TARGET | HOST)         // delimiters that tokens do not allow
#define RAW    (TEXT | TARGET)                // reserved, or sent unescaped by browsers
#define RAW_ID (TOKEN | TEXT | TARGET)

// clang-format off
const uint8_t fil_http_character_classes[256] = {
    ['\t'] = TEXT, [' '] = TEXT,
    ['!'] = MARK,  ['"'] = TEXT,  ['#'] = TOKEN | TEXT, ['$'] = MARK, ['%'] = MARK, ['&'] = MARK,
    ['\''] = MARK, ['('] = PART,  [')'] = PART, ['*'] = MARK, ['+'] = MARK, [','] = PART,
    ['-'] = LETTER, ['.'] = LETTER, ['/'] = RAW,
    ['0'] = LETTER, ['1'] = LETTER, ['2'] = LETTER, ['3'] = LETTER, ['4'] = LETTER,
    ['5'] = LETTER, ['6'] = LETTER, ['7'] = LETTER, ['8'] = LETTER, ['9'] = LETTER,
    [':'] = PART, [';'] = PART, ['<'] = TEXT, ['='] = PART, ['>'] = TEXT, ['?'] = RAW, ['@'] = RAW,
    ['A'] = LETTER, ['B'] = LETTER, ['C'] = LETTER, ['D'] = LETTER, ['E'] = LETTER,
    ['F'] = LETTER, ['G'] = LETTER, ['H'] = LETTER, ['I'] = LETTER, ['J'] = LETTER,
    ['K'] = LETTER, ['L'] = LETTER, ['M'] = LETTER, ['N'] = LETTER, ['O'] = LETTER,
    ['P'] = LETTER, ['Q'] = LETTER, ['R'] = LETTER, ['S'] = LETTER, ['T'] = LETTER,
    ['U'] = LETTER, ['V'] = LETTER, ['W'] = LETTER, ['X'] = LETTER, ['Y'] = LETTER,
    ['Z'] = LETTER,
    ['['] = PART, ['\\'] = RAW, [']'] = PART, ['^'] = RAW_ID, ['_'] = LETTER, ['`'] = RAW_ID,
    ['a'] = LETTER, ['b'] = LETTER, ['c'] = LETTER, ['d'] = LETTER, ['e'] = LETTER,
    ['f'] = LETTER, ['g'] = LETTER, ['h'] = LETTER, ['i'] = LETTER, ['j'] = LETTER,
    ['k'] = LETTER, ['l'] = LETTER, ['m'] = LETTER, ['n'] = LETTER, ['o'] = LETTER,
    ['p'] = LETTER, ['q'] = LETTER, ['r'] = LETTER, ['s'] = LETTER, ['t'] = LETTER,
    ['u'] = LETTER, ['v'] = LETTER, ['w'] = LETTER, ['x'] = LETTER, ['y'] = LETTER,
    ['z'] = LETTER,
    ['{'] = RAW, ['|'] = RAW_ID, ['}'] = RAW, ['~'] = LETTER,

#define EIGHT(first) \
    [(first)] = TEXT,     [(first) + 1] = TEXT, [(first) + 2] = TEXT, [(first) + 3] = TEXT, \
    [(first) + 4] = TEXT, [(first) + 5] = TEXT, [(first) + 6] = TEXT, [(first) + 7] = TEXT,
    EIGHT(0x80) EIGHT(0x88) EIGHT(0x90) EIGHT(0x98) EIGHT(0xa0) EIGHT(0xa8) EIGHT(0xb0) EIGHT(0xb8)
    EIGHT(0xc0) EIGHT(0xc8) EIGHT(0xd0) EIGHT(0xd8) EIGHT(0xe0) EIGHT(0xe8) EIGHT(0xf0) EIGHT(0xf8)
#undef EIGHT
};
// clang-format on

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/**
 * The top bit of each byte that is below blank or DEL; tab is among them. Exact up to the first
 * such byte, counted from the low end: what is above it may be told wrongly.
 */
static uint64_t find_control_bytes(uint64_t word)
{
    uint64_t flipped = word ^ EACH_BYTE(0x7f);
    // The top bit of a byte is set where it was clear and the subtraction went below zero.
    uint64_t below_blank = (word - EACH_BYTE(' ')) & ~word;
    uint64_t is_del = (flipped - EACH_BYTE(1)) & ~flipped;
    return (below_blank | is_del) & EACH_BYTE(0x80);
}

size_t fil_http_character__text_span(struct fil_bytes bytes)
{
    size_t size = 0;
    while (bytes.size - size >= sizeof(uint64_t)) {
        uint64_t found = find_control_bytes(fil_load_u64_le(bytes.data + size));
        if (found == 0) {
            size += sizeof(uint64_t);
            continue;
        }
        size += (size_t)__builtin_ctzll(found) / 8;
        if (bytes.data[size] != '\t') {
            return size;
        }
        size++;
    }
    struct fil_bytes rest = fil_bytes_make(bytes.data + size, bytes.size - size);
    return size + fil_http_character__span(rest, FIL_HTTP_CHARACTER_TEXT);
}

int fil_http_character__hex(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    uint8_t lower = byte | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
