// SPDX-License-Identifier: Apache-2.0
/**
 * The race, one test a promise: the first to finish completes the promise, what the others bring is
 * destroyed; those who leave change nothing, unless all do: then the promise is broken; a runner
 * sees when there is nothing left to win; without memory the promise stays the caller's; and of two
 * threads that finish at the same time exactly one is first, again and again.
 */
#include "core/exec/race.h"

#include "lib/base/alloc.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"
#include "tests/unit/core/exec/promise_fixture.h"
#include "tests/unit/harness.h"

static struct fil_race *race;

static int set_up_race(void **state)
{
    int result = set_up(state);
    assert_int_equal(fil_race_new(promise, 2, &race), FIL_OK);
    return result;
}

static void test_first_to_finish_completes(void **state)
{
    (void)state;
    assert_false(fil_race_is_over(race));
    assert_true(fil_race_finish(race, fil_result_fail(FIL_E_TIMEOUT)));
    assert_true(fil_race_is_over(race));
    assert_false(fil_race_finish(race, owned_value()));
    assert_int_equal(seen.destroys, 1);
    assert_int_equal(taken(future).code, FIL_E_TIMEOUT);
}

static void test_who_leaves_changes_nothing(void **state)
{
    (void)state;
    fil_race_leave(race);
    assert_false(fil_race_is_over(race));
    assert_false(fil_future_is_ready(future));
    assert_true(fil_race_finish(race, fil_result_number(1)));
    assert_int_equal(taken(future).number, 1);
}

static void test_race_can_be_left_after_its_end(void **state)
{
    (void)state;
    assert_true(fil_race_finish(race, fil_result_number(1)));
    fil_race_leave(race);
    assert_int_equal(taken(future).number, 1);
}

static void test_race_that_all_leave_is_broken(void **state)
{
    (void)state;
    fil_race_leave(race);
    fil_race_leave(race);
    assert_int_equal(taken(future).code, FIL_E_BROKEN);
}

static void test_cancelled_race_destroys_every_value(void **state)
{
    (void)state;
    fil_future_cancel(future);
    assert_true(fil_race_finish(race, owned_value()));
    assert_false(fil_race_finish(race, owned_value()));
    assert_int_equal(seen.destroys, 2);
}

static void test_without_memory_the_promise_stays(void **state)
{
    (void)state;
    fil_promise_leave();
    fil_alloc_fail_after(0);
    assert_int_equal(fil_race_new(promise, 2, &race), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    (void)fil_promise_complete(promise, fil_result_number(1));
    assert_int_equal(taken(future).number, 1);
}

#define ROUNDS 20000U

/** A producer and a timer, on a thread each, over the same races. */
struct runner {
    uint64_t number;
    uint32_t win_count;
};

static struct fil_race *races[ROUNDS];
static struct fil_future ends[ROUNDS];
static _Atomic uint32_t destroy_count;
static _Atomic uint32_t begun_count;

static void count_loss(void *value)
{
    (void)value;
    atomic_fetch_add_explicit(&destroy_count, 1, memory_order_relaxed);
}

static void run_all(void *context)
{
    struct runner *runner = context;
    atomic_fetch_add_explicit(&begun_count, 1, memory_order_relaxed);
    while (atomic_load_explicit(&begun_count, memory_order_relaxed) < 2) {
        fil_thread_yield();
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        runner->win_count += fil_race_finish(races[i], fil_result_pointer(runner, count_loss));
    }
}

static void test_one_of_two_threads_is_first(void **state)
{
    (void)state;
    struct runner runners[2] = {{.number = 0}, {.number = 1}};
    struct fil_thread threads[2];
    fil_race_leave(race);
    fil_race_leave(race);
    fil_future_forget(future);
    atomic_store(&destroy_count, 0);
    atomic_store(&begun_count, 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct fil_promise one;
        assert_int_equal(fil_promise_new(NULL, &one, &ends[i]), FIL_OK);
        assert_int_equal(fil_race_new(one, 2, &races[i]), FIL_OK);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(fil_thread_start(&threads[i], "runner", run_all, &runners[i]), FIL_OK);
    }
    uint32_t arrived[2] = {0};
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct fil_result result;
        assert_int_equal(fil_future_await(ends[i], FIL_WAIT_FOREVER, &result), FIL_OK);
        arrived[((struct runner *)result.pointer)->number]++;
    }
    for (uint32_t i = 0; i < 2; i++) {
        fil_thread_join(&threads[i]);
        assert_int_equal(arrived[i], runners[i].win_count);
    }
    assert_int_equal(arrived[0] + arrived[1], ROUNDS);
    assert_int_equal(atomic_load(&destroy_count), ROUNDS);
}

#define RACE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_race, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RACE_TEST(test_first_to_finish_completes),
        RACE_TEST(test_who_leaves_changes_nothing),
        RACE_TEST(test_race_can_be_left_after_its_end),
        RACE_TEST(test_race_that_all_leave_is_broken),
        RACE_TEST(test_cancelled_race_destroys_every_value),
        PROMISE_TEST(test_without_memory_the_promise_stays),
        RACE_TEST(test_one_of_two_threads_is_first),
    };
    return cmocka_run_group_tests_name("race", tests, NULL, NULL);
}
