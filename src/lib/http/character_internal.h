// SPDX-License-Identifier: Apache-2.0
/** Which byte may stand where: one table, a bit a class. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"

enum fil_http_character {
    FIL_HTTP_CHARACTER_TOKEN = 1,      // methods, header names
    FIL_HTTP_CHARACTER_TEXT = 2,       // inside a line: visible bytes, blank, tab, 0x80 to 0xff
    FIL_HTTP_CHARACTER_TARGET = 4,     // request targets
    FIL_HTTP_CHARACTER_HOST = 8,       // Host values
    FIL_HTTP_CHARACTER_UNRESERVED = 16 // needs no percent-encoding anywhere
};

extern const uint8_t fil_http_character_classes[256];

static inline bool fil_http_character__is(uint8_t byte, enum fil_http_character character)
{
    return (fil_http_character_classes[byte] & character) != 0;
}

/** How many bytes at the beginning are of the class. */
static inline size_t fil_http_character__span(struct fil_bytes bytes,
                                              enum fil_http_character character)
{
    size_t size = 0;
    while (size < bytes.size && fil_http_character__is(bytes.data[size], character)) {
        size++;
    }
    return size;
}

/** As above for text, eight bytes at a time: most of a head is looked at only by this. */
size_t fil_http_character__text_span(struct fil_bytes bytes);

/** The digit's value, or -1. */
int fil_http_character__hex(uint8_t byte);
