// SPDX-License-Identifier: Apache-2.0
#include "core/stream/keyed.h"

#include <stdio.h>

#include "core/stream/key_table.h"
#include "lib/base/assert.h"

#define STATES_SHIFT 8U

static const uint8_t no_key[8] = {0};

/** State by key, for both. */
struct states {
    struct fil_key_table table;
    struct fil_segments segments;
    struct fil_column column;
    uint32_t state_size;
    uint32_t saved;
    bool is_open;
};

struct state_map {
    const struct fil_state_map_config *config;
    struct states states;
};

struct join {
    const struct fil_join_config *config;
    struct states states;
};

static int states_open(struct states *states, struct fil_budget *budget, const struct fil_key *key,
                       uint32_t state_size)
{
    bool has_key = fil_key_is_set(key);
    uint32_t key_size = has_key ? key->size : (uint32_t)sizeof(no_key);
    if (state_size == 0 || key_size == 0 || key_size > FIL_KEY_TABLE_KEY_BYTES_MAX) {
        return FIL_E_INVALID;
    }
    states->state_size = state_size;
    states->is_open = true;
    // Rounded up, so that structs can lie in a row.
    fil_segments_init(&states->segments, budget, (state_size + 7U) & ~7U, STATES_SHIFT);
    fil_column_init(&states->column, &states->segments);
    return fil_key_table_init(&states->table, budget, key_size, key->extract == NULL, 0);
}

static void states_close(struct states *states)
{
    if (states->is_open) {
        fil_column_clear(&states->column);
        fil_segments_fini(&states->segments);
        fil_key_table_fini(&states->table);
    }
}

/** The state of a key, made when there is none. FIL_E_NOMEM, FIL_E_LIMIT. */
static int states_get(struct states *states, struct fil_bytes key, void **out_state)
{
    uint64_t hash = fil_key_hash_bytes(key);
    uint32_t slot = 0;
    int error = fil_key_table_find(&states->table, 1, &key, &hash, &slot);
    if (error != FIL_OK) {
        return error;
    }
    *out_state = fil_column_get(&states->column, slot);
    return *out_state == NULL ? FIL_E_NOMEM : FIL_OK;
}

static struct fil_bytes key_of(const struct fil_key *key, struct fil_batch *batch, uint32_t index)
{
    if (!fil_key_is_set(key)) {
        return fil_bytes_make(no_key, sizeof(no_key));
    }
    return fil_key_of(key, fil_batch_record(batch, index), fil_batch_record_size(batch, index));
}

static int states_save(struct states *states, struct fil_state_writer *writer,
                       enum fil_state_scope scope)
{
    for (; states->saved < states->table.slot_limit; states->saved++) {
        const struct fil_state_entry entry = {
            .scope = scope,
            .place = fil_key_table_hash(&states->table, states->saved),
            .key = fil_key_table_key(&states->table, states->saved),
            .value =
                fil_bytes_make(fil_column_at(&states->column, states->saved), states->state_size)};
        if (!writer->put(writer, &entry)) {
            return FIL_E_FULL;
        }
    }
    states->saved = 0;
    return FIL_OK;
}

static int states_restore(struct states *states, struct fil_bytes key, struct fil_bytes value)
{
    if (value.size != states->state_size) {
        return FIL_E_MALFORMED;
    }
    void *state = NULL;
    int error = states_get(states, key, &state);
    if (error == FIL_OK) {
        memcpy(state, value.data, value.size);
    }
    return error;
}

static bool has_one_fixed_output(const struct fil_processor_context *context)
{
    return context->outbox.count == 1 && context->outbox.outlets[0].edge->layout.stride != 0;
}

static int state_map_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct state_map *map = self;
    map->config = config;
    if (!has_one_fixed_output(context) || map->config->map == NULL) {
        return FIL_E_INVALID;
    }
    return states_open(&map->states, context->budget, &map->config->key, map->config->state_size);
}

static int state_map_process(void *self, struct fil_processor_context *context,
                             struct fil_inbox *inbox)
{
    struct state_map *map = self;
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    for (; inbox->position < inbox->limit; inbox->position++) {
        uint32_t index = inbox->position;
        // Room first: the function changes the state, and is called once for each record.
        void *room = fil_outbox_reserve(&context->outbox, 0, stride);
        if (room == NULL) {
            return FIL_E_FULL;
        }
        void *state = NULL;
        int error =
            states_get(&map->states, key_of(&map->config->key, inbox->batch, index), &state);
        if (error != FIL_OK) {
            return error;
        }
        int64_t time = fil_batch_time(inbox->batch, index);
        if (map->config->map(map->config->context, state, fil_batch_record(inbox->batch, index),
                             time, room)) {
            fil_outbox_commit(&context->outbox, 0, stride, time, 0);
        }
    }
    return FIL_OK;
}

static int state_map_save(void *self, struct fil_processor_context *context,
                          struct fil_state_writer *writer)
{
    struct state_map *map = self;
    (void)context;
    return states_save(&map->states, writer, FIL_STATE_KEYED);
}

static int state_map_restore(void *self, struct fil_processor_context *context,
                             struct fil_bytes key, struct fil_bytes value)
{
    (void)context;
    return states_restore(&((struct state_map *)self)->states, key, value);
}

static void state_map_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    const struct fil_state_map_config *map = config;
    (void)snprintf(out_text, FIL_PROCESSOR_FORMAT_MAX, "%u bytes by a key of %u", map->state_size,
                   map->key.size);
}

static void state_map_close(void *self)
{
    states_close(&((struct state_map *)self)->states);
}

static int join_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct join *join = self;
    join->config = config;
    if (!has_one_fixed_output(context) || join->config->join == NULL ||
        !fil_key_is_set(&join->config->key) || !fil_key_is_set(&join->config->partner_key)) {
        return FIL_E_INVALID;
    }
    // One byte in front of each partner says that it is one: a state of zeros is none.
    return states_open(&join->states, context->budget, &join->config->partner_key,
                       join->config->partner_size + 8U);
}

static int keep_partners(struct join *join, struct fil_inbox *inbox)
{
    uint32_t size = join->config->partner_size;
    for (; inbox->position < inbox->limit; inbox->position++) {
        uint32_t index = inbox->position;
        if (fil_batch_record_size(inbox->batch, index) != size) {
            return FIL_E_INVALID;
        }
        void *state = NULL;
        int error = states_get(&join->states,
                               key_of(&join->config->partner_key, inbox->batch, index), &state);
        if (error != FIL_OK) {
            return error;
        }
        *(uint64_t *)state = 1;
        memcpy((uint8_t *)state + sizeof(uint64_t), fil_batch_record(inbox->batch, index), size);
    }
    return FIL_OK;
}

static int join_records(struct join *join, struct fil_processor_context *context,
                        struct fil_inbox *inbox)
{
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    for (; inbox->position < inbox->limit; inbox->position++) {
        uint32_t index = inbox->position;
        void *room = fil_outbox_reserve(&context->outbox, 0, stride);
        if (room == NULL) {
            return FIL_E_FULL;
        }
        void *state = NULL;
        int error =
            states_get(&join->states, key_of(&join->config->key, inbox->batch, index), &state);
        if (error != FIL_OK) {
            return error;
        }
        const void *partner =
            *(const uint64_t *)state == 0 ? NULL : (const uint8_t *)state + sizeof(uint64_t);
        if (join->config->join(join->config->context, fil_batch_record(inbox->batch, index),
                               partner, room)) {
            fil_outbox_commit(&context->outbox, 0, stride, fil_batch_time(inbox->batch, index), 0);
        }
    }
    return FIL_OK;
}

static int join_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    return inbox->input == 0 ? keep_partners(self, inbox) : join_records(self, context, inbox);
}

static int join_save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer)
{
    struct join *join = self;
    // All instances have the same partners.
    return context->index == 0 ? states_save(&join->states, writer, FIL_STATE_ALL) : FIL_OK;
}

static int join_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                        struct fil_bytes value)
{
    (void)context;
    return states_restore(&((struct join *)self)->states, key, value);
}

static void join_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    const struct fil_join_config *join = config;
    (void)snprintf(out_text, FIL_PROCESSOR_FORMAT_MAX, "partners of %u bytes by a key of %u",
                   join->partner_size, join->partner_key.size);
}

static void join_close(void *self)
{
    states_close(&((struct join *)self)->states);
}

const struct fil_processor_ops fil_state_map_ops = {.name = "state map",
                                                    .size = sizeof(struct state_map),
                                                    .init = state_map_init,
                                                    .process = state_map_process,
                                                    .save = state_map_save,
                                                    .restore = state_map_restore,
                                                    .describe = state_map_describe,
                                                    .close = state_map_close};

const struct fil_processor_ops fil_join_ops = {.name = "join",
                                               .size = sizeof(struct join),
                                               .init = join_init,
                                               .process = join_process,
                                               .save = join_save,
                                               .restore = join_restore,
                                               .describe = join_describe,
                                               .close = join_close};
