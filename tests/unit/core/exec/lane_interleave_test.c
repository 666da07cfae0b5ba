// SPDX-License-Identifier: Apache-2.0
/**
 * The lanes of the event stage, step by step: every order of a few threads, up to a number of
 * interruptions. Promises: events of two publishers are all delivered, each one's in order, with
 * numbers without a gap, and nobody sleeps while a lane has events; a lane is served by one thread
 * at a time, also while it is moved to another; a publisher that waits for room is woken; an event
 * that races with close is refused, delivered or discarded, and after the end nobody is called;
 * each drop is one missing number.
 */
#include "core/exec/event.h"
#include "core/exec/lane_internal.h"
#include "core/exec/listener.h"
#include "filbert/error.h"
#include "tests/unit/core/exec/hand_clock.h"
#include "tests/unit/core/exec/orders.h"
#include "tests/unit/harness.h"

#define NOTES      8U
#define PUBLISHERS 2U

struct note {
    struct fil_event event;
    uint32_t publisher;
    uint32_t number;
};

static struct {
    struct hand_clock clock;
    struct fil_events events;
    struct fil_listener *listener;
    struct note notes[NOTES];
    enum fil_publish how;
    uint32_t next[PUBLISHERS]; // the number that is to come from each
    uint32_t inside;           // deliveries under way
    uint32_t publisher_count;  // that have not ended
    uint32_t taken_count;      // events that publish took
    uint32_t lost_count;       // that it did not
    uint32_t delivered_count;
    uint32_t discarded_count;
    uint32_t closed_count;
    uint64_t last_seq;
    bool is_wrong;
} world;

static void deliver(void *context, struct fil_event *event)
{
    (void)context;
    struct note *note = FIL_CONTAINER_OF(event, struct note, event);
    world.inside++;
    orders_step();
    world.is_wrong = world.is_wrong || world.inside != 1 || world.closed_count > 0 ||
                     note->number < world.next[note->publisher] || event->seq <= world.last_seq;
    world.next[note->publisher] = note->number + 1;
    world.last_seq = event->seq;
    world.delivered_count++;
    world.inside--;
}

static void discard(void *context, struct fil_event *event)
{
    (void)context;
    (void)event;
    world.is_wrong = world.is_wrong || world.closed_count > 0;
    world.discarded_count++;
}

static const struct fil_listener_ops ops = {.deliver = deliver, .discard = discard};

static void note_closed(void *context)
{
    (void)context;
    world.closed_count++;
}

static void start(uint32_t thread_count, uint32_t lane_max, enum fil_publish how)
{
    memset(&world, 0, sizeof(world));
    hand_clock_init(&world.clock);
    world.how = how;
    for (uint32_t i = 0; i < NOTES; i++) {
        world.notes[i].publisher = i / (NOTES / PUBLISHERS);
        world.notes[i].number = i % (NOTES / PUBLISHERS);
    }
    struct fil_events_options options = {.env = &world.clock.env,
                                         .thread_count = thread_count,
                                         .capacity = 64,
                                         .put_timeout_ns = 1000,
                                         .idle = FIL_IDLE_KIND_BLOCK};
    assert_int_equal(fil_events_init(&world.events, &options), FIL_OK);
    struct fil_listener_options listener = {
        .name = "test", .ops = &ops, .lane_count = 1, .lane_reserve = 1, .lane_max = lane_max};
    assert_int_equal(fil_listener_open(&world.events, &listener, &world.listener), FIL_OK);
    assert_int_equal(fil_events_start(&world.events), FIL_OK);
}

static void publish(struct note *note)
{
    int error = fil_listener_publish(world.listener, 0, &note->event, world.how);
    if (error == FIL_OK) {
        world.taken_count++;
    } else {
        world.lost_count += error == FIL_E_FULL;
    }
}

/** Publishes two events of its own. */
static void publish_two(void *context)
{
    struct note *mine = context;
    publish(&mine[0]);
    publish(&mine[1]);
    world.publisher_count--;
}

static void add_publishers(uint32_t count)
{
    world.publisher_count = count;
    for (uint32_t i = 0; i < count; i++) {
        orders_add(publish_two, &world.notes[i * (NOTES / PUBLISHERS)]);
    }
}

static bool has_all_come(void)
{
    return world.publisher_count == 0 &&
           world.delivered_count + world.discarded_count == world.taken_count;
}

/** When all is done: so that a lost wake-up is not made good by the stop. */
static void stop_late(void *context)
{
    (void)context;
    orders_wait_until(has_all_come);
    fil_events_stop(&world.events);
}

static void end_world(void)
{
    world.is_wrong = world.is_wrong || world.events.listener_count != 0 ||
                     world.events.credit != world.events.options.capacity;
    fil_events_fini(&world.events);
}

/** All were taken and delivered, and their numbers have no gap. */
static bool tear_down_complete(void)
{
    fil_listener_close(world.listener, note_closed, NULL);
    bool is_complete = world.lost_count == 0 && world.delivered_count == world.taken_count &&
                       world.last_seq == world.taken_count && world.closed_count == 1;
    fil_listener_unref(world.listener);
    end_world();
    return is_complete && !world.is_wrong && !orders_has_time_passed();
}

static void check_outcome(const struct orders_case *explored)
{
    struct orders_outcome outcome = orders_play(explored);
    print_message("%u orders\n", outcome.order_count);
    assert_false(outcome.is_stuck);
    assert_false(outcome.is_wrong);
    assert_true(outcome.order_count > 500);
}

static void set_up_two_publishers(void)
{
    start(1, 8, FIL_PUBLISH_TRY);
    add_publishers(2);
    orders_add(stop_late, NULL);
}

static void test_all_events_come_in_order(void **state)
{
    (void)state;
    check_outcome(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_two_publishers, .tear_down = tear_down_complete});
}

static void move_to_and_fro(void *context)
{
    (void)context;
    for (uint32_t home = 2; home > 0; home--) {
        orders_step();
        atomic_store_explicit(&world.listener->lanes[0].home, home - 1, memory_order_relaxed);
    }
}

static void set_up_move(void)
{
    start(2, 8, FIL_PUBLISH_TRY);
    add_publishers(1);
    orders_add(move_to_and_fro, NULL);
    orders_add(stop_late, NULL);
}

static void test_moved_lane_is_served_by_one_thread_at_a_time(void **state)
{
    (void)state;
    check_outcome(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_move, .tear_down = tear_down_complete});
}

static void set_up_room(void)
{
    start(1, 1, FIL_PUBLISH_WAIT);
    add_publishers(2);
    orders_add(stop_late, NULL);
}

/** A waiter that is not woken goes on by its time at the end, and that is seen. */
static void test_publisher_that_waits_is_woken(void **state)
{
    (void)state;
    check_outcome(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_room, .tear_down = tear_down_complete});
}

/** As publish_two, with a reference of its own. */
static void publish_and_leave(void *context)
{
    publish_two(context);
    fil_listener_unref(world.listener);
}

/** Takes the last reference but those of the publishers. */
static void note_closed_and_leave(void *context)
{
    fil_listener_unref(context);
    note_closed(NULL);
}

static void close_listener(void *context)
{
    (void)context;
    fil_listener_close(world.listener, note_closed_and_leave, world.listener);
}

static bool has_all_ended(void)
{
    return has_all_come() && world.closed_count == 1;
}

static void stop_after_close(void *context)
{
    (void)context;
    orders_wait_until(has_all_ended);
    fil_events_stop(&world.events);
}

static bool tear_down_closed(void)
{
    bool is_accounted = world.delivered_count + world.discarded_count == world.taken_count;
    end_world();
    return is_accounted && world.closed_count == 1 && !world.is_wrong;
}

static void set_up_close(void)
{
    start(1, 8, FIL_PUBLISH_TRY);
    world.publisher_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        fil_listener_ref(world.listener);
        orders_add(publish_and_leave, &world.notes[i * (NOTES / PUBLISHERS)]);
    }
    orders_add(close_listener, NULL);
    orders_add(stop_after_close, NULL);
}

/** The listener is freed in the middle of it, at ever another moment: the sanitizers watch. */
static void test_event_that_races_with_close_is_accounted_for(void **state)
{
    (void)state;
    check_outcome(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_close, .tear_down = tear_down_closed});
}

static void publish_one(void *context)
{
    publish(context);
    world.publisher_count--;
}

static void publish_three(void *context)
{
    struct note *mine = context;
    publish(&mine[0]);
    publish_two(&mine[1]);
}

static void set_up_drop(void)
{
    start(1, 2, FIL_PUBLISH_DROP);
    world.publisher_count = 2;
    orders_add(publish_one, &world.notes[0]);
    orders_add(publish_three, &world.notes[NOTES / PUBLISHERS]);
    orders_add(stop_late, NULL);
}

/** An event that comes after all others has the number of all that were published. */
static bool tear_down_drop(void)
{
    fil_role_enter(&fil_role_event);
    fil_role_assert_event();
    world.how = FIL_PUBLISH_TRY;
    publish(&world.notes[7]);
    while (fil_events_cycle(&world.events, 0) > 0) {
    }
    fil_role_leave_all();
    bool is_exact = world.last_seq == 5 && world.delivered_count == world.taken_count &&
                    world.taken_count + world.lost_count == 5;
    fil_listener_close(world.listener, note_closed, NULL);
    fil_listener_unref(world.listener);
    end_world();
    return is_exact && world.closed_count == 1 && !world.is_wrong;
}

static void test_each_drop_is_one_missing_number(void **state)
{
    (void)state;
    check_outcome(&(struct orders_case){
        .interruptions_max = 2, .set_up = set_up_drop, .tear_down = tear_down_drop});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_events_come_in_order),
        cmocka_unit_test(test_moved_lane_is_served_by_one_thread_at_a_time),
        cmocka_unit_test(test_publisher_that_waits_is_woken),
        cmocka_unit_test(test_event_that_races_with_close_is_accounted_for),
        cmocka_unit_test(test_each_drop_is_one_missing_number),
    };
    return cmocka_run_group_tests_name("lane_interleave", tests, NULL, NULL);
}
