// SPDX-License-Identifier: Apache-2.0
#include "lib/conc/parker.h"

#include <stddef.h>

#include "lib/base/assert.h"
#include "lib/os/futex.h"

/**
 *            prepare
 *   AWAKE  ----------->  PARKED
 *     ^                    |
 *     +--------------------+
 *       cancel, or the first wake
 */
enum {
    AWAKE = 0,
    PARKED = 1
};

void fil_parker_init(struct fil_parker *parker)
{
    *parker = (struct fil_parker){0};
    atomic_init(&parker->state, AWAKE);
}

void fil_parker_init_poller(struct fil_parker *parker, struct fil_env *env,
                            struct fil_poller *poller)
{
    fil_assert(env != NULL);
    fil_assert(poller != NULL);
    fil_parker_init(parker);
    parker->env = env;
    parker->poller = poller;
}

void fil_parker_prepare(struct fil_parker *parker)
{
    // P1 pairs with P2: sequentially consistent, so that it comes before the owner's next look at
    // its queues. Either that look sees the push, or the pusher's look (P2) sees this.
    atomic_store_explicit(&parker->state, PARKED, memory_order_seq_cst);
}

void fil_parker_cancel(struct fil_parker *parker)
{
    // Relaxed: who sees it late makes a needless wake-up, and who therefore does not wake has
    // pushed before the owner's next prepare, whose look at the queues will see it.
    atomic_store_explicit(&parker->state, AWAKE, memory_order_relaxed);
}

void fil_parker_park(struct fil_parker *parker, int64_t timeout_ns)
{
    fil_assert(parker->poller == NULL);
    // All answers mean the same here: look at the queues again.
    int result = fil_futex_wait(&parker->state, PARKED, timeout_ns);
    fil_assert(result == FIL_OK || result == FIL_E_AGAIN || result == FIL_E_TIMEOUT);
    fil_parker_cancel(parker);
}

/** The system call that ends the sleep. */
static void end_sleep(struct fil_parker *parker)
{
    // Relaxed: statistics.
    atomic_fetch_add_explicit(&parker->wake_count, 1, memory_order_relaxed);
    if (parker->poller != NULL) {
        parker->env->ops->poller_wake(parker->env, parker->poller);
    } else {
        fil_futex_wake(&parker->state, 1);
    }
}

bool fil_parker_wake(struct fil_parker *parker)
{
    // P2 pairs with P1. A load first: the owner is mostly awake, and then no line changes hands.
    if (FIL_LIKELY(atomic_load_explicit(&parker->state, memory_order_seq_cst) == AWAKE)) {
        if (FIL_UNLIKELY(parker->is_eager)) {
            end_sleep(parker);
        }
        return false;
    }
    // Of several that wake the same sleep the first does it. Relaxed would do for that alone; it
    // is a look at the state like P2, and stays in the same order.
    if (atomic_exchange_explicit(&parker->state, AWAKE, memory_order_seq_cst) == AWAKE) {
        return false;
    }
    end_sleep(parker);
    return true;
}
