// SPDX-License-Identifier: Apache-2.0
/**
 * The edge's contract, one test a promise: a full queue takes what fits and recovers; batches go
 * round the end of the ring; both sides can tell full and empty; order is kept, nothing is lost
 * and what was written before a push is seen after the take; both sides can park without missing
 * each other; a failing heap is an error and leaves something to finish.
 */
#include "lib/conc/spsc.h"

#include <pthread.h>
#include <sched.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "lib/conc/parker.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/base/assertion.h"

#define ITEMS     50000U
#define BATCH_MAX 12U

static struct fil_spsc queue;
static uint32_t numbers[ITEMS];

static int set_up(void **state)
{
    (void)state;
    return fil_spsc_init(&queue, 8);
}

static int tear_down(void **state)
{
    (void)state;
    fil_spsc_fini(&queue);
    return 0;
}

static void test_full_queue_refuses_and_recovers(void **state)
{
    (void)state;
    int items[9];
    for (int i = 0; i < 8; i++) {
        assert_false(fil_spsc_is_full(&queue));
        assert_true(fil_spsc_push(&queue, &items[i]));
        assert_int_equal(fil_spsc_count(&queue), i + 1);
    }
    assert_true(fil_spsc_is_full(&queue));
    assert_false(fil_spsc_push(&queue, &items[8]));

    void *taken[16] = {0};
    assert_int_equal(fil_spsc_take(&queue, taken, 1), 1);
    assert_ptr_equal(taken[0], &items[0]);
    assert_false(fil_spsc_is_full(&queue));
    assert_true(fil_spsc_push(&queue, &items[8]));
    assert_int_equal(fil_spsc_take(&queue, taken, 16), 8);
    assert_ptr_equal(taken[7], &items[8]);
    assert_true(fil_spsc_is_empty(&queue));
    assert_int_equal(fil_spsc_take(&queue, taken, 16), 0);
}

static void test_batches_take_what_fits_and_go_round_the_end(void **state)
{
    (void)state;
    int items[11];
    void *batch[11];
    for (int i = 0; i < 11; i++) {
        batch[i] = &items[i];
    }
    for (int round = 0; round < 100; round++) {
        void *taken[11] = {0};
        assert_int_equal(fil_spsc_push_many(&queue, batch, 5), 5);
        assert_int_equal(fil_spsc_push_many(&queue, batch + 5, 6), 3);
        assert_int_equal(fil_spsc_push_many(&queue, batch, 0), 0);
        assert_int_equal(fil_spsc_take(&queue, taken, 3), 3);
        assert_int_equal(fil_spsc_take(&queue, taken + 3, 11), 5);
        assert_memory_equal(taken, batch, 8 * sizeof(batch[0]));
    }
}

static void test_queue_of_one_works(void **state)
{
    (void)state;
    struct fil_spsc single;
    int item = 0;
    assert_int_equal(fil_spsc_init(&single, 1), FIL_OK);
    for (int round = 0; round < 10; round++) {
        void *taken = NULL;
        assert_true(fil_spsc_push(&single, &item));
        assert_false(fil_spsc_push(&single, &item));
        assert_int_equal(fil_spsc_take(&single, &taken, 1), 1);
        assert_ptr_equal(taken, &item);
    }
    fil_spsc_fini(&single);
}

static void push_null(void *context)
{
    assert_false(fil_spsc_push(context, NULL));
}

static void init_oddly(void *context)
{
    assert_int_equal(fil_spsc_init(context, 6), FIL_OK);
}

static void finish(void *context)
{
    fil_spsc_fini(context);
}

static void test_misuse_stops_the_process(void **state)
{
    (void)state;
    struct fil_spsc other;
    int item = 0;
    void *taken = NULL;
    assert_true(assertion_stops(push_null, &queue));
    assert_true(assertion_stops(init_oddly, &other));
    assert_true(fil_spsc_push(&queue, &item));
    assert_true(assertion_stops(finish, &queue));
    assert_int_equal(fil_spsc_take(&queue, &taken, 1), 1);
}

static void test_failing_heap_is_an_error(void **state)
{
    (void)state;
    struct fil_spsc other;
    fil_alloc_fail_after(0);
    assert_int_equal(fil_spsc_init(&other, 8), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    fil_spsc_fini(&other);
}

/** Writes the next numbers and gives their addresses; returns how many. */
static uint32_t next_batch(struct fil_prng *prng, uint32_t sent, void **batch)
{
    uint32_t wanted = (uint32_t)fil_prng_range(prng, 1, BATCH_MAX);
    uint32_t count = wanted < ITEMS - sent ? wanted : ITEMS - sent;
    for (uint32_t i = 0; i < count; i++) {
        // Written here and not before the start, so that only the push can publish it.
        numbers[sent + i] = sent + i;
        batch[i] = &numbers[sent + i];
    }
    return count;
}

static void *produce(void *context)
{
    (void)context;
    struct fil_prng prng;
    fil_prng_init(&prng, 1);
    for (uint32_t sent = 0; sent < ITEMS;) {
        void *batch[BATCH_MAX];
        uint32_t count = next_batch(&prng, sent, batch);
        uint32_t pushed = fil_spsc_push_many(&queue, batch, count);
        sent += pushed;
        if (pushed < count) {
            sched_yield();
        }
    }
    return NULL;
}

/** Takes what there is; the numbers must go on from `received`. */
static uint32_t take_in_order(struct fil_prng *prng, uint32_t received)
{
    void *batch[BATCH_MAX];
    uint32_t limit = (uint32_t)fil_prng_range(prng, 1, BATCH_MAX);
    uint32_t count = fil_spsc_take(&queue, batch, limit);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(*(uint32_t *)batch[i], received + i);
    }
    return count;
}

static void test_order_is_kept_between_two_threads(void **state)
{
    (void)state;
    pthread_t producer;
    struct fil_prng prng;
    fil_prng_init(&prng, 2);
    assert_int_equal(pthread_create(&producer, NULL, produce, NULL), 0);
    for (uint32_t received = 0; received < ITEMS;) {
        uint32_t count = take_in_order(&prng, received);
        received += count;
        if (count == 0) {
            sched_yield();
        }
    }
    assert_int_equal(pthread_join(producer, NULL), 0);
}

static struct fil_parker producer_parker;
static struct fil_parker consumer_parker;

static void *produce_parking(void *context)
{
    (void)context;
    struct fil_prng prng;
    fil_prng_init(&prng, 3);
    for (uint32_t sent = 0; sent < ITEMS;) {
        void *batch[BATCH_MAX];
        uint32_t count = next_batch(&prng, sent, batch);
        uint32_t pushed = fil_spsc_push_many(&queue, batch, count);
        sent += pushed;
        if (pushed > 0) {
            fil_parker_wake(&consumer_parker);
            continue;
        }
        fil_parker_prepare(&producer_parker);
        if (fil_spsc_is_full(&queue)) {
            fil_parker_park(&producer_parker, FIL_WAIT_FOREVER);
        } else {
            fil_parker_cancel(&producer_parker);
        }
    }
    return NULL;
}

/** A lost wake-up leaves both sides asleep, and the test's time limit tells. */
static void test_both_sides_park_and_no_wake_up_is_lost(void **state)
{
    (void)state;
    pthread_t producer;
    struct fil_prng prng;
    fil_prng_init(&prng, 4);
    fil_parker_init(&producer_parker);
    fil_parker_init(&consumer_parker);
    assert_int_equal(pthread_create(&producer, NULL, produce_parking, NULL), 0);
    for (uint32_t received = 0; received < ITEMS;) {
        uint32_t count = take_in_order(&prng, received);
        received += count;
        if (count > 0) {
            fil_parker_wake(&producer_parker);
            continue;
        }
        fil_parker_prepare(&consumer_parker);
        if (fil_spsc_is_empty(&queue)) {
            fil_parker_park(&consumer_parker, FIL_WAIT_FOREVER);
        } else {
            fil_parker_cancel(&consumer_parker);
        }
    }
    assert_int_equal(pthread_join(producer, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_full_queue_refuses_and_recovers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_batches_take_what_fits_and_go_round_the_end, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_queue_of_one_works, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_misuse_stops_the_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failing_heap_is_an_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order_is_kept_between_two_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_both_sides_park_and_no_wake_up_is_lost, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("spsc", tests, NULL, NULL);
}
