// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "core/stream/files.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/file.h"

#define LINES_PER_CALL 4096U
#define UNFINISHED     ".part"

/** How far a file has been read: what a snapshot holds of it. */
struct place {
    uint64_t offset; // UINT64_MAX: to its end
    int64_t top;     // event time
    int64_t last;    // watermark that was emitted
};

struct input {
    char *name; // in the folder, its own; NULL: a path of the configuration
    struct place place;
};

struct source {
    const struct fil_file_source_config *config;
    struct input *inputs;
    uint32_t input_count;
    uint32_t input_room;
    uint32_t current; // file that is open
    struct fil_file file;
    uint64_t begun_at; // in it
    uint64_t read_to;
    struct fil_lines lines;
    uint32_t saved;
};

static bool ends_with(const char *name, const char *suffix)
{
    size_t size = strlen(name);
    size_t suffix_size = strlen(suffix);
    return size >= suffix_size && strcmp(name + size - suffix_size, suffix) == 0;
}

/** One more file, of which nothing was read. False: no memory, or too many. */
static bool add_input(struct source *source, const char *name)
{
    if (source->input_count == source->input_room) {
        uint32_t room = source->input_room == 0 ? 16 : source->input_room * 2;
        struct input *inputs = fil_realloc(source->inputs, room * sizeof(*inputs));
        if (inputs == NULL || source->input_count == FIL_FILE_COUNT_MAX) {
            source->inputs = inputs == NULL ? source->inputs : inputs;
            return false;
        }
        source->inputs = inputs;
        source->input_room = room;
    }
    struct input *input = &source->inputs[source->input_count];
    *input = (struct input){.place = {.top = FIL_TIME_NONE, .last = FIL_TIME_NONE}};
    if (name != NULL) {
        input->name = fil_alloc(strlen(name) + 1);
        if (input->name == NULL) {
            return false;
        }
        memcpy(input->name, name, strlen(name) + 1);
    }
    source->input_count++;
    return true;
}

static bool add_listed(void *context, const char *name)
{
    struct source *source = context;
    bool is_wanted = name[0] != '.' && !ends_with(name, UNFINISHED) &&
                     ends_with(name, source->config->suffix == NULL ? "" : source->config->suffix);
    return !is_wanted || add_input(source, name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct input *)a)->name, ((const struct input *)b)->name);
}

/** All files, those of a folder by name. FIL_E_LIMIT: too many, or no memory. */
static int list_inputs(struct source *source, struct fil_processor_context *context)
{
    if (source->config->folder == NULL) {
        bool is_good = source->config->path_count > 0;
        for (uint32_t i = 0; is_good && i < source->config->path_count; i++) {
            is_good = add_input(source, NULL);
        }
        return is_good ? FIL_OK : FIL_E_INVALID;
    }
    int error = fil_folder_list(source->config->folder, add_listed, source);
    if (source->input_count > 1) {
        qsort(source->inputs, source->input_count, sizeof(*source->inputs), compare_names);
    }
    // A stage that has begun does not say that there is no such thing: see source_complete.
    return error == FIL_E_NOT_FOUND
               ? fil_processor_blame(context, FIL_E_DENIED, "there is no folder '%s'",
                                     source->config->folder)
               : error;
}

static int source_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct source *source = self;
    source->config = config;
    source->file.fd = -1;
    source->current = UINT32_MAX;
    source->lines =
        (struct fil_lines){.parse = source->config->parse, .context = source->config->context};
    int error = fil_lines_init(&source->lines, context);
    if (error != FIL_OK || source->config->time.frame < 0 || source->config->time.lag < 0) {
        return error == FIL_OK ? FIL_E_INVALID : error;
    }
    error = list_inputs(source, context);
    // A file behind another one begins at the beginning of time again.
    source->lines.has_time =
        source->config->time.frame > 0 && source->input_count <= context->count;
    return error;
}

static void source_close(void *self)
{
    struct source *source = self;
    fil_file_drop(&source->file);
    fil_lines_fini(&source->lines);
    for (uint32_t i = 0; i < source->input_count; i++) {
        fil_free(source->inputs[i].name);
    }
    fil_free(source->inputs);
}

/** The number that tells which instance reads a file. */
static uint64_t shard_of(const struct source *source, uint32_t index)
{
    const char *name = source->inputs[index].name;
    return name == NULL ? index : fil_key_hash_bytes(fil_bytes_of(name));
}

static bool is_own(const struct source *source, const struct fil_processor_context *context,
                   uint32_t index)
{
    return shard_of(source, index) % context->count == context->index;
}

/** The path of a file; false when it is too long. */
static bool find_path(const struct source *source, uint32_t index, char out_path[FIL_PATH_MAX])
{
    const struct input *input = &source->inputs[index];
    int size = input->name == NULL
                   ? snprintf(out_path, FIL_PATH_MAX, "%s", source->config->paths[index])
                   : snprintf(out_path, FIL_PATH_MAX, "%s/%s", source->config->folder, input->name);
    return size > 0 && (uint32_t)size < FIL_PATH_MAX;
}

static int open_input(struct source *source, struct fil_processor_context *context, uint32_t index)
{
    char path[FIL_PATH_MAX];
    int error = find_path(source, index, path) ? fil_file_open(&source->file, path) : FIL_E_LIMIT;
    if (error == FIL_E_NOT_FOUND) {
        // A stage that has begun does not say that there is no such thing: see source_complete.
        return fil_processor_blame(context, FIL_E_DENIED, "there is no file '%s'", path);
    }
    return error == FIL_OK ? FIL_OK
                           : fil_processor_blame(context, error, "'%s' cannot be opened: %s", path,
                                                 fil_error_text(error));
}

/** Says in front of the reason where in the file it is: the line, or the byte behind a restore. */
static int blame_place(struct source *source, struct fil_processor_context *context, int error)
{
    char path[FIL_PATH_MAX];
    char reason[FIL_PROCESSOR_REASON_MAX];
    (void)find_path(source, source->current, path);
    (void)snprintf(reason, sizeof(reason), "%s",
                   context->reason[0] == '\0' ? fil_error_text(error) : context->reason);
    if (source->begun_at == 0) {
        return fil_processor_blame(context, error, "%s:%llu: %s", path,
                                   (unsigned long long)source->lines.count + 1, reason);
    }
    return fil_processor_blame(context, error, "%s, at byte %llu: %s", path,
                               (unsigned long long)source->inputs[source->current].place.offset,
                               reason);
}

/** Opens the next file of this instance that has not been read to its end. FIL_E_NOT_FOUND: none.
 */
static int open_next(struct source *source, struct fil_processor_context *context)
{
    for (uint32_t i = 0; i < source->input_count; i++) {
        const struct place *place = &source->inputs[i].place;
        if (place->offset == UINT64_MAX || !is_own(source, context, i)) {
            continue;
        }
        int error = open_input(source, context, i);
        source->current = i;
        source->begun_at = place->offset;
        source->read_to = place->offset;
        fil_lines_reset(&source->lines);
        int64_t frame = source->config->time.frame;
        fil_event_time_init(&source->lines.time, source->config->time.lag, frame == 0 ? 1 : frame,
                            0);
        source->lines.time.top = place->top;
        source->lines.time.last = place->last;
        return error;
    }
    return FIL_E_NOT_FOUND;
}

static void end_file(struct source *source)
{
    fil_file_drop(&source->file);
    source->inputs[source->current].place.offset = UINT64_MAX;
}

/** More of the file behind what is not used yet. */
static int refill(struct source *source)
{
    size_t room_bytes = 0;
    uint8_t *room = fil_lines_room(&source->lines, &room_bytes);
    int64_t count = fil_file_read_at(&source->file, source->read_to, room, room_bytes);
    if (count < 0) {
        return (int)count;
    }
    source->read_to += (uint64_t)count;
    source->lines.filled += (size_t)count;
    source->lines.is_at_end = count == 0;
    return FIL_OK;
}

static void note_place(struct source *source)
{
    const struct fil_lines *lines = &source->lines;
    source->inputs[source->current].place =
        (struct place){.offset = source->read_to - (lines->filled - lines->position),
                       .top = lines->time.top,
                       .last = lines->time.last};
}

/** Emits the lines of the open file; FIL_E_NOT_FOUND at its end. */
static int emit_lines(struct source *source, struct fil_processor_context *context)
{
    for (uint32_t i = 0; i < LINES_PER_CALL; i++) {
        int error = fil_lines_emit(&source->lines, context);
        note_place(source);
        error = error == FIL_E_AGAIN ? refill(source) : error;
        if (error != FIL_OK) {
            return error;
        }
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
        if (error == FIL_E_FULL || error == FIL_E_NOMEM) {
            return error;
        }
        if (error != FIL_E_NOT_FOUND) {
            return blame_place(source, context, error);
        }
        end_file(source);
    }
}

static int source_save(void *self, struct fil_processor_context *context,
                       struct fil_state_writer *writer)
{
    struct source *source = self;
    for (; source->saved < source->input_count; source->saved++) {
        const struct input *input = &source->inputs[source->saved];
        if (!is_own(source, context, source->saved)) {
            continue;
        }
        struct fil_bytes key = input->name == NULL
                                   ? fil_bytes_make(&source->saved, sizeof(source->saved))
                                   : fil_bytes_of(input->name);
        if (!fil_state_put_shard(writer, shard_of(source, source->saved), key,
                                 fil_bytes_make(&input->place, sizeof(input->place)))) {
            return FIL_E_FULL;
        }
    }
    source->saved = 0;
    return FIL_OK;
}

/** The file that a key of saved state is about; NULL: none. */
static struct input *find_input(struct source *source, struct fil_bytes key)
{
    uint32_t number = 0;
    if (source->config->folder == NULL) {
        memcpy(&number, key.data, key.size == sizeof(number) ? key.size : 0);
        bool is_good = key.size == sizeof(number) && number < source->input_count;
        return is_good ? &source->inputs[number] : NULL;
    }
    for (uint32_t i = 0; i < source->input_count; i++) {
        if (fil_bytes_equal(fil_bytes_of(source->inputs[i].name), key)) {
            return &source->inputs[i];
        }
    }
    return NULL;
}

static int source_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                          struct fil_bytes value)
{
    struct source *source = self;
    struct place place;
    (void)context;
    if (value.size != sizeof(place)) {
        return FIL_E_MALFORMED;
    }
    memcpy(&place, value.data, sizeof(place));
    struct input *input = find_input(source, key);
    if (input != NULL) {
        input->place = place;
        return FIL_OK;
    }
    // A file of a folder that was read may go.
    bool may_go = source->config->folder != NULL && place.offset == UINT64_MAX;
    return may_go ? FIL_OK : FIL_E_MALFORMED;
}

static void source_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    const struct fil_file_source_config *source = config;
    if (source->folder != NULL) {
        (void)snprintf(out_text, FIL_PROCESSOR_FORMAT_MAX, "places in files of a folder");
    } else {
        (void)snprintf(out_text, FIL_PROCESSOR_FORMAT_MAX, "places in %u files",
                       source->path_count);
    }
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
