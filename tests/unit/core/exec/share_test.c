// SPDX-License-Identifier: Apache-2.0
/**
 * The share, one test a promise: every listener gets the result, those before it in their order,
 * those after it at once; the value lives as long as somebody holds it and is destroyed once;
 * failures come as they are; a listener that cancels ends itself only; without memory nothing
 * changes; and listeners may come while the result does.
 */
#include "core/exec/share.h"

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"
#include "tests/unit/core/exec/promise_fixture.h"
#include "tests/unit/harness.h"

static struct fil_share *share;

static int set_up_share(void **state)
{
    int result = set_up(state);
    assert_int_equal(fil_share_new(future, &share), FIL_OK);
    return result;
}

static struct fil_future listener(void)
{
    struct fil_future mine;
    assert_int_equal(fil_share_listen(share, &home.target, &mine), FIL_OK);
    return mine;
}

static void assert_shared_value(struct fil_result result)
{
    assert_int_equal(result.code, FIL_OK);
    const struct fil_result *shared = fil_share_result(result.pointer);
    assert_int_equal(shared->code, FIL_OK);
    assert_ptr_equal(shared->pointer, &seen);
    fil_result_destroy(result);
}

static void test_value_reaches_all_and_is_destroyed_once(void **state)
{
    (void)state;
    struct fil_future first = listener();
    struct fil_future second = listener();
    assert_false(fil_future_is_ready(first));
    (void)fil_promise_complete(promise, owned_value());
    assert_shared_value(taken(first));
    struct fil_future late = listener();
    fil_share_unref(share);
    fil_share_unref(NULL);
    assert_shared_value(taken(second));
    assert_int_equal(seen.destroys, 0);
    assert_shared_value(taken(late));
    assert_int_equal(seen.destroys, 1);
}

static void note_order(void *context, struct fil_result *result)
{
    (void)result;
    assert_int_equal(seen.number, *(const uint64_t *)context);
    seen.number++;
}

static void test_listeners_are_completed_in_their_order(void **state)
{
    (void)state;
    static const uint64_t numbers[3] = {0, 1, 2};
    uint64_t own[3];
    memcpy(own, numbers, sizeof(own));
    for (uint32_t i = 0; i < 3; i++) {
        struct fil_future mine = listener();
        assert_int_equal(fil_future_then(&mine, note_order, &own[i]), FIL_OK);
        fil_future_forget(mine);
    }
    (void)fil_promise_complete(promise, owned_value());
    assert_int_equal(hand_target_run(&home), 3);
    assert_int_equal(seen.number, 3);
    assert_int_equal(seen.destroys, 0);
    fil_share_unref(share);
    assert_int_equal(seen.destroys, 1);
}

static void test_failure_comes_as_it_is(void **state)
{
    (void)state;
    struct fil_future before = listener();
    fil_promise_drop(promise);
    struct fil_future after = listener();
    fil_share_unref(share);
    assert_int_equal(taken(before).code, FIL_E_BROKEN);
    assert_int_equal(taken(after).code, FIL_E_BROKEN);
}

static void test_listener_that_cancels_ends_itself_only(void **state)
{
    (void)state;
    struct fil_future first = listener();
    struct fil_future second = listener();
    fil_future_cancel(first);
    assert_false(fil_promise_is_cancelled(promise));
    (void)fil_promise_complete(promise, owned_value());
    assert_shared_value(taken(second));
    fil_share_unref(share);
    assert_int_equal(seen.destroys, 1);
}

static void test_share_that_nobody_holds_ends_with_its_result(void **state)
{
    (void)state;
    fil_share_ref(share);
    fil_share_unref(share);
    fil_share_unref(share);
    assert_int_equal(seen.destroys, 0);
    (void)fil_promise_complete(promise, owned_value());
    assert_int_equal(seen.destroys, 1);
}

static void test_without_memory_nothing_changes(void **state)
{
    (void)state;
    fil_promise_leave();
    struct fil_future mine;
    for (int64_t after = 0; after < 2; after++) {
        fil_alloc_fail_after(after);
        assert_int_equal(fil_share_new(future, &share), FIL_E_NOMEM);
    }
    fil_alloc_fail_after(-1);
    assert_int_equal(fil_share_new(future, &share), FIL_OK);
    for (int64_t after = 0; after < 2; after++) {
        fil_alloc_fail_after(after);
        assert_int_equal(fil_share_listen(share, NULL, &mine), FIL_E_NOMEM);
    }
    fil_alloc_fail_after(-1);
    (void)fil_promise_complete(promise, owned_value());
    fil_share_unref(share);
    assert_int_equal(seen.destroys, 1);
}

#define ROUNDS 2000U

static struct fil_share *shares[ROUNDS];
static struct fil_promise sources[ROUNDS];
static _Atomic uint32_t destroy_count;

static void count_shared(void *value)
{
    (void)value;
    atomic_fetch_add_explicit(&destroy_count, 1, memory_order_relaxed);
}

static void complete_sources(void *context)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        (void)fil_promise_complete(sources[i], fil_result_pointer(context, count_shared));
    }
}

static void listen_and_await(void *context)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct fil_future mine;
        struct fil_result result;
        fil_assert(fil_share_listen(shares[i], NULL, &mine) == FIL_OK);
        fil_assert(fil_future_await(mine, FIL_WAIT_FOREVER, &result) == FIL_OK);
        fil_assert(fil_share_result(result.pointer)->pointer == context);
        fil_share_unref(shares[i]);
        fil_result_destroy(result);
    }
}

static void test_listeners_come_while_the_result_does(void **state)
{
    (void)state;
    struct fil_thread threads[3];
    fil_promise_drop(promise);
    fil_share_unref(share);
    atomic_store(&destroy_count, 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        assert_int_equal(fil_promise_new(NULL, &sources[i], &future), FIL_OK);
        assert_int_equal(fil_share_new(future, &shares[i]), FIL_OK);
        fil_share_ref(shares[i]);
    }
    assert_int_equal(fil_thread_start(&threads[0], "listener", listen_and_await, &seen), FIL_OK);
    assert_int_equal(fil_thread_start(&threads[1], "listener", listen_and_await, &seen), FIL_OK);
    assert_int_equal(fil_thread_start(&threads[2], "source", complete_sources, &seen), FIL_OK);
    for (uint32_t i = 0; i < 3; i++) {
        fil_thread_join(&threads[i]);
    }
    assert_int_equal(atomic_load(&destroy_count), ROUNDS);
}

#define SHARE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_share, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHARE_TEST(test_value_reaches_all_and_is_destroyed_once),
        SHARE_TEST(test_listeners_are_completed_in_their_order),
        SHARE_TEST(test_failure_comes_as_it_is),
        SHARE_TEST(test_listener_that_cancels_ends_itself_only),
        SHARE_TEST(test_share_that_nobody_holds_ends_with_its_result),
        PROMISE_TEST(test_without_memory_nothing_changes),
        SHARE_TEST(test_listeners_come_while_the_result_does),
    };
    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
