// SPDX-License-Identifier: Apache-2.0
#include "errand.h"

#include <string.h>

#include "lib/base/assert.h"

void lab_errand_pool_init(struct fil_pool *pool, struct fil_budget *budget)
{
    fil_pool_init(pool, budget, sizeof(struct lab_errand), LAB_ERRANDS_KEPT);
}

static struct fil_bytes copy(uint8_t *room, struct fil_bytes bytes)
{
    if (bytes.size > 0) {
        memcpy(room, bytes.data, bytes.size);
    }
    return fil_bytes_make(room, bytes.size);
}

struct lab_errand *lab_errand_new(struct fil_pool *pool, struct lab_wire *wire,
                                  const struct lab_request *request)
{
    fil_assert(request->key.size + request->value.size <= LAB_ERRAND_BYTES);
    struct lab_errand *errand = fil_pool_take(pool);
    fil_assert(errand != NULL); // the generator bounds them
    errand->link.next = NULL;
    fil_list_init(&errand->line_link);
    errand->wire = wire;
    errand->request = *request;
    errand->request.key = copy(errand->words, request->key);
    errand->request.value = copy(errand->words + request->key.size, request->value);
    errand->is_back = false;
    fil_output_init(&errand->reply);
    fil_list_push_back(&wire->line, &errand->line_link);
    return errand;
}

void lab_errand_run(struct lab_errand *errand, struct lab_keyspace *keyspace,
                    struct fil_pool *chunks)
{
    errand->reply.pool = chunks;
    lab_keyspace_run(keyspace, &errand->request, &errand->reply);
}

static void take_reply(struct lab_wire *wire, struct lab_errand *errand)
{
    struct fil_bytes slice;
    while (fil_chunk_queue_slices(&errand->reply.queue, &slice, 1) == 1) {
        fil_output_append(&wire->output, slice);
        fil_chunk_queue_consume(&errand->reply.queue, slice.size);
    }
    fil_output_fini(&errand->reply);
}

uint32_t lab_errand_collect(struct lab_errand *errand, struct fil_pool *pool)
{
    struct lab_wire *wire = errand->wire;
    fil_assert(!errand->is_back);
    errand->is_back = true;
    uint32_t count = 0;
    while (!fil_list_is_empty(&wire->line)) {
        struct lab_errand *first = FIL_CONTAINER_OF(wire->line.next, struct lab_errand, line_link);
        if (!first->is_back) {
            break;
        }
        fil_list_remove(&first->line_link);
        take_reply(wire, first);
        fil_pool_give(pool, first);
        count++;
    }
    return count;
}
