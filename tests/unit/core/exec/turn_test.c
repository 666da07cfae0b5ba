// SPDX-License-Identifier: Apache-2.0
/**
 * An I/O loop's turn and its budget, one test a promise: cheap operations cost few looks at the
 * clock; costly ones end the turn soon after the budget is used up, in the next turn at once; so do
 * large ones. Each look tells what the runs since the one before took. Runs may be counted
 * together. What will park is submitted in place.
 */
#include "core/exec/turn.h"

#include "tests/unit/core/exec/kernel_fixture.h"

#define BUDGET_NS UINT64_C(1000000)

static struct fil_turn turn;

static void begin(void) FIL_BEFORE_SHARING
{
    kernel_init(&(struct fil_exec_options){.partition_count = 1,
                                           .thread_count = 1,
                                           .has_caller_runs = true,
                                           .caller_budget_ns = BUDGET_NS});
    assert_int_equal(fil_turn_init(&turn, kernel.exec, "io/0", NULL), FIL_OK);
    fil_turn_enter_thread(&turn);
}

static void end(void) FIL_BEFORE_SHARING
{
    fil_turn_fini(&turn);
    kernel_fini();
}

/** Runs operations that take so long, up to the end of the turn; returns how many. */
static uint32_t play_turn(uint64_t each_ns, uint32_t limit) FIL_BEFORE_SHARING
{
    uint32_t count = 0;
    fil_turn_begin(&turn, kernel.clock.now_ns);
    while (count < limit && !fil_turn_is_spent(&turn)) {
        struct fil_partition *partition = fil_turn_enter(&turn, 0);
        assert_non_null(partition);
        kernel.clock.now_ns += each_ns;
        fil_turn_leave(&turn, partition);
        count++;
    }
    fil_turn_end(&turn);
    return count;
}

static void test_cheap_operations_fill_the_budget(void **state)
{
    (void)state;
    begin();
    uint32_t count = play_turn(1000, UINT32_MAX);
    assert_in_range(count, BUDGET_NS / 1000, BUDGET_NS / 1000 + 16);
    end();
}

static void test_costly_operations_end_the_turn_soon(void **state)
{
    (void)state;
    begin();
    assert_in_range(play_turn(5 * BUDGET_NS, UINT32_MAX), 1, 16);
    // It is known now what they cost.
    assert_int_equal(play_turn(5 * BUDGET_NS, UINT32_MAX), 1);
    assert_int_equal(play_turn(BUDGET_NS / 4, UINT32_MAX), 5);
    end();
}

static void test_large_operation_is_looked_at(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    begin();
    fil_turn_begin(&turn, kernel.clock.now_ns);
    kernel.clock.now_ns += 2 * BUDGET_NS;
    fil_turn_charge(&turn, 100);
    assert_false(fil_turn_is_spent(&turn));
    fil_turn_charge(&turn, 1U << 20);
    assert_true(fil_turn_is_spent(&turn));
    fil_turn_end(&turn);
    end();
}

static void test_runs_in_place_are_timed_by_the_looks(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    begin();
    struct fil_histogram *times = &turn.in_place_ns;
    (void)play_turn(1000, 40);
    // Two looks, at 16 and 32 runs; the last eight of the turn are not known.
    assert_int_equal(fil_histogram_count(times), 32);
    assert_int_equal(fil_histogram_sum(times), 32 * 1000);
    // The next look is after eight runs of the new turn, and its time begins with the turn.
    kernel.clock.now_ns += 7 * BUDGET_NS;
    (void)play_turn(2000, 8);
    assert_int_equal(fil_histogram_count(times), 40);
    assert_int_equal(fil_histogram_sum(times), 32 * 1000 + 8 * 2000);
    end();
}

static void test_runs_are_counted_together(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    begin();
    struct fil_histogram *times = &turn.in_place_ns;
    fil_turn_begin(&turn, kernel.clock.now_ns);
    struct fil_partition *partition = fil_turn_enter(&turn, 0);
    assert_non_null(partition);
    assert_ptr_equal(fil_turn_enter(&turn, 0), partition);
    fil_turn_step_out(&turn, partition);
    fil_turn_step_out(&turn, partition);
    kernel.clock.now_ns += 2 * BUDGET_NS;
    fil_turn_count(&turn, 15);
    assert_int_equal(fil_histogram_count(times), 0);
    assert_false(fil_turn_is_spent(&turn));
    // Beyond the sixteenth: one look for all of them.
    fil_turn_count(&turn, 25);
    assert_int_equal(fil_histogram_count(times), 40);
    assert_int_equal(fil_histogram_sum(times), 2 * BUDGET_NS);
    assert_true(fil_turn_is_spent(&turn));
    assert_int_equal(fil_counter_read(&turn.runner.stats.caller_runs), 40);
    assert_int_equal(fil_counter_read(&turn.runner.stats.runs), 40);
    fil_turn_end(&turn);
    end();
}

static void test_what_parks_is_submitted_in_place(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    struct probe waiter;
    struct probe slow;
    struct probe behind;
    begin();
    probe_init(&waiter, 'w', 0)->kind = PROBE_WAITER;
    waiter.op.deadline_ns = kernel.clock.now_ns + 2 * TICK_NS;
    probe_init(&slow, 's', 0)->op.type = &slow_probe_type;
    probe_init(&behind, 'b', 0);
    fil_turn_begin(&turn, kernel.clock.now_ns);
    fil_turn_submit(&turn, &waiter.op);
    assert_noted("w"); // it waits, and the alarm knows
    fil_turn_submit(&turn, &slow.op);
    fil_turn_submit(&turn, &behind.op); // not before the one that is staged
    assert_noted("");
    fil_turn_end(&turn);
    assert_int_equal(fil_counter_read(&turn.runner.stats.runs), 1);
    assert_int_equal(fil_counter_read(&turn.runner.stats.caller_runs), 1);
    assert_int_equal(fil_counter_read(&turn.runner.stats.handed_over), 2);
    (void)kernel_cycle(0);
    assert_noted("ss.bb.");
    kernel.clock.now_ns += 4 * TICK_NS;
    (void)kernel_cycle(0);
    assert_noted("w:TIMEOUT ");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cheap_operations_fill_the_budget),
        cmocka_unit_test(test_costly_operations_end_the_turn_soon),
        cmocka_unit_test(test_large_operation_is_looked_at),
        cmocka_unit_test(test_runs_in_place_are_timed_by_the_looks),
        cmocka_unit_test(test_runs_are_counted_together),
        cmocka_unit_test(test_what_parks_is_submitted_in_place),
    };
    return cmocka_run_group_tests_name("turn", tests, NULL, NULL);
}
