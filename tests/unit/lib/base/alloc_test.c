// SPDX-License-Identifier: Apache-2.0
/**
 * The door to the heap, one test a promise: zeroed memory is zero, aligned memory is aligned; sizes
 * that overflow give NULL; every allocation is counted; the one that a test chose fails, once.
 */
#include <string.h>

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static int turn_faults_off(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    return 0;
}

static void test_zeroed_and_aligned_memory_is_what_it_says(void **state)
{
    (void)state;
    for (size_t alignment = 16; alignment <= 4096; alignment *= 4) {
        uint8_t *aligned = fil_alloc_aligned(alignment, 100);
        uint8_t *zeroed = fil_alloc_zero(10, 10);
        assert_non_null(aligned);
        assert_non_null(zeroed);
        assert_int_equal((uintptr_t)aligned % alignment, 0);
        for (size_t i = 0; i < 100; i++) {
            assert_int_equal(aligned[i] | zeroed[i], 0);
        }
        fil_free(aligned);
        fil_free(zeroed);
    }
    fil_free(NULL);
}

static void test_sizes_that_overflow_give_null(void **state)
{
    (void)state;
    // Kept from the compiler, which would warn of the size.
    size_t large = SIZE_MAX - (size_t)*state % 2;
    assert_null(fil_alloc_zero(large / 2, 3));
    assert_null(fil_alloc_aligned(64, large - 10));
}

static void test_growing_keeps_the_content(void **state)
{
    (void)state;
    char *text = fil_alloc(4);
    assert_non_null(text);
    memcpy(text, "abc", 4);
    char *longer = fil_realloc(text, 1000);
    assert_non_null(longer);
    assert_string_equal(longer, "abc");
    fil_alloc_fail_after(0);
    assert_null(fil_realloc(longer, 2000));
    assert_string_equal(longer, "abc");
    fil_free(longer);
}

static void test_every_allocation_is_counted(void **state)
{
    (void)state;
    uint64_t before = fil_alloc_count();
    void *blocks[] = {fil_alloc(1), fil_alloc_zero(1, 1), fil_alloc_aligned(16, 1)};
    assert_int_equal(fil_alloc_count(), before + 3);
    for (size_t i = 0; i < FIL_COUNT_OF(blocks); i++) {
        fil_free(blocks[i]);
    }
    assert_int_equal(fil_alloc_count(), before + 3);
}

static void test_chosen_allocation_fails_once(void **state)
{
    (void)state;
    for (int64_t chosen = 0; chosen < 4; chosen++) {
        fil_alloc_fail_after(chosen);
        for (int64_t i = 0; i < 8; i++) {
            void *block = i % 2 == 0 ? fil_alloc(8) : fil_alloc_zero(1, 8);
            assert_int_equal(block == NULL, i == chosen);
            fil_free(block);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_zeroed_and_aligned_memory_is_what_it_says, turn_faults_off),
        cmocka_unit_test_teardown(test_sizes_that_overflow_give_null, turn_faults_off),
        cmocka_unit_test_teardown(test_growing_keeps_the_content, turn_faults_off),
        cmocka_unit_test_teardown(test_every_allocation_is_counted, turn_faults_off),
        cmocka_unit_test_teardown(test_chosen_allocation_fails_once, turn_faults_off),
    };
    return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
