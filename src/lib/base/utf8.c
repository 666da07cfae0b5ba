// SPDX-License-Identifier: Apache-2.0
#include "lib/base/utf8.h"

#include <string.h>

#include "lib/base/assert.h"

#define ELLIPSIS      "..."
#define ELLIPSIS_SIZE (sizeof(ELLIPSIS) - 1)

struct shape {
    uint8_t mask; // the bits of the first byte that tell the length,
    uint8_t mark; // and what they are
    uint32_t code_min;
};

// Row i is a character of i + 1 bytes; a smaller code in it is an overlong form.
static const struct shape shapes[] = {
    {0x80, 0x00, 0x0},
    {0xE0, 0xC0, 0x80},
    {0xF0, 0xE0, 0x800},
    {0xF8, 0xF0, 0x10000},
};

static bool is_scalar_value(uint32_t code)
{
    bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code <= 0x10FFFF && !is_surrogate;
}

/** The size by the first byte; 0 when no character begins so. */
static size_t read_size(uint8_t first)
{
    for (size_t i = 0; i < FIL_COUNT_OF(shapes); i++) {
        if ((first & shapes[i].mask) == shapes[i].mark) {
            return i + 1;
        }
    }
    return 0;
}

size_t fil_utf8_decode(struct fil_bytes bytes, uint32_t *out_code)
{
    size_t size = bytes.size == 0 ? 0 : read_size(bytes.data[0]);
    if (size == 0 || size > bytes.size) {
        return 0;
    }
    const struct shape *shape = &shapes[size - 1];
    uint32_t code = bytes.data[0] & (uint8_t)~shape->mask;
    for (size_t i = 1; i < size; i++) {
        if ((bytes.data[i] & 0xC0) != 0x80) {
            return 0;
        }
        code = (code << 6) | (bytes.data[i] & 0x3F);
    }
    if (code < shape->code_min || !is_scalar_value(code)) {
        return 0;
    }
    *out_code = code;
    return size;
}

/** How many bytes from a position on are ASCII, or a few less. */
static size_t skip_ascii(struct fil_bytes bytes, size_t at)
{
    size_t start = at;
    uint64_t block = 0;
    while (bytes.size - at >= sizeof(block)) {
        memcpy(&block, bytes.data + at, sizeof(block));
        if ((block & UINT64_C(0x8080808080808080)) != 0) {
            break;
        }
        at += sizeof(block);
    }
    return at - start;
}

bool fil_utf8_is_valid(struct fil_bytes bytes)
{
    uint32_t code = 0;
    size_t at = skip_ascii(bytes, 0);
    while (at < bytes.size) {
        bool is_ascii = bytes.data[at] < 0x80;
        size_t step =
            is_ascii ? 1 : fil_utf8_decode(fil_bytes_make(bytes.data + at, bytes.size - at), &code);
        if (step == 0) {
            return false;
        }
        at += step;
        at += is_ascii ? skip_ascii(bytes, at) : 0;
    }
    return true;
}

bool fil_utf8_is_printable(uint32_t code)
{
    bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    bool is_line_break = code == 0x2028 || code == 0x2029;
    bool is_mark = code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
    return !is_control && !is_line_break && !is_mark;
}

const char *fil_utf8_excerpt(struct fil_bytes bytes, char *out_text, size_t size)
{
    fil_assert(size >= 8);
    size_t used = 0;
    size_t cut = 0; // the last border of a character that leaves room for the ellipsis
    for (size_t at = 0; at < bytes.size;) {
        uint32_t code = 0;
        struct fil_bytes rest = fil_bytes_make(bytes.data + at, bytes.size - at);
        size_t step = fil_utf8_decode(rest, &code);
        bool is_shown = step > 0 && fil_utf8_is_printable(code);
        const char *shown = is_shown ? (const char *)rest.data : "?";
        size_t shown_size = is_shown ? step : 1;
        if (used + shown_size >= size) {
            memcpy(out_text + cut, ELLIPSIS, sizeof(ELLIPSIS));
            return out_text;
        }
        memcpy(out_text + used, shown, shown_size);
        used += shown_size;
        at += step > 0 ? step : 1;
        cut = used + ELLIPSIS_SIZE < size ? used : cut;
    }
    fil_assert(used < size);
    out_text[used] = '\0';
    return out_text;
}
