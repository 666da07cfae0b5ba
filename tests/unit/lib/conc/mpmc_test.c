// SPDX-License-Identifier: Apache-2.0
/**
 * The queue's contract, one test a promise: it refuses when full and recovers; it keeps the order
 * of the pushes; it counts; its positions may wrap; with many on both sides every item is taken
 * exactly once, each producer's in order, with all that was written before its push; who goes to
 * sleep and who pushes do not miss each other; a failing heap is an error and leaves something to
 * finish; a capacity that is no power of two, or too small, stops.
 *
 * The module is compiled into this file for the test that sets its positions.
 */
#include "lib/conc/mpmc.c"

#include <pthread.h>

#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "lib/conc/parker.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/base/assertion.h"

#define CAPACITY 8U

static struct fil_mpmc queue;
static int items[CAPACITY + 1];

static int set_up(void **state)
{
    (void)state;
    return fil_mpmc_init(&queue, CAPACITY);
}

static int tear_down(void **state)
{
    (void)state;
    fil_mpmc_fini(&queue);
    return 0;
}

static void fill(void)
{
    for (uint32_t i = 0; i < CAPACITY; i++) {
        assert_true(fil_mpmc_push(&queue, &items[i]));
    }
}

static void empty_in_order(void)
{
    for (uint32_t i = 0; i < CAPACITY; i++) {
        assert_ptr_equal(fil_mpmc_take(&queue), &items[i]);
    }
    assert_null(fil_mpmc_take(&queue));
}

static void test_full_queue_refuses_and_recovers(void **state)
{
    (void)state;
    fill();
    assert_false(fil_mpmc_push(&queue, &items[CAPACITY]));
    assert_ptr_equal(fil_mpmc_take(&queue), &items[0]);
    assert_true(fil_mpmc_push(&queue, &items[0]));
    assert_false(fil_mpmc_push(&queue, &items[CAPACITY]));
    for (uint32_t i = 1; i < CAPACITY; i++) {
        assert_ptr_equal(fil_mpmc_take(&queue), &items[i]);
    }
    assert_ptr_equal(fil_mpmc_take(&queue), &items[0]);
    assert_null(fil_mpmc_take(&queue));
}

static void test_queue_counts_what_it_holds(void **state)
{
    (void)state;
    assert_true(fil_mpmc_is_empty(&queue));
    assert_int_equal(fil_mpmc_count(&queue), 0);
    assert_true(fil_mpmc_push(&queue, &items[0]));
    assert_true(fil_mpmc_push(&queue, &items[1]));
    assert_false(fil_mpmc_is_empty(&queue));
    assert_int_equal(fil_mpmc_count(&queue), 2);
    assert_non_null(fil_mpmc_take(&queue));
    assert_int_equal(fil_mpmc_count(&queue), 1);
    assert_non_null(fil_mpmc_take(&queue));
    assert_true(fil_mpmc_is_empty(&queue));
}

/** As if the queue had been used for so long. */
static void set_position(uint32_t position)
{
    atomic_store_explicit(&queue.head, position, memory_order_relaxed);
    atomic_store_explicit(&queue.tail, position, memory_order_relaxed);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        uint32_t next = position + i;
        atomic_store_explicit(&queue.slots[next & queue.mask].turn, next, memory_order_relaxed);
    }
}

static void test_positions_may_wrap(void **state)
{
    (void)state;
    set_position(UINT32_MAX - 3);
    for (uint32_t round = 0; round < 3; round++) {
        fill();
        assert_int_equal(fil_mpmc_count(&queue), CAPACITY);
        assert_false(fil_mpmc_push(&queue, &items[CAPACITY]));
        empty_in_order();
        assert_true(fil_mpmc_is_empty(&queue));
    }
}

static void test_failing_heap_is_an_error(void **state)
{
    (void)state;
    struct fil_mpmc poor;
    fil_alloc_fail_after(0);
    int error = fil_mpmc_init(&poor, 4);
    fil_alloc_fail_after(-1);
    assert_int_equal(error, FIL_E_NOMEM);
    fil_mpmc_fini(&poor);
}

static void init_with_three(void *context)
{
    assert_int_equal(fil_mpmc_init(context, 3), FIL_OK); // is not reached
}

static void init_with_one(void *context)
{
    assert_int_equal(fil_mpmc_init(context, 1), FIL_OK); // is not reached
}

static void push_nothing(void *context)
{
    assert_false(fil_mpmc_push(context, NULL)); // is not reached
}

static void test_misuse_stops(void **state)
{
    (void)state;
    struct fil_mpmc wrong = {0};
    assert_true(assertion_stops(init_with_three, &wrong));
    assert_true(assertion_stops(init_with_one, &wrong));
    assert_true(assertion_stops(push_nothing, &queue));
}

#define PRODUCERS          3U
#define CONSUMERS          3U
#define ITEMS_PER_PRODUCER 20000U

struct numbered {
    uint32_t producer;
    uint32_t number;
    _Atomic uint32_t taken_count;
};

static struct numbered sent[PRODUCERS][ITEMS_PER_PRODUCER];
static _Atomic uint32_t received_count;

static void *produce(void *context)
{
    struct numbered *mine = context;
    uint32_t producer = (uint32_t)((mine - &sent[0][0]) / (ptrdiff_t)ITEMS_PER_PRODUCER);
    for (uint32_t i = 0; i < ITEMS_PER_PRODUCER; i++) {
        mine[i].producer = producer;
        mine[i].number = i;
        while (!fil_mpmc_push(&queue, &mine[i])) {
            fil_thread_yield();
        }
    }
    return NULL;
}

/** Returns how often an item came out of its producer's order. */
static void *consume(void *context)
{
    uint32_t *wrong_count = context;
    uint32_t next[PRODUCERS] = {0};
    while (atomic_load_explicit(&received_count, memory_order_relaxed) <
           PRODUCERS * ITEMS_PER_PRODUCER) {
        struct numbered *item = fil_mpmc_take(&queue);
        if (item == NULL) {
            fil_thread_yield();
            continue;
        }
        *wrong_count += item->number < next[item->producer];
        next[item->producer] = item->number + 1;
        atomic_fetch_add_explicit(&item->taken_count, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&received_count, 1, memory_order_relaxed);
    }
    return NULL;
}

static void test_every_item_is_taken_once_and_in_its_order(void **state)
{
    (void)state;
    pthread_t producers[PRODUCERS];
    pthread_t consumers[CONSUMERS];
    uint32_t wrong_counts[CONSUMERS] = {0};
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        assert_int_equal(pthread_create(&consumers[i], NULL, consume, &wrong_counts[i]), 0);
    }
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_create(&producers[i], NULL, produce, sent[i]), 0);
    }
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_join(producers[i], NULL), 0);
    }
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        assert_int_equal(pthread_join(consumers[i], NULL), 0);
        assert_int_equal(wrong_counts[i], 0);
    }
    assert_true(fil_mpmc_is_empty(&queue));
    for (uint32_t i = 0; i < PRODUCERS * ITEMS_PER_PRODUCER; i++) {
        struct numbered *item = &sent[i / ITEMS_PER_PRODUCER][i % ITEMS_PER_PRODUCER];
        assert_int_equal(item->taken_count, 1);
    }
}

// The two looks side by side: at most one of the threads may miss the other.

#define ROUNDS 20000U

static struct fil_parker parker;
static _Atomic uint32_t begun_round;
static _Atomic uint32_t ended_round;
static bool was_woken; // written before ended_round, read after it

static void wait_for(_Atomic uint32_t *round, uint32_t wanted)
{
    for (uint32_t spins = 1; atomic_load_explicit(round, memory_order_acquire) != wanted; spins++) {
        if (spins % 1000 == 0) {
            fil_thread_yield(); // there may be one cpu only
        }
    }
}

static void *push_and_look(void *context)
{
    (void)context;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        wait_for(&begun_round, round);
        fil_assert(fil_mpmc_push(&queue, &parker));
        was_woken = fil_parker_wake(&parker);
        atomic_store_explicit(&ended_round, round, memory_order_release);
    }
    return NULL;
}

static void test_push_and_sleep_do_not_miss_each_other(void **state)
{
    (void)state;
    pthread_t pusher;
    uint32_t miss_count = 0;
    struct fil_prng prng;
    fil_prng_init(&prng, 7);
    fil_parker_init(&parker);
    assert_int_equal(pthread_create(&pusher, NULL, push_and_look, NULL), 0);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        atomic_store_explicit(&begun_round, round, memory_order_release);
        // The other side needs a moment to see it; the looks shall meet now and then.
        for (uint64_t pauses = fil_prng_below(&prng, 8); pauses > 0; pauses--) {
            fil_thread_pause();
        }
        fil_parker_prepare(&parker);
        bool sleeps = fil_mpmc_is_empty(&queue);
        wait_for(&ended_round, round);
        miss_count += sleeps && !was_woken;
        fil_parker_cancel(&parker);
        assert_ptr_equal(fil_mpmc_take(&queue), &parker);
    }
    assert_int_equal(pthread_join(pusher, NULL), 0);
    assert_int_equal(miss_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_full_queue_refuses_and_recovers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_queue_counts_what_it_holds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_positions_may_wrap, set_up, tear_down),
        cmocka_unit_test(test_failing_heap_is_an_error),
        cmocka_unit_test_setup_teardown(test_misuse_stops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_item_is_taken_once_and_in_its_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_push_and_sleep_do_not_miss_each_other, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("mpmc", tests, NULL, NULL);
}
