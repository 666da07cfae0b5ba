// SPDX-License-Identifier: Apache-2.0
/** Memcached's text protocol. */
#include <stdlib.h>
#include <string.h>

#include "filbert/error.h"
#include "protocol.h"
#include "text_line.h"

#define BODY_BYTES_MAX (UINT64_C(1) << 40)

static bool has(enum load_command command)
{
    return command == LOAD_GET || command == LOAD_SET || command == LOAD_MIXED;
}

static struct load_shape write_request(struct fil_writer *writer, enum load_command command,
                                       const struct load_requests_options *options)
{
    bool is_get = command == LOAD_GET;
    struct load_shape shape = {.key_count = 1, .expected.kind = is_get ? '$' : '+'};
    (void)fil_writer_text(writer, is_get ? "get " : "set ");
    load_protocol_write_key(writer, options, false);
    shape.first_end = writer->size;
    if (!is_get) {
        (void)fil_writer_format(writer, " 0 0 %u\r\n", options->value_size);
        load_protocol_write_value(writer, options->value_size);
    }
    (void)fil_writer_text(writer, "\r\n");
    shape.size = writer->size;
    return shape;
}

/** "VALUE key flags size": skips the value and its line end. */
static int begin_value(struct load_replies *replies)
{
    const char *size = strrchr(replies->line, ' ');
    char *end = NULL;
    replies->skip = size == NULL ? 0 : strtoull(size + 1, &end, 10) + 2;
    replies->number = 1; // a value was there
    return end != NULL && *end == '\0' && replies->skip <= BODY_BYTES_MAX ? 0 : FIL_E_MALFORMED;
}

static int end_line(struct load_replies *replies, struct load_reply *out_reply)
{
    if (load_line_begins(replies, "VALUE ")) {
        return begin_value(replies);
    }
    *out_reply = (struct load_reply){.kind = '+'};
    if (load_line_begins(replies, "END")) {
        out_reply->kind = '$';
        out_reply->miss_count = replies->number == 0;
        replies->number = 0;
        return 1;
    }
    if (load_line_begins(replies, "STORED")) {
        return 1;
    }
    bool is_error =
        strstr(replies->line, "ERROR") != NULL || load_line_begins(replies, "NOT_STORED");
    load_line_keep_error(replies);
    out_reply->kind = '-';
    return is_error ? 1 : FIL_E_MALFORMED;
}

static int next(struct load_replies *replies, struct fil_bytes *bytes, struct load_reply *out_reply)
{
    int result = 0;
    while (result == 0 && bytes->size > 0) {
        if (replies->skip > 0) {
            (void)load_body_skip(replies, bytes);
        } else if (load_line_take(replies, bytes)) {
            result = end_line(replies, out_reply);
        }
    }
    return result;
}

static void answer(struct fil_writer *writer, enum load_command command,
                   const struct load_requests_options *options)
{
    if (command != LOAD_GET) {
        (void)fil_writer_text(writer, "STORED\r\n");
        return;
    }
    (void)fil_writer_format(writer, "VALUE key 0 %u\r\n", options->value_size);
    load_protocol_write_value(writer, options->value_size);
    (void)fil_writer_text(writer, "\r\nEND\r\n");
}

const struct load_protocol load_protocol_memcached = {
    .name = "memcached",
    .overhead_max = 64,
    .has = has,
    .write = write_request,
    .next = next,
    .answer = answer,
};
