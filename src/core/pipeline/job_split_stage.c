// SPDX-License-Identifier: Apache-2.0
// The stage of a job file that makes several records of one: pieces of a text.
#include <string.h>

#include "core/pipeline/job_file_internal.h"
#include "core/pipeline/pipeline_internal.h"

/** What is cut, and where. */
struct split {
    const struct fil_field *field;
    uint32_t record_size;
    const char *marks; // characters between pieces
};

/** Each piece in place of the text; there are no empty ones. */
static bool next_piece(void *context, const void *record, uint32_t index, void *out_record)
{
    const struct split *split = context;
    const char *text = (const char *)record + split->field->offset;
    struct fil_bytes rest = fil_bytes_make(text, strnlen(text, split->field->size));
    size_t begin = 0;
    size_t end = 0;
    for (uint32_t i = 0; i <= index; i++) {
        for (begin = end; begin < rest.size && strchr(split->marks, text[begin]) != NULL; begin++) {
        }
        for (end = begin; end < rest.size && strchr(split->marks, text[end]) == NULL; end++) {
        }
    }
    if (begin == end) {
        return false;
    }
    char *to = (char *)out_record + split->field->offset;
    memcpy(out_record, record, split->record_size);
    memset(to, 0, split->field->size);
    memcpy(to, text + begin, end - begin);
    return true;
}

static const struct fil_field *find_text(struct fil_job_reader *reader, const yaml_node_t *node)
{
    const char *name = fil_job_reader__text(reader, node, "the field");
    const struct fil_field *field =
        name == NULL ? NULL : fil_type__find(fil_stage_type(reader->stage), name);
    if (name != NULL && (field == NULL || field->kind != FIL_FIELD_TEXT)) {
        fil_job_reader__blame(
            reader, node, field == NULL ? "there is no field '%s'" : "field '%s' is no text", name);
        return NULL;
    }
    return field;
}

static void read_option(struct fil_job_reader *reader, struct split *split, const char *key,
                        const yaml_node_t *value)
{
    if (strcmp(key, "field") == 0) {
        split->field = find_text(reader, value);
    } else if (strcmp(key, "at") == 0) {
        split->marks = fil_job_reader__text(reader, value, "characters");
    } else {
        fil_job_reader__blame(reader, value, "a split has no '%s'", key);
    }
}

void fil_job_reader__split(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct split *split = fil_job_reader__alloc(reader, 1, sizeof(*split));
    const struct fil_type *type = fil_stage_type(reader->stage);
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    if (split == NULL) {
        return;
    }
    *split = (struct split){.record_size = type->size, .marks = " \t"};
    if (node->type == YAML_SCALAR_NODE) {
        split->field = find_text(reader, node);
    } else {
        while (fil_job_reader__next(reader, node, &position, &key, &value)) {
            read_option(reader, split, key, value);
        }
    }
    if (!reader->has_failed && split->field == NULL) {
        fil_job_reader__blame(reader, node, "a split needs a field");
    }
    if (!reader->has_failed) {
        reader->stage = fil_stage_flat_map(reader->stage, type, next_piece, split);
    }
}
