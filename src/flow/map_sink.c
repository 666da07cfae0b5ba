// SPDX-License-Identifier: Apache-2.0
// Writes records to a map, each in its key's partition; up to 64 of an instance are under way.
#include <string.h>

#include "filbert/error.h"
#include "flow/connector.h"
#include "flow/form.h"
#include "flow/port.h"
#include "grid/map/entry.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

struct sink;

/** A record on its way. */
struct slot {
    struct fil_call call;
    struct sink *sink;
    struct fil_link free; // among those that wait for a record
    struct fil_map_key key;
    struct fil_bytes value;
    bool is_out;     // sent and not come back
    uint8_t *record; // that came
    uint8_t *old;    // what is added to, as a record
    char *bytes;     // of key and value
};

struct sink {
    const struct fil_connection *connection;
    struct fil_port port;
    struct fil_map *map;
    struct slot *slots;
    struct fil_link *free;
    uint8_t *memory;
    size_t memory_size;
    size_t key_max;
    size_t value_max;
    struct fil_budget *budget;
};

static int open_slots(struct sink *sink)
{
    const struct fil_connection *connection = sink->connection;
    const struct fil_type key_type = {.fields = connection->key, .field_count = 1};
    sink->key_max = fil_form_size_max(&key_type);
    sink->value_max = fil_form_size_max(&connection->value_type);
    size_t record_size = fil_form_align(connection->record_size);
    size_t each = fil_form_align(sink->key_max + sink->value_max) + 2 * record_size;
    sink->memory_size = each * FIL_PORT_CALLS_MAX;
    sink->memory = fil_budget_alloc(sink->budget, sink->memory_size);
    sink->slots = fil_alloc_zero(FIL_PORT_CALLS_MAX, sizeof(*sink->slots));
    if (sink->memory == NULL || sink->slots == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < FIL_PORT_CALLS_MAX; i++) {
        struct slot *slot = &sink->slots[i];
        slot->sink = sink;
        slot->record = sink->memory + each * i;
        slot->old = slot->record + record_size;
        slot->bytes = (char *)slot->old + record_size;
        slot->free.next = sink->free;
        sink->free = &slot->free;
    }
    return FIL_OK;
}

static int sink_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct sink *sink = self;
    const struct fil_connection *connection = config;
    struct fil_flow_grid *grid = connection->grid;
    sink->connection = connection;
    sink->budget = context->budget;
    int error = fil_port_init(&sink->port, grid->exec, context->tasklet);
    if (error == FIL_OK) {
        error = fil_maps_get(grid->maps, fil_bytes_of(connection->name), &sink->map);
    }
    return error == FIL_OK ? open_slots(sink) : error;
}

static void sink_close(void *self)
{
    struct sink *sink = self;
    fil_port_fini(&sink->port);
    fil_free(sink->slots);
    if (sink->memory != NULL) {
        fil_budget_free(sink->budget, sink->memory, sink->memory_size);
    }
}

/** Adds the numbers that are there to those of the record. */
static void add_fields(const struct fil_type *type, const uint8_t *old, uint8_t *record)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct fil_field *field = &type->fields[i];
        uint8_t *to = record + field->offset;
        if (field->kind == FIL_FIELD_F64) {
            double sum;
            double more;
            memcpy(&sum, to, sizeof(sum));
            memcpy(&more, old + field->offset, sizeof(more));
            sum += more;
            memcpy(to, &sum, sizeof(sum));
        } else if (field->kind == FIL_FIELD_I64) {
            uint64_t sum;
            uint64_t more;
            memcpy(&sum, to, sizeof(sum));
            memcpy(&more, old + field->offset, sizeof(more));
            sum += more;
            memcpy(to, &sum, sizeof(sum));
        }
    }
}

/** Inside the partition: the value becomes the sum of what is there and what comes. */
static int add_here(struct slot *slot, const struct fil_map_times *times)
{
    const struct sink *sink = slot->sink;
    const struct fil_type *type = &sink->connection->value_type;
    struct fil_bytes old = {0};
    if (fil_map_peek_here(sink->map, &slot->key, times->now_ms, &old)) {
        int error = fil_form_read_value(type, old, slot->old);
        if (error != FIL_OK) {
            return error;
        }
        add_fields(type, slot->old, slot->record);
        char *bytes = slot->bytes + sink->key_max;
        size_t size = fil_form_write_value(type, slot->record, bytes, sink->value_max);
        slot->value = fil_bytes_make(bytes, size);
    }
    return fil_map_set_here(sink->map, &slot->key, slot->value, times);
}

/** Inside the partition: the program's function says what the entry becomes. */
static int update_here(struct slot *slot, const struct fil_map_times *times)
{
    const struct sink *sink = slot->sink;
    const struct fil_connection *connection = sink->connection;
    struct fil_bytes old = {0};
    bool is_there = fil_map_peek_here(sink->map, &slot->key, times->now_ms, &old);
    memcpy(slot->old, slot->record, connection->record_size); // the key is the same
    int error = is_there ? fil_form_read_value(&connection->value_type, old, slot->old) : FIL_OK;
    if (error != FIL_OK) {
        return error;
    }
    if (!connection->update(connection->update_context, is_there ? slot->old : NULL,
                            slot->record)) {
        (void)fil_map_delete_here(sink->map, &slot->key, times->now_ms);
        return FIL_OK;
    }
    char *bytes = slot->bytes + sink->key_max;
    size_t size =
        fil_form_write_value(&connection->value_type, slot->record, bytes, sink->value_max);
    return fil_map_set_here(sink->map, &slot->key, fil_bytes_make(bytes, size), times);
}

static int write_here(struct slot *slot, uint64_t now_ms)
{
    struct fil_map *map = slot->sink->map;
    const struct fil_map_times times = fil_map_times_default(now_ms);
    struct fil_bytes old = {0};
    switch (slot->sink->connection->mode) {
    case FIL_MAP_WRITE_PUT:
        return fil_map_set_here(map, &slot->key, slot->value, &times);
    case FIL_MAP_WRITE_IF_ABSENT:
        return fil_map_put_if_absent_here(map, &slot->key, slot->value, &times, &old);
    case FIL_MAP_WRITE_REMOVE:
        (void)fil_map_delete_here(map, &slot->key, now_ms);
        return FIL_OK;
    case FIL_MAP_WRITE_UPDATE:
        return update_here(slot, &times);
    case FIL_MAP_WRITE_ADD:
        break;
    }
    return add_here(slot, &times);
}

/** A key that somebody has locked is waited for under the key. */
static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    static const struct fil_map_owner nobody = {0};
    struct slot *slot = FIL_CONTAINER_OF(op, struct slot, call.op);
    struct fil_map *map = slot->sink->map;
    uint64_t now_ms = fil_map_now_ms(map, partition->runner->now_ns);
    uint64_t wait_key = 0;
    if (fil_map_has_locks_here(map, slot->key.partition_id) &&
        fil_map_must_wait_here(map, &slot->key, &nobody, now_ms, &wait_key)) {
        op->error = fil_partition_park(partition, op, wait_key);
        return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
    }
    op->error = write_here(slot, now_ms);
    return FIL_OP_DONE;
}

static const struct fil_op_type op_type = {
    .name = "stream map sink", .run = run_op, .complete = fil_call_complete};

/** Frees the slots that have come back; the first error of theirs. */
static int take_back(struct sink *sink, struct fil_processor_context *context)
{
    int error = FIL_OK;
    for (struct fil_call *call = fil_port_take(&sink->port); call != NULL;
         call = fil_port_take(&sink->port)) {
        struct slot *slot = FIL_CONTAINER_OF(call, struct slot, call);
        if (call->op.error == FIL_E_MALFORMED && error == FIL_OK) {
            (void)fil_form_blame(context, sink->connection->name, slot->key.bytes);
        }
        error = error == FIL_OK ? call->op.error : error;
        slot->is_out = false;
        slot->free.next = sink->free;
        sink->free = &slot->free;
    }
    // A refusal for want of room is the structure's, not the stream's.
    return error == FIL_E_FULL || error == FIL_E_AGAIN ? FIL_E_LIMIT : error;
}

static void dispatch(struct sink *sink, const void *record)
{
    const struct fil_connection *connection = sink->connection;
    struct slot *slot = FIL_CONTAINER_OF(sink->free, struct slot, free);
    sink->free = sink->free->next;
    char *bytes = slot->bytes + sink->key_max;
    size_t key_size = fil_form_write_key(connection->key, record, slot->bytes);
    size_t size = fil_form_write_value(&connection->value_type, record, bytes, sink->value_max);
    memcpy(slot->record, record, connection->record_size);
    slot->value = fil_bytes_make(bytes, size);
    slot->key = fil_map_place(sink->map, fil_bytes_make(slot->bytes, key_size));
    slot->is_out = true;
    fil_port_submit(&sink->port, &slot->call, &op_type, slot->key.partition_id);
}

static int sink_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct sink *sink = self;
    for (; inbox->position < inbox->limit; inbox->position++) {
        int error = take_back(sink, context);
        if (error != FIL_OK) {
            return error;
        }
        if (sink->free == NULL) {
            return FIL_E_AGAIN;
        }
        dispatch(sink, fil_batch_record(inbox->batch, inbox->position));
    }
    return FIL_OK;
}

/** All that was sent has been done, so that a snapshot, or the end, may say so. */
static int settle(struct sink *sink, struct fil_processor_context *context)
{
    int error = take_back(sink, context);
    if (error != FIL_OK) {
        return error;
    }
    return fil_port_is_quiet(&sink->port, context) ? FIL_OK : FIL_E_AGAIN;
}

static int sink_save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer)
{
    (void)writer; // the map is the state
    return settle(self, context);
}

static int sink_complete(void *self, struct fil_processor_context *context)
{
    return settle(self, context);
}

/** Writes to keys that stay locked would keep the job from ending. */
static int sink_stop(void *self, struct fil_processor_context *context)
{
    struct sink *sink = self;
    (void)take_back(sink, context);
    for (uint32_t i = 0; sink->port.pending > 0 && i < FIL_PORT_CALLS_MAX; i++) {
        if (sink->slots[i].is_out) {
            fil_port_cancel(&sink->port, &sink->slots[i].call);
        }
    }
    return fil_port_is_quiet(&sink->port, context) ? FIL_OK : FIL_E_AGAIN;
}

const struct fil_processor_ops fil_map_sink_ops = {.name = "map sink",
                                                   .size = sizeof(struct sink),
                                                   .init = sink_init,
                                                   .process = sink_process,
                                                   .complete = sink_complete,
                                                   .save = sink_save,
                                                   .stop = sink_stop,
                                                   .close = sink_close};
