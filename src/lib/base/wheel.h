// SPDX-License-Identifier: Apache-2.0
/**
 * Hierarchical timing wheel: many timers, each armed and disarmed in constant time.
 *
 * Four levels of 64 slots; a tick is about a millisecond (2^20 ns). A timer never fires early and
 * at most one tick late, as seen by the times the owner passes in: the wheel has no clock. Timers
 * beyond the last level (about five hours) wait there and are filed again.
 *
 * Memory:  intrusive; the wheel borrows the timers and never allocates.
 * Threads: whoever owns the wheel.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/list.h"

#define FIL_WHEEL_LEVELS     4U
#define FIL_WHEEL_SLOTS      64U
#define FIL_WHEEL_TICK_SHIFT 20U
#define FIL_WHEEL_NEVER      UINT64_MAX

struct fil_timer {
    struct fil_list link;
    uint64_t deadline_ns;
    uint16_t slot; // index of its slot over all levels while armed
};

struct fil_wheel {
    uint64_t tick;  // all ticks before this one have fired
    uint32_t count; // armed timers
    uint64_t occupied[FIL_WHEEL_LEVELS];
    struct fil_list slots[FIL_WHEEL_LEVELS][FIL_WHEEL_SLOTS];
    struct fil_list due; // taken out of their slots, waiting for fil_wheel_take
};

void fil_wheel_init(struct fil_wheel *wheel, uint64_t now_ns);

void fil_timer_init(struct fil_timer *timer);

static inline bool fil_timer_is_armed(const struct fil_timer *timer)
{
    return fil_list_is_linked(&timer->link);
}

/** Arms, or moves an armed timer to another time. */
void fil_wheel_arm(struct fil_wheel *wheel, struct fil_timer *timer, uint64_t deadline_ns);

/** Harmless when the timer is not armed. */
void fil_wheel_disarm(struct fil_wheel *wheel, struct fil_timer *timer);

/**
 * Takes one timer whose time has come, or NULL when there is none left. Call it in a loop; the
 * work between two calls is bounded, and the timer may be armed again at once.
 */
struct fil_timer *fil_wheel_take(struct fil_wheel *wheel, uint64_t now_ns);

/** When to look again at the latest; FIL_WHEEL_NEVER when nothing is armed. May be early. */
uint64_t fil_wheel_next_ns(const struct fil_wheel *wheel);
