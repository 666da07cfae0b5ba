// SPDX-License-Identifier: Apache-2.0
#include "core/stream/sinks.h"

struct sink {
    const void *config;
};

static int sink_init(void *self, struct fil_processor_context *context, const void *config)
{
    (void)context;
    ((struct sink *)self)->config = config;
    return FIL_OK;
}

static int counter_process(void *self, struct fil_processor_context *context,
                           struct fil_inbox *inbox)
{
    (void)context;
    const struct fil_counter_sink_config *config = ((struct sink *)self)->config;
    // Relaxed: a count publishes nothing but itself.
    atomic_fetch_add_explicit(&config->sink->record_count, inbox->limit - inbox->position,
                              memory_order_relaxed);
    inbox->position = inbox->limit;
    return FIL_OK;
}

static int list_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    (void)context;
    struct fil_list_sink *list =
        ((const struct fil_list_sink_config *)((struct sink *)self)->config)->sink;
    for (; inbox->position < inbox->limit; inbox->position++) {
        if (fil_batch_record_size(inbox->batch, inbox->position) != list->stride) {
            return FIL_E_INVALID;
        }
        // Relaxed: the claim publishes nothing; whoever reads the list waits for the job's end.
        uint64_t place = atomic_fetch_add_explicit(&list->count, 1, memory_order_relaxed);
        if (place >= list->capacity) {
            atomic_fetch_sub_explicit(&list->count, 1, memory_order_relaxed);
            return FIL_E_LIMIT;
        }
        memcpy((uint8_t *)list->records + place * list->stride,
               fil_batch_record(inbox->batch, inbox->position), list->stride);
        if (list->times != NULL) {
            list->times[place] = fil_batch_time(inbox->batch, inbox->position);
        }
    }
    return FIL_OK;
}

static int callback_process(void *self, struct fil_processor_context *context,
                            struct fil_inbox *inbox)
{
    (void)context;
    const struct fil_callback_sink_config *config = ((struct sink *)self)->config;
    for (; inbox->position < inbox->limit; inbox->position++) {
        uint32_t index = inbox->position;
        int result = config->accept(config->context, fil_batch_record(inbox->batch, index),
                                    fil_batch_record_size(inbox->batch, index),
                                    fil_batch_time(inbox->batch, index));
        if (result != FIL_OK) {
            return result;
        }
    }
    return FIL_OK;
}

const struct fil_processor_ops fil_counter_sink_ops = {.name = "counter sink",
                                                       .size = sizeof(struct sink),
                                                       .init = sink_init,
                                                       .process = counter_process};

const struct fil_processor_ops fil_list_sink_ops = {
    .name = "list sink", .size = sizeof(struct sink), .init = sink_init, .process = list_process};

const struct fil_processor_ops fil_callback_sink_ops = {.name = "callback sink",
                                                        .size = sizeof(struct sink),
                                                        .init = sink_init,
                                                        .process = callback_process};
