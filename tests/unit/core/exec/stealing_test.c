// SPDX-License-Identifier: Apache-2.0
/**
 * How idle partition threads come to what waits at busy ones, one test a promise: a single
 * hand-over calls nobody; what waits behind a run calls a thief, also what a thief leaves behind;
 * work for a busy thread calls a thief unless somebody watches, and then once the thread takes
 * long; who watches looks soon, then less often, and stops when nobody is busy; one watches at a
 * time.
 */
#include "tests/unit/core/exec/kernel_fixture.h"

#define PATIENCE_NS UINT64_C(100000)

static struct probe probes[4];

/** Four partitions: 0 and 2 are at home with the first thread, 1 and 3 with the second. */
static void begin(bool has_stealing) FIL_ENTERS(partition)
{
    kernel_init(&(struct fil_exec_options){
        .partition_count = 4, .thread_count = 2, .has_stealing = has_stealing});
    for (uint32_t i = 0; i < FIL_COUNT_OF(probes); i++) {
        (void)probe_init(&probes[i], (char)('a' + i), i);
    }
    fil_role_enter(&fil_role_partition);
    fil_role_assert_partition();
}

static struct fil_partition_stage *stage(uint32_t index)
{
    return fil_exec_stage(kernel.exec, index);
}

/** As if the thread slept: the next wake counts. */
static void put_to_sleep(uint32_t index) FIL_BEFORE_SHARING
{
    fil_partition_stage__mark_idle(stage(index), true);
    fil_parker_prepare(&stage(index)->parker);
}

static void make_busy(uint32_t index)
{
    atomic_store(&stage(index)->busy_since_ns, kernel.clock.now_ns);
}

static void submit(uint32_t partition)
{
    fil_exec_submit(kernel.exec, &probes[partition].op, &kernel.runner);
}

static uint64_t wakes(const struct fil_runner *runner)
{
    return fil_counter_read(&runner->stats.wakes);
}

static int64_t watch(uint32_t index) FIL_BEFORE_SHARING
{
    int64_t limit_ns = fil_partition_stage__begin_watch(stage(index));
    fil_partition_stage__end_watch(stage(index));
    return limit_ns;
}

static void test_single_hand_over_calls_nobody(void **state)
{
    (void)state;
    begin(true);
    put_to_sleep(1);
    submit(0);
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("aa.");
    assert_int_equal(wakes(&kernel.runner), 0);
    assert_int_equal(wakes(&stage(0)->runner), 0);
    kernel_fini();
}

static void test_what_waits_behind_a_run_calls_a_thief(void **state)
{
    (void)state;
    begin(true);
    put_to_sleep(1);
    submit(0);
    submit(2);
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("aa.cc.");
    assert_int_equal(wakes(&stage(0)->runner), 1);
    kernel_fini();
}

static void test_what_a_thief_leaves_behind_calls_another(void **state)
{
    (void)state;
    kernel_init(
        &(struct fil_exec_options){.partition_count = 6, .thread_count = 3, .has_stealing = true});
    (void)probe_init(&probes[0], 'a', 0);
    (void)probe_init(&probes[1], 'b', 3);
    fil_exec_submit(kernel.exec, &probes[0].op, &kernel.runner);
    fil_exec_submit(kernel.exec, &probes[1].op, &kernel.runner);
    put_to_sleep(2);
    assert_int_equal(kernel_cycle(1), 2);
    assert_noted("aa.bb.");
    assert_int_equal(wakes(&stage(1)->runner), 1);
    kernel_fini();
}

static void test_work_for_a_busy_thread_wakes_a_thief(void **state)
{
    (void)state;
    begin(true);
    put_to_sleep(1);
    make_busy(0);
    submit(0);
    assert_int_equal(wakes(&kernel.runner), 1);
    assert_int_equal(kernel_cycle(1), 1);
    assert_noted("aa.");
    kernel_fini();

    begin(false);
    put_to_sleep(1);
    make_busy(0);
    submit(0);
    assert_int_equal(wakes(&kernel.runner), 0);
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("aa.");
    kernel_fini();
}

static void test_who_watches_is_not_woken_until_it_takes_long(void **state)
{
    (void)state;
    begin(true);
    make_busy(0);
    assert_int_equal(fil_partition_stage__begin_watch(stage(1)), PATIENCE_NS);
    put_to_sleep(1);
    kernel.clock.now_ns += PATIENCE_NS / 2;
    submit(0);
    assert_int_equal(wakes(&kernel.runner), 0);
    kernel.clock.now_ns += PATIENCE_NS;
    submit(2);
    assert_int_equal(wakes(&kernel.runner), 1);
    fil_partition_stage__end_watch(stage(1));
    assert_int_equal(kernel_cycle(1), 2);
    assert_noted("aa.cc.");
    kernel_fini();
}

static void test_watch_looks_soon_then_less_often_then_ends(void **state)
{
    (void)state;
    begin(true);
    assert_int_equal(watch(1), FIL_WAIT_FOREVER); // nobody is busy
    make_busy(0);
    int64_t before_ns = watch(1);
    assert_int_equal(before_ns, PATIENCE_NS);
    int64_t longest_ns = 0;
    for (uint32_t i = 0; i < 10; i++) {
        longest_ns = watch(1);
        assert_true(longest_ns >= before_ns && longest_ns < 1000000);
        before_ns = longest_ns;
    }
    atomic_store(&stage(0)->busy_since_ns, 0);
    assert_int_equal(watch(1), FIL_WAIT_FOREVER);
    assert_int_equal(watch(1), FIL_WAIT_FOREVER);
    kernel_fini();
}

static void test_who_is_busy_for_long_is_not_watched_and_gets_help_at_once(void **state)
{
    (void)state;
    begin(true);
    make_busy(0);
    assert_int_equal(watch(1), PATIENCE_NS);
    uint32_t looks = 1;
    for (int64_t limit_ns = 0; limit_ns != FIL_WAIT_FOREVER && looks < 100; looks++) {
        limit_ns = watch(1);
        kernel.clock.now_ns += PATIENCE_NS;
    }
    assert_in_range(looks, 2, 6);
    put_to_sleep(1);
    submit(0);
    assert_int_equal(wakes(&kernel.runner), 1);
    assert_int_equal(kernel_cycle(1), 1);
    assert_noted("aa.");
    kernel_fini();
}

static void test_one_watches_at_a_time(void **state)
{
    (void)state;
    begin(true);
    make_busy(0);
    make_busy(1);
    assert_int_equal(fil_partition_stage__begin_watch(stage(0)), PATIENCE_NS);
    assert_int_equal(watch(1), FIL_WAIT_FOREVER);
    fil_partition_stage__end_watch(stage(0));
    assert_int_equal(watch(1), PATIENCE_NS);
    kernel_fini();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_hand_over_calls_nobody),
        cmocka_unit_test(test_what_waits_behind_a_run_calls_a_thief),
        cmocka_unit_test(test_what_a_thief_leaves_behind_calls_another),
        cmocka_unit_test(test_work_for_a_busy_thread_wakes_a_thief),
        cmocka_unit_test(test_who_watches_is_not_woken_until_it_takes_long),
        cmocka_unit_test(test_watch_looks_soon_then_less_often_then_ends),
        cmocka_unit_test(test_who_is_busy_for_long_is_not_watched_and_gets_help_at_once),
        cmocka_unit_test(test_one_watches_at_a_time),
    };
    return cmocka_run_group_tests_name("stealing", tests, NULL, NULL);
}
