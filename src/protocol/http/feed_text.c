// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/feed_text.h"

#include <string.h>

#include "filbert/error.h"
#include "grid/map/form_text.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/base64.h"
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"
#include "lib/json/write.h"

#define FRAME_SIZE 64U // braces, and a count

/** A part of an event: text, or bytes. */
struct part {
    const char *name;
    struct fil_bytes bytes;
    bool is_text;
    char room[FIL_MAP_FORM_TEXT_MAX]; // of a number's text
};

static void init_part(struct part *part, const char *name, struct fil_bytes form)
{
    part->name = name;
    part->bytes = fil_map_form_text(form, part->room);
    part->is_text = !fil_map_form_is_serialized(part->bytes) && fil_utf8_is_valid(part->bytes);
}

static size_t part_size(const struct part *part)
{
    if (part->bytes.data == NULL) {
        return 0;
    }
    size_t value_size =
        part->is_text ? fil_json_quoted_size(part->bytes) : FIL_BASE64_SIZE(part->bytes.size) + 2;
    return strlen(part->name) + sizeof(", \"_base64\": ") + value_size;
}

static void put_part(struct fil_writer *writer, const struct part *part)
{
    if (part->bytes.data == NULL) {
        return;
    }
    bool is_first = fil_writer_written(writer).size == 1;
    (void)fil_writer_text(writer, is_first ? "\"" : ", \"");
    (void)fil_writer_text(writer, part->name);
    if (part->is_text) {
        (void)fil_writer_text(writer, "\": ");
        (void)fil_json_quote(writer, part->bytes);
        return;
    }
    (void)fil_writer_text(writer, "_base64\": \"");
    (void)fil_base64_encode(writer, part->bytes);
    (void)fil_writer_text(writer, "\"");
}

static const char *kind_name(enum fil_map_event_kind kind)
{
    switch (kind) {
    case FIL_MAP_ADDED:
        return "added";
    case FIL_MAP_REMOVED:
        return "removed";
    case FIL_MAP_UPDATED:
        return "updated";
    case FIL_MAP_EVICTED:
        return "evicted";
    case FIL_MAP_EXPIRED:
        return "expired";
    case FIL_MAP_ALL_EVICTED:
        return "all_evicted";
    case FIL_MAP_CLEARED:
        return "cleared";
    default:
        return "changed";
    }
}

static void put_object(struct fil_writer *writer, const struct part *parts, uint32_t count,
                       const struct fil_map_event *event)
{
    (void)fil_writer_text(writer, "{");
    for (uint32_t i = 0; i < count; i++) {
        put_part(writer, &parts[i]);
    }
    if (event->key.data == NULL) {
        (void)fil_writer_text(writer, "\"count\": ");
        (void)fil_writer_decimal_u64(writer, event->count);
    }
    bool has_fit = fil_writer_text(writer, "}");
    fil_assert(has_fit);
}

int fil_feed_text_tell_entry(struct fil_reply_stream *stream, const struct fil_map_event *event)
{
    struct part parts[3];
    init_part(&parts[0], "key", event->key);
    init_part(&parts[1], "value", event->value);
    init_part(&parts[2], "old_value", event->old_value);
    size_t size = FRAME_SIZE + part_size(&parts[0]) + part_size(&parts[1]) + part_size(&parts[2]);
    uint8_t *text = fil_alloc(size);
    if (text == NULL) {
        return FIL_E_NOMEM;
    }
    struct fil_writer writer;
    fil_writer_init(&writer, text, size);
    put_object(&writer, parts, FIL_COUNT_OF(parts), event);
    int error = fil_reply_stream_tell(
        stream, &(struct fil_reply_stream_message){.id = event->seq,
                                                   .name = kind_name(event->kind),
                                                   .data = fil_writer_written(&writer)});
    fil_free(text);
    return error;
}

static int tell_bytes(struct fil_reply_stream *stream, uint64_t id, struct fil_bytes bytes)
{
    size_t size = FIL_BASE64_SIZE(bytes.size);
    uint8_t *text = fil_alloc(size == 0 ? 1 : size);
    if (text == NULL) {
        return FIL_E_NOMEM;
    }
    struct fil_writer writer;
    fil_writer_init(&writer, text, size);
    bool has_fit = fil_base64_encode(&writer, bytes);
    fil_assert(has_fit);
    int error = fil_reply_stream_tell(
        stream, &(struct fil_reply_stream_message){
                    .id = id, .name = "base64", .data = fil_writer_written(&writer)});
    fil_free(text);
    return error;
}

int fil_feed_text_tell_message(struct fil_reply_stream *stream,
                               const struct fil_container_event *event)
{
    struct part part;
    init_part(&part, NULL, event->item);
    bool is_text = part.is_text &&
                   (part.bytes.size == 0 || memchr(part.bytes.data, '\r', part.bytes.size) == NULL);
    if (!is_text) {
        return tell_bytes(stream, event->seq, part.bytes);
    }
    return fil_reply_stream_tell(
        stream, &(struct fil_reply_stream_message){.id = event->seq, .data = part.bytes});
}
