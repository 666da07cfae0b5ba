// SPDX-License-Identifier: Apache-2.0
/**
 * Joins, one test a promise: all brings every value in the order of the futures, or the first
 * failure at once; any brings the first value, or the last failure; settle brings every result;
 * members that are not waited for are cancelled and their late values destroyed; cancelling the
 * joint future cancels every member; results that nobody takes are destroyed; members may be done
 * beforehand, and there may be none; without memory, whichever block is missing, the members stay
 * the caller's; steady state allocates nothing; and members may complete on several threads at
 * once.
 */
#include "core/exec/join.h"

#include "lib/base/alloc.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"
#include "tests/unit/core/exec/promise_fixture.h"
#include "tests/unit/harness.h"

#define MEMBERS 3U

static struct fil_promise promises[MEMBERS];
static struct fil_future futures[MEMBERS];
static uint32_t hook_count[MEMBERS];

static void count_hook(void *context)
{
    uint32_t *count = context;
    *count += 1;
}

static int set_up_members(void **state)
{
    int result = set_up(state);
    fil_promise_drop(promise);
    fil_future_forget(future);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(fil_promise_new(NULL, &promises[i], &futures[i]), FIL_OK);
        hook_count[i] = 0;
        assert_int_equal(
            fil_promise_on_cancel(promises[i], fil_target_inline(), count_hook, &hook_count[i]),
            FIL_OK);
    }
    return result;
}

static uint32_t hooks_run(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_true(hook_count[i] <= 1);
        count += hook_count[i];
    }
    return count;
}

static void assert_next_number(struct fil_results *results, uint64_t number)
{
    struct fil_result result;
    assert_true(fil_results_take(results, &result));
    assert_int_equal(result.code, FIL_OK);
    assert_int_equal(result.number, number);
}

// All.

static void test_all_brings_every_value_in_order(void **state)
{
    (void)state;
    assert_int_equal(fil_join_all(&home.target, futures, MEMBERS, &future), FIL_OK);
    assert_true(fil_promise_complete(promises[2], fil_result_number(12)));
    assert_true(fil_promise_complete(promises[0], fil_result_number(10)));
    assert_false(fil_future_is_ready(future));
    assert_true(fil_promise_complete(promises[1], fil_result_number(11)));
    struct fil_result result = taken(future);
    assert_int_equal(result.code, FIL_OK);
    assert_int_equal(fil_results_count(result.pointer), MEMBERS);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_next_number(result.pointer, 10 + i);
    }
    struct fil_result none;
    assert_false(fil_results_take(result.pointer, &none));
    fil_results_free(result.pointer);
    fil_results_free(NULL);
    assert_int_equal(hooks_run(), 0);
}

static void test_all_fails_with_the_first_failure_and_cancels(void **state)
{
    (void)state;
    assert_int_equal(fil_join_all(&home.target, futures, MEMBERS, &future), FIL_OK);
    (void)fil_promise_complete(promises[2], owned_value());
    (void)fil_promise_fail(promises[1], FIL_E_FULL);
    assert_int_equal(taken(future).code, FIL_E_FULL);
    assert_int_equal(hook_count[0], 1);
    assert_int_equal(hooks_run(), 1);
    assert_int_equal(seen.destroys, 0); // not before the join is over
    assert_false(fil_promise_complete(promises[0], owned_value()));
    assert_int_equal(seen.destroys, 2);
}

static void test_all_of_members_that_are_done(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        (void)fil_promise_complete(promises[i], owned_value());
    }
    assert_int_equal(fil_join_all(&home.target, futures, MEMBERS, &future), FIL_OK);
    struct fil_result result = taken(future);
    assert_int_equal(result.code, FIL_OK);
    struct fil_result first;
    assert_true(fil_results_take(result.pointer, &first));
    fil_result_destroy(result); // as when nobody takes the joint value
    assert_int_equal(seen.destroys, MEMBERS - 1);
    fil_result_destroy(first);
    assert_int_equal(seen.destroys, MEMBERS);
}

static void test_all_with_a_failure_that_is_there_cancels_all_others(void **state)
{
    (void)state;
    (void)fil_promise_fail(promises[0], FIL_E_FULL);
    assert_int_equal(fil_join_all(&home.target, futures, MEMBERS, &future), FIL_OK);
    assert_int_equal(taken(future).code, FIL_E_FULL);
    assert_int_equal(hooks_run(), 2);
    fil_promise_drop(promises[1]);
    fil_promise_drop(promises[2]);
}

static void test_join_of_none_is_done(void **state)
{
    (void)state;
    int (*const joins[])(struct fil_target *, const struct fil_future *, uint32_t,
                         struct fil_future *) = {fil_join_all, fil_join_settle};
    for (uint32_t i = 0; i < FIL_COUNT_OF(joins); i++) {
        assert_int_equal(joins[i](&home.target, NULL, 0, &future), FIL_OK);
        struct fil_result result = taken(future);
        assert_int_equal(result.code, FIL_OK);
        assert_int_equal(fil_results_count(result.pointer), 0);
        fil_result_destroy(result);
    }
    for (uint32_t i = 0; i < MEMBERS; i++) {
        fil_promise_drop(promises[i]);
        fil_future_forget(futures[i]);
    }
}

// Any.

static void test_any_brings_the_first_value_and_cancels(void **state)
{
    (void)state;
    assert_int_equal(fil_join_any(&home.target, futures, MEMBERS, &future), FIL_OK);
    (void)fil_promise_fail(promises[0], FIL_E_FULL);
    assert_false(fil_future_is_ready(future));
    (void)fil_promise_complete(promises[1], fil_result_number(5));
    assert_int_equal(taken(future).number, 5);
    assert_int_equal(hook_count[2], 1);
    assert_false(fil_promise_complete(promises[2], owned_value()));
    assert_int_equal(seen.destroys, 1);
}

static void test_any_of_failures_brings_the_last(void **state)
{
    (void)state;
    assert_int_equal(fil_join_any(&home.target, futures, MEMBERS, &future), FIL_OK);
    (void)fil_promise_fail(promises[2], FIL_E_FULL);
    (void)fil_promise_fail(promises[0], FIL_E_CLOSED);
    fil_promise_drop(promises[1]);
    assert_int_equal(taken(future).code, FIL_E_BROKEN);
    assert_int_equal(hooks_run(), 0);
}

// Settle.

static void test_settle_brings_every_result(void **state)
{
    (void)state;
    assert_int_equal(fil_join_settle(&home.target, futures, MEMBERS, &future), FIL_OK);
    (void)fil_promise_fail(promises[1], FIL_E_FULL);
    fil_promise_drop(promises[2]);
    (void)fil_promise_complete(promises[0], fil_result_number(3));
    struct fil_result joint = taken(future);
    assert_int_equal(joint.code, FIL_OK);
    assert_next_number(joint.pointer, 3);
    struct fil_result result;
    assert_true(fil_results_take(joint.pointer, &result));
    assert_int_equal(result.code, FIL_E_FULL);
    assert_true(fil_results_take(joint.pointer, &result));
    assert_int_equal(result.code, FIL_E_BROKEN);
    fil_results_free(joint.pointer);
    assert_int_equal(hooks_run(), 0);
}

// Cancelling.

static void test_cancel_reaches_every_member(void **state)
{
    (void)state;
    assert_int_equal(fil_join_settle(&home.target, futures, MEMBERS, &future), FIL_OK);
    assert_int_equal(fil_future_then(&future, keep_value, NULL), FIL_OK);
    fil_future_cancel(future);
    assert_int_equal(hooks_run(), MEMBERS);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(seen.destroys, 0);
        (void)fil_promise_complete(promises[i], owned_value());
    }
    (void)hand_target_run(&home);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(seen.destroys, MEMBERS);
}

static void test_cancel_of_a_decided_join_is_harmless(void **state)
{
    (void)state;
    assert_int_equal(fil_join_any(&home.target, futures, MEMBERS, &future), FIL_OK);
    (void)fil_promise_complete(promises[1], owned_value());
    fil_future_cancel(future);
    assert_int_equal(seen.destroys, 1);
    assert_int_equal(hooks_run(), 2);
    fil_promise_drop(promises[0]);
    fil_promise_drop(promises[2]);
}

static void test_joint_future_has_a_home(void **state)
{
    (void)state;
    assert_int_equal(fil_join_any(&home.target, futures, MEMBERS, &future), FIL_OK);
    assert_int_equal(fil_future_then(&future, add_one, NULL), FIL_OK);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        (void)fil_promise_complete(promises[i], fil_result_number(i));
    }
    assert_int_equal(hand_target_run(&home), 1);
    assert_ptr_equal(seen.where, &home);
    assert_int_equal(taken(future).number, 1);
}

// Memory.

static void test_without_memory_the_members_stay(void **state)
{
    (void)state;
    fil_promise_leave();
    int64_t after = 0;
    int error = FIL_E_NOMEM;
    while (error == FIL_E_NOMEM) {
        fil_alloc_fail_after(after);
        error = fil_join_all(&home.target, futures, MEMBERS, &future);
        fil_alloc_fail_after(-1);
        after++;
    }
    assert_int_equal(error, FIL_OK);
    assert_int_equal(after, 2 * MEMBERS + 3 + 1);
    assert_int_equal(hooks_run(), 0);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        (void)fil_promise_complete(promises[i], owned_value());
    }
    fil_result_destroy(taken(future));
    assert_int_equal(seen.destroys, MEMBERS);
}

static void join_once(void)
{
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(fil_promise_new(NULL, &promises[i], &futures[i]), FIL_OK);
    }
    assert_int_equal(fil_join_settle(&home.target, futures, MEMBERS, &future), FIL_OK);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        (void)fil_promise_complete(promises[i], fil_result_number(i));
    }
    fil_result_destroy(taken(future));
}

static void test_steady_state_allocates_nothing(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        fil_promise_drop(promises[i]);
        fil_future_forget(futures[i]);
    }
    join_once();
    uint64_t before = fil_alloc_count();
    for (uint32_t i = 0; i < 1000; i++) {
        join_once();
    }
    assert_int_equal(fil_alloc_count(), before);
}

// Threads.

#define ROUNDS  3000U
#define THREADS 3U

static struct fil_promise handed[THREADS][ROUNDS];
static struct fil_future joints[ROUNDS];
static _Atomic uint32_t opened_count; // rounds whose members may complete
static _Atomic uint32_t made_count;   // values
static _Atomic uint32_t lost_count;

static void count_lost(void *value)
{
    (void)value;
    atomic_fetch_add_explicit(&lost_count, 1, memory_order_relaxed);
}

static void complete_handed(void *context)
{
    struct fil_promise *mine = context;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        while (atomic_load_explicit(&opened_count, memory_order_acquire) <= i) {
            fil_thread_yield();
        }
        if (i % 5 == (uint32_t)(mine == handed[0])) {
            (void)fil_promise_fail(mine[i], FIL_E_FULL);
        } else {
            atomic_fetch_add_explicit(&made_count, 1, memory_order_relaxed);
            (void)fil_promise_complete(mine[i], fil_result_pointer(mine, count_lost));
        }
    }
}

static int join_round(uint32_t round, const struct fil_future *members)
{
    switch (round % 3) {
    case 0:
        return fil_join_all(NULL, members, THREADS, &joints[round]);
    case 1:
        return fil_join_any(NULL, members, THREADS, &joints[round]);
    default:
        return fil_join_settle(NULL, members, THREADS, &joints[round]);
    }
}

static void await_joint(uint32_t round)
{
    struct fil_result joint;
    assert_int_equal(fil_future_await(joints[round], FIL_WAIT_FOREVER, &joint), FIL_OK);
    if (joint.code == FIL_OK && round % 3 != 1) {
        struct fil_result result;
        while (fil_results_take(joint.pointer, &result)) {
            fil_result_destroy(result);
        }
    }
    fil_result_destroy(joint);
}

/** The joints are made, cancelled or awaited while the members complete. */
static void test_members_complete_on_several_threads(void **state)
{
    (void)state;
    static struct fil_future members[ROUNDS][THREADS];
    struct fil_thread threads[THREADS];
    for (uint32_t i = 0; i < MEMBERS; i++) {
        fil_promise_drop(promises[i]);
        fil_future_forget(futures[i]);
    }
    atomic_store(&opened_count, 0);
    atomic_store(&made_count, 0);
    atomic_store(&lost_count, 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        for (uint32_t t = 0; t < THREADS; t++) {
            assert_int_equal(fil_promise_new(NULL, &handed[t][i], &members[i][t]), FIL_OK);
        }
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        assert_int_equal(fil_thread_start(&threads[t], "member", complete_handed, handed[t]),
                         FIL_OK);
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        if (i % 7 == 0) { // they may also complete while they are being joined
            atomic_store_explicit(&opened_count, i + 1, memory_order_release);
        }
        assert_int_equal(join_round(i, members[i]), FIL_OK);
        atomic_store_explicit(&opened_count, i + 1, memory_order_release);
        if (i % 4 == 0) {
            fil_future_cancel(joints[i]);
        } else {
            await_joint(i);
        }
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        fil_thread_join(&threads[t]);
    }
    assert_int_equal(atomic_load(&lost_count), atomic_load(&made_count));
}

#define JOIN_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_members, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOIN_TEST(test_all_brings_every_value_in_order),
        JOIN_TEST(test_all_fails_with_the_first_failure_and_cancels),
        JOIN_TEST(test_all_of_members_that_are_done),
        JOIN_TEST(test_all_with_a_failure_that_is_there_cancels_all_others),
        JOIN_TEST(test_join_of_none_is_done),
        JOIN_TEST(test_any_brings_the_first_value_and_cancels),
        JOIN_TEST(test_any_of_failures_brings_the_last),
        JOIN_TEST(test_settle_brings_every_result),
        JOIN_TEST(test_cancel_reaches_every_member),
        JOIN_TEST(test_cancel_of_a_decided_join_is_harmless),
        JOIN_TEST(test_joint_future_has_a_home),
        JOIN_TEST(test_without_memory_the_members_stay),
        JOIN_TEST(test_steady_state_allocates_nothing),
        JOIN_TEST(test_members_complete_on_several_threads),
    };
    return cmocka_run_group_tests_name("join", tests, NULL, NULL);
}
