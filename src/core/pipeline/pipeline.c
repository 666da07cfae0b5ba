// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/pipeline/engine.h"
#include "core/pipeline/pipeline_internal.h"
#include "core/pipeline/planner.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define ARENA_CHUNK_BYTES 4096U
#define ARENA_LIMIT_BYTES ((size_t)64 << 20)

struct fil_pipeline *fil_pipeline_new(const char *name)
{
    struct fil_pipeline *pipeline = fil_alloc_zero(1, sizeof(*pipeline));
    if (pipeline == NULL) {
        return NULL;
    }
    atomic_init(&pipeline->references, 1);
    fil_arena_init(&pipeline->arena, ARENA_CHUNK_BYTES, ARENA_LIMIT_BYTES);
    int size = snprintf(pipeline->name, sizeof(pipeline->name), "%s", name == NULL ? "" : name);
    if (size <= 0 || (uint32_t)size >= sizeof(pipeline->name)) {
        fil_pipeline__blame(pipeline, NULL, FIL_E_INVALID,
                            "a pipeline needs a name of 1 to %u bytes", FIL_DAG_NAME_MAX - 1);
    }
    return pipeline;
}

void fil_pipeline_ref(struct fil_pipeline *pipeline)
{
    // Relaxed: whoever refs holds a reference already.
    uint32_t before = atomic_fetch_add_explicit(&pipeline->references, 1, memory_order_relaxed);
    fil_assert(before > 0);
}

void fil_pipeline_free(struct fil_pipeline *pipeline)
{
    if (pipeline == NULL) {
        return;
    }
    // Release and acquire: the last holder frees what all others have read.
    uint32_t before = atomic_fetch_sub_explicit(&pipeline->references, 1, memory_order_acq_rel);
    fil_assert(before > 0);
    if (before == 1) {
        fil_arena_fini(&pipeline->arena);
        fil_free(pipeline);
    }
}

void fil_pipeline__blame(struct fil_pipeline *pipeline, const struct fil_stage *stage, int error,
                         const char *format, ...)
{
    if (pipeline->error != FIL_OK) {
        return;
    }
    pipeline->error = error;
    size_t used = 0;
    if (stage != NULL) {
        int size = snprintf(pipeline->text, sizeof(pipeline->text), "stage '%s': ", stage->name);
        used = size > 0 ? (size_t)size : 0;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(pipeline->text + used, sizeof(pipeline->text) - used, format, arguments);
    va_end(arguments);
}

void *fil_pipeline__alloc(struct fil_pipeline *pipeline, size_t count, size_t size)
{
    void *memory = fil_arena_alloc_zero(&pipeline->arena, count, size);
    if (memory == NULL) {
        fil_pipeline__blame(pipeline, NULL, FIL_E_NOMEM, "out of memory");
    }
    return memory;
}

const char *fil_stage__kind_name(enum fil_stage_kind kind)
{
    static const char *const names[] = {
        [FIL_STAGE_LIST] = "list",       [FIL_STAGE_GENERATOR] = "generator",
        [FIL_STAGE_CSV] = "csv",         [FIL_STAGE_MAP] = "map",
        [FIL_STAGE_FILTER] = "filter",   [FIL_STAGE_FLAT_MAP] = "flat-map",
        [FIL_STAGE_STATE_MAP] = "state", [FIL_STAGE_JOIN] = "join",
        [FIL_STAGE_MERGE] = "merge",     [FIL_STAGE_AGGREGATE] = "aggregate",
        [FIL_STAGE_WINDOW] = "window",   [FIL_STAGE_SESSION] = "session",
        [FIL_STAGE_LATE] = "late",       [FIL_STAGE_FUNCTION] = "function",
        [FIL_STAGE_SORT] = "sort",       [FIL_STAGE_ASYNC] = "async",
        [FIL_STAGE_SOCKET] = "socket",   [FIL_STAGE_TIMER] = "timer",
        [FIL_STAGE_LOG] = "log",         [FIL_STAGE_EXPECTED] = "expected",
        [FIL_STAGE_FILES] = "files",     [FIL_STAGE_GRID_SOURCE] = "read",
        [FIL_STAGE_LOOKUP] = "lookup",   [FIL_STAGE_GRID_SINK] = "write",
        [FIL_STAGE_CALL] = "call"};
    fil_assert(kind < FIL_COUNT_OF(names));
    return names[kind];
}

bool fil_stage__attach(struct fil_stage *stage, struct fil_stage *input)
{
    uint32_t place = 0;
    while (place < FIL_STAGE_INPUTS_MAX && stage->inputs[place] != NULL) {
        place++;
    }
    fil_assert(place < FIL_STAGE_INPUTS_MAX);
    if (input->pipeline != stage->pipeline) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "its input belongs to another pipeline");
        return false;
    }
    stage->inputs[place] = input;
    input->consumer_count++;
    return true;
}

/** What the new stage takes its records from. */
static bool attach_both(struct fil_stage *stage, struct fil_stage *input, struct fil_stage *other)
{
    stage->type = input == NULL ? NULL : input->type;
    return (input == NULL || fil_stage__attach(stage, input)) &&
           (other == NULL || fil_stage__attach(stage, other));
}

struct fil_stage *fil_pipeline__add(struct fil_pipeline *pipeline, enum fil_stage_kind kind,
                                    struct fil_stage *input, struct fil_stage *other)
{
    if (pipeline->error != FIL_OK) {
        return NULL;
    }
    if (pipeline->stage_count == FIL_PIPELINE_STAGES_MAX) {
        fil_pipeline__blame(pipeline, NULL, FIL_E_LIMIT, "more than %u stages",
                            FIL_PIPELINE_STAGES_MAX);
        return NULL;
    }
    struct fil_stage *stage = fil_pipeline__alloc(pipeline, 1, sizeof(*stage));
    if (stage == NULL) {
        return NULL;
    }
    *stage =
        (struct fil_stage){.pipeline = pipeline, .kind = kind, .number = pipeline->stage_count};
    (void)snprintf(stage->name, sizeof(stage->name), "%s-%u", fil_stage__kind_name(kind),
                   stage->number + 1);
    pipeline->stages[pipeline->stage_count] = stage;
    pipeline->stage_count++;
    return attach_both(stage, input, other) ? stage : NULL;
}

struct fil_stage *fil_stage_name(struct fil_stage *stage, const char *name)
{
    if (stage == NULL) {
        return NULL;
    }
    size_t size = name == NULL ? 0 : strlen(name);
    if (size == 0 || size >= FIL_DAG_NAME_MAX) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "a name has 1 to %u bytes",
                            FIL_DAG_NAME_MAX - 1);
        return NULL;
    }
    memcpy(stage->name, name, size + 1);
    return stage;
}

struct fil_stage *fil_stage_parallelism(struct fil_stage *stage, uint32_t count)
{
    if (stage == NULL) {
        return NULL;
    }
    if (count > FIL_DAG_PARALLELISM_MAX) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_LIMIT,
                            "a parallelism of %u, allowed are up to %u", count,
                            FIL_DAG_PARALLELISM_MAX);
        return NULL;
    }
    stage->parallelism = count;
    return stage;
}

const struct fil_type *fil_stage_type(const struct fil_stage *stage)
{
    return stage == NULL ? NULL : stage->type;
}

const char *fil_pipeline_name(const struct fil_pipeline *pipeline)
{
    return pipeline->name;
}

const char *fil_pipeline_text(const struct fil_pipeline *pipeline)
{
    return pipeline->text;
}

static bool is_sink(const struct fil_stage *stage)
{
    return stage->kind == FIL_STAGE_FUNCTION || stage->kind == FIL_STAGE_FILES ||
           stage->kind == FIL_STAGE_GRID_SINK || stage->kind == FIL_STAGE_EXPECTED ||
           stage->kind == FIL_STAGE_LOG;
}

static void check_ends(struct fil_pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->stage_count; i++) {
        const struct fil_stage *stage = pipeline->stages[i];
        if (stage->consumer_count == 0 && !is_sink(stage)) {
            fil_pipeline__blame(pipeline, stage, FIL_E_INVALID, "its records are not written");
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(pipeline->stages[j]->name, stage->name) == 0) {
                fil_pipeline__blame(pipeline, stage, FIL_E_EXISTS, "the name is there twice");
            }
        }
    }
}

int fil_pipeline_check(struct fil_pipeline *pipeline)
{
    if (pipeline->error == FIL_OK && pipeline->stage_count == 0) {
        fil_pipeline__blame(pipeline, NULL, FIL_E_INVALID, "the pipeline has no stages");
    }
    if (pipeline->error == FIL_OK) {
        check_ends(pipeline);
    }
    return pipeline->error;
}
