// SPDX-License-Identifier: Apache-2.0
/**
 * Pages, one test a promise: blocks of all sizes begin at a page and keep their bytes; what is
 * freed is used again, and no more of it stays with the process than is told; a block that is
 * resized keeps its bytes; refused memory changes nothing; several threads may take and give at
 * once.
 */
#include "lib/mem/pages.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

#define MIB ((size_t)1 << 20)

static const size_t sizes[] = {1,           4095,    4096, 4097,    12288,       100000, MIB / 2,
                               MIB / 2 + 1, MIB - 1, MIB,  MIB + 1, 2 * MIB + 1, 5 * MIB};

static struct fil_pages *pages;

static int set_up(void **state)
{
    (void)state;
    pages = fil_pages_new();
    return pages == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    fil_pages_free(pages);
    return 0;
}

static void test_blocks_begin_at_pages_and_keep_their_bytes(void **state)
{
    (void)state;
    uint8_t *blocks[FIL_COUNT_OF(sizes)][3];
    for (size_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        for (size_t k = 0; k < 3; k++) {
            blocks[i][k] = fil_pages_take(pages, sizes[i]);
            assert_non_null(blocks[i][k]);
            assert_int_equal((uintptr_t)blocks[i][k] % FIL_PAGES_UNIT, 0);
            memset(blocks[i][k], (int)(3 * i + k), sizes[i]);
        }
    }
    for (size_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(blocks[i][k][0], 3 * i + k);
            assert_int_equal(blocks[i][k][sizes[i] - 1], 3 * i + k);
            fil_pages_give(pages, blocks[i][k], sizes[i]);
        }
    }
}

static void test_what_is_freed_is_used_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        if (sizes[i] > MIB) {
            continue; // mapped anew, wherever the system likes
        }
        void *first = fil_pages_take(pages, sizes[i]);
        fil_pages_give(pages, first, sizes[i]);
        void *second = fil_pages_take(pages, sizes[i]);
        assert_ptr_equal(first, second);
        fil_pages_give(pages, second, sizes[i]);
    }
}

/** Bytes of the block that the process really has; of one that is not mapped any more, none. */
static size_t resident_bytes(uint8_t *block, size_t size)
{
    unsigned char units[5 * MIB / FIL_PAGES_UNIT];
    size_t bytes = 0;
    if (mincore(block, fil_pages_bytes(size), units) != 0) {
        return 0;
    }
    for (size_t i = 0; i < fil_pages_bytes(size) / FIL_PAGES_UNIT; i++) {
        bytes += (units[i] & 1U) * FIL_PAGES_UNIT;
    }
    return bytes;
}

/** Takes, touches and gives 16 MiB in blocks of a size, every second one first; returns what the
 * process still has of them. */
static size_t use_and_free(size_t size)
{
    static uint8_t *blocks[4096];
    size_t count = 16 * MIB / fil_pages_bytes(size);
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        blocks[i] = fil_pages_take(pages, size);
        assert_non_null(blocks[i]);
        memset(blocks[i], 1, size);
        assert_int_equal(resident_bytes(blocks[i], size), fil_pages_bytes(size));
    }
    for (size_t start = 0; start < 2; start++) {
        for (size_t i = start; i < count; i += 2) {
            fil_pages_give(pages, blocks[i], size);
        }
    }
    for (size_t i = 0; i < count; i++) {
        left += resident_bytes(blocks[i], size);
    }
    return left;
}

static void test_freed_pages_leave_the_process(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        uint64_t kept_before = fil_pages_kept_bytes(pages);
        size_t left = use_and_free(sizes[i]);
        assert_true(left <= FIL_PAGES_KEPT_BYTES);
        assert_true(fil_pages_kept_bytes(pages) <= kept_before + FIL_PAGES_KEPT_BYTES);
    }
}

static void test_a_smaller_block_does_not_keep_the_pages_of_a_larger_one(void **state)
{
    (void)state;
    uint8_t *block = fil_pages_take(pages, 100000);
    memset(block, 7, 100000);
    fil_pages_give(pages, block, 100000);
    assert_int_equal(fil_pages_kept_bytes(pages), fil_pages_bytes(100000));
    uint8_t *smaller = fil_pages_take(pages, 70000);
    assert_ptr_equal(smaller, block);
    assert_int_equal(smaller[0], 7);
    // Beyond its last page there is nothing any more.
    assert_int_equal(smaller[fil_pages_bytes(70000)], 0);
    fil_pages_give(pages, smaller, 70000);
    assert_int_equal(fil_pages_kept_bytes(pages), fil_pages_bytes(70000));
}

static void test_resized_blocks_keep_their_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        for (size_t k = 0; k < FIL_COUNT_OF(sizes); k++) {
            uint8_t *block = fil_pages_take(pages, sizes[i]);
            size_t kept = sizes[i] < sizes[k] ? sizes[i] : sizes[k];
            memset(block, 9, sizes[i]);
            uint8_t *resized = fil_pages_resize(pages, block, sizes[i], sizes[k]);
            assert_non_null(resized);
            assert_int_equal(resized[0], 9);
            assert_int_equal(resized[kept - 1], 9);
            memset(resized, 8, sizes[k]);
            fil_pages_give(pages, resized, sizes[k]);
        }
    }
}

static void test_refused_memory_changes_nothing(void **state)
{
    (void)state;
    for (int64_t after = 0; after < 3; after++) {
        fil_alloc_fail_after(after);
        void *block = fil_pages_take(pages, 4096);
        fil_alloc_fail_after(-1);
        assert_null(block);
    }
    uint8_t *block = fil_pages_take(pages, 4096);
    assert_non_null(block);
    block[0] = 5;
    fil_alloc_fail_after(0);
    assert_null(fil_pages_resize(pages, block, 4096, 3 * MIB));
    fil_alloc_fail_after(-1);
    assert_int_equal(block[0], 5);
    fil_pages_give(pages, block, 4096);
    fil_alloc_fail_after(0);
    assert_null(fil_pages_new());
    fil_alloc_fail_after(-1);
}

static void *take_and_give(void *argument)
{
    uint8_t mine = *(uint8_t *)argument;
    for (uint32_t round = 0; round < 2000; round++) {
        size_t size = 1 + (round * 7919U + mine * 101U) % 40000U;
        uint8_t *block = fil_pages_take(pages, size);
        memset(block, mine, size);
        for (size_t at = 0; at < size; at += 512) {
            if (block[at] != mine) {
                return NULL;
            }
        }
        fil_pages_give(pages, block, size);
    }
    return argument;
}

static void test_threads_get_blocks_of_their_own(void **state)
{
    (void)state;
    pthread_t threads[4];
    uint8_t numbers[4] = {1, 2, 3, 4};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &numbers[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
}

static void test_without_pages_the_heap_serves(void **state)
{
    (void)state;
    uint8_t *block = fil_pages_take(NULL, 5000);
    assert_non_null(block);
    block[4999] = 3;
    block = fil_pages_resize(NULL, block, 5000, 9000);
    assert_int_equal(block[4999], 3);
    fil_pages_give(NULL, block, 9000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blocks_begin_at_pages_and_keep_their_bytes),
        TEST(what_is_freed_is_used_again),
        TEST(freed_pages_leave_the_process),
        TEST(a_smaller_block_does_not_keep_the_pages_of_a_larger_one),
        TEST(resized_blocks_keep_their_bytes),
        TEST(refused_memory_changes_nothing),
        TEST(threads_get_blocks_of_their_own),
        TEST(without_pages_the_heap_serves),
    };
    return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
