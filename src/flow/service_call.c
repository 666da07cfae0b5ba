// SPDX-License-Identifier: Apache-2.0
// Asks a service with each record and joins the answer; results leave in the order of the records,
// or as answers come.
#include "filbert/error.h"
#include "flow/connector.h"
#include "flow/inquiries.h"

static int call_init(void *self, struct fil_processor_context *context, const void *config)
{
    return fil_inquiries_open(self, context, config);
}

static void call_close(void *self)
{
    fil_inquiries_close(self);
}

/** Emits what is answered. FIL_E_FULL when there is no room. */
static int emit_back(struct fil_inquiries *all, struct fil_processor_context *context)
{
    const struct fil_connection *connection = all->connection;
    int error = fil_inquiries_take_back(all, context);
    struct fil_inquiry *inquiry = error == FIL_OK ? fil_flight_first(&all->flight) : NULL;
    for (; inquiry != NULL; inquiry = fil_flight_first(&all->flight)) {
        void *room = fil_outbox_reserve(&context->outbox, 0, connection->out_size);
        if (room == NULL) {
            return FIL_E_FULL;
        }
        if (connection->join(connection->join_context, inquiry->flight.record,
                             inquiry->is_found ? inquiry->flight.answer : NULL, room)) {
            fil_outbox_commit(&context->outbox, 0, connection->out_size, inquiry->flight.time, 0);
        }
        fil_flight_release(&all->flight, &inquiry->flight);
    }
    return error;
}

static int call_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct fil_inquiries *all = self;
    for (; inbox->position < inbox->limit; inbox->position++) {
        int error = emit_back(all, context);
        if (error != FIL_OK) {
            return error;
        }
        const void *record = fil_batch_record(inbox->batch, inbox->position);
        struct fil_inquiry *inquiry =
            fil_inquiries_take(all, record, fil_batch_time(inbox->batch, inbox->position));
        if (inquiry == NULL) {
            return FIL_E_AGAIN; // the end of one wakes the tasklet, or that of a pause
        }
        fil_inquiry_add(inquiry, record);
        fil_inquiry_send(inquiry);
    }
    return FIL_OK;
}

/** Everything in front has been emitted: for marks, snapshots and the end. */
static int settle(struct fil_inquiries *all, struct fil_processor_context *context)
{
    int error = emit_back(all, context);
    if (error != FIL_OK) {
        return error;
    }
    return all->flight.count == 0 ? FIL_OK : FIL_E_AGAIN;
}

static int call_watermark(void *self, struct fil_processor_context *context, int64_t time)
{
    (void)time;
    return settle(self, context);
}

/** For answers, and by the clock for those whose pause is over. */
static int call_resume(void *self, struct fil_processor_context *context)
{
    return emit_back(self, context);
}

static int call_save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer)
{
    (void)writer; // there is none
    return settle(self, context);
}

static int call_complete(void *self, struct fil_processor_context *context)
{
    int error = settle(self, context);
    return error == FIL_OK ? fil_inquiries_wait(self, context) : error;
}

static int call_stop(void *self, struct fil_processor_context *context)
{
    return fil_inquiries_stop(self, context);
}

const struct fil_processor_ops fil_service_call_ops = {.name = "service call",
                                                       .size = sizeof(struct fil_inquiries),
                                                       .init = call_init,
                                                       .process = call_process,
                                                       .process_watermark = call_watermark,
                                                       .resume = call_resume,
                                                       .tick = call_resume,
                                                       .complete = call_complete,
                                                       .save = call_save,
                                                       .stop = call_stop,
                                                       .close = call_close};
