// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/job_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/pipeline/job_file_internal.h"
#include "core/pipeline/planner.h"
#include "lib/base/assert.h"
#include "lib/conf/yaml_text.h"
#include "lib/os/library.h"

#define ARENA_CHUNK_BYTES 4096U
#define ARENA_LIMIT_BYTES ((size_t)64 << 20)
#define NS_A_MS           INT64_C(1000000)

static const struct {
    const char *name;
    int64_t ns;
} units[] = {{"ns", 1},
             {"us", 1000},
             {"ms", NS_A_MS},
             {"s", 1000 * NS_A_MS},
             {"m", 60000 * NS_A_MS},
             {"h", 3600000 * NS_A_MS}};

static void FIL_PRINTF(4, 0) blame_at(struct fil_job_reader *reader, size_t line, size_t column,
                                      const char *format, va_list arguments)
{
    if (reader->has_failed) {
        return;
    }
    reader->has_failed = true;
    reader->file->line = line;
    reader->file->column = column;
    (void)vsnprintf(reader->file->reason, sizeof(reader->file->reason), format, arguments);
}

void fil_job_reader__blame(struct fil_job_reader *reader, const yaml_node_t *node,
                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    blame_at(reader, node == NULL ? 1 : node->start_mark.line + 1,
             node == NULL ? 1 : node->start_mark.column + 1, format, arguments);
    va_end(arguments);
}

void *fil_job_reader__alloc(struct fil_job_reader *reader, size_t count, size_t size)
{
    void *memory = fil_arena_alloc_zero(&reader->file->arena, count, size);
    if (memory == NULL) {
        fil_job_reader__blame(reader, NULL, "out of memory");
    }
    return memory;
}

const char *fil_job_reader__text(struct fil_job_reader *reader, const yaml_node_t *node,
                                 const char *what)
{
    if (node == NULL || node->type != YAML_SCALAR_NODE || node->data.scalar.length == 0) {
        fil_job_reader__blame(reader, node, "%s must be a text", what);
        return NULL;
    }
    struct fil_bytes bytes = fil_bytes_make(node->data.scalar.value, node->data.scalar.length);
    if (fil_bytes_find(bytes, 0) != bytes.size) {
        fil_job_reader__blame(reader, node, "%s has a zero byte", what);
        return NULL;
    }
    char *text = fil_arena_text(&reader->file->arena, bytes);
    if (text == NULL) {
        fil_job_reader__blame(reader, node, "out of memory");
    }
    return text;
}

bool fil_job_reader__next(struct fil_job_reader *reader, const yaml_node_t *mapping,
                          uint32_t *position, const char **out_key, const yaml_node_t **out_value)
{
    if (reader->has_failed) {
        return false;
    }
    if (mapping == NULL || mapping->type != YAML_MAPPING_NODE) {
        fil_job_reader__blame(reader, mapping, "names and values are expected here");
        return false;
    }
    const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start + *position;
    if (pair >= mapping->data.mapping.pairs.top) {
        return false;
    }
    (*position)++;
    *out_key = fil_job_reader__text(reader, yaml_document_get_node(&reader->document, pair->key),
                                    "a name");
    *out_value = yaml_document_get_node(&reader->document, pair->value);
    return *out_key != NULL && *out_value != NULL;
}

static int64_t find_unit(const char *name)
{
    for (uint32_t i = 0; i < FIL_COUNT_OF(units); i++) {
        if (strcmp(units[i].name, name) == 0) {
            return units[i].ns;
        }
    }
    return 0;
}

bool fil_job_reader__duration(struct fil_job_reader *reader, const yaml_node_t *node,
                              int64_t *out_units)
{
    const char *text = fil_job_reader__text(reader, node, "a duration");
    if (text == NULL) {
        return false;
    }
    size_t digits = strspn(text, "0123456789");
    int64_t number = 0;
    int64_t ns = text[digits] == '\0' ? reader->ns_a_unit : find_unit(text + digits);
    if (!fil_bytes_to_i64(fil_bytes_make(text, digits), &number) || ns == 0 ||
        number > INT64_MAX / ns || number * ns % reader->ns_a_unit != 0) {
        fil_job_reader__blame(
            reader, node, "'%s' is no duration in the job's unit: write it as 10s or 500ms", text);
        return false;
    }
    *out_units = number * ns / reader->ns_a_unit;
    return true;
}

bool fil_job_reader__clock_ms(struct fil_job_reader *reader, const yaml_node_t *node,
                              uint32_t *out_ms)
{
    const char *text = fil_job_reader__text(reader, node, "a duration");
    if (text == NULL) {
        return false;
    }
    size_t digits = strspn(text, "0123456789");
    int64_t number = 0;
    int64_t ns = find_unit(text + digits);
    if (!fil_bytes_to_i64(fil_bytes_make(text, digits), &number) || ns == 0 ||
        number > INT64_MAX / ns || number * ns < NS_A_MS || number * ns / NS_A_MS > UINT32_MAX) {
        fil_job_reader__blame(
            reader, node, "'%s' is no time of the clock of 1ms or more: write it as 2s or 500ms",
            text);
        return false;
    }
    *out_ms = (uint32_t)(number * ns / NS_A_MS);
    return true;
}

bool fil_job_reader__count(struct fil_job_reader *reader, const yaml_node_t *node,
                           uint64_t *out_count)
{
    const char *text = fil_job_reader__text(reader, node, "a number");
    if (text != NULL && !fil_bytes_to_u64(fil_bytes_of(text), out_count)) {
        fil_job_reader__blame(reader, node, "'%s' is no whole number", text);
    }
    return !reader->has_failed;
}

static void read_guarantee(struct fil_job_reader *reader, const yaml_node_t *node)
{
    static const char *const names[] = {[FIL_GUARANTEE_NONE] = "none",
                                        [FIL_GUARANTEE_AT_LEAST_ONCE] = "at-least-once",
                                        [FIL_GUARANTEE_EXACTLY_ONCE] = "exactly-once"};
    const char *text = fil_job_reader__text(reader, node, "the guarantee");
    for (uint32_t i = 0; text != NULL && i < FIL_COUNT_OF(names); i++) {
        if (strcmp(names[i], text) == 0) {
            reader->file->options.guarantee = (enum fil_guarantee)i;
            return;
        }
    }
    if (text != NULL) {
        fil_job_reader__blame(
            reader, node, "'%s' is no guarantee: it is none, at-least-once or exactly-once", text);
    }
}

static void read_unit(struct fil_job_reader *reader, const yaml_node_t *node)
{
    const char *text = fil_job_reader__text(reader, node, "the unit");
    if (text == NULL) {
        return;
    }
    reader->ns_a_unit = find_unit(text);
    if (reader->ns_a_unit == 0) {
        fil_job_reader__blame(reader, node, "'%s' is no unit of time: it is ns, us, ms or s", text);
    }
}

/** What a file has besides options. */
static bool is_part(const char *key)
{
    static const char *const parts[] = {"job", "streams", "pipeline", "tests"};
    for (uint32_t i = 0; i < FIL_COUNT_OF(parts); i++) {
        if (strcmp(parts[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static void read_weight(struct fil_job_reader *reader, const yaml_node_t *node)
{
    uint64_t number = 0;
    if (!fil_job_reader__count(reader, node, &number)) {
        return;
    }
    if (number < 1 || number > FIL_STREAM_WEIGHT_MAX) {
        fil_job_reader__blame(reader, node, "a weight is one from 1 to %d", FIL_STREAM_WEIGHT_MAX);
        return;
    }
    reader->file->options.weight = (uint32_t)number;
}

static void read_option(struct fil_job_reader *reader, const char *key, const yaml_node_t *value)
{
    uint64_t number = 0;
    int64_t units_count = 0;
    if (strcmp(key, "guarantee") == 0) {
        read_guarantee(reader, value);
    } else if (strcmp(key, "unit") == 0) {
        read_unit(reader, value);
    } else if (strcmp(key, "interval") == 0) {
        if (fil_job_reader__duration(reader, value, &units_count)) {
            int64_t ms = units_count * reader->ns_a_unit / NS_A_MS;
            reader->file->options.interval_ms = ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
        }
    } else if (strcmp(key, "restarts") == 0 || strcmp(key, "parallelism") == 0) {
        if (fil_job_reader__count(reader, value, &number)) {
            bool is_restarts = key[0] == 'r';
            uint32_t limit = is_restarts ? 1000000 : 256;
            uint32_t count = number > limit ? limit : (uint32_t)number;
            *(is_restarts ? &reader->file->options.restart_max
                          : &reader->file->options.parallelism) = count;
        }
    } else if (strcmp(key, "weight") == 0) {
        read_weight(reader, value);
    } else if (!is_part(key)) {
        fil_job_reader__blame(reader, value, "there is no option '%s'", key);
    }
}

void fil_job_reader__stages(struct fil_job_reader *reader, const yaml_node_t *list)
{
    if (list == NULL || list->type != YAML_SEQUENCE_NODE) {
        fil_job_reader__blame(reader, list, "the %s must be a list of stages",
                              reader->stream_name == NULL ? "pipeline" : "stream");
        return;
    }
    for (const yaml_node_item_t *item = list->data.sequence.items.start;
         item < list->data.sequence.items.top && !reader->has_failed; item++) {
        const yaml_node_t *node = yaml_document_get_node(&reader->document, *item);
        const char *kind = NULL;
        const yaml_node_t *value = NULL;
        uint32_t position = 0;
        if (fil_job_reader__next(reader, node, &position, &kind, &value)) {
            fil_job_reader__stage(reader, kind, value);
        }
        if (fil_job_reader__next(reader, node, &position, &kind, &value)) {
            fil_job_reader__blame(reader, value,
                                  "a stage is one name and its value; '%s' is a "
                                  "second one",
                                  kind);
        }
    }
}

const yaml_node_t *fil_job_reader__find(struct fil_job_reader *reader, const yaml_node_t *mapping,
                                        const char *name)
{
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    const yaml_node_t *found = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, mapping, &position, &key, &value)) {
        if (strcmp(key, name) != 0) {
            continue;
        }
        if (found != NULL) {
            fil_job_reader__blame(reader, value, "'%s' is there twice", name);
        }
        found = value;
    }
    return found;
}

/** The tests are counted, and the one that the job is built for is looked at. */
static void read_tests(struct fil_job_reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *list = fil_job_reader__find(reader, root, "tests");
    if (list == NULL) {
        return;
    }
    if (list->type != YAML_SEQUENCE_NODE) {
        fil_job_reader__blame(reader, list, "the tests must be a list");
        return;
    }
    const yaml_node_item_t *item = list->data.sequence.items.start;
    reader->file->test_count = (uint32_t)(list->data.sequence.items.top - item);
    if (reader->test_case != NULL) {
        fil_assert(reader->test_number < reader->file->test_count);
        reader->test = yaml_document_get_node(&reader->document, item[reader->test_number]);
        fil_job_reader__case(reader);
    }
}

static void read_pipeline(struct fil_job_reader *reader, const yaml_node_t *streams,
                          const yaml_node_t *stages)
{
    if (streams != NULL) {
        fil_job_reader__streams(reader, streams);
    }
    if (!reader->has_failed) {
        fil_job_reader__stages(reader, stages);
    }
    if (!reader->has_failed && !reader->is_written) {
        fil_job_reader__blame(reader, stages, "the pipeline does not end with 'write'");
    }
    if (!reader->has_failed) {
        fil_job_reader__check_streams(reader);
    }
}

static void read_job(struct fil_job_reader *reader)
{
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
    if (root == NULL) {
        fil_job_reader__blame(reader, NULL, "the file is empty");
        return;
    }
    const yaml_node_t *name = fil_job_reader__find(reader, root, "job");
    const yaml_node_t *stages = fil_job_reader__find(reader, root, "pipeline");
    if (name == NULL || stages == NULL) {
        fil_job_reader__blame(reader, root, "'%s:' is missing", name == NULL ? "job" : "pipeline");
        return;
    }
    const char *text = fil_job_reader__text(reader, name, "the job's name");
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, root, &position, &key, &value)) {
        read_option(reader, key, value);
    }
    if (!reader->has_failed) {
        read_tests(reader, root);
    }
    if (reader->has_failed) {
        return;
    }
    const yaml_node_t *streams = fil_job_reader__find(reader, root, "streams");
    reader->file->pipeline = fil_pipeline_new(text);
    if (reader->file->pipeline == NULL) {
        fil_job_reader__blame(reader, root, "out of memory");
    } else {
        read_pipeline(reader, streams, stages);
    }
    if (!reader->has_failed && fil_pipeline_check(reader->file->pipeline) != FIL_OK) {
        fil_job_reader__blame(reader, stages, "%s", fil_pipeline_text(reader->file->pipeline));
    }
}

static void FIL_PRINTF(4, 5)
    blame_place(struct fil_job_reader *reader, size_t line, size_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    blame_at(reader, line, column, format, arguments);
    va_end(arguments);
}

static void blame_syntax(struct fil_job_reader *reader, const yaml_parser_t *parser)
{
    bool has_place = parser->error != YAML_READER_ERROR && parser->error != YAML_MEMORY_ERROR;
    size_t line = has_place ? parser->problem_mark.line : 0;
    size_t column = has_place ? parser->problem_mark.column : 0;
    const char *problem = parser->problem == NULL ? "out of memory" : parser->problem;
    blame_place(reader, line + 1, column + 1, "this is no YAML: %s", problem);
}

static int read_file(struct fil_job_reader *reader)
{
    struct fil_job_file *file = reader->file;
    *file = (struct fil_job_file){0};
    fil_arena_init(&file->arena, ARENA_CHUNK_BYTES, ARENA_LIMIT_BYTES);
    yaml_parser_t parser;
    int error = fil_yaml_text_open(&parser, reader->text);
    if (error != FIL_OK) {
        return error;
    }
    if (yaml_parser_load(&parser, &reader->document)) {
        read_job(reader);
        yaml_document_delete(&reader->document);
    } else {
        blame_syntax(reader, &parser);
    }
    yaml_parser_delete(&parser);
    return reader->has_failed ? FIL_E_MALFORMED : FIL_OK;
}

int fil_job_file_init(struct fil_job_file *file, struct fil_bytes text, fil_print_fn print,
                      void *context)
{
    struct fil_job_reader reader = {
        .file = file, .text = text, .print = print, .context = context, .ns_a_unit = NS_A_MS};
    return read_file(&reader);
}

int fil_job_file_init_confined(struct fil_job_file *file, struct fil_bytes text,
                               const struct fil_job_bounds *bounds, fil_print_fn print,
                               void *context)
{
    struct fil_job_reader reader = {.file = file,
                                    .text = text,
                                    .print = print,
                                    .context = context,
                                    .is_confined = true,
                                    .files = bounds->files,
                                    .services = bounds->services,
                                    .ns_a_unit = NS_A_MS};
    return read_file(&reader);
}

int fil_job_case_init(struct fil_job_case *each, struct fil_job_file *file, struct fil_bytes text,
                      uint32_t number)
{
    *each = (struct fil_job_case){0};
    struct fil_job_reader reader = {
        .file = file, .text = text, .ns_a_unit = NS_A_MS, .test_case = each, .test_number = number};
    return read_file(&reader);
}

void fil_job_file_fini(struct fil_job_file *file)
{
    fil_pipeline_free(file->pipeline);
    fil_arena_fini(&file->arena);
    fil_library_close(file->library);
}
