// SPDX-License-Identifier: Apache-2.0
#include "replies.h"

#include "filbert/error.h"
#include "lib/base/assert.h"

#define LINE_END_BYTES 2U
#define ELEMENTS_MAX   UINT32_MAX
#define BODY_BYTES_MAX (UINT64_C(1) << 40)

static struct fil_bytes behind(struct fil_bytes bytes, size_t size)
{
    fil_assert(size <= bytes.size);
    return fil_bytes_make(bytes.data + size, bytes.size - size);
}

static void keep_text(struct load_replies *replies, struct fil_bytes text)
{
    for (size_t i = 0; i < text.size && replies->error_size < LOAD_REPLY_TEXT_MAX - 1; i++) {
        // A terminal must not be driven by what a server says.
        bool is_plain = text.data[i] >= ' ' && text.data[i] <= '~';
        if (text.data[i] != '\r') {
            replies->error_text[replies->error_size] = is_plain ? (char)text.data[i] : '?';
            replies->error_size++;
        }
    }
    replies->error_text[replies->error_size] = '\0';
}

static void begin_line(struct load_replies *replies, uint8_t kind)
{
    replies->kind = kind;
    replies->number = 0;
    replies->is_negative = false;
    if (kind == '-') {
        replies->error_size = 0;
    }
}

/** Takes what there is of a line; true when it is complete. */
static bool take_line(struct load_replies *replies, struct fil_bytes *bytes)
{
    if (replies->kind == 0) {
        begin_line(replies, bytes->data[0]);
        *bytes = behind(*bytes, 1);
    }
    size_t at = 0;
    uint64_t number = replies->number;
    for (; at < bytes->size && bytes->data[at] != '\n'; at++) {
        uint8_t digit = (uint8_t)(bytes->data[at] - '0');
        if (digit <= 9) {
            number = number * 10 + digit;
        } else if (bytes->data[at] == '-') {
            replies->is_negative = true;
        }
    }
    replies->number = number;
    if (replies->kind == '-') {
        keep_text(replies, fil_bytes_make(bytes->data, at));
    }
    bool is_complete = at < bytes->size;
    *bytes = behind(*bytes, is_complete ? at + 1 : at);
    return is_complete;
}

/** A reply, or an element of one, has ended. True when the reply is complete with it. */
static bool end_item(struct load_replies *replies)
{
    struct load_reply *reply = &replies->reply;
    uint8_t kind = replies->kind;
    replies->kind = 0;
    if (replies->elements_left == 0) {
        reply->kind = kind;
        return true;
    }
    if (kind == '-') {
        reply->kind = kind;
    }
    replies->elements_left--;
    return replies->elements_left == 0;
}

static int begin_array(struct load_replies *replies)
{
    if (replies->elements_left > 0 || replies->number > ELEMENTS_MAX) {
        return FIL_E_MALFORMED;
    }
    if (replies->number == 0 || replies->is_negative) {
        return end_item(replies);
    }
    replies->elements_left = (uint32_t)replies->number;
    replies->reply.element_count = replies->elements_left;
    replies->reply.kind = '*';
    replies->kind = 0;
    return 0;
}

/** Acts on a complete line: 1 when the reply ends with it, 0 when more follows. */
static int end_line(struct load_replies *replies)
{
    switch (replies->kind) {
    case '+':
    case '-':
    case ':':
        return end_item(replies);
    case '_':
        replies->reply.miss_count++;
        return end_item(replies);
    case '$':
        if (replies->is_negative) {
            replies->reply.miss_count++;
            return end_item(replies);
        }
        replies->skip = replies->number + LINE_END_BYTES;
        return replies->number <= BODY_BYTES_MAX ? 0 : FIL_E_MALFORMED;
    case '*':
        return begin_array(replies);
    default:
        return FIL_E_MALFORMED;
    }
}

/** Skips what there is of a body: 1 when the reply ends with it. */
static int skip_body(struct load_replies *replies, struct fil_bytes *bytes)
{
    size_t step = replies->skip < bytes->size ? (size_t)replies->skip : bytes->size;
    replies->skip -= step;
    *bytes = behind(*bytes, step);
    return replies->skip == 0 && end_item(replies);
}

int load_replies_next(struct load_replies *replies, struct fil_bytes *bytes,
                      struct load_reply *out_reply)
{
    int result = 0;
    while (result == 0 && bytes->size > 0) {
        if (replies->skip > 0) {
            result = skip_body(replies, bytes);
        } else if (take_line(replies, bytes)) {
            result = end_line(replies);
        }
    }
    if (result == 1) {
        *out_reply = replies->reply;
        replies->reply = (struct load_reply){0};
    }
    return result;
}
