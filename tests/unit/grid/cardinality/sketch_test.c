// SPDX-License-Identifier: Apache-2.0
/**
 * A HyperLogLog as bytes: what is added changes it once, it grows from entries to registers without
 * losing any, its estimate is within the error, merging is adding, and whatever bytes somebody has
 * put under a key are read within their bounds.
 */
#include <stdio.h>
#include <string.h>

#include "grid/cardinality/sketch.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

static uint8_t sketch[FIL_SKETCH_DENSE_BYTES];
static size_t size;

static struct fil_bytes bytes(void)
{
    return fil_bytes_make(sketch, size);
}

static int set_up(void **state)
{
    (void)state;
    memcpy(sketch, fil_sketch_empty, sizeof(fil_sketch_empty));
    size = sizeof(fil_sketch_empty);
    return 0;
}

/** Whether it changed anything. */
static bool add(uint32_t thing)
{
    char text[16];
    int length = snprintf(text, sizeof(text), "%u", thing);
    struct fil_sketch_mark mark = fil_sketch_mark_of(fil_bytes_make(text, (size_t)length));
    size_t room = fil_sketch_room(bytes(), mark);
    if (room == 0) {
        return false;
    }
    fil_sketch_add(sketch, size, room, mark);
    size = room;
    return true;
}

static void test_things_are_counted(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        (void)add(i);
        assert_false(add(i));
        if (i % 997 == 0) {
            double off = (double)fil_sketch_estimate(bytes()) - (double)(i + 1);
            assert_true(off <= 0.05 * (i + 1) + 2 && off >= -0.05 * (i + 1) - 2);
            assert_true(fil_sketch_is_sound(bytes()));
        }
    }
    assert_int_equal(size, FIL_SKETCH_DENSE_BYTES);
}

static void test_both_forms_say_the_same(void **state)
{
    (void)state;
    uint8_t ranks[FIL_HLL_REGISTERS] = {0};
    uint8_t encoded[FIL_SKETCH_DENSE_BYTES];
    for (uint32_t i = 0; i < 4000; i++) {
        (void)add(i);
        if (i % 100 == 0 || size == FIL_SKETCH_DENSE_BYTES) {
            fil_sketch_merge(bytes(), ranks);
            size_t encoded_size = fil_sketch_encode(ranks, encoded);
            assert_int_equal(encoded_size, size);
            assert_memory_equal(encoded, sketch, size);
            assert_int_equal(fil_sketch_estimate_merged(ranks), fil_sketch_estimate(bytes()));
        }
    }
}

static void test_merging_is_adding(void **state)
{
    (void)state;
    uint8_t ranks[FIL_HLL_REGISTERS] = {0};
    for (uint32_t i = 0; i < 500; i++) {
        (void)add(i);
    }
    fil_sketch_merge(bytes(), ranks);
    (void)set_up(NULL);
    for (uint32_t i = 400; i < 5000; i++) {
        (void)add(i);
    }
    fil_sketch_merge(bytes(), ranks);
    for (uint32_t i = 0; i < 500; i++) {
        (void)add(i);
    }
    assert_int_equal(fil_sketch_estimate_merged(ranks), fil_sketch_estimate(bytes()));
}

static void test_foreign_bytes_are_safe(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 3);
    assert_false(fil_sketch_is_sound(fil_bytes_make(NULL, 0)));
    assert_false(fil_sketch_is_sound(fil_bytes_of("HYLL")));
    for (uint32_t round = 0; round < 200; round++) {
        (void)set_up(NULL);
        fil_prng_fill(&prng, sketch + FIL_SKETCH_HEAD, sizeof(sketch) - FIL_SKETCH_HEAD);
        sketch[4] = (uint8_t)(round % 2 * 2);
        size = round % 2 == 0
                   ? sizeof(sketch)
                   : FIL_SKETCH_HEAD + fil_prng_below(&prng, 1000) * FIL_SKETCH_ENTRY_BYTES;
        assert_true(fil_sketch_is_sound(bytes()));
        for (uint32_t i = 0; i < 100; i++) {
            (void)add(i);
        }
        assert_true(fil_sketch_estimate(bytes()) > 0);
        assert_false(fil_sketch_is_sound(fil_bytes_make(sketch, size - 1)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_things_are_counted, set_up),
        cmocka_unit_test_setup(test_both_forms_say_the_same, set_up),
        cmocka_unit_test_setup(test_merging_is_adding, set_up),
        cmocka_unit_test_setup(test_foreign_bytes_are_safe, set_up),
    };
    return cmocka_run_group_tests_name("sketch", tests, NULL, NULL);
}
