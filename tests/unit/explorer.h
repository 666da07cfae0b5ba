// SPDX-License-Identifier: Apache-2.0
/**
 * Plays every order in which a few threads can interleave their steps on shared memory, up to a
 * number of interruptions, one after the other.
 *
 * The code under test is compiled into the test with FIL_INTERLEAVE, so that its yield points come
 * here. Actors are real threads of which only one runs at a time; at each yield point the explorer
 * decides who goes on. It plays sequentially consistent orders; weaker ones are the thread
 * sanitizer's business. The futex of lib/os is replaced by one that the explorer sees through.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "lib/base/assert.h"
#include "lib/conc/yield.h"
#include "lib/os/futex.h"
#include "tests/unit/harness.h"

#define EXPLORER_ACTORS_MAX   3U
#define EXPLORER_STEPS_MAX    2000U
#define EXPLORER_STEPS_ENOUGH 500U // far more than any order needs that comes to its end
#define EXPLORER_NOBODY       UINT32_MAX

/** For long walks: how many interruptions more than each test asks for. */
#ifndef EXPLORER_EXTRA
#define EXPLORER_EXTRA 0U
#endif

typedef void (*explorer_actor_fn)(void);

struct explorer_actor {
    pthread_t thread;
    pthread_cond_t called;
    explorer_actor_fn run;
    bool is_done;
    const void *asleep_on; // NULL while it can run
    uint64_t called_at;    // when it got its last turn
};

/** One order is the list of decisions that led to it; the next differs in the last one left. */
struct explorer {
    pthread_mutex_t mutex;
    pthread_cond_t finished;
    struct explorer_actor actors[EXPLORER_ACTORS_MAX];
    uint32_t actor_count;
    uint32_t interruptions_max;
    uint32_t turn; // who may run
    bool is_closing;

    uint32_t chosen[EXPLORER_STEPS_MAX];
    uint32_t choices[EXPLORER_STEPS_MAX];
    uint32_t decision_count; // of the order being played
    uint32_t depth;          // decisions made so far
    uint32_t interruptions;
    uint64_t call_count;
    uint32_t steps;
    bool is_stuck; // everybody slept
};

static struct explorer explorer = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                                   .finished = PTHREAD_COND_INITIALIZER,
                                   .turn = EXPLORER_NOBODY};
static _Thread_local uint32_t explorer_self = EXPLORER_NOBODY;

static inline uint32_t explorer_decide(uint32_t choices)
{
    if (choices == 1) {
        return 0;
    }
    fil_assert(explorer.depth < EXPLORER_STEPS_MAX);
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
static inline bool explorer_next_order(void)
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

static inline uint32_t explorer_others_that_can_run(uint32_t *out_actors)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        if (i != explorer_self && !explorer.actors[i].is_done &&
            explorer.actors[i].asleep_on == NULL) {
            out_actors[count] = i;
            count++;
        }
    }
    return count;
}

/** Nobody can run: wakes all sleepers, so that the order can be played to its end. */
static inline bool explorer_break_sleep(void)
{
    bool has_sleepers = false;
    for (uint32_t i = 0; i < explorer.actor_count; i++) {
        has_sleepers = has_sleepers || explorer.actors[i].asleep_on != NULL;
        explorer.actors[i].asleep_on = NULL;
    }
    explorer.is_stuck = explorer.is_stuck || has_sleepers;
    return has_sleepers;
}

static inline void explorer_call(uint32_t next)
{
    explorer.turn = next;
    explorer.call_count++;
    if (next == EXPLORER_NOBODY) {
        (void)pthread_cond_signal(&explorer.finished);
    } else {
        explorer.actors[next].called_at = explorer.call_count;
        (void)pthread_cond_signal(&explorer.actors[next].called);
    }
}

static inline void explorer_wait_for_turn(void)
{
    while (explorer.turn != explorer_self) {
        (void)pthread_cond_wait(&explorer.actors[explorer_self].called, &explorer.mutex);
    }
}

/** Hands the turn to one of the others because this actor sleeps or has ended. */
static inline void explorer_hand_over(void)
{
    uint32_t others[EXPLORER_ACTORS_MAX];
    uint32_t count = explorer_others_that_can_run(others);
    if (count == 0 && explorer_break_sleep()) {
        if (!explorer.actors[explorer_self].is_done) {
            return;
        }
        count = explorer_others_that_can_run(others);
    }
    explorer_call(count == 0 ? EXPLORER_NOBODY : others[explorer_decide(count)]);
}

/** The modules come here before every step on shared memory. */
void fil_yield_point(const char *where)
{
    fil_assert(where != NULL);
    if (explorer_self == EXPLORER_NOBODY) {
        return; // the test itself, before or after the play
    }
    (void)pthread_mutex_lock(&explorer.mutex);
    explorer.steps++;
    if (explorer.steps == EXPLORER_STEPS_ENOUGH) {
        (void)explorer_break_sleep(); // those who are awake wait in vain for those who sleep
    }
    // Else somebody spins without explorer_give_way.
    fil_assert(explorer.steps < EXPLORER_STEPS_MAX);
    uint32_t others[EXPLORER_ACTORS_MAX];
    uint32_t count = explorer_others_that_can_run(others);
    bool may_interrupt = explorer.interruptions < explorer.interruptions_max;
    uint32_t chosen = may_interrupt ? explorer_decide(1 + count) : 0;
    if (chosen > 0) {
        explorer.interruptions++;
        explorer_call(others[chosen - 1]);
        explorer_wait_for_turn();
    }
    (void)pthread_mutex_unlock(&explorer.mutex);
}

/**
 * For an actor that can do nothing but look again: somebody else goes first, the one that has
 * not run for longest. No decision, for two that give way to each other for ever are of no
 * interest.
 */
static inline void explorer_give_way(void)
{
    (void)pthread_mutex_lock(&explorer.mutex);
    uint32_t others[EXPLORER_ACTORS_MAX];
    uint32_t count = explorer_others_that_can_run(others);
    if (count > 0) {
        uint32_t longest = others[0];
        for (uint32_t i = 1; i < count; i++) {
            if (explorer.actors[others[i]].called_at < explorer.actors[longest].called_at) {
                longest = others[i];
            }
        }
        explorer_call(longest);
        explorer_wait_for_turn();
    }
    (void)pthread_mutex_unlock(&explorer.mutex);
}

int fil_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    (void)timeout_ns; // time does not pass here
    if (atomic_load_explicit(word, memory_order_relaxed) != expected) {
        return FIL_E_AGAIN;
    }
    (void)pthread_mutex_lock(&explorer.mutex);
    explorer.actors[explorer_self].asleep_on = word;
    explorer_hand_over();
    explorer_wait_for_turn();
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

static inline void *explorer_act(void *context)
{
    explorer_self = (uint32_t)((struct explorer_actor *)context - explorer.actors);
    struct explorer_actor *actor = context;
    (void)pthread_mutex_lock(&explorer.mutex);
    for (;;) {
        while (explorer.turn != explorer_self && !explorer.is_closing) {
            (void)pthread_cond_wait(&actor->called, &explorer.mutex);
        }
        if (explorer.is_closing) {
            break;
        }
        (void)pthread_mutex_unlock(&explorer.mutex);
        actor->run();
        (void)pthread_mutex_lock(&explorer.mutex);
        actor->is_done = true;
        explorer_hand_over();
    }
    (void)pthread_mutex_unlock(&explorer.mutex);
    return NULL;
}

static inline void explorer_start_actors(const explorer_actor_fn *runs, uint32_t count)
{
    explorer.actor_count = count;
    explorer.decision_count = 0;
    explorer.is_closing = false;
    for (uint32_t i = 0; i < count; i++) {
        struct explorer_actor *actor = &explorer.actors[i];
        actor->run = runs[i];
        assert_int_equal(pthread_cond_init(&actor->called, NULL), 0);
        assert_int_equal(pthread_create(&actor->thread, NULL, explorer_act, actor), 0);
    }
}

static inline void explorer_stop_actors(void)
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
static inline bool explorer_play(void)
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
    explorer_hand_over();
    while (explorer.turn != EXPLORER_NOBODY) {
        (void)pthread_cond_wait(&explorer.finished, &explorer.mutex);
    }
    (void)pthread_mutex_unlock(&explorer.mutex);
    return !explorer.is_stuck;
}

struct explorer_scenario {
    explorer_actor_fn actors[EXPLORER_ACTORS_MAX];
    uint32_t actor_count;
    uint32_t interruptions_max;
    void (*set_up)(void);
    bool (*check)(void); // whether the order had the right result
};

struct explorer_outcome {
    uint32_t order_count;
    uint32_t stuck_count;
    uint32_t wrong_count;
};

/** Plays all orders, or up to the first that gets stuck or goes wrong. */
static inline struct explorer_outcome explorer_run(const struct explorer_scenario *scenario)
{
    struct explorer_outcome outcome = {0};
    explorer.interruptions_max = scenario->interruptions_max + EXPLORER_EXTRA;
    explorer_start_actors(scenario->actors, scenario->actor_count);
    do {
        scenario->set_up();
        outcome.stuck_count += !explorer_play();
        outcome.order_count++;
        outcome.wrong_count += !scenario->check();
    } while (outcome.stuck_count == 0 && outcome.wrong_count == 0 && explorer_next_order());
    explorer_stop_actors();
    print_message("%u orders, %u stuck, %u wrong\n", outcome.order_count, outcome.stuck_count,
                  outcome.wrong_count);
    return outcome;
}
