// SPDX-License-Identifier: Apache-2.0
/**
 * The queue's contract, one test a promise: it refuses when full and recovers; it counts; its
 * positions may wrap; it keeps each producer's order and loses nothing; what was written before a
 * push is seen after the take; a failing heap is an error and leaves something to finish.
 */
#include "lib/conc/mpsc.h"

#include <pthread.h>
#include <sched.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/base/assertion.h"

#define PRODUCERS          4U
#define ITEMS_PER_PRODUCER 20000U

static struct fil_mpsc queue;

static int set_up(void **state)
{
    (void)state;
    return fil_mpsc_init(&queue, 8);
}

static int tear_down(void **state)
{
    (void)state;
    fil_mpsc_fini(&queue);
    return 0;
}

static void test_full_queue_refuses_and_recovers(void **state)
{
    (void)state;
    int items[9];
    for (int i = 0; i < 8; i++) {
        assert_true(fil_mpsc_push(&queue, &items[i]));
    }
    assert_false(fil_mpsc_push(&queue, &items[8]));

    void *taken = NULL;
    assert_int_equal(fil_mpsc_take(&queue, &taken, 1), 1);
    assert_ptr_equal(taken, &items[0]);
    assert_true(fil_mpsc_push(&queue, &items[8]));

    void *rest[16];
    assert_int_equal(fil_mpsc_take(&queue, rest, 16), 8);
    assert_ptr_equal(rest[7], &items[8]);
}

static void test_queue_counts_what_it_holds(void **state)
{
    (void)state;
    int item = 0;
    void *taken[2];
    assert_true(fil_mpsc_is_empty(&queue));
    assert_int_equal(fil_mpsc_take(&queue, taken, 2), 0);
    assert_true(fil_mpsc_push(&queue, &item));
    assert_true(fil_mpsc_push(&queue, &item));
    assert_false(fil_mpsc_is_empty(&queue));
    assert_int_equal(fil_mpsc_count(&queue), 2);
    assert_int_equal(fil_mpsc_take(&queue, taken, 0), 0);
    assert_int_equal(fil_mpsc_take(&queue, taken, 2), 2);
    assert_int_equal(fil_mpsc_count(&queue), 0);
}

static void test_smallest_queue_goes_round_and_round(void **state)
{
    (void)state;
    struct fil_mpsc small;
    int items[2];
    assert_int_equal(fil_mpsc_init(&small, 2), FIL_OK);
    for (int round = 0; round < 1000; round++) {
        void *taken[2] = {0};
        assert_true(fil_mpsc_push(&small, &items[0]));
        assert_true(fil_mpsc_push(&small, &items[1]));
        assert_false(fil_mpsc_push(&small, &items[0]));
        assert_int_equal(fil_mpsc_take(&small, taken, 2), 2);
        assert_ptr_equal(taken[0], &items[0]);
        assert_ptr_equal(taken[1], &items[1]);
    }
    fil_mpsc_fini(&small);
}

static void push_null(void *context)
{
    assert_false(fil_mpsc_push(context, NULL));
}

static void init_oddly(void *context)
{
    assert_int_equal(fil_mpsc_init(context, 6), FIL_OK);
}

static void init_single(void *context)
{
    assert_int_equal(fil_mpsc_init(context, 1), FIL_OK);
}

static void test_misuse_stops_the_process(void **state)
{
    (void)state;
    struct fil_mpsc other;
    assert_true(assertion_stops(push_null, &queue));
    assert_true(assertion_stops(init_oddly, &other));
    assert_true(assertion_stops(init_single, &other));
}

static void finish(void *context)
{
    fil_mpsc_fini(context);
}

static void test_queue_with_items_is_not_finished(void **state)
{
    (void)state;
    int item = 0;
    void *taken = NULL;
    assert_true(fil_mpsc_push(&queue, &item));
    assert_true(assertion_stops(finish, &queue));
    assert_int_equal(fil_mpsc_take(&queue, &taken, 1), 1);
}

static void test_failing_heap_is_an_error(void **state)
{
    (void)state;
    struct fil_mpsc other;
    fil_alloc_fail_after(0);
    assert_int_equal(fil_mpsc_init(&other, 8), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    fil_mpsc_fini(&other);
}

struct numbered {
    uint32_t producer;
    uint32_t number;
};

static struct numbered sent[PRODUCERS][ITEMS_PER_PRODUCER];

static void *produce(void *context)
{
    struct numbered *mine = context;
    uint32_t producer = mine[0].producer;
    for (uint32_t i = 0; i < ITEMS_PER_PRODUCER; i++) {
        // Written here and not before the start, so that only the push can publish it.
        mine[i] = (struct numbered){.producer = producer, .number = i};
        while (!fil_mpsc_push(&queue, &mine[i])) {
            sched_yield();
        }
    }
    return NULL;
}

static void test_each_producer_keeps_its_order(void **state)
{
    (void)state;
    pthread_t threads[PRODUCERS];
    for (uint32_t p = 0; p < PRODUCERS; p++) {
        sent[p][0].producer = p;
        assert_int_equal(pthread_create(&threads[p], NULL, produce, sent[p]), 0);
    }

    uint32_t expected[PRODUCERS] = {0};
    for (uint32_t received = 0; received < PRODUCERS * ITEMS_PER_PRODUCER;) {
        void *batch[32];
        uint32_t count = fil_mpsc_take(&queue, batch, 32);
        for (uint32_t i = 0; i < count; i++) {
            struct numbered *item = batch[i];
            assert_int_equal(item->number, expected[item->producer]);
            expected[item->producer]++;
        }
        received += count;
        if (count == 0) {
            sched_yield();
        }
    }

    for (uint32_t p = 0; p < PRODUCERS; p++) {
        assert_int_equal(pthread_join(threads[p], NULL), 0);
        assert_int_equal(expected[p], ITEMS_PER_PRODUCER);
    }
    assert_true(fil_mpsc_is_empty(&queue));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_full_queue_refuses_and_recovers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_queue_counts_what_it_holds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_smallest_queue_goes_round_and_round, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_misuse_stops_the_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_queue_with_items_is_not_finished, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failing_heap_is_an_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_each_producer_keeps_its_order, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("mpsc", tests, NULL, NULL);
}
