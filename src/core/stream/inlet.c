// SPDX-License-Identifier: Apache-2.0
#include "core/stream/inlet.h"

#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

int fil_compare_u64(const void *context, const void *a, const void *b)
{
    (void)context;
    uint64_t first;
    uint64_t second;
    memcpy(&first, a, sizeof(first));
    memcpy(&second, b, sizeof(second));
    return (first > second) - (first < second);
}

int fil_inlet_init(struct fil_inlet *inlet, const struct fil_edge *edge, uint32_t source_count)
{
    *inlet = (struct fil_inlet){.edge = edge, .source_count = source_count};
    if (source_count == 0) {
        return FIL_OK;
    }
    inlet->sources = fil_alloc_zero(source_count, sizeof(*inlet->sources));
    return inlet->sources == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_inlet_fini(struct fil_inlet *inlet)
{
    for (uint32_t i = 0; inlet->sources != NULL && i < inlet->source_count; i++) {
        if (inlet->sources[i].head != NULL) {
            fil_batch_unref(inlet->sources[i].head);
        }
    }
    fil_free(inlet->sources);
    inlet->sources = NULL;
}

void fil_inlet_release(struct fil_inlet *inlet)
{
    for (uint32_t i = 0; i < inlet->source_count; i++) {
        inlet->sources[i].is_held = false;
        inlet->sources[i].has_barrier = false;
    }
}

static bool is_open(const struct fil_inlet_source *source)
{
    return !source->is_ended && !source->is_held;
}

static struct fil_batch *take_plain(struct fil_inlet *inlet, uint32_t *out_source)
{
    for (uint32_t i = 0; i < inlet->source_count; i++) {
        uint32_t index = inlet->next;
        inlet->next = index + 1 == inlet->source_count ? 0 : index + 1;
        if (!is_open(&inlet->sources[index])) {
            continue;
        }
        struct fil_batch *batch = fil_ring_take(inlet->sources[index].ring);
        if (batch != NULL) {
            *out_source = index;
            return batch;
        }
    }
    return NULL;
}

/**
 * Gives every open ring a batch to merge from. Returns a mark that stands in the way, NULL
 * otherwise; *out_is_complete tells whether all have one.
 */
static struct fil_batch *fill_heads(struct fil_inlet *inlet, uint32_t *out_source,
                                    bool *out_is_complete)
{
    *out_is_complete = true;
    for (uint32_t i = 0; i < inlet->source_count; i++) {
        struct fil_inlet_source *source = &inlet->sources[i];
        if (!is_open(source) || source->head != NULL) {
            continue;
        }
        struct fil_batch *batch = fil_ring_take(source->ring);
        if (batch == NULL) {
            *out_is_complete = false;
        } else if (batch->kind != FIL_BATCH_DATA) {
            *out_source = i;
            return batch;
        } else {
            source->head = batch;
            source->position = 0;
        }
    }
    return NULL;
}

static struct fil_inlet_source *smallest(struct fil_inlet *inlet)
{
    struct fil_inlet_source *first = NULL;
    for (uint32_t i = 0; i < inlet->source_count; i++) {
        struct fil_inlet_source *source = &inlet->sources[i];
        if (source->head == NULL) {
            continue;
        }
        if (first == NULL ||
            inlet->edge->merge(inlet->edge->merge_context,
                               fil_batch_record(source->head, source->position),
                               fil_batch_record(first->head, first->position)) < 0) {
            first = source;
        }
    }
    return first;
}

/** Moves the smallest record; false when the batch is full or its ring has to be looked at. */
static bool merge_one(struct fil_inlet_source *source, struct fil_batch *to)
{
    uint64_t hash = fil_batch_hash(source->head, source->position);
    if (!fil_batch_copy(to, source->head, source->position, hash)) {
        return false;
    }
    source->position++;
    if (source->position < source->head->count) {
        return true;
    }
    fil_batch_unref(source->head);
    source->head = NULL;
    return false;
}

static struct fil_batch *merge(struct fil_inlet *inlet, struct fil_batch_pools *pools,
                               uint32_t *out_source, int *out_error)
{
    struct fil_inlet_source *source = smallest(inlet);
    if (source == NULL) {
        return NULL;
    }
    uint32_t size = fil_batch_record_size(source->head, source->position);
    struct fil_batch *merged = fil_batch_new(pools, &inlet->edge->layout, size);
    if (merged == NULL) {
        *out_error = FIL_E_NOMEM;
        return NULL;
    }
    *out_source = (uint32_t)(source - inlet->sources);
    while (source != NULL && merge_one(source, merged)) {
        source = smallest(inlet);
    }
    fil_assert(merged->count > 0);
    return merged;
}

struct fil_batch *fil_inlet_take(struct fil_inlet *inlet, struct fil_batch_pools *pools,
                                 uint32_t *out_source, int *out_error)
{
    if (inlet->edge->merge == NULL) {
        return take_plain(inlet, out_source);
    }
    bool is_complete = false;
    struct fil_batch *mark = fill_heads(inlet, out_source, &is_complete);
    if (mark != NULL || !is_complete) {
        return mark;
    }
    return merge(inlet, pools, out_source, out_error);
}
