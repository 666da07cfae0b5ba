// SPDX-License-Identifier: Apache-2.0
// Sources and sinks, as vertices.
#include <string.h>

#include "core/pipeline/csv.h"
#include "core/pipeline/json_lines.h"
#include "core/pipeline/planner_internal.h"
#include "core/stream/files.h"
#include "core/stream/sinks.h"
#include "core/stream/socket_source.h"
#include "core/stream/timer_source.h"
#include "lib/base/assert.h"

#define NS_A_MS        UINT64_C(1000000)
#define LOG_LINE_BYTES 1024U

// Adapters between the functions of the program and those of the processors.

static int64_t time_of(const struct fil_type *type, const void *record)
{
    const struct fil_field *field = fil_type__time(type);
    int64_t time = FIL_TIME_NONE;
    if (field != NULL) {
        memcpy(&time, (const uint8_t *)record + field->offset, sizeof(time));
    }
    return time;
}

static int64_t generate(void *context, uint64_t sequence, void *out_record)
{
    const struct fil_stage *stage = context;
    stage->function.write(stage->context, sequence, out_record);
    return time_of(stage->type, out_record);
}

static int64_t copy_listed(void *context, uint64_t sequence, void *out_record)
{
    const struct fil_stage *stage = context;
    memcpy(out_record, (const uint8_t *)stage->records + sequence * stage->type->size,
           stage->type->size);
    return time_of(stage->type, out_record);
}

/** The whole line is the text; one that is too long for it is an error. */
static int parse_plain(const struct fil_type *type, struct fil_bytes line, void *out_record)
{
    const struct fil_field *field = &type->fields[0];
    if (line.size > field->size) {
        return FIL_E_LIMIT;
    }
    memset(out_record, 0, type->size);
    if (line.size != 0) {
        memcpy((uint8_t *)out_record + field->offset, line.data, line.size);
    }
    return FIL_OK;
}

static int parse_line(void *context, struct fil_bytes line, void *out_record, int64_t *out_time)
{
    const struct fil_stage *stage = context;
    if (stage->is_plain) {
        *out_time = FIL_TIME_NONE;
        return parse_plain(stage->type, line, out_record);
    }
    int error = stage->is_json ? fil_json_lines_parse(stage->type, line, out_record)
                               : fil_csv_parse(stage->type, line, out_record);
    if (error == FIL_OK) {
        *out_time = time_of(stage->type, out_record);
    }
    return error;
}

static size_t format_line(void *context, const void *record, uint32_t size, char *out_text,
                          size_t capacity)
{
    const struct fil_stage *stage = context;
    fil_assert(size == stage->type->size);
    return stage->is_json ? fil_json_lines_format(stage->type, record, out_text, capacity)
                          : fil_csv_format(stage->type, record, out_text, capacity);
}

static int take_record(void *context, const void *record, uint32_t size, int64_t time)
{
    const struct fil_stage *stage = context;
    (void)size;
    (void)time;
    return stage->function.take(stage->context, record);
}

static struct fil_source_time time_options(const struct fil_stage *stage)
{
    return (struct fil_source_time){.lag = stage->read.lag, .frame = stage->read.frame};
}

/** A file, or those of a folder whose names end as the path says behind an asterisk. */
static struct fil_chosen choose_files(struct fil_planner *planner, struct fil_stage *stage)
{
    const char **paths = fil_pipeline__alloc(planner->pipeline, 1, sizeof(*paths));
    struct fil_file_source_config config = {.paths = paths,
                                            .path_count = 1,
                                            .parse = parse_line,
                                            .context = stage,
                                            .time = time_options(stage)};
    const char *slash = strrchr(stage->path, '/');
    const char *name = slash == NULL ? stage->path : slash + 1;
    if (paths != NULL) {
        paths[0] = stage->path;
    }
    if (name[0] == '*') {
        size_t size = slash == NULL ? 1 : slash == stage->path ? 1 : (size_t)(slash - stage->path);
        char *folder = fil_pipeline__alloc(planner->pipeline, size + 1, 1);
        if (folder != NULL) {
            memcpy(folder, slash == NULL ? "." : stage->path, size);
        }
        config.folder = folder;
        config.suffix = name + 1;
    }
    return fil_planner__keep(planner, &fil_file_source_ops, &config, sizeof(config));
}

static struct fil_chosen choose_socket(struct fil_planner *planner, struct fil_stage *stage)
{
    const struct fil_socket_source_config config = {.address = stage->address,
                                                    .parse = parse_line,
                                                    .context = stage,
                                                    .time = time_options(stage)};
    return fil_planner__keep(planner, &fil_socket_source_ops, &config, sizeof(config));
}

static struct fil_chosen choose_timer(struct fil_planner *planner, const struct fil_stage *stage)
{
    const struct fil_timer_config config = {.interval_ns = stage->timer.interval_ns,
                                            .ns_a_unit = stage->timer.ns_a_unit,
                                            .count = stage->timer.count};
    return fil_planner__keep(planner, &fil_timer_ops, &config, sizeof(config));
}

struct fil_chosen fil_planner__choose_source(struct fil_planner *planner, struct fil_stage *stage)
{
    const struct fil_source_time time = time_options(stage);
    if (stage->kind == FIL_STAGE_CSV) {
        return choose_files(planner, stage);
    }
    if (stage->kind == FIL_STAGE_SOCKET) {
        return choose_socket(planner, stage);
    }
    if (stage->kind == FIL_STAGE_TIMER) {
        return choose_timer(planner, stage);
    }
    bool is_list = stage->kind == FIL_STAGE_LIST;
    if (is_list && stage->read.count == 0) {
        // To a generator that would be one without end.
        const struct fil_list_source_config config = {.records = stage->records, .time = time};
        return fil_planner__keep(planner, &fil_list_source_ops, &config, sizeof(config));
    }
    const struct fil_generator_config config = {.generate = is_list ? copy_listed : generate,
                                                .context = stage,
                                                .count = stage->read.count,
                                                .rate_a_second = stage->read.rate_a_second,
                                                .time = time};
    return fil_planner__keep(planner, &fil_generator_ops, &config, sizeof(config));
}

static int log_record(void *context, const void *record, uint32_t size, int64_t time)
{
    const struct fil_stage *stage = context;
    char line[LOG_LINE_BYTES];
    (void)size;
    (void)time;
    size_t wanted = fil_csv_format(stage->type, record, line, sizeof(line) - 1);
    line[wanted < sizeof(line) ? wanted : sizeof(line) - 1] = '\0'; // cut when it is too long
    stage->function.log(stage->context, stage->pipeline->name, line);
    return FIL_OK;
}

struct fil_chosen fil_planner__choose_sink(struct fil_planner *planner, struct fil_stage *stage)
{
    if (stage->kind == FIL_STAGE_FILES) {
        const struct fil_file_sink_config config = {.folder = stage->path,
                                                    .name = stage->file_name,
                                                    .format = format_line,
                                                    .context = stage,
                                                    .rotate_bytes = stage->rotate_bytes,
                                                    .rotate_ns = stage->rotate_ms * NS_A_MS};
        return fil_planner__keep(planner, &fil_file_sink_ops, &config, sizeof(config));
    }
    if (stage->kind == FIL_STAGE_EXPECTED) {
        const struct fil_expect_sink_config config = {.records = stage->records,
                                                      .count = stage->read.count,
                                                      .stride = stage->type->size,
                                                      .is_ordered = stage->is_ordered};
        return fil_planner__keep(planner, &fil_expect_sink_ops, &config, sizeof(config));
    }
    bool is_log = stage->kind == FIL_STAGE_LOG;
    const struct fil_callback_sink_config config = {.accept = is_log ? log_record : take_record,
                                                    .context = stage};
    return fil_planner__keep(planner, &fil_callback_sink_ops, &config, sizeof(config));
}
