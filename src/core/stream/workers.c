// SPDX-License-Identifier: Apache-2.0
#include "core/stream/workers.h"

#include <stddef.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

static void apply_defaults(struct fil_workers_options *options)
{
    if (options->jobs_max == 0) {
        options->jobs_max = FIL_WORKERS_JOBS_MAX;
    }
    if (options->budget_ns == 0) {
        options->budget_ns = FIL_WORKER_BUDGET_NS;
    }
}

int fil_workers_init(struct fil_workers *workers, const struct fil_workers_options *options)
{
    fil_assert(options->worker_count >= 1 && options->worker_count <= FIL_WORKERS_MAX);
    fil_assert(options->env != NULL && options->budget != NULL);
    *workers = (struct fil_workers){.options = *options};
    apply_defaults(&workers->options);
    workers->slots = fil_alloc_zero(workers->options.jobs_max, sizeof(*workers->slots));
    workers->items =
        fil_alloc_aligned(FIL_CACHE_LINE, options->worker_count * sizeof(struct fil_worker));
    int error = workers->slots == NULL || workers->items == NULL ? FIL_E_NOMEM : FIL_OK;
    for (uint32_t i = 0; error == FIL_OK && i < options->worker_count; i++) {
        error = fil_worker_init(&workers->items[i], workers, i);
        workers->count++;
    }
    if (error != FIL_OK) {
        fil_workers_fini(workers);
    }
    return error;
}

void fil_workers_fini(struct fil_workers *workers)
{
    fil_assert(!workers->is_started);
    for (uint32_t i = 0; i < workers->count; i++) {
        fil_worker_fini(&workers->items[i]);
    }
    workers->count = 0;
    fil_free(workers->items);
    fil_free(workers->slots);
    workers->items = NULL;
    workers->slots = NULL;
}

static void stop_first(struct fil_workers *workers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fil_worker_stop(&workers->items[i]);
    }
}

int fil_workers_start(struct fil_workers *workers)
{
    fil_assert(!workers->is_started);
    for (uint32_t i = 0; i < workers->count; i++) {
        int error = fil_worker_start(&workers->items[i]);
        if (error != FIL_OK) {
            stop_first(workers, i);
            return error;
        }
    }
    workers->is_started = true;
    return FIL_OK;
}

void fil_workers_stop(struct fil_workers *workers)
{
    if (workers->is_started) {
        stop_first(workers, workers->count);
        workers->is_started = false;
    }
}

int fil_workers_claim(struct fil_workers *workers, uint32_t weight, uint32_t *out_slot)
{
    fil_assert(weight >= 1);
    for (uint32_t i = 0; i < workers->options.jobs_max; i++) {
        uint32_t expected = 0;
        // A1 pairs with R1: the job that had the slot before has left it.
        if (atomic_compare_exchange_strong_explicit(&workers->slots[i].weight, &expected, weight,
                                                    memory_order_acq_rel, memory_order_relaxed)) {
            *out_slot = i;
            return FIL_OK;
        }
    }
    return FIL_E_FULL;
}

void fil_workers_release(struct fil_workers *workers, uint32_t slot)
{
    fil_assert(slot < workers->options.jobs_max);
    // R1 pairs with A1.
    uint32_t before =
        atomic_exchange_explicit(&workers->slots[slot].weight, 0, memory_order_acq_rel);
    fil_assert(before != 0);
}

uint32_t fil_workers_weight(const struct fil_workers *workers, uint32_t slot)
{
    // Relaxed: the tasklets of the job come to the worker after its slot was claimed.
    return atomic_load_explicit(&workers->slots[slot].weight, memory_order_relaxed);
}

uint32_t fil_workers_cycle(struct fil_workers *workers)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < workers->count; i++) {
        moved += fil_worker_cycle(&workers->items[i]);
    }
    return moved;
}
