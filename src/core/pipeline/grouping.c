// SPDX-License-Identifier: Apache-2.0
// Stages that group: when, by what, and the type of their results.
#include <string.h>

#include "core/pipeline/pipeline_internal.h"
#include "core/stream/window.h"
#include "lib/base/assert.h"

// Up to two of each aggregate; start, end, key and early.
#define RESULT_FIELDS_MAX (2 * FIL_AGGREGATIONS_MAX + 4)

// Large results go a few at a time.
#define RESULT_BYTES_SMALL 512U
#define BATCH_BYTES        65536U

void fil_group_result__add(struct fil_group_result *result, const char *name,
                           enum fil_field_kind kind, uint32_t size)
{
    result->fields[result->count] =
        (struct fil_field){.name = name, .kind = kind, .offset = result->size, .size = size};
    result->count++;
    result->size += (size + 7U) & ~7U;
}

bool fil_group_result__open(struct fil_stage *stage, struct fil_group_result *result,
                            enum fil_result_head head)
{
    struct fil_pipeline *pipeline = stage->pipeline;
    const struct fil_field *time = fil_type__time(stage->inputs[0]->type);
    *result = (struct fil_group_result){
        .fields = fil_pipeline__alloc(pipeline, RESULT_FIELDS_MAX, sizeof(struct fil_field)),
        .type = fil_pipeline__alloc(pipeline, 1, sizeof(*result->type))};
    stage->aggregates =
        fil_pipeline__alloc(pipeline, FIL_AGGREGATIONS_MAX, sizeof(*stage->aggregates));
    if (result->fields == NULL || result->type == NULL || stage->aggregates == NULL) {
        return false;
    }
    if (head == FIL_RESULT_OF_WINDOW) {
        fil_group_result__add(result, "start", FIL_FIELD_I64, 8);
        fil_group_result__add(result, "end", FIL_FIELD_TIME, 8);
    } else if (head == FIL_RESULT_OF_RECORD && time != NULL) {
        fil_group_result__add(result, time->name, FIL_FIELD_TIME, 8);
    }
    if (stage->key != NULL) {
        fil_group_result__add(result, stage->key->name, stage->key->kind, stage->key->size);
    }
    return true;
}

bool fil_group_result__add_aggregates(struct fil_stage *stage, struct fil_group_result *result,
                                      const struct fil_type *type,
                                      const struct fil_aggregation aggregates[FIL_AGGREGATIONS_MAX])
{
    for (uint32_t i = 0; i < FIL_AGGREGATIONS_MAX && aggregates[i].kind != FIL_AGGREGATION_NONE;
         i++) {
        if (stage->aggregate_count == FIL_AGGREGATIONS_MAX) {
            fil_pipeline__blame(stage->pipeline, stage, FIL_E_LIMIT, "more than %d aggregates",
                                FIL_AGGREGATIONS_MAX);
            return false;
        }
        if (!fil_stage__add_aggregate(stage, result, type, &aggregates[i])) {
            return false;
        }
    }
    return true;
}

static bool has_twice(const struct fil_group_result *result, const char **out_name)
{
    for (uint32_t i = 0; i < result->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(result->fields[i].name, result->fields[j].name) == 0) {
                *out_name = result->fields[i].name;
                return true;
            }
        }
    }
    return false;
}

struct fil_aggregate fil_stage__aggregate(const struct fil_stage *stage)
{
    // Groups of several inputs are there also without a record of the only aggregate's input.
    return stage->aggregate_count == 1 && !stage->is_co_group
               ? stage->aggregates[0]
               : fil_aggregate_several(stage->aggregates, stage->aggregate_count);
}

struct fil_stage *fil_group_result__close(struct fil_stage *stage, struct fil_group_result *result)
{
    if (fil_early_is_wanted(&stage->early)) {
        fil_group_result__add(result, "early", FIL_FIELD_I64, 8);
    }
    const char *name = NULL;
    uint32_t bytes = stage->aggregate_count == 0 ? 0 : fil_stage__aggregate(stage).state_size;
    if (stage->aggregate_count == 0) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "it has no aggregates");
    } else if (has_twice(result, &name)) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_EXISTS,
                            "its results have two fields '%s'", name);
    } else if (bytes > FIL_AGGREGATE_STATE_BYTES_MAX) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_LIMIT,
                            "its aggregates take %u bytes a group, %u at most", bytes,
                            FIL_AGGREGATE_STATE_BYTES_MAX);
    }
    *result->type = (struct fil_type){.name = stage->name,
                                      .size = result->size,
                                      .fields = result->fields,
                                      .field_count = result->count};
    stage->type = result->type;
    if (result->size > RESULT_BYTES_SMALL) {
        stage->batch_records = 1 + BATCH_BYTES / result->size;
    }
    return stage->pipeline->error == FIL_OK ? stage : NULL;
}

struct fil_stage *fil_stage__group(struct fil_stage *stage, const struct fil_group_by *options,
                                   enum fil_result_head head)
{
    struct fil_pipeline *pipeline = stage->pipeline;
    const struct fil_type *from = stage->inputs[0]->type;
    stage->key = fil_type__find(from, options->key);
    if (options->key != NULL && (stage->key == NULL || stage->key->kind == FIL_FIELD_F64)) {
        fil_pipeline__blame(pipeline, stage, FIL_E_NOT_FOUND,
                            stage->key == NULL ? "key '%s' is no field of type '%s'"
                                               : "key '%s' of type '%s' is a floating-point number",
                            options->key, from->name);
        return NULL;
    }
    stage->is_folded = options->is_folded;
    struct fil_group_result result;
    if (!fil_group_result__open(stage, &result, head) ||
        !fil_group_result__add_aggregates(stage, &result, from, options->aggregates)) {
        return NULL;
    }
    return fil_group_result__close(stage, &result);
}

struct fil_stage *fil_stage_aggregate(struct fil_stage *input, const struct fil_group_by *options)
{
    struct fil_stage *stage = fil_stage__add_behind(input, FIL_STAGE_AGGREGATE);
    return stage == NULL ? NULL : fil_stage__group(stage, options, FIL_RESULT_OF_ALL);
}

static bool check_window(struct fil_stage *stage, const struct fil_group_by *options)
{
    int64_t slide = options->slide == 0 ? options->size : options->slide;
    if (fil_type__time(stage->inputs[0]->type) == NULL) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "type '%s' has no time field",
                            stage->inputs[0]->type->name);
        return false;
    }
    if (options->gap == 0 && (options->size <= 0 || slide <= 0 || options->size % slide != 0 ||
                              options->size / slide > FIL_WINDOW_SLICES_MAX)) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "a window of %lld by %lld: the size must be a positive multiple of the "
                            "slide, up to %u of them",
                            (long long)options->size, (long long)slide, FIL_WINDOW_SLICES_MAX);
        return false;
    }
    if (options->size > FIL_WINDOW_SIZE_MAX || options->gap > FIL_WINDOW_SIZE_MAX) {
        fil_pipeline__blame(
            stage->pipeline, stage, FIL_E_LIMIT, "a window of %lld: %lld at most",
            (long long)(options->size > options->gap ? options->size : options->gap),
            (long long)FIL_WINDOW_SIZE_MAX);
        return false;
    }
    if (options->gap < 0 || (options->gap > 0 && options->size != 0)) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "sessions have a gap above 0 and no size");
        return false;
    }
    if (options->early < 0 || options->lateness < 0) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "%s of %lld: it is 0 or more units of the time field",
                            options->early < 0 ? "a time between early results" : "a lateness",
                            (long long)(options->early < 0 ? options->early : options->lateness));
        return false;
    }
    return true;
}

struct fil_stage *fil_stage__open_window(struct fil_stage *input,
                                         const struct fil_group_by *options)
{
    struct fil_stage *stage =
        fil_stage__add_behind(input, options->gap != 0 ? FIL_STAGE_SESSION : FIL_STAGE_WINDOW);
    if (stage == NULL || !check_window(stage, options)) {
        return NULL;
    }
    stage->size = options->size;
    stage->slide = options->slide == 0 ? options->size : options->slide;
    stage->gap = options->gap;
    stage->early = (struct fil_early_config){.every = options->early,
                                             .every_ns = options->early_ms * UINT64_C(1000000)};
    stage->lateness = options->lateness;
    return stage;
}

struct fil_stage *fil_stage_window(struct fil_stage *input, const struct fil_group_by *options)
{
    struct fil_stage *stage = fil_stage__open_window(input, options);
    return stage == NULL ? NULL : fil_stage__group(stage, options, FIL_RESULT_OF_WINDOW);
}

struct fil_stage *fil_stage_late(struct fil_stage *window)
{
    if (window == NULL || window->late != NULL) {
        return window == NULL ? NULL : window->late;
    }
    if (window->kind != FIL_STAGE_WINDOW && window->kind != FIL_STAGE_SESSION) {
        fil_pipeline__blame(window->pipeline, window, FIL_E_INVALID,
                            "only windows have late records");
        return NULL;
    }
    if (window->is_co_group) {
        fil_pipeline__blame(window->pipeline, window, FIL_E_UNSUPPORTED,
                            "late records of a co-group are counted, but are no stage");
        return NULL;
    }
    struct fil_stage *stage = fil_pipeline__add(window->pipeline, FIL_STAGE_LATE, window, NULL);
    if (stage != NULL) {
        window->consumer_count--; // it does not read the window's results
        window->late = stage;
        stage->type = window->inputs[0]->type;
    }
    return stage;
}
