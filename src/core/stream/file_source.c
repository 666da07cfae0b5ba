// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "core/stream/files.h"
#include "core/stream/watermark.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/file.h"

#define BUFFER_BYTES   (256U << 10)
#define LINES_PER_CALL 4096U

/** How far a file has been read: what a snapshot holds of it. */
struct place {
    uint64_t offset; // UINT64_MAX: to its end
    int64_t top;     // event time
    int64_t last;    // watermark that was emitted
};

struct source {
    const struct fil_file_source_config *config;
    struct place *places; // by file
    uint32_t current;     // file that is open
    struct fil_file file;
    uint8_t *buffer;
    uint64_t buffer_at; // its place in the file
    size_t filled;
    size_t position;
    bool is_at_end; // nothing follows what the buffer has
    bool has_time;  // emits watermarks
    struct fil_event_time time;
    uint32_t saved;
};

static int source_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct source *source = self;
    source->config = config;
    source->file.fd = -1;
    source->current = UINT32_MAX;
    const struct fil_layout *layout =
        context->outbox.count == 1 ? &context->outbox.outlets[0].edge->layout : NULL;
    if (layout == NULL || (layout->stride == 0) != (source->config->parse == NULL) ||
        source->config->time.frame < 0 || source->config->time.lag < 0 ||
        source->config->path_count == 0 || source->config->path_count > FIL_FILE_COUNT_MAX) {
        return FIL_E_INVALID;
    }
    source->places = fil_alloc_zero(source->config->path_count, sizeof(*source->places));
    source->buffer = fil_alloc(BUFFER_BYTES);
    // A file behind another one begins at the beginning of time again.
    source->has_time =
        source->config->time.frame > 0 && source->config->path_count <= context->count;
    for (uint32_t i = 0; source->places != NULL && i < source->config->path_count; i++) {
        source->places[i] = (struct place){.top = FIL_TIME_NONE, .last = FIL_TIME_NONE};
    }
    return source->places == NULL || source->buffer == NULL ? FIL_E_NOMEM : FIL_OK;
}

static void source_close(void *self)
{
    struct source *source = self;
    fil_file_drop(&source->file);
    fil_free(source->buffer);
    fil_free(source->places);
}

static void seek(struct source *source, uint64_t offset)
{
    source->buffer_at = offset;
    source->filled = 0;
    source->position = 0;
    source->is_at_end = false;
}

/** Opens the next file of this instance that has not been read to its end. FIL_E_NOT_FOUND: none.
 */
static int open_next(struct source *source, const struct fil_processor_context *context)
{
    for (uint32_t i = context->index; i < source->config->path_count; i += context->count) {
        const struct place *place = &source->places[i];
        if (place->offset == UINT64_MAX) {
            continue;
        }
        int error = fil_file_open(&source->file, source->config->paths[i]);
        source->current = i;
        seek(source, place->offset);
        int64_t frame = source->config->time.frame;
        fil_event_time_init(&source->time, source->config->time.lag, frame == 0 ? 1 : frame, 0);
        source->time.top = place->top;
        source->time.last = place->last;
        return error == FIL_E_NOT_FOUND ? FIL_E_DENIED : error;
    }
    return FIL_E_NOT_FOUND;
}

static void end_file(struct source *source)
{
    fil_file_drop(&source->file);
    source->places[source->current].offset = UINT64_MAX;
}

/** More of the file behind what is not used yet. */
static int refill(struct source *source)
{
    size_t left = source->filled - source->position;
    memmove(source->buffer, source->buffer + source->position, left);
    source->buffer_at += source->position;
    source->position = 0;
    source->filled = left;
    int64_t count = fil_file_read_at(&source->file, source->buffer_at + left, source->buffer + left,
                                     BUFFER_BYTES - left);
    if (count < 0) {
        return (int)count;
    }
    source->filled += (size_t)count;
    source->is_at_end = count == 0;
    return FIL_OK;
}

/** The next line, without moving, and the bytes it takes; FIL_E_NOT_FOUND at the end. */
static int peek_line(struct source *source, struct fil_bytes *out_line, size_t *out_taken)
{
    for (;;) {
        struct fil_bytes rest =
            fil_bytes_make(source->buffer + source->position, source->filled - source->position);
        size_t end = fil_bytes_find(rest, '\n');
        if (end < rest.size || (source->is_at_end && rest.size > 0)) {
            *out_taken = end < rest.size ? end + 1 : end;
            bool has_return = end > 0 && rest.data[end - 1] == '\r';
            *out_line = fil_bytes_make(rest.data, has_return ? end - 1 : end);
            return out_line->size > FIL_FILE_LINE_BYTES_MAX ? FIL_E_LIMIT : FIL_OK;
        }
        if (source->is_at_end) {
            return FIL_E_NOT_FOUND;
        }
        if (rest.size > FIL_FILE_LINE_BYTES_MAX) {
            return FIL_E_LIMIT;
        }
        int error = refill(source);
        if (error != FIL_OK) {
            return error;
        }
    }
}

/** Emits a line as a record; FIL_E_FULL, or what the parser says. */
static int emit_line(struct source *source, struct fil_processor_context *context,
                     struct fil_bytes line)
{
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    uint32_t size = stride == 0 ? (uint32_t)line.size : stride;
    void *room = fil_outbox_reserve(&context->outbox, 0, size);
    if (room == NULL) {
        return FIL_E_FULL;
    }
    int64_t time = FIL_TIME_NONE;
    if (source->config->parse == NULL) {
        if (line.size != 0) {
            memcpy(room, line.data, line.size);
        }
    } else {
        int result = source->config->parse(source->config->context, line, room, &time);
        if (result != FIL_OK) {
            return result == FIL_E_NOT_FOUND ? FIL_OK : result;
        }
    }
    fil_outbox_commit(&context->outbox, 0, size, time, 0);
    fil_event_time_observe(&source->time, time, context->now_ns);
    return FIL_OK;
}

/** A watermark, when it has moved. */
static bool emit_watermark(struct source *source, struct fil_processor_context *context)
{
    struct fil_event_time before = source->time;
    int64_t time = 0;
    if (!source->has_time ||
        fil_event_time_next(&source->time, context->now_ns, &time) != FIL_BATCH_WATERMARK) {
        return true;
    }
    bool is_emitted = fil_outbox_mark(&context->outbox, FIL_BATCH_WATERMARK, time);
    source->time = is_emitted ? source->time : before;
    return is_emitted;
}

static void note_place(struct source *source)
{
    source->places[source->current] = (struct place){.offset = source->buffer_at + source->position,
                                                     .top = source->time.top,
                                                     .last = source->time.last};
}

/** Emits the lines of the open file; FIL_E_NOT_FOUND at its end. */
static int emit_lines(struct source *source, struct fil_processor_context *context)
{
    for (uint32_t i = 0; i < LINES_PER_CALL; i++) {
        struct fil_bytes line;
        size_t taken = 0;
        int error = emit_watermark(source, context) ? FIL_OK : FIL_E_FULL;
        note_place(source);
        if (error == FIL_OK) {
            error = peek_line(source, &line, &taken);
        }
        if (error == FIL_OK) {
            error = emit_line(source, context, line);
        }
        if (error != FIL_OK) {
            return error;
        }
        source->position += taken;
        note_place(source);
    }
    return FIL_E_FULL; // enough for one call
}

static int source_complete(void *self, struct fil_processor_context *context)
{
    struct source *source = self;
    for (;;) {
        int error = source->file.fd >= 0 ? FIL_OK : open_next(source, context);
        if (error != FIL_OK) {
            return error == FIL_E_NOT_FOUND ? FIL_OK : error;
        }
        error = emit_lines(source, context);
        if (error != FIL_E_NOT_FOUND) {
            return error;
        }
        end_file(source);
    }
}

static int source_save(void *self, struct fil_processor_context *context,
                       struct fil_state_writer *writer)
{
    struct source *source = self;
    for (; source->saved < source->config->path_count; source->saved++) {
        if (source->saved % context->count != context->index) {
            continue;
        }
        const struct place *place = &source->places[source->saved];
        if (!fil_state_put_shard(writer, source->saved,
                                 fil_bytes_make(&source->saved, sizeof(source->saved)),
                                 fil_bytes_make(place, sizeof(*place)))) {
            return FIL_E_FULL;
        }
    }
    source->saved = 0;
    return FIL_OK;
}

static int source_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                          struct fil_bytes value)
{
    struct source *source = self;
    (void)context;
    uint32_t file = 0;
    if (key.size != sizeof(file) || value.size != sizeof(*source->places)) {
        return FIL_E_MALFORMED;
    }
    memcpy(&file, key.data, sizeof(file));
    if (file >= source->config->path_count) {
        return FIL_E_MALFORMED;
    }
    memcpy(&source->places[file], value.data, sizeof(*source->places));
    return FIL_OK;
}

static void source_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    const struct fil_file_source_config *source = config;
    (void)snprintf(out_text, FIL_PROCESSOR_FORMAT_MAX, "places in %u files", source->path_count);
}

const struct fil_processor_ops fil_file_source_ops = {.name = "file source",
                                                      .size = sizeof(struct source),
                                                      .is_blocking = true,
                                                      .init = source_init,
                                                      .complete = source_complete,
                                                      .save = source_save,
                                                      .restore = source_restore,
                                                      .describe = source_describe,
                                                      .close = source_close};
