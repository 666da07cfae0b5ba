// SPDX-License-Identifier: Apache-2.0
/**
 * Queues and parker, step by step: every order in which two or three threads can interleave their
 * steps on shared memory, up to a number of interruptions, is played through one after the other.
 * Promises: in no order is an item lost or overtaken, a wake-up lost, or a sleep woken twice; and
 * an owner that looks at its queue before it announces its sleep is found out.
 *
 * The modules are compiled into this file with their yield points on. Actors are real threads of
 * which only one runs at a time; at each yield point the explorer decides who goes on. It plays
 * sequentially consistent orders; weaker ones are the thread sanitizer's business.
 */
#define FIL_INTERLEAVE

#include <pthread.h>
#include <string.h>

#include "lib/conc/mpsc.c"
#include "lib/conc/parker.c"
#include "lib/conc/spsc.c"
#include "tests/unit/harness.h"

#define ACTORS_MAX   3U
#define STEPS_MAX    2000U
#define STEPS_ENOUGH 500U // far more than any order needs that comes to its end
#define NOBODY       UINT32_MAX

typedef void (*actor_fn)(void);

struct actor {
    pthread_t thread;
    pthread_cond_t called;
    actor_fn run;
    bool is_done;
    const void *asleep_on; // NULL while it can run
    uint64_t called_at;    // when it got its last turn
};

/** One order is the list of decisions that led to it; the next differs in the last one left. */
struct explorer {
    pthread_mutex_t mutex;
    pthread_cond_t finished;
    struct actor actors[ACTORS_MAX];
    uint32_t actor_count;
    uint32_t interruptions_max;
    uint32_t turn; // who may run
    bool is_closing;

    uint32_t chosen[STEPS_MAX];
    uint32_t choices[STEPS_MAX];
    uint32_t decision_count; // of the order being played
    uint32_t depth;          // decisions made so far
    uint32_t interruptions;
    uint64_t call_count;
    uint32_t steps;
    bool is_stuck; // everybody slept
};

static struct explorer explorer = {
    .mutex = PTHREAD_MUTEX_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER, .turn = NOBODY};
static _Thread_local uint32_t self = NOBODY;

static uint32_t decide(uint32_t choices)
{
    if (choices == 1) {
        return 0;
    }
    fil_assert(explorer.depth < STEPS_MAX);
    if (explorer.depth == explorer.decision_count) {
        explorer.chosen[explorer.depth] = 0;
        explorer.decision_count++;
    }
    explorer.choices[explorer.depth] = choices;
    uint32_t chosen = explorer.chosen[explorer.depth];
    fil_assert(chosen < choices); // else the actors are not deterministic
    explorer.depth++;
    return chosen;
}

/** Goes back to the last decision that had another choice; false when all orders were played. */
static bool next_order(void)
{
    while (explorer.decision_count > 0) {
        uint32_t last = explorer.decision_count - 1;
        if (explorer.chosen[last] + 1 < explorer.choices[last]) {
            explorer.chosen[last]++;
            return true;
        }
        explorer.decision_count--;
    }
    return false;
}

static uint32_t others_that_can_run(uint32_t *out_actors)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        if (i != self && !explorer.actors[i].is_done && explorer.actors[i].asleep_on == NULL) {
            out_actors[count] = i;
            count++;
        }
    }
    return count;
}

/** Nobody can run: wakes all sleepers, so that the order can be played to its end. */
static bool break_sleep(void)
{
    bool has_sleepers = false;
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        has_sleepers = has_sleepers || explorer.actors[i].asleep_on != NULL;
        explorer.actors[i].asleep_on = NULL;
    }
    explorer.is_stuck = explorer.is_stuck || has_sleepers;
    return has_sleepers;
}

static void call(uint32_t next)
{
    explorer.turn = next;
    explorer.call_count++;
    if (next == NOBODY) {
        (void)pthread_cond_signal(&explorer.finished);
    } else {
        explorer.actors[next].called_at = explorer.call_count;
        (void)pthread_cond_signal(&explorer.actors[next].called);
    }
}

static void wait_for_turn(void)
{
    while (explorer.turn != self) {
        (void)pthread_cond_wait(&explorer.actors[self].called, &explorer.mutex);
    }
}

/** Hands the turn to one of the others because this actor sleeps or has ended. */
static void hand_over(void)
{
    uint32_t others[ACTORS_MAX];
    uint32_t count = others_that_can_run(others);
    if (count == 0 && break_sleep()) {
        if (!explorer.actors[self].is_done) {
            return;
        }
        count = others_that_can_run(others);
    }
    call(count == 0 ? NOBODY : others[decide(count)]);
}

/** The modules come here before every step on shared memory. */
void fil_yield_point(const char *where)
{
    fil_assert(where != NULL);
    if (self == NOBODY) {
        return; // the test itself, before or after the play
    }
    (void)pthread_mutex_lock(&explorer.mutex);
    explorer.steps++;
    if (explorer.steps == STEPS_ENOUGH) {
        (void)break_sleep(); // those who are awake wait in vain for those who sleep
    }
    fil_assert(explorer.steps < STEPS_MAX); // else somebody spins without give_way
    uint32_t others[ACTORS_MAX];
    uint32_t count = others_that_can_run(others);
    bool may_interrupt = explorer.interruptions < explorer.interruptions_max;
    uint32_t chosen = may_interrupt ? decide(1 + count) : 0;
    if (chosen > 0) {
        explorer.interruptions++;
        call(others[chosen - 1]);
        wait_for_turn();
    }
    (void)pthread_mutex_unlock(&explorer.mutex);
}

/**
 * For an actor that can do nothing but look again: somebody else goes first, the one that has
 * not run for longest. No decision, for two that give way to each other for ever are of no
 * interest.
 */
static void give_way(void)
{
    (void)pthread_mutex_lock(&explorer.mutex);
    uint32_t others[ACTORS_MAX];
    uint32_t count = others_that_can_run(others);
    if (count > 0) {
        uint32_t longest = others[0];
        for (uint32_t i = 1; i < count; i++) {
            if (explorer.actors[others[i]].called_at < explorer.actors[longest].called_at) {
                longest = others[i];
            }
        }
        call(longest);
        wait_for_turn();
    }
    (void)pthread_mutex_unlock(&explorer.mutex);
}

int fil_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    fil_assert(timeout_ns == FIL_WAIT_FOREVER);
    if (atomic_load_explicit(word, memory_order_relaxed) != expected) {
        return FIL_E_AGAIN;
    }
    (void)pthread_mutex_lock(&explorer.mutex);
    explorer.actors[self].asleep_on = word;
    hand_over();
    wait_for_turn();
    (void)pthread_mutex_unlock(&explorer.mutex);
    return FIL_OK;
}

void fil_futex_wake(_Atomic uint32_t *word, uint32_t count)
{
    fil_assert(count == 1);
    (void)pthread_mutex_lock(&explorer.mutex);
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        if (explorer.actors[i].asleep_on == word) {
            explorer.actors[i].asleep_on = NULL;
        }
    }
    (void)pthread_mutex_unlock(&explorer.mutex);
}

static void *act(void *context)
{
    self = (uint32_t)((struct actor *)context - explorer.actors);
    struct actor *actor = context;
    (void)pthread_mutex_lock(&explorer.mutex);
    for (;;) {
        while (explorer.turn != self && !explorer.is_closing) {
            (void)pthread_cond_wait(&actor->called, &explorer.mutex);
        }
        if (explorer.is_closing) {
            break;
        }
        (void)pthread_mutex_unlock(&explorer.mutex);
        actor->run();
        (void)pthread_mutex_lock(&explorer.mutex);
        actor->is_done = true;
        hand_over();
    }
    (void)pthread_mutex_unlock(&explorer.mutex);
    return NULL;
}

static void start_actors(const actor_fn *runs, uint32_t count)
{
    explorer.actor_count = count;
    explorer.decision_count = 0;
    explorer.is_closing = false;
    for (uint32_t i = 0; i < count; i++) {
        struct actor *actor = &explorer.actors[i];
        actor->run = runs[i];
        assert_int_equal(pthread_cond_init(&actor->called, NULL), 0);
        assert_int_equal(pthread_create(&actor->thread, NULL, act, actor), 0);
    }
}

static void stop_actors(void)
{
    (void)pthread_mutex_lock(&explorer.mutex);
    explorer.is_closing = true;
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        (void)pthread_cond_signal(&explorer.actors[i].called);
    }
    (void)pthread_mutex_unlock(&explorer.mutex);
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        assert_int_equal(pthread_join(explorer.actors[i].thread, NULL), 0);
        assert_int_equal(pthread_cond_destroy(&explorer.actors[i].called), 0);
    }
}

/** Plays one order; returns whether everybody came to an end without help. */
static bool play(void)
{
    (void)pthread_mutex_lock(&explorer.mutex);
    explorer.depth = 0;
    explorer.interruptions = 0;
    explorer.call_count = 0;
    explorer.steps = 0;
    explorer.is_stuck = false;
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        explorer.actors[i].is_done = false;
        explorer.actors[i].called_at = 0;
    }
    hand_over();
    while (explorer.turn != NOBODY) {
        (void)pthread_cond_wait(&explorer.finished, &explorer.mutex);
    }
    (void)pthread_mutex_unlock(&explorer.mutex);
    return !explorer.is_stuck;
}

struct scenario {
    actor_fn actors[ACTORS_MAX];
    uint32_t actor_count;
    uint32_t interruptions_max;
    void (*set_up)(void);
    bool (*check)(void); // whether the order had the right result
};

struct outcome {
    uint32_t order_count;
    uint32_t stuck_count;
    uint32_t wrong_count;
};

/** Plays all orders, or up to the first that gets stuck or goes wrong. */
static struct outcome explore(const struct scenario *scenario)
{
    struct outcome outcome = {0};
    explorer.interruptions_max = scenario->interruptions_max;
    start_actors(scenario->actors, scenario->actor_count);
    do {
        scenario->set_up();
        outcome.stuck_count += !play();
        outcome.order_count++;
        outcome.wrong_count += !scenario->check();
    } while (outcome.stuck_count == 0 && outcome.wrong_count == 0 && next_order());
    stop_actors();
    print_message("%u orders, %u stuck, %u wrong\n", outcome.order_count, outcome.stuck_count,
                  outcome.wrong_count);
    return outcome;
}

// Two producers, one owner that parks.

#define ITEMS 3U

static struct fil_mpsc doorway;
static struct fil_parker owner_parker;
static uint32_t items[ITEMS];
static void *received[ITEMS];
static uint32_t received_count;
static uint32_t sleep_count;
static bool looks_too_early;

static void doorway_set_up(void)
{
    assert_int_equal(fil_mpsc_init(&doorway, 2), FIL_OK); // so small that it fills up
    fil_parker_init(&owner_parker);
    memset(received, 0, sizeof(received));
    received_count = 0;
    sleep_count = 0;
}

static void push_item(uint32_t *item)
{
    while (!fil_mpsc_push(&doorway, item)) {
        give_way();
    }
    fil_parker_wake(&owner_parker);
}

static void first_producer(void)
{
    push_item(&items[0]);
    push_item(&items[1]);
}

static void second_producer(void)
{
    push_item(&items[2]);
}

static void owner_sleep(void)
{
    bool has_work = looks_too_early && !fil_mpsc_is_empty(&doorway);
    sleep_count++;
    fil_parker_prepare(&owner_parker);
    if (!looks_too_early) {
        has_work = !fil_mpsc_is_empty(&doorway);
    }
    if (!has_work) {
        fil_parker_park(&owner_parker, FIL_WAIT_FOREVER);
        return;
    }
    fil_parker_cancel(&owner_parker);
    give_way(); // a producer may stand between its claim and its item
}

static void owner(void)
{
    while (received_count < ITEMS) {
        void **place = received + received_count;
        uint32_t count = fil_mpsc_take(&doorway, place, ITEMS - received_count);
        received_count += count;
        if (count == 0) {
            owner_sleep();
        }
    }
}

/** Where in the order of arrival the item stands; ITEMS when it has not come. */
static uint32_t place_of(const uint32_t *item)
{
    uint32_t place = 0;
    while (place < ITEMS && received[place] != item) {
        place++;
    }
    return place;
}

static bool doorway_check(void)
{
    uint32_t first = place_of(&items[0]);
    uint32_t second = place_of(&items[1]);
    bool is_complete = second < ITEMS && place_of(&items[2]) < ITEMS;
    uint64_t wakes = atomic_load_explicit(&owner_parker.wake_count, memory_order_relaxed);
    fil_mpsc_fini(&doorway);
    return first < second && is_complete && wakes <= sleep_count;
}

static const struct scenario doorway_scenario = {
    .actors = {owner, first_producer, second_producer},
    .actor_count = 3,
    .interruptions_max = 2,
    .set_up = doorway_set_up,
    .check = doorway_check,
};

static void test_doorway_loses_nothing_in_any_order(void **state)
{
    (void)state;
    looks_too_early = false;
    struct outcome outcome = explore(&doorway_scenario);
    assert_int_equal(outcome.stuck_count, 0);
    assert_int_equal(outcome.wrong_count, 0);
    assert_true(outcome.order_count > 1000);
}

static void test_owner_that_looks_too_early_is_found_out(void **state)
{
    (void)state;
    looks_too_early = true;
    struct outcome outcome = explore(&doorway_scenario);
    assert_int_equal(outcome.stuck_count, 1);
}

// One producer and one consumer over an edge; both park.

static struct fil_spsc edge;
static struct fil_parker producer_parker;
static struct fil_parker consumer_parker;

static void edge_set_up(void)
{
    assert_int_equal(fil_spsc_init(&edge, 1), FIL_OK);
    fil_parker_init(&producer_parker);
    fil_parker_init(&consumer_parker);
    memset(received, 0, sizeof(received));
    received_count = 0;
}

static void edge_producer(void)
{
    void *all[ITEMS] = {&items[0], &items[1], &items[2]};
    for (uint32_t sent = 0; sent < ITEMS;) {
        uint32_t pushed = fil_spsc_push_many(&edge, all + sent, ITEMS - sent);
        sent += pushed;
        if (pushed > 0) {
            fil_parker_wake(&consumer_parker);
            continue;
        }
        fil_parker_prepare(&producer_parker);
        if (fil_spsc_is_full(&edge)) {
            fil_parker_park(&producer_parker, FIL_WAIT_FOREVER);
        } else {
            fil_parker_cancel(&producer_parker);
        }
    }
}

static void edge_consumer(void)
{
    while (received_count < ITEMS) {
        uint32_t count = fil_spsc_take(&edge, received + received_count, 1);
        received_count += count;
        if (count > 0) {
            fil_parker_wake(&producer_parker);
            continue;
        }
        fil_parker_prepare(&consumer_parker);
        if (fil_spsc_is_empty(&edge)) {
            fil_parker_park(&consumer_parker, FIL_WAIT_FOREVER);
        } else {
            fil_parker_cancel(&consumer_parker);
        }
    }
}

static bool edge_check(void)
{
    bool is_in_order = true;
    for (uint32_t i = 0; i < ITEMS; i++) {
        is_in_order = is_in_order && received[i] == &items[i];
    }
    fil_spsc_fini(&edge);
    return is_in_order;
}

static const struct scenario edge_scenario = {
    .actors = {edge_consumer, edge_producer},
    .actor_count = 2,
    .interruptions_max = 3,
    .set_up = edge_set_up,
    .check = edge_check,
};

static void test_edge_loses_nothing_in_any_order(void **state)
{
    (void)state;
    struct outcome outcome = explore(&edge_scenario);
    assert_int_equal(outcome.stuck_count, 0);
    assert_int_equal(outcome.wrong_count, 0);
    assert_true(outcome.order_count > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doorway_loses_nothing_in_any_order),
        cmocka_unit_test(test_owner_that_looks_too_early_is_found_out),
        cmocka_unit_test(test_edge_loses_nothing_in_any_order),
    };
    return cmocka_run_group_tests_name("interleave", tests, NULL, NULL);
}
