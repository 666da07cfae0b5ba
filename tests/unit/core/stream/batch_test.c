// SPDX-License-Identifier: Apache-2.0
/**
 * Batches: they give back what was written, fixed or of any size, with times and hashes; they
 * refuse what does not fit; the last holder sends the block home, from any thread; a pool that has
 * been used allocates no more; layouts that are too large are told; refused memory is NULL.
 */
#include "core/stream/batch.h"

#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

static struct fil_budget budget;
static struct fil_batch_pools pools;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 26);
    fil_batch_pools_init(&pools, &budget);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_batch_pools_fini(&pools);
    return fil_budget_drawn(&budget) == 0 ? 0 : -1;
}

static void test_fixed_records_come_back_with_their_columns(void **state)
{
    (void)state;
    const struct fil_layout layout = {
        .stride = 24, .record_count = 100, .has_times = true, .has_hashes = true};
    struct fil_batch *batch = fil_batch_new(&pools, &layout, 0);
    assert_non_null(batch);
    for (uint64_t i = 0; i < 100; i++) {
        uint64_t record[3] = {i, i * 2, i * 3};
        memcpy(fil_batch_room(batch, 24), record, sizeof(record));
        fil_batch_commit(batch, 24, (int64_t)i - 50, i * 7);
    }
    assert_null(fil_batch_room(batch, 24));
    for (uint32_t i = 0; i < 100; i++) {
        const uint64_t *record = fil_batch_record(batch, i);
        assert_int_equal(record[2], i * 3);
        assert_int_equal(fil_batch_record_size(batch, i), 24);
        assert_int_equal(fil_batch_time(batch, i), (int64_t)i - 50);
        assert_int_equal(fil_batch_hash(batch, i), i * 7);
    }
    fil_batch_unref(batch);
}

static void test_records_of_any_size_come_back(void **state)
{
    (void)state;
    const struct fil_layout layout = {.record_count = 50};
    struct fil_batch *batch = fil_batch_new(&pools, &layout, 3000);
    assert_non_null(batch);
    uint8_t bytes[3000];
    uint32_t count = 0;
    for (uint32_t size = 0; size < 50; size++) {
        memset(bytes, (int)size, sizeof(bytes));
        void *room = fil_batch_room(batch, size);
        if (room == NULL) {
            break;
        }
        memcpy(room, bytes, size);
        fil_batch_commit(batch, size, 0, 0);
        count++;
    }
    assert_true(count > 40);
    for (uint32_t i = 0; i < count; i++) {
        memset(bytes, (int)i, sizeof(bytes));
        assert_int_equal(fil_batch_record_size(batch, i), i);
        assert_int_equal((uintptr_t)fil_batch_record(batch, i) % 8, 0);
        assert_memory_equal(fil_batch_record(batch, i), bytes, i);
        assert_int_equal(fil_batch_time(batch, i), FIL_TIME_NONE);
    }
    fil_batch_unref(batch);
    batch = fil_batch_new(&pools, &layout, 100000);
    assert_non_null(fil_batch_room(batch, 100000));
    fil_batch_unref(batch);
}

static void let_go(void *context)
{
    fil_batch_unref(context);
}

static void test_block_goes_home_from_another_thread(void **state)
{
    (void)state;
    const struct fil_layout layout = {.stride = 8};
    struct fil_batch *batch = fil_batch_new(&pools, &layout, 0);
    struct fil_batch *mark = fil_batch_new_mark(&pools, FIL_BATCH_WATERMARK, 17);
    assert_non_null(batch);
    assert_non_null(mark);
    assert_int_equal(mark->value, 17);
    fil_batch_ref(batch);
    struct fil_thread thread = {0};
    assert_int_equal(fil_thread_start(&thread, "other", let_go, batch), FIL_OK);
    fil_thread_join(&thread);
    assert_int_equal(batch->references, 1);
    assert_int_equal(fil_thread_start(&thread, "other", let_go, batch), FIL_OK);
    fil_thread_join(&thread);
    fil_batch_unref(mark);
    uint64_t allocations = fil_alloc_count();
    struct fil_batch *again = fil_batch_new(&pools, &layout, 0);
    assert_ptr_equal(again, batch);
    assert_int_equal(fil_alloc_count(), allocations);
    fil_batch_unref(again);
}

static void test_layouts_that_are_too_large_are_told(void **state)
{
    (void)state;
    struct fil_layout layout = {.stride = 64};
    assert_true(fil_layout_is_valid(&layout));
    layout.record_count = 1U << 20;
    assert_false(fil_layout_is_valid(&layout));
    layout = (struct fil_layout){.record_count = 1};
    assert_true(fil_layout_is_valid(&layout));
    layout = (struct fil_layout){.stride = UINT32_MAX, .record_count = UINT32_MAX};
    assert_false(fil_layout_is_valid(&layout));
}

static void test_refused_memory_is_null(void **state)
{
    (void)state;
    const struct fil_layout layout = {.stride = 8};
    fil_alloc_fail_after(0);
    assert_null(fil_batch_new(&pools, &layout, 0));
    fil_alloc_fail_after(0);
    assert_null(fil_batch_new_mark(&pools, FIL_BATCH_END, 0));
    fil_alloc_fail_after(-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fixed_records_come_back_with_their_columns, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_records_of_any_size_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_block_goes_home_from_another_thread, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_layouts_that_are_too_large_are_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_refused_memory_is_null, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
