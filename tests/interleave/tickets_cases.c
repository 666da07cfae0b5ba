// SPDX-License-Identifier: Apache-2.0
/**
 * The run queue of a partition thread with several words and the marks over them, in every order of
 * its steps; the explored copy has words of four tickets. Promises: a ticket is taken once, and one
 * that was put can be found when nobody is in the middle of a step.
 */
#include <string.h>

#include "core/exec/tickets.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "tests/interleave/suite.h"

#define TICKETS 8U // in two words
#define ACTORS  3U // before the one that looks what is left

static struct world {
    struct fil_tickets tickets;
    uint32_t ended_count;
    uint32_t put_count;
    uint32_t taken[TICKETS];
} world;

static void put(uint32_t index)
{
    bool is_new = fil_tickets_put(&world.tickets, index);
    fil_assert(is_new);
    world.put_count++;
}

static bool take(void)
{
    uint32_t index = 0;
    if (!fil_tickets_take(&world.tickets, &index)) {
        return false;
    }
    fil_assert(index < TICKETS);
    if (++world.taken[index] > 1) {
        fil_explorer_fail("ticket %u was taken twice", index);
    }
    return true;
}

static void put_in_both_words(void *context)
{
    (void)context;
    put(0);
    put(5);
    world.ended_count++;
}

static void put_in_the_second(void *context)
{
    (void)context;
    put(6);
    world.ended_count++;
}

static void put_two_in_the_second(void *context)
{
    (void)context;
    put(5);
    put(6);
    world.ended_count++;
}

static void take_two(void *context)
{
    (void)context;
    (void)take();
    (void)take();
    world.ended_count++;
}

static void take_one(void *context)
{
    (void)context;
    (void)take();
    world.ended_count++;
}

static bool have_ended(void *context)
{
    (void)context;
    return world.ended_count == ACTORS;
}

static void take_the_rest(void *context)
{
    (void)context;
    fil_explorer_wait_until(have_ended, NULL);
    while (take()) {
    }
    if (!fil_tickets_is_empty(&world.tickets)) {
        fil_explorer_fail("a ticket is hidden");
    }
}

static void set_up_world(void)
{
    memset(&world, 0, sizeof(world));
    fil_explorer_track(&world, sizeof(world));
    int error = fil_tickets_init(&world.tickets, TICKETS);
    fil_assert(error == FIL_OK);
    fil_assert(world.tickets.word_count == 2);
}

static void set_up_two_putters(void *context)
{
    (void)context;
    set_up_world();
    put(4); // when it is taken, the mark of its word stays
    (void)fil_explorer_add("putter-0", put_in_both_words, NULL);
    (void)fil_explorer_add("putter-1", put_in_the_second, NULL);
    (void)fil_explorer_add("taker", take_two, NULL);
    (void)fil_explorer_add("rest", take_the_rest, NULL);
}

static void set_up_two_takers(void *context)
{
    (void)context;
    set_up_world();
    put(0);
    put(4);
    (void)fil_explorer_add("putter", put_two_in_the_second, NULL);
    (void)fil_explorer_add("taker-0", take_two, NULL);
    (void)fil_explorer_add("taker-1", take_one, NULL);
    (void)fil_explorer_add("rest", take_the_rest, NULL);
}

static void check_all_taken(void *context)
{
    (void)context;
    uint32_t taken_count = 0;
    for (uint32_t i = 0; i < TICKETS; i++) {
        taken_count += world.taken[i];
    }
    if (taken_count != world.put_count) {
        fil_explorer_fail("%u tickets were put and %u taken", world.put_count, taken_count);
    }
}

static const struct fil_explorer_case cases[] = {
    {.name = "two_putters", .set_up = set_up_two_putters, .check = check_all_taken},
    {.name = "two_takers", .set_up = set_up_two_takers, .check = check_all_taken},
};

const char fil_suite_name[] = "tickets";

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
    return fil_explorer_run(&cases[index]);
}
