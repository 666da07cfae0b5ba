// SPDX-License-Identifier: Apache-2.0
// Looks each record's key up in a map; up to 64 lookups of an instance are under way, and results
// leave in the order of the records, or as they come back.
#include <string.h>

#include "core/stream/flight.h"
#include "filbert/error.h"
#include "flow/connector.h"
#include "flow/form.h"
#include "flow/port.h"
#include "grid/map/map.h"
#include "lib/base/assert.h"

struct lookup;

/** A record on its way; its answer is the partner. */
struct slot {
    struct fil_flight_slot flight;
    struct fil_call call;
    struct lookup *lookup;
    struct fil_map_key key;
    bool is_found; // a partner
    char *bytes;   // of the key
};

struct lookup {
    const struct fil_connection *connection;
    struct fil_port port;
    struct fil_map *map;
    struct fil_flight flight;
};

static int open_slots(struct lookup *lookup, struct fil_budget *budget)
{
    const struct fil_connection *connection = lookup->connection;
    const struct fil_type key_type = {.fields = connection->key, .field_count = 1};
    size_t partner_size = fil_form_align(connection->partner_size);
    const struct fil_flight_options options = {.slot_count = connection->concurrency,
                                               .slot_size = sizeof(struct slot),
                                               .record_size = connection->record_size,
                                               .answer_size =
                                                   partner_size + fil_form_size_max(&key_type),
                                               .is_unordered = connection->is_unordered};
    fil_assert(options.slot_count >= 1 && options.slot_count <= FIL_PORT_CALLS_MAX);
    int error = fil_flight_init(&lookup->flight, budget, &options);
    for (uint32_t i = 0; error == FIL_OK && i < options.slot_count; i++) {
        struct slot *slot = fil_flight_slot(&lookup->flight, i);
        slot->lookup = lookup;
        slot->bytes = (char *)slot->flight.answer + partner_size;
    }
    return error;
}

static int lookup_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct lookup *lookup = self;
    const struct fil_connection *connection = config;
    struct fil_flow_grid *grid = connection->grid;
    lookup->connection = connection;
    int error = fil_port_init(&lookup->port, grid->exec, context->tasklet);
    if (error == FIL_OK) {
        error = fil_maps_get(grid->maps, fil_bytes_of(connection->name), &lookup->map);
    }
    return error == FIL_OK ? open_slots(lookup, context->budget) : error;
}

static void lookup_close(void *self)
{
    struct lookup *lookup = self;
    fil_port_fini(&lookup->port);
    fil_flight_fini(&lookup->flight);
}

static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    struct slot *slot = FIL_CONTAINER_OF(op, struct slot, call.op);
    const struct fil_connection *connection = slot->lookup->connection;
    struct fil_map *map = slot->lookup->map;
    struct fil_bytes value;
    uint64_t now_ms = fil_map_now_ms(map, partition->runner->now_ns);
    slot->is_found = fil_map_get_here(map, &slot->key, now_ms, &value);
    if (slot->is_found) {
        memset(slot->flight.answer, 0, connection->partner_size);
        op->error = fil_form_read_value(&connection->value_type, value, slot->flight.answer);
    }
    return FIL_OP_DONE;
}

static const struct fil_op_type op_type = {
    .name = "stream lookup", .run = run_op, .complete = fil_call_complete};

/** Lookups that have come back; the first error. */
static int take_back(struct lookup *lookup, struct fil_processor_context *context)
{
    int error = FIL_OK;
    for (struct fil_call *call = fil_port_take(&lookup->port); call != NULL;
         call = fil_port_take(&lookup->port)) {
        struct slot *slot = FIL_CONTAINER_OF(call, struct slot, call);
        fil_flight_land(&lookup->flight, &slot->flight);
        if (call->op.error == FIL_E_MALFORMED && error == FIL_OK) {
            (void)fil_form_blame(context, lookup->connection->name, slot->key.bytes);
        }
        error = error == FIL_OK ? call->op.error : error;
    }
    return error == FIL_E_FULL || error == FIL_E_AGAIN ? FIL_E_LIMIT : error;
}

/** Emits what is done. FIL_E_FULL when there is no room. */
static int emit_done(struct lookup *lookup, struct fil_processor_context *context)
{
    const struct fil_connection *connection = lookup->connection;
    int error = take_back(lookup, context);
    struct slot *slot = error == FIL_OK ? fil_flight_first(&lookup->flight) : NULL;
    for (; slot != NULL; slot = fil_flight_first(&lookup->flight)) {
        void *room = fil_outbox_reserve(&context->outbox, 0, connection->out_size);
        if (room == NULL) {
            return FIL_E_FULL;
        }
        if (connection->join(connection->join_context, slot->flight.record,
                             slot->is_found ? slot->flight.answer : NULL, room)) {
            fil_outbox_commit(&context->outbox, 0, connection->out_size, slot->flight.time, 0);
        }
        fil_flight_release(&lookup->flight, &slot->flight);
    }
    return error;
}

/** False when as many as may be are under way. */
static bool dispatch(struct lookup *lookup, const struct fil_inbox *inbox)
{
    const void *record = fil_batch_record(inbox->batch, inbox->position);
    struct slot *slot =
        fil_flight_send(&lookup->flight, record, fil_batch_time(inbox->batch, inbox->position));
    if (slot == NULL) {
        return false;
    }
    size_t size = fil_form_write_key(lookup->connection->key, record, slot->bytes);
    slot->key = fil_map_place(lookup->map, fil_bytes_make(slot->bytes, size));
    fil_port_submit(&lookup->port, &slot->call, &op_type, slot->key.partition_id);
    return true;
}

static int lookup_process(void *self, struct fil_processor_context *context,
                          struct fil_inbox *inbox)
{
    struct lookup *lookup = self;
    for (; inbox->position < inbox->limit; inbox->position++) {
        int error = emit_done(lookup, context);
        if (error != FIL_OK) {
            return error;
        }
        if (!dispatch(lookup, inbox)) {
            return FIL_E_AGAIN;
        }
    }
    return FIL_OK;
}

static int lookup_resume(void *self, struct fil_processor_context *context)
{
    return emit_done(self, context);
}

/** Everything before it has been emitted: for marks, snapshots and the end. */
static int settle(struct lookup *lookup, struct fil_processor_context *context)
{
    int error = emit_done(lookup, context);
    if (error != FIL_OK) {
        return error;
    }
    return lookup->flight.count == 0 ? FIL_OK : FIL_E_AGAIN;
}

static int lookup_watermark(void *self, struct fil_processor_context *context, int64_t time)
{
    (void)time;
    return settle(self, context);
}

static int lookup_save(void *self, struct fil_processor_context *context,
                       struct fil_state_writer *writer)
{
    (void)writer; // there is none
    return settle(self, context);
}

static int lookup_complete(void *self, struct fil_processor_context *context)
{
    struct lookup *lookup = self;
    int error = settle(lookup, context);
    if (error != FIL_OK) {
        return error;
    }
    return fil_port_is_quiet(&lookup->port, context) ? FIL_OK : FIL_E_AGAIN;
}

static int lookup_stop(void *self, struct fil_processor_context *context)
{
    struct lookup *lookup = self;
    (void)take_back(lookup, context);
    return fil_port_is_quiet(&lookup->port, context) ? FIL_OK : FIL_E_AGAIN;
}

const struct fil_processor_ops fil_lookup_ops = {.name = "lookup",
                                                 .size = sizeof(struct lookup),
                                                 .init = lookup_init,
                                                 .process = lookup_process,
                                                 .process_watermark = lookup_watermark,
                                                 .resume = lookup_resume,
                                                 .complete = lookup_complete,
                                                 .save = lookup_save,
                                                 .stop = lookup_stop,
                                                 .close = lookup_close};
