// SPDX-License-Identifier: Apache-2.0
/**
 * Queues and parker, in every order of their steps. Promises: no item is lost or overtaken, no
 * wake-up is lost, and no sleep is woken twice.
 */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/conc/mpmc.h"
#include "lib/conc/parker.h"
#include "lib/conc/spsc.h"
#include "lib/os/futex.h"
#include "lib/os/thread.h"
#include "tests/interleave/suite.h"

#define ITEMS 3U

static struct world {
    struct fil_mpmc doorway;
    struct fil_spsc edge;
    struct fil_parker owner_parker;
    struct fil_parker producer_parker;
    struct fil_parker consumer_parker;
    uint32_t sleep_count; // announced by whoever
    void *received[ITEMS];
    uint32_t received_count;
} world;

static uint32_t items[ITEMS]; // only their addresses count

static void begin_world(void)
{
    memset(&world, 0, sizeof(world));
    fil_explorer_track(&world, sizeof(world));
    fil_parker_init(&world.owner_parker);
    fil_parker_init(&world.producer_parker);
    fil_parker_init(&world.consumer_parker);
}

/** There are two wake-ups an item at most; who does not sleep in the end may announce for ever. */
static void announce_sleep(struct fil_parker *parker)
{
    world.sleep_count += world.sleep_count < 2 * ITEMS;
    fil_parker_prepare(parker);
}

static void check_wakes(void)
{
    uint64_t wake_count = world.owner_parker.wake_count + world.producer_parker.wake_count +
                          world.consumer_parker.wake_count;
    if (wake_count > world.sleep_count) {
        fil_explorer_fail("a sleep was woken twice");
    }
}

// Two producers, one owner that parks.

static void push_item(uint32_t *item)
{
    while (!fil_mpmc_push(&world.doorway, item)) {
        fil_thread_yield();
    }
    (void)fil_parker_wake(&world.owner_parker);
}

static void produce_two(void *context)
{
    (void)context;
    push_item(&items[0]);
    push_item(&items[1]);
}

static void produce_one(void *context)
{
    (void)context;
    push_item(&items[2]);
}

static void owner_sleep(void)
{
    announce_sleep(&world.owner_parker);
    if (fil_mpmc_is_empty(&world.doorway)) {
        fil_parker_park(&world.owner_parker, FIL_WAIT_FOREVER);
        return;
    }
    fil_parker_cancel(&world.owner_parker);
    fil_thread_yield(); // a producer may stand between its claim and its item
}

static void own(void *context)
{
    (void)context;
    while (world.received_count < ITEMS) {
        void *item = fil_mpmc_take(&world.doorway);
        if (item == NULL) {
            owner_sleep();
        } else {
            world.received[world.received_count] = item;
            world.received_count++;
        }
    }
}

static void set_up_doorway(void *context)
{
    (void)context;
    begin_world();
    int error = fil_mpmc_init(&world.doorway, 2); // so small that it fills up
    fil_assert(error == FIL_OK);
    (void)fil_explorer_add("owner", own, NULL);
    (void)fil_explorer_add("producer-0", produce_two, NULL);
    (void)fil_explorer_add("producer-1", produce_one, NULL);
}

/** Where in the order of arrival the item stands; ITEMS when it has not come. */
static uint32_t place_of(const uint32_t *item)
{
    uint32_t place = 0;
    while (place < ITEMS && world.received[place] != item) {
        place++;
    }
    return place;
}

static void check_doorway(void *context)
{
    (void)context;
    uint32_t first = place_of(&items[0]);
    uint32_t second = place_of(&items[1]);
    if (second == ITEMS || place_of(&items[2]) == ITEMS) {
        fil_explorer_fail("an item is lost");
    }
    if (first >= second) {
        fil_explorer_fail("an item was overtaken");
    }
    check_wakes();
}

// One producer and one consumer over an edge; both park.

static void feed_edge(void *context)
{
    (void)context;
    void *all[ITEMS] = {&items[0], &items[1], &items[2]};
    for (uint32_t sent = 0; sent < ITEMS;) {
        uint32_t pushed = fil_spsc_push_many(&world.edge, all + sent, ITEMS - sent);
        sent += pushed;
        if (pushed > 0) {
            (void)fil_parker_wake(&world.consumer_parker);
            continue;
        }
        announce_sleep(&world.producer_parker);
        if (fil_spsc_is_full(&world.edge)) {
            fil_parker_park(&world.producer_parker, FIL_WAIT_FOREVER);
        } else {
            fil_parker_cancel(&world.producer_parker);
        }
    }
}

static void drain_edge(void *context)
{
    (void)context;
    while (world.received_count < ITEMS) {
        uint32_t count = fil_spsc_take(&world.edge, world.received + world.received_count, 1);
        world.received_count += count;
        if (count > 0) {
            (void)fil_parker_wake(&world.producer_parker);
            continue;
        }
        announce_sleep(&world.consumer_parker);
        if (fil_spsc_is_empty(&world.edge)) {
            fil_parker_park(&world.consumer_parker, FIL_WAIT_FOREVER);
        } else {
            fil_parker_cancel(&world.consumer_parker);
        }
    }
}

static void set_up_edge(void *context)
{
    (void)context;
    begin_world();
    int error = fil_spsc_init(&world.edge, 1);
    fil_assert(error == FIL_OK);
    (void)fil_explorer_add("consumer", drain_edge, NULL);
    (void)fil_explorer_add("producer", feed_edge, NULL);
}

static void check_edge(void *context)
{
    (void)context;
    for (uint32_t i = 0; i < ITEMS; i++) {
        if (world.received[i] != &items[i]) {
            fil_explorer_fail("item %u is lost or was overtaken", i);
        }
    }
    check_wakes();
}

static const struct fil_explorer_case cases[] = {
    {.name = "doorway", .set_up = set_up_doorway, .check = check_doorway},
    {.name = "edge", .set_up = set_up_edge, .check = check_edge},
    {.name = "buffered_edge",
     .set_up = set_up_edge,
     .check = check_edge,
     .has_store_buffers = true},
};

const char fil_suite_name[] = "queue";

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
