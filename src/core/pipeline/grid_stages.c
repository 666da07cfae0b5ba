// SPDX-License-Identifier: Apache-2.0
// Stages that read or write the structures of a member.
#include <string.h>

#include "core/pipeline/pipeline_internal.h"
#include "lib/base/assert.h"

#define FRAME_DEFAULT 1000

/** The fields that are the value: all but the key. */
static bool split_type(struct fil_stage *stage, const struct fil_type *type)
{
    struct fil_connection *connection = stage->connection;
    struct fil_field *fields =
        fil_pipeline__alloc(stage->pipeline, type->field_count + 1, sizeof(*fields));
    if (fields == NULL) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (&type->fields[i] != connection->key) {
            fields[count] = type->fields[i];
            count++;
        }
    }
    connection->value_type = (struct fil_type){
        .name = type->name, .size = type->size, .fields = fields, .field_count = count};
    return true;
}

bool fil_stage__connect(struct fil_stage *stage, enum fil_connection_kind kind, const char *name)
{
    struct fil_connection *connection =
        fil_pipeline__alloc(stage->pipeline, 1, sizeof(*connection));
    if (connection == NULL) {
        return false;
    }
    stage->connection = connection;
    connection->kind = kind;
    connection->name = fil_stage__copy_text(stage, name);
    return connection->name != NULL;
}

/** The key of entries: the named field, or the first. */
static bool take_key(struct fil_stage *stage, const struct fil_type *type, const char *name)
{
    const char *wanted = name == NULL && type->field_count > 0 ? type->fields[0].name : name;
    return fil_stage__find_key(stage, type, wanted, &stage->connection->key);
}

static void take_time(struct fil_stage *stage, const struct fil_read_grid *options)
{
    struct fil_connection *connection = stage->connection;
    connection->time_field = fil_type__time(stage->type);
    if (options->lag < 0 || options->frame < 0) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "lag and frame cannot be negative");
    }
    if (connection->time_field != NULL) {
        connection->time = (struct fil_source_time){
            .lag = options->lag, .frame = options->frame == 0 ? FRAME_DEFAULT : options->frame};
    }
}

static struct fil_stage *read_grid(struct fil_pipeline *pipeline, const struct fil_type *type,
                                   const struct fil_read_grid *options,
                                   enum fil_connection_kind kind)
{
    struct fil_stage *stage =
        fil_stage__take_type(fil_pipeline__add(pipeline, FIL_STAGE_GRID_SOURCE, NULL, NULL), type);
    if (stage == NULL || !fil_stage__connect(stage, kind, options->name) ||
        (kind != FIL_CONNECTION_READ_RINGBUFFER && !take_key(stage, type, options->key)) ||
        !split_type(stage, type)) {
        return NULL;
    }
    stage->connection->record_size = type->size;
    stage->connection->is_from_now = options->is_from_now;
    stage->connection->is_lossy = options->is_lossy;
    take_time(stage, options);
    return stage;
}

struct fil_stage *fil_read_map(struct fil_pipeline *pipeline, const struct fil_type *type,
                               const struct fil_read_grid *options)
{
    return read_grid(pipeline, type, options, FIL_CONNECTION_READ_MAP);
}

struct fil_stage *fil_read_journal(struct fil_pipeline *pipeline, const struct fil_type *type,
                                   const struct fil_read_grid *options)
{
    return read_grid(pipeline, type, options, FIL_CONNECTION_READ_JOURNAL);
}

struct fil_stage *fil_read_ringbuffer(struct fil_pipeline *pipeline, const struct fil_type *type,
                                      const struct fil_read_grid *options)
{
    struct fil_stage *stage = read_grid(pipeline, type, options, FIL_CONNECTION_READ_RINGBUFFER);
    if (stage != NULL) {
        stage->parallelism = 1;
    }
    return stage;
}

struct fil_stage *fil_stage_lookup(struct fil_stage *input, const struct fil_lookup *options)
{
    struct fil_stage *stage = fil_stage__need_function(
        fil_stage__take_type(fil_stage__add_behind(input, FIL_STAGE_LOOKUP), options->type),
        options->join != NULL);
    if (stage == NULL || !fil_stage__connect(stage, FIL_CONNECTION_LOOKUP, options->map)) {
        return NULL;
    }
    struct fil_connection *connection = stage->connection;
    if (options->partner == NULL || options->partner->field_count == 0) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID, "it needs a partner's type");
        return NULL;
    }
    if (options->concurrency > FIL_CONNECTION_CALLS_MAX) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_LIMIT, "%u lookups at once, %u at most",
                            options->concurrency, FIL_CONNECTION_CALLS_MAX);
        return NULL;
    }
    if (!take_key(stage, input->type, options->key)) {
        return NULL;
    }
    connection->value_type = *options->partner;
    connection->partner_size = options->partner->size;
    connection->record_size = input->type->size;
    connection->out_size = options->type->size;
    connection->concurrency =
        options->concurrency == 0 ? FIL_CONNECTION_CALLS_MAX : options->concurrency;
    connection->is_unordered = options->is_unordered;
    connection->join = options->join;
    connection->join_context = options->context;
    return stage;
}

static struct fil_stage *write_grid(struct fil_stage *input, enum fil_connection_kind kind,
                                    const char *name)
{
    struct fil_stage *stage = fil_stage__add_behind(input, FIL_STAGE_GRID_SINK);
    if (stage == NULL || !fil_stage__connect(stage, kind, name)) {
        return NULL;
    }
    stage->connection->record_size = stage->type->size;
    return stage;
}

static struct fil_stage *write_map(struct fil_stage *input, const char *name, const char *key,
                                   enum fil_map_write how)
{
    struct fil_stage *stage = write_grid(input, FIL_CONNECTION_WRITE_MAP, name);
    if (stage == NULL || !take_key(stage, stage->type, key) || !split_type(stage, stage->type)) {
        return NULL;
    }
    stage->connection->mode = how;
    stage->key = stage->connection->key; // equal keys keep their order
    return stage;
}

void fil_write_map(struct fil_stage *input, const char *name, const char *key,
                   enum fil_map_write how)
{
    struct fil_stage *stage = write_map(input, name, key, how);
    if (stage != NULL && how == FIL_MAP_WRITE_UPDATE) {
        fil_pipeline__blame(stage->pipeline, stage, FIL_E_INVALID,
                            "an update needs a function: fil_write_map_update");
    }
}

void fil_write_map_update(struct fil_stage *input, const struct fil_map_update *options)
{
    struct fil_stage *stage = write_map(input, options->name, options->key, FIL_MAP_WRITE_UPDATE);
    if (fil_stage__need_function(stage, options->update != NULL) != NULL) {
        stage->connection->update = options->update;
        stage->connection->update_context = options->context;
    }
}

static void write_items(struct fil_stage *input, enum fil_connection_kind kind, const char *name)
{
    struct fil_stage *stage = write_grid(input, kind, name);
    if (stage != NULL && split_type(stage, stage->type)) {
        stage->parallelism = 1;
    }
}

void fil_write_queue(struct fil_stage *input, const char *name)
{
    write_items(input, FIL_CONNECTION_WRITE_QUEUE, name);
}

void fil_write_list(struct fil_stage *input, const char *name)
{
    write_items(input, FIL_CONNECTION_WRITE_LIST, name);
}

void fil_write_topic(struct fil_stage *input, const char *name)
{
    write_items(input, FIL_CONNECTION_WRITE_TOPIC, name);
}

void fil_write_ringbuffer(struct fil_stage *input, const char *name)
{
    write_items(input, FIL_CONNECTION_WRITE_RINGBUFFER, name);
}
