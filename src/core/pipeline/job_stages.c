// SPDX-License-Identifier: Apache-2.0
// The stages of a job file: types, expressions, and the functions that run them.
#include <string.h>

#include "core/pipeline/expression.h"
#include "core/pipeline/job_file_internal.h"
#include "core/pipeline/pipeline_internal.h"
#include "lib/base/assert.h"

#define FIELDS_MAX    64U
#define TEXT_SIZE     32U // of text fields that do not say
#define TEXT_SIZE_MAX 4096U

// What a generator's expressions see: the record's number.
static const struct fil_field number_fields[] = {{"n", FIL_FIELD_I64, 0, 8}};
static const struct fil_type number_type = {"number", 8, number_fields, 1};

/** A record made of expressions. */
struct projection {
    const struct fil_type *type;
    const struct fil_expression *parts[FIELDS_MAX];
};

bool fil_job_draft__open(struct fil_job_reader *reader, struct fil_job_draft *draft)
{
    draft->type = fil_job_reader__alloc(reader, 1, sizeof(*draft->type));
    draft->fields = fil_job_reader__alloc(reader, FIELDS_MAX, sizeof(*draft->fields));
    if (draft->type == NULL || draft->fields == NULL) {
        return false;
    }
    *draft->type = (struct fil_type){.name = "record", .fields = draft->fields};
    return true;
}

bool fil_job_draft__add(struct fil_job_reader *reader, struct fil_job_draft *draft,
                        const yaml_node_t *node, const struct fil_field *field)
{
    if (draft->type->field_count == FIELDS_MAX) {
        fil_job_reader__blame(reader, node, "more than %u fields", FIELDS_MAX);
        return false;
    }
    if (fil_type__find(draft->type, field->name) != NULL) {
        fil_job_reader__blame(reader, node, "field '%s' is there twice", field->name);
        return false;
    }
    struct fil_field *to = &draft->fields[draft->type->field_count];
    *to = *field;
    to->offset = draft->type->size;
    draft->type->size += (field->size + 7U) & ~7U;
    draft->type->field_count++;
    return true;
}

/** i64, f64, time, text or text(N). */
static bool read_kind(struct fil_job_reader *reader, const yaml_node_t *node,
                      struct fil_field *field)
{
    const char *text = fil_job_reader__text(reader, node, "a field's type");
    if (text == NULL) {
        return false;
    }
    field->size = 8;
    field->kind = strcmp(text, "f64") == 0    ? FIL_FIELD_F64
                  : strcmp(text, "time") == 0 ? FIL_FIELD_TIME
                                              : FIL_FIELD_I64;
    if (field->kind != FIL_FIELD_I64 || strcmp(text, "i64") == 0) {
        return true;
    }
    uint64_t size = TEXT_SIZE;
    size_t length = strlen(text);
    bool is_sized = strncmp(text, "text(", 5) == 0 && text[length - 1] == ')' &&
                    fil_bytes_to_u64(fil_bytes_make(text + 5, length - 6), &size);
    if ((!is_sized && strcmp(text, "text") != 0) || size == 0 || size > TEXT_SIZE_MAX) {
        fil_job_reader__blame(reader, node,
                              "'%s' is no type: it is i64, f64, time, text or text(N) up to %u",
                              text, TEXT_SIZE_MAX);
        return false;
    }
    field->kind = FIL_FIELD_TEXT;
    field->size = (uint32_t)size;
    return true;
}

const struct fil_type *fil_job_reader__type(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct fil_job_draft draft;
    struct fil_field field = {0};
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    if (!fil_job_draft__open(reader, &draft)) {
        return NULL;
    }
    while (fil_job_reader__next(reader, node, &position, &field.name, &value)) {
        if (!read_kind(reader, value, &field) ||
            !fil_job_draft__add(reader, &draft, value, &field)) {
            return NULL;
        }
    }
    return reader->has_failed ? NULL : draft.type;
}

/** Where a byte of a scalar stands in the file; good for plain texts of one line. */
static const struct fil_expression *compile(struct fil_job_reader *reader, const yaml_node_t *node,
                                            const struct fil_type *type)
{
    const char *text = fil_job_reader__text(reader, node, "an expression");
    struct fil_expression_fault fault;
    const struct fil_expression *expression = NULL;
    if (text == NULL) {
        return NULL;
    }
    int error =
        fil_expression_compile(&reader->file->arena, type, fil_bytes_of(text), &expression, &fault);
    if (error == FIL_OK) {
        return expression;
    }
    yaml_node_t place = *node;
    bool is_quoted = node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    place.start_mark.column += fault.position + is_quoted;
    fil_job_reader__blame(reader, &place, "%s",
                          error == FIL_E_NOMEM ? fil_error_text(error) : fault.text);
    return NULL;
}

static struct fil_field field_of(const struct fil_expression *expression, const char *name,
                                 const struct fil_type *from)
{
    struct fil_field field = {.name = name, .kind = FIL_FIELD_I64, .size = 8};
    const struct fil_field *same = fil_type__find(from, name);
    if (fil_expression_kind(expression) == FIL_VALUE_F64) {
        field.kind = FIL_FIELD_F64;
    } else if (fil_expression_kind(expression) == FIL_VALUE_TEXT) {
        uint32_t size = fil_expression_text_size(expression);
        field.kind = FIL_FIELD_TEXT;
        field.size = size == 0 ? 1 : size;
    } else if ((same != NULL && same->kind == FIL_FIELD_TIME) ||
               (from == &number_type && strcmp(name, "time") == 0)) {
        field.kind = FIL_FIELD_TIME; // a time stays one under its name
    }
    return field;
}

static struct projection *read_projection(struct fil_job_reader *reader, const yaml_node_t *node,
                                          const struct fil_type *from)
{
    struct projection *projection = fil_job_reader__alloc(reader, 1, sizeof(*projection));
    struct fil_job_draft draft;
    const char *name = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    if (projection == NULL || !fil_job_draft__open(reader, &draft)) {
        return NULL;
    }
    while (fil_job_reader__next(reader, node, &position, &name, &value)) {
        const struct fil_expression *part = compile(reader, value, from);
        if (part == NULL) {
            return NULL;
        }
        struct fil_field field = field_of(part, name, from);
        if (!fil_job_draft__add(reader, &draft, value, &field)) {
            return NULL;
        }
        projection->parts[draft.type->field_count - 1] = part;
    }
    projection->type = draft.type;
    if (!reader->has_failed && draft.type->field_count == 0) {
        fil_job_reader__blame(reader, node, "a record needs at least one field");
    }
    return reader->has_failed ? NULL : projection;
}

static void project(void *context, const void *record, void *out_record)
{
    const struct projection *projection = context;
    const struct fil_type *type = projection->type;
    memset(out_record, 0, type->size);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct fil_field *field = &type->fields[i];
        struct fil_expression_value value = fil_expression_run(projection->parts[i], record);
        uint8_t *to = (uint8_t *)out_record + field->offset;
        if (field->kind == FIL_FIELD_TEXT) {
            fil_assert(value.text.size <= field->size);
            if (value.text.size != 0) {
                memcpy(to, value.text.data, value.text.size);
            }
        } else if (field->kind == FIL_FIELD_F64) {
            memcpy(to, &value.real, sizeof(value.real));
        } else {
            memcpy(to, &value.integer, sizeof(value.integer));
        }
    }
}

static void generate(void *context, uint64_t sequence, void *out_record)
{
    project(context, &sequence, out_record);
}

static bool keep(void *context, const void *record)
{
    return fil_expression_run(context, record).integer != 0;
}

void fil_job_reader__generator(struct fil_job_reader *reader, const yaml_node_t *fields,
                               const struct fil_read_options *options)
{
    struct projection *projection = read_projection(reader, fields, &number_type);
    if (projection == NULL) {
        return;
    }
    // In a test it may give its own records, when these have an end.
    if (fil_job_reader__is_fed(reader) || (reader->test != NULL && options->count == 0)) {
        fil_job_reader__feed(reader, projection->type, options->lag);
    } else {
        reader->stage = fil_read_generator(reader->file->pipeline, projection->type, generate,
                                           projection, options);
    }
}

static void add_filter(struct fil_job_reader *reader, const yaml_node_t *node)
{
    const struct fil_expression *expression = compile(reader, node, fil_stage_type(reader->stage));
    if (expression == NULL) {
        return;
    }
    if (fil_expression_kind(expression) != FIL_VALUE_BOOL) {
        fil_job_reader__blame(reader, node, "a filter needs a condition, not %s",
                              fil_value_kind_name(fil_expression_kind(expression)));
        return;
    }
    // The context is only read: a function's context cannot be const.
    reader->stage = fil_stage_filter(reader->stage, keep, (void *)(uintptr_t)expression);
}

static void add_map(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct projection *projection = read_projection(reader, node, fil_stage_type(reader->stage));
    if (projection != NULL) {
        reader->stage = fil_stage_map(reader->stage, projection->type, project, projection);
    }
}

static void add_window(struct fil_job_reader *reader, const yaml_node_t *node)
{
    fil_job_reader__group(reader, "window", node);
}

static void add_aggregate(struct fil_job_reader *reader, const yaml_node_t *node)
{
    fil_job_reader__group(reader, "aggregate", node);
}

static void add_rolling(struct fil_job_reader *reader, const yaml_node_t *node)
{
    fil_job_reader__group(reader, "rolling", node);
}

static void add_distinct(struct fil_job_reader *reader, const yaml_node_t *node)
{
    const char *field = fil_job_reader__text(reader, node, "the key");
    reader->stage = field == NULL ? NULL : fil_stage_distinct(reader->stage, field);
}

/** Stages by their names. */
static const struct {
    const char *name;
    void (*add)(struct fil_job_reader *reader, const yaml_node_t *node);
    bool is_grouping; // the order of its records is not that of the input
} stages[] = {{"read", fil_job_reader__source, false},
              {"filter", add_filter, false},
              {"map", add_map, false},
              {"split", fil_job_reader__split, false},
              {"window", add_window, true},
              {"aggregate", add_aggregate, true},
              {"rolling", add_rolling, false},
              {"distinct", add_distinct, false},
              {"lookup", fil_job_reader__lookup, false},
              {"call", fil_job_reader__call, false},
              {"join", fil_job_reader__join, false},
              {"merge", fil_job_reader__merge, false},
              {"cogroup", fil_job_reader__co_group, true},
              {"top", fil_job_reader__top, true},
              {"sort", fil_job_reader__sort, true},
              {"write", fil_job_reader__sink, false}};

static void add_stage(struct fil_job_reader *reader, const char *kind, const yaml_node_t *value)
{
    for (uint32_t i = 0; i < FIL_COUNT_OF(stages); i++) {
        if (strcmp(stages[i].name, kind) == 0) {
            stages[i].add(reader, value);
            reader->has_grouped |= stages[i].is_grouping;
            return;
        }
    }
    fil_job_reader__blame(reader, value, "there is no stage '%s'", kind);
}

void fil_job_reader__stage(struct fil_job_reader *reader, const char *kind,
                           const yaml_node_t *value)
{
    struct fil_pipeline *pipeline = reader->file->pipeline;
    bool is_source = strcmp(kind, "read") == 0;
    if (is_source == (reader->stage != NULL) || reader->is_written) {
        fil_job_reader__blame(reader, value,
                              reader->is_written ? "'%s' comes behind 'write'"
                              : is_source        ? "'%s' must be the first stage"
                                                 : "'%s' needs a 'read' in front of it",
                              kind);
    } else if (reader->stream_name != NULL && strcmp(kind, "write") == 0) {
        fil_job_reader__blame(reader, value, "a stream is used by others: it has no 'write'");
    } else {
        add_stage(reader, kind, value);
    }
    if (pipeline->error != FIL_OK) {
        fil_job_reader__blame(reader, value, "%s", fil_pipeline_text(pipeline));
    }
    if (reader->test != NULL && !reader->has_grouped && !reader->has_failed) {
        (void)fil_stage_parallelism(reader->stage, 1); // the order of records stays
    }
}
