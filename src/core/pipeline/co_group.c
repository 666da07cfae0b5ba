// SPDX-License-Identifier: Apache-2.0
// Groups of several inputs: their records get a common head, and each aggregate takes those of one.
//
//   time | key | tag: which input | the record
#include <stdio.h>
#include <string.h>

#include "core/pipeline/pipeline_internal.h"

/** How records of one input get their head. */
struct tagger {
    const struct fil_field *time; // NULL: none
    const struct fil_field *key;  // NULL: none
    uint32_t tag_at;
    uint32_t record_size;
    uint32_t size; // with the head
    uint64_t tag;
};

static void add_tag(void *context, const void *record, void *out_record)
{
    const struct tagger *tagger = context;
    const uint8_t *from = record;
    uint8_t *to = out_record;
    memset(to, 0, tagger->size);
    if (tagger->time != NULL) {
        memcpy(to, from + tagger->time->offset, sizeof(int64_t));
    }
    if (tagger->key != NULL) {
        memcpy(to + sizeof(int64_t), from + tagger->key->offset, tagger->key->size);
    }
    memcpy(to + tagger->tag_at, &tagger->tag, sizeof(tagger->tag));
    memcpy(to + tagger->tag_at + sizeof(tagger->tag), record, tagger->record_size);
}

/** All inputs together: what their common head has. */
struct common {
    struct fil_stage *first;
    const struct fil_field *keys[FIL_CO_INPUTS_MAX];
    uint32_t input_count;
    uint32_t key_size;
    uint32_t record_size; // of the largest
    struct fil_type *type;
};

static bool compare_keys(const struct common *common, const struct fil_field *key)
{
    const struct fil_field *first = common->keys[0];
    if (first == NULL || key == NULL) {
        return first == key;
    }
    return (first->kind == FIL_FIELD_TEXT) == (key->kind == FIL_FIELD_TEXT);
}

static bool look_at_input(const struct fil_co_input *input, struct common *common)
{
    struct fil_stage *stage = input->stage;
    const struct fil_field **key = &common->keys[common->input_count];
    if (!fil_stage__find_key(stage, stage->type, input->key, key)) {
        return false;
    }
    if (!compare_keys(common, *key)) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "the keys of a co-group must be of one kind");
        return false;
    }
    uint32_t key_size = *key == NULL ? 0 : (*key)->size;
    common->key_size = key_size > common->key_size ? key_size : common->key_size;
    common->record_size =
        stage->type->size > common->record_size ? stage->type->size : common->record_size;
    common->input_count++;
    return true;
}

static bool look_at_inputs(const struct fil_co_group *options, struct common *common)
{
    *common = (struct common){.first = options->inputs[0].stage};
    for (uint32_t i = 0; i < FIL_CO_INPUTS_MAX && options->inputs[i].stage != NULL; i++) {
        if (!look_at_input(&options->inputs[i], common)) {
            return false;
        }
    }
    return true;
}

/** The type of records with a head. */
static bool make_type(struct common *common)
{
    struct fil_pipeline *pipeline = common->first->pipeline;
    struct fil_field *fields = fil_pipeline__alloc(pipeline, 2, sizeof(*fields));
    common->type = fil_pipeline__alloc(pipeline, 1, sizeof(*common->type));
    if (fields == NULL || common->type == NULL) {
        return false;
    }
    uint32_t key_bytes = (common->key_size + 7U) & ~7U;
    *common->type = (struct fil_type){.name = "co-group",
                                      .size = (uint32_t)sizeof(int64_t) + key_bytes +
                                              (uint32_t)sizeof(uint64_t) + common->record_size,
                                      .fields = fields,
                                      .field_count = 1};
    fields[0] = (struct fil_field){.name = "", .kind = FIL_FIELD_TIME, .size = sizeof(int64_t)};
    if (common->keys[0] != NULL) {
        fields[1] = *common->keys[0];
        fields[1].offset = sizeof(int64_t);
        fields[1].size = common->key_size;
        common->type->field_count = 2;
    }
    return true;
}

static uint32_t tag_at(const struct common *common)
{
    return (uint32_t)sizeof(int64_t) + ((common->key_size + 7U) & ~7U);
}

static struct fil_stage *tag_input(const struct common *common, struct fil_stage *input,
                                   uint32_t number)
{
    struct tagger *tagger = fil_pipeline__alloc(input->pipeline, 1, sizeof(*tagger));
    if (tagger == NULL) {
        return NULL;
    }
    *tagger = (struct tagger){.time = fil_type__time(input->type),
                              .key = common->keys[number],
                              .tag_at = tag_at(common),
                              .record_size = input->type->size,
                              .size = common->type->size,
                              .tag = number};
    return fil_stage_map(input, common->type, add_tag, tagger);
}

/** The aggregates of one input, of its records behind their heads. */
static bool add_aggregates(struct fil_stage *stage, struct fil_group_result *result,
                           const struct common *common, const struct fil_co_input *input,
                           uint32_t number)
{
    uint32_t first = stage->aggregate_count;
    if (!fil_group_result__add_aggregates(stage, result, input->stage->type, input->aggregates)) {
        return false;
    }
    for (uint32_t i = first; i < stage->aggregate_count; i++) {
        struct fil_aggregate *inner = fil_pipeline__alloc(stage->pipeline, 1, sizeof(*inner));
        if (inner == NULL) {
            return false;
        }
        *inner = stage->aggregates[i];
        stage->aggregates[i] = fil_aggregate_tagged(inner, number, tag_at(common));
    }
    return true;
}

/** Whether all inputs have the time that windows need. */
static bool has_times(const struct fil_co_group *options, const struct common *common,
                      struct fil_stage *stage)
{
    for (uint32_t i = 0; i < common->input_count; i++) {
        const struct fil_type *type = options->inputs[i].stage->type;
        if (fil_type__time(type) == NULL) {
            fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                                "type '%s' has no time field", type->name);
            return false;
        }
    }
    return true;
}

static struct fil_stage *open_group(const struct fil_co_group *options, struct common *common)
{
    const struct fil_group_by *when = &options->when;
    bool is_window = when->size != 0 || when->gap != 0;
    struct fil_stage *tagged[FIL_CO_INPUTS_MAX] = {NULL};
    for (uint32_t i = 0; i < common->input_count; i++) {
        tagged[i] = tag_input(common, options->inputs[i].stage, i);
    }
    struct fil_stage *stage = is_window ? fil_stage__open_window(tagged[0], when)
                                        : fil_stage__add_behind(tagged[0], FIL_STAGE_AGGREGATE);
    if (stage == NULL) {
        return NULL;
    }
    (void)snprintf(stage->name, sizeof(stage->name), "cogroup-%u", stage->number + 1);
    if (is_window && !has_times(options, common, stage)) {
        return NULL;
    }
    stage->is_co_group = true;
    stage->key = common->keys[0] == NULL ? NULL : &common->type->fields[1];
    for (uint32_t i = 1; i < common->input_count; i++) {
        if (tagged[i] == NULL || !fil_stage__attach(stage, tagged[i])) {
            return NULL;
        }
    }
    return stage;
}

struct fil_stage *fil_stage_co_group(const struct fil_co_group *options)
{
    struct common common;
    struct fil_group_result result;
    for (uint32_t i = 0; i < 2; i++) {
        if (options->inputs[i].stage == NULL) {
            return NULL; // after a mistake; a single input is none, and shows at once
        }
    }
    if (!look_at_inputs(options, &common) || !make_type(&common)) {
        return NULL;
    }
    struct fil_stage *stage = open_group(options, &common);
    bool is_window = stage != NULL && stage->kind != FIL_STAGE_AGGREGATE;
    if (stage == NULL ||
        !fil_group_result__open(stage, &result,
                                is_window ? FIL_RESULT_OF_WINDOW : FIL_RESULT_OF_ALL)) {
        return NULL;
    }
    for (uint32_t i = 0; i < common.input_count; i++) {
        if (!add_aggregates(stage, &result, &common, &options->inputs[i], i)) {
            return NULL;
        }
    }
    return fil_group_result__close(stage, &result);
}
