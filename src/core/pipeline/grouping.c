// SPDX-License-Identifier: Apache-2.0
// Stages that group: their aggregates, and the type of their results.
#include <string.h>

#include "core/pipeline/pipeline_internal.h"
#include "core/stream/window.h"
#include "lib/base/assert.h"

static const char *const kind_names[] = {[FIL_AGGREGATION_NONE] = "none",
                                         [FIL_AGGREGATION_COUNT] = "count",
                                         [FIL_AGGREGATION_SUM] = "sum",
                                         [FIL_AGGREGATION_AVERAGE] = "average",
                                         [FIL_AGGREGATION_MIN] = "min",
                                         [FIL_AGGREGATION_MAX] = "max",
                                         [FIL_AGGREGATION_MIN_BY] = "min_by",
                                         [FIL_AGGREGATION_MAX_BY] = "max_by",
                                         [FIL_AGGREGATION_TREND] = "trend",
                                         [FIL_AGGREGATION_DISTINCT] = "distinct",
                                         [FIL_AGGREGATION_PERCENTILE] = "percentile",
                                         [FIL_AGGREGATION_CUSTOM] = "custom"};

/** An aggregate and the fields that it is taken of. */
struct taken {
    enum fil_aggregation_kind kind;
    const struct fil_field *field;
    const struct fil_field *by;
    double rank;
    const struct fil_custom_aggregate *custom;
    const struct fil_aggregate_custom *kept; // the same, in the pipeline's memory
};

static bool is_real(const struct fil_field *field)
{
    return field != NULL && field->kind == FIL_FIELD_F64;
}

static bool has_two_fields(enum fil_aggregation_kind kind)
{
    return kind == FIL_AGGREGATION_MIN_BY || kind == FIL_AGGREGATION_MAX_BY ||
           kind == FIL_AGGREGATION_TREND;
}

/** Of two fields. */
static struct fil_aggregate choose_pair(const struct taken *taken)
{
    uint32_t offset = taken->field->offset;
    uint32_t by_offset = taken->by->offset;
    if (taken->kind == FIL_AGGREGATION_TREND) {
        return fil_aggregate_trend(offset, by_offset,
                                   (is_real(taken->field) ? FIL_AGGREGATE_IS_REAL : 0) |
                                       (is_real(taken->by) ? FIL_AGGREGATE_IS_REAL_BY : 0));
    }
    return fil_aggregate_chosen(
        offset, by_offset,
        (is_real(taken->by) ? FIL_AGGREGATE_IS_REAL : 0) |
            (taken->kind == FIL_AGGREGATION_MAX_BY ? FIL_AGGREGATE_IS_MAX : 0));
}

static struct fil_aggregate choose_extreme(const struct taken *taken)
{
    bool is_max = taken->kind == FIL_AGGREGATION_MAX;
    uint32_t offset = taken->field->offset;
    if (is_real(taken->field)) {
        return fil_aggregate_extreme_real(offset, is_max ? FIL_AGGREGATE_IS_MAX : 0);
    }
    return is_max ? fil_aggregate_max(offset) : fil_aggregate_min(offset);
}

/** The engine's aggregate of a field; false: it has none for the field's kind. */
static bool choose(const struct taken *taken, struct fil_aggregate *out_aggregate)
{
    uint32_t offset = taken->field == NULL ? 0 : taken->field->offset;
    uint32_t size = taken->field == NULL ? 0 : taken->field->size;
    bool is_double = is_real(taken->field);
    switch (taken->kind) {
    case FIL_AGGREGATION_COUNT:
        *out_aggregate = fil_aggregate_count();
        return true;
    case FIL_AGGREGATION_SUM:
        *out_aggregate = is_double ? fil_aggregate_sum_real(offset) : fil_aggregate_sum(offset);
        return true;
    case FIL_AGGREGATION_AVERAGE:
        *out_aggregate =
            is_double ? fil_aggregate_average_real(offset) : fil_aggregate_average(offset);
        return true;
    case FIL_AGGREGATION_MIN:
    case FIL_AGGREGATION_MAX:
        *out_aggregate = choose_extreme(taken);
        return true;
    case FIL_AGGREGATION_MIN_BY:
    case FIL_AGGREGATION_MAX_BY:
    case FIL_AGGREGATION_TREND:
        *out_aggregate = choose_pair(taken);
        return true;
    case FIL_AGGREGATION_DISTINCT:
        *out_aggregate = fil_aggregate_distinct(offset, size);
        return true;
    case FIL_AGGREGATION_PERCENTILE:
        *out_aggregate = fil_aggregate_percentile(
            offset, (uint32_t)(taken->rank * FIL_AGGREGATE_RANK_SCALE + 0.5));
        return !is_double;
    case FIL_AGGREGATION_CUSTOM:
        *out_aggregate = fil_aggregate_custom(taken->kept);
        return true;
    case FIL_AGGREGATION_NONE:
        break;
    }
    return false;
}

static enum fil_field_kind result_kind(const struct taken *taken)
{
    if (taken->kind == FIL_AGGREGATION_AVERAGE || taken->kind == FIL_AGGREGATION_TREND) {
        return FIL_FIELD_F64;
    }
    if (taken->kind == FIL_AGGREGATION_CUSTOM) {
        return taken->custom->result;
    }
    bool is_count = taken->kind == FIL_AGGREGATION_COUNT || taken->kind == FIL_AGGREGATION_DISTINCT;
    return is_count || taken->field == NULL ? FIL_FIELD_I64 : taken->field->kind;
}

/** Keeps an aggregate of the program; false with a mistake. */
static bool keep_custom(struct fil_stage *stage, const struct fil_custom_aggregate *custom,
                        struct taken *taken)
{
    if (custom == NULL || custom->state_size == 0 || custom->accumulate == NULL ||
        custom->combine == NULL || custom->export_result == NULL ||
        custom->result == FIL_FIELD_TEXT) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "an aggregate of its own needs the size of its state, accumulate, "
                            "combine, export_result and a number as its result");
        return false;
    }
    if (custom->state_size > FIL_AGGREGATE_STATE_BYTES_MAX) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_LIMIT,
                            "its aggregates take %u bytes a group, %u at most", custom->state_size,
                            FIL_AGGREGATE_STATE_BYTES_MAX);
        return false;
    }
    struct fil_aggregate_custom *kept = fil_pipeline__alloc(stage->pipeline, 1, sizeof(*kept));
    if (kept == NULL) {
        return false;
    }
    *kept = (struct fil_aggregate_custom){.state_size = custom->state_size,
                                          .accumulate = custom->accumulate,
                                          .combine = custom->combine,
                                          .deduct = custom->deduct,
                                          .export_result = custom->export_result,
                                          .context = custom->context};
    taken->custom = custom;
    taken->kept = kept;
    return true;
}

/** The fields that an aggregate names; false with a mistake. */
static bool find_fields(struct fil_stage *stage, const struct fil_aggregation *from,
                        struct taken *out_taken)
{
    const struct fil_type *type = stage->inputs[0]->type;
    const char *names[] = {from->field, from->by};
    const struct fil_field *fields[] = {fil_type__find(type, from->field),
                                        fil_type__find(type, from->by)};
    const bool is_needed[] = {from->kind != FIL_AGGREGATION_COUNT &&
                                  from->kind != FIL_AGGREGATION_CUSTOM,
                              has_two_fields(from->kind)};
    const bool can_be_text = from->kind == FIL_AGGREGATION_DISTINCT;
    for (uint32_t i = 0; i < 2; i++) {
        if (is_needed[i] && fields[i] == NULL) {
            fil_pipeline__blame(stage->pipeline, stage, FIL_E_NOT_FOUND,
                                "%s of '%s', which is no field of '%s'", kind_names[from->kind],
                                names[i] == NULL ? "" : names[i], type->name);
            return false;
        }
        if (is_needed[i] && fields[i]->kind == FIL_FIELD_TEXT && !can_be_text) {
            fil_pipeline__blame(stage->pipeline, stage, FIL_E_UNSUPPORTED,
                                "there is no %s of text '%s'", kind_names[from->kind], names[i]);
            return false;
        }
    }
    *out_taken =
        (struct taken){.kind = from->kind, .field = fields[0], .by = fields[1], .rank = from->rank};
    return from->kind != FIL_AGGREGATION_CUSTOM || keep_custom(stage, from->custom, out_taken);
}

/** One aggregate and the field of its result. */
static bool add_aggregate(struct fil_stage *stage, const struct fil_aggregation *from,
                          struct fil_field *out_field)
{
    struct fil_pipeline *pipeline = stage->pipeline;
    fil_assert((uint32_t)from->kind < FIL_COUNT_OF(kind_names));
    const char *kind = kind_names[from->kind];
    struct taken taken;
    if (!find_fields(stage, from, &taken)) {
        return false;
    }
    if (from->kind == FIL_AGGREGATION_PERCENTILE && !(from->rank >= 0 && from->rank <= 100)) {
        fil_pipeline__blame(pipeline, stage, FIL_E_INVALID, "a percentile is one from 0 to 100");
        return false;
    }
    if (!choose(&taken, &stage->aggregates[stage->aggregate_count])) {
        fil_pipeline__blame(pipeline, stage, FIL_E_UNSUPPORTED,
                            "there is no %s of floating-point field '%s'", kind, from->field);
        return false;
    }
    *out_field = (struct fil_field){
        .name = from->name == NULL ? kind : from->name, .kind = result_kind(&taken), .size = 8};
    stage->aggregate_count++;
    return true;
}

/** Fields of a result, one behind the other as the engine writes them. */
struct layout {
    struct fil_field *fields;
    uint32_t count;
    uint32_t size;
};

static void add_field(struct layout *layout, const char *name, enum fil_field_kind kind,
                      uint32_t size)
{
    layout->fields[layout->count] =
        (struct fil_field){.name = name, .kind = kind, .offset = layout->size, .size = size};
    layout->count++;
    layout->size += (size + 7U) & ~7U;
}

static bool has_twice(const struct layout *layout, const char **out_name)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(layout->fields[i].name, layout->fields[j].name) == 0) {
                *out_name = layout->fields[i].name;
                return true;
            }
        }
    }
    return false;
}

/** Of one group. */
static uint32_t state_bytes(const struct fil_stage *stage)
{
    return stage->aggregate_count == 1
               ? stage->aggregates[0].state_size
               : fil_aggregate_several(stage->aggregates, stage->aggregate_count).state_size;
}

static bool add_aggregates(struct fil_stage *stage, const struct fil_group_by *options,
                           struct layout *layout)
{
    for (uint32_t i = 0; i < FIL_AGGREGATIONS_MAX; i++) {
        struct fil_field field;
        if (options->aggregates[i].kind == FIL_AGGREGATION_NONE) {
            break;
        }
        if (!add_aggregate(stage, &options->aggregates[i], &field)) {
            return false;
        }
        add_field(layout, field.name, field.kind, field.size);
    }
    if (fil_early_is_wanted(&stage->early)) {
        add_field(layout, "early", FIL_FIELD_I64, 8);
    }
    const char *name = NULL;
    if (stage->aggregate_count == 0) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "it has no aggregates");
    } else if (has_twice(layout, &name)) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_EXISTS,
                            "its results have two fields '%s'", name);
    } else if (state_bytes(stage) > FIL_AGGREGATE_STATE_BYTES_MAX) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_LIMIT,
                            "its aggregates take %u bytes a group, %u at most", state_bytes(stage),
                            FIL_AGGREGATE_STATE_BYTES_MAX);
    }
    return stage->pipeline->error == FIL_OK;
}

static void add_head(struct layout *layout, const struct fil_type *from, enum fil_result_head head)
{
    const struct fil_field *time = fil_type__time(from);
    if (head == FIL_RESULT_OF_WINDOW) {
        add_field(layout, "start", FIL_FIELD_I64, 8);
        add_field(layout, "end", FIL_FIELD_TIME, 8);
    } else if (head == FIL_RESULT_OF_RECORD && time != NULL) {
        add_field(layout, time->name, FIL_FIELD_TIME, 8);
    }
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
    struct layout layout = {.fields = fil_pipeline__alloc(pipeline, FIL_AGGREGATIONS_MAX + 4,
                                                          sizeof(struct fil_field))};
    struct fil_type *type = fil_pipeline__alloc(pipeline, 1, sizeof(*type));
    stage->aggregates =
        fil_pipeline__alloc(pipeline, FIL_AGGREGATIONS_MAX, sizeof(*stage->aggregates));
    if (layout.fields == NULL || type == NULL || stage->aggregates == NULL) {
        return NULL;
    }
    add_head(&layout, from, head);
    if (stage->key != NULL) {
        add_field(&layout, stage->key->name, stage->key->kind, stage->key->size);
    }
    if (!add_aggregates(stage, options, &layout)) {
        return NULL;
    }
    *type = (struct fil_type){.name = stage->name,
                              .size = layout.size,
                              .fields = layout.fields,
                              .field_count = layout.count};
    stage->type = type;
    return stage;
}

struct fil_stage *fil_stage_aggregate(struct fil_stage *input, const struct fil_group_by *options)
{
    if (input == NULL) {
        return NULL;
    }
    struct fil_stage *stage = fil_pipeline__add(input->pipeline, FIL_STAGE_AGGREGATE, input, NULL);
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

struct fil_stage *fil_stage_window(struct fil_stage *input, const struct fil_group_by *options)
{
    if (input == NULL) {
        return NULL;
    }
    struct fil_stage *stage = fil_pipeline__add(
        input->pipeline, options->gap != 0 ? FIL_STAGE_SESSION : FIL_STAGE_WINDOW, input, NULL);
    if (stage == NULL || !check_window(stage, options)) {
        return NULL;
    }
    stage->size = options->size;
    stage->slide = options->slide == 0 ? options->size : options->slide;
    stage->gap = options->gap;
    stage->early = (struct fil_early_config){.every = options->early,
                                             .every_ns = options->early_ms * UINT64_C(1000000)};
    stage->lateness = options->lateness;
    return fil_stage__group(stage, options, FIL_RESULT_OF_WINDOW);
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
    struct fil_stage *stage = fil_pipeline__add(window->pipeline, FIL_STAGE_LATE, window, NULL);
    if (stage != NULL) {
        window->consumer_count--; // it does not read the window's results
        window->late = stage;
        stage->type = window->inputs[0]->type;
    }
    return stage;
}
