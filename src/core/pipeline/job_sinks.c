// SPDX-License-Identifier: Apache-2.0
// The sinks of a job file.
#include <string.h>

#include "core/pipeline/csv.h"
#include "core/pipeline/job_file_internal.h"
#include "lib/base/units.h"

#define LINE_BYTES_MAX 8192U

/** Where printed lines go. */
struct printer {
    fil_print_fn print;
    void *context;
    const struct fil_type *type;
};

static int print_record(void *context, const void *record)
{
    const struct printer *printer = context;
    char line[LINE_BYTES_MAX];
    size_t size = fil_csv_format(printer->type, record, line, sizeof(line) - 1);
    if (size >= sizeof(line)) {
        return FIL_E_LIMIT;
    }
    line[size] = '\n';
    return printer->print(printer->context, fil_bytes_make(line, size + 1));
}

static int drop_record(void *context, const void *record)
{
    (void)context;
    (void)record;
    return FIL_OK;
}

/** FOLDER/NAME, the folder as it may be used; false with a fault. */
static bool split_path(struct fil_job_reader *reader, const yaml_node_t *node,
                       struct fil_write_files *files)
{
    const char *path = fil_job_reader__text(reader, node, "a path");
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    if (path != NULL && (slash == NULL || slash[1] == '\0')) {
        fil_job_reader__blame(reader, node, "'%s' is not FOLDER/NAME", path);
    }
    if (reader->has_failed) {
        return false;
    }
    size_t size = slash == path ? 1 : (size_t)(slash - path);
    const char *folder = fil_arena_text(&reader->file->arena, fil_bytes_make(path, size));
    files->folder = folder == NULL ? NULL : fil_job_reader__path(reader, node, folder);
    files->name = slash + 1;
    return files->folder != NULL;
}

static void read_file_option(struct fil_job_reader *reader, struct fil_write_files *files,
                             const char *key, const yaml_node_t *value)
{
    if (strcmp(key, "csv") == 0 || strcmp(key, "json") == 0) {
        files->is_json = key[0] == 'j';
        (void)split_path(reader, value, files);
    } else if (strcmp(key, "rotate") == 0) {
        const char *text = fil_job_reader__text(reader, value, "a size");
        if (text != NULL &&
            (fil_units_parse_size(fil_bytes_of(text), &files->rotate_bytes, NULL) != FIL_OK ||
             files->rotate_bytes == 0)) {
            fil_job_reader__blame(reader, value, "'%s' is no size: write it as 64MiB", text);
        }
    } else if (strcmp(key, "every") == 0) {
        (void)fil_job_reader__clock_ms(reader, value, &files->rotate_ms);
    } else {
        fil_job_reader__blame(reader, value, "a sink of files has no '%s'", key);
    }
}

/** {csv: FOLDER/NAME...} or {json: FOLDER/NAME...}. */
static void add_file_sink(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct fil_write_files files = {0};
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        read_file_option(reader, &files, key, value);
    }
    if (!reader->has_failed && files.folder != NULL) {
        fil_write_files(reader->stage, &files);
        reader->is_written = true;
    }
}

static void add_printer(struct fil_job_reader *reader)
{
    struct printer *printer = fil_job_reader__alloc(reader, 1, sizeof(*printer));
    if (printer != NULL) {
        *printer = (struct printer){.print = reader->print,
                                    .context = reader->context,
                                    .type = fil_stage_type(reader->stage)};
        fil_write_function(reader->stage, print_record, printer);
        reader->is_written = true;
    }
}

void fil_job_reader__sink(struct fil_job_reader *reader, const yaml_node_t *node)
{
    if (reader->test != NULL) {
        fil_job_reader__catch(reader);
        return;
    }
    if (fil_job_reader__grid_sink(reader, node) || fil_job_reader__http_sink(reader, node)) {
        return;
    }
    if (node->type == YAML_MAPPING_NODE) {
        add_file_sink(reader, node);
    } else if (node->type == YAML_SCALAR_NODE) {
        const char *text = fil_job_reader__text(reader, node, "a sink");
        if (text != NULL && strcmp(text, "stdout") == 0) {
            add_printer(reader);
        } else if (text != NULL && strcmp(text, "log") == 0) {
            fil_write_log(reader->stage);
            reader->is_written = true;
        } else if (text != NULL && strcmp(text, "nothing") == 0) {
            fil_write_function(reader->stage, drop_record, NULL);
            reader->is_written = true;
        }
    }
    if (!reader->is_written) {
        fil_job_reader__blame(
            reader, node,
            "a sink is stdout, log, nothing, {csv: FOLDER/NAME}, {json: FOLDER/NAME}, a map, "
            "queue, "
            "list, topic or ringbuffer as in {map: NAME}, or {http: SERVER, post: /PATH}");
    }
}
