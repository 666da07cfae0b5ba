// SPDX-License-Identifier: Apache-2.0
#include "core/stream/snapshot_internal.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/endian.h"

#define FIRST_PART_BYTES 1024U

// Scope, place, sizes of key and value.
#define ENTRY_HEAD_BYTES (1U + 8U + 4U + 4U)

static void copy_text(char *to, size_t capacity, const char *from)
{
    (void)snprintf(to, capacity, "%s", from == NULL ? "" : from); // cut when too long
}

static void describe_vertex(struct fil_snapshot_vertex *to, const struct fil_dag_vertex *from)
{
    copy_text(to->name, sizeof(to->name), from->name);
    copy_text(to->processor, sizeof(to->processor), from->ops->name);
    to->parallelism = from->parallelism;
    to->format[0] = '\0';
    if (from->ops->describe != NULL) {
        from->ops->describe(from->config, to->format);
    }
}

static uint32_t count_instances(const struct fil_dag *dag)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < dag->vertex_count; i++) {
        count += dag->vertices[i].parallelism;
    }
    return count;
}

/** Room for vertices and parts; unref cleans up in any case. */
static int allocate(struct fil_snapshot *snapshot, uint32_t vertex_count, uint32_t part_count)
{
    snapshot->vertices = fil_alloc_zero(vertex_count + 1U, sizeof(*snapshot->vertices));
    snapshot->parts = fil_alloc_zero(part_count + 1U, sizeof(*snapshot->parts));
    if (snapshot->vertices == NULL || snapshot->parts == NULL) {
        return FIL_E_NOMEM;
    }
    snapshot->vertex_count = vertex_count;
    snapshot->part_count = part_count;
    return FIL_OK;
}

struct fil_snapshot *fil_snapshot__make(uint32_t vertex_count, uint32_t part_count)
{
    struct fil_snapshot *snapshot = fil_alloc_zero(1, sizeof(*snapshot));
    if (snapshot == NULL) {
        return NULL;
    }
    atomic_init(&snapshot->references, 1);
    if (allocate(snapshot, vertex_count, part_count) != FIL_OK) {
        fil_snapshot_unref(snapshot);
        return NULL;
    }
    return snapshot;
}

struct fil_snapshot *fil_snapshot_new(const struct fil_dag *dag, const char *job, int64_t id,
                                      struct fil_budget *budget)
{
    struct fil_snapshot *snapshot = fil_snapshot__make(dag->vertex_count, count_instances(dag));
    if (snapshot == NULL) {
        return NULL;
    }
    snapshot->id = id;
    snapshot->budget = budget;
    copy_text(snapshot->job, sizeof(snapshot->job), job);
    uint32_t part = 0;
    for (uint32_t i = 0; i < dag->vertex_count; i++) {
        describe_vertex(&snapshot->vertices[i], &dag->vertices[i]);
        for (uint32_t j = 0; j < dag->vertices[i].parallelism; j++) {
            snapshot->parts[part].vertex = i;
            snapshot->parts[part].instance = j;
            part++;
        }
    }
    fil_assert(part == snapshot->part_count);
    return snapshot;
}

void fil_snapshot_ref(struct fil_snapshot *snapshot)
{
    // Relaxed: whoever refs holds a reference already.
    uint32_t before = atomic_fetch_add_explicit(&snapshot->references, 1, memory_order_relaxed);
    fil_assert(before > 0);
}

static void destroy(struct fil_snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->part_count; i++) {
        if (snapshot->budget != NULL) {
            fil_budget_return(snapshot->budget, snapshot->parts[i].capacity);
        }
        fil_free(snapshot->parts[i].data);
    }
    fil_free(snapshot->parts);
    fil_free(snapshot->vertices);
    fil_free(snapshot);
}

void fil_snapshot_unref(struct fil_snapshot *snapshot)
{
    if (snapshot == NULL) {
        return;
    }
    // Release and acquire: the last holder frees what all others have read.
    uint32_t before = atomic_fetch_sub_explicit(&snapshot->references, 1, memory_order_acq_rel);
    fil_assert(before > 0);
    if (before == 1) {
        destroy(snapshot);
    }
}

/** Room for more bytes in a part. FIL_E_NOMEM. */
static int make_room(struct fil_snapshot *snapshot, struct fil_snapshot_part *part, size_t more)
{
    size_t capacity = part->capacity == 0 ? FIRST_PART_BYTES : part->capacity;
    while (capacity < part->size + more) {
        capacity *= 2;
    }
    size_t extra = capacity - part->capacity;
    if (extra == 0) {
        return FIL_OK;
    }
    if (snapshot->budget != NULL && !fil_budget_draw(snapshot->budget, extra)) {
        return FIL_E_NOMEM;
    }
    uint8_t *data = fil_realloc(part->data, capacity);
    if (data == NULL) {
        if (snapshot->budget != NULL) {
            fil_budget_return(snapshot->budget, extra);
        }
        return FIL_E_NOMEM;
    }
    part->data = data;
    part->capacity = capacity;
    return FIL_OK;
}

static uint8_t *append(uint8_t *to, struct fil_bytes bytes)
{
    if (bytes.size != 0) {
        memcpy(to, bytes.data, bytes.size);
    }
    return to + bytes.size;
}

void fil_snapshot_put(struct fil_snapshot *snapshot, uint32_t part,
                      const struct fil_state_entry *entry)
{
    fil_assert(part < snapshot->part_count);
    struct fil_snapshot_part *to_part = &snapshot->parts[part];
    size_t size = ENTRY_HEAD_BYTES + entry->key.size + entry->value.size;
    if (to_part->error == FIL_OK) {
        to_part->error = make_room(snapshot, to_part, size);
    }
    if (to_part->error != FIL_OK) {
        return;
    }
    uint8_t *to = to_part->data + to_part->size;
    to[0] = (uint8_t)entry->scope;
    fil_store_u64_le(to + 1, entry->place);
    fil_store_u32_le(to + 9, (uint32_t)entry->key.size);
    fil_store_u32_le(to + 13, (uint32_t)entry->value.size);
    to = append(to + ENTRY_HEAD_BYTES, entry->key);
    to = append(to, entry->value);
    to_part->size += size;
    to_part->entry_count++;
    fil_assert(to == to_part->data + to_part->size);
}

int fil_snapshot_error(const struct fil_snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->part_count; i++) {
        if (snapshot->parts[i].error != FIL_OK) {
            return snapshot->parts[i].error;
        }
    }
    return FIL_OK;
}

uint64_t fil_snapshot_size(const struct fil_snapshot *snapshot)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < snapshot->part_count; i++) {
        size += snapshot->parts[i].size;
    }
    return size;
}

bool fil_snapshot_next(struct fil_snapshot_cursor *cursor, struct fil_state_entry *out_entry)
{
    const struct fil_snapshot_part *part = cursor->part;
    if (cursor->position == part->size) {
        return false;
    }
    // Parts of decoded snapshots were walked once, so the sizes are good.
    fil_assert(part->size - cursor->position >= ENTRY_HEAD_BYTES);
    const uint8_t *from = part->data + cursor->position;
    size_t key_size = fil_load_u32_le(from + 9);
    size_t value_size = fil_load_u32_le(from + 13);
    *out_entry = (struct fil_state_entry){
        .scope = (enum fil_state_scope)from[0],
        .place = fil_load_u64_le(from + 1),
        .key = fil_bytes_make(from + ENTRY_HEAD_BYTES, key_size),
        .value = fil_bytes_make(from + ENTRY_HEAD_BYTES + key_size, value_size)};
    cursor->position += ENTRY_HEAD_BYTES + key_size + value_size;
    fil_assert(cursor->position <= part->size);
    return true;
}

int fil_snapshot__walk(struct fil_snapshot_part *part)
{
    size_t position = 0;
    while (position < part->size) {
        size_t left = part->size - position;
        const uint8_t *from = part->data + position;
        if (left < ENTRY_HEAD_BYTES || from[0] > FIL_STATE_ALL) {
            return FIL_E_MALFORMED;
        }
        uint64_t size =
            ENTRY_HEAD_BYTES + (uint64_t)fil_load_u32_le(from + 9) + fil_load_u32_le(from + 13);
        if (size > left) {
            return FIL_E_MALFORMED;
        }
        position += (size_t)size;
        part->entry_count++;
    }
    return FIL_OK;
}

static bool has_state(const struct fil_snapshot *snapshot, uint32_t vertex)
{
    for (uint32_t i = 0; i < snapshot->part_count; i++) {
        if (snapshot->parts[i].vertex == vertex && snapshot->parts[i].size != 0) {
            return true;
        }
    }
    return false;
}

static const struct fil_dag_vertex *find_vertex(const struct fil_dag *dag, const char *name)
{
    for (uint32_t i = 0; i < dag->vertex_count; i++) {
        if (strcmp(dag->vertices[i].name, name) == 0) {
            return &dag->vertices[i];
        }
    }
    return NULL;
}

static int check_vertex(const struct fil_snapshot_vertex *saved, const struct fil_dag *dag,
                        bool may_drop, char *out_text)
{
    const struct fil_dag_vertex *vertex = find_vertex(dag, saved->name);
    if (vertex == NULL) {
        (void)snprintf(out_text, FIL_SNAPSHOT_TEXT_MAX,
                       "the snapshot has state of vertex '%s', which the job does not have",
                       saved->name);
        return may_drop ? FIL_OK : FIL_E_INVALID;
    }
    struct fil_snapshot_vertex now = {0};
    describe_vertex(&now, vertex);
    if (strcmp(now.processor, saved->processor) != 0 || vertex->ops->restore == NULL) {
        (void)snprintf(out_text, FIL_SNAPSHOT_TEXT_MAX,
                       "vertex '%s' is a %s, the snapshot has state of a %s", saved->name,
                       now.processor, saved->processor);
        return FIL_E_INVALID;
    }
    if (strcmp(now.format, saved->format) != 0) {
        (void)snprintf(out_text, FIL_SNAPSHOT_TEXT_MAX,
                       "vertex '%s' keeps (%s), the snapshot has (%s)", saved->name, now.format,
                       saved->format);
        return FIL_E_INVALID;
    }
    return FIL_OK;
}

int fil_snapshot_check(const struct fil_snapshot *snapshot, const struct fil_dag *dag,
                       bool may_drop, char out_text[FIL_SNAPSHOT_TEXT_MAX])
{
    out_text[0] = '\0';
    int error = FIL_OK;
    for (uint32_t i = 0; error == FIL_OK && i < snapshot->vertex_count; i++) {
        if (has_state(snapshot, i)) {
            error = check_vertex(&snapshot->vertices[i], dag, may_drop, out_text);
        }
    }
    return error;
}
