// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/job_case.h"

#include <stdlib.h>
#include <string.h>

#include "core/pipeline/csv.h"
#include "core/pipeline/job_file_internal.h"
#include "core/pipeline/pipeline_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define LINE_BYTES_MAX 8192U

int fil_job_lines_add(struct fil_job_lines *lines, struct fil_bytes line)
{
    if (lines->count == FIL_JOB_CASE_ROWS_MAX || lines->size > FIL_JOB_CASE_BYTES_MAX) {
        return FIL_E_LIMIT;
    }
    if (lines->room - lines->size < line.size + 1) {
        size_t room = lines->room * 2 + line.size + 1;
        char *text = fil_realloc(lines->text, room);
        if (text == NULL) {
            return FIL_E_NOMEM;
        }
        lines->text = text;
        lines->room = room;
    }
    memcpy(lines->text + lines->size, line.data, line.size);
    lines->text[lines->size + line.size] = '\0';
    lines->size += line.size + 1;
    lines->count++;
    return FIL_OK;
}

void fil_job_case_fini(struct fil_job_case *each)
{
    fil_free(each->output.wanted.text);
    fil_free(each->output.got.text);
    fil_free(each->late.wanted.text);
    fil_free(each->late.got.text);
    *each = (struct fil_job_case){0};
}

static int add_record(struct fil_job_lines *lines, const struct fil_type *type, const void *record)
{
    char line[LINE_BYTES_MAX];
    size_t size = fil_csv_format(type, record, line, sizeof(line));
    return size > sizeof(line) ? FIL_E_LIMIT : fil_job_lines_add(lines, fil_bytes_make(line, size));
}

static int catch_record(void *context, const void *record)
{
    struct fil_job_catch *to = context;
    return add_record(&to->got, to->type, record);
}

// Values of the file, as fields of records.

static bool read_real(const char *text, double *out_value)
{
    char *end = NULL;
    *out_value = strtod(text, &end);
    return end != text && *end == '\0';
}

static bool read_field(struct fil_job_reader *reader, const yaml_node_t *node,
                       const struct fil_field *field, uint8_t *record)
{
    static const char *const kinds[] = {[FIL_FIELD_I64] = "i64",
                                        [FIL_FIELD_F64] = "f64",
                                        [FIL_FIELD_TIME] = "time",
                                        [FIL_FIELD_TEXT] = "text"};
    if (node == NULL || node->type != YAML_SCALAR_NODE) {
        fil_job_reader__blame(reader, node, "field '%s' needs a value", field->name);
        return false;
    }
    const char *text = (const char *)node->data.scalar.value;
    size_t size = node->data.scalar.length;
    uint8_t *to = record + field->offset;
    int64_t number = 0;
    double real = 0;
    bool is_good = false;
    if (field->kind == FIL_FIELD_TEXT) {
        is_good = size <= field->size && memchr(text, 0, size) == NULL;
        memcpy(to, text, is_good ? size : 0);
    } else if (field->kind == FIL_FIELD_F64) {
        is_good = read_real(text, &real);
        memcpy(to, &real, sizeof(real));
    } else {
        is_good = fil_bytes_to_i64(fil_bytes_make(text, size), &number);
        memcpy(to, &number, sizeof(number));
    }
    if (!is_good) {
        fil_job_reader__blame(reader, node, "'%s' does not fit field '%s', which is %s%s", text,
                              field->name, kinds[field->kind],
                              field->kind == FIL_FIELD_TEXT ? " of limited length" : "");
    }
    return is_good;
}

/** [value, value...], one for each field. */
static bool read_values(struct fil_job_reader *reader, const yaml_node_t *node,
                        const struct fil_type *type, uint8_t *record)
{
    const yaml_node_item_t *item = node->data.sequence.items.start;
    size_t count = (size_t)(node->data.sequence.items.top - item);
    if (count != type->field_count) {
        fil_job_reader__blame(reader, node, "%zu values for a record of %u fields", count,
                              type->field_count);
        return false;
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        const yaml_node_t *value = yaml_document_get_node(&reader->document, item[i]);
        if (!read_field(reader, value, &type->fields[i], record)) {
            return false;
        }
    }
    return true;
}

/** [value, value...] or {field: value...}, where what is not named is zero. */
static bool read_row(struct fil_job_reader *reader, const yaml_node_t *node,
                     const struct fil_type *type, uint8_t *record)
{
    memset(record, 0, type->size);
    if (node->type == YAML_SEQUENCE_NODE) {
        return read_values(reader, node, type, record);
    }
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        const struct fil_field *field = fil_type__find(type, key);
        if (field == NULL) {
            fil_job_reader__blame(reader, value, "there is no field '%s'", key);
        } else {
            (void)read_field(reader, value, field, record);
        }
    }
    return !reader->has_failed;
}

/** Rows as records, one behind the other. NULL with a fault. */
static uint8_t *read_rows(struct fil_job_reader *reader, const yaml_node_t *list,
                          const struct fil_type *type, uint32_t *out_count)
{
    if (list->type != YAML_SEQUENCE_NODE) {
        fil_job_reader__blame(reader, list, "a list of records is expected here");
        return NULL;
    }
    const yaml_node_item_t *item = list->data.sequence.items.start;
    size_t count = (size_t)(list->data.sequence.items.top - item);
    if (count > FIL_JOB_CASE_ROWS_MAX) {
        fil_job_reader__blame(reader, list, "more than %u records", FIL_JOB_CASE_ROWS_MAX);
        return NULL;
    }
    uint8_t *rows = fil_job_reader__alloc(reader, count + 1, type->size);
    for (size_t i = 0; rows != NULL && i < count; i++) {
        const yaml_node_t *row = yaml_document_get_node(&reader->document, item[i]);
        if (!read_row(reader, row, type, rows + i * type->size)) {
            return NULL;
        }
    }
    *out_count = (uint32_t)count;
    return rows;
}

// What stands in for sources, sinks and maps.

struct input {
    const uint8_t *records;
    uint32_t size;
};

static void write_input(void *context, uint64_t sequence, void *out_record)
{
    const struct input *input = context;
    memcpy(out_record, input->records + sequence * input->size, input->size);
}

/** The records that the test has for the source: of the pipeline, or of one of its streams. */
static const yaml_node_t *find_input(struct fil_job_reader *reader)
{
    if (reader->stream_name == NULL) {
        return fil_job_reader__find(reader, reader->test, "input");
    }
    const yaml_node_t *streams = fil_job_reader__find(reader, reader->test, "streams");
    return streams == NULL ? NULL : fil_job_reader__find(reader, streams, reader->stream_name);
}

bool fil_job_reader__is_fed(struct fil_job_reader *reader)
{
    return reader->test != NULL && find_input(reader) != NULL;
}

void fil_job_reader__feed(struct fil_job_reader *reader, const struct fil_type *type, int64_t lag)
{
    const yaml_node_t *list = find_input(reader);
    struct input *input = fil_job_reader__alloc(reader, 1, sizeof(*input));
    uint32_t count = 0;
    if (list == NULL && reader->stream_name != NULL) {
        fil_job_reader__blame(reader, reader->test, "a test of stream '%s' needs it in 'streams'",
                              reader->stream_name);
    } else if (list == NULL) {
        fil_job_reader__blame(reader, reader->test, "a test of this source needs 'input'");
    }
    if (list == NULL) {
        return;
    }
    const uint8_t *records = input == NULL ? NULL : read_rows(reader, list, type, &count);
    if (records == NULL) {
        return;
    }
    *input = (struct input){.records = records, .size = type->size};
    // A generator without records would be one without end.
    const struct fil_read_options options = {.lag = lag, .frame = 1, .count = count};
    reader->stage =
        count == 0 ? fil_read_list(reader->file->pipeline, type, records, 0)
                   : fil_read_generator(reader->file->pipeline, type, write_input, input, &options);
    if (reader->stage != NULL) {
        reader->stage->batch_records = 1; // the watermark follows each
    }
}

void fil_job_reader__catch(struct fil_job_reader *reader)
{
    struct fil_job_case *each = reader->test_case;
    struct fil_job_catch *to = reader->is_late ? &each->late : &each->output;
    const char *name = reader->is_late ? "late" : "output";
    if (to->type != NULL) {
        fil_job_reader__blame(reader, reader->test, "a job with two late sinks cannot be tested");
        return;
    }
    to->type = fil_stage_type(reader->stage);
    fil_write_function(reader->stage, catch_record, to);
    reader->is_written = true;
    const yaml_node_t *list = fil_job_reader__find(reader, reader->test, name);
    uint32_t count = 0;
    const uint8_t *rows = list == NULL ? NULL : read_rows(reader, list, to->type, &count);
    for (uint32_t i = 0; rows != NULL && i < count; i++) {
        if (add_record(&to->wanted, to->type, rows + (size_t)i * to->type->size) != FIL_OK) {
            fil_job_reader__blame(reader, list, "this is more than a test can hold");
        }
    }
}

/** A record of a map's entry: the value's fields where the lookup expects them, then the key. */
static const struct fil_type *entry_type(struct fil_job_reader *reader,
                                         const struct fil_lookup *options, const yaml_node_t *node)
{
    struct fil_job_draft draft;
    if (!fil_job_draft__open(reader, &draft)) {
        return NULL;
    }
    for (uint32_t i = 0; i < options->partner->field_count; i++) {
        if (!fil_job_draft__add(reader, &draft, node, &options->partner->fields[i])) {
            return NULL;
        }
    }
    struct fil_field key = *fil_type__find(fil_stage_type(reader->stage), options->key);
    key.name = "(key)"; // no field of a file is named so
    return fil_job_draft__add(reader, &draft, node, &key) ? draft.type : NULL;
}

/** [key, value...] of a map as records of entry_type. */
static const void *read_entries(struct fil_job_reader *reader, const yaml_node_t *node,
                                const struct fil_type *type, uint32_t *out_count)
{
    // The same fields in the order of the file: the key in front.
    struct fil_field *fields =
        fil_job_reader__alloc(reader, type->field_count, sizeof(struct fil_field));
    if (fields == NULL) {
        return NULL;
    }
    fields[0] = type->fields[type->field_count - 1];
    memcpy(fields + 1, type->fields, (type->field_count - 1) * sizeof(*fields));
    const struct fil_type row = {
        .name = type->name, .size = type->size, .fields = fields, .field_count = type->field_count};
    return read_rows(reader, node, &row, out_count);
}

void fil_job_reader__look_up_listed(struct fil_job_reader *reader, const yaml_node_t *node,
                                    const struct fil_lookup *options)
{
    const yaml_node_t *maps = fil_job_reader__find(reader, reader->test, "maps");
    const yaml_node_t *map = maps == NULL ? NULL : fil_job_reader__find(reader, maps, options->map);
    if (fil_type__find(fil_stage_type(reader->stage), options->key) == NULL) {
        fil_job_reader__blame(reader, node, "there is no field '%s'",
                              options->key == NULL ? "" : options->key);
    }
    if (map == NULL) {
        fil_job_reader__blame(reader, maps == NULL ? reader->test : maps,
                              "the test has no map '%s' in 'maps'", options->map);
        return;
    }
    const struct fil_type *type = reader->has_failed ? NULL : entry_type(reader, options, node);
    uint32_t count = 0;
    const void *entries = type == NULL ? NULL : read_entries(reader, map, type, &count);
    if (entries == NULL) {
        return;
    }
    struct fil_stage *partners = fil_read_list(reader->file->pipeline, type, entries, count);
    const struct fil_join join = {.key = options->key,
                                  .partner_key = "(key)",
                                  .type = options->type,
                                  .join = options->join,
                                  .context = options->context};
    reader->stage = fil_stage_join(reader->stage, fil_stage_parallelism(partners, 1), &join);
}

void fil_job_reader__case(struct fil_job_reader *reader)
{
    static const char *const known[] = {"name", "input", "streams", "output", "late", "maps"};
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, reader->test, &position, &key, &value)) {
        uint32_t i = 0;
        while (i < FIL_COUNT_OF(known) && strcmp(known[i], key) != 0) {
            i++;
        }
        if (i == FIL_COUNT_OF(known)) {
            fil_job_reader__blame(
                reader, value,
                "a test has no '%s': it has name, input, streams, output, late and "
                "maps",
                key);
        }
    }
    const yaml_node_t *name =
        reader->has_failed ? NULL : fil_job_reader__find(reader, reader->test, "name");
    if (name != NULL) {
        reader->test_case->name = fil_job_reader__text(reader, name, "a test's name");
    }
    if (!reader->has_failed && fil_job_reader__find(reader, reader->test, "output") == NULL) {
        fil_job_reader__blame(reader, reader->test,
                              "a test needs 'output', which may be empty: []");
    }
}
