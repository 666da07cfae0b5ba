// SPDX-License-Identifier: Apache-2.0
#include "lib/json/write.h"

#include "lib/base/assert.h"

#define ESCAPED_SIZE 6U // \u0000

static size_t size_of(uint8_t byte)
{
    if (byte == '"' || byte == '\\' || byte == '\n') {
        return 2;
    }
    return byte < ' ' ? ESCAPED_SIZE : 1;
}

size_t fil_json_quoted_size(struct fil_bytes text)
{
    size_t size = 2;
    for (size_t i = 0; i < text.size; i++) {
        size += size_of(text.data[i]);
    }
    return size;
}

static uint8_t *put(uint8_t *to, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    size_t size = size_of(byte);
    if (size == 1) {
        *to = byte;
    } else if (size == 2) {
        to[0] = '\\';
        to[1] = byte == '\n' ? 'n' : byte;
    } else {
        fil_assert(size == ESCAPED_SIZE);
        to[0] = '\\';
        to[1] = 'u';
        to[2] = '0';
        to[3] = '0';
        to[4] = (uint8_t)digits[byte >> 4];
        to[5] = (uint8_t)digits[byte & 15];
    }
    return to + size;
}

bool fil_json_quote(struct fil_writer *writer, struct fil_bytes text)
{
    size_t size = fil_json_quoted_size(text);
    uint8_t *start = fil_writer_reserve(writer, size);
    if (start == NULL) {
        return false;
    }
    uint8_t *to = start;
    *to++ = '"';
    for (size_t i = 0; i < text.size; i++) {
        to = put(to, text.data[i]);
    }
    *to++ = '"';
    fil_assert(to == start + size);
    return true;
}
