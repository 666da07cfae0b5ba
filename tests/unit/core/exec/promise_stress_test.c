// SPDX-License-Identifier: Apache-2.0
/**
 * Promises between threads, many times: a producer and a consumer do what they can do to the same
 * million cells at the same time, and chains run over three threads while they are cancelled.
 * Promises: every value ends once, every continuation that must run does, every cell comes home,
 * and the thread sanitizer finds nothing.
 */
#include "core/exec/promise.h"

#include <stdatomic.h>

#include "lib/base/assert.h"
#include "lib/base/prng.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"
#include "tests/unit/core/exec/hand_target.h"
#include "tests/unit/harness.h"

#define SEED UINT64_C(20240917)
#define KEPT 4096U

static struct fil_budget budget;
static _Atomic uint64_t made_count;
static _Atomic uint64_t destroyed_count;
static _Atomic uint64_t call_count;
static _Atomic uint64_t ensure_count;
static _Atomic uint64_t hook_count;

static void count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/** The value is plain memory of both threads: a sanitizer sees a hand-over without order. */
struct value {
    uint64_t stamp;
};

static void destroy_value(void *pointer)
{
    struct value *value = pointer;
    fil_assert(value->stamp == (uintptr_t)value);
    value->stamp = 0;
    count(&destroyed_count);
}

static struct fil_result make_value(struct value *value)
{
    value->stamp = (uintptr_t)value;
    count(&made_count);
    return fil_result_pointer(value, destroy_value);
}

static void take_value(void *context, struct fil_result *result)
{
    (void)context;
    count(&call_count);
    fil_result_destroy(*result);
    *result = fil_result_number(1);
}

static void pass_value(void *context, struct fil_result *result)
{
    (void)context;
    (void)result;
    count(&call_count);
}

static void note_end(void *context, int code)
{
    (void)context;
    (void)code;
    count(&ensure_count);
}

static void note_hook(void *context)
{
    (void)context;
    count(&hook_count);
}

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 32);
    atomic_store(&made_count, 0);
    atomic_store(&destroyed_count, 0);
    atomic_store(&call_count, 0);
    atomic_store(&ensure_count, 0);
    atomic_store(&hook_count, 0);
    return 0;
}

// One million cells, window by window: both threads are at the same few cells at any time.

#define CELLS   1000000U
#define WINDOW  50U
#define WINDOWS (CELLS / WINDOW)

enum produce {
    PRODUCE_VALUE,
    PRODUCE_FAILURE,
    PRODUCE_NOTHING,
    PRODUCE_WITH_HOOK,
    PRODUCE_BY_ANOTHER,
    PRODUCE_KINDS
};

enum consume {
    CONSUME_FORGETTING,
    CONSUME_CANCELLING,
    CONSUME_THEN,
    CONSUME_THEN_CANCELLING,
    CONSUME_ENSURE_CANCELLING,
    CONSUME_AWAITING,
    CONSUME_KINDS
};

struct pair {
    struct fil_promise promise;
    struct fil_future future;
    struct value value;
    enum produce produce;
    enum consume consume;
};

static struct pair window[WINDOW];
static _Atomic uint32_t opened_count; // windows that are ready for the producer
static _Atomic uint32_t closed_count; // windows that it is done with

static void produce_by_another(struct pair *pair)
{
    struct fil_promise promise;
    struct fil_future future;
    fil_assert(fil_promise_new(NULL, &promise, &future) == FIL_OK);
    fil_assert(fil_promise_on_cancel(promise, fil_target_inline(), note_hook, NULL) == FIL_OK);
    (void)fil_promise_complete(pair->promise, fil_result_wait(future));
    (void)fil_promise_complete(promise, make_value(&pair->value));
}

static void produce(struct pair *pair)
{
    switch (pair->produce) {
    case PRODUCE_FAILURE:
        (void)fil_promise_fail(pair->promise, FIL_E_FULL);
        return;
    case PRODUCE_NOTHING:
        fil_promise_drop(pair->promise);
        return;
    case PRODUCE_BY_ANOTHER:
        produce_by_another(pair);
        return;
    case PRODUCE_WITH_HOOK:
        fil_assert(fil_promise_on_cancel(pair->promise, fil_target_inline(), note_hook, NULL) ==
                   FIL_OK);
        break;
    case PRODUCE_VALUE:
    case PRODUCE_KINDS:
        break;
    }
    (void)fil_promise_complete(pair->promise, make_value(&pair->value));
}

static void wait_for(_Atomic uint32_t *counter, uint32_t at_least)
{
    while (atomic_load_explicit(counter, memory_order_acquire) < at_least) {
        fil_thread_yield();
    }
}

static void produce_all(void *context)
{
    struct fil_pool pool;
    (void)context;
    fil_pool_init(&pool, &budget, FIL_PROMISE_BLOCK_BYTES, KEPT);
    fil_promise_enter(&pool);
    for (uint32_t i = 1; i <= WINDOWS; i++) {
        wait_for(&opened_count, i);
        for (uint32_t k = 0; k < WINDOW; k++) {
            produce(&window[k]);
        }
        atomic_store_explicit(&closed_count, i, memory_order_release);
    }
    wait_for(&opened_count, WINDOWS + 1); // the consumer is done with what came from here
    fil_promise_leave();
    fil_pool_fini(&pool);
}

static void consume(struct pair *pair)
{
    struct fil_future future = pair->future;
    struct fil_result result;
    struct fil_continuation take = {
        .when = FIL_WHEN_EITHER, .target = fil_target_inline(), .fn = take_value};
    switch (pair->consume) {
    case CONSUME_FORGETTING:
        fil_future_forget(future);
        break;
    case CONSUME_CANCELLING:
        fil_future_cancel(future);
        break;
    case CONSUME_THEN:
        assert_int_equal(fil_future_continue(&future, &take), FIL_OK);
        fil_future_forget(future);
        break;
    case CONSUME_THEN_CANCELLING:
        assert_int_equal(fil_future_continue(&future, &take), FIL_OK);
        fil_future_cancel(future);
        break;
    case CONSUME_ENSURE_CANCELLING:
        assert_int_equal(fil_future_ensure(&future, fil_target_inline(), note_end, NULL), FIL_OK);
        assert_int_equal(fil_future_continue(&future, &take), FIL_OK);
        fil_future_cancel(future);
        break;
    case CONSUME_AWAITING:
    case CONSUME_KINDS:
        assert_int_equal(fil_future_await(future, FIL_WAIT_FOREVER, &result), FIL_OK);
        fil_result_destroy(result);
        break;
    }
}

static void test_million_cells_end_well_whoever_comes_first(void **state)
{
    (void)state;
    struct fil_thread thread;
    struct fil_prng prng;
    struct fil_pool pool;
    uint64_t consumes[CONSUME_KINDS] = {0};
    fil_prng_init(&prng, SEED);
    fil_pool_init(&pool, &budget, FIL_PROMISE_BLOCK_BYTES, KEPT);
    fil_promise_enter(&pool);
    atomic_store(&opened_count, 0);
    atomic_store(&closed_count, 0);
    assert_int_equal(fil_thread_start(&thread, "producer", produce_all, NULL), FIL_OK);
    for (uint32_t i = 1; i <= WINDOWS; i++) {
        for (uint32_t k = 0; k < WINDOW; k++) {
            struct pair *pair = &window[k];
            assert_int_equal(fil_promise_new(NULL, &pair->promise, &pair->future), FIL_OK);
            pair->produce = (enum produce)fil_prng_below(&prng, PRODUCE_KINDS);
            pair->consume = (enum consume)fil_prng_below(&prng, CONSUME_KINDS);
            consumes[pair->consume]++;
        }
        atomic_store_explicit(&opened_count, i, memory_order_release);
        for (uint32_t k = 0; k < WINDOW; k++) {
            consume(&window[k]);
        }
        wait_for(&closed_count, i);
    }
    atomic_store_explicit(&opened_count, WINDOWS + 1, memory_order_release);
    fil_thread_join(&thread);
    fil_promise_leave();
    fil_pool_fini(&pool); // asserts that every cell is back
    assert_int_equal(fil_budget_drawn(&budget), 0);
    assert_int_equal(atomic_load(&destroyed_count), atomic_load(&made_count));
    assert_int_equal(atomic_load(&ensure_count), consumes[CONSUME_ENSURE_CANCELLING]);
    assert_true(atomic_load(&call_count) >= consumes[CONSUME_THEN]);
    assert_true(atomic_load(&hook_count) > 0);
}

// Chains over three threads: completed on one, continued on another, cancelled on a third.

#define CHAINS 20000U

static struct hand_target stage;
static struct fil_promise roots[CHAINS];
static struct fil_future ends[CHAINS];
static struct value values[CHAINS];
static _Atomic bool is_over;

static void run_stage(void *context)
{
    (void)context;
    bool is_last = false;
    while (!is_last) {
        is_last = atomic_load_explicit(&is_over, memory_order_acquire);
        while (hand_target_run(&stage) > 0) {
        }
        fil_thread_yield();
    }
}

static void complete_roots(void *context)
{
    (void)context;
    for (uint32_t i = 0; i < CHAINS; i++) {
        (void)fil_promise_complete(roots[i], make_value(&values[i]));
    }
}

static void begin_chain(uint32_t index)
{
    struct fil_future *end = &ends[index];
    assert_int_equal(fil_promise_new(&stage.target, &roots[index], end), FIL_OK);
    assert_int_equal(fil_promise_on_cancel(roots[index], &stage.target, note_hook, NULL), FIL_OK);
    assert_int_equal(fil_future_then(end, pass_value, NULL), FIL_OK);
    assert_int_equal(fil_future_ensure(end, fil_target_inline(), note_end, NULL), FIL_OK);
    assert_int_equal(fil_future_then(end, pass_value, NULL), FIL_OK);
    assert_int_equal(fil_future_then_on(end, fil_target_inline(), pass_value, NULL), FIL_OK);
}

static void end_chain(uint32_t index)
{
    if (index % 3 != 0) {
        fil_future_cancel(ends[index]);
        return;
    }
    struct fil_result result;
    assert_int_equal(fil_future_await(ends[index], FIL_WAIT_FOREVER, &result), FIL_OK);
    assert_ptr_equal(result.pointer, &values[index]);
    fil_result_destroy(result);
}

static void test_chains_over_three_threads_end_well(void **state)
{
    (void)state;
    struct fil_thread stage_thread;
    struct fil_thread completer;
    struct fil_pool pool;
    hand_target_init(&stage);
    atomic_store(&is_over, false);
    fil_pool_init(&pool, &budget, FIL_PROMISE_BLOCK_BYTES, KEPT);
    fil_promise_enter(&pool);
    assert_int_equal(fil_thread_start(&stage_thread, "stage", run_stage, NULL), FIL_OK);
    for (uint32_t i = 0; i < CHAINS; i++) {
        begin_chain(i);
    }
    assert_int_equal(fil_thread_start(&completer, "completer", complete_roots, NULL), FIL_OK);
    for (uint32_t i = 0; i < CHAINS; i++) {
        end_chain(i);
    }
    fil_thread_join(&completer);
    atomic_store_explicit(&is_over, true, memory_order_release);
    fil_thread_join(&stage_thread);
    fil_promise_leave();
    fil_pool_fini(&pool);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    assert_int_equal(atomic_load(&made_count), CHAINS);
    assert_int_equal(atomic_load(&destroyed_count), CHAINS);
    assert_int_equal(atomic_load(&ensure_count), CHAINS);
    assert_true(atomic_load(&call_count) >= CHAINS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_million_cells_end_well_whoever_comes_first, set_up),
        cmocka_unit_test_setup(test_chains_over_three_threads_end_well, set_up),
    };
    return cmocka_run_group_tests_name("promise_stress", tests, NULL, NULL);
}
