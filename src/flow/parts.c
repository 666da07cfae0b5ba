// SPDX-License-Identifier: Apache-2.0
#include "flow/parts.h"

#include <string.h>

#include "filbert/error.h"
#include "flow/form.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/utf8.h"

/** What is saved of a part. */
struct saved {
    uint64_t partition_id;
    uint64_t place;
    uint64_t is_over;
    int64_t top;
    int64_t last;
};

static uint32_t count_own(const struct fil_processor_context *context, uint32_t partition_count)
{
    uint32_t rest = partition_count - context->index;
    return context->index >= partition_count ? 0 : (rest + context->count - 1) / context->count;
}

int fil_parts_open(struct fil_parts *parts, struct fil_processor_context *context,
                   uint32_t partition_count, fil_partition_id only)
{
    bool is_one = only != FIL_OP_NO_PARTITION;
    uint32_t count = is_one ? context->index == 0 : count_own(context, partition_count);
    struct fil_flow_grid *grid = parts->connection->grid;
    int error = fil_port_init(&parts->port, grid->exec, context->tasklet);
    fil_list_init(&parts->ready);
    parts->items = fil_alloc_zero(count + 1, sizeof(*parts->items));
    if (error != FIL_OK || parts->items == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct fil_part *part = &parts->items[i];
        part->parts = parts;
        part->partition_id = is_one ? only : context->index + i * context->count;
        fil_list_init(&part->link);
    }
    parts->count = count;
    parts->is_one = is_one;
    int64_t frame = parts->connection->time.frame;
    fil_event_time_init(&parts->time, parts->connection->time.lag, frame == 0 ? 1 : frame, 0);
    return FIL_OK;
}

int fil_parts_open_map(struct fil_parts *parts, struct fil_processor_context *context)
{
    struct fil_flow_grid *grid = parts->connection->grid;
    struct fil_map *map = NULL;
    int error = fil_maps_get(grid->maps, fil_bytes_of(parts->connection->name), &map);
    if (error != FIL_OK) {
        return error;
    }
    parts->structure = map;
    return fil_parts_open(parts, context, map->partition_count, FIL_OP_NO_PARTITION);
}

void fil_parts_close(void *self)
{
    struct fil_parts *parts = self;
    fil_port_fini(&parts->port);
    for (uint32_t i = 0; i < parts->count; i++) {
        fil_free(parts->items[i].records);
    }
    fil_free(parts->items);
    parts->count = 0;
}

/** Room for one more record; NULL without memory. */
static uint8_t *make_room(struct fil_part *part, uint32_t record_size)
{
    if (part->count == part->capacity) {
        uint32_t capacity = part->capacity == 0 ? FIL_PART_READ_MAX : part->capacity * 2;
        uint8_t *records = fil_realloc(part->records, (size_t)capacity * record_size);
        if (records == NULL) {
            return NULL;
        }
        part->records = records;
        part->capacity = capacity;
    }
    return part->records + (size_t)part->count * record_size;
}

void fil_part_add(struct fil_part *part, struct fil_bytes key, struct fil_bytes value)
{
    const struct fil_connection *connection = part->parts->connection;
    if (part->error != FIL_OK) {
        return;
    }
    uint8_t *record = make_room(part, connection->record_size);
    if (record == NULL) {
        part->error = FIL_E_NOMEM;
        return;
    }
    memset(record, 0, connection->record_size);
    if (connection->key != NULL) {
        part->error = fil_form_read_key(connection->key, key, record);
    }
    if (part->error == FIL_OK) {
        part->error = fil_form_read_value(&connection->value_type, value, record);
    }
    part->count += part->error == FIL_OK;
    if (part->error != FIL_OK) {
        (void)fil_utf8_excerpt(connection->key != NULL ? key : value, part->excerpt,
                               sizeof(part->excerpt));
    }
}

static void start_read(struct fil_parts *parts, struct fil_part *part)
{
    fil_assert(!part->is_reading && !part->is_over && part->count == 0);
    part->emitted = 0;
    part->error = FIL_OK;
    part->is_reading = true;
    fil_port_submit(&parts->port, &part->call, parts->op_type, part->partition_id);
}

/** Parts that have never been read, as many as may be read at once. */
static void start_more(struct fil_parts *parts)
{
    while (parts->active < parts->active_max && parts->next_unstarted < parts->count) {
        struct fil_part *part = &parts->items[parts->next_unstarted];
        parts->next_unstarted++;
        if (!part->is_over) {
            parts->active++;
            start_read(parts, part);
        }
    }
}

/** Reads that have come back; the first error. */
static int take_reads(struct fil_parts *parts, struct fil_processor_context *context)
{
    for (struct fil_call *call = fil_port_take(&parts->port); call != NULL;
         call = fil_port_take(&parts->port)) {
        struct fil_part *part = FIL_CONTAINER_OF(call, struct fil_part, call);
        int error = call->op.error == FIL_OK ? part->error : call->op.error;
        part->is_reading = false;
        const char *name = parts->connection->name;
        if (error == FIL_E_MALFORMED) {
            return fil_processor_blame(context, error,
                                       "'%s' has an entry that is not as the type "
                                       "says: '%s'",
                                       name, part->excerpt);
        }
        if (error == FIL_E_UNSUPPORTED) {
            return fil_processor_blame(
                context, error, "map '%s' has no journal: give it one with map.journal", name);
        }
        if (error != FIL_OK) {
            return error == FIL_E_AGAIN || error == FIL_E_FULL ? FIL_E_LIMIT : error;
        }
        if (part->lost > 0 && !parts->connection->is_lossy) {
            return fil_processor_blame(context, FIL_E_NOT_FOUND,
                                       "%llu entries of '%s' were overwritten before they were "
                                       "read: give it more room, or say lossy",
                                       (unsigned long long)part->lost, name);
        }
        fil_list_push_back(&parts->ready, &part->link);
    }
    return FIL_OK;
}

static bool emit(struct fil_parts *parts, struct fil_processor_context *context,
                 struct fil_part *part)
{
    uint32_t size = parts->connection->record_size;
    for (; part->emitted < part->count; part->emitted++) {
        void *room = fil_outbox_reserve(&context->outbox, 0, size);
        if (room == NULL) {
            return false;
        }
        const uint8_t *record = part->records + (size_t)part->emitted * size;
        int64_t time = fil_form_time(parts->connection, record);
        memcpy(room, record, size);
        fil_outbox_commit(&context->outbox, 0, size, time, 0);
        fil_event_time_observe(&parts->time, time, context->now_ns);
    }
    return true;
}

/** All of the part is emitted: its place moves on. */
static void end_read(struct fil_parts *parts, struct fil_part *part)
{
    fil_list_remove(&part->link);
    part->place = part->next;
    part->is_placed = true;
    part->count = 0;
    part->emitted = 0;
    part->is_over = part->is_last;
    if (part->is_over) {
        parts->over++;
    }
    // Parts that wait for a long time keep no memory.
    fil_free(part->records);
    part->records = NULL;
    part->capacity = 0;
}

/** Emits what has been read; false when there is no room. Parts go idle, or on with the next. */
static bool emit_ready(struct fil_parts *parts, struct fil_processor_context *context,
                       bool is_reading_on)
{
    while (!fil_list_is_empty(&parts->ready)) {
        struct fil_part *part = FIL_CONTAINER_OF(parts->ready.next, struct fil_part, link);
        if (!emit(parts, context, part)) {
            return false;
        }
        end_read(parts, part);
        if (part->is_over) {
            parts->active--;
        } else if (is_reading_on) {
            start_read(parts, part);
        }
    }
    return true;
}

static bool emit_watermark(struct fil_parts *parts, struct fil_processor_context *context)
{
    struct fil_event_time before = parts->time;
    int64_t time = 0;
    if (parts->connection->time.frame == 0 ||
        fil_event_time_next(&parts->time, context->now_ns, &time) != FIL_BATCH_WATERMARK) {
        return true;
    }
    bool is_emitted = fil_outbox_mark(&context->outbox, FIL_BATCH_WATERMARK, time);
    parts->time = is_emitted ? parts->time : before;
    return is_emitted;
}

/** Parts that a snapshot has left idle. */
static void read_on(struct fil_parts *parts)
{
    for (uint32_t i = 0; i < parts->next_unstarted; i++) {
        struct fil_part *part = &parts->items[i];
        if (!part->is_over && !part->is_reading && !fil_list_is_linked(&part->link)) {
            start_read(parts, part);
        }
    }
}

int fil_parts_complete(void *self, struct fil_processor_context *context)
{
    struct fil_parts *parts = self;
    if (parts->is_paused) {
        parts->is_paused = false;
        read_on(parts);
    }
    start_more(parts);
    int error = take_reads(parts, context);
    if (error != FIL_OK) {
        return error;
    }
    while (!fil_list_is_empty(&parts->ready)) {
        if (!emit_ready(parts, context, true)) {
            return FIL_E_FULL;
        }
        start_more(parts);
        error = take_reads(parts, context);
        if (error != FIL_OK) {
            return error;
        }
    }
    if (!emit_watermark(parts, context)) {
        return FIL_E_FULL;
    }
    bool is_over = parts->over == parts->count && fil_port_is_quiet(&parts->port, context);
    return is_over ? FIL_OK : FIL_E_AGAIN;
}

/**
 * Reads that are under way are not part of the snapshot: their places have not moved. What has been
 * read is emitted first.
 */
int fil_parts_save(void *self, struct fil_processor_context *context,
                   struct fil_state_writer *writer)
{
    struct fil_parts *parts = self;
    parts->is_paused = true;
    if (!emit_ready(parts, context, false)) {
        return FIL_E_FULL;
    }
    for (; parts->saved < parts->count; parts->saved++) {
        const struct fil_part *part = &parts->items[parts->saved];
        const struct saved saved = {.partition_id = part->partition_id,
                                    .place = part->place,
                                    .is_over = part->is_over,
                                    .top = parts->time.top,
                                    .last = parts->time.last};
        bool is_known = part->is_placed;
        uint64_t shard = parts->is_one ? 0 : part->partition_id; // instance 0 has a lone one
        if (is_known && !fil_state_put_shard(writer, shard, fil_bytes_make(&saved.partition_id, 8),
                                             fil_bytes_make(&saved, sizeof(saved)))) {
            return FIL_E_FULL;
        }
    }
    parts->saved = 0;
    return FIL_OK;
}

static struct fil_part *find_part(struct fil_parts *parts, uint64_t partition_id)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        if (parts->items[i].partition_id == partition_id) {
            return &parts->items[i];
        }
    }
    return NULL;
}

int fil_parts_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                      struct fil_bytes value)
{
    struct fil_parts *parts = self;
    struct saved saved;
    (void)context;
    if (key.size != 8 || value.size != sizeof(saved)) {
        return FIL_E_MALFORMED;
    }
    memcpy(&saved, value.data, sizeof(saved));
    struct fil_part *part = find_part(parts, saved.partition_id);
    if (part == NULL) {
        return FIL_E_MALFORMED; // another number of partitions
    }
    part->place = saved.place;
    part->is_placed = true;
    part->is_over = saved.is_over != 0;
    parts->over += part->is_over;
    // The slowest counts: what was behind it may still come.
    if (!parts->has_time || saved.last < parts->time.last) {
        parts->time.top = saved.top;
        parts->time.last = saved.last;
    }
    parts->has_time = true;
    return FIL_OK;
}

int fil_parts_stop(void *self, struct fil_processor_context *context)
{
    struct fil_parts *parts = self;
    for (struct fil_call *call = fil_port_take(&parts->port); call != NULL;
         call = fil_port_take(&parts->port)) {
        FIL_CONTAINER_OF(call, struct fil_part, call)->is_reading = false;
    }
    for (uint32_t i = 0; parts->port.pending > 0 && i < parts->count; i++) {
        if (parts->items[i].is_reading) {
            fil_port_cancel(&parts->port, &parts->items[i].call);
        }
    }
    return fil_port_is_quiet(&parts->port, context) ? FIL_OK : FIL_E_AGAIN;
}
