// SPDX-License-Identifier: Apache-2.0
#include "core/stream/block.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

bool fil_block_fits(const struct fil_chain_config *config)
{
    for (uint32_t i = 0; i < config->count; i++) {
        if (config->steps[i].kind == FIL_CHAIN_FLAT_MAP) {
            return false;
        }
    }
    return true;
}

static bool has_function(const struct fil_chain_step *step)
{
    return step->kind == FIL_CHAIN_MAP ? step->map != NULL || step->map_many != NULL
                                       : step->keep != NULL || step->select != NULL;
}

int fil_block_init(struct fil_block *block, const struct fil_chain_config *config)
{
    fil_assert(fil_block_fits(config));
    block->config = config;
    uint32_t widest = 0;
    for (uint32_t i = 0; i < config->count; i++) {
        if (!has_function(&config->steps[i])) {
            return FIL_E_INVALID;
        }
        widest = config->steps[i].stride > widest ? config->steps[i].stride : widest;
    }
    for (uint32_t i = 0; i < 2; i++) {
        block->buffers[i] = fil_alloc_zero(FIL_BATCH_RECORDS, widest);
        if (block->buffers[i] == NULL) {
            return FIL_E_NOMEM;
        }
    }
    return FIL_OK;
}

void fil_block_fini(struct fil_block *block)
{
    for (uint32_t i = 0; i < 2; i++) {
        fil_free(block->buffers[i]);
        block->buffers[i] = NULL;
    }
}

static void run_map(const struct fil_block *block, const struct fil_chain_step *step,
                    const uint8_t *from, uint32_t stride, uint8_t *to)
{
    if (step->map_many != NULL) {
        step->map_many(step->context, from, to, block->count);
        return;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        step->map(step->context, from + (size_t)i * stride, to + (size_t)i * step->stride);
    }
}

/** The numbers of the records to keep; returns how many they are. */
static uint32_t run_select(struct fil_block *block, const struct fil_chain_step *step,
                           const uint8_t *from, uint32_t stride)
{
    if (step->select != NULL) {
        uint32_t selected = step->select(step->context, from, block->count, block->kept);
        fil_assert(selected <= block->count);
        return selected;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        block->kept[count] = i;
        count += step->keep(step->context, from + (size_t)i * stride);
    }
    return count;
}

/** Leaves the kept records one behind the other. */
static void run_filter(struct fil_block *block, const struct fil_chain_step *step,
                       const uint8_t *from, uint32_t stride, uint8_t *to)
{
    fil_assert(stride == step->stride);
    uint32_t count = run_select(block, step, from, stride);
    for (uint32_t i = 0; i < count; i++) {
        fil_debug_assert(block->kept[i] < block->count);
        memcpy(to + (size_t)i * stride, from + (size_t)block->kept[i] * stride, stride);
        block->origins[i] = block->origins[block->kept[i]];
    }
    block->count = count;
}

void fil_block_run(struct fil_block *block, const void *records, uint32_t stride, uint32_t count,
                   void *out)
{
    fil_assert(count <= FIL_BATCH_RECORDS);
    block->count = count;
    for (uint32_t i = 0; i < count; i++) {
        block->origins[i] = i;
    }
    const uint8_t *from = records;
    for (uint32_t i = 0; i < block->config->count; i++) {
        const struct fil_chain_step *step = &block->config->steps[i];
        bool is_last = i + 1 == block->config->count;
        uint8_t *to = is_last ? out : block->buffers[i % 2];
        if (step->kind == FIL_CHAIN_MAP) {
            run_map(block, step, from, stride, to);
        } else {
            run_filter(block, step, from, stride, to);
        }
        stride = step->stride;
        from = to;
    }
}
