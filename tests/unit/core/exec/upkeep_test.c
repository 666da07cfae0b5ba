// SPDX-License-Identifier: Apache-2.0
/**
 * Upkeep, step by step on one thread: it runs at its time, not before, and again when it says so;
 * an earlier wish wins and a later one changes nothing; several share a partition; it shares the
 * partition's timer with parked operations; one that was forgotten does not run; one that still
 * waits may outlive the kernel; a partition without upkeep asks for nothing.
 */
#include "core/exec/partition.h"

#include "tests/unit/core/exec/kernel_fixture.h"

struct chore {
    struct fil_upkeep upkeep;
    uint64_t again_ns; // what run answers
    uint32_t run_count;
};

static struct fil_partition *partition;
static struct chore one;
static struct chore two;

static uint64_t run_chore(struct fil_upkeep *upkeep, struct fil_partition *where)
{
    struct chore *chore = FIL_CONTAINER_OF(upkeep, struct chore, upkeep);
    fil_partition_assert_mine(where, where->runner);
    chore->run_count++;
    return chore->again_ns;
}

static int set_up(void **state)
{
    (void)state;
    kernel_init(&(struct fil_exec_options){.partition_count = 2, .thread_count = 1});
    partition = kernel_partition(1);
    one = (struct chore){.again_ns = FIL_OP_NO_DEADLINE};
    two = (struct chore){.again_ns = FIL_OP_NO_DEADLINE};
    fil_upkeep_init(&one.upkeep, run_chore);
    fil_upkeep_init(&two.upkeep, run_chore);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_upkeep_forget(&one.upkeep);
    fil_upkeep_forget(&two.upkeep);
    kernel_fini();
    return 0;
}

static void ask(struct chore *chore, uint64_t ticks)
{
    assert_true(fil_partition_enter(partition, &kernel.runner));
    fil_partition_ask_upkeep(partition, &chore->upkeep, kernel.clock.now_ns + ticks * TICK_NS);
    fil_partition_leave(partition);
}

/** So many ticks, each with all the cycles that move something. */
static void live(uint64_t ticks) FIL_BEFORE_SHARING
{
    for (uint64_t i = 0; i < ticks; i++) {
        kernel.clock.now_ns += TICK_NS;
        while (kernel_cycle(0) > 0) {
        }
    }
}

static uint64_t next_ns(void) FIL_BEFORE_SHARING
{
    return fil_alarm_next_ns(fil_exec_alarm(kernel.exec));
}

static void test_it_runs_at_its_time_and_once(void **state)
{
    (void)state;
    assert_int_equal(next_ns(), FIL_WHEEL_NEVER);
    ask(&one, 10);
    live(9);
    assert_int_equal(one.run_count, 0);
    live(2);
    assert_int_equal(one.run_count, 1);
    live(100);
    assert_int_equal(one.run_count, 1);
    assert_int_equal(next_ns(), FIL_WHEEL_NEVER);
}

static void test_it_runs_again_when_it_says_so(void **state)
{
    (void)state;
    ask(&one, 5);
    one.again_ns = kernel.clock.now_ns + 20 * TICK_NS;
    live(7);
    assert_int_equal(one.run_count, 1);
    one.again_ns = FIL_OP_NO_DEADLINE;
    live(10);
    assert_int_equal(one.run_count, 1);
    live(5);
    assert_int_equal(one.run_count, 2);
}

static void test_the_earlier_wish_wins(void **state)
{
    (void)state;
    ask(&one, 50);
    ask(&one, 5);
    ask(&one, 20);
    live(7);
    assert_int_equal(one.run_count, 1);
    live(60);
    assert_int_equal(one.run_count, 1);
}

static void test_several_share_a_partition(void **state)
{
    (void)state;
    ask(&one, 5);
    ask(&two, 15);
    live(7);
    assert_int_equal(one.run_count, 1);
    assert_int_equal(two.run_count, 0);
    live(10);
    assert_int_equal(one.run_count, 1);
    assert_int_equal(two.run_count, 1);
}

static void test_it_shares_the_timer_with_parked_operations(void **state)
{
    (void)state;
    struct probe waiter;
    (void)probe_init(&waiter, 'w', 1);
    waiter.kind = PROBE_WAITER;
    waiter.op.deadline_ns = kernel.clock.now_ns + 10 * TICK_NS;
    kernel_deliver(&waiter);
    live(1);
    ask(&one, 20);
    live(5);
    assert_int_equal(waiter.complete_count, 0);
    live(8);
    assert_int_equal(waiter.complete_count, 1);
    assert_int_equal(one.run_count, 0);
    live(10);
    assert_int_equal(one.run_count, 1);
    assert_noted("ww:TIMEOUT ");
}

static void test_it_may_outlive_the_kernel(void **state)
{
    ask(&one, 5);
    ask(&two, 5);
    fil_upkeep_forget(&one.upkeep);
    kernel_fini();
    assert_false(fil_list_is_linked(&two.upkeep.link));
    assert_true(two.upkeep.due_ns == FIL_OP_NO_DEADLINE);
    (void)set_up(state);
}

static void test_forgotten_one_does_not_run(void **state)
{
    (void)state;
    ask(&one, 5);
    ask(&two, 5);
    assert_true(fil_partition_enter(partition, &kernel.runner));
    fil_upkeep_forget(&one.upkeep);
    fil_partition_leave(partition);
    live(10);
    assert_int_equal(one.run_count, 0);
    assert_int_equal(two.run_count, 1);
}

int main(void)
{
    fil_role_enter(&fil_role_partition);
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(it_runs_at_its_time_and_once),
        TEST(it_runs_again_when_it_says_so),
        TEST(the_earlier_wish_wins),
        TEST(several_share_a_partition),
        TEST(it_shares_the_timer_with_parked_operations),
        TEST(forgotten_one_does_not_run),
        TEST(it_may_outlive_the_kernel),
    };
#undef TEST
    return cmocka_run_group_tests_name("upkeep", tests, NULL, NULL);
}
