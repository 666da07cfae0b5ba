// SPDX-License-Identifier: Apache-2.0
/**
 * What a runner owes: wake-ups are paid once a turn; but before an operation that is declared slow
 * they leave at once, and so before each of its slices.
 */
#include "core/exec/runner.h"

#include "tests/unit/core/exec/kernel_fixture.h"

static struct probe a;
static struct probe b;

static bool owed_wakes[4];
static uint32_t look_count;

/** Looks whether the thread still owes a wake-up, and makes it owe one. */
static enum fil_op_outcome look_and_owe(struct fil_op *op, struct fil_partition *partition)
{
    (void)probe_run(op, partition);
    assert_true(look_count < FIL_COUNT_OF(owed_wakes));
    owed_wakes[look_count] = partition->runner->owes_wakes;
    look_count++;
    fil_runner_owe_wake(partition->runner, 1);
    struct probe *probe = FIL_CONTAINER_OF(op, struct probe, op);
    return probe->run_count <= probe->slices ? FIL_OP_AGAIN : FIL_OP_DONE;
}

static const struct fil_op_type owing_type = {
    .name = "owing", .run = look_and_owe, .complete = probe_complete};
static const struct fil_op_type slow_owing_type = {
    .name = "slow_owing", .run = look_and_owe, .complete = probe_complete, .is_slow = true};

static int begin(void **state)
{
    (void)state;
    kernel_init(&(struct fil_exec_options){.partition_count = 2, .thread_count = 2});
    (void)probe_init(&a, 'a', 0);
    (void)probe_init(&b, 'b', 0);
    a.op.type = &owing_type;
    look_count = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    kernel_fini();
    return 0;
}

static void test_wakes_are_paid_once_a_turn(void **state)
{
    (void)state;
    b.op.type = &owing_type;
    kernel_deliver(&a);
    kernel_deliver(&b);
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("aa.bb.");
    assert_false(owed_wakes[0]);
    assert_true(owed_wakes[1]);
    assert_false(fil_exec_stage(kernel.exec, 0)->runner.owes_wakes);
}

static void test_what_is_ready_leaves_before_a_slow_operation(void **state)
{
    (void)state;
    b.op.type = &slow_owing_type;
    kernel_deliver(&a);
    kernel_deliver(&b);
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("aa.bb.");
    assert_int_equal(look_count, 2);
    assert_false(owed_wakes[1]);
}

static void test_what_is_ready_leaves_before_each_slice(void **state)
{
    (void)state;
    b.op.type = &slow_owing_type;
    b.slices = 1;
    kernel_deliver(&b);
    kernel_deliver(&a);
    while (kernel_cycle(0) > 0) {
    }
    assert_noted("baa.bb.");
    assert_int_equal(look_count, 3);
    assert_false(owed_wakes[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_wakes_are_paid_once_a_turn, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_ready_leaves_before_a_slow_operation, begin,
                                        end),
        cmocka_unit_test_setup_teardown(test_what_is_ready_leaves_before_each_slice, begin, end),
    };
    return cmocka_run_group_tests_name("runner", tests, NULL, NULL);
}
