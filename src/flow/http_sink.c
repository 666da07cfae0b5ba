// SPDX-License-Identifier: Apache-2.0
// Sends records to a service over HTTP, one or several of them a request.
#include "filbert/error.h"
#include "flow/connector.h"
#include "flow/inquiries.h"

static int sink_init(void *self, struct fil_processor_context *context, const void *config)
{
    return fil_inquiries_open(self, context, config);
}

static void sink_close(void *self)
{
    fil_inquiries_close(self);
}

/** Requests that were answered have room for others. */
static int take_back(struct fil_inquiries *all, struct fil_processor_context *context)
{
    int error = fil_inquiries_take_back(all, context);
    struct fil_inquiry *inquiry = error == FIL_OK ? fil_flight_first(&all->flight) : NULL;
    for (; inquiry != NULL; inquiry = fil_flight_first(&all->flight)) {
        fil_flight_release(&all->flight, &inquiry->flight);
    }
    return error;
}

/** As many records as are there, up to a batch. */
static void gather(struct fil_inquiry *inquiry, struct fil_inbox *inbox)
{
    uint32_t batch = inquiry->all->connection->request->batch;
    for (uint32_t i = 0; i < batch && inbox->position < inbox->limit; i++) {
        fil_inquiry_add(inquiry, fil_batch_record(inbox->batch, inbox->position));
        inbox->position++;
    }
}

static int sink_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct fil_inquiries *all = self;
    while (inbox->position < inbox->limit) {
        int error = take_back(all, context);
        if (error != FIL_OK) {
            return error;
        }
        struct fil_inquiry *inquiry =
            fil_inquiries_take(all, fil_batch_record(inbox->batch, inbox->position), FIL_TIME_NONE);
        if (inquiry == NULL) {
            return FIL_E_AGAIN; // the end of one wakes the tasklet, or that of a pause
        }
        gather(inquiry, inbox);
        fil_inquiry_send(inquiry);
    }
    return FIL_OK;
}

/** All that has come is delivered. */
static int finish(struct fil_inquiries *all, struct fil_processor_context *context)
{
    int error = take_back(all, context);
    if (error != FIL_OK) {
        return error;
    }
    return all->flight.count == 0 ? fil_inquiries_wait(all, context) : FIL_E_AGAIN;
}

/** For answers, and by the clock for those whose pause is over. */
static int sink_resume(void *self, struct fil_processor_context *context)
{
    return take_back(self, context);
}

static int sink_save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer)
{
    (void)writer; // the service is the state
    return finish(self, context);
}

static int sink_complete(void *self, struct fil_processor_context *context)
{
    return finish(self, context);
}

static int sink_stop(void *self, struct fil_processor_context *context)
{
    return fil_inquiries_stop(self, context);
}

const struct fil_processor_ops fil_http_sink_ops = {.name = "HTTP sink",
                                                    .size = sizeof(struct fil_inquiries),
                                                    .init = sink_init,
                                                    .process = sink_process,
                                                    .resume = sink_resume,
                                                    .tick = sink_resume,
                                                    .complete = sink_complete,
                                                    .save = sink_save,
                                                    .stop = sink_stop,
                                                    .close = sink_close};
