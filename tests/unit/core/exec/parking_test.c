// SPDX-License-Identifier: Apache-2.0
/**
 * The parking's promises: operations of one key leave in the order they came, also when other keys
 * share their line; each leaves once, whichever of taking, expiring and removing comes first; it is
 * freed only when empty; without memory there is none. A search for unwanted ones goes on where it
 * stopped, finds those that it had passed when it is told anew, and is in nobody's way.
 */
#include "core/exec/parking.h"

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/base/assertion.h"

#define TICK_NS  (UINT64_C(1) << FIL_WHEEL_TICK_SHIFT)
#define OP_COUNT 200U

static struct fil_parking *parking;
static struct fil_op ops[OP_COUNT];

static int set_up(void **state)
{
    (void)state;
    parking = fil_parking_new(0);
    assert_non_null(parking);
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        fil_op_init(&ops[i], NULL, 0);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_parking_free(parking);
    return 0;
}

static void test_operations_of_a_key_leave_in_their_order(void **state)
{
    (void)state;
    // More keys than lines, so that keys share them.
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        fil_parking_add(parking, &ops[i], i % 100);
    }
    assert_int_equal(parking->count, OP_COUNT);
    for (uint32_t key = 0; key < 100; key++) {
        assert_ptr_equal(fil_parking_take(parking, key), &ops[key]);
        assert_ptr_equal(fil_parking_take(parking, key), &ops[key + 100]);
        assert_null(fil_parking_take(parking, key));
    }
    assert_int_equal(parking->count, 0);
}

static void test_expired_ones_leave_and_the_others_stay(void **state)
{
    (void)state;
    ops[0].deadline_ns = 5 * TICK_NS;
    ops[1].deadline_ns = 2 * TICK_NS;
    for (uint32_t i = 0; i < 3; i++) {
        fil_parking_add(parking, &ops[i], 1);
    }
    assert_null(fil_parking_take_expired(parking, TICK_NS));
    assert_ptr_equal(fil_parking_take_expired(parking, 2 * TICK_NS), &ops[1]);
    assert_null(fil_parking_take_expired(parking, 2 * TICK_NS));
    assert_ptr_equal(fil_parking_take_expired(parking, 9 * TICK_NS), &ops[0]);
    assert_null(fil_parking_take_expired(parking, UINT64_MAX - 1));
    assert_ptr_equal(fil_parking_take(parking, 1), &ops[2]);
}

static void test_who_was_taken_does_not_expire(void **state)
{
    (void)state;
    ops[0].deadline_ns = TICK_NS;
    fil_parking_add(parking, &ops[0], 1);
    assert_ptr_equal(fil_parking_take(parking, 1), &ops[0]);
    assert_null(fil_parking_take_expired(parking, 9 * TICK_NS));
    // And can be parked again.
    ops[0].deadline_ns = 20 * TICK_NS;
    fil_parking_add(parking, &ops[0], 2);
    assert_ptr_equal(fil_parking_take_expired(parking, 20 * TICK_NS), &ops[0]);
}

static void test_removed_one_leaves_a_gap_only(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        ops[i].deadline_ns = TICK_NS;
        fil_parking_add(parking, &ops[i], 1);
    }
    fil_parking_remove(parking, &ops[1]);
    assert_int_equal(parking->count, 2);
    assert_ptr_equal(fil_parking_take(parking, 1), &ops[0]);
    assert_ptr_equal(fil_parking_take(parking, 1), &ops[2]);
}

static void add_first(void *context)
{
    fil_parking_add(parking, context, 1);
}

static void free_it(void *context)
{
    fil_parking_free(context);
}

static void test_misuse_is_stopped(void **state)
{
    (void)state;
    fil_parking_add(parking, &ops[0], 1);
    assert_true(assertion_stops(add_first, &ops[0]));
    assert_true(assertion_stops(free_it, parking));
    assert_ptr_equal(fil_parking_take(parking, 1), &ops[0]);
}

static void test_without_memory_there_is_none(void **state)
{
    (void)state;
    fil_alloc_fail_after(0);
    assert_null(fil_parking_new(0));
    fil_alloc_fail_after(-1);
    fil_parking_free(NULL);
}

// The search. Even call ids are unwanted.

static bool is_even(struct fil_op *op)
{
    return op->call_id % 2 == 0;
}

static void park_all(uint64_t keys)
{
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        ops[i].call_id = i;
        fil_parking_add(parking, &ops[i], i % keys);
    }
}

/** Sweeps a few at a time to the end; returns how many were found. */
static uint32_t sweep(uint32_t looks_each)
{
    uint32_t found = 0;
    while (!fil_parking_is_swept(parking)) {
        uint32_t looks = looks_each;
        while (fil_parking_sweep(parking, is_even, &looks) != NULL) {
            found++;
        }
        assert_true(looks == 0 || fil_parking_is_swept(parking));
    }
    return found;
}

static void empty(void)
{
    while (fil_parking_take_any(parking) != NULL) {
    }
}

static void test_search_finds_all_however_small_its_slices(void **state)
{
    (void)state;
    for (uint32_t looks = 1; looks <= 1000; looks *= 10) {
        park_all(looks);
        fil_parking_begin_sweep(parking);
        assert_int_equal(sweep(looks), OP_COUNT / 2);
        assert_int_equal(parking->count, OP_COUNT / 2);
        for (uint32_t i = 0; i < OP_COUNT; i++) {
            assert_int_equal(fil_list_is_linked(&ops[i].park_link), i % 2 == 1);
        }
        empty();
    }
    assert_int_equal(parking->count, 0);
}

static void test_search_that_is_told_anew_finds_what_it_had_passed(void **state)
{
    (void)state;
    park_all(1);
    ops[0].call_id = 1;
    fil_parking_begin_sweep(parking);
    uint32_t looks = 150;
    while (fil_parking_sweep(parking, is_even, &looks) != NULL) {
    }
    ops[0].call_id = 0;
    ops[1].call_id = 0;
    fil_parking_begin_sweep(parking);
    (void)sweep(7);
    assert_false(fil_list_is_linked(&ops[0].park_link));
    assert_false(fil_list_is_linked(&ops[1].park_link));
    assert_int_equal(parking->count, OP_COUNT / 2 - 1);
    empty();
}

static void test_search_under_way_is_in_nobodys_way(void **state)
{
    (void)state;
    park_all(1);
    fil_parking_begin_sweep(parking);
    uint32_t looks = 100;
    while (fil_parking_sweep(parking, is_even, &looks) != NULL) {
    }
    uint32_t taken = 0;
    while (fil_parking_take(parking, 0) != NULL) {
        taken++;
    }
    assert_true(taken > 0);
    assert_int_equal(parking->count, 0);
    assert_int_equal(sweep(1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_operations_of_a_key_leave_in_their_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_expired_ones_leave_and_the_others_stay, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_who_was_taken_does_not_expire, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_removed_one_leaves_a_gap_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_misuse_is_stopped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_memory_there_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_search_finds_all_however_small_its_slices, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_search_that_is_told_anew_finds_what_it_had_passed,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_search_under_way_is_in_nobodys_way, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("parking", tests, NULL, NULL);
}
