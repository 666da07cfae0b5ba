// SPDX-License-Identifier: Apache-2.0
#include "core/stream/lines.h"

#include "lib/base/alloc.h"
#include "lib/base/utf8.h"

#define BUFFER_BYTES  (256U << 10)
#define EXCERPT_BYTES 60U

int fil_lines_init(struct fil_lines *lines, const struct fil_processor_context *context)
{
    const struct fil_layout *layout =
        context->outbox.count == 1 ? &context->outbox.outlets[0].edge->layout : NULL;
    lines->buffer = fil_alloc(BUFFER_BYTES);
    fil_lines_reset(lines);
    if (layout == NULL || (layout->stride == 0) != (lines->parse == NULL)) {
        return FIL_E_INVALID;
    }
    return lines->buffer == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_lines_fini(struct fil_lines *lines)
{
    fil_free(lines->buffer);
    lines->buffer = NULL;
}

void fil_lines_reset(struct fil_lines *lines)
{
    lines->filled = 0;
    lines->position = 0;
    lines->is_at_end = false;
    lines->count = 0;
}

uint8_t *fil_lines_room(struct fil_lines *lines, size_t *out_room)
{
    size_t left = lines->filled - lines->position;
    memmove(lines->buffer, lines->buffer + lines->position, left);
    lines->position = 0;
    lines->filled = left;
    *out_room = BUFFER_BYTES - left;
    return lines->buffer + left;
}

/** The next line, without moving, and the bytes it takes. */
static int peek(const struct fil_lines *lines, struct fil_bytes *out_line, size_t *out_taken)
{
    struct fil_bytes rest =
        fil_bytes_make(lines->buffer + lines->position, lines->filled - lines->position);
    size_t end = fil_bytes_find(rest, '\n');
    if (end < rest.size || (lines->is_at_end && rest.size > 0)) {
        *out_taken = end < rest.size ? end + 1 : end;
        bool has_return = end > 0 && rest.data[end - 1] == '\r';
        *out_line = fil_bytes_make(rest.data, has_return ? end - 1 : end);
        return out_line->size > FIL_LINE_BYTES_MAX ? FIL_E_LIMIT : FIL_OK;
    }
    if (lines->is_at_end) {
        return FIL_E_NOT_FOUND;
    }
    return rest.size > FIL_LINE_BYTES_MAX ? FIL_E_LIMIT : FIL_E_AGAIN;
}

/** A watermark, when it has moved. */
static bool emit_watermark(struct fil_lines *lines, struct fil_processor_context *context)
{
    struct fil_event_time before = lines->time;
    int64_t time = 0;
    if (!lines->has_time ||
        fil_event_time_next(&lines->time, context->now_ns, &time) != FIL_BATCH_WATERMARK) {
        return true;
    }
    bool is_emitted = fil_outbox_mark(&context->outbox, FIL_BATCH_WATERMARK, time);
    lines->time = is_emitted ? lines->time : before;
    return is_emitted;
}

/** Why a line is no record, with its beginning. */
static int blame_line(struct fil_processor_context *context, int error, struct fil_bytes line)
{
    char excerpt[EXCERPT_BYTES];
    return fil_processor_blame(context, error, "this line %s: %s",
                               error == FIL_E_LIMIT ? "is too long for its field"
                                                    : "does not have the fields of the type",
                               fil_utf8_excerpt(line, excerpt, sizeof(excerpt)));
}

/** Emits a line as a record; FIL_E_FULL, or what the parser says. */
static int emit_line(struct fil_lines *lines, struct fil_processor_context *context,
                     struct fil_bytes line)
{
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    uint32_t size = stride == 0 ? (uint32_t)line.size : stride;
    void *room = fil_outbox_reserve(&context->outbox, 0, size);
    if (room == NULL) {
        return FIL_E_FULL;
    }
    int64_t time = FIL_TIME_NONE;
    if (lines->parse == NULL) {
        if (line.size != 0) {
            memcpy(room, line.data, line.size);
        }
    } else {
        int result = lines->parse(lines->context, line, room, &time);
        if (result != FIL_OK) {
            return result == FIL_E_NOT_FOUND ? FIL_OK : blame_line(context, result, line);
        }
    }
    fil_outbox_commit(&context->outbox, 0, size, time, 0);
    fil_event_time_observe(&lines->time, time, context->now_ns);
    return FIL_OK;
}

int fil_lines_emit(struct fil_lines *lines, struct fil_processor_context *context)
{
    struct fil_bytes line;
    size_t taken = 0;
    int error = emit_watermark(lines, context) ? peek(lines, &line, &taken) : FIL_E_FULL;
    if (error == FIL_OK) {
        error = emit_line(lines, context, line);
    }
    lines->position += error == FIL_OK ? taken : 0;
    lines->count += error == FIL_OK;
    return error;
}
