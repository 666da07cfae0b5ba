// SPDX-License-Identifier: Apache-2.0
// Stages about the order of records: sort, and the first ones of each group.
#include <stdio.h>
#include <string.h>

#include "core/pipeline/pipeline_internal.h"
#include "core/stream/window.h"

#define BATCH_BYTES 65536U

static bool add_field(struct fil_stage *stage, const struct fil_type *type,
                      const struct fil_order_by *by, struct fil_order *order)
{
    static const enum fil_order_kind kinds[] = {[FIL_FIELD_I64] = FIL_ORDER_I64,
                                                [FIL_FIELD_F64] = FIL_ORDER_F64,
                                                [FIL_FIELD_TIME] = FIL_ORDER_I64,
                                                [FIL_FIELD_TEXT] = FIL_ORDER_TEXT};
    const struct fil_field *field = fil_type__find(type, by->field);
    if (field == NULL) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_NOT_FOUND,
                            "it orders by '%s', which is no field of '%s'", by->field, type->name);
        return false;
    }
    order->fields[order->field_count] =
        (struct fil_order_field){.kind = kinds[field->kind],
                                 .offset = field->offset,
                                 .size = field->size,
                                 .is_descending = by->is_descending};
    order->field_count++;
    return true;
}

/** The order by fields of the type, up to the first without a name. NULL with a mistake. */
static struct fil_order *make_order(struct fil_stage *stage, const struct fil_type *type,
                                    const struct fil_order_by *by, uint32_t count)
{
    struct fil_order *order = fil_pipeline__alloc(stage->pipeline, 1, sizeof(*order));
    if (order == NULL) {
        return NULL;
    }
    order->record_size = type->size;
    if (count > FIL_ORDER_FIELDS_MAX) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_LIMIT,
                            "it orders by %u fields, %u at most", count, FIL_ORDER_FIELDS_MAX);
        return NULL;
    }
    for (uint32_t i = 0; i < count && by[i].field != NULL; i++) {
        if (!add_field(stage, type, &by[i], order)) {
            return NULL;
        }
    }
    if (order->field_count == 0) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "it needs a field to order by");
        return NULL;
    }
    return order;
}

struct fil_stage *fil_stage_sort(struct fil_stage *input, const struct fil_order_by *by,
                                 uint32_t count)
{
    struct fil_stage *stage = fil_stage__add_behind(input, FIL_STAGE_SORT);
    if (stage == NULL) {
        return NULL;
    }
    stage->order = make_order(stage, input->type, by, count);
    stage->parallelism = 1;
    return stage->order == NULL ? NULL : stage;
}

/** Where the rows of a result of the first ones are. */
struct rows {
    uint32_t count_at;
    uint32_t stride;
    uint32_t size; // of a record
};

static bool next_row(void *context, const void *record, uint32_t index, void *out_record)
{
    const struct rows *rows = context;
    const uint8_t *from = (const uint8_t *)record + rows->count_at;
    uint64_t count;
    memcpy(&count, from, sizeof(count));
    if (index >= count) {
        return false;
    }
    memcpy(out_record, from + sizeof(count) + (size_t)index * rows->stride, rows->size);
    return true;
}

/** The stage that gathers the first ones: a group, whose result has them all. */
static struct fil_stage *open_top(struct fil_stage *input, const struct fil_top *options)
{
    const struct fil_group_by group = {.size = options->size, .lateness = options->lateness};
    struct fil_stage *stage = options->size != 0
                                  ? fil_stage__open_window(input, &group)
                                  : fil_stage__add_behind(input, FIL_STAGE_AGGREGATE);
    if (stage != NULL) {
        (void)snprintf(stage->name, sizeof(stage->name), "top-%u", stage->number + 1);
    }
    return stage;
}

static bool gather_first(struct fil_stage *stage, const struct fil_type *type,
                         const struct fil_top *options, struct rows *out_rows)
{
    struct fil_group_result result;
    struct fil_order *order = make_order(stage, type, options->by, FIL_ORDER_BY_MAX);
    if (order == NULL || !fil_stage__find_key(stage, type, options->key, &stage->key) ||
        !fil_group_result__open(stage, &result,
                                options->size != 0 ? FIL_RESULT_OF_WINDOW : FIL_RESULT_OF_ALL)) {
        return false;
    }
    uint32_t stride = fil_aggregate_best_stride(order);
    if (options->count == 0 || options->count > FIL_AGGREGATE_STATE_BYTES_MAX / stride) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_LIMIT,
                            "the first %u records of %u bytes: it keeps 1 and more, in up to %u "
                            "bytes",
                            options->count, type->size, FIL_AGGREGATE_STATE_BYTES_MAX);
        return false;
    }
    stage->aggregates[0] = fil_aggregate_best(order, options->count);
    stage->aggregate_count = 1;
    *out_rows = (struct rows){.count_at = result.size, .stride = stride, .size = type->size};
    fil_group_result__add(&result, "rows", FIL_FIELD_TEXT, stage->aggregates[0].result_size);
    stage->batch_records = 1 + BATCH_BYTES / result.size;
    return fil_group_result__close(stage, &result) != NULL;
}

struct fil_stage *fil_stage_top(struct fil_stage *input, const struct fil_top *options)
{
    struct fil_stage *stage = open_top(input, options);
    struct rows *rows =
        stage == NULL ? NULL : fil_pipeline__alloc(stage->pipeline, 1, sizeof(*rows));
    if (rows == NULL || !gather_first(stage, input->type, options, rows)) {
        return NULL;
    }
    return fil_stage_flat_map(stage, input->type, next_row, rows);
}
