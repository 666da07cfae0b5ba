// SPDX-License-Identifier: Apache-2.0
#include "core/stream/chain.h"

#include "core/stream/block.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

struct chain {
    const struct fil_chain_config *config;
    bool is_block; // maps and filters only: the rest is for flat maps
    struct fil_block block;
    uint8_t *buffers[FIL_CHAIN_STEPS_MAX]; // record behind each map and flat map
    const void
        *records[FIL_CHAIN_STEPS_MAX + 1]; // in front of each step; the last one is the result
    uint32_t indexes[FIL_CHAIN_STEPS_MAX]; // flat maps: number of the next output
    bool has_result;                       // that found no room
};

static int chain_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct chain *chain = self;
    chain->config = config;
    uint32_t count = chain->config->count;
    if (count == 0 || count > FIL_CHAIN_STEPS_MAX || context->outbox.count != 1 ||
        context->outbox.outlets[0].edge->layout.stride != chain->config->steps[count - 1].stride) {
        return FIL_E_INVALID;
    }
    chain->is_block = fil_block_fits(chain->config);
    if (chain->is_block) {
        return fil_block_init(&chain->block, chain->config);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (chain->config->steps[i].kind != FIL_CHAIN_FILTER) {
            chain->buffers[i] = fil_alloc_zero(1, chain->config->steps[i].stride);
            if (chain->buffers[i] == NULL) {
                return FIL_E_NOMEM;
            }
        }
    }
    return FIL_OK;
}

static void chain_close(void *self)
{
    struct chain *chain = self;
    fil_block_fini(&chain->block);
    for (uint32_t i = 0; i < FIL_CHAIN_STEPS_MAX; i++) {
        fil_free(chain->buffers[i]);
    }
}

/** Runs one step on the record in front of it; false: nothing goes on from here. */
static bool run_step(struct chain *chain, uint32_t number)
{
    const struct fil_chain_step *step = &chain->config->steps[number];
    const void *record = chain->records[number];
    chain->records[number + 1] = chain->buffers[number];
    switch (step->kind) {
    case FIL_CHAIN_MAP:
        step->map(step->context, record, chain->buffers[number]);
        return true;
    case FIL_CHAIN_FILTER:
        chain->records[number + 1] = record;
        return step->keep(step->context, record);
    case FIL_CHAIN_FLAT_MAP:
        if (!step->next(step->context, record, chain->indexes[number], chain->buffers[number])) {
            return false;
        }
        chain->indexes[number]++;
        return true;
    }
    return false;
}

/** The last flat map in front of a step that may have more; count: none. */
static uint32_t step_back(struct chain *chain, uint32_t number)
{
    while (number > 0) {
        number--;
        if (chain->config->steps[number].kind == FIL_CHAIN_FLAT_MAP) {
            return number;
        }
    }
    return chain->config->count;
}

/** Goes on from a step to the next result; false when the record has no more. */
static bool find_result(struct chain *chain, uint32_t number)
{
    uint32_t count = chain->config->count;
    while (number < count) {
        if (run_step(chain, number)) {
            number++;
            if (number == count) {
                return true;
            }
            if (chain->config->steps[number].kind == FIL_CHAIN_FLAT_MAP) {
                chain->indexes[number] = 0;
            }
        } else {
            number = step_back(chain, number);
        }
    }
    return false;
}

static bool emit(struct chain *chain, struct fil_processor_context *context,
                 struct fil_batch *batch, uint32_t position)
{
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    void *room = fil_outbox_reserve(&context->outbox, 0, stride);
    if (room == NULL) {
        return false;
    }
    memcpy(room, chain->records[chain->config->count], stride);
    fil_outbox_commit(&context->outbox, 0, stride, fil_batch_time(batch, position),
                      fil_batch_hash(batch, position));
    return true;
}

/** All results of a record; false when there is no room for the next. */
static bool run_record(struct chain *chain, struct fil_processor_context *context,
                       struct fil_batch *batch, uint32_t position)
{
    uint32_t count = chain->config->count;
    if (!chain->has_result) {
        chain->records[0] = fil_batch_record(batch, position);
        chain->indexes[0] = 0;
        chain->has_result = find_result(chain, 0);
    }
    while (chain->has_result) {
        if (!emit(chain, context, batch, position)) {
            return false;
        }
        chain->has_result = find_result(chain, step_back(chain, count));
    }
    return true;
}

static uint32_t smallest(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t less = a < b ? a : b;
    return less < c ? less : c;
}

/** The columns of what is left, from the records that it comes from. */
static void commit_block(struct chain *chain, struct fil_processor_context *context,
                         struct fil_batch *batch, uint32_t first)
{
    const struct fil_block *block = &chain->block;
    int64_t *times = fil_outbox_times(&context->outbox, 0);
    uint64_t hashes[FIL_BATCH_RECORDS];
    bool has_hashes = batch->hashes_at != 0;
    for (uint32_t i = 0; times != NULL && i < block->count; i++) {
        times[i] = fil_batch_time(batch, first + block->origins[i]);
    }
    for (uint32_t i = 0; has_hashes && i < block->count; i++) {
        hashes[i] = fil_batch_hash(batch, first + block->origins[i]);
    }
    fil_outbox_commit_many(&context->outbox, 0, block->count, times, has_hashes ? hashes : NULL);
}

static int process_blocks(struct chain *chain, struct fil_processor_context *context,
                          struct fil_inbox *inbox)
{
    while (inbox->position < inbox->limit) {
        uint32_t room_count = 0;
        void *room = fil_outbox_reserve_many(&context->outbox, 0, &room_count);
        if (room == NULL) {
            return FIL_E_FULL;
        }
        // Records of their own sizes lie apart: one at a time.
        bool is_together = inbox->batch->stride != 0;
        uint32_t most = is_together ? FIL_BATCH_RECORDS : 1;
        uint32_t count = smallest(room_count, most, inbox->limit - inbox->position);
        fil_block_run(&chain->block, fil_batch_record(inbox->batch, inbox->position),
                      fil_batch_record_size(inbox->batch, inbox->position), count, room);
        commit_block(chain, context, inbox->batch, inbox->position);
        inbox->position += count;
    }
    return FIL_OK;
}

static int chain_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    if (((struct chain *)self)->is_block) {
        return process_blocks(self, context, inbox);
    }
    for (; inbox->position < inbox->limit; inbox->position++) {
        if (!run_record(self, context, inbox->batch, inbox->position)) {
            return FIL_E_FULL;
        }
    }
    return FIL_OK;
}

const struct fil_processor_ops fil_chain_ops = {.name = "chain",
                                                .size = sizeof(struct chain),
                                                .init = chain_init,
                                                .process = chain_process,
                                                .close = chain_close};
