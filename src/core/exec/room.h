// SPDX-License-Identifier: Apache-2.0
/**
 * Where threads that may block wait until a bounded queue has room again.
 *
 *   waiter                                 who frees
 *   ------                                 ---------
 *   enter: I am here                       make room
 *   try once more                          is somebody here? then wake
 *   sleep
 *
 * As with the parker, both sides write before they look and all four steps are sequentially
 * consistent, so at least one sees the other.
 *
 * Threads: many wait, many free. I/O loops, acceptors, partition and event threads never wait, and
 *          nobody does inside an operation.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "lib/os/env.h"

struct fil_room {
    _Atomic uint32_t waiter_count;
    _Atomic uint32_t turn; // changes with each wake-up
};

/** FIL_E_FULL as long as there is no room; anything else ends the wait. */
typedef int (*fil_room_try_fn)(void *context);

void fil_room_init(struct fil_room *room);

/** Whether the calling thread may sleep at all. */
FIL_ANY_THREAD bool fil_room_may_wait(void);

/**
 * Calls attempt until it answers something else than FIL_E_FULL or the time is over; between two
 * attempts it sleeps until room is made. Returns the last answer. The attempt's look must be
 * sequentially consistent.
 */
int fil_room_await(struct fil_room *room, struct fil_env *env, uint64_t timeout_ns,
                   fil_room_try_fn attempt, void *context) FIL_NODISCARD;

/** Wakes those who wait. */
void fil_room__wake(struct fil_room *room);

/** Room was made by a sequentially consistent step. */
FIL_ANY_THREAD static inline void fil_room_made(struct fil_room *room)
{
    if (FIL_UNLIKELY(atomic_load_explicit(&room->waiter_count, memory_order_seq_cst) != 0)) {
        fil_room__wake(room);
    }
}
