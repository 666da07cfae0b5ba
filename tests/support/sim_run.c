// SPDX-License-Identifier: Apache-2.0
/** The driver: turns for every stage in a drawn order, and the clock when nobody has work. */
#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "tests/support/sim_env_internal.h"

/** Faults that kept somebody from work, and arrivals that some stage has not seen yet. */
static uint64_t count_happenings(const struct fil_sim *sim)
{
    return sim->fault_count + sim->arrival_count;
}

/** Whether the round moved anything, or something happened that the next one may move. */
static bool run_round(struct fil_sim *sim, const struct fil_sim_cycle *cycles, uint32_t count)
{
    uint32_t order[FIL_SIM_CYCLES_MAX];
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    fil_prng_shuffle(&sim->schedule, order, count, sizeof(order[0]));

    uint64_t happenings = count_happenings(sim);
    uint64_t moved = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (fil_sim__strikes(sim, FIL_SIM_FAULT_CYCLE_SKIPPED, (int)order[i])) {
            continue;
        }
        const struct fil_sim_cycle *cycle = &cycles[order[i]];
        uint32_t moved_now = cycle->cycle(cycle->context);
        sim->step_count++;
        fil_sim__trace(sim, FIL_SIM_ACTION_CYCLE, order[i], moved_now, 0);
        moved += moved_now;
        if (sim->options.cycle_ns.max > 0) {
            fil_sim_advance(sim, fil_sim_draw(sim, sim->options.cycle_ns));
        }
    }
    return moved > 0 || count_happenings(sim) != happenings;
}

static uint64_t end_of_run_ns(const struct fil_sim *sim, const struct fil_sim_until *until)
{
    bool is_limited = until->time_max_ns != 0 && until->time_max_ns < FIL_SIM_NEVER - sim->now_ns;
    return is_limited ? sim->now_ns + until->time_max_ns : FIL_SIM_NEVER;
}

/** When a stage has something to do though nothing happens; it has had its turn just now. */
static uint64_t next_turn_ns(const struct fil_sim *sim, const struct fil_sim_cycle *cycles,
                             uint32_t count)
{
    uint64_t next_ns = FIL_SIM_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        if (cycles[i].next_ns != NULL) {
            next_ns = fil_min_u64(next_ns, cycles[i].next_ns(cycles[i].context));
        }
    }
    // A cycle takes time: what was not due in its turn may be by now.
    return next_ns > sim->now_ns ? next_ns : sim->now_ns + 1;
}

/** Moves the clock to the next event; false when there is none before the end. */
static bool step_time(struct fil_sim *sim, uint64_t turn_ns, uint64_t end_ns)
{
    // Cycles take time: a timeout may have passed after its owner's turn.
    if (fil_sim__pollers_have_expired(sim) || fil_sim__timers_have_expired(sim)) {
        return true;
    }
    uint64_t next_ns = fil_min_u64(fil_sim_next_event_ns(sim), turn_ns);
    if (next_ns == FIL_SIM_NEVER) {
        // A stage may have left an event for its next turn although it moved nothing.
        return fil_sim__pollers_are_ready(sim);
    }
    if (next_ns > end_ns) {
        fil_sim_advance_to(sim, end_ns);
        return false;
    }
    fil_sim_advance_to(sim, next_ns);
    return true;
}

static bool is_met(const struct fil_sim_until *until)
{
    return until->is_met != NULL && until->is_met(until->context);
}

int fil_sim_run(struct fil_sim *sim, const struct fil_sim_cycle *cycles, uint32_t count,
                const struct fil_sim_until *until)
{
    fil_assert(count > 0);
    fil_assert(count <= FIL_SIM_CYCLES_MAX);
    uint64_t step_limit = until->step_count_max == 0 ? FIL_SIM_STEPS_MAX : until->step_count_max;
    uint64_t end_ns = end_of_run_ns(sim, until);

    uint64_t steps = 0;
    while (!is_met(until)) {
        if (steps >= step_limit) {
            return FIL_E_LIMIT;
        }
        steps += count;
        bool is_active = run_round(sim, cycles, count) ||
                         step_time(sim, next_turn_ns(sim, cycles, count), end_ns);
        if (!is_active || sim->now_ns >= end_ns) {
            return is_met(until) || until->is_met == NULL ? FIL_OK : FIL_E_TIMEOUT;
        }
    }
    return FIL_OK;
}
