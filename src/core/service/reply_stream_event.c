// SPDX-License-Identifier: Apache-2.0
/** Server-sent events: their text. */
#include <string.h>

#include "core/service/reply_stream.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"

#define ID_BYTES_MAX 32U

static size_t count_lines(struct fil_bytes text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.size; i++) {
        count += text.data[i] == '\n';
    }
    return count;
}

/** "data: line", one for each line of the text. */
static void put_data(struct fil_writer *writer, struct fil_bytes text)
{
    for (size_t start = 0; start <= text.size;) {
        size_t left = text.size - start;
        struct fil_bytes rest = fil_bytes_make(left == 0 ? NULL : text.data + start, left);
        size_t size = fil_bytes_find(rest, '\n');
        (void)fil_writer_text(writer, "data: ");
        (void)fil_writer_bytes(writer, fil_bytes_make(rest.data, size));
        (void)fil_writer_text(writer, "\n");
        start += size + 1;
    }
}

static size_t size_of(const struct fil_reply_stream_message *message)
{
    size_t name_size = message->name == NULL ? 0 : strlen(message->name) + sizeof("event: \n");
    return message->data.size + count_lines(message->data) * sizeof("data: \n") + name_size +
           ID_BYTES_MAX;
}

/** Writes it; there is room for it. */
static void put_message(struct fil_writer *writer, const struct fil_reply_stream_message *message)
{
    if (message->id != 0) {
        (void)fil_writer_text(writer, "id: ");
        (void)fil_writer_decimal_u64(writer, message->id);
        (void)fil_writer_text(writer, "\n");
    }
    if (message->name != NULL) {
        (void)fil_writer_text(writer, "event: ");
        (void)fil_writer_text(writer, message->name);
        (void)fil_writer_text(writer, "\n");
    }
    put_data(writer, message->data);
    bool has_fit = fil_writer_text(writer, "\n");
    fil_assert(has_fit);
}

int fil_reply_stream_tell(struct fil_reply_stream *stream,
                          const struct fil_reply_stream_message *message)
{
    if (message->data.size > 0 && memchr(message->data.data, '\r', message->data.size) != NULL) {
        return FIL_E_INVALID;
    }
    size_t size = size_of(message);
    uint8_t *text = fil_alloc(size);
    if (text == NULL) {
        return FIL_E_NOMEM;
    }
    struct fil_writer writer;
    fil_writer_init(&writer, text, size);
    put_message(&writer, message);
    struct fil_bytes written = fil_writer_written(&writer);
    int error = fil_reply_stream_write(stream, written.data, written.size);
    fil_free(text);
    return error;
}

int fil_reply_stream_event(struct fil_reply_stream *stream, const char *name, const char *data)
{
    bool has_name = name != NULL && name[0] != '\0';
    if (data == NULL || (has_name && strpbrk(name, "\r\n") != NULL)) {
        return FIL_E_INVALID;
    }
    return fil_reply_stream_tell(stream,
                                 &(struct fil_reply_stream_message){.name = has_name ? name : NULL,
                                                                    .data = fil_bytes_of(data)});
}
