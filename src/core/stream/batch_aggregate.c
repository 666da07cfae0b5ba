// SPDX-License-Identifier: Apache-2.0
#include "core/stream/batch_aggregate.h"

#define STATES_SHIFT   10U
#define SLOTS_PER_CALL 4096U

struct batch_aggregate {
    struct fil_group group;
    struct fil_segments segments;
    struct fil_column states;
    uint32_t emitted; // slots
    uint32_t saved;
    bool is_completed;
};

uint32_t fil_batch_aggregate_result_bytes(const struct fil_group_config *config)
{
    return fil_group_key_bytes(config) + config->aggregate.result_size;
}

static int batch_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct batch_aggregate *all = self;
    const struct fil_group_config *group = config;
    int error = fil_group_init(&all->group, context, group);
    if (error != FIL_OK) {
        return error;
    }
    fil_segments_init(&all->segments, context->budget, group->aggregate.state_size,
                      all->group.has_key ? STATES_SHIFT : 0);
    fil_column_init(&all->states, &all->segments);
    bool is_good = context->outbox.count == 1 && context->outbox.outlets[0].edge->layout.stride ==
                                                     fil_batch_aggregate_result_bytes(group);
    return is_good ? FIL_OK : FIL_E_INVALID;
}

static int batch_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct batch_aggregate *all = self;
    (void)context;
    while (inbox->position < inbox->limit) {
        uint32_t left = inbox->limit - inbox->position;
        uint32_t count = left < FIL_KEY_TABLE_GROUP ? left : FIL_KEY_TABLE_GROUP;
        fil_group_load(&all->group, inbox->batch, inbox->position, count);
        int error = fil_group_find(&all->group);
        if (error == FIL_OK) {
            error = fil_group_accumulate(&all->group, &all->states);
        }
        if (error != FIL_OK) {
            return error;
        }
        inbox->position += count;
    }
    return FIL_OK;
}

static bool emit(struct batch_aggregate *all, struct fil_processor_context *context, uint32_t slot)
{
    const struct fil_group_config *config = all->group.config;
    uint32_t size = fil_batch_aggregate_result_bytes(config);
    uint8_t *room = fil_outbox_reserve(&context->outbox, 0, size);
    if (room == NULL) {
        return false;
    }
    fil_group_write_key(&all->group, slot, room);
    fil_aggregate_export(&config->aggregate, fil_column_at(&all->states, slot),
                         room + fil_group_key_bytes(config));
    fil_outbox_commit(&context->outbox, 0, size, FIL_TIME_NONE,
                      fil_outbox_wants_hashes(&context->outbox, 0)
                          ? fil_key_table_hash(&all->group.table, slot)
                          : 0);
    return true;
}

static int batch_complete(void *self, struct fil_processor_context *context)
{
    struct batch_aggregate *all = self;
    for (uint32_t i = 0; i < SLOTS_PER_CALL; i++) {
        if (all->emitted == all->group.table.slot_limit) {
            all->is_completed = true;
            return FIL_OK;
        }
        if (!emit(all, context, all->emitted)) {
            return FIL_E_FULL;
        }
        all->emitted++;
    }
    return FIL_E_FULL; // enough for one call
}

static int batch_save(void *self, struct fil_processor_context *context,
                      struct fil_state_writer *writer)
{
    struct batch_aggregate *all = self;
    (void)context;
    if (all->is_completed) {
        return FIL_OK; // everything has been emitted
    }
    for (; all->saved < all->group.table.slot_limit; all->saved++) {
        const struct fil_key_table *table = &all->group.table;
        const void *state = fil_column_at(&all->states, all->saved);
        if (!fil_state_put_keyed(writer, fil_key_table_hash(table, all->saved),
                                 fil_key_table_key(table, all->saved),
                                 fil_bytes_make(state, all->segments.item_size))) {
            return FIL_E_FULL;
        }
    }
    all->saved = 0;
    return FIL_OK;
}

static int batch_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                         struct fil_bytes value)
{
    struct batch_aggregate *all = self;
    (void)context;
    uint32_t slot = 0;
    int error = fil_group_find_key(&all->group, key, &slot);
    return error == FIL_OK ? fil_group_restore(&all->group, &all->states, slot, value) : error;
}

static void batch_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    fil_group_describe(config, "all", out_text);
}

static void batch_close(void *self)
{
    struct batch_aggregate *all = self;
    if (all->segments.item_size != 0) {
        fil_column_clear(&all->states);
        fil_segments_fini(&all->segments);
    }
    fil_group_fini(&all->group);
}

const struct fil_processor_ops fil_batch_aggregate_ops = {.name = "aggregate",
                                                          .size = sizeof(struct batch_aggregate),
                                                          .init = batch_init,
                                                          .process = batch_process,
                                                          .complete = batch_complete,
                                                          .save = batch_save,
                                                          .restore = batch_restore,
                                                          .describe = batch_describe,
                                                          .close = batch_close};
