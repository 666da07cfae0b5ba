// SPDX-License-Identifier: Apache-2.0
#include "grid/map/processor.h"

#include <string.h>

#include "filbert/error.h"
#include "grid/map/entry.h"
#include "grid/map/keys_internal.h"
#include "grid/map/map_internal.h"
#include "grid/map/processors_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

#define PROCESS_BUDGET 32U // entries a slice
#define FIRST_BYTES    64U

void fil_map_buffer_init(struct fil_map_buffer *buffer)
{
    *buffer = (struct fil_map_buffer){0};
}

void fil_map_buffer_fini(struct fil_map_buffer *buffer)
{
    fil_free(buffer->data);
    fil_map_buffer_init(buffer);
}

void fil_map_buffer_add(struct fil_map_buffer *buffer, struct fil_bytes bytes)
{
    if (bytes.size > buffer->capacity - buffer->size) {
        size_t needed = buffer->size + bytes.size;
        size_t capacity = needed < FIRST_BYTES ? FIRST_BYTES : needed + needed / 2;
        uint8_t *data = fil_realloc(buffer->data, capacity);
        if (data == NULL) {
            buffer->is_out_of_memory = true;
            return;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    if (bytes.size > 0) {
        memcpy(buffer->data + buffer->size, bytes.data, bytes.size);
    }
    buffer->size += bytes.size;
}

void fil_map_processors_init(struct fil_map_processors *processors)
{
    static const struct fil_map_processor built_in[] = {
        {"increment", fil_map__increment, NULL},
        {"append", fil_map__append, NULL},
        {"compare-and-set", fil_map__compare_and_set, NULL},
        {"json-merge", fil_map__json_merge, NULL},
    };
    processors->count = 0;
    for (size_t i = 0; i < FIL_COUNT_OF(built_in); i++) {
        processors->list[processors->count] = built_in[i];
        processors->count++;
    }
}

const struct fil_map_processor *fil_map_processors_find(const struct fil_map_processors *processors,
                                                        struct fil_bytes name)
{
    for (uint32_t i = 0; i < processors->count; i++) {
        if (fil_bytes_equal_text(name, processors->list[i].name)) {
            return &processors->list[i];
        }
    }
    return NULL;
}

int fil_map_processors_add(struct fil_map_processors *processors,
                           const struct fil_map_processor *processor)
{
    if (fil_map_processors_find(processors, fil_bytes_of(processor->name)) != NULL) {
        return FIL_E_EXISTS;
    }
    if (processors->count == FIL_PROCESSORS_MAX) {
        return FIL_E_LIMIT;
    }
    processors->list[processors->count] = *processor;
    processors->count++;
    return FIL_OK;
}

static int write_value(struct fil_map *map, const struct fil_map_key *key,
                       const struct fil_map_processing *processing, uint64_t now_ms)
{
    struct fil_map_times times = fil_map_times_default(now_ms);
    times.ttl_ms = processing->has_ttl ? processing->ttl_ms : FIL_MAP_TIME_DEFAULT;
    struct fil_store_write how = fil_map_write_of(&times);
    how.keeps_expiry = processing->is_there && !processing->has_ttl;
    return fil_map_put_here(map, key, fil_map_buffer_bytes(&processing->value), &how, NULL);
}

/** Does what the processor has said. */
static int carry_out(struct fil_map *map, const struct fil_map_key *key,
                     const struct fil_map_processing *processing, uint64_t now_ms)
{
    if (processing->value.is_out_of_memory || processing->result.is_out_of_memory) {
        return FIL_E_NOMEM;
    }
    switch (processing->verdict) {
    case FIL_MAP_WRITE:
        return write_value(map, key, processing, now_ms);
    case FIL_MAP_REMOVE:
        (void)fil_map_remove_here(map, key, now_ms, NULL); // gone is gone
        return FIL_OK;
    case FIL_MAP_KEEP:
    default:
        return FIL_OK;
    }
}

int fil_map_process_here(struct fil_map *map, const struct fil_map_key *key,
                         const struct fil_map_process *process, struct fil_map_buffer *out_result,
                         bool *out_has_result)
{
    struct fil_map_processing processing = {
        .key = key->bytes,
        .arguments = process->arguments,
        .argument_count = process->argument_count,
        .result = *out_result,
    };
    fil_map_buffer_init(&processing.value);
    processing.is_there = fil_map_get_here(map, key, process->now_ms, &processing.old_value);
    int error = process->processor->run(&processing, process->processor->context);
    if (error == FIL_OK) {
        error = carry_out(map, key, &processing, process->now_ms);
    }
    *out_result = processing.result;
    *out_has_result = error == FIL_OK && processing.has_result;
    fil_map_buffer_fini(&processing.value);
    return error;
}

/** A slice's keys, and who says which are meant. */
struct selection {
    struct fil_map__keys keys;
    const struct fil_map_process_walk *walk;
};

static void collect(void *context, const struct fil_store_view *view)
{
    struct selection *selection = context;
    const struct fil_map_process_walk *walk = selection->walk;
    if (walk->is_meant == NULL || walk->is_meant(walk->context, view)) {
        fil_map__keys_add(&selection->keys, view->key);
    }
}

static void process_one(struct fil_map_process_walk *walk, struct fil_bytes bytes)
{
    struct fil_map *map = walk->walk.map;
    // Where it was found: a key may live elsewhere than its form says.
    struct fil_map_key key = {.bytes = bytes,
                              .hash = fil_hash(bytes, map->seed),
                              .partition_id = walk->walk.op.partition_id};
    struct fil_map_buffer result;
    bool has_result = false;
    fil_map_buffer_init(&result);
    walk->process.now_ms = walk->walk.now_ms;
    int error = fil_map_process_here(map, &key, &walk->process, &result, &has_result);
    if (walk->processed != NULL) {
        walk->processed(walk->context, bytes, error, has_result, fil_map_buffer_bytes(&result));
    }
    walk->walk.count++;
    fil_map_buffer_fini(&result);
}

static uint64_t process_slice(struct fil_map_walk *base, struct fil_partition *partition)
{
    struct fil_map_process_walk *walk = FIL_CONTAINER_OF(base, struct fil_map_process_walk, walk);
    struct selection selection = {.walk = walk};
    struct fil_map__keys *keys = &selection.keys;
    fil_map__keys_init(keys, fil_map__shard(base->map, partition->id));
    uint64_t next = fil_map_walk_scan(base, partition->id, PROCESS_BUDGET, collect, &selection);
    for (uint32_t i = 0; i < keys->count; i++) {
        process_one(walk, fil_map__keys_at(keys, i));
    }
    if (keys->is_out_of_memory) {
        base->error = FIL_E_NOMEM;
        base->is_over = true;
    }
    fil_map__keys_fini(keys);
    return next;
}

void fil_map_walk_process(struct fil_map_process_walk *walk, struct fil_map *map)
{
    fil_assert(walk->process.processor != NULL);
    fil_map_walk_init(&walk->walk, map, "map-process", process_slice);
}
