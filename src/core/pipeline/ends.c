// SPDX-License-Identifier: Apache-2.0
// Sources and sinks that are not structures of a member.
#include <stdio.h>
#include <string.h>

#include "core/pipeline/pipeline_internal.h"
#include "core/stream/timer_source.h"

#define FRAME_DEFAULT 1000
#define NS_A_MS       UINT64_C(1000000)

static void take_read_options(struct fil_stage *stage, const struct fil_read_options *options)
{
    stage->read = options == NULL ? (struct fil_read_options){0} : *options;
    if (stage->read.lag < 0 || stage->read.frame < 0) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "lag and frame cannot be negative");
    }
    if (stage->read.frame == 0 && fil_type__time(stage->type) != NULL) {
        stage->read.frame = FRAME_DEFAULT;
    }
}

struct fil_stage *fil_read_list(struct fil_pipeline *pipeline, const struct fil_type *type,
                                const void *records, uint64_t count)
{
    struct fil_stage *stage =
        fil_stage__take_type(fil_pipeline__add(pipeline, FIL_STAGE_LIST, NULL, NULL), type);
    if (stage != NULL) {
        stage->records = records;
        take_read_options(stage, NULL);
        stage->read.count = count;
    }
    return stage;
}

struct fil_stage *fil_read_generator(struct fil_pipeline *pipeline, const struct fil_type *type,
                                     fil_write_record_fn write, void *context,
                                     const struct fil_read_options *options)
{
    struct fil_stage *stage = fil_stage__need_function(
        fil_stage__take_type(fil_pipeline__add(pipeline, FIL_STAGE_GENERATOR, NULL, NULL), type),
        write != NULL);
    if (stage != NULL) {
        stage->function.write = write;
        stage->context = context;
        take_read_options(stage, options);
    }
    return stage;
}

static struct fil_stage *read_lines(struct fil_pipeline *pipeline, enum fil_stage_kind kind,
                                    const struct fil_type *type, bool is_json,
                                    const struct fil_read_options *options)
{
    struct fil_stage *stage =
        fil_stage__take_type(fil_pipeline__add(pipeline, kind, NULL, NULL), type);
    if (stage != NULL) {
        stage->is_json = is_json;
        stage->parallelism = 1;
        take_read_options(stage, options);
    }
    return stage;
}

struct fil_stage *fil_read_csv(struct fil_pipeline *pipeline, const struct fil_type *type,
                               const char *path, const struct fil_read_options *options)
{
    struct fil_stage *stage = read_lines(pipeline, FIL_STAGE_CSV, type, false, options);
    if (stage != NULL) {
        stage->path = fil_stage__copy_text(stage, path);
    }
    return stage;
}

struct fil_stage *fil_read_json(struct fil_pipeline *pipeline, const struct fil_type *type,
                                const char *path, const struct fil_read_options *options)
{
    struct fil_stage *stage = fil_read_csv(pipeline, type, path, options);
    if (stage != NULL) {
        stage->is_json = true;
    }
    return stage;
}

struct fil_stage *fil_read_lines(struct fil_pipeline *pipeline, const struct fil_type *type,
                                 const char *path, const struct fil_read_options *options)
{
    struct fil_stage *stage = fil_read_csv(pipeline, type, path, options);
    if (stage == NULL) {
        return NULL;
    }
    (void)snprintf(stage->name, sizeof(stage->name), "lines-%u", stage->number + 1);
    if (type->field_count != 1 || type->fields[0].kind != FIL_FIELD_TEXT) {
        fil_pipeline__blame(pipeline, stage, FIL_E_INVALID,
                            "lines are records of one text field, which type '%s' is not",
                            type->name);
        return NULL;
    }
    stage->is_plain = true;
    return stage;
}

struct fil_stage *fil_read_socket(struct fil_pipeline *pipeline, const struct fil_type *type,
                                  const char *address, bool is_json,
                                  const struct fil_read_options *options)
{
    struct fil_stage *stage = read_lines(pipeline, FIL_STAGE_SOCKET, type, is_json, options);
    if (stage != NULL && (address == NULL || address[0] == ':' ||
                          fil_address_parse(address, &stage->address) != FIL_OK)) {
        fil_pipeline__blame(pipeline, stage, FIL_E_ADDRESS,
                            "'%s' is no address: write it as 127.0.0.1:9000 or [::1]:9000",
                            address == NULL ? "" : address);
        return NULL;
    }
    return stage;
}

static const struct fil_field timer_fields[] = {FIL_TIME(struct fil_timer_record, time),
                                                FIL_I64(struct fil_timer_record, number)};
const struct fil_type fil_timer__type = FIL_TYPE(struct fil_timer_record, timer_fields);

struct fil_stage *fil_read_timer(struct fil_pipeline *pipeline,
                                 const struct fil_timer_options *options)
{
    struct fil_stage *stage = fil_stage__take_type(
        fil_pipeline__add(pipeline, FIL_STAGE_TIMER, NULL, NULL), &fil_timer__type);
    if (stage == NULL) {
        return NULL;
    }
    if (options->interval_ns == 0) {
        fil_pipeline__blame(pipeline, stage, FIL_E_INVALID, "a timer needs an interval above 0");
        return NULL;
    }
    stage->timer = *options;
    stage->timer.ns_a_unit = options->ns_a_unit == 0 ? NS_A_MS : options->ns_a_unit;
    stage->parallelism = 1;
    return stage;
}

void fil_write_function(struct fil_stage *input, fil_take_record_fn take, void *context)
{
    struct fil_stage *stage =
        fil_stage__need_function(fil_stage__add_behind(input, FIL_STAGE_FUNCTION), take != NULL);
    if (stage != NULL) {
        stage->function.take = take;
        stage->context = context;
        stage->parallelism = 1;
    }
}

void fil_write_log(struct fil_stage *input)
{
    struct fil_stage *stage = fil_stage__add_behind(input, FIL_STAGE_LOG);
    if (stage != NULL) {
        stage->parallelism = 1;
    }
}

void fil_write_files(struct fil_stage *input, const struct fil_write_files *options)
{
    struct fil_stage *stage = fil_stage__add_behind(input, FIL_STAGE_FILES);
    if (stage != NULL) {
        stage->path = fil_stage__copy_text(stage, options->folder);
        stage->file_name = fil_stage__copy_text(stage, options->name);
        stage->is_json = options->is_json;
        stage->rotate_bytes = options->rotate_bytes;
        stage->rotate_ms = options->rotate_ms;
        stage->parallelism = 1;
    }
}

void fil_write_csv(struct fil_stage *input, const char *folder, const char *name)
{
    fil_write_files(input, &(struct fil_write_files){.folder = folder, .name = name});
}

void fil_write_expected(struct fil_stage *input, const void *records, uint64_t count,
                        bool is_ordered)
{
    struct fil_stage *stage = fil_stage__add_behind(input, FIL_STAGE_EXPECTED);
    if (stage != NULL) {
        stage->records = records;
        stage->read.count = count;
        stage->is_ordered = is_ordered;
        stage->parallelism = 1;
    }
}
