// SPDX-License-Identifier: Apache-2.0
/**
 * The event stage, driven from one thread; one test a promise.
 *
 * Delivery: events of an order key come in order, numbered without a gap; the key picks the thread;
 * a flood to one listener does not delay another; turns of a slow listener get shorter; a cycle is
 * bounded; times are measured; nothing is allocated by publishing.
 *
 * Limits: a full lane drops, counts and leaves a gap exactly where the event would have been, and
 * numbers never go back; who tries keeps the event and makes no gap; no listener can take another's
 * reserve; places go back.
 *
 * Moving: an isolated listener is served by its own thread from then on, in order; and back.
 *
 * Ends: options out of range, a stage without places and a failing heap are errors.
 */
#include "core/exec/event.h"

#include "core/exec/lane_internal.h"
#include "core/exec/listener.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/core/exec/hand_clock.h"
#include "tests/unit/harness.h"

#define THREADS  2U
#define ISOLATED 2U
#define CAPACITY 256U
#define NOTES    2048U

struct note {
    struct fil_event event;
    uint32_t listener;
    uint32_t number;
};

/** What a listener has got. */
struct record {
    uint32_t count;
    uint32_t discarded_count;
    uint32_t numbers[NOTES];
    uint64_t seqs[NOTES];
    uint32_t lanes[NOTES];
    uint64_t takes_ns; // for each event, of the virtual clock
};

static struct hand_clock hand_clock;
static struct fil_events events;
static struct note notes[NOTES];
static struct record records[3];
static uint32_t order[NOTES]; // listeners, as events came to any of them
static uint32_t order_count;

static void deliver(void *context, struct fil_event *event)
{
    struct record *record = context;
    struct note *note = FIL_CONTAINER_OF(event, struct note, event);
    record->numbers[record->count] = note->number;
    record->seqs[record->count] = event->seq;
    record->lanes[record->count] = event->lane;
    record->count++;
    order[order_count] = (uint32_t)(record - records);
    order_count++;
    hand_clock.now_ns += record->takes_ns;
}

static void discard(void *context, struct fil_event *event)
{
    struct record *record = context;
    fil_assert(event != NULL);
    record->discarded_count++;
}

static const struct fil_listener_ops ops = {.deliver = deliver, .discard = discard};

static int init_with_threads(uint32_t thread_count)
{
    hand_clock_init(&hand_clock);
    memset(records, 0, sizeof(records));
    order_count = 0;
    for (uint32_t i = 0; i < NOTES; i++) {
        notes[i] = (struct note){.number = i};
    }
    fil_role_enter(&fil_role_event);
    return fil_events_init(&events, &(struct fil_events_options){.env = &hand_clock.env,
                                                                 .thread_count = thread_count,
                                                                 .isolated_max = ISOLATED,
                                                                 .capacity = CAPACITY,
                                                                 .put_timeout_ns = UINT64_MAX / 4,
                                                                 .idle = FIL_IDLE_KIND_BLOCK});
}

static int set_up(void **state)
{
    (void)state;
    return init_with_threads(THREADS);
}

static int set_up_one(void **state)
{
    (void)state;
    return init_with_threads(1);
}

static int tear_down(void **state)
{
    (void)state;
    fil_events_fini(&events);
    fil_role_leave_all();
    return 0;
}

static struct fil_listener *open_listener(uint32_t index, uint32_t lane_count, uint32_t lane_max)
{
    struct fil_listener *listener = NULL;
    int error = fil_listener_open(&events,
                                  &(struct fil_listener_options){.name = "test",
                                                                 .ops = &ops,
                                                                 .context = &records[index],
                                                                 .lane_count = lane_count,
                                                                 .lane_reserve = 4,
                                                                 .lane_max = lane_max},
                                  &listener);
    assert_int_equal(error, FIL_OK);
    return listener;
}

static void close_listener(struct fil_listener *listener)
{
    fil_listener_close(listener, NULL, NULL);
    fil_listener_unref(listener);
}

static void publish(struct fil_listener *listener, uint32_t key, uint32_t number)
{
    assert_int_equal(fil_listener_publish(listener, key, &notes[number].event, FIL_PUBLISH_DROP),
                     FIL_OK);
}

/** Calls all threads' cycles until nothing moves. */
static void run_all(void) FIL_RUNS_ON(event)
{
    uint32_t moved = 1;
    while (moved > 0) {
        moved = 0;
        for (uint32_t i = 0; i < fil_events_queue_count(&events); i++) {
            moved += fil_events_cycle(&events, i);
        }
    }
}

static uint64_t granted_places(void)
{
    static struct fil_events_stats stats;
    fil_events_read(&events, &stats);
    return stats.granted_count;
}

static void test_events_come_in_order_and_numbered(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(0, 1, 0);
    assert_string_equal(fil_listener_name(listener), "test");
    for (uint32_t i = 0; i < 100; i++) {
        publish(listener, i, i);
    }
    run_all();
    assert_int_equal(records[0].count, 100);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(records[0].numbers[i], i);
        assert_int_equal(records[0].seqs[i], i + 1);
        assert_int_equal(records[0].lanes[i], 0);
    }
    struct fil_listener_stats stats;
    fil_listener_read(listener, &stats);
    assert_int_equal(stats.delivered_count, 100);
    assert_int_equal(stats.queue_length, 0);
    assert_int_equal(stats.dropped_count, 0);
    close_listener(listener);
}

static void test_order_key_picks_the_thread(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(0, 0, 0);
    for (uint32_t i = 0; i < 20; i++) {
        publish(listener, i, i);
    }
    assert_int_equal(fil_events_cycle(&events, 0), 10);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(records[0].numbers[i], 2 * i);
        assert_int_equal(records[0].lanes[i], 0);
        assert_int_equal(records[0].seqs[i], i + 1);
    }
    assert_int_equal(fil_events_cycle(&events, 1), 10);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(records[0].numbers[10 + i], 2 * i + 1);
        assert_int_equal(records[0].lanes[10 + i], 1);
        assert_int_equal(records[0].seqs[10 + i], i + 1);
    }
    close_listener(listener);
}

static void test_flood_does_not_delay_another_listener(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *flooded = open_listener(0, 1, 0);
    struct fil_listener *quiet = open_listener(1, 1, 0);
    for (uint32_t i = 0; i < 120; i++) {
        publish(flooded, 0, i);
    }
    publish(quiet, 0, 200);
    publish(quiet, 0, 201);
    run_all();
    assert_int_equal(records[0].count, 120);
    assert_int_equal(records[1].count, 2);
    // The quiet one had its turn after one turn of the other.
    uint32_t place = 0;
    while (order[place] == 0) {
        place++;
    }
    assert_int_equal(place, 16);
    assert_int_equal(order[place + 1], 1);
    close_listener(flooded);
    close_listener(quiet);
}

static void test_turns_of_a_slow_listener_get_shorter(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *slow = open_listener(0, 1, 0);
    struct fil_listener *quick = open_listener(1, 1, 0);
    records[0].takes_ns = 5000000;
    for (uint32_t i = 0; i < 100; i++) {
        publish(slow, 0, i);
        publish(quick, 0, 200 + i);
    }
    run_all();
    // 16, 8, 4, 2 and from then on one event: at most thirty before the quick one has got all.
    uint32_t slow_before = 0;
    uint32_t quick_seen = 0;
    for (uint32_t i = 0; quick_seen < 100; i++) {
        slow_before += order[i] == 0;
        quick_seen += order[i] == 1;
    }
    assert_true(slow_before <= 16 + 8 + 4 + 2);
    assert_int_equal(slow->lanes[0].quantum, 1);
    assert_true(quick->lanes[0].quantum > 16);
    struct fil_listener_stats stats;
    fil_listener_read(slow, &stats);
    assert_int_equal(stats.slowest_ns, 5000000);
    close_listener(slow);
    close_listener(quick);
}

static void test_cycle_is_bounded(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *first = open_listener(0, 1, 0);
    for (uint32_t i = 0; i < 100; i++) {
        publish(first, 0, i);
    }
    // One turn for each lane in line, however much is left.
    uint32_t moved = fil_events_cycle(&events, 0);
    assert_int_equal(moved, 16);
    run_all();
    assert_int_equal(records[0].count, 100);
    close_listener(first);
}

static void test_times_are_measured(void **state)
{
    (void)state;
    static struct fil_events_stats stats;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(0, 1, 0);
    records[0].takes_ns = 100;
    publish(listener, 0, 0);
    publish(listener, 0, 1);
    hand_clock.now_ns += 30;
    assert_int_equal(fil_events_cycle(&events, 0), 2);
    fil_events_read(&events, &stats);
    struct fil_meter *meter = &stats.crew.meter;
    assert_int_equal(fil_histogram_count(&meter->wait_ns), 1); // the first is followed
    assert_int_equal(fil_histogram_sum(&meter->wait_ns), 30);
    assert_int_equal(fil_histogram_count(&meter->service_ns), 2);
    assert_int_equal(fil_histogram_sum(&meter->service_ns), 200);
    assert_int_equal(fil_counter_read(&meter->busy_ns), 200);
    assert_int_equal(fil_counter_read(&meter->item_count), 2);
    assert_int_equal(stats.listener_count, 1);
    close_listener(listener);
}

static void test_queue_length_is_told(void **state)
{
    (void)state;
    static struct fil_events_stats stats;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(0, 1, 0);
    for (uint32_t i = 0; i < 100; i++) {
        publish(listener, 0, i);
    }
    struct fil_listener_stats mine;
    fil_listener_read(listener, &mine);
    assert_int_equal(mine.queue_length, 100);
    assert_int_equal(fil_events_cycle(&events, 0), 16);
    fil_events_read(&events, &stats);
    assert_int_equal(stats.queue_length, 84);
    // It goes where the lane goes.
    assert_int_equal(fil_listener_isolate(listener), FIL_OK);
    assert_int_equal(fil_events_cycle(&events, 0), 1);
    assert_int_equal(fil_counter_read(&events.queues[0].length), 0);
    assert_int_equal(fil_events_cycle(&events, 1), 32);
    fil_events_read(&events, &stats);
    assert_int_equal(stats.queue_length, 52);
    run_all();
    fil_events_read(&events, &stats);
    assert_int_equal(stats.queue_length, 0);
    close_listener(listener);
}

static void test_publishing_allocates_nothing(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(0, 0, 0);
    uint64_t before = fil_alloc_count();
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < 100; i++) {
            publish(listener, i, i);
        }
        run_all();
        assert_int_equal(records[0].count, 100);
        records[0].count = 0;
        order_count = 0;
    }
    assert_int_equal(fil_alloc_count(), before);
    close_listener(listener);
}

static void test_full_lane_drops_and_leaves_a_gap_there(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(0, 1, 10);
    for (uint32_t i = 0; i < 10; i++) {
        publish(listener, 0, i);
    }
    for (uint32_t i = 10; i < 13; i++) {
        // This thread may not block, so it does not wait although it offers to.
        enum fil_publish how = i == 10 ? FIL_PUBLISH_WAIT : FIL_PUBLISH_DROP;
        assert_int_equal(fil_listener_publish(listener, 0, &notes[i].event, how), FIL_E_FULL);
    }
    run_all();
    publish(listener, 0, 13);
    publish(listener, 0, 14);
    run_all();
    assert_int_equal(records[0].count, 12);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(records[0].seqs[i], i + 1); // no gap before the drops
    }
    assert_int_equal(records[0].seqs[10], 14); // 11, 12 and 13 are missing
    assert_int_equal(records[0].seqs[11], 15);
    struct fil_listener_stats stats;
    fil_listener_read(listener, &stats);
    assert_int_equal(stats.delivered_count, 12);
    assert_int_equal(stats.dropped_count, 3);
    assert_int_equal(fil_counter_read(&events.dropped_count), 3);
    close_listener(listener);
}

/** As if the second event's publisher had looked before a drop that the first one's had seen. */
static void test_numbers_never_go_back(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(0, 1, 0);
    for (uint32_t i = 0; i < 3; i++) {
        publish(listener, 0, i);
    }
    notes[0].event.seq = 2;
    notes[1].event.seq = 1;
    notes[2].event.seq = 3;
    run_all();
    const uint64_t expected[] = {3, 4, 6};
    assert_memory_equal(records[0].seqs, expected, sizeof(expected));
    close_listener(listener);
}

static void test_who_tries_keeps_the_event_and_makes_no_gap(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(0, 1, 4);
    for (uint32_t i = 0; i < 4; i++) {
        publish(listener, 0, i);
    }
    assert_int_equal(fil_listener_publish(listener, 0, &notes[4].event, FIL_PUBLISH_TRY),
                     FIL_E_FULL);
    run_all();
    assert_int_equal(fil_listener_publish(listener, 0, &notes[4].event, FIL_PUBLISH_TRY), FIL_OK);
    run_all();
    assert_int_equal(records[0].count, 5);
    assert_int_equal(records[0].numbers[4], 4);
    assert_int_equal(records[0].seqs[4], 5);
    struct fil_listener_stats stats;
    fil_listener_read(listener, &stats);
    assert_int_equal(stats.dropped_count, 0);
    close_listener(listener);
}

static void test_reserve_cannot_be_taken_by_another(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *greedy = open_listener(0, 1, CAPACITY);
    struct fil_listener *modest = open_listener(1, 1, 100);
    uint32_t taken = 0;
    while (fil_listener_publish(greedy, 0, &notes[taken].event, FIL_PUBLISH_DROP) == FIL_OK) {
        taken++;
    }
    assert_int_equal(taken, CAPACITY - 4); // all but the other's reserve
    for (uint32_t i = 0; i < 4; i++) {
        publish(modest, 0, 1000 + i);
    }
    assert_int_equal(fil_listener_publish(modest, 0, &notes[1004].event, FIL_PUBLISH_DROP),
                     FIL_E_FULL);
    run_all();
    assert_int_equal(records[0].count, CAPACITY - 4);
    assert_int_equal(records[1].count, 4);
    assert_int_equal(granted_places(), 8);
    // Now the modest one may have more.
    for (uint32_t i = 0; i < 50; i++) {
        publish(modest, 0, 1000 + i);
    }
    run_all();
    assert_int_equal(granted_places(), 8);
    close_listener(greedy);
    close_listener(modest);
    assert_int_equal(granted_places(), 0);
}

static void test_lane_stays_below_its_maximum(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(0, 2, 100);
    for (uint32_t key = 0; key < 2; key++) {
        for (uint32_t i = 0; i < 100; i++) {
            publish(listener, key, key * 200 + i);
        }
        assert_int_equal(fil_listener_publish(listener, key, &notes[500].event, FIL_PUBLISH_DROP),
                         FIL_E_FULL);
    }
    run_all();
    assert_int_equal(records[0].count, 200);
    close_listener(listener);
}

static void test_isolated_listener_has_its_own_thread(void **state)
{
    (void)state;
    fil_role_assert_event();
    struct fil_listener *listener = open_listener(0, 0, 0);
    for (uint32_t i = 0; i < 40; i++) {
        publish(listener, 0, i);
    }
    assert_int_equal(fil_events_cycle(&events, 0), 16);
    assert_int_equal(fil_listener_isolate(listener), FIL_OK);
    assert_int_equal(fil_listener_isolate(listener), FIL_OK); // is already
    for (uint32_t i = 40; i < 60; i++) {
        publish(listener, 0, i);
    }
    // The old thread sends the lane on and delivers nothing any more.
    assert_int_equal(fil_events_cycle(&events, 0), 1);
    assert_int_equal(records[0].count, 16);
    assert_int_equal(fil_events_cycle(&events, 0), 0);
    while (fil_events_cycle(&events, THREADS) > 0) {
    }
    assert_int_equal(records[0].count, 60);
    // A lane that was idle goes to the new thread at once.
    publish(listener, 1, 60);
    assert_int_equal(fil_events_cycle(&events, 1), 0);
    assert_int_equal(fil_events_cycle(&events, THREADS), 1);
    for (uint32_t i = 0; i < 61; i++) {
        assert_int_equal(records[0].numbers[i], i);
    }
    assert_int_equal(records[0].seqs[59], 60);
    static struct fil_events_stats stats;
    fil_events_read(&events, &stats);
    assert_int_equal(stats.forward_count, 1);
    // And back.
    publish(listener, 0, 61);
    fil_listener_share(listener);
    fil_listener_share(listener);
    assert_int_equal(fil_events_cycle(&events, THREADS), 1);
    assert_int_equal(records[0].count, 61);
    assert_int_equal(fil_events_cycle(&events, 0), 1);
    assert_int_equal(records[0].numbers[61], 61);
    assert_int_equal(records[0].seqs[61], 61); // of lane 0
    close_listener(listener);
}

static void test_isolated_threads_are_bounded_and_reused(void **state)
{
    (void)state;
    struct fil_listener *listeners[3];
    for (uint32_t i = 0; i < 3; i++) {
        listeners[i] = open_listener(i, 1, 0);
    }
    assert_int_equal(fil_listener_isolate(listeners[0]), FIL_OK);
    assert_int_equal(fil_listener_isolate(listeners[1]), FIL_OK);
    assert_int_equal(fil_listener_isolate(listeners[2]), FIL_E_LIMIT);
    fil_listener_share(listeners[0]);
    assert_int_equal(fil_listener_isolate(listeners[2]), FIL_OK);
    assert_int_equal(fil_listener_isolate(listeners[0]), FIL_E_LIMIT);
    fil_listener_close(listeners[1], NULL, NULL);
    assert_int_equal(fil_listener_isolate(listeners[0]), FIL_OK);
    assert_int_equal(fil_listener_isolate(listeners[1]), FIL_E_CLOSED);
    fil_listener_unref(listeners[1]);
    close_listener(listeners[0]);
    close_listener(listeners[2]);
}

static void test_bad_options_are_errors(void **state)
{
    (void)state;
    struct fil_events other;
    struct fil_events_options good = fil_events_defaults(fil_env_real(), 16);
    assert_int_equal(good.thread_count, 5);
    assert_int_equal(good.capacity, 1000000);
    assert_int_equal(good.put_timeout_ns, 250000000);
    assert_int_equal(fil_events_defaults(fil_env_real(), 2).thread_count, 2);
    struct fil_events_options bad = good;
    bad.thread_count = 0;
    assert_int_equal(fil_events_init(&other, &bad), FIL_E_INVALID);
    bad = good;
    bad.isolated_max = FIL_EVENT_ISOLATED_MAX + 1;
    assert_int_equal(fil_events_init(&other, &bad), FIL_E_INVALID);
    bad = good;
    bad.thread_count = FIL_CREW_MEMBERS_MAX;
    assert_int_equal(fil_events_init(&other, &bad), FIL_E_INVALID);
    bad = good;
    bad.capacity = 0;
    assert_int_equal(fil_events_init(&other, &bad), FIL_E_INVALID);
    struct fil_listener *listener = NULL;
    struct fil_listener_options options = {.name = "bad", .ops = &ops, .lane_count = 257};
    assert_int_equal(fil_listener_open(&events, &options, &listener), FIL_E_INVALID);
    options = (struct fil_listener_options){
        .name = "bad", .ops = &ops, .lane_reserve = 10, .lane_max = 9};
    assert_int_equal(fil_listener_open(&events, &options, &listener), FIL_E_INVALID);
    assert_null(listener);
}

static void test_lane_is_clipped_to_the_stage(void **state)
{
    (void)state;
    struct fil_listener *listener = NULL;
    struct fil_listener_options options = {
        .name = "large", .ops = &ops, .lane_count = 1, .lane_max = CAPACITY + 1};
    assert_int_equal(fil_listener_open(&events, &options, &listener), FIL_OK);
    assert_int_equal(listener->lanes[0].max, CAPACITY);
    fil_listener_close(listener, NULL, NULL);
    fil_listener_unref(listener);
}

static void test_stage_without_places_refuses_listeners(void **state)
{
    (void)state;
    static struct fil_events_stats stats;
    struct fil_listener *listener = NULL;
    struct fil_listener_options options = {.name = "large",
                                           .ops = &ops,
                                           .context = &records[0],
                                           .lane_count = 2,
                                           .lane_reserve = CAPACITY / 2,
                                           .lane_max = CAPACITY / 2};
    assert_int_equal(fil_listener_open(&events, &options, &listener), FIL_OK);
    struct fil_listener *second = NULL;
    options.lane_reserve = 1;
    options.lane_count = 1;
    assert_int_equal(fil_listener_open(&events, &options, &second), FIL_E_LIMIT);
    fil_events_read(&events, &stats);
    assert_int_equal(stats.refused_count, 1);
    assert_int_equal(stats.listener_count, 1);
    close_listener(listener);
    assert_int_equal(fil_listener_open(&events, &options, &second), FIL_OK);
    close_listener(second);
}

static void test_failing_heap_is_an_error(void **state)
{
    (void)state;
    struct fil_events other;
    struct fil_events_options options = fil_events_defaults(fil_env_real(), 2);
    int error = FIL_E_NOMEM;
    int64_t fault = 0;
    for (; error == FIL_E_NOMEM; fault++) {
        fil_alloc_fail_after(fault);
        error = fil_events_init(&other, &options);
        fil_alloc_fail_after(-1);
    }
    assert_int_equal(error, FIL_OK);
    assert_int_equal(fault, 3); // queues and crew
    fil_events_fini(&other);

    struct fil_listener *listener = NULL;
    fil_alloc_fail_after(0);
    error = fil_listener_open(&events, &(struct fil_listener_options){.name = "x", .ops = &ops},
                              &listener);
    fil_alloc_fail_after(-1);
    assert_int_equal(error, FIL_E_NOMEM);
    assert_int_equal(granted_places(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_events_come_in_order_and_numbered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order_key_picks_the_thread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flood_does_not_delay_another_listener, set_up_one,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_turns_of_a_slow_listener_get_shorter, set_up_one,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_cycle_is_bounded, set_up_one, tear_down),
        cmocka_unit_test_setup_teardown(test_times_are_measured, set_up_one, tear_down),
        cmocka_unit_test_setup_teardown(test_queue_length_is_told, set_up_one, tear_down),
        cmocka_unit_test_setup_teardown(test_publishing_allocates_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_lane_drops_and_leaves_a_gap_there, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_never_go_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_tries_keeps_the_event_and_makes_no_gap, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_reserve_cannot_be_taken_by_another, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lane_stays_below_its_maximum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_isolated_listener_has_its_own_thread, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_isolated_threads_are_bounded_and_reused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_bad_options_are_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lane_is_clipped_to_the_stage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stage_without_places_refuses_listeners, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_failing_heap_is_an_error, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
