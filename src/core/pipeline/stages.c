// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "core/pipeline/pipeline_internal.h"
#include "core/stream/key_table.h"
#include "core/stream/window.h"
#include "lib/base/assert.h"

#define CONCURRENCY_DEFAULT 64U

const struct fil_field *fil_type__find(const struct fil_type *type, const char *name)
{
    for (uint32_t i = 0; type != NULL && name != NULL && i < type->field_count; i++) {
        if (strcmp(type->fields[i].name, name) == 0) {
            return &type->fields[i];
        }
    }
    return NULL;
}

const struct fil_field *fil_type__time(const struct fil_type *type)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].kind == FIL_FIELD_TIME) {
            return &type->fields[i];
        }
    }
    return NULL;
}

static bool are_fields_equal(const struct fil_field *a, const struct fil_field *b)
{
    return a->kind == b->kind && a->offset == b->offset && a->size == b->size &&
           strcmp(a->name, b->name) == 0;
}

bool fil_type__equals(const struct fil_type *a, const struct fil_type *b)
{
    bool is_equal = a->size == b->size && a->field_count == b->field_count;
    for (uint32_t i = 0; is_equal && i < a->field_count; i++) {
        is_equal = are_fields_equal(&a->fields[i], &b->fields[i]);
    }
    return is_equal;
}

static bool check_field(struct fil_stage *stage, const struct fil_type *type,
                        const struct fil_field *field)
{
    bool is_number = field->kind != FIL_FIELD_TEXT;
    if ((uint64_t)field->offset + field->size > type->size || field->size == 0 ||
        (is_number && field->size != 8)) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "field '%s' of type '%s' is not where a %s can be", field->name,
                            type->name, is_number ? "number of 8 bytes" : "text");
        return false;
    }
    return true;
}

/** Gives the stage a type of the program's. */
struct fil_stage *fil_stage__take_type(struct fil_stage *stage, const struct fil_type *type)
{
    if (stage == NULL) {
        return NULL;
    }
    if (type == NULL || type->size == 0 || type->size > FIL_BATCH_RECORD_BYTES_MAX) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "it needs a type");
        return NULL;
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (!check_field(stage, type, &type->fields[i])) {
            return NULL;
        }
    }
    stage->type = type;
    return stage;
}

/** A stage behind another, which may be missing after a mistake. */
struct fil_stage *fil_stage__add_behind(struct fil_stage *input, enum fil_stage_kind kind)
{
    return input == NULL ? NULL : fil_pipeline__add(input->pipeline, kind, input, NULL);
}

/** A function is there; otherwise the stage is a mistake. */
struct fil_stage *fil_stage__need_function(struct fil_stage *stage, bool has_function)
{
    if (stage != NULL && !has_function) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "it needs a function");
        return NULL;
    }
    return stage;
}

const char *fil_stage__copy_text(struct fil_stage *stage, const char *text)
{
    if (text == NULL || text[0] == '\0') {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "a path or name is missing");
        return NULL;
    }
    char *copy = fil_pipeline__alloc(stage->pipeline, strlen(text) + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, strlen(text) + 1);
    }
    return copy;
}

struct fil_stage *fil_stage_map(struct fil_stage *input, const struct fil_type *type,
                                fil_stage_map_fn map, void *context)
{
    struct fil_stage *stage = fil_stage__need_function(
        fil_stage__take_type(fil_stage__add_behind(input, FIL_STAGE_MAP), type), map != NULL);
    if (stage != NULL) {
        stage->function.map = map;
        stage->context = context;
    }
    return stage;
}

struct fil_stage *fil_stage_filter(struct fil_stage *input, fil_stage_filter_fn keep, void *context)
{
    struct fil_stage *stage =
        fil_stage__need_function(fil_stage__add_behind(input, FIL_STAGE_FILTER), keep != NULL);
    if (stage != NULL) {
        stage->function.keep = keep;
        stage->context = context;
    }
    return stage;
}

struct fil_stage *fil_stage_flat_map(struct fil_stage *input, const struct fil_type *type,
                                     fil_stage_flat_map_fn next, void *context)
{
    struct fil_stage *stage = fil_stage__need_function(
        fil_stage__take_type(fil_stage__add_behind(input, FIL_STAGE_FLAT_MAP), type), next != NULL);
    if (stage != NULL) {
        stage->function.next = next;
        stage->context = context;
    }
    return stage;
}

/** A field to group by; NULL is none, and no mistake. */
bool fil_stage__find_key(struct fil_stage *stage, const struct fil_type *type, const char *name,
                         const struct fil_field **out_key)
{
    *out_key = fil_type__find(type, name);
    if (name != NULL && *out_key == NULL) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_NOT_FOUND,
                            "key '%s' is no field of type '%s'", name, type->name);
        return false;
    }
    if (*out_key != NULL &&
        ((*out_key)->kind == FIL_FIELD_F64 || (*out_key)->size > FIL_KEY_TABLE_KEY_BYTES_MAX)) {
        fil_pipeline__blame(
            stage->pipeline, stage, FIL_E_INVALID, "field '%s' cannot be a key: it is %s", name,
            (*out_key)->kind == FIL_FIELD_F64 ? "a floating-point number" : "too long");
        return false;
    }
    return true;
}

struct fil_stage *fil_stage_state_map(struct fil_stage *input, const struct fil_state_map *options)
{
    struct fil_stage *stage = fil_stage__need_function(
        fil_stage__take_type(fil_stage__add_behind(input, FIL_STAGE_STATE_MAP), options->type),
        options->map != NULL);
    if (stage == NULL || !fil_stage__find_key(stage, input->type, options->key, &stage->key)) {
        return NULL;
    }
    if (options->state_size == 0) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "its state has no size");
        return NULL;
    }
    stage->function.state_map = options->map;
    stage->context = options->context;
    stage->state_size = options->state_size;
    return stage;
}

struct fil_stage *fil_stage_join(struct fil_stage *input, struct fil_stage *partners,
                                 const struct fil_join *options)
{
    if (input == NULL || partners == NULL) {
        return NULL;
    }
    struct fil_stage *stage = fil_stage__need_function(
        fil_stage__take_type(fil_pipeline__add(input->pipeline, FIL_STAGE_JOIN, partners, input),
                             options->type),
        options->join != NULL);
    if (stage == NULL || !fil_stage__find_key(stage, input->type, options->key, &stage->key) ||
        !fil_stage__find_key(stage, partners->type, options->partner_key, &stage->partner_key)) {
        return NULL;
    }
    const struct fil_field *key = stage->key;
    const struct fil_field *other = stage->partner_key;
    if (key == NULL || other == NULL || key->size != other->size ||
        (key->kind == FIL_FIELD_TEXT) != (other->kind == FIL_FIELD_TEXT)) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "the keys of stream and partners must be of the same kind and size");
        return NULL;
    }
    stage->function.join = options->join;
    stage->context = options->context;
    return stage;
}

struct fil_stage *fil_stage_async(struct fil_stage *input, const struct fil_async_call *options)
{
    struct fil_stage *stage = fil_stage__need_function(
        fil_stage__take_type(fil_stage__add_behind(input, FIL_STAGE_ASYNC), options->type),
        options->begin != NULL);
    if (stage == NULL) {
        return NULL;
    }
    if (options->concurrency > FIL_ASYNC_MAX) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_LIMIT, "%u calls at once, %d at most",
                            options->concurrency, FIL_ASYNC_MAX);
        return NULL;
    }
    stage->function.begin = options->begin;
    stage->context = options->context;
    stage->concurrency = options->concurrency == 0 ? CONCURRENCY_DEFAULT : options->concurrency;
    stage->is_unordered = options->is_unordered;
    return stage;
}

/** Where two types differ first, so that a reader need not compare them. */
static void blame_types(struct fil_stage *stage, const struct fil_type *a, const struct fil_type *b)
{
    uint32_t place = 0;
    while (place < a->field_count && place < b->field_count &&
           are_fields_equal(&a->fields[place], &b->fields[place])) {
        place++;
    }
    const char *first = place < a->field_count ? a->fields[place].name : "missing";
    const char *second = place < b->field_count ? b->fields[place].name : "missing";
    bool has_one_name = strcmp(first, second) == 0;
    fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                        "it merges records of type '%s' with those of type '%s': field %u is %s, "
                        "and there %s",
                        a->name, b->name, place + 1, first,
                        has_one_name ? "it has another kind or size" : second);
}

struct fil_stage *fil_stage_merge(struct fil_stage *input, struct fil_stage *other)
{
    if (input == NULL || other == NULL) {
        return NULL;
    }
    struct fil_stage *stage = fil_pipeline__add(input->pipeline, FIL_STAGE_MERGE, input, other);
    if (stage != NULL && !fil_type__equals(input->type, other->type)) {
        blame_types(stage, input->type, other->type);
        return NULL;
    }
    return stage;
}
