// SPDX-License-Identifier: Apache-2.0
#include "core/exec/race.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>

#include "core/exec/cell_internal.h"
#include "lib/base/assert.h"

// The word: how many are still running, and above them how many have finished.
#define RUNNING_MASK 0xFFFFU
#define FINISHED_ONE 0x10000U

struct fil_race {
    // Set by new, then read-only.
    struct fil_promise promise;
    struct fil_pool *pool;

    // Shared.
    _Atomic uint32_t state;
};

static_assert(sizeof(struct fil_race) <= FIL_PROMISE_BLOCK_BYTES, "fits its block");
static_assert(FIL_RACE_RUNNERS_MAX < RUNNING_MASK, "fits its half of the word");

int fil_race_new(struct fil_promise promise, uint32_t runner_count, struct fil_race **out_race)
{
    fil_assert(runner_count > 0);
    fil_assert(runner_count <= FIL_RACE_RUNNERS_MAX);
    struct fil_pool *pool = NULL;
    struct fil_race *race = fil_cell__block_new(&pool);
    if (race == NULL) {
        return FIL_E_NOMEM;
    }
    race->promise = promise;
    race->pool = pool;
    atomic_init(&race->state, runner_count);
    *out_race = race;
    return FIL_OK;
}

/** One runner less, and the amount more; returns the word before. */
static uint32_t step_out(struct fil_race *race, uint32_t amount)
{
    // R1 pairs with A1, both here: all that the others did with the race is over when the last
    // one frees it.
    uint32_t before = atomic_fetch_add_explicit(&race->state, amount - 1, memory_order_acq_rel);
    fil_assert((before & RUNNING_MASK) > 0); // else a runner came twice
    return before;
}

static void free_if_last(struct fil_race *race, uint32_t before)
{
    if ((before & RUNNING_MASK) == 1) {
        fil_cell__block_free(race->pool, race);
    }
}

bool fil_race_finish(struct fil_race *race, struct fil_result result)
{
    struct fil_promise promise = race->promise; // the race may be gone after the step
    uint32_t before = step_out(race, FINISHED_ONE);
    free_if_last(race, before);
    if (before >= FINISHED_ONE) {
        fil_result_destroy(result);
        return false;
    }
    (void)fil_promise_complete(promise, result);
    return true;
}

void fil_race_leave(struct fil_race *race)
{
    struct fil_promise promise = race->promise;
    uint32_t before = step_out(race, 0);
    free_if_last(race, before);
    if (before == 1) {
        fil_promise_drop(promise);
    }
}

bool fil_race_is_over(struct fil_race *race)
{
    // Relaxed: a hint that there is no more to win.
    return atomic_load_explicit(&race->state, memory_order_relaxed) >= FINISHED_ONE;
}
