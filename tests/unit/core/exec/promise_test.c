// SPDX-License-Identifier: Apache-2.0
/**
 * Promise and future, one test a promise; cancelling and adopting are in cell_test.c.
 *
 * The rendezvous: a continuation runs once, whichever end comes first; on the future's home, on the
 * target it names, or inline; of its own target by the trampoline; a million links need the stack
 * of one. Failures pass by then, values pass by recover, either sees both, ensure changes nothing.
 *
 * Completion: a dropped promise is broken; complete tells whether somebody listens; a value is
 * destroyed exactly once when nobody takes it; a result can be taken without a continuation.
 *
 * Await: sleeps until the result, gives up after the time, refuses threads that must not block, and
 * runs first what waits on its thread. Handles: using one twice is an assertion. Memory: steady
 * state allocates nothing, cells go home, and without memory everything stays as it was.
 */
#include "core/exec/promise.h"

#include "lib/base/alloc.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"
#include "tests/unit/core/exec/promise_fixture.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/base/assertion.h"

// The rendezvous.

static void test_continuation_runs_when_the_result_comes(void **state)
{
    (void)state;
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    assert_int_equal(hand_target_run(&home), 0);
    assert_true(fil_promise_complete(promise, fil_result_number(7)));
    assert_int_equal(seen.calls, 0);
    assert_int_equal(hand_target_run(&home), 1);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.number, 7);
    assert_int_equal(taken(future).number, 8);
}

static void test_continuation_runs_when_the_result_was_first(void **state)
{
    (void)state;
    assert_true(fil_promise_complete(promise, fil_result_number(7)));
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(hand_target_run(&home), 1);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(taken(future).number, 8);
}

static void test_continuation_runs_where_it_says(void **state)
{
    (void)state;
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    assert_int_equal(fil_future_then_on(&future, &other.target, add_one, NULL), FIL_OK);
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    assert_int_equal(fil_future_then_on(&future, fil_target_inline(), add_one, NULL), FIL_OK);
    (void)fil_promise_complete(promise, fil_result_number(0));
    assert_int_equal(hand_target_run(&home), 1);
    assert_ptr_equal(seen.where, &home);
    assert_int_equal(hand_target_run(&other), 1);
    assert_ptr_equal(seen.where, &other);
    assert_int_equal(seen.calls, 2);
    // The third is at home again; the fourth runs where the third completes, without a queue.
    assert_int_equal(hand_target_run(&home), 1);
    assert_int_equal(seen.calls, 4);
    assert_ptr_equal(seen.where, &home);
    assert_int_equal(taken(future).number, 4);
}

static void use_without_home(void *context)
{
    assert_int_equal(fil_future_then(context, add_one, NULL), FIL_OK);
}

static void test_future_without_home_must_be_told_where(void **state)
{
    (void)state;
    struct fil_promise homeless_promise;
    struct fil_future homeless;
    fil_promise_leave(); // what the assertion leaves behind is the heap's
    assert_int_equal(fil_promise_new(NULL, &homeless_promise, &homeless), FIL_OK);
    assert_int_equal(fil_future_then_on(&homeless, fil_target_inline(), add_one, NULL), FIL_OK);
    struct fil_future copy = homeless;
    assert_true(assertion_stops(use_without_home, &copy));
    fil_free(copy.cell);
    (void)fil_promise_complete(homeless_promise, fil_result_number(1));
    assert_int_equal(taken(homeless).number, 2);
    fil_promise_drop(promise);
    fil_future_forget(future);
}

/** Completes another promise and notes that its continuation has not run on this stack. */
static void complete_second(void *context, struct fil_result *result)
{
    struct fil_promise *second = context;
    (void)fil_promise_complete(*second, *result);
    assert_int_equal(seen.calls, 0);
}

static void test_continuation_of_the_current_target_is_not_nested(void **state)
{
    (void)state;
    struct fil_promise second_promise;
    struct fil_future second;
    assert_int_equal(fil_promise_new(&home.target, &second_promise, &second), FIL_OK);
    assert_int_equal(fil_future_then(&second, add_one, NULL), FIL_OK);
    assert_int_equal(fil_future_then(&future, complete_second, &second_promise), FIL_OK);
    hand_target_current = &home;
    (void)fil_promise_complete(promise, fil_result_number(5));
    hand_target_current = NULL;
    assert_int_equal(seen.number, 5);
    assert_int_equal(atomic_load(&home.submit_count), 0);
    assert_int_equal(taken(second).number, 6);
    fil_future_forget(future);
}

static uintptr_t lowest_frame;
static uintptr_t highest_frame;

static void add_one_and_look_at_stack(void *context, struct fil_result *result)
{
    (void)context;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    lowest_frame = frame < lowest_frame ? frame : lowest_frame;
    highest_frame = frame > highest_frame ? frame : highest_frame;
    *result = fil_result_number(result->number + 1);
}

static void build_links(uint32_t count)
{
    lowest_frame = UINTPTR_MAX;
    highest_frame = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(fil_future_then(&future, add_one_and_look_at_stack, NULL), FIL_OK);
    }
}

static void test_million_links_need_the_stack_of_one(void **state)
{
    (void)state;
    build_links(LINKS);
    hand_target_current = &home;
    (void)fil_promise_complete(promise, fil_result_number(0));
    hand_target_current = NULL;
    assert_int_equal(taken(future).number, LINKS);
    assert_true(highest_frame - lowest_frame < 1024);
}

static void test_million_links_are_cancelled_on_the_stack_of_one(void **state)
{
    (void)state;
    build_links(LINKS);
    assert_int_equal(fil_promise_on_cancel(promise, fil_target_inline(), see_cancel, NULL), FIL_OK);
    fil_future_cancel(future);
    assert_int_equal(seen.hooks, 1);
    hand_target_current = &home;
    assert_false(fil_promise_complete(promise, owned_value()));
    hand_target_current = NULL;
    assert_int_equal(seen.destroys, 1);
    assert_int_equal(highest_frame, 0); // none has run
}

static void test_failures_pass_by_then(void **state)
{
    (void)state;
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    (void)fil_promise_fail(promise, FIL_E_FULL);
    assert_int_equal(hand_target_run(&home), 1);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(taken(future).code, FIL_E_FULL);
}

static void test_recover_sees_failures_only(void **state)
{
    (void)state;
    assert_int_equal(fil_future_recover(&future, add_one, NULL), FIL_OK);
    assert_int_equal(fil_future_recover(&future, keep_value, NULL), FIL_OK);
    (void)fil_promise_fail(promise, FIL_E_FULL);
    while (hand_target_run(&home) > 0) {
    }
    assert_int_equal(seen.calls, 1); // the second had nothing to recover from
    assert_int_equal(seen.code, FIL_E_FULL);
    struct fil_result result = taken(future);
    assert_int_equal(result.code, FIL_OK);
    assert_int_equal(result.number, 1);
}

static void test_either_sees_both(void **state)
{
    (void)state;
    struct fil_continuation either = {.when = FIL_WHEN_EITHER, .fn = add_one};
    assert_int_equal(fil_future_continue(&future, &either), FIL_OK);
    (void)fil_promise_fail(promise, FIL_E_FULL);
    (void)hand_target_run(&home);
    assert_int_equal(seen.code, FIL_E_FULL);
    assert_int_equal(fil_future_continue(&future, &either), FIL_OK);
    (void)hand_target_run(&home);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.code, FIL_OK);
    assert_int_equal(taken(future).number, 2);
}

static void test_ensure_sees_and_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(fil_future_ensure(&future, NULL, see_end, NULL), FIL_OK);
    assert_int_equal(fil_future_ensure(&future, &other.target, see_end, NULL), FIL_OK);
    (void)fil_promise_complete(promise, owned_value());
    (void)hand_target_run(&home);
    assert_int_equal(seen.ensures, 1);
    assert_int_equal(seen.code, FIL_OK);
    (void)hand_target_run(&other);
    assert_int_equal(seen.ensures, 2);
    assert_ptr_equal(seen.where, &other);
    assert_int_equal(seen.destroys, 0);
    struct fil_result result = taken(future);
    assert_ptr_equal(result.pointer, &seen);
    fil_result_destroy(result);
    assert_int_equal(seen.destroys, 1);
}

// Completion.

static void test_dropped_promise_is_broken(void **state)
{
    (void)state;
    assert_int_equal(fil_future_recover(&future, add_one, NULL), FIL_OK);
    fil_promise_drop(promise);
    (void)hand_target_run(&home);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.code, FIL_E_BROKEN);
    fil_future_forget(future);
}

static void test_ready_future_has_its_result(void **state)
{
    (void)state;
    struct fil_future ready;
    assert_int_equal(fil_future_ready(&home.target, fil_result_number(3), &ready), FIL_OK);
    assert_true(fil_future_is_ready(ready));
    assert_int_equal(fil_future_then(&ready, add_one, NULL), FIL_OK);
    assert_false(fil_future_is_ready(ready));
    (void)hand_target_run(&home);
    assert_int_equal(taken(ready).number, 4);
    fil_promise_drop(promise);
    assert_int_equal(taken(future).code, FIL_E_BROKEN);
}

static void test_result_can_be_taken_when_it_is_there(void **state)
{
    (void)state;
    struct fil_result result;
    assert_false(fil_future_is_ready(future));
    assert_int_equal(fil_future_take(future, &result), FIL_E_AGAIN);
    assert_true(fil_promise_complete(promise, owned_value()));
    assert_true(fil_future_is_ready(future));
    result = taken(future);
    assert_ptr_equal(result.pointer, &seen);
    assert_int_equal(seen.destroys, 0);
}

static void test_forgotten_value_is_destroyed_once(void **state)
{
    (void)state;
    fil_future_forget(future);
    assert_false(fil_promise_complete(promise, owned_value()));
    assert_int_equal(seen.destroys, 1);
    assert_int_equal(fil_promise_new(&home.target, &promise, &future), FIL_OK);
    assert_true(fil_promise_complete(promise, owned_value()));
    fil_future_forget(future);
    assert_int_equal(seen.destroys, 2);
}

static void test_forgotten_chain_still_runs(void **state)
{
    (void)state;
    assert_int_equal(fil_future_then(&future, keep_value, NULL), FIL_OK);
    fil_future_forget(future);
    assert_true(fil_promise_complete(promise, owned_value()));
    (void)hand_target_run(&home);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.destroys, 1);
}

// Await.

static void test_await_gives_a_result_that_is_there(void **state)
{
    (void)state;
    struct fil_result result;
    (void)fil_promise_complete(promise, fil_result_number(4));
    assert_int_equal(fil_future_await(future, FIL_WAIT_FOREVER, &result), FIL_OK);
    assert_int_equal(result.number, 4);
}

static void complete_elsewhere(void *context)
{
    (void)fil_promise_complete(*(struct fil_promise *)context, owned_value());
}

static void test_await_sleeps_until_the_result(void **state)
{
    (void)state;
    struct fil_result result;
    struct fil_thread thread;
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(fil_thread_start(&thread, "producer", complete_elsewhere, &promise),
                         FIL_OK);
        int64_t timeout_ns = i % 2 == 0 ? FIL_WAIT_FOREVER : INT64_MAX;
        assert_int_equal(fil_future_await(future, timeout_ns, &result), FIL_OK);
        assert_ptr_equal(result.pointer, &seen);
        fil_thread_join(&thread);
        assert_int_equal(fil_promise_new(&home.target, &promise, &future), FIL_OK);
    }
    assert_int_equal(seen.destroys, 0);
    fil_promise_drop(promise);
    fil_future_forget(future);
}

static void test_await_gives_up_and_the_future_lives_on(void **state)
{
    (void)state;
    struct fil_result result;
    assert_int_equal(fil_future_await(future, 0, &result), FIL_E_TIMEOUT);
    assert_int_equal(fil_future_await(future, 1000, &result), FIL_E_TIMEOUT);
    (void)fil_promise_complete(promise, fil_result_number(4));
    assert_int_equal(fil_future_await(future, 0, &result), FIL_OK);
    assert_int_equal(result.number, 4);
}

static void test_future_that_was_awaited_can_be_continued(void **state)
{
    (void)state;
    struct fil_result result;
    assert_int_equal(fil_future_await(future, 1000, &result), FIL_E_TIMEOUT);
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    (void)fil_promise_complete(promise, fil_result_number(4));
    (void)hand_target_run(&home);
    assert_int_equal(taken(future).number, 5);
}

static void test_await_refuses_threads_that_must_not_block(void **state)
{
    (void)state;
    static const struct fil_role *const refused[] = {&fil_role_io, &fil_role_partition,
                                                     &fil_role_acceptor, &fil_role_event};
    struct fil_result result;
    (void)fil_promise_complete(promise, fil_result_number(4));
    for (uint32_t i = 0; i < FIL_COUNT_OF(refused); i++) {
        fil_role_enter(refused[i]);
        assert_int_equal(fil_future_await(future, FIL_WAIT_FOREVER, &result), FIL_E_WOULD_BLOCK);
        fil_role_leave_all();
    }
    fil_role_enter(&fil_role_generic);
    fil_role_begin_op();
    assert_int_equal(fil_future_await(future, FIL_WAIT_FOREVER, &result), FIL_E_WOULD_BLOCK);
    fil_role_end_op();
    assert_int_equal(fil_future_await(future, FIL_WAIT_FOREVER, &result), FIL_OK);
    fil_role_leave_all();
}

/** Awaits what only a continuation that waits on this very thread will bring. */
static void await_neighbour(void *context, struct fil_result *result)
{
    struct inner *inner = context;
    assert_int_equal(fil_future_then_on(&inner->future, fil_target_inline(), add_one, NULL),
                     FIL_OK);
    (void)fil_promise_complete(inner->promise, *result);
    assert_false(fil_future_is_ready(inner->future));
    assert_int_equal(fil_future_await(inner->future, FIL_WAIT_FOREVER, result), FIL_OK);
}

static void test_await_runs_first_what_waits_on_its_thread(void **state)
{
    (void)state;
    struct inner inner = inner_new();
    assert_int_equal(fil_future_then_on(&future, fil_target_inline(), await_neighbour, &inner),
                     FIL_OK);
    (void)fil_promise_complete(promise, fil_result_number(1));
    assert_int_equal(taken(future).number, 2);
}

// Handles.

#ifdef FIL_DEBUG

static void complete_again(void *context)
{
    (void)fil_promise_complete(*(struct fil_promise *)context, fil_result_number(0));
}

static void forget_again(void *context)
{
    fil_future_forget(*(struct fil_future *)context);
}

static void cancel_again(void *context)
{
    fil_future_cancel(*(struct fil_future *)context);
}

static void continue_again(void *context)
{
    assert_int_equal(fil_future_then(context, add_one, NULL), FIL_OK);
}

static void wait_again(void *context)
{
    fil_result_destroy(fil_result_wait(*(struct fil_future *)context));
}

static void test_promise_used_twice_is_an_assertion(void **state)
{
    (void)state;
    (void)fil_promise_complete(promise, fil_result_number(0));
    assert_true(assertion_stops(complete_again, &promise));
    fil_future_forget(future);
    // The cell is gone, and then somebody else's.
    assert_true(assertion_stops(complete_again, &promise));
    struct inner inner = inner_new();
    assert_ptr_equal(inner.promise.cell, promise.cell);
    assert_true(assertion_stops(complete_again, &promise));
    fil_promise_drop(inner.promise);
    fil_future_forget(inner.future);
}

static void test_future_used_twice_is_an_assertion(void **state)
{
    (void)state;
    static const assertion_action_fn actions[] = {forget_again, cancel_again, continue_again,
                                                  wait_again};
    struct fil_future used = future;
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    for (uint32_t i = 0; i < FIL_COUNT_OF(actions); i++) {
        assert_true(assertion_stops(actions[i], &used));
    }
    (void)fil_promise_complete(promise, fil_result_number(0));
    (void)hand_target_run(&home);
    assert_int_equal(taken(future).number, 1);
    struct fil_future none = {0};
    for (uint32_t i = 0; i < FIL_COUNT_OF(actions); i++) {
        assert_true(assertion_stops(actions[i], &used));
        assert_true(assertion_stops(actions[i], &none));
    }
}

#endif

// Memory.

static void one_request(void)
{
    uint32_t calls = 0;
    assert_int_equal(fil_promise_new(&home.target, &promise, &future), FIL_OK);
    assert_int_equal(fil_promise_on_cancel(promise, &other.target, see_cancel, NULL), FIL_OK);
    assert_int_equal(fil_future_then(&future, add_one, &calls), FIL_OK);
    assert_int_equal(fil_future_ensure(&future, NULL, see_end, NULL), FIL_OK);
    (void)fil_promise_complete(promise, fil_result_number(0));
    while (hand_target_run(&home) > 0) {
    }
    assert_int_equal(taken(future).number, 1);
    assert_int_equal(calls, 1);
}

static void test_steady_state_allocates_nothing(void **state)
{
    (void)state;
    fil_promise_drop(promise);
    fil_future_forget(future);
    one_request();
    uint64_t before = fil_alloc_count();
    for (uint32_t i = 0; i < 1000; i++) {
        one_request();
    }
    assert_int_equal(fil_alloc_count(), before);
}

static void forget_elsewhere(void *context)
{
    fil_future_forget(*(struct fil_future *)context);
}

static void test_cell_that_ends_elsewhere_comes_home(void **state)
{
    (void)state;
    struct fil_thread thread;
    struct fil_cell *cell = future.cell;
    fil_promise_drop(promise);
    assert_int_equal(fil_thread_start(&thread, "consumer", forget_elsewhere, &future), FIL_OK);
    fil_thread_join(&thread);
    uint64_t before = fil_alloc_count();
    assert_int_equal(fil_promise_new(&home.target, &promise, &future), FIL_OK);
    assert_ptr_equal(future.cell, cell);
    assert_int_equal(fil_alloc_count(), before);
    fil_promise_drop(promise);
    fil_future_forget(future);
}

static void test_thread_without_pool_uses_the_heap(void **state)
{
    (void)state;
    fil_promise_leave();
    uint64_t before = fil_alloc_count();
    struct inner inner = inner_new();
    assert_int_equal(fil_alloc_count(), before + 1);
    fil_promise_enter(&pool); // it knows where it came from
    fil_promise_drop(inner.promise);
    fil_future_forget(inner.future);
    fil_promise_drop(promise);
    fil_future_forget(future);
}

static void test_without_memory_everything_stays(void **state)
{
    (void)state;
    struct inner inner;
    struct fil_future ready;
    fil_promise_leave();
    fil_alloc_fail_after(0);
    assert_int_equal(fil_promise_new(&home.target, &inner.promise, &inner.future), FIL_E_NOMEM);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_future_ready(&home.target, owned_value(), &ready), FIL_E_NOMEM);
    assert_int_equal(seen.destroys, 0);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_promise_on_cancel(promise, &home.target, see_cancel, NULL), FIL_E_NOMEM);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_E_NOMEM);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_future_ensure(&future, NULL, see_end, NULL), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    (void)fil_promise_complete(promise, fil_result_number(1));
    assert_int_equal(hand_target_run(&home), 0);
    assert_int_equal(taken(future).number, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE_TEST(test_continuation_runs_when_the_result_comes),
        PROMISE_TEST(test_continuation_runs_when_the_result_was_first),
        PROMISE_TEST(test_continuation_runs_where_it_says),
        PROMISE_TEST(test_future_without_home_must_be_told_where),
        PROMISE_TEST(test_continuation_of_the_current_target_is_not_nested),
        PROMISE_TEST(test_million_links_need_the_stack_of_one),
        PROMISE_TEST(test_million_links_are_cancelled_on_the_stack_of_one),
        PROMISE_TEST(test_failures_pass_by_then),
        PROMISE_TEST(test_recover_sees_failures_only),
        PROMISE_TEST(test_either_sees_both),
        PROMISE_TEST(test_ensure_sees_and_changes_nothing),
        PROMISE_TEST(test_dropped_promise_is_broken),
        PROMISE_TEST(test_ready_future_has_its_result),
        PROMISE_TEST(test_result_can_be_taken_when_it_is_there),
        PROMISE_TEST(test_forgotten_value_is_destroyed_once),
        PROMISE_TEST(test_forgotten_chain_still_runs),
        PROMISE_TEST(test_await_gives_a_result_that_is_there),
        PROMISE_TEST(test_await_sleeps_until_the_result),
        PROMISE_TEST(test_await_gives_up_and_the_future_lives_on),
        PROMISE_TEST(test_future_that_was_awaited_can_be_continued),
        PROMISE_TEST(test_await_refuses_threads_that_must_not_block),
        PROMISE_TEST(test_await_runs_first_what_waits_on_its_thread),
#ifdef FIL_DEBUG
        PROMISE_TEST(test_promise_used_twice_is_an_assertion),
        PROMISE_TEST(test_future_used_twice_is_an_assertion),
#endif
        PROMISE_TEST(test_steady_state_allocates_nothing),
        PROMISE_TEST(test_cell_that_ends_elsewhere_comes_home),
        PROMISE_TEST(test_thread_without_pool_uses_the_heap),
        PROMISE_TEST(test_without_memory_everything_stays),
    };
    return cmocka_run_group_tests_name("promise", tests, NULL, NULL);
}
