// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/http2_memory.h"

#include <stdint.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

/** In front of each block: nghttp2 does not say how large what it frees is. */
struct header {
    _Alignas(max_align_t) size_t size; // with the header
};

static struct header *header_of(void *block)
{
    return (struct header *)block - 1;
}

static bool charge(struct fil_http2_memory *memory, size_t bytes)
{
    if (bytes > memory->limit_bytes - memory->used_bytes ||
        !fil_budget_draw(memory->budget, bytes)) {
        return false;
    }
    memory->used_bytes += bytes;
    return true;
}

static void credit(struct fil_http2_memory *memory, size_t bytes)
{
    fil_assert(memory->used_bytes >= bytes);
    fil_budget_return(memory->budget, bytes);
    memory->used_bytes -= bytes;
}

static void free_block(void *block, void *context)
{
    if (block != NULL) {
        struct header *header = header_of(block);
        credit(context, header->size);
        fil_free(header);
    }
}

static void *resize(void *block, size_t size, void *context)
{
    struct fil_http2_memory *memory = context;
    struct header *old = block == NULL ? NULL : header_of(block);
    size_t before = old == NULL ? 0 : old->size;
    if (size > memory->limit_bytes) {
        return NULL;
    }
    size_t after = size + sizeof(*old);
    if (after <= before) {
        return block; // it goes soon, with all of its session
    }
    if (!charge(memory, after - before)) {
        return NULL;
    }
    struct header *header = fil_realloc(old, after);
    if (header == NULL) {
        credit(memory, after - before);
        return NULL;
    }
    header->size = after;
    return header + 1;
}

static void *take(size_t size, void *context)
{
    return resize(NULL, size, context);
}

static void *take_zeroed(size_t count, size_t size, void *context)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    void *block = resize(NULL, count * size, context);
    if (block != NULL) {
        memset(block, 0, count * size);
    }
    return block;
}

void fil_http2_memory_init(struct fil_http2_memory *memory, struct fil_budget *budget,
                           size_t limit_bytes)
{
    *memory = (struct fil_http2_memory){.budget = budget, .limit_bytes = limit_bytes};
    memory->ops = (nghttp2_mem){.mem_user_data = memory,
                                .malloc = take,
                                .free = free_block,
                                .calloc = take_zeroed,
                                .realloc = resize};
}
