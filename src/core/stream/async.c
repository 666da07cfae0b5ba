// SPDX-License-Identifier: Apache-2.0
#include "core/stream/async.h"

#include <stdatomic.h>

#include "core/stream/flight.h"
#include "lib/base/assert.h"
#include "lib/conc/stack.h"

#define LOOK_AGAIN_NS UINT64_C(100000)

struct calls {
    const struct fil_async_config *config;
    struct fil_tasklet *tasklet;
    struct fil_flight flight;

    // Shared.
    struct fil_stack done;
    _Atomic uint32_t outside; // calls whose end has not let go of the instance
};

struct fil_async {
    struct fil_flight_slot slot;
    struct calls *calls;
    struct fil_link done;
    int result;
};

static int async_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct calls *calls = self;
    calls->config = config;
    calls->tasklet = context->tasklet;
    fil_stack_init(&calls->done);
    uint32_t stride =
        context->outbox.count == 1 ? context->outbox.outlets[0].edge->layout.stride : 0;
    if (stride == 0 || calls->config->concurrency == 0 || calls->config->begin == NULL) {
        return FIL_E_INVALID;
    }
    const struct fil_flight_options options = {.slot_count = calls->config->concurrency,
                                               .slot_size = sizeof(struct fil_async),
                                               .record_size = calls->config->record_size,
                                               .answer_size = stride,
                                               .is_unordered = calls->config->is_unordered};
    int error = fil_flight_init(&calls->flight, context->budget, &options);
    for (uint32_t i = 0; error == FIL_OK && i < options.slot_count; i++) {
        ((struct fil_async *)fil_flight_slot(&calls->flight, i))->calls = calls;
    }
    return error;
}

static void async_close(void *self)
{
    fil_flight_fini(&((struct calls *)self)->flight);
}

void fil_async_end(struct fil_async *call, int result)
{
    struct calls *calls = call->calls;
    call->result = result;
    (void)fil_stack_push(&calls->done, &call->done);
    // From here on the call may be used anew; the instance stays, because outside still counts us.
    if (calls->tasklet != NULL) {
        fil_tasklet_wake(calls->tasklet, NULL);
    }
    // R1 pairs with A1: the last touch of the instance and of the tasklet.
    uint32_t before = atomic_fetch_sub_explicit(&calls->outside, 1, memory_order_release);
    fil_assert(before > 0);
}

/** Calls that are over; the first error that fails the job. */
static int take_back(struct calls *calls)
{
    int error = FIL_OK;
    struct fil_link *next = NULL;
    for (struct fil_link *link = fil_stack_take_all(&calls->done); link != NULL; link = next) {
        struct fil_async *call = FIL_CONTAINER_OF(link, struct fil_async, done);
        next = link->next;
        fil_flight_land(&calls->flight, &call->slot);
        bool is_failure = call->result != FIL_OK && call->result != FIL_E_NOT_FOUND;
        error = is_failure && error == FIL_OK ? call->result : error;
    }
    // These two mean something else to the engine.
    return error == FIL_E_FULL || error == FIL_E_AGAIN ? FIL_E_LIMIT : error;
}

static int emit_back(struct calls *calls, struct fil_processor_context *context)
{
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    int error = take_back(calls);
    struct fil_async *call = error == FIL_OK ? fil_flight_first(&calls->flight) : NULL;
    for (; call != NULL; call = fil_flight_first(&calls->flight)) {
        if (call->result == FIL_OK) {
            void *room = fil_outbox_reserve(&context->outbox, 0, stride);
            if (room == NULL) {
                return FIL_E_FULL;
            }
            memcpy(room, call->slot.answer, stride);
            fil_outbox_commit(&context->outbox, 0, stride, call->slot.time, 0);
        }
        fil_flight_release(&calls->flight, &call->slot);
    }
    return error;
}

static int async_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct calls *calls = self;
    for (; inbox->position < inbox->limit; inbox->position++) {
        int error = emit_back(calls, context);
        if (error != FIL_OK) {
            return error;
        }
        struct fil_async *call =
            fil_flight_send(&calls->flight, fil_batch_record(inbox->batch, inbox->position),
                            fil_batch_time(inbox->batch, inbox->position));
        if (call == NULL) {
            return FIL_E_AGAIN; // the end of a call wakes the tasklet
        }
        // Relaxed: whatever hands the call over orders it.
        atomic_fetch_add_explicit(&calls->outside, 1, memory_order_relaxed);
        calls->config->begin(calls->config->context, call, call->slot.record, call->slot.answer);
    }
    return FIL_OK;
}

static int async_resume(void *self, struct fil_processor_context *context)
{
    return emit_back(self, context);
}

/** Everything in front has been emitted: for marks, snapshots and the end. */
static int settle(struct calls *calls, struct fil_processor_context *context)
{
    int error = emit_back(calls, context);
    if (error != FIL_OK) {
        return error;
    }
    return calls->flight.count == 0 ? FIL_OK : FIL_E_AGAIN;
}

static int async_watermark(void *self, struct fil_processor_context *context, int64_t time)
{
    (void)time;
    return settle(self, context);
}

static int async_save(void *self, struct fil_processor_context *context,
                      struct fil_state_writer *writer)
{
    (void)writer; // there is none
    return settle(self, context);
}

/** Whether nobody outside uses the instance any more; otherwise says when to look again. */
static int wait_for_quiet(struct calls *calls, struct fil_processor_context *context)
{
    // A1 pairs with R1.
    if (atomic_load_explicit(&calls->outside, memory_order_acquire) == 0) {
        return FIL_OK;
    }
    if (calls->flight.out_count == 0) {
        context->wake_at_ns = context->now_ns + LOOK_AGAIN_NS; // else the end of one wakes
    }
    return FIL_E_AGAIN;
}

static int async_complete(void *self, struct fil_processor_context *context)
{
    int error = settle(self, context);
    return error == FIL_OK ? wait_for_quiet(self, context) : error;
}

static int async_stop(void *self, struct fil_processor_context *context)
{
    struct calls *calls = self;
    (void)take_back(calls);
    return wait_for_quiet(calls, context);
}

const struct fil_processor_ops fil_async_ops = {.name = "async",
                                                .size = sizeof(struct calls),
                                                .init = async_init,
                                                .process = async_process,
                                                .process_watermark = async_watermark,
                                                .resume = async_resume,
                                                .complete = async_complete,
                                                .save = async_save,
                                                .stop = async_stop,
                                                .close = async_close};
