// SPDX-License-Identifier: Apache-2.0
/** What the tests of promises share: a pool, two targets, one promise, and what was seen of it. */
#pragma once

#include <string.h>

#include "core/exec/promise.h"
#include "tests/unit/core/exec/hand_target.h"
#include "tests/unit/harness.h"

#define KEPT  64U      // free blocks of the pool
#define LINKS 1000000U // of long chains and loops

static struct fil_budget budget;
static struct fil_pool pool;
static struct hand_target home;
static struct hand_target other;

static struct fil_promise promise;
static struct fil_future future;

/** What the continuations of a test have seen. */
static struct {
    uint32_t calls;
    uint32_t ensures;
    uint32_t hooks;
    uint32_t destroys;
    int code;
    uint64_t number;
    struct hand_target *where;
} seen;

static inline int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 30);
    fil_pool_init(&pool, &budget, FIL_PROMISE_BLOCK_BYTES, KEPT);
    fil_promise_enter(&pool);
    hand_target_init(&home);
    hand_target_init(&other);
    memset(&seen, 0, sizeof(seen));
    assert_int_equal(fil_promise_new(&home.target, &promise, &future), FIL_OK);
    return 0;
}

/** Each test ends its handles: every cell must be back. */
static inline int tear_down(void **state)
{
    (void)state;
    fil_promise_leave();
    fil_pool_fini(&pool);
    return (int)fil_budget_drawn(&budget);
}

static inline void count_destroy(void *value)
{
    assert_ptr_equal(value, &seen);
    seen.destroys++;
}

static inline struct fil_result owned_value(void)
{
    return fil_result_pointer(&seen, count_destroy);
}

/** Sees the result and brings its number plus one; context, if any, counts the calls. */
static inline void add_one(void *context, struct fil_result *result)
{
    uint32_t *count = context;
    seen.calls++;
    seen.code = result->code;
    seen.number = result->number;
    seen.where = hand_target_current;
    if (count != NULL) {
        *count += 1;
    }
    *result = fil_result_number(result->number + 1);
}

static inline void keep_value(void *context, struct fil_result *result)
{
    (void)context;
    (void)result;
    seen.calls++;
}

static inline void see_end(void *context, int code)
{
    (void)context;
    seen.ensures++;
    seen.code = code;
    seen.where = hand_target_current;
}

static inline void see_cancel(void *context)
{
    (void)context;
    seen.hooks++;
    seen.where = hand_target_current;
}

static inline struct fil_result taken(struct fil_future from)
{
    struct fil_result result = {.code = 1};
    assert_int_equal(fil_future_take(from, &result), FIL_OK);
    return result;
}

struct inner {
    struct fil_promise promise;
    struct fil_future future;
};

static inline struct inner inner_new(void)
{
    struct inner inner;
    assert_int_equal(fil_promise_new(&home.target, &inner.promise, &inner.future), FIL_OK);
    return inner;
}

#define PROMISE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
