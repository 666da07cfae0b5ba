// SPDX-License-Identifier: Apache-2.0
/**
 * Where the owner of a stage sleeps, and how others wake it: only when it is parked, and at most
 * once for each sleep however many wake it.
 *
 *   owner                                  producer
 *   -----                                  --------
 *   prepare: I am about to park            push work
 *   look at the queues once more           is the owner parked? then wake it
 *   park (or cancel when there is work)
 *
 * The two looks are sequentially consistent, as are the queues' push and is_empty: at least one
 * of the sides sees the other.
 *
 * Progress: wake is wait-free but for the system call it may make.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "lib/os/env.h"

struct fil_parker {
    // Written by init; the poller is NULL for a parker that sleeps on a futex.
    struct fil_env *env;
    struct fil_poller *poller;
    bool is_eager; // wake makes its system call also when nobody sleeps: to show what that costs

    // Shared.
    _Atomic uint32_t state;
    _Atomic uint64_t wake_count; // wake-ups that needed a system call
};

/** Sleeps on a futex. */
void fil_parker_init(struct fil_parker *parker);

/** For a stage that sleeps in its poller: wake() ends the poller's wait. */
void fil_parker_init_poller(struct fil_parker *parker, struct fil_env *env,
                            struct fil_poller *poller);

/** Owner: announces the sleep. Look at the queues again after it, then park or cancel. */
void fil_parker_prepare(struct fil_parker *parker);

/** Owner: there is work after all, or the sleep is over. */
void fil_parker_cancel(struct fil_parker *parker);

/** Owner, futex only: sleeps until woken or the time is over (or for no reason), then cancels. */
void fil_parker_park(struct fil_parker *parker, int64_t timeout_ns);

/** Wakes the owner if it is parked; returns whether a system call was made. */
FIL_ANY_THREAD bool fil_parker_wake(struct fil_parker *parker);
