// SPDX-License-Identifier: Apache-2.0
/**
 * The run queue's promises: one ticket for each index, taken once; round robin, also over many
 * words; room for all, whatever the others do; what several threads put, several threads take.
 */
#include "core/exec/tickets.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define COUNT 200U

static struct fil_tickets tickets;

static int set_up(void **state)
{
    (void)state;
    memset(&tickets, 0, sizeof(tickets));
    return fil_tickets_init(&tickets, COUNT);
}

static int tear_down(void **state)
{
    (void)state;
    fil_tickets_fini(&tickets);
    return 0;
}

static uint32_t take(void)
{
    uint32_t index = UINT32_MAX;
    assert_true(fil_tickets_take(&tickets, &index));
    return index;
}

static void test_index_has_one_ticket(void **state)
{
    (void)state;
    uint32_t index = 0;
    assert_true(fil_tickets_is_empty(&tickets));
    assert_false(fil_tickets_take(&tickets, &index));
    assert_true(fil_tickets_put(&tickets, 70));
    assert_false(fil_tickets_put(&tickets, 70));
    assert_false(fil_tickets_is_empty(&tickets));
    assert_int_equal(fil_tickets_count(&tickets), 1);
    assert_int_equal(take(), 70);
    assert_true(fil_tickets_is_empty(&tickets));
    assert_true(fil_tickets_put(&tickets, 70));
    assert_int_equal(take(), 70);
}

static void test_all_get_their_turn_before_one_gets_another(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(fil_tickets_put(&tickets, i));
    }
    for (uint32_t i = 0; i < 3 * COUNT; i++) {
        uint32_t index = take();
        assert_int_equal(index, i % COUNT);
        assert_true(fil_tickets_put(&tickets, index));
    }
    assert_int_equal(fil_tickets_count(&tickets), COUNT);
}

static void test_earlier_ones_of_the_same_word_come_after_the_later_ones(void **state)
{
    (void)state;
    assert_true(fil_tickets_put(&tickets, 66));
    assert_int_equal(take(), 66);
    assert_true(fil_tickets_put(&tickets, 65));
    assert_true(fil_tickets_put(&tickets, 67));
    assert_true(fil_tickets_put(&tickets, 199));
    assert_true(fil_tickets_put(&tickets, 0));
    assert_int_equal(take(), 67);
    assert_int_equal(take(), 199);
    assert_int_equal(take(), 0);
    assert_int_equal(take(), 65);
}

static void test_without_memory_there_are_none(void **state)
{
    (void)state;
    struct fil_tickets other = {0};
    fil_alloc_fail_after(0);
    assert_int_equal(fil_tickets_init(&other, 1), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    fil_tickets_fini(&other);
}

// Two threads put each index many times, two take; puts that found a ticket count as none.

#define ROUNDS 20000U

static _Atomic uint64_t put_count;
static _Atomic uint64_t taken_count;
static _Atomic uint32_t putter_count;

static void put_many(void *context)
{
    (void)context;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        if (fil_tickets_put(&tickets, i * 7 % COUNT)) {
            atomic_fetch_add_explicit(&put_count, 1, memory_order_relaxed);
        }
    }
    atomic_fetch_sub_explicit(&putter_count, 1, memory_order_release);
}

static void take_many(void *context)
{
    (void)context;
    uint32_t index = 0;
    bool is_over = false;
    while (!is_over) {
        is_over = atomic_load_explicit(&putter_count, memory_order_acquire) == 0;
        while (fil_tickets_take(&tickets, &index)) {
            fil_assert(index < COUNT);
            atomic_fetch_add_explicit(&taken_count, 1, memory_order_relaxed);
            is_over = false;
        }
        fil_thread_yield();
    }
}

static void test_threads_take_what_threads_put(void **state)
{
    (void)state;
    const fil_thread_fn entries[] = {put_many, put_many, take_many, take_many};
    struct fil_thread threads[FIL_COUNT_OF(entries)];
    atomic_store_explicit(&putter_count, 2, memory_order_relaxed);
    for (size_t i = 0; i < FIL_COUNT_OF(entries); i++) {
        assert_int_equal(fil_thread_start(&threads[i], "tickets", entries[i], NULL), FIL_OK);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(entries); i++) {
        fil_thread_join(&threads[i]);
    }
    assert_true(fil_tickets_is_empty(&tickets));
    assert_int_equal(atomic_load_explicit(&put_count, memory_order_relaxed),
                     atomic_load_explicit(&taken_count, memory_order_relaxed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_index_has_one_ticket, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_all_get_their_turn_before_one_gets_another, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            test_earlier_ones_of_the_same_word_come_after_the_later_ones, set_up, tear_down),
        cmocka_unit_test(test_without_memory_there_are_none),
        cmocka_unit_test_setup_teardown(test_threads_take_what_threads_put, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("tickets", tests, NULL, NULL);
}
