// SPDX-License-Identifier: Apache-2.0
#include "core/stream/transforms.h"

#include "lib/base/assert.h"

struct map {
    const struct fil_map_config *config;
};

static int check_output(const struct fil_processor_context *context)
{
    bool is_good =
        context->outbox.count == 1 && context->outbox.outlets[0].edge->layout.stride != 0;
    return is_good ? FIL_OK : FIL_E_INVALID;
}

static int map_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct map *map = self;
    map->config = config;
    return check_output(context);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static int map_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    const struct fil_map_config *config = ((struct map *)self)->config;
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    struct fil_batch *batch = inbox->batch;
    while (inbox->position < inbox->limit) {
        uint32_t room_count = 0;
        uint8_t *room = fil_outbox_reserve_many(&context->outbox, 0, &room_count);
        if (room == NULL) {
            return FIL_E_FULL;
        }
        uint32_t first = inbox->position;
        uint32_t count = smaller(room_count, inbox->limit - first);
        for (uint32_t i = 0; i < count; i++) {
            config->map(config->context, fil_batch_record(batch, first + i),
                        room + (size_t)i * stride);
        }
        const int64_t *times = fil_batch_times(batch);
        const uint64_t *hashes = fil_batch_hashes(batch);
        fil_outbox_commit_many(&context->outbox, 0, count, times == NULL ? NULL : times + first,
                               hashes == NULL ? NULL : hashes + first);
        inbox->position = first + count;
    }
    return FIL_OK;
}

struct filter {
    const struct fil_filter_config *config;
};

static int filter_init(void *self, struct fil_processor_context *context, const void *config)
{
    (void)context;
    ((struct filter *)self)->config = config;
    return FIL_OK;
}

static int filter_process(void *self, struct fil_processor_context *context,
                          struct fil_inbox *inbox)
{
    const struct fil_filter_config *config = ((struct filter *)self)->config;
    struct fil_batch *batch = inbox->batch;
    for (; inbox->position < inbox->limit; inbox->position++) {
        uint32_t index = inbox->position;
        const void *record = fil_batch_record(batch, index);
        if (config->keep(config->context, record) &&
            !fil_outbox_emit(&context->outbox,
                             fil_bytes_make(record, fil_batch_record_size(batch, index)),
                             fil_batch_time(batch, index), fil_batch_hash(batch, index))) {
            return FIL_E_FULL;
        }
    }
    return FIL_OK;
}

struct flat_map {
    const struct fil_flat_map_config *config;
    uint32_t index; // of the next output of the record at the inbox's position
};

static int flat_map_init(void *self, struct fil_processor_context *context, const void *config)
{
    ((struct flat_map *)self)->config = config;
    return check_output(context);
}

/** All outputs of one record; false when there is no room for the next. */
static bool flat_map_record(struct flat_map *self, struct fil_processor_context *context,
                            struct fil_batch *batch, uint32_t position)
{
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    for (;;) {
        void *room = fil_outbox_reserve(&context->outbox, 0, stride);
        if (room == NULL) {
            return false;
        }
        if (!self->config->next(self->config->context, fil_batch_record(batch, position),
                                self->index, room)) {
            self->index = 0;
            return true;
        }
        fil_outbox_commit(&context->outbox, 0, stride, fil_batch_time(batch, position), 0);
        self->index++;
    }
}

static int flat_map_process(void *self, struct fil_processor_context *context,
                            struct fil_inbox *inbox)
{
    for (; inbox->position < inbox->limit; inbox->position++) {
        if (!flat_map_record(self, context, inbox->batch, inbox->position)) {
            return FIL_E_FULL;
        }
    }
    return FIL_OK;
}

const struct fil_processor_ops fil_map_ops = {
    .name = "map", .size = sizeof(struct map), .init = map_init, .process = map_process};

const struct fil_processor_ops fil_filter_ops = {.name = "filter",
                                                 .size = sizeof(struct filter),
                                                 .init = filter_init,
                                                 .process = filter_process};

const struct fil_processor_ops fil_flat_map_ops = {.name = "flat map",
                                                   .size = sizeof(struct flat_map),
                                                   .init = flat_map_init,
                                                   .process = flat_map_process};
