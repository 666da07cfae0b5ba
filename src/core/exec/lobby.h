// SPDX-License-Identifier: Apache-2.0
/**
 * Where those who have no thread to wait with wait until there is room, or until something is over:
 * they are called then. What room.h is for threads.
 *
 *   guest                                  who frees
 *   -----                                  ---------
 *   enter: I am here                       make room
 *   look once more; leave if there is      is somebody here? then call
 *
 * Both sides write before they look and all four steps are sequentially consistent, so at least one
 * sees the other.
 *
 * Order:   who came first is called first, and has left then: once.
 * Memory:  borrows the guests, until they are called or have left.
 * Threads: any. The mutex is a leaf, taken only while somebody waits; a call is made under it, so
 *          that nobody touches a guest any more when leave returns. A call must be short.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "lib/conc/role.h"
#include "lib/os/mutex.h"

struct fil_guest;

/** There is room, or somebody thinks so; the guest may be gone when this returns. */
typedef void (*fil_guest_fn)(struct fil_guest *guest);

struct fil_guest {
    struct fil_list link;
    fil_guest_fn call;
};

struct fil_lobby {
    _Atomic uint32_t count; // guests, and those who are about to enter or have just left
    struct fil_mutex mutex;
    struct fil_list guests; // under the mutex
};

void fil_lobby_init(struct fil_lobby *lobby);

/** Nobody waits there. */
void fil_lobby_fini(struct fil_lobby *lobby);

FIL_ANY_THREAD void fil_lobby_enter(struct fil_lobby *lobby, struct fil_guest *guest,
                                    fil_guest_fn call);

/** Whether it was still there: else it has been called. */
FIL_ANY_THREAD bool fil_lobby_leave(struct fil_lobby *lobby, struct fil_guest *guest);

/** Calls up to so many; returns how many there were. */
FIL_ANY_THREAD uint32_t fil_lobby_call(struct fil_lobby *lobby, uint32_t limit);

/** A place for the first one, by a sequentially consistent step; false: there is none. */
typedef bool (*fil_lobby_take_fn)(void *context);

/**
 * Calls who came first as long as take gets a place for it: nobody is called in vain, and nobody
 * who comes later is faster. Whoever enters calls this afterwards, and so does whoever makes room.
 */
FIL_ANY_THREAD void fil_lobby_admit(struct fil_lobby *lobby, fil_lobby_take_fn take, void *context);

/** Whether nobody waits, nor is about to. */
FIL_ANY_THREAD static inline bool fil_lobby_is_empty(struct fil_lobby *lobby)
{
    return atomic_load_explicit(&lobby->count, memory_order_seq_cst) == 0;
}

/** Room for so many was made by a sequentially consistent step. */
FIL_ANY_THREAD static inline void fil_lobby_made(struct fil_lobby *lobby, uint32_t limit)
{
    if (FIL_UNLIKELY(!fil_lobby_is_empty(lobby))) {
        (void)fil_lobby_call(lobby, limit);
    }
}
