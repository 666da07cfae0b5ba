// SPDX-License-Identifier: Apache-2.0
/**
 * The lanes of the event stage, in every order of their steps. Promises: events of two publishers
 * are all delivered, each one's in order, with numbers without a gap, and nobody sleeps while a
 * lane has events; a lane is served by one thread at a time, also while it is moved to another; a
 * publisher that waits for room is woken, and one without a thread is called; a place that was
 * given up leaves nothing behind; an event that races with close is refused, delivered or
 * discarded, and after the end nobody is called; each drop is one missing number.
 */
#include <string.h>

#include "core/exec/event.h"
#include "core/exec/lane_internal.h"
#include "core/exec/listener.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "tests/interleave/suite.h"

#define PUBLISHERS 2U
#define NOTES      3U // a publisher
#define WAIT_NS    1000U
#define ACTORS_MAX 4U

struct note {
    struct fil_event event;
    uint32_t publisher;
    uint32_t number;
};

struct event_case {
    const char *name;
    uint32_t thread_count;
    uint32_t lane_max;
    enum fil_publish how;
    uint32_t counts[PUBLISHERS]; // events of each
    fil_explorer_fn others[ACTORS_MAX - PUBLISHERS];
    void (*check)(void);
    bool is_closed;  // in the middle of it, and each publisher has a reference
    bool has_guests; // those who publish wait in the lobby
    uint32_t interruptions_max;
};

static struct world {
    const struct event_case *now;
    struct fil_events events;
    struct fil_listener *listener;
    struct note notes[PUBLISHERS][NOTES];
    struct note last_note;
    uint32_t next[PUBLISHERS]; // the number that is to come from each
    uint32_t inside;           // deliveries under way
    uint32_t publisher_count;  // that have not ended
    uint32_t taken_count;      // events that publish took
    uint32_t lost_count;       // that it did not
    uint32_t delivered_count;
    uint32_t discarded_count;
    uint32_t closed_count;
    uint64_t last_seq;
    struct visit {
        struct fil_guest guest;
        bool is_called;
    } visits[PUBLISHERS];
} world;

static uint64_t now_ns(struct fil_env *env)
{
    (void)env;
    return fil_explorer_now_ns();
}

static const struct fil_env_ops env_ops = {.now_ns = now_ns};
static struct fil_env env = {.ops = &env_ops};

static void must_be_ok(int error)
{
    fil_assert(error == FIL_OK);
}

// The listener.

static void deliver(void *context, struct fil_event *event)
{
    (void)context;
    struct note *note = FIL_CONTAINER_OF(event, struct note, event);
    world.inside++;
    fil_explorer_touch(&world.inside);
    if (world.inside != 1) {
        fil_explorer_fail("two threads serve a lane");
    }
    if (world.closed_count > 0) {
        fil_explorer_fail("an event is delivered after the end");
    }
    if (note->number < world.next[note->publisher] || event->seq <= world.last_seq) {
        fil_explorer_fail("an event was overtaken");
    }
    world.next[note->publisher] = note->number + 1;
    world.last_seq = event->seq;
    world.delivered_count++;
    world.inside--;
}

static void discard(void *context, struct fil_event *event)
{
    (void)context;
    (void)event;
    if (world.closed_count > 0) {
        fil_explorer_fail("an event is discarded after the end");
    }
    world.discarded_count++;
}

static const struct fil_listener_ops ops = {.deliver = deliver, .discard = discard};

static void note_closed(void *context)
{
    (void)context;
    world.closed_count++;
}

// Those who publish.

static void publish(struct note *note, enum fil_publish how)
{
    int error = fil_listener_publish(world.listener, 0, &note->event, how);
    if (error == FIL_OK) {
        world.taken_count++;
    } else {
        world.lost_count += error == FIL_E_FULL;
    }
}

static void note_call(struct fil_guest *guest)
{
    FIL_CONTAINER_OF(guest, struct visit, guest)->is_called = true;
}

static bool is_called(void *context)
{
    const struct visit *visit = context;
    return visit->is_called;
}

/** Waits in the lobby, as long as there is no room. */
static void publish_as_guest(struct note *note)
{
    struct fil_lobby *lobby = fil_listener_lobby(world.listener, 0);
    struct visit *visit = &world.visits[note->publisher];
    while (fil_listener_publish(world.listener, 0, &note->event, FIL_PUBLISH_TRY) == FIL_E_FULL) {
        visit->is_called = false;
        fil_lobby_enter(lobby, &visit->guest, note_call);
        if (fil_listener_is_full(world.listener, 0, 1)) {
            fil_explorer_wait_until(is_called, visit);
        }
        (void)fil_lobby_leave(lobby, &visit->guest);
    }
    world.taken_count++;
}

static void publish_notes(void *context)
{
    struct note *notes = context;
    uint32_t publisher = notes->publisher;
    for (uint32_t i = 0; i < world.now->counts[publisher]; i++) {
        if (world.now->has_guests) {
            publish_as_guest(&notes[i]);
        } else {
            publish(&notes[i], world.now->how);
        }
    }
    world.publisher_count--;
    if (world.now->is_closed) {
        fil_listener_unref(world.listener);
    }
}

// The others.

static bool has_all_come(void *context)
{
    (void)context;
    return world.publisher_count == 0 &&
           world.delivered_count + world.discarded_count == world.taken_count &&
           world.closed_count == world.now->is_closed;
}

/** When all is done: so that a lost wake-up is not made good by the stop. */
static void stop_late(void *context)
{
    fil_explorer_wait_until(has_all_come, context);
    fil_events_stop(&world.events);
}

static void move_to_and_fro(void *context)
{
    (void)context;
    _Atomic uint32_t *home = &world.listener->lanes[0].home;
    for (uint32_t i = 2; i > 0; i--) {
        fil_explorer_touch(home);
        atomic_store_explicit(home, i - 1, memory_order_relaxed);
    }
}

static void take_and_give_up(void *context)
{
    (void)context;
    enum fil_event_place place = FIL_EVENT_PLACE_NONE;
    if (fil_listener_reserve(world.listener, 0, &place) == FIL_OK) {
        fil_listener_give_up(world.listener, 0, place);
    }
    world.publisher_count--;
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

// The stage.

static void ignore_counter(struct fil_counter *counter)
{
    fil_explorer_ignore(counter, sizeof(*counter));
}

static void ignore_figures(void)
{
    struct fil_lane *lane = &world.listener->lanes[0];
    ignore_counter(&lane->delivered_count);
    ignore_counter(&lane->discarded_count);
    ignore_counter(&lane->slowest_ns);
    ignore_counter(&world.events.dropped_count);
    ignore_counter(&world.events.waited_count);
    for (uint32_t i = 0; i < world.events.queue_count; i++) {
        struct fil_crew_member *member = &world.events.crew.members[i];
        ignore_counter(&world.events.queues[i].length);
        ignore_counter(&world.events.queues[i].forward_count);
        ignore_counter(&member->park_count);
        fil_explorer_ignore(&member->meter, sizeof(member->meter));
    }
}

static void open_stage(const struct event_case *now)
{
    must_be_ok(fil_events_init(&world.events,
                               &(struct fil_events_options){.env = &env,
                                                            .thread_count = now->thread_count,
                                                            .capacity = 64,
                                                            .put_timeout_ns = WAIT_NS,
                                                            .idle = FIL_IDLE_KIND_BLOCK}));
    must_be_ok(fil_listener_open(&world.events,
                                 &(struct fil_listener_options){.name = "test",
                                                                .ops = &ops,
                                                                .lane_count = 1,
                                                                .lane_reserve = 1,
                                                                .lane_max = now->lane_max},
                                 &world.listener));
    ignore_figures();
    must_be_ok(fil_events_start(&world.events));
}

static void add_publisher(uint32_t publisher)
{
    static const char *const names[PUBLISHERS] = {"publisher-0", "publisher-1"};
    for (uint32_t i = 0; i < NOTES; i++) {
        world.notes[publisher][i].publisher = publisher;
        world.notes[publisher][i].number = i;
    }
    if (world.now->is_closed) {
        fil_listener_ref(world.listener);
    }
    world.publisher_count++;
    (void)fil_explorer_add(names[publisher], publish_notes, world.notes[publisher]);
}

static void set_up(void *context)
{
    memset(&world, 0, sizeof(world));
    fil_explorer_track(&world, sizeof(world));
    world.now = context;
    open_stage(world.now);
    for (uint32_t i = 0; i < PUBLISHERS; i++) {
        if (world.now->counts[i] > 0) {
            add_publisher(i);
        }
    }
    for (uint32_t i = 0; i < FIL_COUNT_OF(world.now->others); i++) {
        if (world.now->others[i] != NULL) {
            // It may leave work for the stage, as those who publish do.
            world.publisher_count += world.now->others[i] == take_and_give_up;
            (void)fil_explorer_add("other", world.now->others[i], NULL);
        }
    }
    (void)fil_explorer_add("stopper", stop_late, NULL);
}

// Checks.

static void end_world(void)
{
    if (world.closed_count != 1) {
        fil_explorer_fail("the end was told %u times", world.closed_count);
    }
    if (world.events.listener_count != 0 || world.events.credit != world.events.options.capacity) {
        fil_explorer_fail("places are missing");
    }
    if (fil_explorer_now_ns() != FIL_EXPLORER_START_NS) {
        fil_explorer_fail("somebody was not woken and went on by his time");
    }
    fil_events_fini(&world.events);
    if (fil_explorer_block_count() != 0) {
        fil_explorer_fail("memory is left");
    }
}

/** All were taken and delivered, and their numbers have no gap. */
static void check_complete(void)
{
    if (world.lost_count != 0 || world.delivered_count != world.taken_count ||
        world.last_seq != world.taken_count) {
        fil_explorer_fail("%u were lost, %u taken, %u delivered", world.lost_count,
                          world.taken_count, world.delivered_count);
    }
    fil_listener_close(world.listener, note_closed, NULL);
    fil_listener_unref(world.listener);
    end_world();
}

static void check_closed(void)
{
    if (world.delivered_count + world.discarded_count != world.taken_count) {
        fil_explorer_fail("an event is not accounted for");
    }
    end_world();
}

/** An event that comes after all others has the number of all that were published. */
static void check_drop(void)
{
    fil_role_enter(&fil_role_event);
    fil_role_assert_event();
    world.last_note.number = NOTES;
    publish(&world.last_note, FIL_PUBLISH_TRY);
    while (fil_events_cycle(&world.events, 0) > 0) {
    }
    fil_role_leave_all();
    uint32_t total = world.now->counts[0] + world.now->counts[1] + 1;
    if (world.last_seq != total || world.taken_count + world.lost_count != total) {
        fil_explorer_fail("number %u is the last of %u", (uint32_t)world.last_seq, total);
    }
    fil_listener_close(world.listener, note_closed, NULL);
    fil_listener_unref(world.listener);
    end_world();
}

static void check(void *context)
{
    const struct event_case *now = context;
    now->check();
}

static const struct event_case cases[] = {
    {.name = "two_publishers",
     .thread_count = 1,
     .lane_max = 8,
     .how = FIL_PUBLISH_TRY,
     .counts = {2, 1},
     .check = check_complete},
    {.name = "move",
     .thread_count = 2,
     .lane_max = 8,
     .how = FIL_PUBLISH_TRY,
     .counts = {2},
     .others = {move_to_and_fro},
     .check = check_complete},
    {.name = "waiting_publishers",
     .thread_count = 1,
     .lane_max = 1,
     .how = FIL_PUBLISH_WAIT,
     .counts = {2, 1},
     .check = check_complete},
    {.name = "guests",
     .thread_count = 1,
     .lane_max = 1,
     .counts = {2, 1},
     .check = check_complete,
     .has_guests = true},
    {.name = "given_up",
     .thread_count = 1,
     .lane_max = 1,
     .counts = {1, 1},
     .others = {take_and_give_up},
     .check = check_complete,
     .has_guests = true},
    {.name = "close",
     .thread_count = 1,
     .lane_max = 8,
     .how = FIL_PUBLISH_TRY,
     .counts = {2, 1},
     .others = {close_listener},
     .check = check_closed,
     .is_closed = true},
    {.name = "drop",
     .thread_count = 1,
     .lane_max = 2,
     .how = FIL_PUBLISH_DROP,
     .counts = {1, 3},
     .check = check_drop},
};

const char fil_suite_name[] = "event";

uint32_t fil_suite_case_count(void)
{
    return FIL_COUNT_OF(cases);
}

const char *fil_suite_case_name(uint32_t index)
{
    return cases[index].name;
}

struct fil_explorer_result fil_suite_case_run(uint32_t index)
{
    struct event_case now = cases[index];
    struct fil_explorer_case explored = {
        .name = now.name,
        .set_up = set_up,
        .check = check,
        .context = &now,
        .interruptions_max = now.interruptions_max,
    };
    return fil_explorer_run(&explored);
}
