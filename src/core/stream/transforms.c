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

static void map_some(const struct fil_map_config *config, const uint8_t *from, uint32_t from_stride,
                     uint8_t *to, uint32_t to_stride, uint32_t count)
{
    if (config->map_many != NULL) {
        config->map_many(config->context, from, to, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        config->map(config->context, from + (size_t)i * from_stride, to + (size_t)i * to_stride);
    }
}

/** Records that are not one behind the other, into room for all of them. */
static void map_scattered(const struct fil_map_config *config, const struct fil_inbox *inbox,
                          uint8_t *to, uint32_t to_stride, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = inbox->position + i;
        map_some(config, fil_batch_record(inbox->batch, index), 0, to + (size_t)i * to_stride,
                 to_stride, 1);
    }
}

/** Changes the whole batch and passes it on; false: it has to be copied. */
static bool map_in_place(const struct fil_map_config *config, struct fil_processor_context *context,
                         struct fil_inbox *inbox)
{
    // A function for one record may read it while it writes the result.
    if (config->map_many == NULL || !fil_outbox_can_pass(&context->outbox, 0, inbox)) {
        return false;
    }
    struct fil_batch *batch = inbox->batch;
    uint8_t *records = fil_batch_at(batch, batch->records_at);
    config->map_many(config->context, records, records, batch->count);
    bool is_forwarded = fil_outbox_forward(&context->outbox, 0, batch);
    fil_assert(is_forwarded);
    inbox->position = inbox->limit;
    return true;
}

static int map_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    const struct fil_map_config *config = ((struct map *)self)->config;
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    struct fil_batch *batch = inbox->batch;
    if (map_in_place(config, context, inbox)) {
        return FIL_OK;
    }
    while (inbox->position < inbox->limit) {
        uint32_t room_count = 0;
        uint8_t *room = fil_outbox_reserve_many(&context->outbox, 0, &room_count);
        if (room == NULL) {
            return FIL_E_FULL;
        }
        uint32_t first = inbox->position;
        uint32_t count = smaller(room_count, inbox->limit - first);
        if (batch->stride != 0) {
            map_some(config, fil_batch_record(batch, first), batch->stride, room, stride, count);
        } else {
            map_scattered(config, inbox, room, stride, count);
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
    uint32_t kept[FIL_BATCH_RECORDS]; // of the records from `first` on
    uint32_t kept_count;
    uint32_t next;  // of the kept ones
    uint32_t first; // number of the first record that was looked at
};

static int filter_init(void *self, struct fil_processor_context *context, const void *config)
{
    (void)context;
    ((struct filter *)self)->config = config;
    return FIL_OK;
}

/** Looks at the next records, as many as the list of the kept ones has room for. */
static uint32_t select_some(struct filter *filter, const struct fil_inbox *inbox)
{
    const struct fil_filter_config *config = filter->config;
    struct fil_batch *batch = inbox->batch;
    uint32_t count = smaller(inbox->limit - inbox->position, FIL_BATCH_RECORDS);
    filter->first = inbox->position;
    filter->next = 0;
    filter->kept_count = 0;
    if (config->select != NULL && batch->stride != 0) {
        filter->kept_count = config->select(
            config->context, fil_batch_record(batch, inbox->position), count, filter->kept);
        return count;
    }
    for (uint32_t i = 0; i < count; i++) {
        filter->kept[filter->kept_count] = i;
        filter->kept_count +=
            config->keep(config->context, fil_batch_record(batch, inbox->position + i));
    }
    return count;
}

/** The kept records behind those that are out already; false when there is no room. */
static bool emit_kept(struct filter *filter, struct fil_processor_context *context,
                      struct fil_batch *batch)
{
    for (; filter->next < filter->kept_count; filter->next++) {
        uint32_t index = filter->first + filter->kept[filter->next];
        if (!fil_outbox_emit(
                &context->outbox,
                fil_bytes_make(fil_batch_record(batch, index), fil_batch_record_size(batch, index)),
                fil_batch_time(batch, index), fil_batch_hash(batch, index))) {
            return false;
        }
    }
    return true;
}

/** Whether all of the batch was kept and has been passed on as it is. */
static bool pass_all(const struct filter *filter, struct fil_processor_context *context,
                     const struct fil_inbox *inbox, uint32_t count)
{
    return filter->kept_count == count && count == inbox->batch->count &&
           context->outbox.count == 1 && fil_outbox_can_pass(&context->outbox, 0, inbox) &&
           fil_outbox_forward(&context->outbox, 0, inbox->batch);
}

static int filter_process(void *self, struct fil_processor_context *context,
                          struct fil_inbox *inbox)
{
    struct filter *filter = self;
    while (inbox->position < inbox->limit) {
        uint32_t count = select_some(filter, inbox);
        if (!pass_all(filter, context, inbox, count) && !emit_kept(filter, context, inbox->batch)) {
            // Whatever stands before the record that found no room is done.
            inbox->position = filter->first + filter->kept[filter->next];
            return FIL_E_FULL;
        }
        inbox->position = filter->first + count;
    }
    return FIL_OK;
}

struct flat_map {
    const struct fil_flat_map_config *config;
    uint64_t cursor; // of the record at the inbox's position: its next output
};

static int flat_map_init(void *self, struct fil_processor_context *context, const void *config)
{
    ((struct flat_map *)self)->config = config;
    return check_output(context);
}

/** Writes up to `room` outputs of a record; fewer are the last ones. */
static uint32_t expand(struct flat_map *self, struct fil_bytes record, uint8_t *out, uint32_t room,
                       uint32_t stride)
{
    const struct fil_flat_map_config *config = self->config;
    if (config->expand != NULL) {
        return config->expand(config->context, record, &self->cursor, out, room);
    }
    uint32_t count = 0;
    while (count < room && config->next(config->context, record.data, (uint32_t)self->cursor,
                                        out + (size_t)count * stride)) {
        self->cursor++;
        count++;
    }
    return count;
}

/** All outputs of one record; false when there is no room for the next. */
static bool flat_map_record(struct flat_map *self, struct fil_processor_context *context,
                            struct fil_batch *batch, uint32_t position)
{
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    struct fil_bytes record =
        fil_bytes_make(fil_batch_record(batch, position), fil_batch_record_size(batch, position));
    uint32_t room_count = 0;
    uint32_t count = 0;
    do {
        uint8_t *room = fil_outbox_reserve_many(&context->outbox, 0, &room_count);
        if (room == NULL) {
            return false;
        }
        count = expand(self, record, room, room_count, stride);
        fil_assert(count <= room_count);
        int64_t *times = fil_outbox_times(&context->outbox, 0);
        for (uint32_t i = 0; times != NULL && i < count; i++) {
            times[i] = fil_batch_time(batch, position);
        }
        fil_outbox_commit_many(&context->outbox, 0, count, times, NULL);
    } while (count == room_count);
    self->cursor = 0;
    return true;
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
