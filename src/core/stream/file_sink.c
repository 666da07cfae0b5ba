// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "core/stream/files.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/file.h"

#define BUFFER_BYTES   (256U << 10)
#define PATH_BYTES     1024U
#define PENDING_MAX    1024U
#define LINE_END_BYTES 1U

/** Name of a finished file: what a snapshot holds of it. */
struct part {
    int64_t epoch;
    uint32_t instance;
    uint32_t number; // of the epoch
};

struct sink {
    const struct fil_file_sink_config *config;
    struct fil_file file; // of the epoch; closed: nothing was written yet
    struct part part;     // its name
    uint64_t size;        // written to it
    uint8_t *buffer;
    size_t filled;
    struct part *pending; // written, but not visible yet
    uint32_t pending_count;
    uint32_t saved;
};

static int sink_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct sink *sink = self;
    sink->config = config;
    sink->file.fd = -1;
    sink->part.epoch = -1;
    context->tick_at_ns = FIL_TASKLET_NEVER;
    if (sink->config->folder == NULL || sink->config->name == NULL) {
        return FIL_E_INVALID;
    }
    sink->buffer = fil_alloc(BUFFER_BYTES);
    sink->pending = fil_alloc_zero(PENDING_MAX, sizeof(*sink->pending));
    return sink->buffer == NULL || sink->pending == NULL ? FIL_E_NOMEM : FIL_OK;
}

static void sink_close(void *self)
{
    struct sink *sink = self;
    fil_file_drop(&sink->file); // what is not pending does not count
    fil_free(sink->buffer);
    fil_free(sink->pending);
}

static int path_of(const struct sink *sink, const struct part *part, const char *ending,
                   char out_path[PATH_BYTES])
{
    char number[16] = "";
    if (part->number != 0) {
        (void)snprintf(number, sizeof(number), "-%u", part->number);
    }
    int size = snprintf(out_path, PATH_BYTES, "%s/%s-%u-%lld%s%s", sink->config->folder,
                        sink->config->name, part->instance, (long long)part->epoch, number, ending);
    return size > 0 && (uint32_t)size < PATH_BYTES ? FIL_OK : FIL_E_LIMIT;
}

static int open_part(struct sink *sink, struct fil_processor_context *context)
{
    bool is_first = sink->part.epoch != context->epoch;
    sink->part = (struct part){.epoch = context->epoch,
                               .instance = context->index,
                               .number = is_first ? 0 : sink->part.number + 1};
    sink->size = 0;
    char path[PATH_BYTES];
    int error = path_of(sink, &sink->part, ".part", path);
    if (sink->config->rotate_ns != 0) {
        context->tick_at_ns = context->now_ns + sink->config->rotate_ns;
    }
    return error == FIL_OK ? fil_file_create(&sink->file, path) : error;
}

static int flush(struct sink *sink)
{
    int error = sink->filled == 0
                    ? FIL_OK
                    : fil_file_append(&sink->file, fil_bytes_make(sink->buffer, sink->filled));
    sink->filled = 0;
    return error;
}

/** Text of a record at the end of the buffer; FIL_E_FULL when it does not fit. */
static int format(struct sink *sink, const void *record, uint32_t size)
{
    size_t room = BUFFER_BYTES - sink->filled - LINE_END_BYTES;
    uint8_t *to = sink->buffer + sink->filled;
    size_t written = size;
    if (sink->config->format != NULL) {
        written = sink->config->format(sink->config->context, record, size, (char *)to, room);
    } else if (written <= room) {
        memcpy(to, record, written);
    }
    if (written > room) {
        return FIL_E_FULL;
    }
    to[written] = '\n';
    sink->filled += written + LINE_END_BYTES;
    sink->size += written + LINE_END_BYTES;
    return FIL_OK;
}

static int write_record(struct sink *sink, const void *record, uint32_t size)
{
    int error = format(sink, record, size);
    if (error == FIL_E_FULL) {
        error = flush(sink);
        if (error == FIL_OK) {
            error = format(sink, record, size);
        }
        return error == FIL_E_FULL ? FIL_E_LIMIT : error;
    }
    return error;
}

/** Gives the file its name; it may have it already, from before a crash. */
static int publish(const struct sink *sink, const struct part *part)
{
    char from[PATH_BYTES];
    char to[PATH_BYTES];
    int error = path_of(sink, part, ".part", from);
    if (error == FIL_OK) {
        error = path_of(sink, part, "", to);
    }
    if (error == FIL_OK) {
        error = fil_file_rename(from, to);
    }
    if (error != FIL_E_NOT_FOUND) {
        return error;
    }
    struct fil_file file;
    error = fil_file_open(&file, to);
    return error == FIL_OK ? fil_file_close(&file) : FIL_E_IO;
}

/** What was written since the last snapshot is on the disk, and waits for its name. */
static int finish_part(struct sink *sink, struct fil_processor_context *context)
{
    context->tick_at_ns = FIL_TASKLET_NEVER;
    if (sink->file.fd < 0) {
        return FIL_OK;
    }
    if (sink->pending_count == PENDING_MAX) {
        return FIL_E_LIMIT; // so many snapshots have failed one after the other
    }
    int error = flush(sink);
    if (error == FIL_OK) {
        error = fil_file_sync(&sink->file);
    }
    int closed = fil_file_close(&sink->file);
    error = error == FIL_OK ? closed : error;
    if (error == FIL_OK && !context->has_snapshots) {
        return publish(sink, &sink->part); // nobody will ask for it again
    }
    if (error == FIL_OK) {
        sink->pending[sink->pending_count] = sink->part;
        sink->pending_count++;
    }
    return error;
}

static bool is_full(const struct sink *sink)
{
    return sink->config->rotate_bytes != 0 && sink->size >= sink->config->rotate_bytes;
}

static int sink_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct sink *sink = self;
    int error = FIL_OK;
    for (; error == FIL_OK && inbox->position < inbox->limit; inbox->position++) {
        error = sink->file.fd >= 0 ? FIL_OK : open_part(sink, context);
        if (error == FIL_OK) {
            error = write_record(sink, fil_batch_record(inbox->batch, inbox->position),
                                 fil_batch_record_size(inbox->batch, inbox->position));
        }
        if (error == FIL_OK && is_full(sink)) {
            error = finish_part(sink, context);
        }
    }
    return error;
}

/** The open file has been open for long enough. */
static int sink_tick(void *self, struct fil_processor_context *context)
{
    return finish_part(self, context);
}

static int sink_complete(void *self, struct fil_processor_context *context)
{
    return finish_part(self, context);
}

static int sink_save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer)
{
    struct sink *sink = self;
    int error = sink->saved == 0 ? finish_part(sink, context) : FIL_OK;
    if (error != FIL_OK) {
        return error;
    }
    for (; sink->saved < sink->pending_count; sink->saved++) {
        const struct part *part = &sink->pending[sink->saved];
        if (!fil_state_put_shard(writer, context->index, fil_bytes_make(part, sizeof(*part)),
                                 fil_bytes_make(NULL, 0))) {
            return FIL_E_FULL;
        }
    }
    sink->saved = 0;
    return FIL_OK;
}

static int sink_commit(void *self, struct fil_processor_context *context, int64_t id)
{
    struct sink *sink = self;
    (void)context;
    uint32_t left = 0;
    int error = FIL_OK;
    for (uint32_t i = 0; i < sink->pending_count; i++) {
        bool is_due = error == FIL_OK && sink->pending[i].epoch <= id;
        error = is_due ? publish(sink, &sink->pending[i]) : error;
        if (!is_due || error != FIL_OK) {
            sink->pending[left] = sink->pending[i];
            left++;
        }
    }
    sink->pending_count = left;
    return error;
}

static int sink_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                        struct fil_bytes value)
{
    const struct sink *sink = self;
    (void)context;
    struct part part;
    if (key.size != sizeof(part) || value.size != 0) {
        return FIL_E_MALFORMED;
    }
    memcpy(&part, key.data, sizeof(part));
    return publish(sink, &part);
}

static void sink_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    (void)config;
    (void)snprintf(out_text, FIL_PROCESSOR_FORMAT_MAX, "unpublished files");
}

const struct fil_processor_ops fil_file_sink_ops = {.name = "file sink",
                                                    .size = sizeof(struct sink),
                                                    .is_blocking = true,
                                                    .init = sink_init,
                                                    .process = sink_process,
                                                    .tick = sink_tick,
                                                    .complete = sink_complete,
                                                    .save = sink_save,
                                                    .restore = sink_restore,
                                                    .commit = sink_commit,
                                                    .describe = sink_describe,
                                                    .close = sink_close};
