// SPDX-License-Identifier: Apache-2.0
#include "core/exec/listener.h"

#include <stdio.h>

#include "core/exec/lane_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "lib/os/futex.h"

#define NOT_ISOLATED UINT32_MAX
#define BY_FLOOD     (UINT32_C(1) << 31) // isolated by itself, not on demand

/** Fills in what the caller left to the stage; false when the options contradict each other. */
static bool complete_options(const struct fil_events *events, struct fil_listener_options *options)
{
    const struct fil_events_options *stage = &events->options;
    if (options->lane_count == 0) {
        options->lane_count = stage->thread_count;
    }
    if (options->lane_count > FIL_LISTENER_LANES_MAX) {
        return false;
    }
    if (options->lane_reserve == 0) {
        options->lane_reserve = (uint32_t)fil_min_u64(FIL_LISTENER_RESERVE, stage->capacity);
    }
    if (options->lane_max == 0) {
        uint32_t share = stage->capacity / 2 / options->lane_count;
        options->lane_max = (uint32_t)fil_max_u64(share, options->lane_reserve);
    }
    // More than there is at all is no contradiction: the stage's capacity is the limit then.
    options->lane_max = (uint32_t)fil_min_u64(options->lane_max, stage->capacity);
    return options->lane_reserve <= options->lane_max;
}

/** Takes the lanes' reserves from the stage, all or nothing. */
static bool draw_reserves(struct fil_events *events, uint64_t count)
{
    uint32_t wanted = (uint32_t)fil_min_u64(count, UINT32_MAX);
    uint32_t drawn = fil_events__draw(events, wanted);
    if (drawn == count) {
        return true;
    }
    fil_events__give_back(events, drawn);
    fil_counter_add_shared(&events->refused_count, 1);
    return false;
}

size_t fil_listener_bytes(uint32_t lane_count)
{
    return sizeof(struct fil_listener) + lane_count * sizeof(struct fil_lane);
}

static struct fil_listener *allocate(uint32_t lane_count)
{
    return fil_alloc_aligned(FIL_CACHE_LINE, fil_listener_bytes(lane_count));
}

static uint32_t shared_home(const struct fil_listener *listener, uint32_t lane)
{
    return (listener->first_home + lane) % listener->events->options.thread_count;
}

/** Where lane 0 begins: with a lane for each thread the order key chooses the thread. */
static uint32_t choose_home(struct fil_events *events, uint32_t lane_count)
{
    uint32_t thread_count = events->options.thread_count;
    if (lane_count == thread_count) {
        return 0;
    }
    // Relaxed: listeners only take turns.
    return atomic_fetch_add_explicit(&events->next_home, 1, memory_order_relaxed) % thread_count;
}

static void init(struct fil_listener *listener, struct fil_events *events,
                 const struct fil_listener_options *options) FIL_BEFORE_SHARING
{
    listener->events = events;
    listener->ops = options->ops;
    listener->context = options->context;
    (void)snprintf(listener->name, sizeof(listener->name), "%s", options->name); // may cut
    listener->lane_count = options->lane_count;
    listener->first_home = choose_home(events, options->lane_count);
    atomic_init(&listener->ref_count, 2); // the caller's and, until the end, the stage's
    atomic_init(&listener->open_lane_count, options->lane_count);
    atomic_init(&listener->isolated, NOT_ISOLATED);
    for (uint32_t i = 0; i < options->lane_count; i++) {
        struct fil_lane *lane = &listener->lanes[i];
        lane->reserve = options->lane_reserve;
        lane->max = options->lane_max;
        fil_lane__init(lane, listener, i, shared_home(listener, i));
    }
}

int fil_listener_open(struct fil_events *events, const struct fil_listener_options *options,
                      struct fil_listener **out_listener)
{
    fil_assert(options->ops->deliver != NULL);
    fil_assert(options->ops->discard != NULL);
    struct fil_listener_options complete = *options;
    if (!complete_options(events, &complete)) {
        return FIL_E_INVALID;
    }
    uint64_t reserves = (uint64_t)complete.lane_count * complete.lane_reserve;
    if (!draw_reserves(events, reserves)) {
        return FIL_E_LIMIT;
    }
    struct fil_listener *listener = allocate(complete.lane_count);
    if (listener == NULL) {
        fil_events__give_back(events, (uint32_t)reserves);
        return FIL_E_NOMEM;
    }
    init(listener, events, &complete);
    // Relaxed: a figure.
    atomic_fetch_add_explicit(&events->listener_count, 1, memory_order_relaxed);
    *out_listener = listener;
    return FIL_OK;
}

void fil_listener_ref(struct fil_listener *listener)
{
    // Relaxed: the caller has a reference already.
    uint32_t before = atomic_fetch_add_explicit(&listener->ref_count, 1, memory_order_relaxed);
    fil_assert(before > 0);
}

void fil_listener_unref(struct fil_listener *listener)
{
    // Acquire and release: the last one sees all that the others did.
    uint32_t before = atomic_fetch_sub_explicit(&listener->ref_count, 1, memory_order_acq_rel);
    fil_assert(before > 0);
    if (before == 1) {
        for (uint32_t i = 0; i < listener->lane_count; i++) {
            fil_lobby_fini(&listener->lanes[i].lobby);
        }
        fil_free(listener);
    }
}

static void free_isolated(struct fil_events *events, uint32_t index)
{
    fil_assert(index < events->options.isolated_max);
    // Release: pairs with the acquire of the one who claims it next.
    atomic_fetch_and_explicit(&events->isolated, ~(UINT64_C(1) << index), memory_order_release);
}

/** Frees the thread of an isolated listener for another one. */
static void leave_isolation(struct fil_listener *listener)
{
    uint32_t index =
        atomic_exchange_explicit(&listener->isolated, NOT_ISOLATED, memory_order_acq_rel);
    if (index != NOT_ISOLATED) {
        free_isolated(listener->events, index & ~BY_FLOOD);
    }
}

void fil_listener__lane_ended(struct fil_listener *listener)
{
    // E1, both directions: the last one sees what happened in all lanes.
    uint32_t before =
        atomic_fetch_sub_explicit(&listener->open_lane_count, 1, memory_order_acq_rel);
    fil_assert(before > 0);
    if (before > 1) {
        return;
    }
    leave_isolation(listener);
    // Relaxed: a figure, and for fini, which comes after everything.
    atomic_fetch_sub_explicit(&listener->events->listener_count, 1, memory_order_relaxed);
    if (listener->closed != NULL) {
        listener->closed(listener->closed_context);
    }
    // R1 pairs with A1: who waits for the end may free what the listener worked with.
    atomic_store_explicit(&listener->is_closed, 1, memory_order_release);
    fil_futex_wake(&listener->is_closed, UINT32_MAX);
    fil_listener_unref(listener);
}

void fil_listener_close(struct fil_listener *listener, fil_listener_closed_fn closed, void *context)
{
    // Relaxed: whether it is the first; the lanes' words order the rest.
    bool was_closing = atomic_exchange_explicit(&listener->is_closing, true, memory_order_relaxed);
    fil_assert(!was_closing);
    listener->closed = closed;
    listener->closed_context = context;
    // The end may come, and the caller's reference may go with it, before the last close returns.
    fil_listener_ref(listener);
    for (uint32_t i = 0; i < listener->lane_count; i++) {
        fil_lane__close(&listener->lanes[i]);
    }
    fil_listener_unref(listener);
}

int fil_listener_close_wait(struct fil_listener *listener)
{
    if (!fil_room_may_wait()) {
        return FIL_E_WOULD_BLOCK;
    }
    fil_listener_close(listener, NULL, NULL);
    for (;;) {
        // A1 pairs with R1.
        if (atomic_load_explicit(&listener->is_closed, memory_order_acquire) != 0) {
            return FIL_OK;
        }
        int woken = fil_futex_wait(&listener->is_closed, 0, FIL_WAIT_FOREVER);
        fil_assert(woken == FIL_OK || woken == FIL_E_AGAIN);
    }
}

void fil_listener_lose(struct fil_listener *listener, uint64_t count)
{
    fil_drops_count(&listener->events->drops, listener->name, &listener->drops, count);
}

/** Claims one of the isolated threads; NOT_ISOLATED when all are taken. */
static uint32_t claim_isolated(struct fil_events *events)
{
    uint64_t taken = atomic_load_explicit(&events->isolated, memory_order_relaxed);
    for (;;) {
        if (taken == UINT64_MAX) {
            return NOT_ISOLATED;
        }
        uint32_t index = (uint32_t)__builtin_ctzll(~taken);
        if (index >= events->options.isolated_max) {
            return NOT_ISOLATED;
        }
        // Acquire: the thread's handle is as the one before us left it.
        if (atomic_compare_exchange_weak_explicit(&events->isolated, &taken,
                                                  taken | UINT64_C(1) << index,
                                                  memory_order_acquire, memory_order_relaxed)) {
            return index;
        }
    }
}

static void move_lane(struct fil_lane *lane, uint32_t home)
{
    // Relaxed: a thread that has the lane in its hands sends it on at its next turn.
    atomic_store_explicit(&lane->home, home, memory_order_relaxed);
}

/** Starts the claimed thread, unless it runs or the stage does not run threads now. */
static int start_isolated(struct fil_events *events, uint32_t home)
{
    // Acquire: pairs with the release of start.
    bool is_started = atomic_load_explicit(&events->is_started, memory_order_acquire);
    return is_started ? fil_crew_start_member(&events->crew, home) : FIL_OK;
}

/** The mark is BY_FLOOD or 0. */
static int isolate(struct fil_listener *listener, uint32_t mark)
{
    struct fil_events *events = listener->events;
    if (atomic_load_explicit(&listener->isolated, memory_order_relaxed) != NOT_ISOLATED) {
        return FIL_OK;
    }
    uint32_t index = claim_isolated(events);
    if (index == NOT_ISOLATED) {
        return FIL_E_LIMIT;
    }
    uint32_t home = events->options.thread_count + index;
    int error = start_isolated(events, home);
    uint32_t before = NOT_ISOLATED;
    // Release: the thread's handle is seen by who claims it after us. Of threads that serve
    // different lanes of the listener one is first.
    if (error != FIL_OK ||
        !atomic_compare_exchange_strong_explicit(&listener->isolated, &before, index | mark,
                                                 memory_order_release, memory_order_relaxed)) {
        free_isolated(events, index);
        return error;
    }
    fil_counter_add_shared(&events->isolation_count, 1);
    for (uint32_t i = 0; i < listener->lane_count; i++) {
        move_lane(&listener->lanes[i], home);
    }
    return FIL_OK;
}

int fil_listener__isolate(struct fil_listener *listener)
{
    return isolate(listener, BY_FLOOD);
}

bool fil_listener__calm(struct fil_listener *listener)
{
    struct fil_events *events = listener->events;
    uint32_t word = atomic_load_explicit(&listener->isolated, memory_order_relaxed);
    // Acquire and release, as in leave_isolation. Who loses has company that does the same, or
    // somebody wants the listener to stay.
    if (word == NOT_ISOLATED || (word & BY_FLOOD) == 0 ||
        !atomic_compare_exchange_strong_explicit(&listener->isolated, &word, NOT_ISOLATED,
                                                 memory_order_acq_rel, memory_order_relaxed)) {
        return false;
    }
    for (uint32_t i = 0; i < listener->lane_count; i++) {
        uint32_t home = events->options.thread_count + (word & ~BY_FLOOD);
        // Relaxed, as in move_lane; a lane that has been moved meanwhile stays where it is.
        (void)atomic_compare_exchange_strong_explicit(&listener->lanes[i].home, &home,
                                                      shared_home(listener, i),
                                                      memory_order_relaxed, memory_order_relaxed);
    }
    free_isolated(events, word & ~BY_FLOOD);
    fil_counter_add_shared(&events->calm_count, 1);
    return true;
}

/** One that is there because of a flood stays from now on; false: it is not (any more). */
static bool keep_isolated(struct fil_listener *listener)
{
    uint32_t word = atomic_load_explicit(&listener->isolated, memory_order_relaxed);
    // Relaxed: the thread is the listener's before and after.
    return word != NOT_ISOLATED && (word & BY_FLOOD) != 0 &&
           atomic_compare_exchange_strong_explicit(&listener->isolated, &word, word & ~BY_FLOOD,
                                                   memory_order_relaxed, memory_order_relaxed);
}

int fil_listener_isolate(struct fil_listener *listener)
{
    if (atomic_load_explicit(&listener->is_closing, memory_order_relaxed)) {
        return FIL_E_CLOSED;
    }
    return keep_isolated(listener) ? FIL_OK : isolate(listener, 0);
}

void fil_listener_share(struct fil_listener *listener)
{
    for (uint32_t i = 0; i < listener->lane_count; i++) {
        move_lane(&listener->lanes[i], shared_home(listener, i));
    }
    leave_isolation(listener);
}

void fil_listener_read(const struct fil_listener *listener, struct fil_listener_stats *out_stats)
{
    *out_stats = (struct fil_listener_stats){0};
    for (uint32_t i = 0; i < listener->lane_count; i++) {
        const struct fil_lane *lane = &listener->lanes[i];
        // Relaxed: figures.
        uint64_t word = atomic_load_explicit(&lane->word, memory_order_relaxed);
        out_stats->queue_length += fil_lane__queued(word);
        out_stats->delivered_count += fil_counter_read(&lane->delivered_count);
        out_stats->dropped_count += fil_counter_read(&lane->dropped_count);
        out_stats->discarded_count += fil_counter_read(&lane->discarded_count);
        out_stats->slowest_ns =
            fil_max_u64(out_stats->slowest_ns, fil_counter_read(&lane->slowest_ns));
    }
}

const char *fil_listener_name(const struct fil_listener *listener)
{
    return listener->name;
}
