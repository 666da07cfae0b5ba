// SPDX-License-Identifier: Apache-2.0
#include "lib/log/text.h"

#include <stdint.h>

#include "lib/base/assert.h"
#include "lib/base/utf8.h"

#define REPLACEMENT 0xFFFDU

struct character {
    uint32_t point;
    uint32_t size;    // bytes it takes
    bool is_rejected; // not UTF-8: one byte, shown as the replacement character
};

static struct character decode(struct fil_bytes text, size_t position)
{
    uint32_t point = REPLACEMENT;
    size_t size =
        fil_utf8_decode(fil_bytes_make(text.data + position, text.size - position), &point);
    return (struct character){
        .point = point, .size = size == 0 ? 1 : (uint32_t)size, .is_rejected = size == 0};
}

/** Moves a cursor, ends a line, or turns the direction of writing. */
static bool is_dangerous(uint32_t point)
{
    return point < 0x20U || (point >= 0x7FU && point <= 0x9FU) ||
           (point >= 0x2028U && point <= 0x202EU) || (point >= 0x2066U && point <= 0x2069U);
}

static bool needs_escape(struct character character)
{
    return character.is_rejected || character.point == '"' || character.point == '\\' ||
           is_dangerous(character.point);
}

bool fil_log_text_is_plain(struct fil_bytes text)
{
    for (size_t i = 0; i < text.size;) {
        struct character character = decode(text, i);
        if (needs_escape(character) || character.point == ' ' || character.point == '=') {
            return false;
        }
        i += character.size;
    }
    return text.size > 0;
}

static void write_escape(struct fil_writer *writer, uint32_t point)
{
    switch (point) {
    case '"':
        fil_writer_text(writer, "\\\"");
        break;
    case '\\':
        fil_writer_text(writer, "\\\\");
        break;
    case '\n':
        fil_writer_text(writer, "\\n");
        break;
    case '\r':
        fil_writer_text(writer, "\\r");
        break;
    case '\t':
        fil_writer_text(writer, "\\t");
        break;
    default:
        fil_assert(point <= 0xFFFFU); // nothing above needs an escape
        fil_writer_format(writer, "\\u%04x", point);
        break;
    }
}

void fil_log_text_escape(struct fil_writer *writer, struct fil_bytes text)
{
    size_t run = 0; // start of the bytes that go out as they are
    for (size_t i = 0; i < text.size;) {
        struct character character = decode(text, i);
        if (needs_escape(character)) {
            fil_writer_bytes(writer, fil_bytes_make(text.data + run, i - run));
            write_escape(writer, character.point);
            run = i + character.size;
        }
        i += character.size;
    }
    fil_writer_bytes(writer, fil_bytes_make(text.data + run, text.size - run));
}
