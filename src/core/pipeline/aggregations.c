// SPDX-License-Identifier: Apache-2.0
// From the aggregates that a stage names to those of the engine.
#include <string.h>

#include "core/pipeline/pipeline_internal.h"
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
                                         [FIL_AGGREGATION_CUSTOM] = "custom",
                                         [FIL_AGGREGATION_LIST] = "list",
                                         [FIL_AGGREGATION_MAP] = "map"};

/** An aggregate and the fields that it is taken of. */
struct taken {
    enum fil_aggregation_kind kind;
    const struct fil_field *field;
    const struct fil_field *by;
    double rank;
    const struct fil_custom_aggregate *custom;
    const struct fil_aggregate_custom *kept; // the same, in the pipeline's memory
    const struct fil_aggregate_items *items; // list, map
};

static bool is_real(const struct fil_field *field)
{
    return field != NULL && field->kind == FIL_FIELD_F64;
}

static bool has_two_fields(enum fil_aggregation_kind kind)
{
    return kind == FIL_AGGREGATION_MIN_BY || kind == FIL_AGGREGATION_MAX_BY ||
           kind == FIL_AGGREGATION_TREND || kind == FIL_AGGREGATION_MAP;
}

static bool gives_items(enum fil_aggregation_kind kind)
{
    return kind == FIL_AGGREGATION_LIST || kind == FIL_AGGREGATION_MAP;
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
    case FIL_AGGREGATION_LIST:
    case FIL_AGGREGATION_MAP:
        *out_aggregate = fil_aggregate_items(taken->items);
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

static struct fil_aggregate_value value_of(const struct fil_field *field)
{
    bool is_text = field->kind == FIL_FIELD_TEXT;
    enum fil_aggregate_value_kind number =
        is_real(field) ? FIL_AGGREGATE_REAL : FIL_AGGREGATE_NUMBER;
    return (struct fil_aggregate_value){.kind = is_text ? FIL_AGGREGATE_TEXT : number,
                                        .offset = field->offset,
                                        .size = field->size};
}

/** Keeps what a list or map is made of; false with a mistake. */
static bool keep_items(struct fil_stage *stage, const struct fil_type *type,
                       const struct fil_aggregation *from, struct taken *taken)
{
    struct fil_aggregate_items *items = fil_pipeline__alloc(stage->pipeline, 1, sizeof(*items));
    if (items == NULL) {
        return false;
    }
    const struct fil_field *time = fil_type__time(type);
    *items = (struct fil_aggregate_items){.value = value_of(taken->field),
                                          .limit = from->limit,
                                          .has_time = time != NULL,
                                          .time_offset = time == NULL ? 0 : time->offset};
    if (from->kind == FIL_AGGREGATION_MAP) {
        items->key = value_of(taken->by);
    }
    if (items->limit == 0 || !fil_aggregate_items_fit(items)) {
        fil_pipeline__blame(stage->pipeline, stage, items->limit == 0 ? FIL_E_INVALID : FIL_E_LIMIT,
                            "a %s of %u: it has 1 to %u values, each of up to %u bytes, and up to "
                            "%u bytes as text",
                            kind_names[from->kind], items->limit, FIL_AGGREGATE_ITEMS_MAX,
                            FIL_AGGREGATE_ITEM_BYTES_MAX, FIL_AGGREGATE_ITEMS_TEXT_MAX);
        return false;
    }
    taken->items = items;
    return true;
}

/** The fields that an aggregate names; false with a mistake. */
static bool find_fields(struct fil_stage *stage, const struct fil_type *type,
                        const struct fil_aggregation *from, struct taken *out_taken)
{
    const char *names[] = {from->field, from->by};
    const struct fil_field *fields[] = {fil_type__find(type, from->field),
                                        fil_type__find(type, from->by)};
    const bool is_needed[] = {from->kind != FIL_AGGREGATION_COUNT &&
                                  from->kind != FIL_AGGREGATION_CUSTOM,
                              has_two_fields(from->kind)};
    const bool can_be_text = from->kind == FIL_AGGREGATION_DISTINCT || gives_items(from->kind);
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
    if (gives_items(from->kind)) {
        return keep_items(stage, type, from, out_taken);
    }
    return from->kind != FIL_AGGREGATION_CUSTOM || keep_custom(stage, from->custom, out_taken);
}

/** The text, and how many records are not told in it. */
static bool add_item_fields(struct fil_stage *stage, struct fil_group_result *result,
                            const char *name, const struct fil_aggregate_items *items)
{
    static const char ending[] = "_more";
    size_t size = strlen(name);
    char *more = fil_pipeline__alloc(stage->pipeline, 1, size + sizeof(ending));
    if (more == NULL) {
        return false;
    }
    memcpy(more, name, size);
    memcpy(more + size, ending, sizeof(ending));
    fil_group_result__add(result, name, FIL_FIELD_TEXT, fil_aggregate_items_text_bytes(items));
    fil_group_result__add(result, more, FIL_FIELD_I64, 8);
    return true;
}

bool fil_stage__add_aggregate(struct fil_stage *stage, struct fil_group_result *result,
                              const struct fil_type *type, const struct fil_aggregation *from)
{
    struct fil_pipeline *pipeline = stage->pipeline;
    fil_assert((uint32_t)from->kind < FIL_COUNT_OF(kind_names));
    const char *kind = kind_names[from->kind];
    struct taken taken;
    if (!find_fields(stage, type, from, &taken)) {
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
    stage->aggregate_count++;
    const char *name = from->name == NULL ? kind : from->name;
    if (taken.items != NULL) {
        return add_item_fields(stage, result, name, taken.items);
    }
    fil_group_result__add(result, name, result_kind(&taken), 8);
    return true;
}
