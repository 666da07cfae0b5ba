// SPDX-License-Identifier: Apache-2.0
/**
 * The arena, one test a promise: blocks are aligned and do not overlap, large ones too; the heap it
 * holds never exceeds the limit; out of room it gives NULL and goes on working; a reset keeps
 * exactly the first chunk; copies are copies; a failing heap at any position is survived.
 */
#include <stdalign.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/arena.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define CHUNK_BYTES 512U

static struct fil_arena arena;

static int set_up(void **state)
{
    (void)state;
    fil_arena_init(&arena, CHUNK_BYTES, SIZE_MAX);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_arena_fini(&arena);
    return arena.held_bytes == 0 ? 0 : -1;
}

static void test_blocks_are_aligned_and_do_not_overlap(void **state)
{
    (void)state;
    static struct {
        uint8_t *data;
        size_t size;
    } blocks[500];
    struct fil_prng prng;
    fil_prng_init(&prng, 3);
    for (size_t i = 0; i < 500; i++) {
        size_t alignment = (size_t)1 << fil_prng_below(&prng, 9);
        blocks[i].size = (size_t)fil_prng_range(&prng, 1, i % 10 == 0 ? 2000 : 60);
        blocks[i].data = fil_arena_alloc(&arena, blocks[i].size, alignment);
        assert_non_null(blocks[i].data);
        assert_int_equal((uintptr_t)blocks[i].data % alignment, 0);
        memset(blocks[i].data, (int)(i % 251), blocks[i].size);
    }
    for (size_t i = 0; i < 500; i++) {
        for (size_t j = 0; j < blocks[i].size; j++) {
            assert_int_equal(blocks[i].data[j], i % 251);
        }
    }
}

static void test_large_block_does_not_waste_the_current_chunk(void **state)
{
    (void)state;
    assert_non_null(fil_arena_alloc(&arena, 16, 1));
    assert_non_null(fil_arena_alloc(&arena, 10000, 1));
    uint64_t before = fil_alloc_count();
    assert_non_null(fil_arena_alloc(&arena, 300, 1));
    assert_int_equal(fil_alloc_count(), before);
}

static void test_small_blocks_share_a_chunk(void **state)
{
    (void)state;
    uint64_t before = fil_alloc_count();
    for (int i = 0; i < 20; i++) {
        assert_non_null(fil_arena_alloc(&arena, 16, 8));
    }
    assert_int_equal(fil_alloc_count(), before + 1);
    assert_int_equal(arena.held_bytes, CHUNK_BYTES);
}

static void test_limit_is_kept_and_used_up(void **state)
{
    (void)state;
    // The second chunk has to be smaller than usual.
    fil_arena_init(&arena, CHUNK_BYTES, CHUNK_BYTES + 200);
    size_t given = 0;
    while (fil_arena_alloc(&arena, 10, 1) != NULL) {
        given += 10;
        assert_true(arena.held_bytes <= CHUNK_BYTES + 200);
    }
    assert_true(given >= CHUNK_BYTES);
    assert_null(fil_arena_alloc(&arena, 100, 1));
    fil_arena_reset(&arena);
    assert_non_null(fil_arena_alloc(&arena, 100, 1));
}

static void test_block_beyond_any_limit_is_refused(void **state)
{
    (void)state;
    assert_null(fil_arena_alloc(&arena, SIZE_MAX, 1));
    assert_null(fil_arena_alloc(&arena, SIZE_MAX - 10, 4096));
    assert_null(fil_arena_alloc_zero(&arena, SIZE_MAX / 2, 3));
    assert_null(fil_arena_text(&arena, fil_bytes_make(&arena, SIZE_MAX)));
    assert_int_equal(arena.held_bytes, 0);
    fil_arena_init(&arena, CHUNK_BYTES, 0);
    assert_null(fil_arena_alloc(&arena, 1, 1));
}

static void test_reset_keeps_the_first_chunk_only(void **state)
{
    (void)state;
    void *first = fil_arena_alloc(&arena, 100, 16);
    assert_non_null(first);
    for (int i = 0; i < 50; i++) {
        assert_non_null(fil_arena_alloc(&arena, 100, 16));
    }
    assert_true(arena.held_bytes > CHUNK_BYTES);
    fil_arena_reset(&arena);
    assert_int_equal(arena.held_bytes, CHUNK_BYTES);
    uint64_t before = fil_alloc_count();
    assert_ptr_equal(fil_arena_alloc(&arena, 100, 16), first);
    assert_int_equal(fil_alloc_count(), before);
}

static void test_finished_arena_can_be_used_again(void **state)
{
    (void)state;
    fil_arena_fini(&arena); // with nothing in it
    assert_non_null(fil_arena_alloc(&arena, 1, 1));
    fil_arena_fini(&arena);
    assert_int_equal(arena.held_bytes, 0);
    assert_non_null(fil_arena_alloc(&arena, 1, 1));
}

static void test_zeroed_memory_is_zero_after_reuse(void **state)
{
    (void)state;
    uint8_t *dirty = fil_arena_alloc(&arena, 200, 16);
    assert_non_null(dirty);
    memset(dirty, 0xff, 200);
    fil_arena_reset(&arena);
    uint8_t *zeroed = fil_arena_alloc_zero(&arena, 20, 10);
    assert_non_null(zeroed);
    assert_int_equal((uintptr_t)zeroed % alignof(max_align_t), 0);
    for (size_t i = 0; i < 200; i++) {
        assert_int_equal(zeroed[i], 0);
    }
}

static void test_copies_are_copies(void **state)
{
    (void)state;
    char source[] = "filbert";
    char *text = fil_arena_text(&arena, fil_bytes_make(source, 3));
    struct fil_bytes copy = {0};
    assert_int_equal(fil_arena_copy(&arena, fil_bytes_of(source), &copy), FIL_OK);
    source[0] = 'x';
    assert_string_equal(text, "fil");
    assert_true(fil_bytes_equal_text(copy, "filbert"));

    assert_string_equal(fil_arena_text(&arena, fil_bytes_make(NULL, 0)), "");
    assert_int_equal(fil_arena_copy(&arena, fil_bytes_make(NULL, 0), &copy), FIL_OK);
    assert_int_equal(copy.size, 0);
}

static void test_failing_heap_is_survived_at_any_position(void **state)
{
    (void)state;
    static const char source[400]; // each block needs a chunk of its own
    bool has_passed = false;
    for (int64_t position = 0; !has_passed; position++) {
        fil_arena_init(&arena, CHUNK_BYTES, SIZE_MAX);
        fil_alloc_fail_after(position);
        struct fil_bytes copy = {.size = 77};
        has_passed = fil_arena_alloc(&arena, 400, 1) != NULL &&
                     fil_arena_alloc_zero(&arena, 100, 4) != NULL &&
                     fil_arena_text(&arena, fil_bytes_make(source, 400)) != NULL &&
                     fil_arena_copy(&arena, fil_bytes_make(source, 400), &copy) == FIL_OK;
        fil_alloc_fail_after(-1);
        assert_non_null(fil_arena_alloc(&arena, 400, 1));
        assert_true(has_passed || copy.size == 77);
        assert_int_equal(has_passed, position == 4);
        fil_arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_blocks_are_aligned_and_do_not_overlap, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_large_block_does_not_waste_the_current_chunk, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_small_blocks_share_a_chunk, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit_is_kept_and_used_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_block_beyond_any_limit_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reset_keeps_the_first_chunk_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_finished_arena_can_be_used_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_zeroed_memory_is_zero_after_reuse, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copies_are_copies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failing_heap_is_survived_at_any_position, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
