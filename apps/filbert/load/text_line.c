// SPDX-License-Identifier: Apache-2.0
#include "text_line.h"

#include <string.h>

bool load_line_take(struct load_replies *replies, struct fil_bytes *bytes)
{
    if (replies->is_line_over) {
        replies->line_size = 0;
        replies->is_line_over = false;
    }
    size_t end = fil_bytes_find(*bytes, '\n');
    bool is_complete = end < bytes->size;
    for (size_t i = 0; i < end && replies->line_size < LOAD_REPLY_TEXT_MAX - 1; i++) {
        if (bytes->data[i] != '\r') {
            // A terminal must not be driven by what a server says.
            bool is_plain = bytes->data[i] >= ' ' && bytes->data[i] <= '~';
            replies->line[replies->line_size] = is_plain ? (char)bytes->data[i] : '?';
            replies->line_size++;
        }
    }
    size_t used = is_complete ? end + 1 : end;
    *bytes = fil_bytes_make(bytes->data + used, bytes->size - used);
    replies->line[replies->line_size] = '\0';
    replies->is_line_over = is_complete;
    return is_complete;
}

bool load_line_begins(const struct load_replies *replies, const char *text)
{
    return strncmp(replies->line, text, strlen(text)) == 0;
}

void load_line_keep_error(struct load_replies *replies)
{
    memcpy(replies->error_text, replies->line, sizeof(replies->error_text));
}

bool load_body_skip(struct load_replies *replies, struct fil_bytes *bytes)
{
    size_t step = replies->skip < bytes->size ? (size_t)replies->skip : bytes->size;
    replies->skip -= step;
    *bytes = fil_bytes_make(bytes->data + step, bytes->size - step);
    return replies->skip == 0;
}
