// SPDX-License-Identifier: Apache-2.0
/**
 * The slab, one test a promise: blocks do not overlap and keep their bytes over random use; a slot
 * wastes little; freed slots are used before the heap is asked; blocks beyond the largest class are
 * apart and grow in place, huge ones are counted; every byte is charged and given back; sparse runs
 * can be drained; without memory nothing changes.
 */
#include "core/store/slab.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/attr.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define BLOCKS 3000U

static struct fil_budget budget;
static struct fil_account account;
static struct fil_slab slab;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 30);
    fil_account_init(&account, &budget);
    fil_slab_init(&slab);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_slab_fini(&slab, &account);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

struct block {
    uint32_t reference;
    uint32_t size;
    uint8_t fill;
};

static struct block blocks[BLOCKS];

static void assert_filled(const struct block *block)
{
    const uint8_t *bytes = fil_slab_at(&slab, block->reference);
    for (uint32_t i = 0; i < block->size; i++) {
        assert_int_equal(bytes[i], block->fill);
    }
}

static void toggle(struct fil_prng *prng, struct block *block)
{
    if (block->reference != FIL_SLAB_NONE) {
        assert_filled(block);
        fil_slab_release(&slab, &account, block->reference);
        block->reference = FIL_SLAB_NONE;
        return;
    }
    uint32_t limit = fil_prng_below(prng, 20) == 0 ? 30000 : 400;
    block->size = (uint32_t)fil_prng_range(prng, 1, limit);
    block->fill = (uint8_t)fil_prng_next(prng);
    block->reference = fil_slab_alloc(&slab, &account, block->size);
    assert_int_not_equal(block->reference, FIL_SLAB_NONE);
    assert_true(fil_slab_capacity(&slab, block->reference) >= block->size);
    memset(fil_slab_at(&slab, block->reference), block->fill, block->size);
}

static void test_blocks_keep_their_bytes(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 3);
    memset(blocks, 0, sizeof(blocks));
    for (uint32_t i = 0; i < 100000; i++) {
        toggle(&prng, &blocks[fil_prng_below(&prng, BLOCKS)]);
        if (i % 20000 == 0) {
            fil_slab_check(&slab);
        }
    }
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].reference != FIL_SLAB_NONE) {
            toggle(&prng, &blocks[i]);
        }
    }
    fil_slab_check(&slab);
    assert_int_equal(slab.used_bytes, 0);
    while (fil_slab_reclaim(&slab, &account)) {
    }
    fil_slab_check(&slab);
    assert_int_equal(slab.run_bytes, 0);
}

static void test_slots_waste_little(void **state)
{
    (void)state;
    uint64_t wasted = 0;
    uint64_t asked = 0;
    for (uint64_t bytes = 1; bytes <= FIL_SLAB_SLOT_MAX; bytes++) {
        uint64_t slot = fil_slab_slot_bytes(bytes);
        assert_true(slot >= bytes);
        assert_int_equal(slot % 8, 0);
        assert_true(slot - bytes < 8 || (slot - bytes) * 16 <= bytes);
        wasted += slot - bytes;
        asked += bytes;
    }
    assert_true(wasted * 100 < asked * 8);
    assert_int_equal(fil_slab_slot_bytes(FIL_SLAB_SLOT_MAX), FIL_SLAB_SLOT_MAX);
}

static void test_freed_slots_come_first(void **state)
{
    (void)state;
    uint32_t references[500];
    for (uint32_t i = 0; i < FIL_COUNT_OF(references); i++) {
        references[i] = fil_slab_alloc(&slab, &account, 100);
    }
    uint64_t used = fil_account_used(&account);
    uint64_t allocations = fil_alloc_count();
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < FIL_COUNT_OF(references); i += 3) {
            fil_slab_release(&slab, &account, references[i]);
        }
        for (uint32_t i = 0; i < FIL_COUNT_OF(references); i += 3) {
            references[i] = fil_slab_alloc(&slab, &account, 100);
        }
    }
    assert_int_equal(fil_alloc_count(), allocations);
    assert_int_equal(fil_account_used(&account), used);
}

static void test_near_empty_is_small(void **state)
{
    (void)state;
    assert_int_not_equal(fil_slab_alloc(&slab, &account, 120), FIL_SLAB_NONE);
    assert_true(fil_account_used(&account) < 2048);
}

static void test_large_blocks_grow_in_place(void **state)
{
    (void)state;
    uint32_t reference = fil_slab_alloc(&slab, &account, FIL_SLAB_SLOT_MAX + 1);
    uint8_t *bytes = fil_slab_at(&slab, reference);
    memset(bytes, 7, FIL_SLAB_SLOT_MAX + 1);
    assert_true(fil_slab_resize(&slab, &account, reference, 1000000));
    bytes = fil_slab_at(&slab, reference);
    assert_int_equal(bytes[FIL_SLAB_SLOT_MAX], 7);
    bytes[999999] = 1;
    assert_true(fil_account_used(&account) > 1000000);
    assert_true(fil_slab_resize(&slab, &account, reference, 20000));
    assert_true(fil_account_used(&account) < 30000);
    // To a class it would have to move.
    assert_false(fil_slab_resize(&slab, &account, reference, 100));
    assert_false(fil_slab_resize(&slab, &account, reference, UINT64_C(1) << 33));
    uint32_t small = fil_slab_alloc(&slab, &account, 100);
    assert_true(fil_slab_resize(&slab, &account, small, 104));
    assert_false(fil_slab_resize(&slab, &account, small, 200));
    fil_slab_check(&slab);
}

static void test_huge_blocks_are_counted(void **state)
{
    (void)state;
    uint32_t growing = fil_slab_alloc(&slab, &account, FIL_SLAB_HUGE / 2);
    assert_int_equal(slab.huge, 0);
    uint32_t huge = fil_slab_alloc(&slab, &account, FIL_SLAB_HUGE);
    assert_int_equal(slab.huge, 1);
    assert_true(fil_slab_resize(&slab, &account, growing, FIL_SLAB_HUGE + 1));
    assert_int_equal(slab.huge, 2);
    fil_slab_check(&slab);
    assert_true(fil_slab_resize(&slab, &account, growing, FIL_SLAB_HUGE / 2));
    fil_slab_release(&slab, &account, huge);
    assert_int_equal(slab.huge, 0);
    fil_slab_check(&slab);
}

static void test_sparse_runs_are_drained(void **state)
{
    (void)state;
    static uint32_t references[20000];
    for (uint32_t i = 0; i < FIL_COUNT_OF(references); i++) {
        references[i] = fil_slab_alloc(&slab, &account, 64);
    }
    assert_false(fil_slab_is_sparse(&slab, false));
    for (uint32_t i = 0; i < FIL_COUNT_OF(references); i++) {
        if (i % 4 != 0) {
            fil_slab_release(&slab, &account, references[i]);
        }
    }
    uint64_t before = fil_account_used(&account);
    assert_true(fil_slab_is_sparse(&slab, false));
    assert_true(fil_slab_start_draining(&slab, false) > 0);
    for (uint32_t i = 0; i < FIL_COUNT_OF(references); i += 4) {
        if (fil_slab_is_draining(&slab, references[i])) {
            uint32_t moved = fil_slab_alloc(&slab, &account, 64);
            assert_false(fil_slab_is_draining(&slab, moved));
            fil_slab_release(&slab, &account, references[i]);
            references[i] = moved;
        }
    }
    assert_int_equal(slab.draining, 0);
    fil_slab_check(&slab);
    // Runs go back one at a time.
    uint64_t retired = fil_account_used(&account);
    assert_true(fil_slab_reclaim(&slab, &account));
    assert_true(fil_account_used(&account) < retired);
    while (fil_slab_reclaim(&slab, &account)) {
    }
    assert_false(fil_slab_is_sparse(&slab, false));
    assert_true(fil_account_used(&account) < before / 2);
}

static void test_draining_can_be_stopped(void **state)
{
    (void)state;
    uint32_t references[4000];
    for (uint32_t i = 0; i < FIL_COUNT_OF(references); i++) {
        references[i] = fil_slab_alloc(&slab, &account, 200);
    }
    for (uint32_t i = 0; i < FIL_COUNT_OF(references); i += 2) {
        fil_slab_release(&slab, &account, references[i]);
    }
    assert_true(fil_slab_start_draining(&slab, false) > 0);
    fil_slab_stop_draining(&slab);
    assert_int_equal(slab.draining, 0);
    fil_slab_check(&slab);
}

static void test_every_failed_allocation_changes_nothing(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {100, 4000, 100000, 8, 300, 500, 700, 900};
    for (uint32_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        uint32_t reference = FIL_SLAB_NONE;
        for (int64_t position = 0; reference == FIL_SLAB_NONE; position++) {
            uint64_t run_bytes = slab.run_bytes;
            fil_alloc_fail_after(position);
            reference = fil_slab_alloc(&slab, &account, sizes[i]);
            fil_alloc_fail_after(-1);
            assert_true(reference != FIL_SLAB_NONE || slab.run_bytes == run_bytes);
            assert_true(position < 5);
        }
        fil_slab_check(&slab);
    }
}

static void test_limit_refuses(void **state)
{
    (void)state;
    fil_budget_init(&budget, 20000);
    uint32_t count = 0;
    while (fil_slab_alloc(&slab, &account, 100) != FIL_SLAB_NONE) {
        count++;
    }
    assert_true(count > 100);
    assert_true(fil_account_used(&account) <= 20000);
    assert_int_equal(fil_slab_alloc(&slab, &account, 100000), FIL_SLAB_NONE);
    fil_slab_check(&slab);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(blocks_keep_their_bytes),
        TEST(slots_waste_little),
        TEST(freed_slots_come_first),
        TEST(near_empty_is_small),
        TEST(large_blocks_grow_in_place),
        TEST(huge_blocks_are_counted),
        TEST(sparse_runs_are_drained),
        TEST(draining_can_be_stopped),
        TEST(every_failed_allocation_changes_nothing),
        TEST(limit_refuses),
    };
#undef TEST
    return cmocka_run_group_tests_name("slab", tests, NULL, NULL);
}
