// SPDX-License-Identifier: Apache-2.0
// What any thread may do with a steward: look at its state, and ask for something.
#include <string.h>

#include "core/stream/steward_internal.h"
#include "lib/base/assert.h"

enum fil_steward_state fil_steward_state(const struct fil_steward *steward)
{
    // A1 pairs with R1.
    return (enum fil_steward_state)atomic_load_explicit(&steward->state, memory_order_acquire);
}

const char *fil_steward_state_name(enum fil_steward_state state)
{
    static const char *const names[] = {
        [FIL_STEWARD_STARTING] = "starting",   [FIL_STEWARD_RUNNING] = "running",
        [FIL_STEWARD_SUSPENDED] = "suspended", [FIL_STEWARD_COMPLETED] = "completed",
        [FIL_STEWARD_FAILED] = "failed",       [FIL_STEWARD_CANCELLED] = "cancelled"};
    fil_assert(state < FIL_COUNT_OF(names));
    return names[state];
}

bool fil_steward_is_over(const struct fil_steward *steward)
{
    enum fil_steward_state state = fil_steward_state(steward);
    return state != FIL_STEWARD_STARTING && state != FIL_STEWARD_RUNNING;
}

bool fil_steward__rouse(struct fil_steward *steward)
{
    uint32_t expected = FIL_STEWARD_SUSPENDED;
    // Acquire and release: in the order of the states that the cycle writes, see R1.
    return atomic_compare_exchange_strong_explicit(&steward->state, &expected, FIL_STEWARD_STARTING,
                                                   memory_order_acq_rel, memory_order_acquire);
}

/**
 * Whoever has resumed a job must not find it SUSPENDED any more: the next suspension would seem to
 * be done at once, and a release would take the job for one that nobody lets run.
 */
static bool resume(struct fil_steward *steward)
{
    uint32_t expected = FIL_STEWARD_SUSPEND;
    // Relaxed: a suspension that was not begun is withdrawn, nothing else hangs on it.
    (void)atomic_compare_exchange_strong_explicit(&steward->request, &expected, FIL_STEWARD_NOTHING,
                                                  memory_order_relaxed, memory_order_relaxed);
    return fil_steward__rouse(steward);
}

/** The last one counts, but a job that was to be cancelled stays so. */
static void put_request(struct fil_steward *steward, enum fil_steward_request request)
{
    uint32_t seen = atomic_load_explicit(&steward->request, memory_order_relaxed);
    // Lock-free: each failure means that another thread has asked or the cycle has taken one. R2
    // pairs with A2: an export's name is written before.
    while (seen != FIL_STEWARD_CANCEL &&
           !atomic_compare_exchange_weak_explicit(&steward->request, &seen, request,
                                                  memory_order_release, memory_order_relaxed)) {
    }
}

void fil_steward_ask(struct fil_steward *steward, enum fil_steward_request request)
{
    fil_assert(request != FIL_STEWARD_NOTHING);
    if (request != FIL_STEWARD_RESUME || !resume(steward)) {
        put_request(steward, request);
    }
    if (steward->options.on_change != NULL) {
        steward->options.on_change(steward->options.context);
    }
}

int fil_steward_export(struct fil_steward *steward, const char *name)
{
    bool has_snapshots = steward->options.guarantee != FIL_GUARANTEE_NONE;
    if (!has_snapshots || !fil_snapshot_name_is_valid(name)) {
        return FIL_E_INVALID;
    }
    uint32_t idle = 0;
    // Acquire and release: one export at a time writes the name.
    if (!atomic_compare_exchange_strong_explicit(&steward->is_exporting, &idle, 1,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        return FIL_E_FULL;
    }
    memcpy(steward->export_name, name, strlen(name) + 1);
    fil_steward_ask(steward, FIL_STEWARD_EXPORT);
    return FIL_OK;
}
