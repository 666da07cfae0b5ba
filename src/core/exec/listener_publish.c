// SPDX-License-Identifier: Apache-2.0
/** How events get into a listener's lanes, and what there is room for. */
#include "core/exec/lane_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

static struct fil_lane *lane_of(struct fil_listener *listener, uint32_t order_key)
{
    return &listener->lanes[order_key % listener->lane_count];
}

struct attempt {
    struct fil_lane *lane;
    bool must_schedule;
};

static int reserve_again(void *context)
{
    struct attempt *attempt = context;
    return fil_lane__reserve(attempt->lane, &attempt->must_schedule);
}

/** The lane is full: waits where that is wanted and allowed; counts the drop if it comes to one. */
static FIL_COLD int reserve_slowly(struct fil_lane *lane, enum fil_publish how,
                                   bool *out_must_schedule)
{
    struct fil_events *events = lane->listener->events;
    uint64_t timeout_ns = events->options.put_timeout_ns;
    int error = FIL_E_FULL;
    if (how == FIL_PUBLISH_WAIT && timeout_ns > 0 && fil_room_may_wait()) {
        fil_counter_add_shared(&events->waited_count, 1);
        struct attempt attempt = {.lane = lane};
        error =
            fil_room_await(&lane->room, events->options.env, timeout_ns, reserve_again, &attempt);
        *out_must_schedule = attempt.must_schedule;
    }
    if (error == FIL_E_FULL && how != FIL_PUBLISH_TRY) {
        fil_counter_add_shared(&lane->dropped_count, 1);
        fil_counter_add_shared(&events->dropped_count, 1);
        fil_listener_lose(lane->listener, 1);
    }
    return error;
}

int fil_listener_publish(struct fil_listener *listener, uint32_t order_key, struct fil_event *event,
                         enum fil_publish how)
{
    struct fil_lane *lane = lane_of(listener, order_key);
    bool must_schedule = false;
    int error = fil_lane__reserve(lane, &must_schedule);
    if (FIL_UNLIKELY(error == FIL_E_FULL)) {
        error = reserve_slowly(lane, how, &must_schedule);
    }
    if (FIL_UNLIKELY(error != FIL_OK)) {
        return error;
    }
    fil_lane__push(lane, event);
    if (must_schedule) {
        fil_lane__schedule(lane);
    }
    return FIL_OK;
}

int fil_listener_reserve(struct fil_listener *listener, uint32_t order_key,
                         enum fil_event_place *out_place)
{
    bool must_schedule = false;
    int error = fil_lane__reserve(lane_of(listener, order_key), &must_schedule);
    *out_place = error != FIL_OK ? FIL_EVENT_PLACE_NONE
                 : must_schedule ? FIL_EVENT_PLACE_FIRST
                                 : FIL_EVENT_PLACE_TAKEN;
    return error;
}

void fil_listener_fill(struct fil_listener *listener, uint32_t order_key,
                       enum fil_event_place place, struct fil_event *event)
{
    struct fil_lane *lane = lane_of(listener, order_key);
    fil_assert(place != FIL_EVENT_PLACE_NONE);
    fil_lane__push(lane, event);
    if (place == FIL_EVENT_PLACE_FIRST) {
        fil_lane__schedule(lane);
    }
}

void fil_listener_give_up(struct fil_listener *listener, uint32_t order_key,
                          enum fil_event_place place)
{
    fil_assert(place != FIL_EVENT_PLACE_NONE);
    fil_lane__unreserve(lane_of(listener, order_key), place == FIL_EVENT_PLACE_FIRST);
}

struct fil_lobby *fil_listener_lobby(struct fil_listener *listener, uint32_t order_key)
{
    return &lane_of(listener, order_key)->lobby;
}

/** How many of so many events have no place in the lane as it is; none when it is empty. */
static uint32_t count_missing(uint64_t word, uint32_t count)
{
    uint32_t queued = fil_lane__queued(word);
    uint32_t free = fil_lane__granted(word) - queued;
    return (word & FIL_LANE_CLOSED) != 0 || queued == 0 || free >= count ? 0 : count - free;
}

bool fil_listener_is_full(const struct fil_listener *listener, uint32_t order_key, uint32_t count)
{
    const struct fil_lane *lane = &listener->lanes[order_key % listener->lane_count];
    // W1 pairs with W2: sequentially consistent, for who has entered the lobby before.
    return count_missing(atomic_load_explicit(&lane->word, memory_order_seq_cst), count) > 0;
}

bool fil_listener_has_room(const struct fil_listener *listener, uint32_t order_key, uint32_t count,
                           uint64_t *credit)
{
    const struct fil_lane *lane = &listener->lanes[order_key % listener->lane_count];
    // Relaxed: a guess.
    uint64_t word = atomic_load_explicit(&lane->word, memory_order_relaxed);
    uint32_t missing = count_missing(word, count);
    if (FIL_UNLIKELY(missing > *credit || missing > lane->max - fil_lane__granted(word))) {
        return false;
    }
    *credit -= missing;
    return true;
}

uint32_t fil_listener_room(const struct fil_listener *listener, uint32_t order_key,
                           uint64_t *credit)
{
    const struct fil_lane *lane = &listener->lanes[order_key % listener->lane_count];
    // Relaxed: a guess.
    uint64_t word = atomic_load_explicit(&lane->word, memory_order_relaxed);
    uint32_t queued = fil_lane__queued(word);
    uint32_t granted = fil_lane__granted(word);
    if (FIL_UNLIKELY((word & FIL_LANE_CLOSED) != 0)) {
        return UINT32_MAX;
    }
    if (FIL_LIKELY(queued < granted)) {
        return granted - queued;
    }
    uint64_t share = fil_min_u64(fil_events__share(listener->events, *credit), *credit);
    uint32_t drawn = (uint32_t)fil_min_u64(share, lane->max - granted);
    *credit -= drawn;
    return drawn;
}
