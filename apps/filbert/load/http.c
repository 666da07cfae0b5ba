// SPDX-License-Identifier: Apache-2.0
/** HTTP/1.1: GET and PUT of a path in which {key} stands for the key. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "filbert/error.h"
#include "protocol.h"
#include "text_line.h"

#define DEFAULT_PATH   "/"
#define KEY_MARK       "{key}"
#define BODY_BYTES_MAX (UINT64_C(1) << 40)

static bool has(enum load_command command)
{
    return command == LOAD_GET || command == LOAD_SET || command == LOAD_MIXED;
}

static struct load_shape write_request(struct fil_writer *writer, enum load_command command,
                                       const struct load_requests_options *options)
{
    const char *path = options->path == NULL ? DEFAULT_PATH : options->path;
    const char *mark = strstr(path, KEY_MARK);
    size_t before = mark == NULL ? strlen(path) : (size_t)(mark - path);
    struct load_shape shape = {.key_count = mark == NULL ? 0 : 1, .expected.kind = '$'};
    (void)fil_writer_text(writer, command == LOAD_GET ? "GET " : "PUT ");
    (void)fil_writer_bytes(writer, fil_bytes_make(path, before));
    if (mark != NULL) {
        load_protocol_write_key(writer, options, false);
        shape.first_end = writer->size;
        (void)fil_writer_text(writer, mark + strlen(KEY_MARK));
    }
    (void)fil_writer_text(writer, " HTTP/1.1\r\nHost: localhost\r\n");
    if (command != LOAD_GET) {
        (void)fil_writer_format(writer, "Content-Length: %u\r\n", options->value_size);
    }
    (void)fil_writer_text(writer, "\r\n");
    if (command != LOAD_GET) {
        load_protocol_write_value(writer, options->value_size);
    }
    shape.size = writer->size;
    return shape;
}

/** The status line: 2xx is well, 404 a miss, all else an error. */
static int begin_head(struct load_replies *replies)
{
    if (!load_line_begins(replies, "HTTP/1.") || replies->line_size < 12) {
        return FIL_E_MALFORMED;
    }
    bool is_missing = strncmp(replies->line + 9, "404", 3) == 0;
    bool is_well = replies->line[9] == '2' || is_missing;
    bool is_refusal =
        strncmp(replies->line + 9, "503", 3) == 0 || strncmp(replies->line + 9, "429", 3) == 0;
    replies->reply = (struct load_reply){
        .kind = is_well ? '$' : '-', .miss_count = is_missing, .is_refusal = is_refusal};
    replies->number = 0;        // the length of the body
    replies->elements_left = 1; // in the head
    if (!is_well) {
        load_line_keep_error(replies);
    }
    return 0;
}

static int end_line(struct load_replies *replies)
{
    if (replies->elements_left == 0) {
        return begin_head(replies);
    }
    if (strncasecmp(replies->line, "content-length:", 15) == 0) {
        replies->number = strtoull(replies->line + 15, NULL, 10);
        return replies->number <= BODY_BYTES_MAX ? 0 : FIL_E_MALFORMED;
    }
    if (strncasecmp(replies->line, "transfer-encoding:", 18) == 0) {
        return FIL_E_MALFORMED; // bodies are skipped by their length alone
    }
    if (replies->line_size > 0) {
        return 0;
    }
    replies->elements_left = 0;
    replies->skip = replies->number;
    return replies->skip == 0;
}

static int next(struct load_replies *replies, struct fil_bytes *bytes, struct load_reply *out_reply)
{
    int result = 0;
    while (result == 0 && bytes->size > 0) {
        if (replies->skip > 0) {
            result = load_body_skip(replies, bytes);
        } else if (load_line_take(replies, bytes)) {
            result = end_line(replies);
        }
    }
    if (result == 1) {
        *out_reply = replies->reply;
    }
    return result;
}

static void answer(struct fil_writer *writer, enum load_command command,
                   const struct load_requests_options *options)
{
    uint32_t size = command == LOAD_GET ? options->value_size : 0;
    (void)fil_writer_format(writer, "HTTP/1.1 200 OK\r\nContent-Length: %u\r\n\r\n", size);
    load_protocol_write_value(writer, size);
}

const struct load_protocol load_protocol_http = {
    .name = "http",
    .overhead_max = 512,
    .has = has,
    .write = write_request,
    .next = next,
    .answer = answer,
};
