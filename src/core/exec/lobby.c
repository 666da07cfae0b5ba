// SPDX-License-Identifier: Apache-2.0
#include "core/exec/lobby.h"

#include "lib/base/assert.h"

void fil_lobby_init(struct fil_lobby *lobby)
{
    atomic_init(&lobby->count, 0);
    fil_mutex_init(&lobby->mutex);
    fil_list_init(&lobby->guests);
}

void fil_lobby_fini(struct fil_lobby *lobby)
{
    fil_assert(fil_list_is_empty(&lobby->guests));
    fil_mutex_fini(&lobby->mutex);
}

void fil_lobby_enter(struct fil_lobby *lobby, struct fil_guest *guest, fil_guest_fn call)
{
    fil_list_init(&guest->link);
    guest->call = call;
    // Counted first: who makes room while we are on the way in finds nobody, but we look after it.
    atomic_fetch_add_explicit(&lobby->count, 1, memory_order_seq_cst);
    fil_mutex_lock(&lobby->mutex);
    fil_list_push_back(&lobby->guests, &guest->link);
    fil_mutex_unlock(&lobby->mutex);
}

bool fil_lobby_leave(struct fil_lobby *lobby, struct fil_guest *guest)
{
    fil_mutex_lock(&lobby->mutex);
    bool was_there = fil_list_is_linked(&guest->link);
    fil_list_remove(&guest->link);
    fil_mutex_unlock(&lobby->mutex);
    if (was_there) {
        // Relaxed: who sees it late looks in vain.
        atomic_fetch_sub_explicit(&lobby->count, 1, memory_order_relaxed);
    }
    return was_there;
}

/** Under the mutex; somebody is there. */
static void call_first(struct fil_lobby *lobby)
{
    struct fil_list *link = lobby->guests.next;
    struct fil_guest *guest = FIL_CONTAINER_OF(link, struct fil_guest, link);
    fil_list_remove(link); // before the call: the guest may go with it
    guest->call(guest);
}

uint32_t fil_lobby_call(struct fil_lobby *lobby, uint32_t limit)
{
    uint32_t count = 0;
    fil_mutex_lock(&lobby->mutex);
    while (count < limit && !fil_list_is_empty(&lobby->guests)) {
        call_first(lobby);
        count++;
    }
    fil_mutex_unlock(&lobby->mutex);
    // Relaxed: as in leave.
    atomic_fetch_sub_explicit(&lobby->count, count, memory_order_relaxed);
    return count;
}

void fil_lobby_admit(struct fil_lobby *lobby, fil_lobby_take_fn take, void *context)
{
    uint32_t count = 0;
    if (FIL_LIKELY(fil_lobby_is_empty(lobby))) {
        return;
    }
    fil_mutex_lock(&lobby->mutex);
    while (!fil_list_is_empty(&lobby->guests) && take(context)) {
        call_first(lobby);
        count++;
    }
    fil_mutex_unlock(&lobby->mutex);
    // Relaxed: as in leave.
    atomic_fetch_sub_explicit(&lobby->count, count, memory_order_relaxed);
}
