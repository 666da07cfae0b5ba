// SPDX-License-Identifier: Apache-2.0
/**
 * The pool, one test a promise: blocks are of the promised size and distinct; a returned block is
 * used again before the heap is asked; no more than kept_max free blocks are kept; the budget is
 * charged for each block and gets everything back; without memory or budget a take gives NULL and
 * the pool works on; a block that another thread gives travels home; with several threads that give
 * back none is lost, and each arrives as the other thread left it.
 */
#include "lib/mem/pool.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define BLOCK 128U

static struct fil_budget budget;
static struct fil_pool pool;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 30);
    return 0;
}

/** Returns how many allocations the body of a test has made since the last call. */
static uint64_t allocations(void)
{
    static uint64_t before;
    uint64_t now = fil_alloc_count();
    uint64_t made = now - before;
    before = now;
    return made;
}

static void test_blocks_are_whole_and_distinct(void **state)
{
    (void)state;
    uint8_t *blocks[10];
    fil_pool_init(&pool, &budget, BLOCK, 4);
    for (uint8_t i = 0; i < 10; i++) {
        blocks[i] = fil_pool_take(&pool);
        assert_non_null(blocks[i]);
        memset(blocks[i], i, BLOCK);
    }
    for (uint8_t i = 0; i < 10; i++) {
        for (uint32_t k = 0; k < BLOCK; k++) {
            assert_int_equal(blocks[i][k], i);
        }
        fil_pool_give(&pool, blocks[i]);
    }
    fil_pool_fini(&pool);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_returned_block_is_used_again(void **state)
{
    (void)state;
    fil_pool_init(&pool, &budget, BLOCK, 1);
    void *block = fil_pool_take(&pool);
    fil_pool_give(&pool, block);
    (void)allocations();
    for (uint32_t i = 0; i < 100; i++) {
        assert_ptr_equal(fil_pool_take(&pool), block);
        fil_pool_give(&pool, block);
    }
    assert_int_equal(allocations(), 0);
    fil_pool_fini(&pool);
}

static void test_no_more_than_kept_max_are_kept(void **state)
{
    (void)state;
    void *blocks[10];
    fil_pool_init(&pool, &budget, BLOCK, 3);
    for (uint32_t i = 0; i < 10; i++) {
        blocks[i] = fil_pool_take(&pool);
        assert_non_null(blocks[i]);
    }
    assert_int_equal(fil_account_used(&pool.account), 10 * BLOCK);
    for (uint32_t i = 0; i < 10; i++) {
        fil_pool_give(&pool, blocks[i]);
    }
    assert_int_equal(fil_account_used(&pool.account), 3 * BLOCK);
    fil_pool_fini(&pool);
    fil_pool_init(&pool, &budget, BLOCK, 0);
    fil_pool_give(&pool, fil_pool_take(&pool));
    assert_int_equal(fil_account_used(&pool.account), 0);
    fil_pool_fini(&pool);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_budget_stops_the_pool_and_lets_it_go_on(void **state)
{
    (void)state;
    void *blocks[3];
    fil_budget_init(&budget, (uint64_t)3 * BLOCK + BLOCK / 2);
    fil_pool_init(&pool, &budget, BLOCK, 2);
    for (uint32_t i = 0; i < 3; i++) {
        blocks[i] = fil_pool_take(&pool);
        assert_non_null(blocks[i]);
    }
    assert_null(fil_pool_take(&pool));
    assert_int_equal(fil_account_used(&pool.account), 3 * BLOCK);
    fil_pool_give(&pool, blocks[0]);
    blocks[0] = fil_pool_take(&pool);
    assert_non_null(blocks[0]);
    for (uint32_t i = 0; i < 3; i++) {
        fil_pool_give(&pool, blocks[i]);
    }
    fil_pool_fini(&pool);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_failed_allocation_is_charged_to_nobody(void **state)
{
    (void)state;
    fil_pool_init(&pool, &budget, BLOCK, 2);
    void *first = fil_pool_take(&pool);
    fil_alloc_fail_after(0);
    assert_null(fil_pool_take(&pool));
    fil_alloc_fail_after(-1);
    assert_int_equal(fil_account_used(&pool.account), BLOCK);
    void *second = fil_pool_take(&pool);
    assert_non_null(second);
    fil_pool_give(&pool, first);
    fil_pool_give(&pool, second);
    fil_pool_fini(&pool);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void give_elsewhere(void *block)
{
    memset((uint8_t *)block + sizeof(struct fil_link), 7, BLOCK - sizeof(struct fil_link));
    fil_pool_give(&pool, block);
}

static void test_block_of_another_thread_travels_home(void **state)
{
    (void)state;
    struct fil_thread thread;
    fil_pool_init(&pool, &budget, BLOCK, 1);
    uint8_t *block = fil_pool_take(&pool);
    assert_int_equal(fil_thread_start(&thread, "giver", give_elsewhere, block), FIL_OK);
    fil_thread_join(&thread);
    assert_int_equal(pool.lent_count, 1); // on its way: only the owner counts it back
    (void)allocations();
    assert_ptr_equal(fil_pool_take(&pool), block);
    assert_int_equal(allocations(), 0);
    assert_int_equal(block[BLOCK - 1], 7);
    // One that is still on its way when the pool ends is found by fini.
    assert_int_equal(fil_thread_start(&thread, "giver", give_elsewhere, block), FIL_OK);
    fil_thread_join(&thread);
    fil_pool_fini(&pool);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

#define THREADS    3U
#define PER_THREAD 2000U

static struct fil_stack handed[THREADS];
static _Atomic bool is_over;

static void give_what_is_handed(void *context)
{
    struct fil_stack *stack = context;
    for (;;) {
        bool is_last = atomic_load_explicit(&is_over, memory_order_acquire);
        struct fil_link *link = fil_stack_take_all(stack);
        if (link == NULL && is_last) {
            return;
        }
        while (link != NULL) {
            struct fil_link *next = link->next;
            give_elsewhere(link);
            link = next;
        }
        fil_thread_yield();
    }
}

/** The other threads write to the blocks: a sanitizer sees a hand-over without order. */
static void test_no_block_of_several_threads_is_lost(void **state)
{
    (void)state;
    struct fil_thread threads[THREADS];
    fil_pool_init(&pool, &budget, BLOCK, 8);
    atomic_store_explicit(&is_over, false, memory_order_relaxed);
    for (uint32_t i = 0; i < THREADS; i++) {
        fil_stack_init(&handed[i]);
        assert_int_equal(fil_thread_start(&threads[i], "giver", give_what_is_handed, &handed[i]),
                         FIL_OK);
    }
    for (uint32_t i = 0; i < THREADS * PER_THREAD; i++) {
        uint8_t *block = fil_pool_take(&pool);
        assert_non_null(block);
        memset(block, 1, BLOCK);
        (void)fil_stack_push(&handed[i % THREADS], (struct fil_link *)(void *)block);
    }
    atomic_store_explicit(&is_over, true, memory_order_release);
    for (uint32_t i = 0; i < THREADS; i++) {
        fil_thread_join(&threads[i]);
    }
    fil_pool_fini(&pool); // asserts that every block is back
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void adopt_and_use(void *context)
{
    bool *out_is_right = context;
    fil_pool_adopt(&pool);
    void *block = fil_pool_take(&pool);
    fil_pool_give(&pool, block);
    // The owner's give needs no journey.
    *out_is_right = block != NULL && pool.lent_count == 0;
}

static void test_pool_can_be_adopted(void **state)
{
    (void)state;
    struct fil_thread thread;
    bool is_right = false;
    fil_pool_init(&pool, &budget, BLOCK, 4);
    assert_int_equal(fil_thread_start(&thread, "owner", adopt_and_use, &is_right), FIL_OK);
    fil_thread_join(&thread);
    assert_true(is_right);
    fil_pool_adopt(&pool);
    fil_pool_fini(&pool);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_blocks_are_whole_and_distinct, set_up),
        cmocka_unit_test_setup(test_returned_block_is_used_again, set_up),
        cmocka_unit_test_setup(test_no_more_than_kept_max_are_kept, set_up),
        cmocka_unit_test_setup(test_budget_stops_the_pool_and_lets_it_go_on, set_up),
        cmocka_unit_test_setup(test_failed_allocation_is_charged_to_nobody, set_up),
        cmocka_unit_test_setup(test_block_of_another_thread_travels_home, set_up),
        cmocka_unit_test_setup(test_no_block_of_several_threads_is_lost, set_up),
        cmocka_unit_test_setup(test_pool_can_be_adopted, set_up),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
