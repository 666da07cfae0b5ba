// SPDX-License-Identifier: Apache-2.0
/**
 * Cancelling and adopting, one test a promise.
 *
 * Cancelling: the value that comes all the same is destroyed once; the hook runs once, on the
 * producer's target, also if it comes late, not after the completion; the request goes up the
 * chain; continuations are left out, ensure is not.
 *
 * Adopting: the future brings what the inner one brings, and its continuation stays where it was;
 * cancelling reaches the inner one; a loop of a million futures needs the space of a few.
 */
#include "core/exec/promise.h"
#include "tests/unit/core/exec/promise_fixture.h"
#include "tests/unit/harness.h"

// Cancelling.

static void test_cancelled_value_is_destroyed_once(void **state)
{
    (void)state;
    assert_false(fil_promise_is_cancelled(promise));
    fil_future_cancel(future);
    assert_true(fil_promise_is_cancelled(promise));
    assert_false(fil_promise_complete(promise, owned_value()));
    assert_int_equal(seen.destroys, 1);
    assert_int_equal(fil_promise_new(&home.target, &promise, &future), FIL_OK);
    assert_true(fil_promise_complete(promise, owned_value()));
    fil_future_cancel(future);
    assert_int_equal(seen.destroys, 2);
}

static void test_hook_runs_once_on_the_target_of_the_producer(void **state)
{
    (void)state;
    assert_int_equal(fil_promise_on_cancel(promise, &other.target, see_cancel, NULL), FIL_OK);
    assert_int_equal(hand_target_run(&other), 0);
    fil_future_cancel(future);
    assert_int_equal(seen.hooks, 0);
    assert_int_equal(hand_target_run(&other), 1);
    assert_int_equal(seen.hooks, 1);
    assert_ptr_equal(seen.where, &other);
    assert_false(fil_promise_complete(promise, owned_value()));
    assert_int_equal(seen.destroys, 1);
    assert_int_equal(hand_target_run(&other), 0);
    assert_int_equal(seen.hooks, 1);
}

static void test_hook_that_comes_late_runs_too(void **state)
{
    (void)state;
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    fil_future_cancel(future);
    assert_int_equal(fil_promise_on_cancel(promise, &other.target, see_cancel, NULL), FIL_OK);
    assert_int_equal(hand_target_run(&other), 1);
    assert_int_equal(seen.hooks, 1);
    fil_promise_drop(promise);
    (void)hand_target_run(&home);
    assert_int_equal(seen.calls, 0);
}

static void test_hook_does_not_run_after_the_completion(void **state)
{
    (void)state;
    assert_int_equal(fil_promise_on_cancel(promise, &other.target, see_cancel, NULL), FIL_OK);
    fil_future_cancel(future);
    assert_false(fil_promise_complete(promise, owned_value()));
    // It is on its way, finds the promise completed, and only then the cell can go.
    assert_int_equal(hand_target_run(&other), 1);
    assert_int_equal(seen.hooks, 0);
    assert_int_equal(seen.destroys, 1);
}

static void test_hook_of_an_uncancelled_promise_never_runs(void **state)
{
    (void)state;
    assert_int_equal(fil_promise_on_cancel(promise, &other.target, see_cancel, NULL), FIL_OK);
    assert_true(fil_promise_complete(promise, owned_value()));
    fil_future_cancel(future);
    assert_int_equal(hand_target_run(&other), 0);
    assert_int_equal(seen.hooks, 0);
    assert_int_equal(seen.destroys, 1);
}

static void complete_as_cancelled(void *context)
{
    seen.hooks++;
    (void)fil_promise_fail(*(struct fil_promise *)context, FIL_E_CANCELLED);
}

static void test_hook_may_complete_the_promise(void **state)
{
    (void)state;
    assert_int_equal(fil_promise_on_cancel(promise, &home.target, complete_as_cancelled, &promise),
                     FIL_OK);
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    assert_int_equal(fil_future_ensure(&future, NULL, see_end, NULL), FIL_OK);
    fil_future_cancel(future);
    while (hand_target_run(&home) > 0) {
    }
    assert_int_equal(seen.hooks, 1);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(seen.ensures, 1);
}

static void test_cancel_goes_up_the_chain(void **state)
{
    (void)state;
    assert_int_equal(fil_promise_on_cancel(promise, &other.target, see_cancel, NULL), FIL_OK);
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    assert_int_equal(fil_future_ensure(&future, NULL, see_end, NULL), FIL_OK);
    assert_int_equal(fil_future_then_on(&future, &other.target, add_one, NULL), FIL_OK);
    fil_future_cancel(future);
    assert_int_equal(hand_target_run(&other), 1);
    assert_int_equal(seen.hooks, 1);
    assert_true(fil_promise_is_cancelled(promise));
    assert_int_equal(seen.ensures, 0); // a request: nothing ends before the producer
    (void)fil_promise_complete(promise, owned_value());
    while (hand_target_run(&home) + hand_target_run(&other) > 0) {
    }
    assert_int_equal(seen.calls, 0);
    assert_int_equal(seen.ensures, 1);
    assert_int_equal(seen.code, FIL_E_CANCELLED);
    assert_int_equal(seen.destroys, 1);
}

static void test_cancel_ends_where_the_chain_has_run(void **state)
{
    (void)state;
    assert_int_equal(fil_promise_on_cancel(promise, &other.target, see_cancel, NULL), FIL_OK);
    assert_int_equal(fil_future_then(&future, keep_value, NULL), FIL_OK);
    assert_int_equal(fil_future_then_on(&future, &other.target, add_one, NULL), FIL_OK);
    (void)fil_promise_complete(promise, owned_value());
    (void)hand_target_run(&home); // the first has run, the second is queued
    fil_future_cancel(future);
    assert_int_equal(hand_target_run(&other), 1);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.hooks, 0);
    assert_int_equal(seen.destroys, 1);
}

static void test_ensure_runs_when_cancelled_with_a_value_on_its_way(void **state)
{
    (void)state;
    assert_int_equal(fil_future_ensure(&future, NULL, see_end, NULL), FIL_OK);
    (void)fil_promise_complete(promise, owned_value());
    fil_future_cancel(future);
    (void)hand_target_run(&home);
    assert_int_equal(seen.ensures, 1);
    assert_int_equal(seen.code, FIL_E_CANCELLED);
    assert_int_equal(seen.destroys, 1);
}

// Adopting.

/** Brings what the future in the context will bring. */
static void wait_for(void *context, struct fil_result *result)
{
    fil_result_destroy(*result);
    *result = fil_result_wait(*(struct fil_future *)context);
}

static void test_adopted_future_brings_its_result(void **state)
{
    (void)state;
    struct inner inner = inner_new();
    assert_int_equal(fil_future_then(&future, wait_for, &inner.future), FIL_OK);
    (void)fil_promise_complete(promise, owned_value());
    (void)hand_target_run(&home);
    assert_int_equal(seen.destroys, 1);
    assert_false(fil_future_is_ready(future));
    (void)fil_promise_complete(inner.promise, fil_result_number(9));
    assert_int_equal(taken(future).number, 9);
}

static void test_adopted_future_may_be_ready_or_broken(void **state)
{
    (void)state;
    struct inner inner = inner_new();
    (void)fil_promise_complete(inner.promise, owned_value());
    assert_int_equal(fil_future_then(&future, wait_for, &inner.future), FIL_OK);
    (void)fil_promise_complete(promise, fil_result_number(0));
    (void)hand_target_run(&home);
    assert_true(fil_future_is_ready(future));
    struct inner second = inner_new();
    assert_int_equal(fil_future_then(&future, wait_for, &second.future), FIL_OK);
    fil_promise_drop(second.promise);
    (void)hand_target_run(&home);
    assert_int_equal(seen.destroys, 1);
    assert_int_equal(taken(future).code, FIL_E_BROKEN);
}

static void test_continuation_of_an_adopting_future_stays_where_it_was(void **state)
{
    (void)state;
    struct inner inner = inner_new();
    assert_int_equal(fil_future_then(&future, wait_for, &inner.future), FIL_OK);
    assert_int_equal(fil_future_then_on(&future, &other.target, add_one, NULL), FIL_OK);
    (void)fil_promise_complete(promise, fil_result_number(0));
    (void)hand_target_run(&home);
    (void)fil_promise_complete(inner.promise, fil_result_number(9));
    assert_int_equal(hand_target_run(&home), 0);
    assert_int_equal(hand_target_run(&other), 1);
    assert_ptr_equal(seen.where, &other);
    assert_int_equal(taken(future).number, 10);
}

static void test_promise_completes_with_a_future(void **state)
{
    (void)state;
    struct inner inner = inner_new();
    assert_int_equal(fil_promise_on_cancel(promise, &other.target, see_cancel, NULL), FIL_OK);
    assert_true(fil_promise_complete(promise, fil_result_wait(inner.future)));
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    (void)fil_promise_complete(inner.promise, fil_result_number(1));
    (void)hand_target_run(&home);
    assert_int_equal(taken(future).number, 2);
}

static void test_cancel_reaches_the_adopted_future(void **state)
{
    (void)state;
    for (uint32_t has_continuation = 0; has_continuation < 2; has_continuation++) {
        struct inner inner = inner_new();
        seen.hooks = 0;
        assert_int_equal(fil_promise_on_cancel(inner.promise, &other.target, see_cancel, NULL),
                         FIL_OK);
        assert_int_equal(fil_future_then(&future, wait_for, &inner.future), FIL_OK);
        if (has_continuation != 0) {
            assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
        }
        (void)fil_promise_complete(promise, fil_result_number(0));
        (void)hand_target_run(&home);
        fil_future_cancel(future);
        (void)hand_target_run(&other);
        assert_int_equal(seen.hooks, 1);
        (void)fil_promise_complete(inner.promise, owned_value());
        (void)hand_target_run(&home);
        assert_int_equal(seen.destroys, has_continuation + 1);
        assert_int_equal(seen.calls, 0);
        assert_int_equal(fil_promise_new(&home.target, &promise, &future), FIL_OK);
    }
    fil_promise_drop(promise);
    fil_future_forget(future);
}

/** Cancels its own future before it waits for another one. */
static void cancel_and_wait_for(void *context, struct fil_result *result)
{
    fil_future_cancel(future);
    *result = fil_result_wait(*(struct fil_future *)context);
}

static void test_future_of_a_cancelled_continuation_is_cancelled(void **state)
{
    (void)state;
    struct inner inner = inner_new();
    assert_int_equal(fil_promise_on_cancel(inner.promise, &other.target, see_cancel, NULL), FIL_OK);
    assert_int_equal(fil_future_then(&future, cancel_and_wait_for, &inner.future), FIL_OK);
    (void)fil_promise_complete(promise, fil_result_number(0));
    (void)hand_target_run(&home);
    (void)hand_target_run(&other);
    assert_int_equal(seen.hooks, 1);
    (void)fil_promise_complete(inner.promise, owned_value());
    assert_int_equal(seen.destroys, 1);
}

static void test_unwanted_wait_cancels_its_future(void **state)
{
    (void)state;
    fil_result_destroy(fil_result_wait(future));
    assert_true(fil_promise_is_cancelled(promise));
    fil_promise_drop(promise);
}

static uint32_t lent_most;

/** One step of a loop: a promise of its own, completed later, and the next step behind it. */
static void loop_step(void *context, struct fil_result *result)
{
    struct fil_promise *current = context;
    if (result->number == LINKS) {
        return;
    }
    struct fil_future next;
    lent_most = pool.lent_count > lent_most ? pool.lent_count : lent_most;
    assert_int_equal(fil_promise_new(&home.target, current, &next), FIL_OK);
    assert_int_equal(fil_future_then(&next, loop_step, context), FIL_OK);
    seen.number = result->number + 1;
    *result = fil_result_wait(next);
}

static void run_loop(void)
{
    seen.number = 0;
    lent_most = 0;
    hand_target_current = &home;
    for (uint32_t i = 0; i <= LINKS; i++) {
        (void)fil_promise_complete(promise, fil_result_number(seen.number));
    }
    hand_target_current = NULL;
}

static void test_loop_of_futures_needs_the_space_of_a_few(void **state)
{
    (void)state;
    assert_int_equal(fil_future_then(&future, loop_step, &promise), FIL_OK);
    run_loop();
    assert_int_equal(taken(future).number, LINKS);
    assert_true(lent_most < 8);
}

static void test_forgotten_loop_needs_the_space_of_a_few(void **state)
{
    (void)state;
    assert_int_equal(fil_future_then(&future, loop_step, &promise), FIL_OK);
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    fil_future_forget(future);
    run_loop();
    assert_int_equal(seen.calls, 1);
    assert_true(lent_most < 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE_TEST(test_cancelled_value_is_destroyed_once),
        PROMISE_TEST(test_hook_runs_once_on_the_target_of_the_producer),
        PROMISE_TEST(test_hook_that_comes_late_runs_too),
        PROMISE_TEST(test_hook_does_not_run_after_the_completion),
        PROMISE_TEST(test_hook_of_an_uncancelled_promise_never_runs),
        PROMISE_TEST(test_hook_may_complete_the_promise),
        PROMISE_TEST(test_cancel_goes_up_the_chain),
        PROMISE_TEST(test_cancel_ends_where_the_chain_has_run),
        PROMISE_TEST(test_ensure_runs_when_cancelled_with_a_value_on_its_way),
        PROMISE_TEST(test_adopted_future_brings_its_result),
        PROMISE_TEST(test_adopted_future_may_be_ready_or_broken),
        PROMISE_TEST(test_continuation_of_an_adopting_future_stays_where_it_was),
        PROMISE_TEST(test_promise_completes_with_a_future),
        PROMISE_TEST(test_cancel_reaches_the_adopted_future),
        PROMISE_TEST(test_future_of_a_cancelled_continuation_is_cancelled),
        PROMISE_TEST(test_unwanted_wait_cancels_its_future),
        PROMISE_TEST(test_loop_of_futures_needs_the_space_of_a_few),
        PROMISE_TEST(test_forgotten_loop_needs_the_space_of_a_few),
    };
    return cmocka_run_group_tests_name("cell", tests, NULL, NULL);
}
