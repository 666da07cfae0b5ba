// SPDX-License-Identifier: Apache-2.0
#include "replies.h"

#include "lib/base/assert.h"

#define LINE_END_BYTES 2U

/** Takes one byte of a reply's first line; true when the reply is complete with it. */
static bool take_line_byte(struct lab_replies *replies, uint8_t byte)
{
    if (replies->kind == 0) {
        replies->kind = byte;
        replies->is_null = false;
        replies->size = 0;
        return false;
    }
    if (byte == '\n') {
        bool has_body = replies->kind == '$' && !replies->is_null;
        replies->error_count += replies->kind == '-';
        replies->kind = 0;
        replies->skip = has_body ? replies->size + LINE_END_BYTES : 0;
        return !has_body;
    }
    if (replies->kind == '$') {
        replies->is_null |= byte == '-';
        bool is_digit = byte >= '0' && byte <= '9';
        replies->size = is_digit ? replies->size * 10 + (size_t)(byte - '0') : replies->size;
    }
    return false;
}

uint32_t lab_replies_feed(struct lab_replies *replies, struct fil_bytes bytes)
{
    uint32_t count = 0;
    size_t at = 0;
    while (at < bytes.size) {
        if (replies->skip == 0) {
            count += take_line_byte(replies, bytes.data[at]);
            at++;
            continue;
        }
        size_t left = bytes.size - at;
        size_t step = replies->skip < left ? replies->skip : left;
        replies->skip -= step;
        at += step;
        count += replies->skip == 0;
    }
    fil_assert(at == bytes.size);
    return count;
}
