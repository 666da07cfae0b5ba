// SPDX-License-Identifier: Apache-2.0
/**
 * Plays a few threads of real code through all orders of their steps on shared memory, up to a
 * number of interruptions.
 *
 * The code under test is compiled with FIL_INTERLEAVE: it asks here before each step who goes on.
 * Its threads, futexes and yields are replaced by those of this file, so that it runs as it is, its
 * loops, parking and stop included. Actors are contexts of one thread. Whoever sleeps or has ended
 * hands over to the one that has waited longest; any other choice, there or at a step, counts as an
 * interruption. All decisions are tried, depth first.
 *
 * An order in which somebody is left that can never go on (a lost wake-up) is stuck. Orders are
 * sequentially consistent; weaker ones are the thread sanitizer's business, in the tests with real
 * threads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef void (*orders_fn)(void *context);
typedef bool (*orders_ready_fn)(void);

struct orders_case {
    uint32_t interruptions_max;
    void (*set_up)(void);    // makes the world anew, starts threads, adds actors
    bool (*tear_down)(void); // after the order; returns whether it had the right result
};

struct orders_outcome {
    uint32_t order_count;
    bool is_stuck;
    bool is_wrong;
};

/** Plays all orders, or up to the first that gets stuck or goes wrong; that one is printed. */
struct orders_outcome orders_play(const struct orders_case *explored);

/** For set_up: one more actor. */
void orders_add(orders_fn run, void *context);

/** For actors: a step on memory of the test that actors share. */
void orders_step(void);

/** For actors: goes on once the condition holds. */
void orders_wait_until(orders_ready_fn is_ready);

/** Whether somebody's sleep ended by its time, because nobody could go on otherwise. */
bool orders_has_time_passed(void);
