// SPDX-License-Identifier: Apache-2.0
#include "core/exec/lane_internal.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

#define QUANTUM_FIRST 16U

void fil_lane__init(struct fil_lane *lane, struct fil_listener *listener, uint32_t index,
                    uint32_t home)
{
    fil_assert(lane->reserve > 0);
    fil_assert(lane->reserve <= lane->max);
    lane->listener = listener;
    lane->index = index;
    atomic_init(&lane->word, (uint64_t)lane->reserve << 32);
    atomic_init(&lane->sentinel.next, NULL);
    atomic_init(&lane->tail, &lane->sentinel);
    fil_probe_arm(&lane->probe);
    fil_room_init(&lane->room);
    fil_lobby_init(&lane->lobby);
    atomic_init(&lane->home, home);
    lane->head = &lane->sentinel;
    lane->quantum = QUANTUM_FIRST;
}

/** Draws more places for a lane that has none left; false when it may not have more. */
static bool draw_places(struct fil_lane *lane, uint64_t word)
{
    struct fil_events *events = lane->listener->events;
    uint32_t granted = fil_lane__granted(word);
    uint64_t share =
        fil_min_u64(FIL_LANE_STEP, fil_events__share(events, fil_events_credit(events)));
    uint32_t step = (uint32_t)fil_min_u64(share, lane->max - granted);
    uint32_t drawn = step == 0 ? 0 : fil_events__draw(events, step);
    if (drawn == 0) {
        return false;
    }
    if (!atomic_compare_exchange_strong_explicit(&lane->word, &word, word + ((uint64_t)drawn << 32),
                                                 memory_order_seq_cst, memory_order_relaxed)) {
        // The lane has changed: perhaps it has room by now, perhaps it is closed.
        fil_events__give_back(events, drawn);
    }
    return true;
}

int fil_lane__reserve(struct fil_lane *lane, bool *out_must_schedule)
{
    // W1 pairs with W2: sequentially consistent, for the publishers that wait in the room.
    uint64_t word = atomic_load_explicit(&lane->word, memory_order_seq_cst);
    // Lock-free: when this thread goes round again, the word has been changed by another.
    for (;;) {
        if ((word & FIL_LANE_CLOSED) != 0) {
            return FIL_E_CLOSED;
        }
        if (FIL_UNLIKELY(fil_lane__queued(word) >= fil_lane__granted(word))) {
            if (!draw_places(lane, word)) {
                return FIL_E_FULL;
            }
            word = atomic_load_explicit(&lane->word, memory_order_seq_cst);
        } else if (FIL_LIKELY(atomic_compare_exchange_weak_explicit(
                       &lane->word, &word, (word + 1) | FIL_LANE_BUSY, memory_order_seq_cst,
                       memory_order_seq_cst))) {
            // W3 pairs with W2: who takes the lane into its hands sees what its last holder wrote.
            *out_must_schedule = (word & FIL_LANE_BUSY) == 0;
            return FIL_OK;
        }
    }
}

void fil_lane__unreserve(struct fil_lane *lane, bool must_schedule)
{
    // W2 pairs with W1, as in release. It stays busy: whoever has it in his hands lets it go.
    uint64_t before = atomic_fetch_sub_explicit(&lane->word, 1, memory_order_seq_cst);
    fil_assert(fil_lane__queued(before) >= 1);
    fil_assert((before & FIL_LANE_BUSY) != 0);
    fil_room_made(&lane->room);
    fil_lobby_made(&lane->lobby, fil_lane__queued(before) == 1 ? UINT32_MAX : 1);
    if (must_schedule) {
        fil_lane__schedule(lane);
    }
}

static void append(struct fil_lane *lane, struct fil_event *event)
{
    // Relaxed: nobody else knows the event yet, the exchange publishes it.
    atomic_store_explicit(&event->next, NULL, memory_order_relaxed);
    struct fil_event *before = atomic_exchange_explicit(&lane->tail, event, memory_order_acq_rel);
    // R1 pairs with A1: the event is written before it can be reached.
    atomic_store_explicit(&before->next, event, memory_order_release);
}

void fil_lane__push(struct fil_lane *lane, struct fil_event *event)
{
    event->lane = lane->index;
    // Until the event is delivered this tells how many were dropped before it. Relaxed: a
    // publisher has seen its own drops, and there is no order with those of others.
    event->seq = fil_counter_read(&lane->dropped_count);
    fil_probe_mark(&lane->probe, lane->listener->events->options.env, event);
    append(lane, event);
}

void fil_lane__schedule(struct fil_lane *lane)
{
    struct fil_events *events = lane->listener->events;
    // Relaxed: only which thread. One that is not the home any more sends the lane on.
    uint32_t home = atomic_load_explicit(&lane->home, memory_order_relaxed);
    fil_assert(home < events->queue_count);
    (void)fil_stack_push(&events->queues[home].arrivals, &lane->link);
    (void)fil_crew_wake(&events->crew, home);
}

static struct fil_event *next_of(struct fil_event *event)
{
    // A1 pairs with R1.
    return atomic_load_explicit(&event->next, memory_order_acquire);
}

/** The oldest event, or NULL when there is none or it is not linked yet. */
static struct fil_event *take(struct fil_lane *lane) FIL_RUNS_ON(event)
{
    struct fil_event *head = lane->head;
    struct fil_event *next = next_of(head);
    if (head == &lane->sentinel) {
        if (next == NULL) {
            return NULL;
        }
        head = next;
        lane->head = head;
        next = next_of(head);
    }
    if (next == NULL) {
        // Acquire: as A1, for an event of which only the exchange was seen.
        if (atomic_load_explicit(&lane->tail, memory_order_acquire) != head) {
            return NULL;
        }
        // The last event can only be taken when something is behind it.
        append(lane, &lane->sentinel);
        next = next_of(head);
        if (next == NULL) {
            return NULL; // another came in between and is not linked yet
        }
    }
    lane->head = next;
    return head;
}

static void deliver(struct fil_lane *lane, struct fil_event *event) FIL_RUNS_ON(event)
{
    struct fil_listener *listener = lane->listener;
    // Of publishers that raced, the one that saw fewer drops may come later.
    lane->lost_count = fil_max_u64(lane->lost_count, event->seq);
    lane->taken_count++;
    event->seq = lane->taken_count + lane->lost_count;
    listener->ops->deliver(listener->context, event);
}

uint32_t fil_lane__serve(struct fil_lane *lane, struct fil_meter *meter)
{
    // Acquire: what happened before a close is seen by discard.
    uint64_t word = atomic_load_explicit(&lane->word, memory_order_acquire);
    bool is_closed = (word & FIL_LANE_CLOSED) != 0;
    uint32_t limit = (uint32_t)fil_min_u64(fil_lane__queued(word), lane->quantum);
    uint32_t moved = 0;
    struct fil_event *event = NULL;
    while (moved < limit && (event = take(lane)) != NULL) {
        FIL_PREFETCH(lane->head);
        if (fil_probe_is_marked(&lane->probe, event)) {
            fil_probe_record(&lane->probe, meter,
                             fil_env_now_ns(lane->listener->events->options.env));
        }
        if (FIL_UNLIKELY(is_closed)) {
            lane->listener->ops->discard(lane->listener->context, event);
        } else {
            deliver(lane, event);
        }
        moved++;
    }
    fil_counter_add(is_closed ? &lane->discarded_count : &lane->delivered_count, moved);
    return moved;
}

/** The lane is closed, empty and in the caller's hands: from here on it is nobody's. */
static void end_lane(struct fil_lane *lane, uint64_t word)
{
    fil_assert((word & FIL_LANE_CLOSED) != 0);
    fil_assert(fil_lane__queued(word) == 0);
    struct fil_listener *listener = lane->listener;
    fil_events__give_back(listener->events, fil_lane__granted(word));
    fil_listener__lane_ended(listener);
}

/** Lets an empty lane go; false when an event has come. The lane may be freed once it is gone. */
static bool let_go(struct fil_lane *lane, uint64_t word) FIL_RUNS_ON(event)
{
    struct fil_events *events = lane->listener->events;
    uint32_t surplus = fil_lane__granted(word) - lane->reserve;
    uint64_t idle = (uint64_t)lane->reserve << 32;
    fil_probe_arm(&lane->probe);
    // W2 pairs with W3: all that was written to the lane is seen by its next holder.
    if (!atomic_compare_exchange_strong_explicit(&lane->word, &word, idle, memory_order_seq_cst,
                                                 memory_order_relaxed)) {
        return false;
    }
    if (surplus > 0) {
        fil_events__give_back(events, surplus);
    }
    return true;
}

bool fil_lane__release(struct fil_lane *lane, uint32_t moved, uint32_t *out_queued)
{
    // W2 pairs with W1.
    uint64_t before = atomic_fetch_sub_explicit(&lane->word, moved, memory_order_seq_cst);
    fil_assert(fil_lane__queued(before) >= moved);
    if (moved > 0) {
        fil_room_made(&lane->room);
    }
    uint64_t word = before - moved;
    *out_queued = fil_lane__queued(word);
    if (moved > 0) {
        // Some who are called may have no use for it. When none is left in the lane nobody would
        // call the others again.
        fil_lobby_made(&lane->lobby, *out_queued == 0 ? UINT32_MAX : moved);
    }
    while (fil_lane__queued(word) == 0) {
        if ((word & FIL_LANE_CLOSED) != 0) {
            end_lane(lane, word);
            return false;
        }
        if (let_go(lane, word)) {
            return false;
        }
        word = atomic_load_explicit(&lane->word, memory_order_seq_cst);
    }
    fil_probe_arm(&lane->probe);
    return true;
}

void fil_lane__close(struct fil_lane *lane)
{
    uint64_t before = atomic_fetch_or_explicit(&lane->word, FIL_LANE_CLOSED | FIL_LANE_BUSY,
                                               memory_order_seq_cst);
    fil_assert((before & FIL_LANE_CLOSED) == 0);
    if ((before & FIL_LANE_BUSY) != 0) {
        // The thread that has the lane ends it; who waits for room need not wait any more.
        fil_room_made(&lane->room);
        fil_lobby_made(&lane->lobby, UINT32_MAX);
        return;
    }
    end_lane(lane, before | FIL_LANE_CLOSED);
}
