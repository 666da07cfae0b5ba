// SPDX-License-Identifier: Apache-2.0
/**
 * The end of listeners, and publishers that wait; one test a promise.
 *
 * Driven from one thread: an idle listener is closed at once; what is queued is discarded and then
 * the end is told, once; a closed listener takes nothing; it may close itself; it is freed with its
 * last reference; who must not block is told so; a flood is moved to a thread of its own when
 * others wait behind it, and back when it has been calm unless it was asked for; drops are counted
 * by the listener's name; a place that was taken is filled or given up, also after a close;
 * listeners share the places that are left; who waits without a thread is called.
 *
 * With threads: a publisher waits for room and gets it; it waits no longer than it may; an I/O
 * thread never waits; a close ends a wait; an isolated listener is served while a shared thread is
 * stuck; after close_wait the listener is never called again; stop delivers what is queued, and
 * what listeners publish then.
 */
#include "core/exec/listener.h"

#include <pthread.h>

#include "core/exec/lane_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/core/exec/hand_clock.h"
#include "tests/unit/harness.h"

#define NOTES   256U
#define LONG_NS UINT64_C(3600000000000) // longer than any test may take

struct note {
    struct fil_event event;
};

static struct hand_clock hand_clock;
static struct fil_events events;
static struct note notes[NOTES];
static _Atomic uint32_t delivered_count;
static _Atomic uint32_t discarded_count;
static _Atomic uint32_t closed_count;

static void deliver(void *context, struct fil_event *event)
{
    (void)context;
    (void)event;
    atomic_fetch_add_explicit(&delivered_count, 1, memory_order_acq_rel);
}

static void discard(void *context, struct fil_event *event)
{
    (void)context;
    (void)event;
    atomic_fetch_add_explicit(&discarded_count, 1, memory_order_acq_rel);
}

static void note_closed(void *context)
{
    (void)context;
    atomic_fetch_add_explicit(&closed_count, 1, memory_order_acq_rel);
}

static uint32_t count_of(_Atomic uint32_t *count)
{
    return atomic_load_explicit(count, memory_order_acquire);
}

static void wait_for(_Atomic uint32_t *count, uint32_t wanted)
{
    while (count_of(count) < wanted) {
        fil_thread_yield();
    }
}

static const struct fil_listener_ops plain_ops = {.deliver = deliver, .discard = discard};

static int init_with(struct fil_env *env, uint64_t timeout_ns)
{
    atomic_store_explicit(&delivered_count, 0, memory_order_relaxed);
    atomic_store_explicit(&discarded_count, 0, memory_order_relaxed);
    atomic_store_explicit(&closed_count, 0, memory_order_relaxed);
    return fil_events_init(&events, &(struct fil_events_options){.env = env,
                                                                 .thread_count = 2,
                                                                 .isolated_max = 1,
                                                                 .capacity = 64,
                                                                 .put_timeout_ns = timeout_ns,
                                                                 .idle = FIL_IDLE_KIND_BLOCK});
}

static struct fil_listener *open_listener(const struct fil_listener_ops *ops, void *context,
                                          uint32_t lane_count)
{
    struct fil_listener *listener = NULL;
    int error = fil_listener_open(&events,
                                  &(struct fil_listener_options){.name = "test",
                                                                 .ops = ops,
                                                                 .context = context,
                                                                 .lane_count = lane_count,
                                                                 .lane_reserve = 4,
                                                                 .lane_max = 8},
                                  &listener);
    assert_int_equal(error, FIL_OK);
    return listener;
}

static int publish(struct fil_listener *listener, uint32_t key, uint32_t number)
{
    return fil_listener_publish(listener, key, &notes[number].event, FIL_PUBLISH_WAIT);
}

// From one thread.

static int set_up(void **state)
{
    (void)state;
    hand_clock_init(&hand_clock);
    fil_role_enter(&fil_role_event);
    return init_with(&hand_clock.env, 0);
}

static int tear_down(void **state)
{
    (void)state;
    fil_events_fini(&events);
    fil_role_leave_all();
    return 0;
}

static void run_all(void) FIL_RUNS_ON(event)
{
    while (fil_events_cycle(&events, 0) + fil_events_cycle(&events, 1) +
               fil_events_cycle(&events, 2) >
           0) {
    }
}

/** Room for 40 events, on the thread whose turn it is. */
static struct fil_listener *open_named(const char *name)
{
    struct fil_listener *listener = NULL;
    int error = fil_listener_open(
        &events,
        &(struct fil_listener_options){
            .name = name, .ops = &plain_ops, .lane_count = 1, .lane_reserve = 4, .lane_max = 40},
        &listener);
    assert_int_equal(error, FIL_OK);
    return listener;
}

static uint32_t home_of(const struct fil_listener *listener)
{
    return atomic_load_explicit(&listener->lanes[0].home, memory_order_relaxed);
}

static void close_and_unref(struct fil_listener *listener)
{
    fil_listener_close(listener, NULL, NULL);
    fil_listener_unref(listener);
}

static void test_flood_is_moved_while_others_wait(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    fil_role_assert_event();
    events.options.isolate_at = 2; // a turn takes 16, then 32
    struct fil_listener *flood = open_named("flood");
    struct fil_listener *elsewhere = open_named("elsewhere");
    struct fil_listener *other = open_named("other");
    assert_int_equal(home_of(flood), home_of(other));
    for (uint32_t i = 0; i < 30; i++) {
        assert_int_equal(publish(flood, 0, i), FIL_OK);
    }
    // Alone in line: nobody gains by a move.
    (void)fil_events_cycle(&events, 0);
    assert_int_equal(home_of(flood), 0);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(publish(flood, 0, 30 + i), FIL_OK);
    }
    assert_int_equal(publish(other, 0, 100), FIL_OK);
    while (home_of(flood) == 0) {
        assert_true(fil_events_cycle(&events, 0) > 0);
    }
    assert_int_equal(home_of(flood), 2);
    assert_int_equal(home_of(other), 0);
    assert_int_equal(fil_counter_read(&events.isolation_count), 1);
    run_all();
    assert_int_equal(count_of(&delivered_count), 51);
    close_and_unref(flood);
    close_and_unref(elsewhere);
    close_and_unref(other);
    assert_int_equal(atomic_load_explicit(&events.isolated, memory_order_relaxed), 0);
}

/** A listener that was moved because it flooded, with nothing left to deliver. */
static struct fil_listener *open_moved(struct fil_listener *other) FIL_RUNS_ON(event)
{
    struct fil_listener *flood = open_named("flood");
    assert_int_equal(home_of(flood), home_of(other));
    for (uint32_t i = 0; i < 30; i++) {
        assert_int_equal(publish(flood, 0, i), FIL_OK);
    }
    assert_int_equal(publish(other, 0, 100), FIL_OK);
    run_all();
    assert_int_equal(home_of(flood), 2);
    return flood;
}

/** An event for the listener, some time after the last. */
static void deliver_later(struct fil_listener *listener, uint64_t pause_ns) FIL_RUNS_ON(event)
{
    hand_clock.now_ns += pause_ns;
    assert_int_equal(publish(listener, 0, 50), FIL_OK);
    run_all();
}

static void test_calm_listener_gives_its_thread_back(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    fil_role_assert_event();
    events.options.isolate_at = 2;
    struct fil_listener *other = open_named("other");
    struct fil_listener *elsewhere = open_named("elsewhere");
    struct fil_listener *flood = open_moved(other);
    deliver_later(flood, FIL_EVENT_CALM_NS / 2);
    assert_int_equal(home_of(flood), 2);
    deliver_later(flood, FIL_EVENT_CALM_NS);
    assert_int_equal(home_of(flood), 0);
    assert_int_equal(fil_counter_read(&events.calm_count), 1);
    assert_int_equal(atomic_load_explicit(&events.isolated, memory_order_relaxed), 0);
    deliver_later(flood, 1);
    assert_int_equal(count_of(&delivered_count), 34);
    close_and_unref(flood);
    close_and_unref(elsewhere);
    close_and_unref(other);
}

static void test_listener_that_was_asked_for_keeps_its_thread(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    fil_role_assert_event();
    events.options.isolate_at = 2;
    struct fil_listener *other = open_named("other");
    struct fil_listener *elsewhere = open_named("elsewhere");
    struct fil_listener *flood = open_moved(other);
    assert_int_equal(fil_listener_isolate(flood), FIL_OK);
    deliver_later(flood, FIL_EVENT_CALM_NS * 2);
    assert_int_equal(home_of(flood), 2);
    assert_int_equal(fil_counter_read(&events.calm_count), 0);
    fil_listener_share(flood);
    deliver_later(flood, 1);
    assert_int_equal(home_of(flood), 0);
    close_and_unref(flood);
    close_and_unref(elsewhere);
    close_and_unref(other);
    assert_int_equal(atomic_load_explicit(&events.isolated, memory_order_relaxed), 0);
}

static void test_drops_are_counted_by_name(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_named("flood");
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(publish(listener, 0, i), FIL_OK);
    }
    assert_null(fil_drops_place(&events.drops, 0));
    assert_int_equal(publish(listener, 0, 40), FIL_E_FULL);
    assert_int_equal(publish(listener, 0, 40), FIL_E_FULL);
    assert_string_equal(fil_drops_place(&events.drops, 0)->name, "flood");
    assert_int_equal(fil_counter_read(&fil_drops_place(&events.drops, 0)->count), 2);
    close_and_unref(listener);
    run_all();
    assert_int_equal(count_of(&discarded_count), 40);
}

static uint64_t queued_in(const struct fil_listener *listener)
{
    struct fil_listener_stats stats;
    fil_listener_read(listener, &stats);
    return stats.queue_length;
}

static void end(struct fil_listener *listener) FIL_RUNS_ON(event)
{
    fil_listener_close(listener, NULL, NULL);
    run_all();
    fil_listener_unref(listener);
}

static void test_reserved_place_is_filled_or_given_up(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_named("test");
    enum fil_event_place places[2];
    assert_int_equal(fil_listener_reserve(listener, 0, &places[0]), FIL_OK);
    assert_int_equal(fil_listener_reserve(listener, 0, &places[1]), FIL_OK);
    assert_int_equal(places[0], FIL_EVENT_PLACE_FIRST);
    assert_int_equal(places[1], FIL_EVENT_PLACE_TAKEN);
    fil_listener_give_up(listener, 0, places[1]);
    fil_listener_fill(listener, 0, places[0], &notes[0].event);
    run_all();
    assert_int_equal(delivered_count, 1);
    assert_int_equal(notes[0].event.seq, 1);
    // The lane has been let go, and the next begins again.
    assert_int_equal(fil_listener_reserve(listener, 0, &places[0]), FIL_OK);
    assert_int_equal(places[0], FIL_EVENT_PLACE_FIRST);
    fil_listener_give_up(listener, 0, places[0]);
    run_all();
    assert_int_equal(queued_in(listener), 0);
    assert_int_equal(publish(listener, 0, 1), FIL_OK);
    run_all();
    assert_int_equal(notes[1].event.seq, 2); // nothing is missing
    end(listener);
}

static void test_reserved_place_outlives_a_close(void **state)
{
    (void)state;
    fil_role_assert_event();
    for (uint32_t is_filled = 0; is_filled < 2; is_filled++) {
        struct fil_listener *listener = open_named("test");
        enum fil_event_place place;
        assert_int_equal(fil_listener_reserve(listener, 0, &place), FIL_OK);
        fil_listener_close(listener, note_closed, NULL);
        run_all();
        assert_int_equal(closed_count, is_filled);
        if (is_filled) {
            fil_listener_fill(listener, 0, place, &notes[0].event);
        } else {
            fil_listener_give_up(listener, 0, place);
        }
        run_all();
        assert_int_equal(closed_count, is_filled + 1);
        assert_int_equal(discarded_count, is_filled);
        assert_int_equal(fil_listener_reserve(listener, 0, &place), FIL_E_CLOSED);
        fil_listener_unref(listener);
    }
}

/** Of 64 places two listeners have 4 each; the first to draw leaves half of the rest. */
static void test_listeners_share_the_places_that_are_left(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *first = open_named("first");
    struct fil_listener *second = open_named("second");
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(publish(first, 0, i), FIL_OK);
    }
    assert_int_equal(fil_events_credit(&events), 28);
    uint64_t credit = 1;
    uint32_t number = 5;
    while (fil_listener_publish(first, 0, &notes[number].event, FIL_PUBLISH_TRY) == FIL_OK) {
        number++;
    }
    assert_int_equal(queued_in(first), 40);
    // Full: what is left is no use to it, but to the second.
    assert_true(fil_listener_is_full(first, 0, 1));
    assert_false(fil_listener_has_room(first, 0, 1, &credit));
    assert_int_equal(fil_listener_room(first, 0, &credit), 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(publish(second, 0, number + i), FIL_OK);
    }
    assert_true(fil_listener_is_full(second, 0, 1));
    assert_true(fil_listener_has_room(second, 0, 1, &credit));
    assert_int_equal(credit, 0); // it would take the only one
    assert_false(fil_listener_has_room(second, 0, 1, &credit));
    run_all();
    assert_true(fil_listener_has_room(second, 0, 1, &credit));
    assert_true(fil_listener_has_room(second, 0, 1000, &credit)); // as much as there can be
    end(first);
    end(second);
}

static uint32_t call_count;

static void note_call(struct fil_guest *guest)
{
    (void)guest;
    call_count++;
}

static void test_guest_is_called_when_there_is_room_or_never_will_be(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(&plain_ops, NULL, 1);
    struct fil_guest guests[2];
    call_count = 0;
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(publish(listener, 0, i), FIL_OK);
    }
    fil_lobby_enter(fil_listener_lobby(listener, 0), &guests[0], note_call);
    assert_true(fil_listener_is_full(listener, 0, 1));
    run_all();
    assert_int_equal(call_count, 1);
    assert_false(fil_listener_is_full(listener, 0, 1));
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(publish(listener, 0, i), FIL_OK);
    }
    fil_lobby_enter(fil_listener_lobby(listener, 0), &guests[0], note_call);
    fil_lobby_enter(fil_listener_lobby(listener, 0), &guests[1], note_call);
    fil_listener_close(listener, NULL, NULL);
    assert_int_equal(call_count, 3);
    assert_false(fil_listener_is_full(listener, 0, 1));
    run_all();
    fil_listener_unref(listener);
}

static void test_idle_listener_is_closed_at_once(void **state)
{
    (void)state;
    struct fil_listener *listener = open_listener(&plain_ops, NULL, 0);
    fil_listener_close(listener, note_closed, NULL);
    assert_int_equal(count_of(&closed_count), 1);
    assert_int_equal(events.listener_count, 0);
    fil_listener_unref(listener);
}

static void test_what_is_queued_is_discarded_then_the_end_is_told(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(&plain_ops, NULL, 2);
    assert_int_equal(publish(listener, 0, 0), FIL_OK);
    assert_int_equal(publish(listener, 1, 1), FIL_OK);
    assert_int_equal(publish(listener, 1, 2), FIL_OK);
    assert_int_equal(fil_events_cycle(&events, 0), 1);
    assert_int_equal(publish(listener, 0, 3), FIL_OK);
    fil_listener_close(listener, note_closed, NULL);
    assert_int_equal(publish(listener, 0, 4), FIL_E_CLOSED);
    assert_int_equal(count_of(&closed_count), 0);
    assert_int_equal(fil_events_cycle(&events, 0), 1);
    assert_int_equal(count_of(&closed_count), 0); // a lane is left
    assert_int_equal(fil_events_cycle(&events, 1), 2);
    assert_int_equal(count_of(&closed_count), 1);
    assert_int_equal(count_of(&delivered_count), 1);
    assert_int_equal(count_of(&discarded_count), 3);
    struct fil_listener_stats stats;
    fil_listener_read(listener, &stats);
    assert_int_equal(stats.delivered_count, 1);
    assert_int_equal(stats.discarded_count, 3);
    assert_int_equal(stats.dropped_count, 0);
    assert_int_equal(publish(listener, 1, 5), FIL_E_CLOSED);
    run_all();
    assert_int_equal(count_of(&closed_count), 1);
    fil_listener_unref(listener);
}

static void release_listener(void *context)
{
    fil_listener_unref(context);
    note_closed(NULL);
}

/** The sanitizers tell when the listener is used after this, or never freed. */
static void test_last_reference_frees_the_listener(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *idle = open_listener(&plain_ops, NULL, 2);
    fil_listener_close(idle, release_listener, idle);
    struct fil_listener *busy = open_listener(&plain_ops, NULL, 2);
    assert_int_equal(publish(busy, 0, 0), FIL_OK);
    fil_listener_close(busy, release_listener, busy);
    run_all();
    assert_int_equal(count_of(&closed_count), 2);
    struct fil_listener *kept = open_listener(&plain_ops, NULL, 1);
    fil_listener_ref(kept);
    fil_listener_close(kept, NULL, NULL);
    fil_listener_unref(kept);
    assert_int_equal(publish(kept, 0, 1), FIL_E_CLOSED);
    fil_listener_unref(kept);
}

static struct fil_listener *own;

static void deliver_and_close(void *context, struct fil_event *event)
{
    deliver(context, event);
    if (count_of(&delivered_count) == 1) {
        fil_listener_close(own, note_closed, NULL);
        assert_int_equal(count_of(&closed_count), 0); // it is still being called
    }
}

static void test_listener_may_close_itself(void **state)
{
    (void)state;
    static const struct fil_listener_ops ops = {.deliver = deliver_and_close, .discard = discard};
    fil_role_assert_event();
    own = open_listener(&ops, NULL, 1);
    own->lanes[0].quantum = 2;
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(publish(own, 0, i), FIL_OK);
    }
    run_all();
    // The turn that had begun was two events long.
    assert_int_equal(count_of(&delivered_count), 2);
    assert_int_equal(count_of(&discarded_count), 3);
    assert_int_equal(count_of(&closed_count), 1);
    fil_listener_unref(own);
}

static void test_who_must_not_block_is_told_so(void **state)
{
    (void)state;
    struct fil_listener *listener = open_listener(&plain_ops, NULL, 1);
    assert_int_equal(fil_listener_close_wait(listener), FIL_E_WOULD_BLOCK);
    assert_int_equal(publish(listener, 0, 0), FIL_OK); // nothing has happened
    fil_role_assert_event();
    run_all();
    fil_listener_close(listener, NULL, NULL);
    fil_listener_unref(listener);
}

// With threads.

static _Atomic uint32_t is_gate_open;
static _Atomic uint32_t gate_count; // events that came to the gate

static int set_up_threads_waiting(uint64_t timeout_ns)
{
    atomic_store_explicit(&is_gate_open, 0, memory_order_relaxed);
    atomic_store_explicit(&gate_count, 0, memory_order_relaxed);
    return init_with(fil_env_real(), timeout_ns) != FIL_OK || fil_events_start(&events) != FIL_OK;
}

static int set_up_threads(void **state)
{
    (void)state;
    return set_up_threads_waiting(LONG_NS);
}

static int set_up_impatient_threads(void **state)
{
    (void)state;
    return set_up_threads_waiting(1000000);
}

static int tear_down_threads(void **state)
{
    (void)state;
    fil_events_stop(&events);
    fil_events_fini(&events);
    return 0;
}

static void deliver_at_gate(void *context, struct fil_event *event)
{
    atomic_fetch_add_explicit(&gate_count, 1, memory_order_acq_rel);
    wait_for(&is_gate_open, 1);
    deliver(context, event);
}

static const struct fil_listener_ops gate_ops = {.deliver = deliver_at_gate, .discard = discard};

/** A listener whose lane is full, with the first event at the gate. */
static struct fil_listener *open_full(void)
{
    struct fil_listener *listener = open_listener(&gate_ops, NULL, 1);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(publish(listener, 0, i), FIL_OK);
    }
    wait_for(&gate_count, 1);
    return listener;
}

static void open_gate(void)
{
    atomic_store_explicit(&is_gate_open, 1, memory_order_release);
}

static void finish(struct fil_listener *listener)
{
    assert_int_equal(fil_listener_close_wait(listener), FIL_OK);
    fil_listener_unref(listener);
}

struct publisher {
    pthread_t thread;
    struct fil_listener *listener;
    uint32_t number;
    int error;
};

static void *publish_one(void *context)
{
    struct publisher *publisher = context;
    publisher->error = publish(publisher->listener, 0, publisher->number);
    return NULL;
}

static void start_publisher(struct publisher *publisher, struct fil_listener *listener)
{
    *publisher = (struct publisher){.listener = listener, .number = 100, .error = 1};
    assert_int_equal(pthread_create(&publisher->thread, NULL, publish_one, publisher), 0);
    while (atomic_load_explicit(&listener->lanes[0].room.waiter_count, memory_order_acquire) == 0) {
        fil_thread_yield();
    }
}

static void test_publisher_waits_for_room(void **state)
{
    (void)state;
    struct publisher publisher;
    struct fil_listener *listener = open_full();
    start_publisher(&publisher, listener);
    open_gate();
    assert_int_equal(pthread_join(publisher.thread, NULL), 0);
    assert_int_equal(publisher.error, FIL_OK);
    wait_for(&delivered_count, 9);
    struct fil_listener_stats stats;
    fil_listener_read(listener, &stats);
    assert_int_equal(stats.dropped_count, 0);
    assert_int_equal(fil_counter_read(&events.waited_count), 1);
    finish(listener);
}

static void test_publisher_waits_no_longer_than_it_may(void **state)
{
    (void)state;
    struct fil_listener *listener = open_full();
    assert_int_equal(publish(listener, 0, 100), FIL_E_FULL);
    struct fil_listener_stats stats;
    fil_listener_read(listener, &stats);
    assert_int_equal(stats.dropped_count, 1);
    open_gate();
    wait_for(&delivered_count, 8);
    finish(listener);
}

/** If it waited, it would for an hour. */
static void test_io_thread_never_waits(void **state)
{
    (void)state;
    static const struct fil_role *const roles[] = {&fil_role_io, &fil_role_partition,
                                                   &fil_role_acceptor};
    struct fil_listener *listener = open_full();
    for (size_t i = 0; i < FIL_COUNT_OF(roles); i++) {
        fil_role_enter(roles[i]);
        assert_int_equal(publish(listener, 0, 100), FIL_E_FULL);
        fil_role_leave_all();
    }
    assert_int_equal(fil_counter_read(&events.waited_count), 0);
    assert_int_equal(fil_counter_read(&events.dropped_count), 3);
    open_gate();
    finish(listener);
}

static void test_close_ends_a_wait(void **state)
{
    (void)state;
    struct publisher publisher;
    struct fil_listener *listener = open_full();
    start_publisher(&publisher, listener);
    fil_listener_close(listener, note_closed, NULL);
    assert_int_equal(pthread_join(publisher.thread, NULL), 0);
    assert_int_equal(publisher.error, FIL_E_CLOSED);
    open_gate();
    wait_for(&closed_count, 1);
    assert_int_equal(count_of(&delivered_count) + count_of(&discarded_count), 8);
    fil_listener_unref(listener);
}

static void test_isolated_listener_is_served_while_others_are_stuck(void **state)
{
    (void)state;
    struct fil_listener *stuck = open_listener(&gate_ops, NULL, 2);
    struct fil_listener *moved = open_listener(&plain_ops, NULL, 2);
    for (uint32_t key = 0; key < 2; key++) {
        assert_int_equal(publish(stuck, key, key), FIL_OK);
    }
    wait_for(&gate_count, 2); // both threads
    assert_int_equal(fil_listener_isolate(moved), FIL_OK);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(publish(moved, i, 10 + i), FIL_OK);
        wait_for(&delivered_count, i + 1);
    }
    open_gate();
    finish(moved);
    finish(stuck);
    // The thread is there for the next one.
    struct fil_listener *next = open_listener(&plain_ops, NULL, 1);
    assert_int_equal(fil_listener_isolate(next), FIL_OK);
    assert_int_equal(publish(next, 0, 0), FIL_OK);
    wait_for(&delivered_count, 103);
    finish(next);
}

struct watched {
    struct fil_listener *listener;
    bool is_over; // plain: a call after the end is a race, and wrong
    uint32_t late_count;
};

static void deliver_watched(void *context, struct fil_event *event)
{
    struct watched *watched = context;
    watched->late_count += watched->is_over;
    deliver(NULL, event);
}

static const struct fil_listener_ops watched_ops = {.deliver = deliver_watched,
                                                    .discard = deliver_watched};

static void *publish_until_closed(void *context)
{
    struct fil_listener *listener = context;
    for (uint32_t i = 0;; i = (i + 1) % NOTES) {
        // Each event is used again only when it must have been delivered.
        if (i == 0) {
            while (listener->lanes[0].word << 32 != 0) {
                fil_thread_yield();
            }
        }
        int error = publish(listener, 0, i);
        if (error == FIL_E_CLOSED) {
            break;
        }
        fil_assert(error == FIL_OK);
    }
    fil_listener_unref(listener);
    return NULL;
}

static void test_closed_listener_is_never_called_again(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 100; round++) {
        struct watched watched = {0};
        struct fil_listener *listener = open_listener(&watched_ops, &watched, 1);
        uint32_t before = count_of(&delivered_count);
        fil_listener_ref(listener);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, publish_until_closed, listener), 0);
        wait_for(&delivered_count, before + 50);
        assert_int_equal(fil_listener_close_wait(listener), FIL_OK);
        watched.is_over = true;
        fil_listener_unref(listener);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(watched.late_count, 0);
    }
}

static struct fil_listener *next_listener;

static void deliver_and_publish(void *context, struct fil_event *event)
{
    (void)context;
    int error = fil_listener_publish(next_listener, 0, event, FIL_PUBLISH_TRY);
    fil_assert(error == FIL_OK);
}

static void test_stop_delivers_what_is_queued_and_what_that_brings(void **state)
{
    (void)state;
    static const struct fil_listener_ops ops = {.deliver = deliver_and_publish, .discard = discard};
    for (uint32_t round = 1; round <= 50; round++) {
        struct fil_listener *first = open_listener(&ops, NULL, 1);
        next_listener = open_listener(&plain_ops, NULL, 1);
        for (uint32_t i = 0; i < 6; i++) {
            assert_int_equal(publish(first, 0, i), FIL_OK);
        }
        fil_events_stop(&events);
        assert_int_equal(count_of(&delivered_count), round * 6);
        finish(first);
        finish(next_listener);
        assert_int_equal(fil_events_start(&events), FIL_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_flood_is_moved_while_others_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_calm_listener_gives_its_thread_back, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_listener_that_was_asked_for_keeps_its_thread, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_drops_are_counted_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reserved_place_is_filled_or_given_up, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_reserved_place_outlives_a_close, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_listeners_share_the_places_that_are_left, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_guest_is_called_when_there_is_room_or_never_will_be,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_idle_listener_is_closed_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_queued_is_discarded_then_the_end_is_told,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_last_reference_frees_the_listener, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_listener_may_close_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_must_not_block_is_told_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_publisher_waits_for_room, set_up_threads,
                                        tear_down_threads),
        cmocka_unit_test_setup_teardown(test_publisher_waits_no_longer_than_it_may,
                                        set_up_impatient_threads, tear_down_threads),
        cmocka_unit_test_setup_teardown(test_io_thread_never_waits, set_up_threads,
                                        tear_down_threads),
        cmocka_unit_test_setup_teardown(test_close_ends_a_wait, set_up_threads, tear_down_threads),
        cmocka_unit_test_setup_teardown(test_isolated_listener_is_served_while_others_are_stuck,
                                        set_up_threads, tear_down_threads),
        cmocka_unit_test_setup_teardown(test_closed_listener_is_never_called_again, set_up_threads,
                                        tear_down_threads),
        cmocka_unit_test_setup_teardown(test_stop_delivers_what_is_queued_and_what_that_brings,
                                        set_up_threads, tear_down_threads),
    };
    return cmocka_run_group_tests_name("listener", tests, NULL, NULL);
}
