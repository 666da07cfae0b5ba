// SPDX-License-Identifier: Apache-2.0
/**
 * The stack, one test a promise: what was pushed is taken oldest first; a chain stays together and
 * in its order; a push tells whether the stack was empty; a take leaves nothing behind; an item may
 * go round again and again; with four producers and a consumer that sleeps, no item and no wake-up
 * is lost, and each producer's items come in its order.
 */
#include "lib/conc/stack.h"

#include "lib/base/prng.h"
#include "lib/conc/parker.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

struct item {
    struct fil_link link;
    uint32_t producer;
    uint32_t number;
    _Atomic uint32_t is_done;
};

static struct fil_stack stack;

static int set_up(void **state)
{
    (void)state;
    fil_stack_init(&stack);
    return 0;
}

static struct item *item_of(struct fil_link *link)
{
    return FIL_CONTAINER_OF(link, struct item, link);
}

static void test_items_come_in_the_order_they_were_pushed(void **state)
{
    (void)state;
    struct item items[5];
    for (uint32_t i = 0; i < 5; i++) {
        items[i].number = i;
        (void)fil_stack_push(&stack, &items[i].link);
    }
    uint32_t count = 0;
    for (struct fil_link *link = fil_stack_take_all(&stack); link != NULL; link = link->next) {
        assert_int_equal(item_of(link)->number, count);
        count++;
    }
    assert_int_equal(count, 5);
}

static void test_chain_stays_together(void **state)
{
    (void)state;
    struct item items[6];
    for (uint32_t i = 0; i < 6; i++) {
        items[i].number = i;
    }
    (void)fil_stack_push(&stack, &items[0].link);
    // A chain is linked from its newest item to its oldest.
    items[3].link.next = &items[2].link;
    items[2].link.next = &items[1].link;
    assert_false(fil_stack_push_chain(&stack, &items[3].link, &items[1].link));
    (void)fil_stack_push(&stack, &items[4].link);
    assert_false(fil_stack_push_chain(&stack, &items[5].link, &items[5].link));
    uint32_t count = 0;
    for (struct fil_link *link = fil_stack_take_all(&stack); link != NULL; link = link->next) {
        assert_int_equal(item_of(link)->number, count);
        count++;
    }
    assert_int_equal(count, 6);
}

static void test_push_tells_whether_the_stack_was_empty(void **state)
{
    (void)state;
    struct item items[2];
    assert_true(fil_stack_is_empty(&stack));
    assert_true(fil_stack_push(&stack, &items[0].link));
    assert_false(fil_stack_is_empty(&stack));
    assert_false(fil_stack_push(&stack, &items[1].link));
    assert_non_null(fil_stack_take_all(&stack));
    assert_true(fil_stack_is_empty(&stack));
    assert_true(fil_stack_push(&stack, &items[0].link));
}

static void test_take_leaves_nothing_behind(void **state)
{
    (void)state;
    struct item item;
    assert_null(fil_stack_take_all(&stack));
    (void)fil_stack_push(&stack, &item.link);
    assert_ptr_equal(fil_stack_take_all(&stack), &item.link);
    assert_null(item.link.next);
    assert_null(fil_stack_take_all(&stack));
}

static void test_item_goes_round_again_and_again(void **state)
{
    (void)state;
    struct item items[3];
    struct fil_link *spare = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        items[i].link.next = spare;
        spare = &items[i].link;
    }
    for (uint32_t round = 0; round < 100; round++) {
        uint32_t count = 0;
        while (spare != NULL) {
            struct fil_link *next = spare->next;
            (void)fil_stack_push(&stack, spare);
            spare = next;
        }
        spare = fil_stack_take_all(&stack);
        for (struct fil_link *link = spare; link != NULL; link = link->next) {
            count++;
        }
        assert_int_equal(count, 3);
    }
}

#define PRODUCERS          4U
#define ITEMS_PER_PRODUCER 4000U
#define CHAIN_MAX          5U

static struct item items[PRODUCERS][ITEMS_PER_PRODUCER];
static struct fil_parker parker;

/** Links the producer's items from first on into a chain; returns how many. */
static uint32_t push_chain(struct item *mine, uint32_t first, uint32_t wanted)
{
    uint32_t left = ITEMS_PER_PRODUCER - first;
    uint32_t count = wanted < left ? wanted : left;
    for (uint32_t i = first + 1; i < first + count; i++) {
        mine[i].link.next = &mine[i - 1].link;
    }
    (void)fil_stack_push_chain(&stack, &mine[first + count - 1].link, &mine[first].link);
    return count;
}

static void produce(void *context)
{
    struct item *mine = context;
    struct fil_prng prng;
    fil_prng_init(&prng, mine->producer);
    uint32_t done = 0;
    while (done < ITEMS_PER_PRODUCER) {
        uint32_t first = done;
        done += push_chain(mine, done, 1 + (uint32_t)fil_prng_below(&prng, CHAIN_MAX));
        (void)fil_parker_wake(&parker);
        // Now and then it waits, so that the consumer runs dry and sleeps.
        while (first % 3 == 0 &&
               atomic_load_explicit(&mine[done - 1].is_done, memory_order_relaxed) == 0) {
            fil_thread_yield();
        }
    }
}

/** Takes what there is, or sleeps; returns how many it took. */
static uint32_t consume(uint32_t next[PRODUCERS])
{
    uint32_t count = 0;
    struct fil_link *link = fil_stack_take_all(&stack);
    while (link != NULL) {
        struct item *item = item_of(link);
        link = link->next;
        assert_int_equal(item->number, next[item->producer]);
        next[item->producer]++;
        atomic_store_explicit(&item->is_done, 1, memory_order_relaxed);
        count++;
    }
    if (count == 0) {
        fil_parker_prepare(&parker);
        if (fil_stack_is_empty(&stack)) {
            fil_parker_park(&parker, FIL_WAIT_FOREVER);
        } else {
            fil_parker_cancel(&parker);
        }
    }
    return count;
}

/** A lost wake-up leaves everybody waiting, and the test's time limit tells. */
static void test_no_item_of_four_producers_is_lost(void **state)
{
    (void)state;
    struct fil_thread threads[PRODUCERS];
    uint32_t next[PRODUCERS] = {0};
    uint32_t received = 0;
    fil_parker_init(&parker);
    for (uint32_t p = 0; p < PRODUCERS; p++) {
        for (uint32_t i = 0; i < ITEMS_PER_PRODUCER; i++) {
            items[p][i].producer = p;
            items[p][i].number = i;
        }
        assert_int_equal(fil_thread_start(&threads[p], "producer", produce, items[p]), FIL_OK);
    }
    while (received < PRODUCERS * ITEMS_PER_PRODUCER) {
        received += consume(next);
    }
    for (uint32_t p = 0; p < PRODUCERS; p++) {
        fil_thread_join(&threads[p]);
        assert_int_equal(next[p], ITEMS_PER_PRODUCER);
    }
    assert_true(fil_stack_is_empty(&stack));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_items_come_in_the_order_they_were_pushed, set_up),
        cmocka_unit_test_setup(test_chain_stays_together, set_up),
        cmocka_unit_test_setup(test_push_tells_whether_the_stack_was_empty, set_up),
        cmocka_unit_test_setup(test_take_leaves_nothing_behind, set_up),
        cmocka_unit_test_setup(test_item_goes_round_again_and_again, set_up),
        cmocka_unit_test_setup(test_no_item_of_four_producers_is_lost, set_up),
    };
    return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
