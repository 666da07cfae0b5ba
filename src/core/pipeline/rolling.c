// SPDX-License-Identifier: Apache-2.0
// Stages with a state by key that the engine knows how to use: distinct records, rolling
// aggregates.
#include <stdio.h>
#include <string.h>

#include "core/pipeline/pipeline_internal.h"
#include "core/stream/aggregate.h"

/** A stage with a state by key, under a name of its own. */
static struct fil_stage *add_named(struct fil_stage *input, const char *name)
{
    struct fil_stage *stage = fil_stage__add_behind(input, FIL_STAGE_STATE_MAP);
    if (stage != NULL) {
        (void)snprintf(stage->name, sizeof(stage->name), "%s-%u", name, stage->number + 1);
    }
    return stage;
}

static bool keep_first(void *context, void *state, const void *record, int64_t time,
                       void *out_record)
{
    const struct fil_type *type = context;
    uint64_t *seen = state;
    (void)time;
    if (*seen != 0) {
        return false;
    }
    *seen = 1;
    memcpy(out_record, record, type->size);
    return true;
}

struct fil_stage *fil_stage_distinct(struct fil_stage *input, const char *key)
{
    struct fil_stage *stage = add_named(input, "distinct");
    if (stage == NULL) {
        return NULL;
    }
    if (key == NULL) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "it needs a key");
        return NULL;
    }
    if (!fil_stage__find_key(stage, input->type, key, &stage->key)) {
        return NULL;
    }
    stage->function.state_map = keep_first;
    // The context is only read: a function's context cannot be const.
    stage->context = (void *)(uintptr_t)input->type;
    stage->state_size = sizeof(uint64_t);
    return stage;
}

/** What a rolling aggregate needs to know of its records. */
struct rolling {
    struct fil_aggregate aggregate;
    const struct fil_field *time; // NULL: none
    const struct fil_field *key;  // NULL: none
};

static uint8_t *copy_field(uint8_t *out, const struct fil_field *field, const void *record)
{
    uint32_t room = (field->size + 7U) & ~7U;
    memset(out, 0, room);
    memcpy(out, (const uint8_t *)record + field->offset, field->size);
    return out + room;
}

static bool roll(void *context, void *state, const void *record, int64_t time, void *out_record)
{
    const struct rolling *rolling = context;
    const struct fil_aggregate *aggregate = &rolling->aggregate;
    uint8_t *out = out_record;
    (void)time;
    aggregate->ops->accumulate(aggregate, &state, &record, 1);
    out = rolling->time == NULL ? out : copy_field(out, rolling->time, record);
    out = rolling->key == NULL ? out : copy_field(out, rolling->key, record);
    fil_aggregate_export(aggregate, state, out);
    return true;
}

struct fil_stage *fil_stage_rolling(struct fil_stage *input, const struct fil_group_by *options)
{
    struct fil_stage *stage = add_named(input, "rolling");
    struct rolling *rolling =
        stage == NULL ? NULL : fil_pipeline__alloc(stage->pipeline, 1, sizeof(*rolling));
    if (rolling == NULL || fil_stage__group(stage, options, FIL_RESULT_OF_RECORD) == NULL) {
        return NULL;
    }
    rolling->aggregate = fil_stage__aggregate(stage);
    rolling->time = fil_type__time(input->type);
    rolling->key = stage->key;
    stage->function.state_map = roll;
    stage->context = rolling;
    stage->state_size = rolling->aggregate.state_size;
    return stage;
}
