// SPDX-License-Identifier: Apache-2.0
#include "core/exec/room.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/futex.h"

void fil_room_init(struct fil_room *room)
{
    atomic_init(&room->waiter_count, 0);
    atomic_init(&room->turn, 0);
}

bool fil_room_may_wait(void)
{
    return !fil_role_is(&fil_role_acceptor) && !fil_role_is(&fil_role_io) &&
           !fil_role_is(&fil_role_partition) && !fil_role_is(&fil_role_event) &&
           !fil_role_is_in_op();
}

void fil_room__wake(struct fil_room *room)
{
    // Changed before the wake-up: a waiter that read the old turn does not fall asleep any more.
    atomic_fetch_add_explicit(&room->turn, 1, memory_order_seq_cst);
    fil_futex_wake(&room->turn, UINT32_MAX);
}

static int64_t time_left(struct fil_env *env, uint64_t deadline_ns)
{
    uint64_t now_ns = fil_env_now_ns(env);
    return now_ns >= deadline_ns ? 0 : (int64_t)(deadline_ns - now_ns);
}

int fil_room_await(struct fil_room *room, struct fil_env *env, uint64_t timeout_ns,
                   fil_room_try_fn attempt, void *context)
{
    fil_assert(fil_room_may_wait());
    fil_assert(timeout_ns <= INT64_MAX);
    uint64_t deadline_ns = fil_env_now_ns(env) + timeout_ns;
    atomic_fetch_add_explicit(&room->waiter_count, 1, memory_order_seq_cst);
    int error = FIL_OK;
    for (;;) {
        uint32_t turn = atomic_load_explicit(&room->turn, memory_order_seq_cst);
        error = attempt(context);
        int64_t left_ns = error == FIL_E_FULL ? time_left(env, deadline_ns) : 0;
        if (left_ns == 0) {
            break;
        }
        // Woken, too late or for no reason: the next attempt tells.
        int woken = fil_futex_wait(&room->turn, turn, left_ns);
        fil_assert(woken == FIL_OK || woken == FIL_E_AGAIN || woken == FIL_E_TIMEOUT);
    }
    // Relaxed: who sees it late makes a needless wake-up.
    atomic_fetch_sub_explicit(&room->waiter_count, 1, memory_order_relaxed);
    return error;
}
