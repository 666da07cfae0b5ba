// SPDX-License-Identifier: Apache-2.0
/**
 * Idle strategies, one test a promise: block parks at once, spin never parks, backoff spins and
 * yields as often as told and then parks until there was work; names are parsed and told.
 */
#include "lib/conc/idle.h"

#include "filbert/error.h"
#include "tests/unit/harness.h"

static void test_block_parks_at_once(void **state)
{
    (void)state;
    struct fil_idle idle;
    fil_idle_init(&idle, FIL_IDLE_KIND_BLOCK);
    assert_int_equal(fil_idle_next(&idle), FIL_IDLE_PARK);
    fil_idle_reset(&idle);
    assert_int_equal(fil_idle_next(&idle), FIL_IDLE_PARK);
}

static void test_spin_never_parks(void **state)
{
    (void)state;
    struct fil_idle idle;
    fil_idle_init(&idle, FIL_IDLE_KIND_SPIN);
    for (int i = 0; i < 100000; i++) {
        assert_int_equal(fil_idle_next(&idle), FIL_IDLE_SPIN);
    }
}

static void check_round(struct fil_idle *idle, unsigned spins, unsigned yields)
{
    for (unsigned i = 0; i < spins; i++) {
        assert_int_equal(fil_idle_next(idle), FIL_IDLE_SPIN);
    }
    for (unsigned i = 0; i < yields; i++) {
        assert_int_equal(fil_idle_next(idle), FIL_IDLE_YIELD);
    }
    assert_int_equal(fil_idle_next(idle), FIL_IDLE_PARK);
    assert_int_equal(fil_idle_next(idle), FIL_IDLE_PARK);
}

static void test_backoff_goes_through_its_phases_again_after_work(void **state)
{
    (void)state;
    struct fil_idle idle;
    fil_idle_init_counts(&idle, FIL_IDLE_KIND_BACKOFF, 3, 2);
    check_round(&idle, 3, 2);
    fil_idle_reset(&idle);
    check_round(&idle, 3, 2);
    // Work in the middle of a phase starts over, too.
    fil_idle_reset(&idle);
    assert_int_equal(fil_idle_next(&idle), FIL_IDLE_SPIN);
    fil_idle_reset(&idle);
    check_round(&idle, 3, 2);
}

static void test_backoff_phases_can_be_left_out(void **state)
{
    (void)state;
    struct fil_idle idle;
    fil_idle_init_counts(&idle, FIL_IDLE_KIND_BACKOFF, 0, 2);
    check_round(&idle, 0, 2);
    fil_idle_init_counts(&idle, FIL_IDLE_KIND_BACKOFF, 2, 0);
    check_round(&idle, 2, 0);
    fil_idle_init(&idle, FIL_IDLE_KIND_BACKOFF);
    check_round(&idle, FIL_IDLE_SPIN_COUNT, FIL_IDLE_YIELD_COUNT);
}

static void test_names_are_parsed_and_told(void **state)
{
    (void)state;
    const enum fil_idle_kind kinds[] = {FIL_IDLE_KIND_BLOCK, FIL_IDLE_KIND_BACKOFF,
                                        FIL_IDLE_KIND_SPIN};
    for (size_t i = 0; i < FIL_COUNT_OF(kinds); i++) {
        enum fil_idle_kind parsed = FIL_IDLE_KIND_BLOCK;
        struct fil_bytes name = fil_bytes_of(fil_idle_name(kinds[i]));
        assert_int_equal(fil_idle_parse(name, &parsed), FIL_OK);
        assert_int_equal(parsed, kinds[i]);
    }
    enum fil_idle_kind parsed = FIL_IDLE_KIND_SPIN;
    assert_int_equal(fil_idle_parse(fil_bytes_of("sleep"), &parsed), FIL_E_NOT_FOUND);
    assert_int_equal(fil_idle_parse(fil_bytes_of("Block"), &parsed), FIL_E_NOT_FOUND);
    assert_int_equal(fil_idle_parse(fil_bytes_of(""), &parsed), FIL_E_NOT_FOUND);
    assert_int_equal(parsed, FIL_IDLE_KIND_SPIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_parks_at_once),
        cmocka_unit_test(test_spin_never_parks),
        cmocka_unit_test(test_backoff_goes_through_its_phases_again_after_work),
        cmocka_unit_test(test_backoff_phases_can_be_left_out),
        cmocka_unit_test(test_names_are_parsed_and_told),
    };
    return cmocka_run_group_tests_name("idle", tests, NULL, NULL);
}
