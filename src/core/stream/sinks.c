// SPDX-License-Identifier: Apache-2.0
#include "core/stream/sinks.h"

#include "lib/base/alloc.h"

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

struct expect {
    const struct fil_expect_sink_config *config;
    bool *is_met;
    uint64_t met_count;
};

static int expect_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct expect *expect = self;
    expect->config = config;
    expect->is_met = fil_alloc_zero(expect->config->count + 1, sizeof(*expect->is_met));
    if (expect->is_met == NULL) {
        return FIL_E_NOMEM;
    }
    return context->count == 1 ? FIL_OK : FIL_E_INVALID;
}

static bool is_record(const struct fil_expect_sink_config *config, uint64_t number,
                      const void *record)
{
    const uint8_t *wanted = (const uint8_t *)config->records + number * config->stride;
    return memcmp(wanted, record, config->stride) == 0;
}

/** The place of a record that is wanted and has not come yet; count: there is none. */
static uint64_t find_wanted(const struct expect *expect, const void *record)
{
    const struct fil_expect_sink_config *config = expect->config;
    uint64_t place = config->is_ordered ? expect->met_count : 0;
    uint64_t limit = config->is_ordered && place < config->count ? place + 1 : config->count;
    while (place < limit && (expect->is_met[place] || !is_record(config, place, record))) {
        place++;
    }
    return place < limit ? place : config->count;
}

static int expect_process(void *self, struct fil_processor_context *context,
                          struct fil_inbox *inbox)
{
    struct expect *expect = self;
    (void)context;
    for (; inbox->position < inbox->limit; inbox->position++) {
        bool is_sized =
            fil_batch_record_size(inbox->batch, inbox->position) == expect->config->stride;
        uint64_t place = is_sized
                             ? find_wanted(expect, fil_batch_record(inbox->batch, inbox->position))
                             : expect->config->count;
        if (place == expect->config->count) {
            return FIL_E_UNEXPECTED;
        }
        expect->is_met[place] = true;
        expect->met_count++;
    }
    return FIL_OK;
}

static int expect_complete(void *self, struct fil_processor_context *context)
{
    const struct expect *expect = self;
    (void)context;
    return expect->met_count == expect->config->count ? FIL_OK : FIL_E_UNEXPECTED;
}

static void expect_close(void *self)
{
    fil_free(((struct expect *)self)->is_met);
}

const struct fil_processor_ops fil_expect_sink_ops = {.name = "expectation",
                                                      .size = sizeof(struct expect),
                                                      .init = expect_init,
                                                      .process = expect_process,
                                                      .complete = expect_complete,
                                                      .close = expect_close};
